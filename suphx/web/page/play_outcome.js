// The outcome of a round or a game, laid over the table, and how to go on.
import { decisionPicture } from "suphx/decision.js";
import { h, show } from "suphx/dom.js";
import { finalStanding, roundOutcome } from "suphx/outcome.js";
import { roundName, t, term } from "suphx/words.js";
import { mistakeTag } from "suphx/worth.js";

/** The decisions of the round that cost most. */
function costlyShown(costly) {
  return h("section", { class: "costly" }, h("h3", {}, t("play.costly")),
    costly.length ? h("ol", {}, costly.map(({ hand, drawn, decision }) => h("li", { class: "worst" },
      h("span", { class: "place" }, t("play.costly_turn", { turn: decision.turn + 1, kind: term(decision.situation) })), decisionPicture({ hand, drawn }, decision), h("span", {}, mistakeTag(decision)))))
      : h("p", {}, t("review.no_differences")));
}

export class OutcomePanel {
  /** server: as in PlayPage. next(choice): go on. left(): called when the panel had the focus and disappears. */
  constructor(server, { next, left }) {
    this.server = server;
    this.next = next;
    this.left = left;
    this.looking = false; // whether the panel is folded to look at the table beneath
    this.place = h("section", { class: "outcome", id: "outcome", hidden: true, "aria-labelledby": "outcome-title" });
  }

  /** Show the outcome of a new round, even if the last one was folded. */
  open() {
    this.looking = false;
  }

  /** The button that continues the game, or starts the review, to be focused; or null. */
  get button() {
    return this.place.hidden ? null : this.place.querySelector("#next, #review");
  }

  /** Go on by a key; returns false if there is nothing to continue. */
  press() {
    const button = this.place.querySelector("#next");
    if (!button || button.disabled) return false;
    button.click();
    return true;
  }

  /** state: a PlayState with a position. names: of the seats, for a list. isOver: this is the last round of a finished game. costly: what the coach says of the round, or null. */
  draw(state, names, isOver, costly) {
    const { position, question, busy, status } = state;
    const focused = this.place.contains(document.activeElement) ? document.activeElement.id : null;
    this.place.hidden = !position.result;
    if (!position.result) {
      show(this.place);
      if (focused) this.left();
      return;
    }
    const goOn = question && question.situation === "round over" ? question.choices[0] : null;
    const look = h("button", { type: "button", id: "look", "aria-pressed": String(this.looking), onclick: () => {
      this.looking = !this.looking;
      this.draw(state, names, isOver, costly);
    } }, t(this.looking ? "play.show_result" : "play.look"));
    this.place.classList.toggle("folded", this.looking);
    show(this.place,
      h("div", { class: "outcome-text" }, isOver ? finalStanding(status, names) : null,
        h("h2", { id: "outcome-title", tabindex: "-1" }, roundName(position.name, position.frame.repeat)), roundOutcome(position.result, position.frame, names), costly ? costlyShown(costly) : null),
      h("div", { class: "choices" },
        goOn ? h("button", { type: "button", id: "next", class: "strong", disabled: busy, onclick: () => this.next(goOn) }, t("play.next"), h("kbd", { "aria-hidden": "true" }, "Enter")) : null,
        isOver ? this.afterwards(status.seat) : null, look));
    if (focused) (this.place.querySelector(`#${focused}:enabled`) || this.place.querySelector("#outcome-title")).focus({ preventScroll: true });
  }

  /** The actions for a finished game. */
  afterwards(seat) {
    return [
      h("button", { type: "button", id: "review", class: "strong", onclick: () => this.server.review(seat) }, t("play.review")),
      h("a", { href: this.server.log, download: "", id: "keep" }, t("page.save_mjlog")),
      h("button", { type: "button", id: "again", onclick: () => this.server.again() }, t("play.again")),
    ];
  }
}
