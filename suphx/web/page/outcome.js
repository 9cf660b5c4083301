// How a round ended, and the game.
import { h } from "suphx/dom.js";
import { tilesInline } from "suphx/tiles.js";
import { list, number, rich, signed, t, term, yakuName } from "suphx/words.js";

function winShown(win, frame, names) {
  const view = frame.seats[win.seat];
  const byDraw = win.seat === win.source;
  const melds = view.melds.map(([, tiles, , added]) => tilesInline(added ? [...tiles, added] : tiles));
  const worth = list([win.han ? t("outcome.han", { count: win.han }) : null, win.han && win.fu ? t("outcome.fu", { count: win.fu }) : null, win.limit ? term(win.limit) : null].filter(Boolean));
  const values = { name: names[win.seat], win: term(byDraw ? "tsumo" : "ron"), from: names[win.source] };
  return h("div", { class: "won" },
    h("h3", {}, t(byDraw ? "outcome.draw" : "outcome.claim", values)),
    h("p", { class: "won-hand" }, tilesInline(view.hand), melds, h("span", { class: "on" }, tilesInline([win.tile]))),
    h("dl", { class: "yaku" }, Object.entries(win.yaku).map(([label, han]) => [h("dt", {}, yakuName(label)), h("dd", {}, String(han))])),
    win.ura.length ? h("p", {}, rich("outcome.ura", { tiles: tilesInline(win.ura) })) : null,
    h("p", { class: "worth" }, rich(worth ? "outcome.worth" : "outcome.only_points", { worth, points: h("b", {}, t("outcome.points", { points: number(win.points) })) })));
}

/** How a round ended, with each win; frame: the last one. */
export function roundOutcome(result, frame, names) {
  return h("div", { class: "result" },
    result.wins.length ? null : h("p", {}, h("b", {}, term(result.how))),
    result.wins.map((win) => winShown(win, frame, names)),
    h("div", { class: "settled" },
      h("p", { class: "quiet" }, `${term("dora indicator")} `, tilesInline(frame.indicators)),
      result.tenpai.length ? h("p", {}, t("outcome.ready", { ready: term("ready"), names: list(result.tenpai.map((seat) => names[seat])) })) : null,
      h("table", { class: "payments" }, h("caption", { class: "unseen" }, t("outcome.payments")),
        h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {},
          h("tr", {}, result.deltas.map((delta) => h("td", { class: `count ${delta > 0 ? "gain" : delta < 0 ? "loss" : ""}` }, signed(delta) || "0"))),
          h("tr", {}, result.scores.map((score) => h("td", { class: "count" }, number(score))))))));
}

/** How the game ended: places in order. */
export function finalStanding(status, names) {
  const order = [0, 1, 2, 3].sort((a, b) => status.ranks[a] - status.ranks[b]);
  return h("table", { class: "final", id: "final" }, h("caption", {}, t("outcome.final")), h("tbody", {}, order.map((seat) =>
    h("tr", { class: seat === status.seat ? "me" : null }, h("th", { scope: "row" }, `${status.ranks[seat] + 1}. ${names[seat]}`),
      h("td", { class: "count" }, number(status.scores[seat])), h("td", { class: "count" }, `${status.points[seat] > 0 ? "+" : ""}${status.points[seat].toFixed(1)}`)))));
}
