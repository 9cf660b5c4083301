// A review on the page: the table, navigation through the game, and the panels.
import { act, iconButton, isForElement, showToggles, stepFrom, tellApart } from "suphx/controls.js";
import { decisionPanel, momentPanel, verdict } from "suphx/decision.js";
import { h, show } from "suphx/dom.js";
import { wholeFrames } from "suphx/frames.js";
import { aboutPanel, differencesPanel, gamePanel, largest } from "suphx/game.js";
import { applySettings, loadSettings, saveSettings } from "suphx/settings.js";
import { tableInWords, tableOf } from "suphx/table.js";
import { symbols } from "suphx/tiles.js";
import { roundName, term, useJapanese } from "suphx/words.js";

const TABS = ["Decision", "Differences", "Game", "About"];

const LEAST_SHOWN = 0.005; // minimum probability of choices other than discards on the table; the panel has all
const MOST_CHOICES = 4;

class ReviewPage {
  constructor(root, review, links) {
    this.review = review;
    this.names = tellApart(review.names);
    this.shown = { ...review, names: this.names };
    this.frames = review.rounds.map(wholeFrames);
    this.settings = loadSettings();
    this.tab = TABS[0];
    this.at = { seat: review.seats.length ? review.seats[0].seat : 0, round: 0, frame: 0 };
    this.build(root, links);
    if (!this.fromAddress()) this.toDecision(1, { round: 0, frame: -1 });
    this.keys = (event) => this.key(event);
    document.addEventListener("keydown", this.keys);
    this.back = () => this.fromAddress() && this.draw();
    window.addEventListener("hashchange", this.back);
    this.draw();
  }

  /** Remove the page's event listeners. */
  close() {
    document.removeEventListener("keydown", this.keys);
    window.removeEventListener("hashchange", this.back);
  }

  get seatReview() {
    return this.review.seats.find((each) => each.seat === this.at.seat) || null;
  }

  get decision() {
    const found = this.seatReview ? this.seatReview.decisions[this.at.round] : [];
    return found.find((each) => each.frame === this.at.frame) || null;
  }

  build(root, links) {
    this.table = h("div", { class: "table-place" });
    this.panel = h("section", { class: "panel", role: "tabpanel", id: "panel", tabindex: "0" });
    this.live = h("p", { class: "unseen", "aria-live": "polite", id: "said" });
    this.rounds = h("select", { "aria-label": "Round", id: "round", onchange: () => this.toRound(Number(this.rounds.value)) },
      this.review.rounds.map((_, n) => h("option", { value: n })));
    this.seats = h("div", { class: "seats", role: "group", "aria-label": "Seat" }, this.names.map((name, seat) =>
      h("button", { type: "button", onclick: () => this.sit(seat) }, name)));
    this.tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "What is shown", onkeydown: (event) => this.tabKey(event) }, TABS.map((name) =>
      h("button", { type: "button", role: "tab", id: `tab-${name.toLowerCase()}`, "aria-controls": "panel", onclick: () => this.open(name) }, name)));
    this.where = h("span", { class: "where", id: "where" });
    this.toggles = h("div", { class: "toggles", role: "group", "aria-label": "Settings" });
    const way = h("nav", { class: "way", "aria-label": "Through the game" },
      iconButton("round-before", "Round before ([)", () => this.toRound(this.at.round - 1)),
      iconButton("decision-before", "Decision before (left arrow)", () => this.toDecision(-1)),
      iconButton("step-before", "Step before (,)", () => this.step(-1)), this.where,
      iconButton("step-after", "Step after (.)", () => this.step(1)),
      iconButton("decision-after", "Decision after (right arrow)", () => this.toDecision(1)),
      iconButton("round-after", "Round after (])", () => this.toRound(this.at.round + 1)));
    show(root, symbols(),
      h("header", { class: "top" }, this.seats, this.rounds, h("div", { class: "links" }, links), this.toggles),
      h("main", { class: "review" },
        h("div", { class: "left" }, this.table, way),
        h("div", { class: "right" }, this.tabs, this.panel)), this.live);
  }

  // Navigation

  /** Move by this many steps, across the ends of rounds. */
  step(by) {
    const to = stepFrom(this.frames, this.at, by);
    if (to) this.move(to);
  }

  /** Move to the next or previous decision of the seat; if the seat was not reviewed, move by one step. */
  toDecision(by, from = this.at) {
    if (!this.seatReview) {
      this.step(by);
      return;
    }
    const later = (a, b) => a.round - b.round || a.frame - b.frame;
    const all = this.seatReview.decisions.flat();
    const found = by > 0 ? all.find((each) => later(each, from) > 0) : all.findLast((each) => later(each, from) < 0);
    if (found) this.move({ round: found.round, frame: found.frame });
  }

  /** Go to the beginning of a round; a negative index means the first. */
  toRound(wanted) {
    const round = Math.max(wanted, 0);
    if (!this.frames[round]) return;
    const first = this.seatReview ? this.seatReview.decisions[round][0] : null;
    this.move({ round, frame: first ? first.frame : 0 });
  }

  toLargest() {
    if (!this.seatReview) return;
    const all = largest(this.seatReview);
    if (!all.length) return;
    const here = all.findIndex((each) => each.round === this.at.round && each.frame === this.at.frame);
    const next = all[(here + 1) % all.length];
    this.tab = TABS[0];
    this.move({ round: next.round, frame: next.frame });
  }

  sit(seat) {
    this.move({ seat });
  }

  move(to) {
    this.at = { ...this.at, ...to };
    history.replaceState(null, "", `#seat=${this.at.seat}&round=${this.at.round}&frame=${this.at.frame}`);
    this.draw();
    this.say();
  }

  /** Take the place in the game from the address; return whether it contains a valid one. */
  fromAddress() {
    const said = new URLSearchParams(location.hash.slice(1));
    const [seat, round, frame] = ["seat", "round", "frame"].map((name) => Number.parseInt(said.get(name), 10));
    if (!(seat >= 0 && seat < 4) || !this.frames[round] || !this.frames[round][frame]) return false;
    this.at = { seat, round, frame };
    return true;
  }

  key(event) {
    if (isForElement(event)) return;
    const actions = {
      ArrowLeft: () => this.toDecision(-1), ArrowRight: () => this.toDecision(1), ",": () => this.step(-1), ".": () => this.step(1),
      "[": () => this.toRound(this.at.round - 1), "]": () => this.toRound(this.at.round + 1), d: () => this.toLargest(),
      h: () => this.toggle("open"), j: () => this.toggle("japanese"),
      ...Object.fromEntries([0, 1, 2, 3].map((seat) => [String(seat + 1), () => this.sit(seat)])),
    };
    act(event, actions);
  }

  tabKey(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    this.open(TABS[(TABS.indexOf(this.tab) + by + TABS.length) % TABS.length]);
    this.tabs.querySelector("[aria-selected=true]").focus();
  }

  // Settings

  toggle(name) {
    this.settings[name] = !this.settings[name];
    this.keep();
  }

  keep() {
    saveSettings(this.settings);
    this.draw();
  }

  open(tab) {
    this.tab = tab;
    this.draw();
  }

  // Drawing

  get place() {
    const round = this.review.rounds[this.at.round];
    const name = roundName(round.name, round.repeat_counter);
    return this.decision ? `${name}, turn ${this.decision.turn + 1}, ${term(this.decision.situation)}` : name;
  }

  say() {
    const words = this.decision ? `${this.place}. ${verdict(this.decision, this.names[this.at.seat])}` : this.momentWords();
    this.live.textContent = words;
  }

  momentWords() {
    const frame = this.frames[this.at.round][this.at.frame];
    return [this.place, ...frame.asked.map(([seat, what]) => `${this.names[seat]}: ${what}`)].join(". ");
  }

  draw() {
    useJapanese(this.settings.japanese);
    applySettings(this.settings);
    const { seat, round, frame } = this.at;
    const moment = this.frames[round][frame];
    const isEnd = moment.phase === "round over";
    const how = { seat, open: this.settings.open || isEnd, names: this.names, marks: this.marks(), choices: this.choices() };
    show(this.table, tableOf(moment, how), tableInWords(moment, how));
    this.where.textContent = `${frame + 1} / ${this.frames[round].length}`;
    [...this.rounds.options].forEach((option, n) => {
      const each = this.review.rounds[n];
      option.textContent = roundName(each.name, each.repeat_counter);
      option.selected = n === round;
    });
    [...this.seats.children].forEach((button, n) => button.setAttribute("aria-pressed", String(n === seat)));
    for (const button of this.tabs.children) {
      const chosen = button.textContent === this.tab;
      button.setAttribute("aria-selected", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
    }
    this.panel.setAttribute("aria-labelledby", `tab-${this.tab.toLowerCase()}`);
    this.drawToggles();
    show(this.panel, this.content(moment, isEnd));
  }

  drawToggles() {
    showToggles(this.toggles, this.settings, () => this.keep(), [["open", "All hands", "Hands", "H"]]);
  }

  /** The marks to draw at the own tiles: only for the discards of a decision. */
  marks() {
    const decision = this.decision;
    if (!decision) return new Map();
    return new Map(decision.candidates
      .map((each, n) => [each, n])
      .filter(([each]) => each.type === "discard")
      .map(([each, n]) => [each.tile, {
        probability: each.probability, taken: n === decision.taken, preferred: n === decision.preferred, danger: each.danger.length > 0,
      }]));
  }

  /** The choices other than discards: all but the least likely, and always those taken and preferred. */
  choices() {
    const decision = this.decision;
    if (!decision) return [];
    return decision.candidates
      .map((each, n) => ({ each, taken: n === decision.taken, preferred: n === decision.preferred }))
      .filter(({ each, taken, preferred }) => each.type !== "discard" && (taken || preferred || each.probability >= LEAST_SHOWN))
      .slice(0, MOST_CHOICES)
      .map(({ each, taken, preferred }) => ({
        word: term(each.type), tiles: each.type === "chow" ? each.own : each.type.endsWith("kong") ? [each.tile] : [],
        probability: each.probability, taken, preferred,
      }));
  }

  content(moment, isEnd) {
    const { seat, round } = this.at;
    const goTo = (decision) => {
      this.tab = TABS[0];
      this.move({ round: decision.round, frame: decision.frame });
      this.panel.focus({ preventScroll: true }); // the button that was pressed is gone
    };
    const goToRound = (n) => {
      this.toRound(n);
      this.panel.focus({ preventScroll: true });
    };
    if (this.tab === "Differences") return differencesPanel(this.shown, this.seatReview, goTo);
    if (this.tab === "Game") return gamePanel(this.shown, round, goToRound);
    if (this.tab === "About") return aboutPanel(this.shown);
    const about = { place: this.place, names: this.names, name: this.names[seat], view: moment.seats[seat] };
    if (this.decision) return decisionPanel(this.decision, about);
    const result = isEnd ? this.review.rounds[round].result : null;
    return momentPanel(moment, { ...about, result, reviewed: this.seatReview !== null });
  }
}

/** Show a review in an element, with links beside it; returns the page, which has `close()`. */
export function openReview(root, review, links = []) {
  return new ReviewPage(root, review, links);
}
