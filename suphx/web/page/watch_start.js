// The start page's section about watching: agents at a table, a recorded game, sample games, and the existing games.
import { h, show } from "suphx/dom.js";
import { ask, formOf } from "suphx/server.js";

const WINDS = ["East", "South", "West", "North"];
const SEEDS = 1e6; // upper bound of the seeds proposed; others can be typed
const MAX_SEED = 2 ** 53 - 1;

/** The section; `tell(words, isError)` shows messages. Returns it and `update()`, which fetches the games from the server. */
export function watchSection(tell) {
  const start = async (path, body) => {
    tell("Starting ...");
    try {
      const game = await (await ask(`/api/games/${path}`, { method: "POST", body })).json();
      location.assign(`/watch/${game.id}`);
    } catch (error) {
      tell(error.message, true);
    }
  };
  const agents = WINDS.map((wind) => h("select", { id: `agent-${wind.toLowerCase()}` }));
  const seed = h("input", { type: "number", id: "seed", min: 0, max: MAX_SEED, step: 1, required: true, value: Math.floor(Math.random() * SEEDS) });
  const table = h("form", { class: "seating", onsubmit: (event) => {
    event.preventDefault();
    start("live", formOf([...agents.map((each) => ["agent", each.value]), ["seed", seed.value]]));
  } },
  WINDS.map((wind, n) => h("label", {}, h("span", {}, wind), agents[n])),
  h("label", {}, h("span", {}, "Seed"), seed), h("button", { type: "submit", id: "watch" }, "Watch"));
  const file = h("input", { type: "file", id: "recorded", accept: ".mjlog,.xml,.json,.jsonl,.mjson,.mjai,.log,.gz", onchange: () => {
    if (file.files[0]) start("recorded", formOf([["log", file.files[0]]]));
    file.value = "";
  } });
  const samples = h("ul", { class: "samples" });
  const sampled = h("section", { hidden: true, "aria-label": "Sample games" }, h("h3", {}, "Sample games, newest first"), samples);
  const list = h("ul", { class: "kept games" });
  const kept = h("section", { hidden: true, "aria-label": "Games" }, h("h3", {}, "Games that are there"), list);

  const row = (game) => {
    const words = { playing: `${game.kind}, round ${game.rounds}`, over: game.kind, failed: game.message }[game.state];
    const forget = async () => {
      try {
        await ask(`/api/games/${game.id}`, { method: "DELETE" });
      } catch (error) {
        tell(error.message, true);
      }
      update();
    };
    return h("li", {}, h("a", { href: `/watch/${game.id}` }, game.source), " ", h("span", { class: "quiet" }, words), " ",
      h("button", { type: "button", "aria-label": `Forget ${game.source}`, onclick: forget }, "Forget"));
  };

  /** Show the agents and games of the server. */
  async function update() {
    try {
      const found = await (await ask("/api/games")).json();
      if (!agents[0].options.length) {
        for (const each of agents) show(each, found.agents.map((name) => h("option", { value: name }, name)));
      }
      sampled.hidden = found.samples === null;
      show(samples, (found.samples || []).map((each) => h("li", {},
        h("button", { type: "button", class: "link", onclick: () => start("sample", formOf([["name", each.name]])) }, each.name),
        " ", h("span", { class: "quiet" }, new Date(1000 * each.time).toLocaleString()))));
      if (found.samples && !found.samples.length) show(samples, h("li", { class: "quiet" }, "There are none yet."));
      kept.hidden = !found.games.length;
      show(list, found.games.map(row));
    } catch (error) {
      tell(error.message, true);
    }
  }

  return {
    update,
    section: h("section", { class: "card", "aria-labelledby": "watch-title" }, h("h2", { id: "watch-title" }, "Watch agents play"), table,
      h("label", { class: "recorded", for: "recorded" }, "Or open a recorded game", file), sampled, kept),
  };
}
