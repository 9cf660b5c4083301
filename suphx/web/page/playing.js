// A game that is played on the served page: connects the page to the server.
import { h, show } from "suphx/dom.js";
import { PlayPage } from "suphx/play.js";
import { ask, followPlay, formOf } from "suphx/server.js";
import { applySettings, loadSettings } from "suphx/settings.js";

/** Show a game by its id. */
export async function showPlay(root, id) {
  applySettings(loadSettings());
  const said = h("p", { role: "status", id: "note" }, "Waiting ...");
  show(root, h("main", { class: "start" }, h("h1", {}, "Play"), said, h("p", {}, h("a", { href: "/" }, "Start a game"))));
  let status;
  try {
    status = await (await ask(`/api/play/${id}`)).json();
  } catch (error) {
    said.textContent = error.message;
    said.classList.add("error");
    return;
  }
  document.title = `Play: ${status.source}`;
  const post = (path, values) => ask(`/api/play/${id}/${path}`, { method: "POST", body: formOf(values) });

  async function review(seat) {
    try {
      const job = await (await post("review", [])).json();
      location.assign(`/review/${job.id}#seat=${seat}&round=0&frame=0`);
    } catch (error) {
      page.fail(error.message);
    }
  }

  async function again() {
    const decision = status.pace ? status.pace.decision : 0;
    const agents = status.agents.map((name) => ["agent", name]);
    const form = formOf([...agents, ["seat", status.seat], ["length", status.length], ["decision", decision],
      ["reserve", status.pace ? status.pace.reserve : 0], ["seed", Math.floor(Math.random() * 1e6)]]);
    try {
      const game = await (await ask("/api/play", { method: "POST", body: form })).json();
      location.assign(`/play/${game.id}`);
    } catch (error) {
      page.fail(error.message);
    }
  }

  const page = new PlayPage(root, status, {
    log: `/api/play/${id}/log`, review, again,
    answer: (question, action) => post("answer", [["question", question], ["action", action]]),
    choose: (options) => post("options", Object.entries(options)),
    results: async () => (await (await ask(`/api/play/${id}`)).json()).rounds,
  });
  followPlay(id, {
    position: (position) => page.take(position), clock: (left) => page.setClock(left), options: (options) => page.setOptions(options),
    over: (now) => page.end(now), failed: (now) => page.fail(now.message),
  }, { lost: (error) => page.fail(error.message), isAway: (away) => page.setAway(away) });
}
