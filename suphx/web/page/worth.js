// What the outlook says: the risk and worth of candidates and positions, and what decisions lost.
import { explained } from "suphx/controls.js";
import { h, s } from "suphx/dom.js";
import { list, number, percent, signed, t } from "suphx/words.js";

const FULL = 0.2; // the chance to deal in at which the bar under a tile is full
const NAMED = 0.005; // a seat is named from this chance on

/** The chance that a discard deals in to anybody; null if nothing is known. */
export function riskOf(candidate) {
  return candidate.deals_in ? 1 - candidate.deals_in.reduce((rest, chance) => rest * (1 - chance), 1) : null;
}

/** How much of the bar under a tile its risk fills, 0 to 1. */
const filled = (risk) => Math.min(1, risk / FULL);

/** The bar under an own tile on the table: `risk` from 0 to 1, at x, y and of a width. */
export function riskBar(risk, x, y, width) {
  const words = t("worth.deals_in", { chance: percent(risk) });
  return s("g", { class: "risk-bar", role: "img", "aria-label": words }, s("title", {}, words),
    s("rect", { class: "room", x, y, width, height: 7, rx: 3 }),
    s("rect", { x, y, width: width * filled(risk), height: 7, rx: 3 }));
}

/** The bar under a tile of the hand that is played. */
export function riskMeter(risk) {
  return h("span", { class: "risk-meter", "aria-hidden": "true" }, h("span", { style: `width:${(100 * filled(risk)).toFixed(1)}%` }));
}

const points = (value) => t("worth.points", { points: signed(value) || "0" });
const place = (value) => t("worth.place", { place: value.toFixed(2) });

/** Whether a candidate has a worth. */
const isValued = (candidate) => candidate.points !== null && candidate.points !== undefined;

/** A candidate's risk and worth as a line. `others`: the names of the other seats, the next one first. */
export function worthLine(candidate, others) {
  if (!isValued(candidate)) return null;
  const parts = [];
  const risk = riskOf(candidate);
  if (risk !== null) {
    const whom = others.map((name, n) => [name, candidate.deals_in[n]]).filter(([, chance]) => chance >= NAMED);
    parts.push([h("span", { class: "deals-in" }, t("worth.deals_in", { chance: percent(risk) })), whom.length ? ` (${list(whom.map(([name, chance]) => `${name} ${percent(chance)}`))})` : null]);
    if (candidate.danger_points >= 1) parts.push(t("worth.costs", { points: number(candidate.danger_points) }));
  }
  parts.push(points(candidate.points), place(candidate.placement));
  return h("span", { class: "at-stake" }, parts.map((part, n) => [n ? " · " : null, part]));
}

/** The class of a mistake and what it lost. */
export function mistakeTag(decision) {
  if (!decision.mistake) return null;
  const { points: cost, low, high } = decision.held_out || {};
  const games = decision.held_out ? h("span", { class: "quiet" }, ` ${t("worth.held_out", { points: number(cost), low: number(low), high: number(high) })}`) : null;
  return [h("b", { class: "tag danger" }, t(`worth.mistake_${decision.mistake}`)), " ", t("worth.lost", { points: number(decision.lost) }), games];
}

/** A decision's outlook and what was lost, above the candidates. */
export function outlookPart(decision) {
  const of = decision.outlook;
  return [
    !of ? null : h("p", { class: "outlook" }, t("worth.before", { win: percent(of.win), deal_in: percent(of.deal_in), points: points(of.points), place: place(of.placement) })),
    decision.mistake ? h("p", { class: "outlook" }, mistakeTag(decision)) : null,
  ];
}

/** What the bars and the line of a candidate mean, below the candidates. */
export function worthLegend(decision) {
  if (decision.outlook) return [h("p", { class: "quiet legend" }, t("worth.legend", { full: percent(FULL) })), explained("deals_in"), explained("worth")];
  return decision.candidates.some(isValued) ? explained("worth") : null;
}

/** Figures of a seat's game for the summary: [value, word, meaning, explanation]. */
export function lostFigures(seat) {
  if (!seat.lost) return [];
  const { points: lost, low, high, mistakes } = seat.lost;
  return [
    [number(lost), t("worth.lost_round"), low === null ? t("worth.against") : t("worth.between", { low: number(low), high: number(high) })],
    [`${mistakes.mistake} · ${mistakes.large}`, t("worth.mistakes"), t("worth.classes"), explained("mistakes")],
  ];
}
