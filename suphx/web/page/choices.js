// Answers other than discards: buttons with their keys.
import { h, show } from "suphx/dom.js";
import { kindOf, tilesInline } from "suphx/tiles.js";
import { percent, t, term, tileNames } from "suphx/words.js";

// The order of the buttons, and the keys that press them.
const KEYS = {
  "tsumo": "W", "ron": "W", riichi: "R", "closed kong": "K", "added kong": "K", "open kong": "K", pong: "P", chow: "C",
  "nine terminals": "N", stop: "E", "next round": "Enter", pass: "X",
};
const LOOKS = { "tsumo": "win", "ron": "win", riichi: "strong", pass: "plain" };
const ORDER = Object.keys(KEYS);

function words(choice, question) {
  if (choice.type === "pass" && question.situation === "stop") return t("play.go_on");
  if (choice.type === "stop") return t("play.end_game");
  return term(choice.type);
}

/** The tiles on a button: for a call all its tiles, with the called one last. */
function tilesOf(choice) {
  if (["riichi", "pass", "stop", "nine terminals", "next round"].includes(choice.type)) return [];
  if (choice.type === "closed kong") return choice.own;
  return [...choice.own, choice.tile];
}

/** Whether a candidate of the agent is a choice; it does not tell red fives from others. */
function isSame(candidate, choice) {
  const kinds = ({ tile, own }) => [...new Set([tile, ...own].map(kindOf))].sort().join();
  return candidate.type === choice.type && kinds(candidate) === kinds(choice);
}

/** The row of buttons; `press(choice)` is called when one is pressed. */
export class ChoiceRow {
  constructor(press) {
    this.press = press;
    this.buttons = [];
    this.place = h("div", { class: "answers", id: "answers", role: "group", "aria-label": t("play.choices"), tabindex: "-1", onkeydown: (event) => this.arrow(event) });
  }

  /** Show the choices of a question (null: none); `armed`: riichi has been chosen, but not yet its discard; `advice`: what the agent thinks, or null. */
  draw(question, { armed, busy, advice }) {
    const choices = question ? question.choices.filter((each) => each.type !== "discard") : [];
    choices.sort((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type));
    this.buttons = choices.map((choice) => {
      const tiles = tilesOf(choice);
      const n = advice ? advice.candidates.findIndex((each) => isSame(each, choice)) : -1;
      const share = n >= 0 ? percent(advice.candidates[n].probability) : "";
      const label = [words(choice, question), tileNames(tiles), share ? t("play.advised", { chance: share }) : ""].filter(Boolean).join(" ");
      const key = KEYS[choice.type];
      const button = h("button", {
        type: "button", class: LOOKS[choice.type] || "call", disabled: busy, "data-type": choice.type, "data-action": choice.action, "data-key": key.toLowerCase(),
        "aria-label": label, "aria-keyshortcuts": key, "aria-pressed": choice.type === "riichi" ? String(armed) : null, onclick: () => this.press(choice),
      }, h("span", {}, words(choice, question)), tiles.length ? tilesInline(tiles) : null, share ? h("span", { class: n === advice.preferred ? "share best" : "share", "aria-hidden": "true" }, share) : null, h("kbd", { "aria-hidden": "true" }, key));
      return button;
    });
    show(this.place, this.buttons);
  }

  /** Press the button of a key; if several have it, focus the next of them. Returns whether there is one. */
  key(name) {
    const matches = this.buttons.filter((button) => button.dataset.key === name && !button.disabled);
    if (matches.length === 1) matches[0].click();
    else if (matches.length) matches[(matches.indexOf(document.activeElement) + 1) % matches.length].focus();
    return matches.length > 0;
  }

  arrow(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || !this.buttons.length) return;
    event.preventDefault();
    const at = this.buttons.indexOf(document.activeElement);
    const next = at < 0 ? (by > 0 ? 0 : this.buttons.length - 1) : (at + by + this.buttons.length) % this.buttons.length;
    this.buttons[next].focus();
  }
}
