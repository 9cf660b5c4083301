// Tiles as SVG, 60 by 80: each face is defined once as a symbol and used wherever it occurs.
import { h, s } from "suphx/dom.js";
import { GREEN_DRAGON, NUMERALS, RED_DRAGON, WAN, WINDS } from "suphx/glyphs.js";
import { tileName } from "suphx/words.js";

export const WIDTH = 60;
export const HEIGHT = 80;

const RED = "#c22329";
const GREEN = "#17713a";
const BLUE = "#1d4f91";
const BLACK = "#1b1b22";

const NUMERAL = "font:650 17px system-ui,sans-serif;fill:#3f3c35;stroke:var(--tile);stroke-width:4px;paint-order:stroke";

/** All faces in order: `1m` to `7z`, the red fives as `0m`, `0p`, `0s`. */
export const FACES = [
  ..."mps".split("").flatMap((suit) => [..."123456789"].map((number) => number + suit)),
  ..."1234567".split("").map((number) => number + "z"),
  "0m", "0p", "0s",
];

/** The kind of a face: a red five is a five. */
export function kindOf(face) {
  return face.replace("0", "5");
}

/** The order in which a hand is sorted. */
export function orderOf(face) {
  return "mpsz".indexOf(face[1]) * 10 + Number(kindOf(face)[0]) - (face[0] === "0" ? 0.5 : 0);
}

function strokes(path, x, y, size, color, width, height = size) {
  return s("path", {
    d: path, fill: "none", stroke: color, "stroke-width": width * (100 / size), "stroke-linejoin": "round",
    "stroke-linecap": "round", transform: `translate(${x} ${y}) scale(${size / 100} ${height / 100})`,
  });
}

function character(number, red) {
  const color = red ? RED : BLACK;
  return [strokes(NUMERALS[number - 1], 14, 6, 32, color, 4.6), strokes(WAN, 14, 43, 32, RED, 3.1)];
}

function circle(x, y, r, color) {
  return [
    s("circle", { cx: x, cy: y, r, fill: color }),
    s("circle", { cx: x, cy: y, r: r * 0.62, fill: "none", stroke: "#fffdf4", "stroke-width": r * 0.2 }),
    s("circle", { cx: x, cy: y, r: r * 0.16, fill: "#fffdf4" }),
  ];
}

function oneCircle() {
  const petals = [...Array(8).keys()].map((n) => {
    const angle = (n * Math.PI) / 4;
    return s("circle", { cx: 30 + 13.5 * Math.cos(angle), cy: 40 + 13.5 * Math.sin(angle), r: 3.2, fill: "#fffdf4" });
  });
  return [
    s("circle", { cx: 30, cy: 40, r: 22, fill: BLUE }), petals,
    s("circle", { cx: 30, cy: 40, r: 8.5, fill: RED }), s("circle", { cx: 30, cy: 40, r: 3, fill: "#fffdf4" }),
  ];
}

// Rows of [x, y, color], and the radius.
const CIRCLES = {
  2: [12.5, [[30, 21, GREEN], [30, 59, BLUE]]],
  3: [11, [[15, 17, BLUE], [30, 40, RED], [45, 63, GREEN]]],
  4: [11, [[17, 21, BLUE], [43, 21, GREEN], [17, 59, GREEN], [43, 59, BLUE]]],
  5: [10, [[15.5, 17, BLUE], [44.5, 17, GREEN], [30, 40, RED], [15.5, 63, GREEN], [44.5, 63, BLUE]]],
  6: [10, [[18, 15, GREEN], [42, 15, GREEN], [18, 42, RED], [42, 42, RED], [18, 65, RED], [42, 65, RED]]],
  7: [8.6, [
    [13, 13, GREEN], [30, 20, GREEN], [47, 27, GREEN], [19, 47, RED], [41, 47, RED], [19, 67, RED], [41, 67, RED],
  ]],
  8: [8.6, [12.5, 31, 49.5, 68].flatMap((y) => [[18.5, y, BLUE], [41.5, y, BLUE]])],
  9: [8.4, [[15, GREEN], [40, RED], [65, BLUE]].flatMap(([y, color]) => [11.5, 30, 48.5].map((x) => [x, y, color]))],
};

function circles(number, red) {
  if (number === 1) return oneCircle();
  const [radius, places] = CIRCLES[number];
  return places.map(([x, y, color]) => circle(x, y, radius, red ? RED : color));
}

function stick(x, y, length, color, turn = 0) {
  const half = length / 2;
  return s("g", { transform: `translate(${x} ${y}) rotate(${turn})` },
    s("rect", { x: -3.6, y: -half, width: 7.2, height: length, rx: 3.4, fill: color }),
    s("path", { d: `M0 ${-half + 3}V-2M0 2V${half - 3}`, stroke: "#fffdf4", "stroke-width": 1.5 }),
  );
}

// Rows of [x, y, length, color, turn].
const THREE = [14, 30, 46];
const STICKS = {
  2: [[30, 22, 30, BLUE], [30, 58, 30, GREEN]],
  3: [[30, 22, 30, BLUE], [17, 58, 30, GREEN], [43, 58, 30, GREEN]],
  4: [[17, 22, 30, BLUE], [43, 22, 30, GREEN], [17, 58, 30, GREEN], [43, 58, 30, BLUE]],
  5: [[13, 21, 28, GREEN], [47, 21, 28, BLUE], [30, 40, 28, RED], [13, 59, 28, BLUE], [47, 59, 28, GREEN]],
  6: THREE.flatMap((x) => [[x, 22, 30, GREEN], [x, 58, 30, BLUE]]),
  7: [[30, 14, 18, RED], ...THREE.flatMap((x) => [[x, 39, 20, GREEN], [x, 64, 20, BLUE]])],
  8: [
    [10, 23, 27, GREEN], [50, 23, 27, GREEN], [23.5, 21, 24, GREEN, 36], [36.5, 21, 24, GREEN, -36],
    [10, 57, 27, BLUE], [50, 57, 27, BLUE], [23.5, 59, 24, BLUE, -36], [36.5, 59, 24, BLUE, 36],
  ],
  9: [[14, GREEN], [30, RED], [46, BLUE]].flatMap(([x, color]) => [15, 40, 65].map((y) => [x, y, 20, color])),
};

function bird() {
  const feathers = [-34, -12, 12, 34].map((turn) =>
    s("path", { d: "M30 50Q25 66 30 74Q35 66 30 50Z", fill: turn % 24 ? GREEN : RED, transform: `rotate(${turn} 30 46)` }));
  return [
    feathers,
    s("path", { d: "M31 18Q19 26 20 40Q22 54 32 54Q45 52 43 38Q41 28 37 25Z", fill: GREEN }),
    s("path", { d: "M27 33Q40 30 41 44Q34 50 28 46Z", fill: BLUE }),
    s("circle", { cx: 33, cy: 16, r: 8, fill: GREEN }),
    s("path", { d: "M27 9 22 3M33 8V1M39 10 44 4", stroke: RED, "stroke-width": 2.4, "stroke-linecap": "round" }),
    s("path", { d: "M40 14 50 18 40 20Z", fill: RED }),
    s("circle", { cx: 35, cy: 14.5, r: 2.2, fill: "#fffdf4" }),
  ];
}

function sticks(number, red) {
  if (number === 1) return bird();
  return STICKS[number].map(([x, y, length, color, turn]) => stick(x, y, length, red ? RED : color, turn));
}

function honor(number) {
  if (number <= 4) return strokes(WINDS[number - 1], 9, 13, 42, BLACK, 5, 54);
  if (number === 5) {
    return [[9, 11, 42, 58, 3.4], [14, 16, 32, 48, 1.4]].map(([x, y, width, height, line]) =>
      s("rect", { x, y, width, height, rx: 2, fill: "none", stroke: BLUE, "stroke-width": line }));
  }
  return number === 6 ? strokes(GREEN_DRAGON, 9, 13, 42, GREEN, 4.4, 54) : strokes(RED_DRAGON, 10, 12, 40, RED, 5.6, 56);
}

function faceOf(face) {
  const number = Number(kindOf(face)[0]);
  const red = face[0] === "0";
  const drawing = { m: character, p: circles, s: sticks, z: honor }[face[1]](number, red);
  const mark = red ? s("circle", { cx: 52.5, cy: 8, r: 4, fill: RED }) : null;
  const numeral = face[1] === "z" ? "ESWNPFC"[number - 1] : String(number);
  return [drawing, mark, s("text", { x: 4, y: 16, class: face[1] === "z" ? "numeral letter" : "numeral", style: NUMERAL }, numeral)];
}

/** All faces and the back as symbols: to be included once in a page. */
export function symbols() {
  const body = (look) => s("rect", { x: 1, y: 1, width: 58, height: 78, rx: 6, class: look });
  const edge = s("rect", { x: 1, y: 1, width: 58, height: 78, rx: 6, class: "tile-edge" });
  const all = FACES.map((face) => s("symbol", { id: `tile-${face}`, viewBox: "0 0 60 80" }, body("tile-face"), faceOf(face)));
  const back = s("symbol", { id: "tile-back", viewBox: "0 0 60 80" }, body("tile-back"), edge);
  return s("svg", { class: "symbols", "aria-hidden": "true", width: 0, height: 0 }, all, back);
}

/**
 * One tile of a given width with its upper left corner at (x, y). Face "" or "?" is the back. Options: `dim` (darker),
 * `faint` (almost invisible), `turned` (on its side: it takes 4/3 of the width, with its bottom on the same line),
 * `mark` (a class for a frame around it).
 */
export function tile(face, x, y, width, options = {}) {
  const height = (width * HEIGHT) / WIDTH;
  const known = face && face !== "?";
  const parts = [s("use", { href: known ? `#tile-${face}` : "#tile-back", width, height })];
  if (options.dim) parts.push(s("rect", { class: "dimmed", x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: width / 10 }));
  if (options.mark) {
    parts.push(s("rect", { class: options.mark, x: 0, y: 0, width, height, rx: width / 9 }));
  }
  const place = options.turned
    ? `translate(${x} ${y + height}) rotate(-90)`
    : `translate(${x} ${y})`;
  return s("g", { transform: place, class: options.faint ? "faint" : null, "data-tile": known ? face : "back" }, parts);
}

/** Tiles as pictures within text, with their names for screen readers. */
export function tilesInline(faces) {
  return h("span", { class: "tiles" }, faces.map((face) => s("svg", { class: "inline-tile", viewBox: "0 0 60 80", role: "img", "aria-label": tileName(face) },
    s("use", { href: `#tile-${face}`, width: 60, height: 80 }))));
}

