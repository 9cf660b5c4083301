// The table as SVG, seen from a seat: the four rivers around the middle, in whatever shape there is; the own hand may lie below.
import { h, s, show } from "suphx/dom.js";
import { HEIGHT, WIDTH, tile } from "suphx/tiles.js";
import { list, number, percent, roundName, t, term, tileName, tileNames, windLetter } from "suphx/words.js";
import { riskBar } from "suphx/worth.js";

const RIVER = 50; // width of tiles in a river
const ROW = 6;
const ROWS = 3; // the last one goes on to the right, as players lay it
const CLEAR = 20; // from the middle to a river that passes others: a tile on its side makes their rows longer
const NEAR = 8; // to one that does not
const EDGE = 7; // between a hand and the edge, or the river: a name stands to the left of the river
const REACH = 345; // the farthest that a hand extends to the left and right of its seat's middle
// Half the sides of the middle, and widths of tiles: the own hand, others' hands when open and closed, their melds.
const WIDE = { x: 150, y: 106, own: 60, open: 38, closed: 34, meld: 38 };
const TALL = { x: 84, y: 150, own: 45, open: 30, closed: 26, meld: 32 };
const CHOICES = 50; // height of the line of choices other than discards
const BARS = 90; // height of the bars above the own tiles, with their percentages
const BAR_HEIGHT = 66;
const CAPTION = 28; // height of the words below the own tiles
const OWN_ROOM = 15; // tiles of the own hand that there is room for
const INDICATORS = 5; // number of places for dora indicators
const INDICATOR_CLOSED = 22; // width of a closed one: those that are shown are larger, to be readable on a phone
const INDICATOR_SHOWN = 36;

const high = (width) => (width * HEIGHT) / WIDTH;
const RIVER_DEPTH = ROWS * (high(RIVER) + 1);

/** The places of all parts if the table is laid out around a middle. shape: width by height of the room. below: height of what lies below the own river. */
function placesAround(middle, shape, isOpen, below) {
  const clear = (half) => half + (half < (ROW / 2) * RIVER ? NEAR : CLEAR);
  const [riverX, riverY] = [clear(middle.x), clear(middle.y)];
  const hand = high(isOpen ? middle.open : middle.closed) + 2 * EDGE;
  const [left, top, bottom] = [riverX + RIVER_DEPTH + hand, riverY + RIVER_DEPTH + hand, riverY + RIVER_DEPTH + below];
  const width = Math.max(2 * left, (top + bottom) * shape);
  const height = Math.max(top + bottom, width / shape);
  const y = top + (height - top - bottom) / 2;
  return { ...middle, width, height, center: [width / 2, y], river: [riverY, riverX, riverY, riverX], edge: [height - y - below, width / 2, y, width / 2],
    reach: [width / 2 - EDGE, Math.min(y, height - y - below) - EDGE, width / 2 - EDGE, Math.min(y, height - y - below) - EDGE].map((each) => Math.min(REACH, each)) };
}

/** The places in the shape of the room: around whichever middle leaves the tiles larger. */
function placesIn(shape, isOpen, below) {
  const [wide, tall] = [WIDE, TALL].map((middle) => placesAround(middle, shape, isOpen, below(middle)));
  return wide.width <= tall.width ? wide : tall;
}

const group = ({ center }, seat, relative, ...children) =>
  s("g", { "data-seat": seat, transform: `translate(${center.join(" ")}) rotate(${-90 * relative})` }, children);

/** A line of text; at `relative` 2 it would be upside down, so it is rotated in place. */
function text(words, x, y, look, relative = 0, anchor = "middle") {
  const turned = relative === 2;
  const side = turned ? { start: "end", end: "start", middle: "middle" }[anchor] : anchor;
  return s("text", { x, y, class: look, "text-anchor": side, transform: turned ? `rotate(180 ${x} ${y - 7.5})` : null }, words);
}

function river(places, relative, discards, isLast) {
  const left = (-ROW / 2) * RIVER;
  const tiles = [];
  let x = left;
  discards.forEach(([face, marks], n) => {
    const line = Math.min(Math.floor(n / ROW), ROWS - 1);
    if (n % ROW === 0 && n / ROW < ROWS) x = left;
    const turned = marks.includes("r");
    const last = isLast && n === discards.length - 1;
    tiles.push(tile(face, x, places.river[relative] + line * (high(RIVER) + 1), RIVER, {
      dim: marks.includes("d"), turned, faint: /[0-3]/.test(marks), mark: last ? "mark-last" : null,
    }));
    x += turned ? high(RIVER) : RIVER;
  });
  return s("g", { class: "river" }, tiles);
}

/** Width of a meld, given the width of its tiles. */
function meldWidth([, tiles, place], width) {
  return tiles.length * width + (place >= 0 ? high(width) - width : 0);
}

function meld([kind, tiles, place, added], x, y, width) {
  const parts = [];
  tiles.forEach((face, n) => {
    const turned = n === place;
    const hidden = kind === "closed kong" && (n === 0 || n === tiles.length - 1);
    if (turned && added) parts.push(tile(added, x, y - width, width, { turned: true }));
    parts.push(tile(hidden ? "" : face, x, y, width, { turned }));
    x += turned ? high(width) : width;
  });
  return parts;
}

const meldsWidth = (all, width) => all.reduce((sum, each) => sum + meldWidth(each, width) + width / 6, 0);

/** The melds of a seat, with the first one outermost on the right, as players place them. */
function melds(all, right, bottom, width) {
  const parts = [];
  for (const each of all) {
    right -= meldWidth(each, width);
    parts.push(meld(each, right, bottom - high(width), width));
    right -= width / 6;
  }
  return [parts, right];
}

/** The melds beside an own hand that is shown as buttons: as large as its tiles, whose width is `--w`. */
export function meldsBesideHand(all) {
  const width = meldsWidth(all, WIDTH);
  return s("svg", { class: "own-melds", viewBox: `0 0 ${width} ${HEIGHT}`, "aria-hidden": "true", style: `flex-basis: calc(var(--w) * ${width / WIDTH})` },
    melds(all, width, HEIGHT, WIDTH)[0]);
}

function waits(seat, right, bottom, relative) {
  if (!seat.waits.length) return null;
  const width = 27;
  const x = right - seat.waits.length * width;
  const label = seat.furiten ? t("table.waits_furiten") : term("waits");
  const word = text(label, x - 8, bottom - 8, seat.furiten ? "small warn" : "small", relative, "end");
  return s("g", { class: "waits" }, word, seat.waits.map((face, n) => tile(face, x + n * width, bottom - high(width), width)));
}

function other(places, seat, view, relative, name, isOpen, isLast) {
  const [base, reach] = [places.edge[relative] - EDGE, places.reach[relative]];
  const each = isOpen ? places.open : places.closed;
  const drawn = each / 3; // apart from the hand
  const size = Math.min(1, (2 * reach) / ((view.hand.length + 1) * each + drawn + meldsWidth(view.melds, places.meld)));
  const width = each * size;
  const [laid] = melds(view.melds, reach, base, places.meld * size);
  const hand = [...view.hand.map((face) => [face, 0]), ...(view.drawn ? [[view.drawn, drawn]] : [])]
    .map(([face, apart], n) => tile(isOpen ? face : "", -reach + n * width + apart, base - high(width), width));
  const line = base - high(width) - 6;
  return group(places, seat, relative, river(places, relative, view.river, isLast), hand, laid, text(name, -reach, line, "name", relative, "start"),
    isOpen ? waits(view, reach, line, relative) : null);
}

function sides(places, frame, seat) {
  return frame.seats.map((view, each) => {
    const relative = (each - seat + 4) % 4;
    const half = relative % 2 ? places.x : places.y;
    const turn = frame.turn === each && frame.phase !== "round over";
    const long = relative % 2 ? places.y : places.x;
    return group(places, each, relative,
      turn ? s("rect", { class: "turn", x: -long + 12, y: half - 7, width: 2 * long - 24, height: 5, rx: 2 }) : null,
      view.riichi ? s("g", { class: "stick" },
        s("rect", { x: -62, y: half - 22, width: 124, height: 11, rx: 4 }),
        s("circle", { cx: 0, cy: half - 16.5, r: 4 })) : null,
      text(`${windLetter(view.wind)} ${number(view.score)}`, 0, half - 28,
        view.wind === "East" ? "score dealer" : "score", relative),
    );
  });
}

function middle({ x, y, center }, frame) {
  const open = frame.indicators.length;
  const isWide = x > y;
  const width = Math.min(INDICATOR_SHOWN, (2 * x - 16 - (INDICATORS - open) * INDICATOR_CLOSED) / open);
  const left = -(open * width + (INDICATORS - open) * INDICATOR_CLOSED) / 2;
  const line = isWide ? 23 : 83; // the middle of the indicators
  const shown = [...Array(INDICATORS).keys()].map((n) => (n < open
    ? tile(frame.indicators[n], left + n * width, line - high(width) / 2, width)
    : tile("", left + open * width + (n - open) * INDICATOR_CLOSED, line - high(INDICATOR_CLOSED) / 2, INDICATOR_CLOSED)));
  const first = isWide ? -36 : -80; // the line of the round
  const counters = [["repeat", frame.repeat], ["bets", frame.bets]].map(([name, count], n) => {
    const place = isWide ? { x: n ? x - 10 : 10 - x, y: 24 - y, "text-anchor": n ? "end" : "start" } : { y: 22 * n - 6, "text-anchor": "middle" };
    return count ? s("text", { class: "small", ...place }, t(`table.${name}`, { count })) : null;
  });
  return s("g", { transform: `translate(${center.join(" ")})` },
    s("rect", { class: "middle", x: -x, y: -y, width: 2 * x, height: 2 * y, rx: 12 }), counters,
    text(roundName(frame.name, 0), 0, first, "round"), text(t("table.left", { count: frame.left }), 0, first + 25, "tiles-left"), shown);
}

/** A bar above one of the own tiles, with its label. */
function bar(mark, x, y, width) {
  const size = Math.max(2, BAR_HEIGHT * mark.probability);
  const look = mark.preferred ? "bar preferred" : "bar";
  return [
    s("rect", { class: look, x: x + 9, y: y - size, width: width - 18, height: size, rx: 4 }),
    mark.probability >= 0.01
      ? s("text", { class: "percent", x: x + width / 2, y: y - size - 6, "text-anchor": "middle" }, percent(mark.probability))
      : null,
  ];
}

/** The choices other than discards, as a line of labels with their probabilities. */
function choiceLine(choices, x, y) {
  const width = 25;
  return choices.map(({ word, tiles, probability, taken, preferred }) => {
    const label = [`${word} `, percent(probability)];
    const letters = 12; // upper bound of the width of a letter
    const room = 24 + label[0].length * letters + tiles.length * width + (tiles.length ? 8 : 0) + label[1].length * letters + 12;
    const parts = [
      s("rect", { class: `choice${taken ? " taken" : ""}${preferred ? " preferred" : ""}`, x, y, width: room, height: 40, rx: 9 }),
      s("text", { class: "choice-word", x: x + 12, y: y + 27 }, label[0]),
      tiles.map((face, n) => tile(face, x + 12 + label[0].length * letters + n * width, y + 3.5, width)),
      s("text", { class: "choice-word", x: x + room - 10, y: y + 27, "text-anchor": "end" }, label[1]),
    ];
    x += room + 12;
    return parts;
  });
}

/** The marks of one of the own tiles, which lies at x, y. */
function marksAt(mark, x, y, width) {
  const words = mark.taken ? t(mark.preferred ? "decision.agreed" : "decision.played") : mark.preferred ? t("decision.agent") : "";
  const bottom = y + high(width);
  return [
    mark.risk !== null && mark.risk !== undefined ? riskBar(mark.risk, x + 9, bottom + 3, width - 18) : null,
    words ? s("text", { class: mark.preferred ? "caption" : "caption taken", x: x + width / 2, y: bottom + CAPTION - 6, "text-anchor": "middle" }, words) : null,
    mark.danger ? s("path", { class: "danger", d: `M${x + width - 15} ${y + 14}l8 -14 8 14z` }) : null,
  ];
}

/** The own hand with bars: `marks` has by face the marks of candidates, each of which is drawn once. */
function ownHand(places, seat, view, { marks, choices, plain }) {
  const width = places.own;
  const y = places.height - high(width) - (plain ? EDGE : CAPTION);
  const room = Math.min(places.width - 2 * EDGE, OWN_ROOM * width);
  const left = (places.width - room) / 2;
  const [laid, right] = melds(view.melds, left + room, y + high(width), width * 0.82);
  const tiles = [...view.hand.map((face) => [face, 0]), ...(view.drawn ? [[view.drawn, 14]] : [])];
  const step = Math.min(width, (right - left - 14) / tiles.length);
  const chosen = new Map(tiles.map(([face], n) => [face, n])); // the last of several: the tile just drawn, if it has this face
  const parts = tiles.map(([face, apart], n) => {
    const x = left + n * step + apart;
    const mark = chosen.get(face) === n ? marks.get(face) : null;
    const frame = mark && (mark.preferred ? "mark-preferred" : mark.taken ? "mark-taken" : null);
    return [mark ? bar(mark, x, y - 6, width) : null, tile(face, x, y, width, { mark: frame }), mark ? marksAt(mark, x, y, width) : null];
  });
  return [choiceLine(choices, left, y - BARS - CHOICES + 2), s("g", { "data-seat": seat, class: "own" }, parts, laid)];
}

/** What lies on the table of the own seat; its hand and melds lie below. */
function ownSide(places, seat, view, name, isLast) {
  const [bottom, reach] = [places.edge[0] - 4, places.reach[0]];
  return group(places, seat, 0, river(places, 0, view.river, isLast), text(name, -reach, bottom - 4, "name", 0, "start"), waits(view, reach, bottom, 0));
}

/**
 * The table at one moment. options: `seat` (whose view), `open` (show others' hands), `names`, `marks` (Map face ->
 * {probability, taken, preferred, danger, risk} for the own tiles), `choices` (those other than discards: {word, tiles,
 * probability, taken, preferred}, the likeliest first), `plain` (leave no room for either), `hand` (show the own hand),
 * `shape` (width by height of the room, which the table fills).
 */
export function tableOf(frame, { seat, open, names, marks = new Map(), choices = [], plain = false, hand = true, shape = 1 }) {
  const below = ({ own }) => EDGE + (hand ? high(own) + (plain ? EDGE : CHOICES + BARS + CAPTION) : 0);
  const places = placesIn(shape, open, below);
  const seats = frame.seats.map((view, each) => {
    const relative = (each - seat + 4) % 4;
    const isLast = frame.last === each;
    return relative ? other(places, each, view, relative, names[each], open, isLast) : ownSide(places, each, view, names[each], isLast);
  });
  const { width, height } = places;
  return s("svg", {
    class: "table", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": t("table.label", { round: roundName(frame.name, frame.repeat) }),
  }, s("rect", { class: "felt", x: 0, y: 0, width, height, rx: 18 }), middle(places, frame), sides(places, frame, seat), seats,
  hand ? ownHand(places, seat, frame.seats[seat], { marks, choices, plain }) : null);
}

const shapeOf = ({ width, height }) => (width && height ? width / height : 0);

/** Show a table in its place, `draw(shape)`, as the shape of the place is, and again whenever that changes. */
export class TablePlace {
  constructor(more = {}) {
    this.place = h("div", { class: "table-place", ...more });
    this.draw = () => [];
    this.shape = 0; // as observed: to ask for it at each step would lay out the whole page once more
    new ResizeObserver(([{ contentRect }]) => {
      if (shapeOf(contentRect) === this.shape) return;
      this.shape = shapeOf(contentRect);
      this.redraw();
    }).observe(this.place);
  }

  show(draw) {
    this.draw = draw;
    this.shape ||= shapeOf(this.place.getBoundingClientRect());
    this.redraw();
  }

  redraw() {
    show(this.place, this.draw(this.shape || 1));
  }
}

/** The same as text, for screen readers. */
export function tableInWords(frame, { seat, open, names }) {
  const lines = [
    t("table.words", { round: roundName(frame.name, frame.repeat), count: frame.left, dora: tileNames(frame.dora) }),
  ];
  for (let relative = 0; relative < 4; relative += 1) {
    const each = (seat + relative) % 4;
    const view = frame.seats[each];
    const parts = [t("table.seat", { name: names[each], wind: term(view.wind), points: number(view.score) })];
    const part = (what, tiles) => parts.push(t("table.part", { what, tiles }));
    if (view.riichi) parts.push(term("riichi"));
    if (view.hand.includes("?")) {
      part(term("hand"), t("table.hidden"));
    } else if (!relative || open) {
      part(term("hand"), view.drawn ? t("table.drawn", { tiles: tileNames(view.hand), drawn: tileName(view.drawn) }) : tileNames(view.hand));
      if (view.waits.length) part(term("waits"), view.furiten ? list([tileNames(view.waits), term("furiten")]) : tileNames(view.waits));
    }
    for (const [kind, tiles, , added] of view.melds) part(term(kind), tileNames(added ? [...tiles, added] : tiles));
    part(term("river"), view.river.length ? tileNames(view.river.map(([face]) => face)) : t("table.empty"));
    lines.push(t("table.line", { parts: parts.join(t("table.semicolon")) }));
  }
  return h("div", { class: "unseen" }, lines.map((line) => h("p", {}, line)));
}
