// SVG charts: Phi over the course of a game, with one line per seat; ratings by dan.
import { s } from "suphx/dom.js";
import { list, roundName, t, translate, windLetter } from "suphx/words.js";

const WIDE = 440;
const TALL = 270;
const LEFT = 40;
const RIGHT = 92;
const TOP = 12;
const FOOT = 34;
const MARKERS = [
  (x, y) => s("circle", { cx: x, cy: y, r: 4 }),
  (x, y) => s("rect", { x: x - 4, y: y - 4, width: 8, height: 8 }),
  (x, y) => s("path", { d: `M${x - 5} ${y + 4}L${x} ${y - 5}L${x + 5} ${y + 4}Z` }),
  (x, y) => s("path", { d: `M${x - 5} ${y}L${x} ${y - 5.5}L${x + 5} ${y}L${x} ${y + 5.5}Z` }),
];

/** Heights of labels, moved apart so that they do not overlap. */
function apart(heights, least) {
  const order = heights.map((y, n) => [y, n]).sort((a, b) => a[0] - b[0]);
  for (let n = 1; n < order.length; n += 1) order[n][0] = Math.max(order[n][0], order[n - 1][0] + least);
  const over = order[order.length - 1][0] - (TALL - FOOT);
  if (over > 0) {
    order[order.length - 1][0] -= over;
    for (let n = order.length - 2; n >= 0; n -= 1) order[n][0] = Math.min(order[n][0], order[n + 1][0] - least);
  }
  const places = [];
  for (const [y, n] of order) places[n] = y;
  return places;
}

/** The chart. rounds: their names, a last one that the log does not finish is left out; `at`: index of the current round; `go(round)`: called when a round is chosen. */
export function phiChart(phi, rounds, names, at, go) {
  const all = phi.values.flat();
  const most = Math.max(1, ...all.map(Math.abs));
  const step = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500].find((size) => most / size <= 4) || 1000;
  const limit = Math.ceil(most / step) * step;
  const x = (n) => LEFT + (n * (WIDE - LEFT - RIGHT)) / Math.max(1, phi.values.length - 1);
  const y = (value) => TOP + ((limit - value) * (TALL - TOP - FOOT)) / (2 * limit);
  const lines = [];
  for (let value = -limit; value <= limit + 1e-9; value += step) {
    lines.push(s("path", { class: value === 0 ? "axis" : "grid", d: `M${LEFT} ${y(value)}H${WIDE - RIGHT}` }));
    lines.push(s("text", { class: "tick", x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, String(value)));
  }
  const skip = Math.ceil(rounds.length / 8);
  rounds.slice(0, phi.values.length - 1).forEach((round, n) => {
    const band = s("rect", {
      class: n === at ? "band here" : "band", x: x(n), y: TOP, width: x(n + 1) - x(n), height: TALL - TOP - FOOT, onclick: () => go(n),
    }, s("title", {}, roundName(round.name, round.repeat_counter)));
    lines.push(band);
    if (n % skip === 0) {
      lines.push(s("text", { class: "tick", x: (x(n) + x(n + 1)) / 2, y: TALL - 14, "text-anchor": "middle" },
        `${windLetter(round.name.split(" ")[0])}${round.name.split(" ")[1]}`));
    }
  });
  const labels = apart(names.map((_, seat) => y(phi.values[phi.values.length - 1][seat])), 15);
  const curves = names.map((name, seat) => s("g", { class: `line seat-${seat}` },
    s("path", { d: phi.values.map((values, n) => `${n ? "L" : "M"}${x(n).toFixed(1)} ${y(values[seat]).toFixed(1)}`).join("") }),
    phi.values.map((values, n) => MARKERS[seat](x(n), y(values[seat]))),
    s("text", { x: WIDE - RIGHT + 10, y: labels[seat] + 4 }, name.length > 11 ? `${name.slice(0, 10)}…` : name)));
  return s("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${TALL}`, role: "img",
    "aria-label": t("game.chart", { units: translate(phi.units), names: list(names) }) }, lines, curves);
}

const LOW = 170; // height of the chart by dan
const TENHOUI = 11; // what is above 10 dan

const danName = (dan) => t(dan === TENHOUI ? "review.tenhoui" : "review.dan", { dan });

/** The mean rating of players by dan, with 95 % intervals, and a line at the rating of a game; dans: as in `Review.dans`. */
export function danChart(dans, rating) {
  const values = [rating, ...dans.flatMap(({ low, high }) => [low, high])];
  const [least, most] = [Math.floor(Math.min(...values) - 0.5), Math.ceil(Math.max(...values) + 0.5)];
  const step = [1, 2, 5, 10, 20].find((size) => (most - least) / size <= 5) || 25;
  const x = (n) => LEFT + ((n + 0.5) * (WIDE - LEFT - RIGHT)) / dans.length;
  const y = (value) => TOP + ((most - value) * (LOW - TOP - FOOT)) / (most - least);
  const grid = [];
  for (let value = Math.ceil(least / step) * step; value <= most; value += step) {
    grid.push(s("path", { class: "grid", d: `M${LEFT} ${y(value)}H${WIDE - RIGHT}` }), s("text", { class: "tick", x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, String(value)));
  }
  const points = dans.map(({ dan, mean, low, high }, n) => s("g", { class: "of-dan" },
    s("path", { d: `M${x(n)} ${y(low)}V${y(high)}` }), s("circle", { cx: x(n), cy: y(mean), r: 4 }),
    s("text", { class: "tick", x: x(n), y: LOW - 14, "text-anchor": "middle" }, danName(dan))));
  return s("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${LOW}`, role: "img", "aria-label": t("review.dans_chart", { dans: list(dans.map(({ dan, mean }) => `${danName(dan)} ${mean.toFixed(1)}`)) }) },
    grid, s("path", { class: "of-game", d: `M${LEFT} ${y(rating)}H${WIDE - RIGHT}` }),
    s("text", { class: "of-game", x: WIDE - RIGHT + 10, y: y(rating) + 4 }, t("review.this_game")), points);
}
