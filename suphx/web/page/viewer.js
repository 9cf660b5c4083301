// What a review and a watched game have in common: the table, the way through rounds and frames, seats, settings, keys.
import { act, iconButton, isForElement, keyHelp, settingsMenu, showToggles } from "suphx/controls.js";
import { h, show } from "suphx/dom.js";
import { applySettings, loadSettings, saveSettings } from "suphx/settings.js";
import { TablePlace } from "suphx/table.js";
import { symbols } from "suphx/tiles.js";
import { roundName, t } from "suphx/words.js";

const NOTCH = 50; // pixels that the wheel turns for a step
const LINE = 20; // pixels in a line, in which some browsers count

/** All frames of a round, whole, out of the first one and the changes (see `suphx.review.frames`); `last` is the seat that discarded last, `name` the round's. */
export function wholeFrames(round) {
  const frames = [];
  let before = null;
  for (const each of round.frames) {
    if (!before) {
      before = { ...each, name: round.name, last: null };
    } else {
      const seats = before.seats.map((seat, n) => ({ ...seat, ...((each.seats || {})[n] || {}) }));
      const grown = seats.findIndex((seat, n) => seat.river.length > before.seats[n].river.length);
      const called = seats.some((seat, n) => seat.melds !== before.seats[n].melds);
      before = { ...before, ...each, seats, last: grown >= 0 ? grown : called ? null : before.last };
    }
    frames.push(before);
  }
  return frames;
}

/** A page with `rounds`; it defines `names`, `draw()`, `say()` and `actions()` (by key), and may replace any way through the game. */
export class Viewer {
  constructor(rounds, seat) {
    this.rounds = rounds;
    this.frames = rounds.map(wholeFrames);
    this.at = { seat, round: 0, frame: 0 };
    this.settings = loadSettings();
    applySettings(this.settings);
    this.table = new TablePlace({ onwheel: (event) => this.roll(event), onclick: (event) => this.click(event) });
    this.rolled = 0; // pixels of the wheel since the last step
    this.live = h("p", { class: "unseen", "aria-live": "polite", id: "status" });
    this.select = h("select", { "aria-label": t("page.round_label"), id: "round", onchange: () => this.toRound(Number(this.select.value)) });
    this.seats = h("div", { class: "seats", role: "group", "aria-label": t("page.seat") }, [0, 1, 2, 3].map((each) =>
      h("button", { type: "button", onclick: () => this.move({ seat: each }) })));
    this.where = h("span", { class: "where", id: "where" });
    this.toggles = h("div", { class: "toggles", role: "group", "aria-label": t("settings.label") });
    this.keys = (event) => this.key(event);
    document.addEventListener("keydown", this.keys);
  }

  /** Put the page together. keys: as in `keyHelp`. own: its toggles. controls: more in the header. before, after: buttons around the place. right: the panels. */
  build(root, { look, keys, own, controls = [], links, before, after, right }) {
    this.own = own;
    const way = h("nav", { class: "way", "aria-label": t("page.way") },
      iconButton("round-before", t("page.round_before"), () => this.toRound(this.at.round - 1)), before, this.where, after,
      iconButton("round-after", t("page.round_after"), () => this.toRound(this.at.round + 1)));
    show(root, symbols(), h("main", { class: `review ${look}` },
      h("div", { class: "top" }, h("h1", { class: "unseen" }, document.title), this.seats, this.select, controls, h("div", { class: "links" }, links), keyHelp(keys), settingsMenu(this.toggles)),
      h("div", { class: "left" }, this.table.place, way),
      h("div", { class: "right" }, h("h2", { class: "unseen" }, t("page.details")), right)), this.live);
  }

  get moment() {
    return this.frames[this.at.round][this.at.frame];
  }

  get isRoundEnd() {
    return this.at.frame === this.frames[this.at.round].length - 1;
  }

  /** The name of the current round. */
  get place() {
    const { name, repeat_counter } = this.rounds[this.at.round];
    return roundName(name, repeat_counter);
  }

  /** The place `by` steps away, across the ends of rounds; null if there is none. */
  beside(by) {
    let { round, frame } = this.at;
    frame += by;
    if (frame < 0 && round > 0) {
      round -= 1;
      frame = this.frames[round].length - 1;
    } else if (frame >= this.frames[round].length && round + 1 < this.frames.length) {
      round += 1;
      frame = 0;
    }
    return this.frames[round][frame] ? { round, frame } : null;
  }

  /** A click on the table. */
  click() {}

  step(by) {
    const to = this.beside(by);
    if (to) this.move(to);
  }

  /** The wheel over the table steps; a touchpad's small movements add up. */
  roll(event) {
    if (event.ctrlKey) return; // the browser's zoom
    event.preventDefault();
    this.rolled += event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE);
    if (Math.abs(this.rolled) < NOTCH) return;
    this.step(Math.sign(this.rolled));
    this.rolled = 0;
  }

  move(to) {
    this.at = { ...this.at, ...to };
    this.draw();
    this.remember();
    this.say();
  }

  remember() {
    history.replaceState(null, "", `#seat=${this.at.seat}&round=${this.at.round}&frame=${this.at.frame}`);
  }

  /** The place in the game that the address names; null if it names none that could be. */
  get addressed() {
    const fields = new URLSearchParams(location.hash.slice(1));
    const [seat, round, frame] = ["seat", "round", "frame"].map((name) => Number.parseInt(fields.get(name), 10));
    return seat >= 0 && seat < 4 && round >= 0 && round < 1000 && frame >= 0 ? { seat, round, frame } : null;
  }

  key(event) {
    if (isForElement(event)) return;
    act(event, {
      ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1),
      "[": () => this.toRound(this.at.round - 1), "]": () => this.toRound(this.at.round + 1),
      ...Object.fromEntries([0, 1, 2, 3].map((seat) => [String(seat + 1), () => this.move({ seat })])), ...this.actions(),
    });
  }

  set(name, value) {
    this.settings[name] = value;
    this.keep();
  }

  keep() {
    saveSettings(this.settings);
    showToggles(this.toggles, this.settings, () => this.keep(), this.own, this.relabel);
    this.draw();
  }

  /** Draw what is around the table. */
  drawAround() {
    applySettings(this.settings);
    const { seat, round, frame } = this.at;
    [...this.seats.children].forEach((button, n) => {
      button.textContent = this.names[n];
      button.setAttribute("aria-pressed", String(n === seat));
    });
    while (this.select.options.length < this.rounds.length) this.select.append(h("option", { value: this.select.options.length }));
    [...this.select.options].forEach((option, n) => {
      option.textContent = roundName(this.rounds[n].name, this.rounds[n].repeat_counter);
      option.selected = n === round;
    });
    if (this.frames.length) this.where.textContent = `${frame + 1} / ${this.frames[round].length}`;
  }
}
