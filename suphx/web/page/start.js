// The start page: play against agents, open or drop a log to have it reviewed, watch games, and what is there of each.
import { h, s, show } from "suphx/dom.js";
import { ask, formOf } from "suphx/server.js";
import { applySettings, loadSettings } from "suphx/settings.js";
import { symbols, tile } from "suphx/tiles.js";

const PLACES = ["Right", "Across", "Left"];
const WINDS = ["East", "South", "West", "North"];
const CLOCKS = { "0 0": "No clock", "5 20": "5 s + 20 s a round", "3 5": "3 s + 5 s a round", "20 60": "20 s + 60 s a round" };
const LOGS = ".mjlog,.xml,.json,.jsonl,.mjson,.mjai,.log,.gz";
const SEEDS = 1e6; // upper bound of the seeds proposed; others can be typed
const MAX_SEED = 2 ** 53 - 1;
const MOST = 8 * 1024 * 1024; // maximum size of a log, as on the server
let tell = (words) => alert(words);

/** Send a form; show what it has started at an address, or what is wrong. */
async function begin(path, values, at) {
  tell("Starting ...");
  try {
    const started = await (await ask(path, { method: "POST", body: formOf(values) })).json();
    location.assign(`/${at}/${started.id}`);
  } catch (error) {
    tell(error.message, true);
  }
}

/** Start the review of a file. */
function sendFile(file) {
  if (file && file.size > MOST) tell(`${file.name} is larger than the 8 MiB that a log may have.`, true);
  else if (file) begin("/api/reviews", [["log", file]], "review");
}

/** Allow a log to be dropped anywhere on the page. */
export function dropAnywhere() {
  const over = (is) => document.body.classList.toggle("dropping", is);
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    over(true);
  });
  document.addEventListener("dragleave", () => over(false));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    over(false);
    sendFile(event.dataTransfer.files[0]);
  });
}

/**
 * The list of what is there of one kind, as a section. path: of the server. at: of the page. look: a class of the list.
 * words(item): its state. items(answer): those in the server's answer, of which `hear(answer)` takes the rest.
 */
function keptList({ path, at, title, look, words, items, hear }) {
  const list = h("ul", { class: `kept ${look}` });
  const section = h("section", { hidden: true, "aria-label": title }, h("h3", {}, title), list);
  const update = async () => {
    try {
      const found = await (await ask(path)).json();
      hear(found);
      section.hidden = !items(found).length;
      show(list, items(found).map((each) => h("li", {}, h("a", { href: `/${at}/${each.id}` }, each.source), " ", h("span", { class: "quiet" }, words(each), each.made ? ` ${new Date(1000 * each.made).toLocaleString()}` : ""), " ",
        h("button", { type: "button", "aria-label": `Forget ${each.source}`, onclick: () => forget(each.id) }, "Forget"))));
    } catch (error) {
      tell(error.message, true);
    }
  };
  const forget = async (id) => {
    try {
      await ask(`${path}/${id}`, { method: "DELETE" });
    } catch (error) {
      tell(error.message, true);
    }
    update();
  };
  update();
  return section;
}

const card = (id, title, picture, ...content) => h("section", { class: "card", "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title),
  s("svg", { class: "picture", viewBox: "0 0 300 110", "aria-hidden": "true" }, s("rect", { class: "felt", width: 300, height: 110, rx: 10 }), picture), content);

// What each card is about: an own hand with its draw, a hand with an agent's probabilities, a table of four.
const HAND = ["2m", "3m", "4m", "0p", "6p", "7p", "5s", "5s", "1z"];
const handOf = (y, width) => HAND.map((face, n) => tile(face, 24 + n * width + (n === HAND.length - 1 ? 8 : 0), y, width));
const PICTURES = {
  play: () => [handOf(52, 27), s("path", { class: "turn", d: "M253 22 263 34 273 22Z" })],
  review: () => [handOf(62, 27), [0.1, 0.06, 0, 0.05, 0, 0, 0, 0.12, 0.9].map((share, n) => s("rect", {
    class: share > 0.5 ? "bar preferred" : "bar", x: 32 + n * 27 + (n === HAND.length - 1 ? 8 : 0), y: 56 - 44 * share, width: 12, height: 44 * share + 2 }))],
  watch: () => [s("rect", { class: "middle", x: 125, y: 35, width: 50, height: 40, rx: 5 }), [0, 90, 180, 270].map((turn) =>
    s("g", { transform: `translate(150 55) rotate(${turn})` }, [...Array(7).keys()].map((n) => tile("", -35 + 10 * n, turn % 180 ? 80 : 36, 10))))],
};
const row = (words, field) => h("label", {}, h("span", {}, words), field);
const seedField = (id) => h("input", { type: "number", id, min: 0, max: MAX_SEED, step: 1, required: true, value: Math.floor(Math.random() * SEEDS) });
const fileField = (id, take) => h("input", { type: "file", id, accept: LOGS, onchange: (event) => {
  take(event.target.files[0]);
  event.target.value = "";
} });
const onSubmit = (action) => (event) => {
  event.preventDefault();
  action();
};

/** Offer the agents in selects, once. */
function offer(selects, agents) {
  if (selects[0].options.length) return;
  for (const each of selects) show(each, agents.map((name) => h("option", { value: name }, name)));
}

function playCard() {
  const agents = PLACES.map((place) => h("select", { id: `play-${place.toLowerCase()}` }));
  const options = (values) => values.map(([value, words]) => h("option", { value }, words));
  const seat = h("select", { id: "play-seat" }, options([["", "any"], ...WINDS.map((wind, n) => [n, wind])]));
  const length = h("select", { id: "play-length" }, options([["east", "East round"], ["east_south", "East and South (hanchan)"]]));
  const clock = h("select", { id: "play-clock" }, options(Object.entries(CLOCKS)));
  const seed = seedField("play-seed");
  const start = () => {
    const [decision, reserve] = clock.value.split(" ");
    const chosen = seat.value || String(Math.floor(Math.random() * WINDS.length));
    begin("/api/play", [...agents.map((each) => ["agent", each.value]), ["seat", chosen], ["length", length.value],
      ["decision", decision], ["reserve", reserve], ["seed", seed.value]], "play");
  };
  return card("play", "Play against agents", PICTURES.play(),
    h("form", { class: "seating", onsubmit: onSubmit(start) }, PLACES.map((place, n) => row(place, agents[n])),
      row("Your seat", seat), row("Length", length), row("Clock", clock), row("Seed", seed), h("button", { type: "submit", id: "play" }, "Play")),
    keptList({ path: "/api/play", at: "play", title: "Your games", look: "played", items: (found) => found.games, hear: (found) => offer(agents, found.agents),
      words: (game) => ({ playing: `round ${game.rounds.length + 1}, goes on`, over: "over", failed: game.message }[game.state]) }));
}

function reviewCard() {
  const address = h("input", { type: "url", id: "address", placeholder: "https://tenhou.net/0/?log=..." });
  const byAddress = h("form", { class: "address", onsubmit: onSubmit(() => begin("/api/reviews", [["address", address.value]], "review")) },
    h("label", { for: "address" }, "Or the address of a game at Tenhou"), address, h("button", { type: "submit" }, "Review"));
  const by = h("p", { class: "quiet" });
  const hear = (found) => {
    by.textContent = `Games are reviewed by ${found.agent}.`;
  };
  return card("review", "Review a game", PICTURES.review(),
    h("label", { class: "drop", for: "log" }, h("b", {}, "Drop a log here, or open one"),
      h("span", { class: "quiet" }, "mjlog, Tenhou's JSON or mjai; it stays on this machine"), fileField("log", sendFile)),
    byAddress, by,
    keptList({ path: "/api/reviews", at: "review", title: "Reviews", look: "", items: (found) => found.reviews, hear,
      words: (review) => ({ waiting: "waits", running: `${Math.round(100 * review.share)}%`, done: "", failed: review.message }[review.state]) }));
}

function watchCard() {
  const start = (kind, values) => begin(`/api/games/${kind}`, values, "watch");
  const agents = WINDS.map((wind) => h("select", { id: `agent-${wind.toLowerCase()}` }));
  const seed = seedField("seed");
  const samples = h("ul", { class: "samples" });
  const sampled = h("section", { hidden: true, "aria-label": "Sample games" }, h("h3", {}, "Sample games, newest first"), samples);
  const hear = (found) => {
    offer(agents, found.agents);
    sampled.hidden = found.samples === null;
    show(samples, (found.samples || []).map((each) => h("li", {},
      h("button", { type: "button", class: "link", onclick: () => start("sample", [["name", each.name]]) }, each.name),
      " ", h("span", { class: "quiet" }, new Date(1000 * each.time).toLocaleString()))));
    if (found.samples && !found.samples.length) show(samples, h("li", { class: "quiet" }, "There are none yet."));
  };
  return card("watch", "Watch agents play", PICTURES.watch(),
    h("form", { class: "seating", onsubmit: onSubmit(() => start("live", [...agents.map((each) => ["agent", each.value]), ["seed", seed.value]])) },
      WINDS.map((wind, n) => row(wind, agents[n])), row("Seed", seed), h("button", { type: "submit", id: "watch" }, "Watch")),
    h("label", { class: "recorded", for: "recorded" }, "Or open a recorded game", fileField("recorded", (file) => file && start("recorded", [["log", file]]))), sampled,
    keptList({ path: "/api/games", at: "watch", title: "Games that are there", look: "games", items: (found) => found.games, hear,
      words: (game) => ({ playing: `${game.kind}, round ${game.rounds.length}`, over: game.kind, failed: game.message }[game.state]) }),
    h("p", {}, h("a", { href: "/duel", id: "duel" }, "Two-player mahjong"), " with all hands open"));
}

/** Show the start page in an element. */
export function showStart(root) {
  applySettings(loadSettings());
  const said = h("p", { role: "status", id: "said" });
  tell = (words, isError) => {
    said.textContent = words;
    said.classList.toggle("error", Boolean(isError));
    said.scrollIntoView({ block: "nearest" });
  };
  show(root, symbols(), h("main", { class: "start cards" }, h("h1", {}, "Suphx"), said, playCard(), reviewCard(), watchCard()));
}
