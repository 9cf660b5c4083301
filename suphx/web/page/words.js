// The page's words in the chosen language: all texts are in `texts/`, one file a language, as `{section: {name: text}}`.
import { TEXTS } from "suphx/texts.js";

const FIRST = "en"; // has every text; `romaji` has only the terms that differ
let language = FIRST;

/** The languages that there are: [code, own name]. */
export function languages() {
  return Object.entries(TEXTS).map(([code, { page }]) => [code, page.language]);
}

/** Use the language with a code, or without one the first of the browser's that there is; returns its code. */
export function useLanguage(code) {
  const wanted = [code, ...navigator.languages.map((each) => each.slice(0, 2).toLowerCase())];
  language = wanted.find((each) => Object.hasOwn(TEXTS, each)) || FIRST;
  return language;
}

/** The language as HTML names it. */
export function languageTag() {
  return t("page.tag");
}

function template(key, values) {
  const [section, name] = key.split(".");
  const text = TEXTS[language][section]?.[name] ?? TEXTS[FIRST][section][name];
  return typeof text === "string" ? text : text[new Intl.PluralRules(language === "romaji" ? FIRST : language).select(values.count)] ?? text.other;
}

/** A text, `section.name`, as parts: strings, and in place of each `{name}` its value, which may be nodes. `count` chooses between singular and plural. */
export function rich(key, values = {}) {
  return template(key, values).split(/\{(\w+)\}/).map((part, n) => (n % 2 ? values[part] : part));
}

/** A text as a string. */
export function t(key, values = {}) {
  return rich(key, values).join("");
}

/** A term of the game, given as the engine names it; what is no term stays as it is. */
export function term(word) {
  return TEXTS[language].terms[word] ?? TEXTS[FIRST].terms[word] ?? word;
}

/** A term or the name of a round, given as the engine names it. */
const known = (word) => (/^[A-Z][a-z]+ \d$/.test(word) ? roundName(word, 0) : term(word));

/** A message of the server, which speaks English: known ones are found by their English text. */
export function translate(message) {
  for (const [name, english] of Object.entries(TEXTS[FIRST].server)) {
    const names = [];
    const pattern = english.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{(\w+)\}/g, (_, each) => {
      names.push(each);
      return "(.+)";
    });
    const match = new RegExp(`^${pattern}$`).exec(message);
    if (match) return t(`server.${name}`, Object.fromEntries(names.map((each, n) => [each, known(match[n + 1])])));
  }
  return message;
}

/** A yaku, given as `yaku`, `yaku (japanese)` or `yaku (japanese) 2`, the number being its han. */
export function yakuName(label) {
  const [, english, japanese, han] = /^(.*?)(?: \((.*?)\))?( \d+)?$/.exec(label);
  const { yaku } = TEXTS[language]; // Japanese terms need none
  return (yaku ? yaku[english] ?? english : japanese || english) + (han || "");
}

const HONORS = ["East", "South", "West", "North", "white dragon", "green dragon", "red dragon"];

/** The spoken name of a face: `red 5 of circles`, `East`. */
export function tileName(face) {
  if (!face || face === "?") return t("tiles.hidden");
  if (face[1] === "z") return term(HONORS[Number(face[0]) - 1]);
  return t(`tiles.${face[0] === "0" ? "red_" : ""}${face[1]}`, { number: face.replace("0", "5")[0] });
}

/** Several words, one after the other. */
export function list(all) {
  return all.join(t("page.comma"));
}

/** The spoken names of several tiles. */
export function tileNames(faces) {
  return list(faces.map(tileName));
}

/** The name of a round, given as `East 1`, with its repeat counters. */
export function roundName(round, counters) {
  const [wind, number] = round.split(" ");
  const name = t("page.round", { wind: term(wind), number });
  return counters ? t("page.repeat", { round: name, counters }) : name;
}

/** A wind in one letter. */
export function windLetter(wind) {
  return t(`winds.${wind}`);
}

export function number(value) {
  return Math.round(value).toLocaleString("en-US");
}

export function signed(value) {
  return (value > 0 ? "+" : value < 0 ? "−" : "") + Math.abs(Math.round(value)).toLocaleString("en-US");
}

/** A probability in percent, with a decimal if it or the rest is small. */
export function percent(value) {
  if (value > 0 && value < 0.001) return "<0.1%";
  if (value < 1 && value > 0.999) return ">99.9%";
  return value < 0.0995 || (value > 0.99 && value < 1) ? `${(100 * value).toFixed(1)}%` : `${Math.round(100 * value)}%`;
}

/** The time of day and date of a time in seconds since 1970. */
export function dateOf(seconds) {
  return new Date(1000 * seconds).toLocaleString(languageTag());
}

/** The name of a candidate's action. */
export function candidateName(candidate) {
  const what = term(candidate.type);
  const tile = tileName(candidate.tile);
  if (candidate.type === "chow" || candidate.type === "pong") return t("moves.call", { what, tile, own: tileNames(candidate.own) });
  return candidate.tile ? t("moves.tile", { what, tile }) : what;
}
