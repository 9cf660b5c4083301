// Moves at the table as sentences for screen readers, and in short form for display.
import { tilesInline } from "suphx/tiles.js";
import { isJapanese, roundName, term, tileName, tileNames } from "suphx/words.js";

const VERBS = {
  discard: "discards", riichi: "declares riichi", chow: "chows", pong: "pongs", "open kong": "makes an open kong of", "closed kong": "makes a closed kong of",
  "added kong": "adds to a kong", "win by draw": "wins by draw on", "win by claim": "wins on",
};
const KINDS = Object.keys(VERBS).sort((a, b) => b.length - a.length);
const TILES = /[0-9][mpsz]/g;

/** The parts of a move: its kind, its tile, and the tiles of the own hand that a call uses. */
function parts(words) {
  const kind = KINDS.find((each) => words.startsWith(each));
  const [before, after = ""] = words.split(" with ");
  return { kind, tiles: before.match(TILES) || [], own: after.match(TILES) || [] };
}

/** A move as a sentence; `who` is the mover's name. */
export function sentence([, words], who) {
  const { kind, tiles, own } = parts(words);
  if (!kind) return tiles.length ? `New ${term("dora indicator")}: ${tileNames(tiles)}.` : `${term(words)}.`;
  const verb = isJapanese() && kind !== "discard" ? `${term(kind)}:` : VERBS[kind];
  return `${who} ${verb}${tiles.length ? ` ${tileNames(tiles)}` : ""}${own.length ? ` with ${tileNames(own)}` : ""}.`;
}

/** A move in short form, with its tiles as pictures. */
export function moveShown([, words]) {
  const { kind, tiles, own } = parts(words);
  return [term(kind || (tiles.length ? "dora indicator" : words)), " ", tilesInline(tiles), own.length ? [" with ", tilesInline(own)] : null];
}

/** The question, as a sentence. */
export function questionSentence(position, seat) {
  const { question, frame } = position;
  if (!question) return "";
  const { drawn } = frame.seats[seat];
  const others = [...new Set(question.choices.filter((each) => !["discard", "pass", "next round"].includes(each.type)).map((each) => term(each.type)))];
  const may = others.length ? ` You may choose: ${others.join(", ")}.` : "";
  switch (question.situation) {
    case "round over": return "The round is over.";
    case "stop": return "You may end the game.";
    case "turn": return `Your turn${drawn ? `, you draw ${tileName(drawn)}` : ""}.${may}`;
    case "riichi discard":
    case "call discard": return "Discard a tile.";
    default: return may.trim();
  }
}

/** The current round and dora indicators, as a sentence. */
export function placeSentence(position) {
  return `${roundName(position.name, position.frame.repeat)}. ${term("dora indicator")}: ${tileNames(position.frame.indicators)}.`;
}

/** A sentence if the hand has become furiten, or no longer is; otherwise "". */
export function furitenSentence({ position, before }) {
  const [was, is] = [before ? before.own.furiten : "", position.own.furiten];
  if (Boolean(was) === Boolean(is)) return "";
  return is ? "You are furiten." : "You are no longer furiten.";
}
