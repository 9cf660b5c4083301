// A game that is watched: the table as the game goes on, navigation through it, and the latest moves.
import { iconButton, latestMoves, selectOf, setIcon, tellApart } from "suphx/controls.js";
import { h, show } from "suphx/dom.js";
import { scoresTable } from "suphx/game.js";
import { roundOutcome } from "suphx/outcome.js";
import { tableInWords, tableOf } from "suphx/table.js";
import { moveNamed, moveShown } from "suphx/spoken.js";
import { t, term, translate } from "suphx/words.js";
import { Viewer, wholeFrames } from "suphx/viewer.js";

const HANDS = ["all", "seat", "none"];
const SPEEDS = [1, 2, 5, 20]; // steps per second
const END_STEPS = 6; // how long the end of a round is shown, in steps
const MOVES = 8; // number of latest moves listed
const REMEMBERED = 1000; // milliseconds between updates of the place in the address during playback
const KEYS = [["Space", "play"], ["← →", "steps"], ["[ ]", "rounds"], ["1–4", "seat"], ["H", "whose_hands"], ["+ −", "speed"]];

/** How a round ended, in words. */
function ended(how) {
  return how === "unfinished" ? t("watch.unfinished") : t("watch.round_over", { how: term(how) });
}

/** A seat's part of a frame with its hand face down. */
function covered(view) {
  return { ...view, hand: view.hand.map(() => "?"), drawn: view.drawn ? "?" : "", waits: [], furiten: false };
}

export class WatchPage extends Viewer {
  /** need(rounds): have the server play until there are this many. end(): the actions for a finished game. */
  constructor(root, status, { need, end, links }) {
    super([], 0);
    this.status = status;
    this.need = need;
    this.end = end;
    if (!HANDS.includes(this.settings.hands)) this.settings.hands = "all";
    if (!SPEEDS.includes(this.settings.speed)) this.settings.speed = 2;
    this.goal = this.addressed; // a place that is not played yet
    if (this.goal) this.at.seat = this.goal.seat;
    this.playing = !this.goal && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.complete = false; // whether the server has sent everything
    this.message = "";
    this.remembered = 0;
    this.drawn = "";
    this.now = h("div", { id: "now" });
    this.before = h("div", { id: "before" });
    this.hands = selectOf("hands", t("watch.hands"), HANDS.map((name) => [name, t(`watch.hands_${name}`)]), (value) => this.set("hands", value));
    this.speed = selectOf("speed", t("watch.speed"), SPEEDS.map((steps) => [steps, t(`watch.speed_${steps}`)]), (value) => this.set("speed", Number(value)));
    this.button = iconButton("play", t("watch.play"), () => this.toggle());
    const about = h("p", { class: "quiet" }, t(status.kind === "live" ? "watch.agents" : "watch.file", { source: translate(status.source) }));
    this.build(root, {
      look: "watch", keys: KEYS, own: [], controls: [this.hands, this.speed], links,
      before: [iconButton("step-before", t("page.step_before", { key: "←" }), () => this.step(-1)), this.button],
      after: iconButton("step-after", t("page.step_after", { key: "→" }), () => this.step(1)),
      right: h("section", { class: "panel", id: "panel", "aria-label": t("page.happened") }, this.now, this.before, about),
    });
    this.keep();
    this.need(this.goal ? this.goal.round + 2 : 1);
  }

  get names() {
    return tellApart(this.status.names);
  }

  get isOver() {
    return this.status.state !== "playing";
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
    return this.isOver && this.frames.length > 0 && this.beside(1) === null;
  }

  schedule() {
    clearTimeout(this.timer);
    if (!this.playing || this.goal || !this.frames.length) return;
    if (this.atEnd) {
      this.playing = false;
      this.draw();
      this.remember();
    } else if (this.beside(1)) {
      const wait = (this.isRoundEnd ? END_STEPS : 1) / this.settings.speed;
      this.timer = setTimeout(() => {
        this.move(this.beside(1));
        this.schedule();
      }, 1000 * wait);
    } // otherwise playback resumes when the next round arrives
  }

  step(by) {
    this.playing = false;
    this.goal = null;
    if (this.frames.length) super.step(by);
    this.draw();
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
    if (this.frames.length) {
      this.need((to.round ?? this.at.round) + 2); // including the next one
      super.move(to);
    } else {
      this.at = { ...this.at, ...to };
      this.draw();
    }
  }

  /** Keep the place in the address: rarely during playback, because browsers limit such updates. */
  remember() {
    if (!this.frames.length || (this.playing && Date.now() - this.remembered < REMEMBERED)) return;
    this.remembered = Date.now();
    super.remember();
  }

  actions() {
    const faster = (by) => this.set("speed", SPEEDS[SPEEDS.indexOf(this.settings.speed) + by] || this.settings.speed);
    return {
      " ": () => this.toggle(), "+": () => faster(1), "-": () => faster(-1),
      h: () => this.set("hands", HANDS[(HANDS.indexOf(this.settings.hands) + 1) % HANDS.length]),
    };
  }

  set(name, value) {
    super.set(name, value);
    this.schedule();
  }

  // Drawing

  /** The latest moves before this moment, the last one first; passes only if all hands are shown. */
  get moves() {
    const before = this.frames[this.at.round].slice(0, this.at.frame).flatMap((frame) => frame.asked);
    return before.filter(([, what]) => what !== "pass" || this.settings.hands === "all").reverse().slice(0, MOVES);
  }

  say() {
    if (this.playing && !this.isRoundEnd) return; // too much for a screen reader
    const [last] = this.moves;
    this.live.textContent = [this.place, last ? t("decision.who", { who: this.names[last[0]], what: moveNamed(last[1]) }) : null,
      this.isRoundEnd ? ended(this.rounds[this.at.round].result.how) : null].filter(Boolean).join(t("page.stop"));
  }

  draw() {
    this.drawAround();
    const { seat, round } = this.at;
    const { names } = this;
    this.hands.value = this.settings.hands;
    this.speed.value = String(this.settings.speed);
    setIcon(this.button, this.playing ? "pause" : "play", t(this.playing ? "watch.pause" : "watch.play"));
    if (this.frames.length) {
      let { moment } = this;
      const how = { seat, open: this.settings.hands === "all" || this.isRoundEnd, names, plain: true };
      if (this.settings.hands === "none" && !this.isRoundEnd) {
        moment = { ...moment, seats: moment.seats.map((view, n) => (n === seat ? covered(view) : view)) };
      }
      this.table.show((shape) => [tableOf(moment, { ...how, shape }), tableInWords(moment, how)]);
    }
    show(this.now, this.happening(names));
    const key = [round, this.frames.length && this.isRoundEnd, this.atEnd, this.status.state].join();
    if (key === this.drawn) return; // unchanged: a button in it may just be pressed
    this.drawn = key;
    show(this.before, this.soFar(names));
  }

  /** What happens at this moment. */
  happening(names) {
    const waits = this.goal || (!this.isOver && (!this.frames.length || !this.beside(1)));
    const error = translate(this.message || this.status.message);
    const words = error || (waits ? t("watch.next_round") : "");
    const note = words ? h("p", { id: "note", class: error ? "error" : "quiet" }, words) : null;
    if (!this.frames.length) return [note];
    return [
      h("h3", {}, this.place), note, this.isRoundEnd ? roundOutcome(this.rounds[this.at.round].result, this.moment, names) : null,
      this.atEnd ? null : latestMoves(this.moves.map(([seat, what]) => [names[seat], moveShown([seat, what])])),
    ];
  }

  /** The results of the game so far, and the actions for it when it is over. */
  soFar(names) {
    if (!this.frames.length) return [];
    const rounds = this.rounds.slice(0, this.at.round + (this.isRoundEnd ? 1 : 0));
    const { scores, ranks, points } = this.atEnd ? this.status : { scores: null, ranks: null, points: null };
    return [
      this.atEnd ? h("p", { id: "end" }, h("b", {}, t(ranks ? "watch.over" : "watch.log_ends"))) : null,
      this.status.state === "over" ? this.end(names) : null,
      rounds.length ? scoresTable({ names, rounds, scores, ranks, points }, (n) => this.toRound(n)) : null,
    ];
  }
}
