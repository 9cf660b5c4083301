// Moves at the table as sentences for screen readers, and in short form for display.
import { tilesInline } from "suphx/tiles.js";
import { list, rich, roundName, t, term, tileName, tileNames } from "suphx/words.js";

const KINDS = ["added kong", "closed kong", "discard", "chow", "open kong", "pong", "riichi", "ron", "tsumo"];
const TILES = /[0-9][mpsz]/g;

/** The parts of a move: its kind, its tiles, and the tiles of the own hand that a call uses. */
function parts(words) {
  const kind = KINDS.find((each) => words.startsWith(each));
  const [before, after = ""] = words.split(" with ");
  return { kind, tiles: before.match(TILES) || [], own: after.match(TILES) || [], drawn: words.endsWith(" just drawn") };
}

/** A move as a sentence; `who` is the mover's name. */
export function sentence([, words], who) {
  const { kind, tiles, own } = parts(words);
  if (!kind) return tiles.length ? t("spoken.indicator", { tiles: tileNames(tiles) }) : t("spoken.event", { what: term(words) });
  const move = t(`spoken.${kind.replaceAll(" ", "_")}`, { who, tiles: tileNames(tiles) });
  return own.length ? t("spoken.with", { move, own: tileNames(own) }) : t("spoken.event", { what: move });
}

/** A move in short form, with its tiles as pictures. */
export function moveShown([, words]) {
  const { kind, tiles, own, drawn } = parts(words);
  const what = term(kind || (tiles.length ? "dora indicator" : words));
  if (own.length) return rich("moves.call", { what, tile: tilesInline(tiles), own: tilesInline(own) });
  if (!tiles.length) return [what];
  return rich(drawn ? "moves.drawn" : "moves.tile", { what, tile: tilesInline(tiles) });
}

/** A move in short form, in words. */
export function moveNamed(words) {
  const { kind, tiles, own, drawn } = parts(words);
  const what = term(kind || words);
  if (own.length) return t("moves.call", { what, tile: tileNames(tiles), own: tileNames(own) });
  return tiles.length ? t(drawn ? "moves.drawn" : "moves.tile", { what, tile: tileNames(tiles) }) : what;
}

/** The question, as a sentence. */
export function questionSentence(position, seat) {
  const { question, frame } = position;
  if (!question) return "";
  const { drawn } = frame.seats[seat];
  const others = [...new Set(question.choices.filter((each) => !["discard", "pass", "next round"].includes(each.type)).map((each) => term(each.type)))];
  const may = others.length ? t("spoken.may", { choices: list(others) }) : "";
  switch (question.situation) {
    case "round over": return t("spoken.round_over");
    case "stop": return t("spoken.stop");
    case "turn": return [drawn ? t("spoken.turn_drawn", { tile: tileName(drawn) }) : t("spoken.turn"), may].filter(Boolean).join(" ");
    case "riichi discard":
    case "call discard": return t("spoken.discard_now");
    default: return may;
  }
}

/** The current round and dora indicators, as a sentence. */
export function placeSentence(position) {
  return t("spoken.place", { round: roundName(position.name, position.frame.repeat), tiles: tileNames(position.frame.indicators) });
}

/** A sentence if the hand has become furiten, or no longer is; otherwise "". */
export function furitenSentence({ position, before }) {
  const [was, is] = [before ? before.own.furiten : "", position.own.furiten];
  if (Boolean(was) === Boolean(is)) return "";
  return is ? t("spoken.furiten") : t("spoken.furiten_over");
}
