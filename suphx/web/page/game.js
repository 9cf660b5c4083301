// The lists about a whole game: largest differences, the curve of Phi, results, rates.
import { phiChart } from "suphx/chart.js";
import { candidateShort } from "suphx/decision.js";
import { h } from "suphx/dom.js";
import { tilesInline } from "suphx/tiles.js";
import { number, percent, roundName, signed, term } from "suphx/words.js";

const SHOWN = 40;

/** The decisions of a seat that differ from the agent's, in order of decreasing importance. */
export function largest(seat) {
  return seat.decisions.flat().filter((each) => !each.agrees && each.difference > 0).sort((a, b) => b.difference - a.difference);
}

/** Where a decision stands in the game. */
export function placeOf(review, decision) {
  const round = review.rounds[decision.round];
  return `${roundName(round.name, round.repeat_counter)}, turn ${decision.turn + 1}`;
}

const WORST = 5;

/** What a seat's review comes to: its figures, the largest differences as pictures of the hand, and kinds of decisions. */
export function summaryPanel(review, seat, frames, go) {
  if (!seat) return h("p", { class: "quiet" }, "The decisions of this seat were not reviewed.");
  const figure = (value, word, meaning) => h("div", { class: "figure" }, h("b", {}, value), h("span", {}, word), h("small", { class: "quiet" }, meaning));
  const worst = largest(seat).slice(0, WORST);
  const picture = (each) => {
    const view = frames[each.round][each.frame].seats[seat.seat];
    const [taken, preferred] = [each.candidates[each.taken], each.candidates[each.preferred]];
    return h("li", {}, h("button", { type: "button", class: "worst", onclick: () => go(each) },
      h("span", { class: "place" }, `${placeOf(review, each)}: ${term(each.situation)}`),
      h("span", { class: "own-hand" }, tilesInline(view.hand), view.drawn ? [" ", tilesInline([view.drawn])] : null),
      h("span", { class: "which" }, "played ", candidateShort(taken), h("span", { class: "quiet" }, ` ${percent(taken.probability)}`),
        ", agent ", candidateShort(preferred), h("span", { class: "quiet" }, ` ${percent(preferred.probability)}`))));
  };
  const kinds = seat.rates.filter((each) => each.group === "situation");
  return h("div", { class: "summary" },
    h("h3", {}, review.names[seat.seat]),
    h("div", { class: "figures" },
      figure(seat.rating === null ? "–" : seat.rating.toFixed(1), "rating", "100: always what the agent does; 50: moves that it makes half as often as its own"),
      figure(seat.count ? percent(seat.agreed / seat.count) : "–", "agreement", `${seat.agreed} of ${seat.count} decisions`)),
    h("h3", {}, "Largest differences"),
    worst.length ? h("ol", {}, worst.map(picture)) : h("p", {}, "None: every decision is the agent's."),
    h("div", { class: "scroll" }, h("table", {}, h("caption", {}, "By kind of decision"),
      h("thead", {}, h("tr", {}, ["Kind", "Agreement", "Differences"].map((word) => h("th", { scope: "col" }, word)))),
      h("tbody", {}, kinds.map((each) => h("tr", {}, h("th", { scope: "row" }, term(each.name)),
        h("td", { class: "count" }, percent(each.agreed / each.decisions), h("small", {}, `${each.agreed}/${each.decisions}`)),
        h("td", { class: "count" }, seat.decisions.flat().filter((one) => one.situation === each.name).reduce((sum, one) => sum + one.difference, 0).toFixed(1))))))));
}

/** The list of the largest differences; `go(decision)` is called when one is chosen. */
export function differencesPanel(review, seat, go) {
  if (!seat) return h("p", { class: "quiet" }, "The decisions of this seat were not reviewed.");
  const all = largest(seat);
  if (!all.length) return h("p", {}, "None: every decision is the agent's.");
  return h("ol", { class: "differences" }, all.slice(0, SHOWN).map((each) => {
    const [taken, preferred] = [each.candidates[each.taken], each.candidates[each.preferred]];
    return h("li", {}, h("button", { type: "button", onclick: () => go(each) },
      h("span", { class: "size" }, each.difference.toFixed(2)),
      h("span", { class: "place" }, placeOf(review, each)),
      h("span", { class: "which" }, "played ", candidateShort(taken), h("span", { class: "quiet" }, ` ${percent(taken.probability)}`)),
      h("span", { class: "which" }, "agent ", candidateShort(preferred), h("span", { class: "quiet" }, ` ${percent(preferred.probability)}`))));
  }));
}

/** How each round ended; `review.scores` is null if the game goes on. `go(round)`: called when one is chosen, or null. */
export function scoresTable(review, go) {
  const how = (result) => result.wins.length
    ? result.wins.map((win) => `${review.names[win.seat]} ${term(win.seat === win.source ? "win by draw" : "win by claim")} ${number(win.points)}`).join("; ")
    : term(result.how);
  return h("div", { class: "scroll" }, h("table", {},
    h("caption", {}, "Results"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, term("round")), review.names.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, review.rounds.map((round, n) => h("tr", {},
      h("th", { scope: "row" }, go ? h("button", { type: "button", class: "link", onclick: () => go(n) }, roundName(round.name, round.repeat_counter)) : roundName(round.name, round.repeat_counter),
        h("small", {}, how(round.result))),
      round.result.scores.map((score, seat) => h("td", { class: "count" }, number(score), h("small", {}, signed(round.result.deltas[seat]) || "0")))))),
    review.scores && h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, review.ranks ? "Rank, final points" : "The log ends here"),
      review.names.map((_, seat) => h("td", { class: "count" }, review.ranks ? [`${review.ranks[seat] + 1}.`, h("small", {}, review.points[seat].toFixed(1))] : number(review.scores[seat])))))));
}

function phiTable(review) {
  return h("details", {}, h("summary", {}, "Phi in numbers"), h("div", { class: "scroll" }, h("table", {},
    h("caption", {}, review.phi.units),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "After"), review.names.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, review.phi.values.map((values, n) => h("tr", {},
      h("th", { scope: "row" }, n ? roundName(review.rounds[n - 1].name, review.rounds[n - 1].repeat_counter) : "the start"),
      values.map((value) => h("td", { class: "count" }, value.toFixed(1)))))))));
}

const GROUPS = { situation: "What it was about", turn: "Turn", shanten: "Hand before", riichi: "Others" };

function rates(review) {
  const rows = (of) => review.seats.map((seat) => h("td", { class: "count" }, of(seat)));
  const rate = (agreed, decisions) => decisions ? [percent(agreed / decisions), h("small", {}, `${agreed}/${decisions}`)] : "–";
  const kinds = new Map();
  for (const seat of review.seats) for (const each of seat.rates) kinds.set(`${each.group}|${each.name}`, each);
  const order = Object.keys(GROUPS);
  const groups = [...kinds.values()].sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group));
  return h("div", { class: "scroll" }, h("table", {},
    h("caption", {}, "Agreement and rating"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "unseen" }, "What")), review.seats.map((seat) => h("th", { scope: "col" }, review.names[seat.seat])))),
    h("tbody", {},
      h("tr", { class: "total" }, h("th", { scope: "row" }, "Rating"), rows((seat) => seat.rating === null ? "–" : seat.rating.toFixed(1))),
      h("tr", { class: "total" }, h("th", { scope: "row" }, "Agreement"), rows((seat) => rate(seat.agreed, seat.count))),
      h("tr", {}, h("th", { scope: "row" }, "Differences, in all"), rows((seat) => seat.difference.toFixed(1))),
      groups.map((kind, n) => [
        n === 0 || groups[n - 1].group !== kind.group ? h("tr", { class: "group" }, h("th", { scope: "colgroup", colspan: review.seats.length + 1 }, GROUPS[kind.group])) : null,
        h("tr", {}, h("th", { scope: "row" }, term(kind.name)), rows((seat) => {
          const found = seat.rates.find((each) => each.group === kind.group && each.name === kind.name);
          return found ? rate(found.agreed, found.decisions) : "–";
        }))]))));
}

/** Everything about the whole game; `at` is the current round, `go(round)` moves to another. */
export function gamePanel(review, at, go) {
  return h("div", { class: "game" },
    h("h3", {}, "Phi: what the game is worth"),
    review.phi
      ? [phiChart(review.phi, review.rounds, review.names, at, go), h("p", { class: "quiet" }, review.phi.units), phiTable(review)]
      : h("p", { class: "quiet" }, "There is no Phi for this game."),
    scoresTable(review, go), rates(review),
    review.remarks.length ? h("details", { class: "remarks" }, h("summary", {}, `Remarks (${review.remarks.length})`), h("ul", {}, review.remarks.map((each) => h("li", {}, each)))) : null);
}

/** A short explanation of the numbers. */
export function aboutPanel(review) {
  const terms = [
    ["Probability", "How likely the agent is to take an action where it draws every answer of its networks by their probability."],
    ["Agent", "What it plays itself: each network's likeliest answer. Its probability is the agent's confidence."],
    ["Difference", "p ln(p / q) with p the probability of what the agent does and q of what was played (at least 0.0001). 0 where both are the same. Large where the agent is sure of something else; at most 9.2."],
    ["Agreement", "Share of decisions in which the seat did what the agent does. Red and plain fives count as the same, and so do a drawn tile and one like it from the hand."],
    ["Rating", "100 times the mean of min(1, q / p) over all decisions."],
    ["Phi", "What the game is worth to a seat by points, dealer and counters, predicted after each round; at the end the prize of its rank."],
    ["Hands near", "Winning hands at most three tiles away: points by ron (in riichi where closed), tiles drawn and given up, and the expected number of ways to draw them in the draws left."],
    ["Red triangle", "The tile is neither safe from a seat in riichi nor suji: it may be won on."],
  ];
  const keys = [["← →", "decision before, after"], [", .", "step before, after"], ["[ ]", "round before, after"], ["0–3", "seat"], ["H", "others' hands"], ["J", "Japanese terms"], ["D", "next largest difference"]];
  return h("div", { class: "about" },
    h("p", {}, `Reviewed by ${review.agent} (${review.title}), which answers as strong players mostly did; it is no judge of right and wrong. `, `File: ${review.source}.`),
    h("dl", {}, terms.map(([word, meaning]) => [h("dt", {}, word), h("dd", {}, meaning)])),
    h("h3", {}, "Keys"), h("dl", { class: "keys" }, keys.map(([key, meaning]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, meaning)])));
}
