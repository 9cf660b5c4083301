// The table as SVG, seen from a seat: 1000 wide, with the four rivers around the middle and the own hand large below.
import { h, s } from "suphx/dom.js";
import { HEIGHT, WIDTH, tile } from "suphx/tiles.js";
import { list, number, percent, roundName, t, term, tileName, tileNames, windLetter } from "suphx/words.js";
import { riskBar } from "suphx/worth.js";

const MIDDLE = 500;
const CENTRE = 152; // half the side of the square in the middle
const RIVER = 50; // width of tiles in a river
const ROW = 6;
const ROWS = 4;
const OTHER = 40; // width of tiles in others' hands
const REACH = 425; // how far a hand extends to the left and right of the middle
const OWN = 66;
const CHOICES = 936; // top of the line of choices other than discards
const BAR_TOP = 996;
const BAR_HEIGHT = 84;
const OWN_TOP = BAR_TOP + BAR_HEIGHT + 8;
const BOTTOM = OWN_TOP + (OWN * HEIGHT) / WIDTH + 30;
const LIFT = BAR_TOP + BAR_HEIGHT - 941; // how much higher the own hand is placed if there are no bars above its tiles
const WALLS = 5; // number of places for dora indicators
const WALL = 190; // the width of all five
const WALL_CLOSED = 27; // width of a closed one: those that are shown have the rest, to be readable on a phone
const WALL_SHOWN = 54;

const high = (width) => (width * HEIGHT) / WIDTH;
const group = (seat, relative, ...children) =>
  s("g", { "data-seat": seat, transform: `translate(${MIDDLE} ${MIDDLE}) rotate(${-90 * relative})` }, children);

/** A line of text; at `relative` 2 it would be upside down, so it is rotated in place. */
function text(words, x, y, look, relative = 0, anchor = "middle") {
  const turned = relative === 2;
  const side = turned ? { start: "end", end: "start", middle: "middle" }[anchor] : anchor;
  return s("text", { x, y, class: look, "text-anchor": side, transform: turned ? `rotate(180 ${x} ${y - 7.5})` : null }, words);
}

function river(seat, discards, isLast) {
  const left = (-ROW / 2) * RIVER;
  const lines = [];
  let x = left;
  discards.forEach(([face, marks], n) => {
    const line = Math.min(Math.floor(n / ROW), ROWS - 1);
    if (n % ROW === 0 && n / ROW < ROWS) x = left;
    const turned = marks.includes("r");
    const last = isLast && n === discards.length - 1;
    lines.push(tile(face, x, CENTRE + 10 + line * (high(RIVER) + 1), RIVER, {
      dim: marks.includes("d"), turned, faint: /[0-3]/.test(marks), mark: last ? "mark-last" : null,
    }));
    x += turned ? high(RIVER) : RIVER;
  });
  return lines;
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

function waits(seat, relative) {
  if (!seat.waits.length) return null;
  const width = 27;
  const right = REACH - 40; // the name of the next seat lies beyond
  const y = REACH - high(width) + 4;
  const x = right - seat.waits.length * width;
  const label = seat.furiten ? t("table.waits_furiten") : term("waits");
  const word = text(label, x - 8, REACH - 8, seat.furiten ? "small warn" : "small", relative, "end");
  return s("g", { class: "waits" }, word, seat.waits.map((face, n) => tile(face, x + n * width, y, width)));
}

function other(seat, view, relative, name, isOpen, isLast) {
  const base = MIDDLE - 12;
  const [laid] = melds(view.melds, REACH, base, OTHER);
  const hand = view.hand.map((face, n) => tile(isOpen ? face : "", -REACH + n * OTHER, base - high(OTHER), OTHER));
  if (view.drawn) {
    hand.push(tile(isOpen ? view.drawn : "", -REACH + view.hand.length * OTHER + 12, base - high(OTHER), OTHER));
  }
  const who = text(name, -REACH, REACH - 8, "name", relative, "start");
  return group(seat, relative, river(seat, view.river, isLast), hand, laid, who, isOpen ? waits(view, relative) : null);
}

function sides(frame, seat) {
  return frame.seats.map((view, each) => {
    const relative = (each - seat + 4) % 4;
    const turn = frame.turn === each && frame.phase !== "round over";
    return group(each, relative,
      turn ? s("rect", { class: "turn", x: -CENTRE + 12, y: CENTRE - 7, width: 2 * CENTRE - 24, height: 5, rx: 2 }) : null,
      view.riichi ? s("g", { class: "stick" },
        s("rect", { x: -62, y: CENTRE - 24, width: 124, height: 12, rx: 4 }),
        s("circle", { cx: 0, cy: CENTRE - 18, r: 4 })) : null,
      text(`${windLetter(view.wind)} ${number(view.score)}`, 0, CENTRE - 36,
        view.wind === "East" ? "score dealer" : "score", relative),
    );
  });
}

function middle(frame) {
  const open = frame.indicators.length;
  const width = Math.min(WALL_SHOWN, (WALL - (WALLS - open) * WALL_CLOSED) / open);
  const left = -(open * width + (WALLS - open) * WALL_CLOSED) / 2;
  const middleLine = 8;
  const shown = [...Array(WALLS).keys()].map((n) => (n < open
    ? tile(frame.indicators[n], left + n * width, middleLine - high(width) / 2, width)
    : tile("", left + open * width + (n - open) * WALL_CLOSED, middleLine - high(WALL_CLOSED) / 2, WALL_CLOSED)));
  const counts = [
    t("table.left", { count: frame.left }),
    frame.repeat ? t("table.repeat", { count: frame.repeat }) : null,
    frame.bets ? t("table.bets", { count: frame.bets }) : null,
  ].filter(Boolean);
  return s("g", { transform: `translate(${MIDDLE} ${MIDDLE})` },
    s("rect", { class: "middle", x: -CENTRE, y: -CENTRE, width: 2 * CENTRE, height: 2 * CENTRE, rx: 12 }),
    s("text", { class: "round", "text-anchor": "middle", y: -58 }, roundName(frame.name, 0)),
    s("text", { class: "small", "text-anchor": "middle", y: -35 }, counts[0]),
    shown,
    counts.slice(1).map((words, n) => s("text", { class: "small", "text-anchor": "middle", y: 63 + 20 * n }, words)),
  );
}

/** A bar above one of the own tiles, with its label. */
function bar(mark, x) {
  const size = Math.max(2, BAR_HEIGHT * mark.probability);
  const look = mark.preferred ? "bar preferred" : "bar";
  return [
    s("rect", { class: look, x: x + 9, y: BAR_TOP + BAR_HEIGHT - size, width: OWN - 18, height: size, rx: 4 }),
    mark.probability >= 0.01
      ? s("text", { class: "percent", x: x + OWN / 2, y: BAR_TOP + BAR_HEIGHT - size - 6, "text-anchor": "middle" }, percent(mark.probability))
      : null,
  ];
}

/** The choices other than discards, as a line of labels with their probabilities. */
function choiceLine(choices) {
  const width = 25;
  let x = 15;
  return choices.map(({ word, tiles, probability, taken, preferred }) => {
    const label = [`${word} `, percent(probability)];
    const letters = 12; // upper bound of the width of a letter
    const room = 24 + label[0].length * letters + tiles.length * width + (tiles.length ? 8 : 0) + label[1].length * letters + 12;
    const parts = [
      s("rect", { class: `choice${taken ? " taken" : ""}${preferred ? " preferred" : ""}`, x, y: CHOICES, width: room, height: 40, rx: 9 }),
      s("text", { class: "choice-word", x: x + 12, y: CHOICES + 27 }, label[0]),
      tiles.map((face, n) => tile(face, x + 12 + label[0].length * letters + n * width, CHOICES + 3.5, width)),
      s("text", { class: "choice-word", x: x + room - 10, y: CHOICES + 27, "text-anchor": "end" }, label[1]),
    ];
    x += room + 12;
    return parts;
  });
}

/** The own hand with bars: `marks` has by face the marks of candidates, each of which is drawn once. */
function own(seat, view, name, { marks, choices, lift }, isLast) {
  const [laid, right] = melds(view.melds, 985, OWN_TOP + high(OWN), OWN * 0.82);
  const left = new Map(marks);
  const tiles = view.hand.map((face) => [face, false]);
  if (view.drawn) tiles.push([view.drawn, true]);
  const parts = [];
  const room = right - 15 - (view.drawn ? 14 : 0);
  const step = Math.min(OWN, room / tiles.length);
  const x = (n) => 15 + n * step + (tiles[n][1] ? 14 : 0);
  const chosen = new Map();
  tiles.forEach(([face], n) => {
    if (left.has(face)) chosen.set(face, n); // the last one wins: the tile just drawn, if it has this face
  });
  tiles.forEach(([face], n) => {
    const mark = chosen.get(face) === n ? left.get(face) : null;
    if (mark) parts.push(bar(mark, x(n)));
    const frame = mark && (mark.preferred ? "mark-preferred" : mark.taken ? "mark-taken" : null);
    parts.push(tile(face, x(n), OWN_TOP, OWN, { mark: frame }));
    if (!mark) return;
    if (mark.risk !== null && mark.risk !== undefined) parts.push(riskBar(mark.risk, x(n) + 9, OWN_TOP + high(OWN) + 3, OWN - 18));
    const words = mark.taken ? t(mark.preferred ? "decision.agreed" : "decision.played") : mark.preferred ? t("decision.agent") : "";
    if (words) parts.push(s("text", { class: mark.preferred ? "caption" : "caption taken", x: x(n) + OWN / 2, y: BOTTOM - 9, "text-anchor": "middle" }, words));
    if (mark.danger) {
      parts.push(s("path", { class: "danger", d: `M${x(n) + OWN - 15} ${OWN_TOP + 14}l8 -14 8 14z` }));
    }
  });
  return [
    group(seat, 0, river(seat, view.river, isLast), text(name, -REACH, REACH - 2, "name", 0, "start"), waits(view, 0)),
    choiceLine(choices),
    s("g", { "data-seat": seat, class: "own", transform: lift ? `translate(0 ${-lift})` : null }, parts, laid),
  ];
}

/** The own seat if its hand is shown elsewhere: only what lies on the table, with the melds placed like the others'. */
function ownWithoutHand(seat, view, name, isLast) {
  const [laid] = melds(view.melds, REACH, MIDDLE - 12, OTHER * 1.1);
  return group(seat, 0, river(seat, view.river, isLast), laid, text(name, -REACH, REACH - 2, "name", 0, "start"));
}

/**
 * The table at one moment. options: `seat` (whose view), `open` (show others' hands), `names`, `marks` (Map face ->
 * {probability, taken, preferred, danger, risk} for the own tiles), `choices` (those other than discards: {word, tiles,
 * probability, taken, preferred}, the likeliest first), `plain` (leave no room for either), `hand` (show the own hand).
 */
export function tableOf(frame, { seat, open, names, marks = new Map(), choices = [], plain = false, hand = true }) {
  const lift = plain ? LIFT : 0;
  const bottom = hand ? BOTTOM - lift - (plain ? 14 : 0) : 2 * MIDDLE; // captions are below the tiles
  const seats = frame.seats.map((view, each) => {
    const relative = (each - seat + 4) % 4;
    const isLast = frame.last === each;
    if (!relative && !hand) return ownWithoutHand(each, view, names[each], isLast);
    return relative
      ? other(each, view, relative, names[each], open, isLast)
      : own(each, view, names[each], { marks, choices, lift }, isLast);
  });
  return s("svg", {
    class: "table", viewBox: `0 0 1000 ${bottom}`, role: "img", "aria-label": t("table.label", { round: roundName(frame.name, frame.repeat) }),
  }, s("rect", { class: "felt", x: 0, y: 0, width: 1000, height: bottom, rx: 18 }), middle(frame), sides(frame, seat), seats);
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
