// A review on the page: the table, navigation through the game, and the panels.
import { PERSON, iconButton, tellApart } from "suphx/controls.js";
import { decisionPanel, momentPanel, verdict } from "suphx/decision.js";
import { h, show } from "suphx/dom.js";
import { aboutPanel, differencesPanel, gamePanel, largest, placeOf, summaryPanel } from "suphx/game.js";
import { Quiz } from "suphx/quiz.js";
import { tableInWords, tableOf } from "suphx/table.js";
import { Viewer } from "suphx/viewer.js";
import { applySettings, loadSettings } from "suphx/settings.js";
import { moveNamed } from "suphx/spoken.js";
import { list, t, term } from "suphx/words.js";
import { riskOf } from "suphx/worth.js";

const KEYS = [["← →", "steps"], [", .", "decisions"], ["[ ]", "rounds"], ["1–4", "seat"], ["H", "hands"], ["D", "next_difference"], ["Q", "quiz"]];
const TABS = ["summary", "decision", "differences", "game", "about"];

const LEAST_SHOWN = 0.005; // minimum probability of choices other than discards on the table; the panel has all
const MOST_CHOICES = 4;

class ReviewPage extends Viewer {
  constructor(root, review, links, server) {
    const seats = review.seats.map((each) => each.seat);
    super(review.rounds, seats.find((seat) => review.names[seat] === PERSON) ?? seats[0] ?? 0);
    this.review = review;
    this.server = server;
    this.other = null; // the review of the same game by another agent, to compare with
    this.otherAgent = ""; // by whom
    this.noted = new Map(review.notes.map((each) => [`${each.seat} ${each.number}`, each.words]));
    this.names = tellApart(review.names);
    this.shown = { ...review, names: this.names };
    this.tab = TABS[0];
    this.quiz = new Quiz();
    this.filter = { kind: "", round: "" }; // of the largest differences
    this.wayBack = () => this.fromAddress() && this.draw();
    this.relabel = () => {
      document.removeEventListener("keydown", this.keys);
      window.removeEventListener("hashchange", this.wayBack);
      const notes = [...this.noted].map(([key, words]) => ({ seat: Number(key.split(" ")[0]), number: Number(key.split(" ")[1]), words }));
      openReview(root, { ...review, notes }, links, server).takeOver(this);
    };
    this.panel = h("section", { class: "panel", role: "tabpanel", id: "panel", tabindex: "0" });
    this.tabs = h("div", { class: "tabs", role: "tablist", "aria-label": t("review.tabs"), onkeydown: (event) => this.tabKey(event) }, TABS.map((name) =>
      h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "panel", onclick: (event) => this.press(event, name) }, t(`review.tab_${name}`))));
    this.build(root, {
      look: "", keys: KEYS, own: [["open", "H"], ["quiz", "Q"]], controls: this.comparison(), links: links(), right: [this.tabs, this.panel],
      before: [iconButton("decision-before", t("page.decision_before"), () => this.toDecision(-1)), iconButton("step-before", t("page.step_before", { key: "←" }), () => this.step(-1))],
      after: [iconButton("step-after", t("page.step_after", { key: "→" }), () => this.step(1)), iconButton("decision-after", t("page.decision_after"), () => this.toDecision(1))],
    });
    const isAddressed = this.fromAddress();
    if (!isAddressed) this.toDecision(1, { round: 0, frame: -1 });
    this.tab = TABS[isAddressed ? 1 : 0];
    this.remember();
    window.addEventListener("hashchange", this.wayBack);
    this.keep();
  }

  /** Go on as a page of the same review in another language. */
  takeOver({ tab, quiz, filter, other, otherAgent }) {
    Object.assign(this, { quiz, filter, other, otherAgent: other ? otherAgent : "" });
    this.open(tab);
  }

  get seatReview() {
    return this.review.seats.find((each) => each.seat === this.at.seat) || null;
  }

  get decision() {
    const decisions = this.seatReview ? this.seatReview.decisions[this.at.round] : [];
    return decisions.find((each) => each.frame === this.at.frame) || null;
  }

  /** The same decision of the seat in the review by another agent; null if there is none. */
  byOther({ round, frame }) {
    const here = this.other && this.other.seats.find((each) => each.seat === this.at.seat);
    return (here && here.decisions[round].find((each) => each.frame === frame)) || null;
  }

  /** Who else can review the game, to compare with: where there is a server. */
  comparison() {
    if (!this.server) return [];
    const select = h("select", { id: "other", "aria-label": t("review.compare"), onchange: async () => {
      const agent = this.otherAgent = select.value;
      this.other = null;
      this.draw();
      if (!agent) return;
      this.live.textContent = t("review.comparing", { agent });
      try {
        const other = await this.server.by(agent);
        if (select.value === agent) this.other = other;
        this.draw();
        this.say();
      } catch (error) {
        this.otherAgent = select.value = "";
        alert(error.message);
      }
    } }, h("option", { value: "" }, t("review.compare")));
    this.server.others().then((agents) => {
      select.append(...agents.map((each) => h("option", { value: each }, t("review.compare_with", { agent: each }))));
      select.value = this.otherAgent;
    }, () => {});
    return [select];
  }

  /** Whether the quiz hides what the agent thinks of this decision. */
  get isHidden() {
    return this.settings.quiz && this.decision !== null && this.quiz.answer(this.at.seat, this.decision) === null;
  }

  // Navigation

  /** Move to the next or previous decision of the seat; if the seat was not reviewed, move by one step. */
  toDecision(by, from = this.at) {
    if (!this.seatReview) {
      this.step(by);
      return;
    }
    const later = (a, b) => a.round - b.round || a.frame - b.frame;
    const all = this.seatReview.decisions.flat();
    const decision = by > 0 ? all.find((each) => later(each, from) > 0) : all.findLast((each) => later(each, from) < 0);
    if (decision) this.move({ round: decision.round, frame: decision.frame });
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
    const all = largest(this.seatReview, this.filter);
    if (!all.length) return;
    const here = all.findIndex((each) => each.round === this.at.round && each.frame === this.at.frame);
    const next = all[(here + 1) % all.length];
    this.tab = TABS[1];
    this.move({ round: next.round, frame: next.frame });
  }

  /** Take the seat and the place in the game from the address; return whether it contains a valid place. */
  fromAddress() {
    const seat = /^#seat=([0-3])\b/.exec(location.hash);
    if (seat) this.at.seat = Number(seat[1]);
    const at = this.addressed;
    if (!at || !this.frames[at.round] || !this.frames[at.round][at.frame]) return false;
    this.at = at;
    return true;
  }

  /** Keep the place in the address; of the summary, the seat alone. */
  remember() {
    if (this.tab === TABS[0]) history.replaceState(null, "", `#seat=${this.at.seat}`);
    else super.remember();
  }

  /** Move, and leave the summary, which is about no place, for what is at this one. */
  move(to) {
    if (this.tab === TABS[0] && (to.round !== undefined || to.frame !== undefined)) this.tab = TABS[1];
    super.move(to);
  }

  actions() {
    return { ",": () => this.toDecision(-1), ".": () => this.toDecision(1), d: () => this.toLargest(), h: () => this.set("open", !this.settings.open), q: () => this.set("quiz", !this.settings.quiz) };
  }

  tabKey(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    this.open(TABS[(TABS.indexOf(this.tab) + by + TABS.length) % TABS.length]);
    this.tabs.querySelector("[aria-selected=true]").focus();
  }

  /** Open a tab; after a click the arrows are the game's, not the tabs'. */
  press(event, tab) {
    this.open(tab);
    if (event.detail) this.panel.focus({ preventScroll: true });
  }

  open(tab) {
    this.tab = tab;
    this.draw();
    this.remember();
  }

  // Drawing

  get place() {
    return this.decision ? t("page.decision", { round: super.place, turn: this.decision.turn + 1, kind: term(this.decision.situation) }) : super.place;
  }

  say() {
    const words = this.isHidden ? [t("quiz.question")] : this.decision ? [verdict(this.decision, this.names[this.at.seat])] : this.momentWords();
    this.live.textContent = [this.place, ...words].join(t("page.stop"));
  }

  momentWords() {
    return this.moment.asked.map(([seat, what]) => t("decision.who", { who: this.names[seat], what: moveNamed(what) }));
  }

  draw() {
    this.drawAround();
    const { moment } = this;
    const isEnd = moment.phase === "round over";
    const how = { seat: this.at.seat, open: this.settings.open || isEnd, names: this.names, marks: this.marks(), choices: this.choices() };
    this.table.show((shape) => [tableOf(moment, { ...how, shape }), tableInWords(moment, how)]);
    for (const button of this.tabs.children) {
      const chosen = button.id === `tab-${this.tab}`;
      button.setAttribute("aria-selected", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
    }
    this.panel.setAttribute("aria-labelledby", `tab-${this.tab}`);
    show(this.panel, this.content(moment, isEnd));
    this.panel.closest("main").dataset.tab = this.tab; // a phone shows the summary without the table
  }

  /** The marks to draw at the own tiles: only for the discards of a decision. */
  marks() {
    const decision = this.decision;
    if (!decision || this.isHidden) return new Map();
    return new Map(decision.candidates
      .map((each, n) => [each, n])
      .filter(([each]) => each.type === "discard")
      .map(([each, n]) => [each.tile, {
        probability: each.probability, taken: n === decision.taken, preferred: n === decision.preferred, danger: each.danger.length > 0, risk: riskOf(each),
      }]));
  }

  /** The choices other than discards: all but the least likely, and always those taken and preferred. */
  choices() {
    const decision = this.decision;
    if (!decision || this.isHidden) return [];
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
      this.tab = TABS[1];
      this.move({ round: decision.round, frame: decision.frame });
      this.panel.focus({ preventScroll: true }); // the button that was pressed is gone
    };
    const goToRound = (n) => {
      this.toRound(n);
      this.panel.focus({ preventScroll: true });
    };
    if (this.tab === "summary") return summaryPanel(this.shown, this.seatReview, this.frames, goTo);
    const theirs = (each) => this.byOther(each) && [this.other.agent, this.byOther(each)];
    if (this.tab === "differences") return [this.notedPanel(goTo), differencesPanel(this.shown, this.seatReview, this.filter, goTo, () => this.draw(), theirs)];
    if (this.tab === "game") return gamePanel(this.shown, round, goToRound);
    if (this.tab === "about") return aboutPanel(this.shown);
    const about = { place: this.place, names: this.names, name: this.names[seat], view: moment.seats[seat] };
    if (this.isHidden) return this.quiz.question(this.decision, this.place, (n) => this.answerWith(n));
    if (this.decision) {
      const answer = this.settings.quiz ? this.quiz.verdict(seat, this.seatReview.decisions.flat(), this.decision) : null;
      return [answer, decisionPanel(this.decision, { ...about, other: this.byOther(this.at), otherAgent: this.other && this.other.agent }), this.notePanel(this.decision)];
    }
    const result = isEnd ? this.rounds[round].result : null;
    return momentPanel(moment, { ...about, result, reviewed: this.seatReview !== null });
  }

  /** A click on an own tile answers the quiz with its discard. */
  click(event) {
    const tile = event.target.closest(".own [data-tile]");
    const n = tile && this.isHidden ? this.decision.candidates.findIndex((each) => each.type === "discard" && each.tile === tile.dataset.tile) : -1;
    if (n >= 0) this.answerWith(n);
  }

  /** Answer the quiz: what the agent thinks is shown and told. */
  answerWith(n) {
    this.quiz.choose(this.at.seat, this.decision, n);
    this.draw();
    this.say();
    this.panel.focus({ preventScroll: true }); // the button that was pressed is gone
  }

  /** The note on a decision of the seat: to be written where it can be kept. */
  notePanel(decision) {
    const key = `${this.at.seat} ${decision.number}`;
    const words = this.noted.get(key) || "";
    if (!this.server) return words ? h("p", { class: "note" }, words) : null;
    const status = h("span", { role: "status", class: "quiet" });
    const keep = async (event) => {
      const note = { seat: Number(key.split(" ")[0]), number: decision.number, words: event.target.value.trim() };
      try {
        await this.server.write(note);
        this.noted.set(key, note.words);
        status.textContent = ` ${t("review.kept")}`;
      } catch (error) {
        status.textContent = ` ${error.message}`;
      }
    };
    return h("label", { class: "note" }, h("span", {}, t("review.note"), status), h("textarea", { id: "own-note", rows: 2, maxlength: 2000, onchange: keep }, words));
  }

  /** The decisions of the seat that have notes. */
  notedPanel(goTo) {
    const noted = this.seatReview ? this.seatReview.decisions.flat().filter((each) => this.noted.get(`${this.at.seat} ${each.number}`)) : [];
    if (!noted.length) return null;
    return [h("h3", {}, t("review.notes")), h("ul", { class: "notes-list" }, noted.map((each) => h("li", {},
      h("button", { type: "button", class: "link", onclick: () => goTo(each) }, placeOf(this.shown, each)), ` ${this.noted.get(`${this.at.seat} ${each.number}`)}`))),
      h("h3", {}, t("review.largest"))];
  }
}

/** Show a review in an element, and return its page, with `links()` beside it. `server`: keeps notes (`write`) and asks others (`others`, `by`); a saved page has none. */
export function openReview(root, review, links = () => [], server = null) {
  applySettings(loadSettings());
  document.title = t("review.title", { source: review.names.filter(Boolean).length && !server ? list(review.names.filter(Boolean)) : review.source });
  return new ReviewPage(root, review, links, server);
}
