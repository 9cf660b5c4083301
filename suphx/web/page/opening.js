// A review, a watched game or a played game on the served page, opened by its id: connects the page to the server.
import { h, show } from "suphx/dom.js";
import { PlayPage } from "suphx/play.js";
import { openReview } from "suphx/review.js";
import { ask, follow, followGame, formOf, whileStarting } from "suphx/server.js";
import { applySettings, loadSettings } from "suphx/settings.js";
import { WatchPage } from "suphx/watch.js";
import { t, translate } from "suphx/words.js";

const STILL_HERE = 5 * 60 * 1000; // the server drops games that are not requested for a while

/** Show that a view is waited for while it is opened by `load(title, note)`, and what goes wrong. */
async function waiting(root, view, load) {
  applySettings(loadSettings());
  const note = h("p", { role: "status", id: "note" }, t("page.waiting"));
  whileStarting((is) => {
    note.textContent = t(is ? "page.starting" : "page.waiting");
  });
  const title = h("h1", {}, t(`opening.${view}`));
  show(root, h("main", { class: "start" }, title, note, h("p", {}, h("a", { href: "/" }, t(`opening.${view}_another`)))));
  try {
    await load(title, note);
  } catch (error) {
    note.textContent = error.message;
    note.classList.add("error");
  }
}

/** Show that there is no such page. */
export function showMissing(root) {
  applySettings(loadSettings());
  document.title = t("page.name");
  show(root, h("main", { class: "start" }, h("h1", {}, t("page.missing")), h("p", {}, h("a", { href: "/" }, t("page.start_page")))));
}

/** Show a review by its id, waiting for it if it is not finished. */
export function showReview(root, id) {
  waiting(root, "review", async (title, note) => {
    const bar = h("progress", { max: 1, value: 0, "aria-label": t("opening.progress") });
    title.after(bar);
    try {
      const status = await follow(id, (now) => {
        title.textContent = translate(now.source);
        bar.value = now.share;
        note.textContent = now.step ? t("opening.step", { step: translate(now.step) }) : t("page.waiting");
      });
      if (status.state === "failed") throw new Error(translate(status.message));
      const review = await (await ask(`/api/reviews/${id}`)).json();
      openReview(root, review, () => [
        h("a", { href: "/", id: "another" }, t("opening.another")),
        h("a", { href: `/api/reviews/${id}/file`, download: "", id: "keep" }, t("opening.save")),
      ], {
        write: (note) => ask(`/api/reviews/${id}/note`, { method: "POST", body: formOf(Object.entries(note)) }),
        others: async () => (await (await ask("/api/reviews")).json()).agents.filter((each) => each !== review.agent),
        by: async (agent) => (await ask(`/api/reviews/${id}/by/${encodeURIComponent(agent)}`)).json(),
      });
    } finally {
      bar.remove();
    }
  });
}

/** What can be done with a game: `review(seat)`, `log` (an address); `fail(message)` is called when it cannot. */
function actionsFor(path, fail) {
  const review = async (seat) => {
    try {
      const job = await (await ask(`${path}/review`, { method: "POST" })).json();
      location.assign(`/review/${job.id}#seat=${seat}`);
    } catch (error) {
      fail(error.message);
    }
  };
  return { review, log: `${path}/log` };
}

/** Show a watched game by its id, fetching rounds as they are needed. */
export function showGame(root, id) {
  const path = `/api/games/${id}`;
  waiting(root, "watch", async () => {
    const status = await (await ask(path)).json();
    document.title = t("opening.watch_title", { source: translate(status.source) });
    let wanted = 0;
    let following = false;
    let isGone = false;
    let page = null;

    /** Follow the game until it has as many rounds as wanted, or has ended. */
    const need = async (rounds) => {
      wanted = Math.max(wanted, rounds);
      if (following || isGone || !page) return;
      following = true;
      try {
        while (page.rounds.length < wanted && !page.complete) {
          const { how, status: now } = await followGame(path, page.rounds.length - 1, { round: (round, index) => page.take(index, round) });
          page.complete = how !== "more";
          page.hear(page.complete ? now : { ...now, state: "playing" });
        }
      } catch (error) {
        isGone = error.status === 404;
        page.fail(error.message);
      }
      following = false;
    };

    const { review, log } = actionsFor(path, (message) => page.fail(message));
    const end = (names) => h("div", { class: "end" },
      h("h3", {}, t("play.review")),
      h("div", { class: "choices" }, names.map((name, seat) => h("button", { type: "button", "data-review": seat, onclick: () => review(seat) }, name))),
      h("p", {}, h("a", { href: log, download: "", id: "keep" }, t("page.save_mjlog"))));
    const started = { ...status, state: "playing", message: "", scores: null, ranks: null, points: null };
    page = new WatchPage(root, started, { need, end, links: [h("a", { href: "/", id: "another" }, t("opening.watch_other"))] });
    need(wanted);
    setInterval(() => ask(path).catch((error) => page.fail(error.message)), STILL_HERE);
  });
}

/** Show a played game by its id. */
export function showPlay(root, id) {
  const path = `/api/play/${id}`;
  waiting(root, "play", async () => {
    const status = await (await ask(path)).json();
    if (status.kind === "recorded") {
      location.replace(`/watch/${id}`); // it is over, and comes from what was kept
      return;
    }
    document.title = t("opening.play_title", { source: translate(status.source) });
    const post = (what, values) => ask(`${path}/${what}`, { method: "POST", body: formOf(values) });
    const again = async () => {
      const { decision, reserve } = status.pace || { decision: 0, reserve: 0 };
      const form = formOf([...status.agents.map((name) => ["agent", name]), ["seat", status.seat], ["length", status.length],
        ["decision", decision], ["reserve", reserve], ["seed", Math.floor(Math.random() * 1e6)]]);
      try {
        const game = await (await ask("/api/play", { method: "POST", body: form })).json();
        location.assign(`/play/${game.id}`);
      } catch (error) {
        page.fail(error.message);
      }
    };
    const page = new PlayPage(root, status, {
      ...actionsFor(path, (message) => page.fail(message)), again,
      answer: (question, action) => post("answer", [["question", question], ["action", action]]),
      choose: (options) => post("options", Object.entries(options)),
      advice: async (number) => (await ask(`${path}/advice?number=${number}`)).json(),
      costly: async () => (await ask(`${path}/costly`)).json(),
      results: async () => (await (await ask(path)).json()).rounds,
    });
    const tell = { position: (position) => page.take(position), clock: (left) => page.setClock(left), options: (options) => page.setOptions(options) };
    followGame(path, -1, tell, (away) => page.setAway(away)).then(({ how, status: now }) => (how === "over" ? page.end(now) : page.fail(now.message)), (error) => page.fail(error.message));
  });
}
