// The own hand as buttons for mouse, touch and keyboard.
import { h, s, show } from "suphx/dom.js";
import { meldsBesideHand } from "suphx/table.js";
import { kindOf } from "suphx/tiles.js";
import { list, percent, t, term, tileName } from "suphx/words.js";
import { riskMeter } from "suphx/worth.js";

/** The choice that discards a tile of the hand; null if it may not be discarded. */
function choiceFor(question, face, drawn) {
  if (!question) return null;
  return question.choices.find((each) => each.type === "discard" && each.tile === face && each.drawn === drawn) || null;
}

const LEAST_SHOWN = 0.01; // the least probability that stands below a tile; the panel has all

export class Hand {
  /** discard(choice, face): called when a tile is chosen. pointed(kind or null): called when one is pointed at. */
  constructor({ discard, pointed }) {
    this.discard = discard;
    this.pointed = pointed;
    this.tiles = [];
    this.at = 0;
    this.touched = null;
    this.place = h("div", { class: "hand", id: "hand", role: "group", "aria-label": t("hand.label"), onkeydown: (event) => this.key(event),
      onmouseleave: () => this.point(null), onfocusout: () => this.point(null) });
  }

  /** Show a hand, with `melds` beside it. `riichi`: only kinds with which riichi can be declared can be chosen. `advised`: Map kind -> {probability, best: whether it is the agent's choice, risk: of dealing in, or null}. */
  draw({ hand, drawn, melds, question, riichi, busy, dora, forbidden, advised }) {
    const had = this.place.contains(document.activeElement);
    const faces = [...hand.map((face) => [face, false]), ...(drawn ? [[drawn, true]] : [])];
    this.touched = null;
    let open = 0; // tiles that can be discarded
    this.tiles = faces.map(([face, isDrawn], n) => {
      const choice = choiceFor(question, face, isDrawn);
      const advice = choice ? advised.get(kindOf(face)) : null;
      const may = Boolean(choice) && !busy && (!riichi || riichi.includes(kindOf(face)));
      open += may ? 1 : 0;
      const notes = [isDrawn ? t("hand.just_drawn") : null, dora.includes(kindOf(face)) || face[0] === "0" ? term("dora") : null, forbidden.includes(kindOf(face)) ? t("hand.forbidden") : null, advice ? t("play.advised", { chance: percent(advice.probability) }) : null, advice && advice.risk !== null ? t("worth.deals_in", { chance: percent(advice.risk) }) : null];
      return h("button", {
        type: "button", class: `own-tile${isDrawn ? " drawn" : ""}${may ? "" : " off"}${dora.includes(kindOf(face)) ? " dora" : ""}`, "data-face": face, "data-action": choice ? choice.action : null,
        "aria-disabled": String(!may), "aria-label": list([tileName(face), ...notes].filter(Boolean)), tabindex: "-1",
        title: forbidden.includes(kindOf(face)) ? t("hand.forbidden") : null,
        onclick: (event) => this.press(event, n, may ? choice : null, face), onmouseenter: () => this.point(face), onfocus: () => this.go(n, face),
      }, s("svg", { viewBox: "0 0 60 80", "aria-hidden": "true" }, s("use", { href: `#tile-${face}`, width: 60, height: 80 })),
        advice && advice.risk !== null ? riskMeter(advice.risk) : null,
        advice && (advice.best || advice.probability >= LEAST_SHOWN) ? h("span", { class: advice.best ? "share best" : "share", "aria-hidden": "true" }, percent(advice.probability)) : null);
    });
    this.at = Math.min(this.at, this.tiles.length - 1);
    if (drawn) this.at = this.tiles.length - 1;
    if (this.tiles.length) this.tiles[this.at].tabIndex = 0;
    show(this.place, this.tiles, melds.length ? meldsBesideHand(melds) : null);
    this.place.classList.toggle("choosing", open > 0);
    if (had) this.focus();
  }

  /** Restore the focus, or set it on the tile just drawn. */
  focus() {
    if (this.tiles.length) this.tiles[this.at].focus({ preventScroll: true });
  }

  get hasFocus() {
    return this.place.contains(document.activeElement);
  }

  point(face) {
    this.pointed(face ? kindOf(face) : null);
  }

  go(n, face) {
    this.tiles[this.at].tabIndex = -1;
    this.at = n;
    this.tiles[n].tabIndex = 0;
    this.point(face);
  }

  /** With touch, the first tap selects a tile and the second discards it. */
  press(event, n, choice, face) {
    if (event.pointerType === "touch" && this.touched !== n) {
      this.touched = n;
      this.tiles.forEach((tile, other) => tile.classList.toggle("chosen", other === n));
      this.point(face);
    } else if (choice) {
      this.discard(choice, face);
    }
  }

  key(event) {
    const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.tiles.length - 1 }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const within = Math.max(0, Math.min(this.tiles.length - 1, to));
    this.tiles[within].focus();
  }
}
