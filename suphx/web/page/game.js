// The lists about a whole game: largest differences, the curve of Phi, results, rates.
import { danChart, phiChart } from "suphx/chart.js";
import { explained, selectOf } from "suphx/controls.js";
import { candidateShort, decisionPicture } from "suphx/decision.js";
import { h } from "suphx/dom.js";
import { kindOf, tilesInline } from "suphx/tiles.js";
import { number, percent, rich, roundName, signed, t, term, translate } from "suphx/words.js";
import { lostFigures } from "suphx/worth.js";

const SHOWN = 40;

const MISTAKES = "mistake"; // the kind of all decisions that are marked as one

const isOfKind = (each, kind) => !kind || (kind === MISTAKES ? Boolean(each.mistake) : kindOfDecision(each) === kind);

/** The decisions of a seat that differ from the agent's, in order of decreasing importance: all, or those of a kind or a round. */
export function largest(seat, { kind, round } = { kind: "", round: "" }) {
  return seat.decisions.flat()
    .filter((each) => !each.agrees && each.difference > 0 && isOfKind(each, kind) && (round === "" || each.round === Number(round)))
    .sort((a, b) => b.difference - a.difference);
}

/** A candidate with its probability. */
const chosen = (candidate) => [candidateShort(candidate), h("span", { class: "quiet" }, ` ${percent(candidate.probability)}`)];

/** Where a decision stands in the game. */
export function placeOf(review, decision) {
  const round = review.rounds[decision.round];
  return t("page.turn", { round: roundName(round.name, round.repeat_counter), turn: decision.turn + 1 });
}

const WORST = 5;

const SURE = 1.96; // standard deviations within which 95 % lie

/** What a seat was dealt and drew, beside what was to be expected. */
function luckShown(luck) {
  const line = (name, value, expected, spread, digits) => {
    const [low, high] = [expected - SURE * spread, expected + SURE * spread].map((each) => Math.max(0, each).toFixed(digits));
    return h("li", {}, rich(`review.luck_${name}`, { value: h("b", {}, value), expected: expected.toFixed(digits), low, high, draws: luck.draws, rounds: luck.rounds }));
  };
  return [h("h3", {}, t("review.luck")), h("ul", { class: "luck" },
    line("dealt", luck.dealt.toFixed(2), luck.dealt_expected, luck.dealt_spread, 2), line("draws", String(luck.helped), luck.helped_expected, luck.helped_spread, 1)), explained("luck")];
}

/** A rating beside those of players of each dan, where they are known. */
function dansShown(dans, rating) {
  if (!dans || !dans.length) return null;
  const deviation = Math.sqrt(dans.reduce((sum, each) => sum + each.players * each.deviation ** 2, 0) / dans.reduce((sum, each) => sum + each.players, 0));
  return [h("h3", {}, t("review.dans")), danChart(dans, rating), h("p", { class: "quiet" }, t("review.dans_means", { deviation: deviation.toFixed(1) }))];
}

const KINDS = ["efficiency", "push", "fold", "riichi", "call", "kong", "win", "nine terminals"];

/** The kind of a decision as players speak of it: discards are told apart by whether another seat is in riichi, and by what the agent does then. */
function kindOfDecision({ situation, against_riichi, safety, candidates, preferred }) {
  if (situation !== "discard") return situation;
  if (!against_riichi) return "efficiency";
  const { tile, shanten } = candidates[preferred];
  const isSafe = safety.every(({ riichi, safe }) => !riichi || safe.includes(kindOf(tile)));
  return isSafe && shanten > 0 ? "fold" : "push";
}

/** What a seat's review comes to: its figures, the largest differences as pictures of the hand, and kinds of decisions. */
export function summaryPanel(review, seat, frames, go) {
  if (!seat) return h("p", { class: "quiet" }, t("review.not_reviewed"));
  const figure = (value, word, meaning, more) => h("div", { class: "figure" }, h("b", {}, value), h("span", {}, word), h("small", { class: "quiet" }, meaning), more);
  const worst = largest(seat).slice(0, WORST);
  const picture = (each) => {
    const view = frames[each.round][each.frame].seats[seat.seat];
    return h("li", {}, h("button", { type: "button", class: "worst", onclick: () => go(each) },
      h("span", { class: "place" }, rich("decision.who", { who: placeOf(review, each), what: term(each.situation) })), decisionPicture(view, each)));
  };
  const all = seat.decisions.flat();
  const kinds = KINDS.map((name) => [name, all.filter((each) => kindOfDecision(each) === name)]).filter(([, those]) => those.length);
  const agreed = (those) => those.filter((each) => each.agrees).length;
  return h("div", { class: "summary" },
    h("h3", {}, review.names[seat.seat]),
    h("div", { class: "figures" },
      figure(seat.rating === null ? "–" : seat.rating.toFixed(1), t("review.rating"), t("review.rating_means"), explained("rating")),
      figure(seat.count ? percent(seat.agreed / seat.count) : "–", t("review.agreement"), t("review.of_decisions", { agreed: seat.agreed, count: seat.count }), explained("agreement")),
      lostFigures(seat).map((each) => figure(...each))),
    seat.rating === null ? null : dansShown(review.dans, seat.rating),
    seat.luck ? luckShown(seat.luck) : null,
    h("h3", {}, t("review.largest")),
    explained("difference"),
    worst.length ? h("ol", {}, worst.map(picture)) : h("p", {}, t("review.no_differences")),
    h("div", { class: "scroll", tabindex: "0" }, h("table", {}, h("caption", {}, t("review.by_kind")),
      h("thead", {}, h("tr", {}, ["kind", "agreement_column", "differences"].map((name) => h("th", { scope: "col" }, t(`review.${name}`))))),
      h("tbody", {}, kinds.map(([name, those]) => h("tr", {}, h("th", { scope: "row" }, term(name)),
        h("td", { class: "count" }, percent(agreed(those) / those.length), h("small", {}, `${agreed(those)}/${those.length}`)),
        h("td", { class: "count" }, those.reduce((sum, each) => sum + each.difference, 0).toFixed(1))))))),
    explained("kinds"));
}

/** Select boxes for the kind and the round of differences; `filter` has what is chosen, `change()` is called when it is another. */
function filters(review, seat, filter, change) {
  const all = largest(seat);
  const kinds = [MISTAKES, ...KINDS].map((name) => [name, all.filter((each) => isOfKind(each, name)).length]).filter(([, count]) => count);
  const select = (name, label, options) => {
    const box = selectOf(`filter-${name}`, label, options, (value) => {
      filter[name] = value;
      change();
      document.getElementById(`filter-${name}`).focus(); // drawn anew
    });
    box.value = filter[name];
    return box;
  };
  return h("div", { class: "filters" },
    select("kind", t("review.kind"), [["", t("review.all_kinds", { count: all.length })], ...kinds.map(([name, count]) => [name, t("review.of_kind", { kind: name === MISTAKES ? t("worth.mistakes") : term(name), count })])]),
    select("round", t("page.round_label"), [["", t("review.all_rounds")], ...review.rounds.map((round, n) => [String(n), roundName(round.name, round.repeat_counter)])]));
}

/**
 * The list of the largest differences, by `filter`; `go(decision)` is called when one is chosen, `change()` when another filter is.
 * `other(decision)`: [name, decision] of another agent that the review is compared with, or null.
 */
export function differencesPanel(review, seat, filter, go, change, other) {
  if (!seat) return h("p", { class: "quiet" }, t("review.not_reviewed"));
  if (!largest(seat).length) return h("p", {}, t("review.no_differences"));
  const all = largest(seat, filter);
  if (!all.length) return [filters(review, seat, filter, change), h("p", {}, t("review.none_of_these"))];
  return [filters(review, seat, filter, change), h("ol", { class: "differences" }, all.slice(0, SHOWN).map((each) => {
    const [taken, preferred] = [each.candidates[each.taken], each.candidates[each.preferred]];
    const theirs = other(each);
    return h("li", {}, h("button", { type: "button", onclick: () => go(each) },
      h("span", { class: "size" }, each.difference.toFixed(2)),
      h("span", { class: "place" }, placeOf(review, each)),
      h("span", { class: "which" }, rich("decision.who", { who: t("decision.played"), what: chosen(taken) })),
      h("span", { class: "which" }, rich("decision.who", { who: t("decision.agent"), what: chosen(preferred) })),
      theirs && h("span", { class: "which theirs" }, rich("decision.who", { who: theirs[0], what: chosen(theirs[1].candidates[theirs[1].preferred]) }))));
  }))];
}

/** How each round ended; `review.scores` is null if the game goes on. `go(round)`: called when one is chosen, or null. */
export function scoresTable(review, go) {
  const how = (result) => result.wins.length
    ? result.wins.map((win) => t("game.win", { name: review.names[win.seat], win: term(win.seat === win.source ? "tsumo" : "ron"), points: number(win.points) })).join(t("table.semicolon"))
    : term(result.how);
  return h("div", { class: "scroll", tabindex: "0" }, h("table", {},
    h("caption", {}, t("game.results")),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("page.round_label")), review.names.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, review.rounds.map((round, n) => h("tr", {},
      h("th", { scope: "row" }, go ? h("button", { type: "button", class: "link", onclick: () => go(n) }, roundName(round.name, round.repeat_counter)) : roundName(round.name, round.repeat_counter),
        h("small", {}, how(round.result))),
      round.result.scores.map((score, seat) => h("td", { class: "count" }, number(score), h("small", {}, signed(round.result.deltas[seat]) || "0")))))),
    review.scores && h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, t(review.ranks ? "game.ranks" : "game.log_ends")),
      review.names.map((_, seat) => h("td", { class: "count" }, review.ranks ? [t("game.rank", { rank: review.ranks[seat] + 1 }), h("small", {}, review.points[seat].toFixed(1))] : number(review.scores[seat])))))));
}

function phiTable(review) {
  return h("details", {}, h("summary", {}, t("game.phi_numbers")), h("div", { class: "scroll", tabindex: "0" }, h("table", {},
    h("caption", {}, translate(review.phi.units)),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("game.after")), review.names.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, review.phi.values.map((values, n) => h("tr", {},
      h("th", { scope: "row" }, n ? roundName(review.rounds[n - 1].name, review.rounds[n - 1].repeat_counter) : t("game.start")),
      values.map((value) => h("td", { class: "count" }, value.toFixed(1)))))))));
}

const GROUPS = ["situation", "turn", "shanten", "riichi"];

function rates(review) {
  const rows = (of) => review.seats.map((seat) => h("td", { class: "count" }, of(seat)));
  const rate = (agreed, decisions) => decisions ? [percent(agreed / decisions), h("small", {}, `${agreed}/${decisions}`)] : "–";
  const kinds = new Map();
  for (const seat of review.seats) for (const each of seat.rates) kinds.set(`${each.group}|${each.name}`, each);
  const groups = [...kinds.values()].sort((a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group));
  return h("div", { class: "scroll", tabindex: "0" }, h("table", {},
    h("caption", {}, t("game.rates")),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "unseen" }, t("game.what"))), review.seats.map((seat) => h("th", { scope: "col" }, review.names[seat.seat])))),
    h("tbody", {},
      h("tr", { class: "total" }, h("th", { scope: "row" }, t("review.rating")), rows((seat) => seat.rating === null ? "–" : seat.rating.toFixed(1))),
      h("tr", { class: "total" }, h("th", { scope: "row" }, t("review.agreement")), rows((seat) => rate(seat.agreed, seat.count))),
      h("tr", {}, h("th", { scope: "row" }, t("game.all_differences")), rows((seat) => seat.difference.toFixed(1))),
      groups.map((kind, n) => [
        n === 0 || groups[n - 1].group !== kind.group ? h("tr", { class: "group" }, h("th", { scope: "colgroup", colspan: review.seats.length + 1 }, t(`game.by_${kind.group}`))) : null,
        h("tr", {}, h("th", { scope: "row" }, term(kind.name)), rows((seat) => {
          const match = seat.rates.find((each) => each.group === kind.group && each.name === kind.name);
          return match ? rate(match.agreed, match.decisions) : "–";
        }))]))));
}

/** Everything about the whole game; `at` is the current round, `go(round)` moves to another. */
export function gamePanel(review, at, go) {
  return h("div", { class: "game" },
    h("h3", {}, t("game.phi")), explained("phi"),
    review.phi
      ? [phiChart(review.phi, review.rounds, review.names, at, go), h("p", { class: "quiet" }, translate(review.phi.units)), phiTable(review)]
      : h("p", { class: "quiet" }, t("game.no_phi")),
    scoresTable(review, go), rates(review),
    review.remarks.length ? h("details", { class: "remarks" }, h("summary", {}, t("game.remarks", { count: review.remarks.length })), h("ul", {}, review.remarks.map((each) => h("li", {}, translate(each))))) : null);
}

const EXPLAINED = ["probability", "agent", "difference", "agreement", "rating", "luck", "phi", "near", "danger", "deals_in", "worth", "mistakes", "kinds"];

/** A short explanation of the numbers. */
export function aboutPanel(review) {
  return h("div", { class: "about" },
    h("p", {}, t("about.by", { agent: review.agent, title: review.title }), " ", t("about.file", { source: review.source })),
    h("dl", {}, EXPLAINED.map((name) => [h("dt", {}, t(`about.${name}`)), h("dd", {}, t(`about.${name}_means`))])));
}
