// A game that is played: the table, the own hand, the possible actions, and the game so far. The server decides what happens.
import { ChoiceRow } from "suphx/choices.js";
import { act, isForElement, keyHelp, latestMoves, selectOf, settingsMenu, showToggles } from "suphx/controls.js";
import { advicePanel } from "suphx/decision.js";
import { h, show } from "suphx/dom.js";
import { scoresTable } from "suphx/game.js";
import { Hand } from "suphx/hand.js";
import { OutcomePanel } from "suphx/play_outcome.js";
import { PlayState } from "suphx/play_state.js";
import { applySettings, loadSettings, saveSettings } from "suphx/settings.js";
import { makeSound, soundOf } from "suphx/sound.js";
import { furitenSentence, moveShown, placeSentence, questionSentence, sentence } from "suphx/spoken.js";
import { TablePlace, tableInWords, tableOf } from "suphx/table.js";
import { kindOf, symbols } from "suphx/tiles.js";
import { markFuriten, noteLine } from "suphx/tips.js";
import { roundName, t, term, translate } from "suphx/words.js";
import { riskOf } from "suphx/worth.js";

const NO_ADVICE = { number: 0, decision: null }; // what the coach says of a question; undefined until it does
const MOVES = 12; // number of latest moves listed
const SPOKEN = 12; // number of sentences kept for screen readers to read again
const PACES = ["slow", "normal", "fast", "instant"];
const PLACES = ["", "right", "across", "left"];
const OPTIONS = [["no_calls", "1"], ["win_at_once", "2"], ["discard_drawn", "3"]];
const AIDS = [["help", "H"], ["coach", "A"], ["sound", "S"]]; // settings that belong to a game that is played
const KEYS = [["← → Home End", "along"], ["Enter", "enter"], ["D", "drawn"], ["C P K", "calls"], ["R", "riichi"], ["W", "win"], ["N", "nine_terminals"], ["X", "pass"],
  ["1 2 3", "options"], ["H", "help"], ["A", "coach"], ["S", "sound"]];

export class PlayPage {
  /** server: answer(question, action), choose(options), results(), advice(question), costly(), review(seat), again(), and `log`, an address. */
  constructor(root, status, server) {
    this.server = server;
    this.seat = status.seat;
    this.state = new PlayState(status, {
      answer: server.answer, pace: () => this.settings.pace, shown: (position) => this.next(position), changed: () => this.draw(),
    });
    this.rounds = status.rounds;
    this.moves = [];
    this.pointed = null;
    this.advice = NO_ADVICE;
    this.costly = null; // what it says of the round
    this.settings = loadSettings();
    applySettings(this.settings);
    if (!PACES.includes(this.settings.pace)) this.settings.pace = "normal";
    this.build(root);
    document.addEventListener("keydown", (event) => this.key(event));
    setInterval(() => this.drawClock(), 200);
    this.keep();
  }

  build(root) {
    this.table = new TablePlace();
    this.outcome = new OutcomePanel(this.server, { next: (choice) => this.choose(choice), left: () => this.hand.focus() });
    this.answers = new ChoiceRow((choice) => this.choose(choice));
    this.hand = new Hand({ discard: (choice) => this.state.discard(choice), pointed: (kind) => this.point(kind) });
    this.note = h("p", { class: "tip", id: "tip" });
    this.furiten = h("b", { class: "furiten warned", id: "furiten" });
    this.clock = h("span", { class: "clock", id: "clock", role: "timer", "aria-label": t("play.time_left") });
    this.options = h("div", { class: "options", role: "group", "aria-label": t("play.options") }, [
      ...OPTIONS.map(([name, key]) => h("button", { type: "button", "data-option": name, title: t("settings.by_key", { name: t(`play.${name}`), key }), onclick: () => this.switchOption(name) }, t(`play.${name}`))),
      ...AIDS.map(([name, key]) => h("button", { type: "button", "data-setting": name, title: t("settings.by_key", { name: t(`settings.${name}`), key }), onclick: () => this.set(name, !this.settings[name]) }, t(`settings.${name}`))),
    ]);
    this.message = h("p", { class: "error", id: "note", role: "status" });
    this.own = h("div", { class: "own-place" }, this.message, h("div", { class: "tips" }, this.furiten, this.note, this.clock), this.answers.place, this.options);
    this.coach = h("div", { id: "coach" });
    this.now = h("div", { id: "now" });
    this.before = h("div", { id: "before" });
    const { source, pace, length, seed } = this.state.status;
    const about = h("p", { class: "quiet" }, t("play.about", { source: translate(source), length: t(`play.${length}`), clock: pace ? t("play.clock", pace) : t("play.no_clock") }));
    this.spoken = h("div", { class: "unseen", id: "status", role: "log", "aria-live": "polite" });
    this.toggles = h("div", { class: "toggles", role: "group", "aria-label": t("settings.label") });
    this.pace = selectOf("pace", t("play.pace"), PACES.map((name) => [name, t(`play.pace_${name}`)]), (value) => this.set("pace", value));
    this.place = h("h1", { class: "place", id: "place", "data-seed": seed });
    show(root, symbols(), h("main", { class: "review play" },
      h("div", { class: "top" }, this.place, h("div", { class: "links" }, h("a", { href: "/", id: "another" }, t("play.leave"))), keyHelp(KEYS), settingsMenu(this.pace, this.toggles)),
      h("div", { class: "left" }, this.table.place, this.hand.place), this.own,
      h("div", { class: "right" }, h("section", { class: "panel", "aria-label": t("page.happened") }, this.coach, this.now, this.before, about)), this.outcome.place), this.spoken);
  }

  // Updates from the server

  take(position) {
    this.state.take(position);
  }

  setClock(left) {
    this.state.setClock(left);
    this.drawClock();
  }

  setOptions(options) {
    this.state.options = options;
    this.draw();
  }

  setAway(away) {
    this.state.away = away;
    this.draw();
  }

  end(status) {
    this.state.status = status;
    this.rounds = status.rounds;
    this.draw();
    this.attend();
  }

  fail(message) {
    this.state.message = message;
    this.draw();
  }

  /** Called when a position is to be shown. */
  next(position) {
    const { before } = this.state;
    const isNewRound = !before || before.frame.round !== position.frame.round || before.frame.repeat !== position.frame.repeat || (before.result && !position.result);
    if (isNewRound) {
      this.moves = [];
      this.costly = null;
    }
    this.moves.push(...position.moves.map((move) => [this.windOf(position, move[0]), move]));
    const sound = this.settings.sound && before ? soundOf(position.moves) : null;
    if (sound) makeSound(sound);
    this.speak(position, isNewRound);
    if (position.result && !(before && before.result)) {
      this.outcome.open();
      this.server.results().then((rounds) => {
        this.rounds = rounds;
        this.draw();
      }, (error) => this.fail(error.message));
    }
    this.draw();
    this.consult();
    if (position.question || this.isOver) this.attend();
  }

  /** Ask the coach, if it is wanted, about the question, or about the round that is over. */
  async consult() {
    const { position, question } = this.state;
    if (!this.settings.coach || !position) return;
    const number = question ? question.number : 0;
    if (number && number === this.advice.number) return; // asked already
    try {
      if (position.result) {
        this.costly = await this.server.costly();
      } else if (number) {
        this.advice = { number, decision: undefined };
        this.draw();
        const decision = await this.server.advice(number);
        if (this.advice.number === number) this.advice = { number, decision };
      }
      this.draw();
    } catch (error) {
      this.advice = NO_ADVICE;
      this.fail(error.message);
    }
  }

  // Answers

  choose(choice) {
    if (choice.type === "riichi") this.state.arm(!this.state.armed);
    else this.state.answer(choice.action);
    if (this.state.armed) this.hand.focus();
  }

  async switchOption(name) {
    const options = { ...this.state.options, [name]: !this.state.options[name] };
    try {
      await this.server.choose(options);
    } catch (error) {
      this.fail(error.message);
    }
  }

  discardDrawn() {
    const { question } = this.state;
    const drawn = question && question.choices.find((each) => each.drawn);
    if (drawn) this.state.discard(drawn);
  }

  key(event) {
    if (isForElement(event) || event.repeat) return;
    const name = event.key.toLowerCase();
    if (name === "enter" && event.target instanceof Element && event.target.closest("button, a, summary")) return;
    if (this.answers.key(name) || (name === "enter" && this.outcome.press())) {
      event.preventDefault();
      return;
    }
    const along = () => this.isOwn(document.activeElement) || this.hand.focus();
    act(event, {
      d: () => this.discardDrawn(), Escape: () => this.state.arm(false), ...Object.fromEntries(AIDS.map(([name, key]) => [key.toLowerCase(), () => this.set(name, !this.settings[name])])),
      ArrowLeft: along, ArrowRight: along, Home: along, End: along,
      ...Object.fromEntries(OPTIONS.map(([option, key]) => [key, () => this.switchOption(option)])),
    });
  }

  set(name, value) {
    this.settings[name] = value;
    this.keep();
  }

  keep() {
    saveSettings(this.settings);
    this.consult();
    showToggles(this.toggles, this.settings, () => this.keep(), []);
    this.draw();
  }

  // Announcements for screen readers, and the focus

  windOf(position, seat) {
    return seat === null ? "" : seat === this.seat ? t("page.you") : term(position.frame.seats[seat].wind);
  }

  speak(position, isNewRound) {
    const heard = position.moves.filter(([seat, words]) => seat !== this.seat || words.startsWith("win")).map((move) => sentence(move, this.windOf(position, move[0])));
    const all = [isNewRound ? placeSentence(position) : null, ...heard, questionSentence(position, this.seat), furitenSentence(this.state)].filter(Boolean);
    if (!all.length) return;
    this.spoken.append(h("p", {}, all.join(" ")));
    while (this.spoken.children.length > SPOKEN) this.spoken.firstChild.remove();
  }

  /** Whether an element is of the own hand, or of the answers beside it. */
  isOwn(element) {
    return this.hand.place.contains(element) || this.own.contains(element);
  }

  /** Move the focus to the question, unless the user has put it somewhere else. */
  attend() {
    const at = document.activeElement;
    if (at && at !== document.body && !this.isOwn(at) && !this.outcome.place.contains(at)) return;
    if (this.options.contains(at)) return;
    const { button } = this.outcome;
    const { question } = this.state;
    if (button) button.focus({ preventScroll: true });
    else if (question && question.choices.some((each) => each.type === "discard")) this.hand.focus();
    else if (question) this.answers.place.focus({ preventScroll: true });
  }

  get isOver() {
    return this.state.status.state === "over" && this.state.isLast;
  }

  /** What the coach says of the question that is asked; null if it says nothing, or is not wanted, undefined if it is still to be heard. */
  get advised() {
    const { question } = this.state;
    return this.settings.coach && question && this.advice.number === question.number ? this.advice.decision : null;
  }

  // Drawing

  /** Names of the seats at the table, with their winds; `fixed`: with their places, for lists over several rounds. */
  names(position, fixed) {
    return this.state.status.names.map((name, seat) => {
      if (seat === this.seat) return t("page.you");
      return fixed ? t(`play.name_${PLACES[(seat - this.seat + 4) % 4]}`, { name }) : `${term(position.frame.seats[seat].wind)} · ${name}`;
    });
  }

  draw() {
    applySettings(this.settings);
    this.pace.value = this.settings.pace;
    for (const button of this.options.children) {
      const { option, setting } = button.dataset;
      button.setAttribute("aria-pressed", String(option ? this.state.options[option] : this.settings[setting]));
    }
    const words = translate(this.state.message || this.state.status.message) || (this.state.away ? t("play.away") : this.state.position ? "" : t("play.dealing"));
    if (this.message.textContent !== words) this.message.textContent = words;
    const { position } = this.state;
    if (!position) {
      this.place.textContent = t("opening.play");
      return;
    }
    const frame = { ...position.frame, name: position.name, last: position.last };
    this.place.textContent = roundName(position.name, frame.repeat);
    const names = this.names(position, false);
    const how = { seat: this.seat, open: Boolean(position.result), names };
    this.table.show((shape) => [tableOf(frame, { ...how, hand: false, shape }), tableInWords(frame, { ...how, open: true })]);
    this.drawOwn(position);
    this.outcome.draw(this.state, this.names(position, true), this.isOver, this.settings.coach ? this.costly : null);
    const { advised } = this;
    const advice = advised ? advicePanel(advised, { names, view: frame.seats[this.seat] }) : h("p", { class: "quiet" }, t("page.waiting"));
    show(this.coach, advised === null ? null : [h("h2", {}, t("play.coach")), advice]);
    show(this.now, latestMoves(this.moves.slice(-MOVES).reverse().map(([who, move]) => [who, moveShown(move)])));
    show(this.before, this.rounds.length ? scoresTable({ names: this.names(position, true), rounds: this.rounds, scores: null }, null) : null);
  }

  drawOwn(position) {
    const view = position.frame.seats[this.seat];
    const { question, armed, busy } = this.state;
    const advice = this.advised;
    const had = this.answers.place.contains(document.activeElement);
    this.answers.draw(question && question.situation !== "round over" ? question : null, { armed, busy, advice });
    this.hand.draw({
      hand: view.hand, drawn: view.drawn, melds: view.melds, question, busy, riichi: armed ? question.riichi : null,
      dora: position.frame.dora, forbidden: question ? question.forbidden : [],
      advised: new Map((advice ? advice.candidates : []).flatMap((each, n) => (each.type === "discard" ? [[kindOf(each.tile), { probability: each.probability, best: n === advice.preferred, risk: riskOf(each) }]] : []))),
    });
    if (had && !this.answers.place.contains(document.activeElement)) this.hand.focus();
    this.own.classList.toggle("asked", Boolean(question) && !busy);
    markFuriten(this.furiten, position.own);
    this.drawNote();
    this.drawClock();
  }

  point(kind) {
    if (kind === this.pointed) return;
    this.pointed = kind;
    this.drawNote();
  }

  drawNote() {
    const { position, question, armed } = this.state;
    if (position) show(this.note, noteLine(position, question, { pointed: this.pointed, help: this.settings.help, armed }));
  }

  drawClock() {
    const left = this.state.timeLeft();
    const words = left ? `${Math.ceil(left.decision)} + ${Math.ceil(left.reserve)}` : "";
    if (this.clock.textContent !== words) this.clock.textContent = words;
    this.clock.classList.toggle("late", Boolean(left) && left.decision <= 0);
  }
}
