/**
 * Tiles and melds in the notations of mjai and of majiang-core.
 *
 * mjai writes `5mr` for a red five and letters for honors; majiang writes the suit first (`m0`), honors as `z1` to
 * `z7`, and a meld as one word: `m1-23` is a chow with the 1 called, `p505=` a pong from across, `s5550` a closed kong.
 */
"use strict";

const HONORS = ["E", "S", "W", "N", "P", "F", "C"];

/** Where a called tile came from, by (its seat - the caller's) mod 4: right, across, left. */
const SOURCES = ["", "+", "=", "-"];

function toMajiang(tile) {
  const honor = HONORS.indexOf(tile);
  if (honor >= 0) return "z" + (honor + 1);
  return tile[1] + (tile.endsWith("r") ? "0" : tile[0]);
}

function toMjai(tile) {
  const suit = tile[0], number = tile[1];
  if (suit === "z") return HONORS[Number(number) - 1];
  return number === "0" ? `5${suit}r` : number + suit;
}

/** The rank by which a chow is ordered: a red five is a five. */
const rank = (tile) => Number(tile[1]) || 5;

/** A called chow, pong or open kong: own tiles, the called one, and its source as in `SOURCES`. */
function calledMeld(own, called, source) {
  const suit = called[0];
  const marked = { tile: called, text: called[1] + source };
  const plain = own.map((tile) => ({ tile, text: tile[1] }));
  const chow = own.some((tile) => rank(tile) !== rank(called));
  const order = chow
    ? [marked, ...plain].sort((a, b) => rank(a.tile) - rank(b.tile))
    : [...plain.sort((a, b) => Number(b.tile[1]) - Number(a.tile[1])), marked];
  return suit + order.map((each) => each.text).join("");
}

/** A closed kong, with red fives last. */
function closedKong(tiles) {
  return tiles[0][0] + tiles.map((tile) => tile[1]).sort().reverse().join("");
}

/** The own tiles of a called meld, in mjai's notation. */
function ownTiles(meld) {
  return (meld.slice(1).match(/\d(?![+=-])/g) || []).map((number) => toMjai(meld[0] + number));
}

module.exports = { SOURCES, calledMeld, closedKong, ownTiles, toMajiang, toMjai };
