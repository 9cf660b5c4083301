// How a round ended, and the game.
import { h } from "suphx/dom.js";
import { tilesInline } from "suphx/tiles.js";
import { number, roundName, signed, term, yakuName } from "suphx/words.js";

function winShown(win, frame, names) {
  const view = frame.seats[win.seat];
  const byDraw = win.seat === win.source;
  const melds = view.melds.map(([, tiles, , added]) => tilesInline(added ? [...tiles, added] : tiles));
  const worth = [win.han ? `${win.han} ${term("han")}` : null, win.han && win.fu ? `${win.fu} ${term("fu")}` : null, win.limit || null].filter(Boolean).join(", ");
  return h("div", { class: "won" },
    h("h3", {}, names[win.seat], ": ", term(byDraw ? "win by draw" : "win by claim"), byDraw ? null : ` off ${names[win.source]}`),
    h("p", { class: "won-hand" }, tilesInline(view.hand), melds, h("span", { class: "on" }, tilesInline([win.tile]))),
    h("dl", { class: "yaku" }, Object.entries(win.yaku).map(([label, han]) => [h("dt", {}, yakuName(label)), h("dd", {}, String(han))])),
    win.ura.length ? h("p", {}, `${term("ura dora")} `, h("span", { class: "quiet" }, "indicators "), tilesInline(win.ura)) : null,
    h("p", { class: "worth" }, worth, worth ? ": " : "", h("b", {}, `${number(win.points)} points`)));
}

/** How a round ended, with each win; frame: the last one. */
export function roundOutcome(result, frame, names) {
  return h("div", { class: "result" },
    result.wins.length ? null : h("p", {}, h("b", {}, term(result.how))),
    result.wins.map((win) => winShown(win, frame, names)),
    h("p", { class: "quiet" }, `${term("dora indicator")} `, tilesInline(frame.indicators)),
    result.tenpai.length ? h("p", {}, `${term("ready")}: ${result.tenpai.map((seat) => names[seat]).join(", ")}`) : null,
    h("table", { class: "payments" }, h("caption", { class: "unseen" }, "Points"),
      h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {},
        h("tr", {}, result.deltas.map((delta) => h("td", { class: `count ${delta > 0 ? "gain" : delta < 0 ? "loss" : ""}` }, signed(delta) || "0"))),
        h("tr", {}, result.scores.map((score) => h("td", { class: "count" }, number(score)))))));
}

/** How the game ended: places in order. */
export function finalStanding(status, names) {
  const order = [0, 1, 2, 3].sort((a, b) => status.ranks[a] - status.ranks[b]);
  return h("table", { class: "final", id: "final" }, h("caption", {}, "Final standing"), h("tbody", {}, order.map((seat) =>
    h("tr", { class: seat === status.seat ? "me" : null }, h("th", { scope: "row" }, `${status.ranks[seat] + 1}. ${names[seat]}`),
      h("td", { class: "count" }, number(status.scores[seat])), h("td", { class: "count" }, `${status.points[seat] > 0 ? "+" : ""}${status.points[seat].toFixed(1)}`)))));
}
