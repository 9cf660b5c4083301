// A game that is watched on the served page: fetches rounds as they are needed, and offers actions for the game.
import { h, show } from "suphx/dom.js";
import { ask, followRounds } from "suphx/server.js";
import { applySettings, loadSettings } from "suphx/settings.js";
import { WatchPage } from "suphx/watch.js";

const STILL_HERE = 5 * 60 * 1000; // the server drops games that are not requested for a while

/** Show a game by its id. */
export async function showGame(root, id) {
  applySettings(loadSettings());
  const said = h("p", { role: "status", id: "note" }, "Waiting ...");
  show(root, h("main", { class: "start" }, h("h1", {}, "Watch"), said, h("p", {}, h("a", { href: "/" }, "Watch another game"))));
  let status;
  try {
    status = await (await ask(`/api/games/${id}`)).json();
  } catch (error) {
    said.textContent = error.message;
    said.classList.add("error");
    return;
  }
  document.title = `Watch: ${status.source}`;
  let wanted = 0;
  let following = false;
  let isGone = false;
  let page = null;

  /** Follow the game until it has as many rounds as wanted, or has ended. */
  async function need(rounds) {
    wanted = Math.max(wanted, rounds);
    if (following || isGone || !page) return;
    following = true;
    try {
      while (page.rounds.length < wanted && !page.complete) {
        const { how, status: now } = await followRounds(id, page.rounds.length - 1, (index, round) => page.take(index, round));
        page.complete = how !== "more";
        page.hear(page.complete ? now : { ...now, state: "playing" });
      }
    } catch (error) {
      isGone = error.status === 404;
      page.fail(error.message);
    }
    following = false;
  }

  async function review(seat) {
    try {
      const job = await (await ask(`/api/games/${id}/review`, { method: "POST" })).json();
      location.assign(`/review/${job.id}#seat=${seat}&round=0&frame=0`);
    } catch (error) {
      page.fail(error.message);
    }
  }

  const end = (names) => h("div", { class: "end" },
    h("h3", {}, "Review this game"),
    h("div", { class: "choices" }, names.map((name, seat) => h("button", { type: "button", "data-review": seat, onclick: () => review(seat) }, name))),
    h("p", {}, h("a", { href: `/api/games/${id}/log`, download: "", id: "keep" }, "Save as mjlog")));
  const started = { ...status, state: "playing", message: "", scores: null, ranks: null, points: null };
  page = new WatchPage(root, started, { need, end, links: [h("a", { href: "/", id: "another" }, "Watch another")] });
  need(wanted);
  setInterval(() => ask(`/api/games/${id}`).catch((error) => page.fail(error.message)), STILL_HERE);
}
