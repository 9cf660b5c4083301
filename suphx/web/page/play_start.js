// The start page's section about playing: opponents, seat, length, and the existing games.
import { h, show } from "suphx/dom.js";
import { ask, formOf } from "suphx/server.js";

const PLACES = ["Right", "Across", "Left"];
const SEATS = ["East", "South", "West", "North"];
const CLOCKS = { "0 0": "No clock", "5 20": "5 s + 20 s a round", "3 5": "3 s + 5 s a round", "20 60": "20 s + 60 s a round" };
const SEEDS = 1e6; // upper bound of the seeds proposed; others can be typed
const MAX_SEED = 2 ** 53 - 1;

/** The section; `tell(words, isError)` shows messages. Returns it and `update()`, which fetches the games from the server. */
export function playSection(tell) {
  const agents = PLACES.map((place) => h("select", { id: `play-${place.toLowerCase()}` }));
  const options = (values) => values.map(([value, words]) => h("option", { value }, words));
  const seat = h("select", { id: "play-seat" }, options([["", "any"], ...SEATS.map((wind, n) => [n, wind])]));
  const length = h("select", { id: "play-length" }, options([["east", "East round"], ["east_south", "East and South (hanchan)"]]));
  const clock = h("select", { id: "play-clock" }, options(Object.entries(CLOCKS)));
  const seed = h("input", { type: "number", id: "play-seed", min: 0, max: MAX_SEED, step: 1, required: true, value: Math.floor(Math.random() * SEEDS) });
  const row = (words, field) => h("label", {}, h("span", {}, words), field);

  async function start(event) {
    event.preventDefault();
    tell("Starting ...");
    const [decision, reserve] = clock.value.split(" ");
    const chosen = seat.value || String(Math.floor(Math.random() * SEATS.length));
    const form = formOf([...agents.map((each) => ["agent", each.value]), ["seat", chosen], ["length", length.value],
      ["decision", decision], ["reserve", reserve], ["seed", seed.value]]);
    try {
      const game = await (await ask("/api/play", { method: "POST", body: form })).json();
      location.assign(`/play/${game.id}`);
    } catch (error) {
      tell(error.message, true);
    }
  }

  const form = h("form", { class: "seating", onsubmit: start },
    PLACES.map((place, n) => row(place, agents[n])), row("Your seat", seat), row("Length", length), row("Clock", clock), row("Seed", seed),
    h("button", { type: "submit", id: "play" }, "Play"));
  const list = h("ul", { class: "kept played" });
  const kept = h("section", { hidden: true, "aria-label": "Games that you play" }, h("h3", {}, "Games that are there"), list);

  const gameRow = (game) => {
    const words = { playing: `round ${game.rounds.length + 1}, goes on`, over: "over", failed: game.message }[game.state];
    const forget = async () => {
      try {
        await ask(`/api/play/${game.id}`, { method: "DELETE" });
      } catch (error) {
        tell(error.message, true);
      }
      update();
    };
    return h("li", {}, h("a", { href: `/play/${game.id}` }, game.source), " ", h("span", { class: "quiet" }, words), " ",
      h("button", { type: "button", "aria-label": `Forget ${game.source}`, onclick: forget }, "Forget"));
  };

  /** Show the agents and games of the server. */
  async function update() {
    try {
      const found = await (await ask("/api/play")).json();
      if (!agents[0].options.length) {
        for (const each of agents) show(each, found.agents.map((name) => h("option", { value: name }, name)));
      }
      kept.hidden = !found.games.length;
      show(list, found.games.map(gameRow));
    } catch (error) {
      tell(error.message, true);
    }
  }

  return { update, section: h("section", { class: "card", "aria-labelledby": "play-title" }, h("h2", { id: "play-title" }, "Play against agents"), form, kept) };
}
