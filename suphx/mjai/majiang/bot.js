/**
 * The player of @kobalab/majiang-ai as an mjai bot: `node bot.js [FOLDER]`.
 *
 * An input line is an array of mjai events, or a single event; the output line is the reply, `{"type":"none"}` for none.
 * FOLDER is where `npm install` has put the packages; by default the folder of this file.
 */
"use strict";

const path = require("node:path");
const readline = require("node:readline");
const { createRequire } = require("node:module");
const { Translator } = require("./translator");

const EXIT_NOT_INSTALLED = 3;

function load(folder) {
  const requireThere = createRequire(path.join(path.resolve(folder), "package.json"));
  try {
    return { Player: requireThere("@kobalab/majiang-ai"), core: requireThere("@kobalab/majiang-core") };
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    console.error(`@kobalab/majiang-ai is not installed in ${folder}: run npm ci there`);
    process.exit(EXIT_NOT_INSTALLED);
  }
}

const { Player, core } = load(process.argv[2] || __dirname);
const translator = new Translator(() => new Player(), core.rule);
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const given = JSON.parse(line);
  process.stdout.write(JSON.stringify(translator.react(Array.isArray(given) ? given : [given])) + "\n");
});
