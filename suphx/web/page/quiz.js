// A quiz in a review: what the agent thinks of a decision is hidden until somebody has chosen.
import { candidateShort } from "suphx/decision.js";
import { h } from "suphx/dom.js";
import { orderOf } from "suphx/tiles.js";
import { percent, rich, t } from "suphx/words.js";

/** The candidates in an order that says nothing of their probabilities: by what is done, then by tile. */
const inOrder = (candidates) => candidates.map((each, n) => [each, n])
  .sort(([a], [b]) => a.type.localeCompare(b.type) || (a.tile && b.tile ? orderOf(a.tile) - orderOf(b.tile) : 0));

/** What was chosen in a review, by seat and decision. */
export class Quiz {
  constructor() {
    this.answers = new Map();
  }

  answer(seat, decision) {
    return this.answers.get(`${seat} ${decision.number}`) ?? null;
  }

  choose(seat, decision, n) {
    this.answers.set(`${seat} ${decision.number}`, n);
  }

  /** The question; `choose(n)` is called with a candidate's number. */
  question(decision, place, choose) {
    return h("div", { class: "decision" }, h("h3", {}, place), h("p", {}, t("quiz.question")),
      h("ul", { class: "quiz" }, inOrder(decision.candidates).map(([each, n]) => h("li", {}, h("button", { type: "button", onclick: () => choose(n) }, candidateShort(each))))));
  }

  /** What an answer was worth, and how many of a seat's were the agent's. */
  verdict(seat, decisions, decision) {
    const n = this.answer(seat, decision);
    if (n === null) return null;
    const ofSeat = decisions.filter((each) => this.answer(seat, each) !== null);
    const agreed = ofSeat.filter((each) => this.answer(seat, each) === each.preferred).length;
    const what = candidateShort(decision.candidates[n]);
    const words = n === decision.preferred ? rich("quiz.same", { what }) : rich("quiz.other", { what, chance: percent(decision.candidates[n].probability) });
    return h("p", { class: n === decision.preferred ? "verdict agrees" : "verdict differs" }, words, " ", t("quiz.count", { agreed, count: ofSeat.length }));
  }
}
