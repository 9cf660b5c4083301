// A game that is watched: the table as the game goes on, navigation through it, and the latest moves.
import { act, iconButton, isForElement, setIcon, showToggles, stepFrom, tellApart } from "suphx/controls.js";
import { resultText, withTiles } from "suphx/decision.js";
import { h, show } from "suphx/dom.js";
import { wholeFrames } from "suphx/frames.js";
import { scoresTable } from "suphx/game.js";
import { applySettings, loadSettings, saveSettings } from "suphx/settings.js";
import { tableInWords, tableOf } from "suphx/table.js";
import { symbols } from "suphx/tiles.js";
import { roundName, useJapanese } from "suphx/words.js";

const HANDS = { all: "All hands", seat: "One seat's hand", none: "No hands" };
const SPEEDS = { 1: "Slow", 2: "Normal", 5: "Fast", 20: "Very fast" }; // by steps per second
const END_STEPS = 6; // how long the end of a round is shown, in steps
const MOVES = 8; // number of latest moves listed
const REMEMBERED = 1000; // milliseconds between updates of the place in the address during playback
const KEYS = [["Space", "play, pause"], ["← →", "step before, after"], ["[ ]", "round before, after"], ["1–4", "seat"],
  ["H", "whose hands"], ["+ −", "speed"], ["J", "Japanese terms"]];

/** A select element with options {value: words}. */
function choice(id, label, options, chosen, change) {
  return h("select", { id, "aria-label": label, onchange: (event) => change(event.target.value) },
    Object.entries(options).map(([value, words]) => h("option", { value, selected: value === String(chosen) }, words)));
}

/** A seat's part of a frame with its hand face down. */
function covered(view) {
  return { ...view, hand: view.hand.map(() => "?"), drawn: view.drawn ? "?" : "", waits: [], furiten: false };
}

export class WatchPage {
  /** need(rounds): have the server play until there are this many. end(): the actions for a finished game. */
  constructor(root, status, { need, end, links }) {
    this.status = status;
    this.need = need;
    this.end = end;
    this.rounds = [];
    this.frames = [];
    this.settings = loadSettings();
    if (!HANDS[this.settings.hands]) this.settings.hands = "all";
    if (!SPEEDS[this.settings.speed]) this.settings.speed = 2;
    this.at = { seat: 0, round: 0, frame: 0 };
    this.goal = this.fromAddress(); // a place that is not played yet
    this.playing = !this.goal && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.complete = false; // whether the server has sent everything
    this.message = "";
    this.remembered = 0;
    this.drawn = "";
    this.build(root, links);
    document.addEventListener("keydown", (event) => this.key(event));
    this.keep();
    this.need(this.goal ? this.goal.round + 2 : 1);
  }

  get names() {
    return tellApart(this.status.names);
  }

  get isOver() {
    return this.status.state !== "playing";
  }

  build(root, links) {
    this.table = h("div", { class: "table-place" });
    this.now = h("div", { id: "now" });
    this.before = h("div", { id: "before" });
    const keys = h("details", {}, h("summary", {}, "Keys"), h("dl", { class: "keys" }, KEYS.map(([key, meaning]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, meaning)])));
    const about = h("p", { class: "quiet" }, `${this.status.kind === "live" ? "Agents" : "File"}: ${this.status.source}`);
    const panel = h("section", { class: "panel", id: "panel", "aria-label": "What has happened" }, this.now, this.before, about, keys);
    this.live = h("p", { class: "unseen", "aria-live": "polite", id: "said" });
    this.select = h("select", { "aria-label": "Round", id: "round", onchange: () => this.toRound(Number(this.select.value)) });
    this.seats = h("div", { class: "seats", role: "group", "aria-label": "Seat" }, [0, 1, 2, 3].map((seat) =>
      h("button", { type: "button", onclick: () => this.move({ seat }) })));
    this.hands = choice("hands", "Whose hands are open", HANDS, this.settings.hands, (value) => this.set("hands", value));
    this.speed = choice("speed", "Speed", SPEEDS, this.settings.speed, (value) => this.set("speed", Number(value)));
    this.where = h("span", { class: "where", id: "where" });
    this.toggles = h("div", { class: "toggles", role: "group", "aria-label": "Settings" });
    this.button = iconButton("play", "Play (space)", () => this.toggle());
    const way = h("nav", { class: "way", "aria-label": "Through the game" },
      iconButton("round-before", "Round before ([)", () => this.toRound(this.at.round - 1)),
      iconButton("step-before", "Step before (left arrow)", () => this.step(-1)), this.button, this.where,
      iconButton("step-after", "Step after (right arrow)", () => this.step(1)),
      iconButton("round-after", "Round after (])", () => this.toRound(this.at.round + 1)));
    show(root, symbols(),
      h("header", { class: "top" }, this.seats, this.select, this.hands, this.speed, h("div", { class: "links" }, links), this.toggles),
      h("main", { class: "review watch" }, h("div", { class: "left" }, this.table, way), h("div", { class: "right" }, panel)), this.live);
  }

  // Updates from the server

  /** Add a round that was played. */
  take(index, round) {
    if (index !== this.rounds.length) return; // already received
    this.message = "";
    this.rounds.push(round);
    this.frames.push(wholeFrames(round));
    const { goal } = this;
    if (goal && index >= goal.round) {
      this.goal = null;
      this.move({ ...goal, frame: Math.min(goal.frame, this.frames[index].length - 1) });
    } else if (index === 0) {
      this.move({});
    } else {
      this.draw();
    }
    this.schedule();
  }

  /** Take the status of the game from the server. */
  hear(status) {
    this.message = "";
    this.status = status;
    if (this.isOver && this.goal) {
      this.goal = null; // there is no such round
      if (this.rounds.length) this.move({ round: this.rounds.length - 1, frame: this.frames.at(-1).length - 1 });
    }
    this.draw();
    this.schedule();
  }

  /** Show what went wrong. */
  fail(message) {
    this.message = message;
    this.goal = null;
    this.draw();
    this.live.textContent = message;
  }

  // Playback

  toggle() {
    this.playing = !this.playing;
    if (this.playing && this.atEnd) this.move({ round: 0, frame: 0 });
    this.draw();
    this.remember();
    this.schedule();
  }

  /** Whether this is the very end of a finished game. */
  get atEnd() {
    return this.isOver && this.frames.length > 0 && stepFrom(this.frames, this.at, 1) === null;
  }

  schedule() {
    clearTimeout(this.timer);
    if (!this.playing || this.goal || !this.frames.length) return;
    if (this.atEnd) {
      this.playing = false;
      this.draw();
      this.remember();
    } else if (stepFrom(this.frames, this.at, 1)) {
      const wait = (this.isRoundEnd ? END_STEPS : 1) / this.settings.speed;
      this.timer = setTimeout(() => {
        this.move(stepFrom(this.frames, this.at, 1));
        this.schedule();
      }, 1000 * wait);
    } // otherwise playback resumes when the next round arrives
  }

  get isRoundEnd() {
    return this.at.frame === this.frames[this.at.round].length - 1;
  }

  step(by) {
    this.playing = false;
    this.goal = null;
    const to = this.frames.length ? stepFrom(this.frames, this.at, by) : null;
    if (to) this.move(to);
    else this.draw();
    this.schedule();
  }

  /** Go to the beginning of a round; a negative index means the first. */
  toRound(wanted) {
    const round = Math.max(wanted, 0);
    if (this.frames[round]) {
      this.goal = null;
      this.move({ round, frame: 0 });
    } else if (!this.isOver) {
      this.goal = { round, frame: 0 };
      this.need(round + 2);
      this.draw();
    }
    this.schedule();
  }

  move(to) {
    this.at = { ...this.at, ...to };
    if (!this.frames.length) return;
    this.need(this.at.round + 2); // including the next one
    this.draw();
    this.remember();
    this.say();
  }

  // The place in the address: updated rarely during playback, because browsers limit such updates

  remember() {
    if (!this.frames.length || (this.playing && Date.now() - this.remembered < REMEMBERED)) return;
    this.remembered = Date.now();
    history.replaceState(null, "", `#seat=${this.at.seat}&round=${this.at.round}&frame=${this.at.frame}`);
  }

  fromAddress() {
    const said = new URLSearchParams(location.hash.slice(1));
    const [seat, round, frame] = ["seat", "round", "frame"].map((name) => Number.parseInt(said.get(name), 10));
    if (!(seat >= 0 && seat < 4 && round >= 0 && round < 1000 && frame >= 0)) return null;
    this.at.seat = seat;
    return { round, frame };
  }

  key(event) {
    if (isForElement(event)) return;
    const speeds = Object.keys(SPEEDS).map(Number);
    const faster = (by) => this.set("speed", speeds[speeds.indexOf(this.settings.speed) + by] || this.settings.speed);
    const hands = Object.keys(HANDS);
    act(event, {
      " ": () => this.toggle(), ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1), ",": () => this.step(-1), ".": () => this.step(1),
      "[": () => this.toRound(this.at.round - 1), "]": () => this.toRound(this.at.round + 1), "+": () => faster(1), "-": () => faster(-1),
      h: () => this.set("hands", hands[(hands.indexOf(this.settings.hands) + 1) % hands.length]),
      j: () => this.set("japanese", !this.settings.japanese),
      ...Object.fromEntries([0, 1, 2, 3].map((seat) => [String(seat + 1), () => this.move({ seat })])),
    });
  }

  set(name, value) {
    this.settings[name] = value;
    this.keep();
    this.schedule();
  }

  keep() {
    saveSettings(this.settings);
    showToggles(this.toggles, this.settings, () => this.keep(), []);
    this.draw();
  }

  // Drawing

  get place() {
    const round = this.rounds[this.at.round];
    return roundName(round.name, round.repeat_counter);
  }

  /** The latest moves before this moment, the last one first; passes only if all hands are shown. */
  get moves() {
    const before = this.frames[this.at.round].slice(0, this.at.frame).flatMap((frame) => frame.asked);
    return before.filter(([, what]) => what !== "pass" || this.settings.hands === "all").reverse().slice(0, MOVES);
  }

  say() {
    if (this.playing && !this.isRoundEnd) return; // too much for a screen reader
    const [last] = this.moves;
    this.live.textContent = [this.place, last ? `${this.names[last[0]]}: ${last[1]}` : null,
      this.isRoundEnd ? `${this.rounds[this.at.round].result.how}, the round is over` : null].filter(Boolean).join(". ");
  }

  draw() {
    useJapanese(this.settings.japanese);
    applySettings(this.settings);
    const { seat, round, frame } = this.at;
    const { names } = this;
    [...this.seats.children].forEach((button, n) => {
      button.textContent = names[n];
      button.setAttribute("aria-pressed", String(n === seat));
    });
    this.hands.value = this.settings.hands;
    this.speed.value = String(this.settings.speed);
    setIcon(this.button, this.playing ? "pause" : "play", this.playing ? "Pause (space)" : "Play (space)");
    this.drawRounds();
    if (this.frames.length) {
      let moment = this.frames[round][frame];
      const how = { seat, open: this.settings.hands === "all" || this.isRoundEnd, names, plain: true };
      if (this.settings.hands === "none" && !this.isRoundEnd) {
        moment = { ...moment, seats: moment.seats.map((view, n) => (n === seat ? covered(view) : view)) };
      }
      show(this.table, tableOf(moment, how), tableInWords(moment, how));
      this.where.textContent = `${frame + 1} / ${this.frames[round].length}`;
    }
    show(this.now, this.happening(names));
    const key = [round, this.frames.length && this.isRoundEnd, this.atEnd, this.status.state, this.settings.japanese].join();
    if (key === this.drawn) return; // unchanged: a button in it may just be pressed
    this.drawn = key;
    show(this.before, this.soFar(names));
  }

  drawRounds() {
    while (this.select.options.length < this.rounds.length) this.select.append(h("option", { value: this.select.options.length }));
    [...this.select.options].forEach((option, n) => {
      option.textContent = roundName(this.rounds[n].name, this.rounds[n].repeat_counter);
      option.selected = n === this.at.round;
    });
  }

  /** What happens at this moment. */
  happening(names) {
    const waits = this.goal || (!this.isOver && (!this.frames.length || !stepFrom(this.frames, this.at, 1)));
    const error = this.message || this.status.message;
    const words = error || (waits ? "The next round is being played ..." : "");
    const note = words ? h("p", { id: "note", class: error ? "error" : "quiet" }, words) : null;
    if (!this.frames.length) return [note];
    return [
      h("h3", {}, this.place), note, this.isRoundEnd ? resultText(this.rounds[this.at.round].result, names) : null,
      this.atEnd ? null : [h("h3", {}, "Latest moves"),
        h("ol", { class: "moves" }, this.moves.map(([seat, what]) => h("li", {}, h("b", {}, names[seat]), " ", withTiles(what))))],
    ];
  }

  /** The results of the game so far, and the actions for it when it is over. */
  soFar(names) {
    if (!this.frames.length) return [];
    const rounds = this.rounds.slice(0, this.at.round + (this.isRoundEnd ? 1 : 0));
    const { scores, ranks, points } = this.atEnd ? this.status : { scores: null, ranks: null, points: null };
    return [
      this.atEnd ? h("p", { id: "end" }, h("b", {}, ranks ? "The game is over." : "The log ends here.")) : null,
      this.status.state === "over" ? this.end(names) : null,
      rounds.length ? scoresTable({ names, rounds, scores, ranks, points }, (n) => this.toRound(n)) : null,
    ];
  }
}
