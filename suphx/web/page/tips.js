// The line above the own hand: furiten, waits, and the outlook after the discard that is pointed at.
import { h } from "suphx/dom.js";
import { tilesInline } from "suphx/tiles.js";
import { rich, t, term } from "suphx/words.js";

/** Kinds with the number of unseen tiles of each. */
function counted(kinds) {
  return Object.entries(kinds).map(([kind, left]) => h("span", { class: left ? "counted" : "counted none" }, tilesInline([kind]), `×${left}`));
}

function outlookLine(outlook) {
  const { shanten, accepted, furiten } = outlook;
  const all = Object.values(accepted).reduce((sum, each) => sum + each, 0);
  if (shanten === 0) return [h("b", {}, term("ready")), " ", counted(accepted), furiten ? h("b", { class: "warned" }, ` ${term("furiten")}`) : null];
  return rich("tips.accepted", { away: h("b", {}, t("hand.away", { count: shanten })), count: all, tiles: counted(accepted) });
}

/** The line. `pointed`: a kind of the hand or null; `help`: show the outlook for hands that are not tenpai, too. */
export function noteLine(position, question, { pointed, help, armed }) {
  const outlook = question && pointed ? question.outlook.find((each) => each.kind === pointed) : null;
  if (outlook && (outlook.shanten === 0 || help)) return outlookLine(outlook);
  if (armed) return [t("tips.riichi")];
  const { waits } = position.own;
  return Object.keys(waits).length ? [h("b", {}, term("waits")), " ", counted(waits)] : [];
}

/** Show in an element whether the hand is furiten, and why. */
export function markFuriten(place, { furiten }) {
  place.textContent = furiten ? term("furiten") : "";
  place.title = furiten ? t(`tips.furiten_${furiten}`) : "";
  place.dataset.why = furiten;
}
