// The start page: play against agents, open or drop a log to have it reviewed, watch games, and what is there of each.
import { fileField, showToggles } from "suphx/controls.js";
import { h, s, show } from "suphx/dom.js";
import { ask, follow, formOf, whileStarting } from "suphx/server.js";
import { applySettings, loadSettings, saveSettings } from "suphx/settings.js";
import { symbols, tile } from "suphx/tiles.js";
import { VIEWS } from "suphx/views.js";
import { dateOf, rich, t, term, translate } from "suphx/words.js";

const PLACES = ["right", "across", "left"];
const WINDS = ["East", "South", "West", "North"];
const AGENTS = ["tuned-large", "tuned", "sl-large", "sl", "sl-weak", "sensible", "never_folds", "never_calls", "tsumogiri", "random"];
const CLOCKS = [[0, 0], [5, 20], [3, 5], [20, 60]]; // seconds a decision and a round; 0: no clock
const LOGS = ".mjlog,.xml,.json,.txt,.jsonl,.mjson,.mjai,.log,.gz,.zip,.tar,.tgz,.tbz2,.txz,.bz2,.xz";
const SEEDS = 1e6; // upper bound of the seeds proposed; others can be typed
const MAX_SEED = 2 ** 53 - 1;
const MOST = 8 * 1024 * 1024; // maximum size of a log, as on the server
let tell = (words) => alert(words);

/** Send a form; show what it has started at an address, followed by `place`, or what is wrong. */
async function begin(path, values, at, place = "") {
  tell(t("start.starting"));
  try {
    const started = await (await ask(path, { method: "POST", body: formOf(values) })).json();
    location.assign(`/${at}/${started.id}${place}`);
  } catch (error) {
    tell(error.message, true);
  }
}

let reviewer = () => ""; // who is chosen to review; nobody: the usual one

let listReviews = () => {}; // shows the list of reviews as it is now

/** Start the reviews of what is given as pairs of a form: the page goes to a single one, followed by `place`, and lists several. */
async function reviewAll(given, place = "") {
  const forms = given.map((each) => [each, ["agent", reviewer()]]);
  if (forms.length < 2) {
    if (forms.length) begin("/api/reviews", forms[0], "review", place);
    return;
  }
  tell(t("start.starting"));
  const failed = [];
  const started = [];
  for (const form of forms) {
    try {
      started.push((await (await ask("/api/reviews", { method: "POST", body: formOf(form) })).json()).id);
    } catch (error) {
      failed.push(error.message);
    }
  }
  for (const id of started) {
    listReviews();
    const last = await follow(id, () => {}).catch((error) => ({ state: "failed", message: error.message }));
    if (last.state === "failed") failed.push(translate(last.message));
  }
  listReviews();
  tell(failed.join("\n"), failed.length > 0);
}

/** What a review says, without the name of its log at the beginning. */
const withoutName = ({ message, source }) => (message.startsWith(`${source}: `) ? message.slice(source.length + 2) : message);

/** Start the reviews of files. */
function sendFiles(files) {
  const large = files.find((file) => file.size > MOST);
  if (large) tell(t("start.too_large", { name: large.name }), true);
  else reviewAll(files.map((file) => ["log", file]));
}

/** Allow logs to be dropped anywhere on the page. */
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
    sendFiles([...event.dataTransfer.files]);
  });
}

/**
 * The list of what is there of one kind, as a section. path: of the server. at: of the page. look: a class of the list.
 * words(item): its state. items(answer): those in the server's answer, of which `hear(answer)` takes the rest. lend(update): takes
 * the function that shows the list anew.
 */
function keptList({ path, at, title, look, words, items, hear, lend = () => {} }) {
  const list = h("ul", { class: `kept ${look}` });
  const section = h("section", { hidden: true, "aria-label": title }, h("h3", {}, title), list);
  const update = async () => {
    try {
      const answer = await (await ask(path)).json();
      hear(answer);
      section.hidden = !items(answer).length;
      show(list, items(answer).map((each) => h("li", {}, h("a", { href: `/${at}/${each.id}` }, translate(each.source)), " ", h("span", { class: "quiet" }, words(each), each.time ? ` ${dateOf(each.time)}` : ""), " ",
        h("button", { type: "button", "aria-label": t("start.forget_one", { name: translate(each.source) }), onclick: () => forget(each.id) }, t("start.forget")))));
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
  lend(update);
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
const onSubmit = (action) => (event) => {
  event.preventDefault();
  action();
};

/** Offer the agents in selects, once. */
function offer(selects, agents) {
  if (selects[0].options.length) return;
  for (const each of selects) show(each, agents.map((name) => h("option", { value: name }, name)));
}

const meaningOf = (agent) => t(`agents.${AGENTS.includes(agent) ? agent.replace("-", "_") : "other"}`);

/** Say who the agents are. */
function introduce(place, agents) {
  show(place, h("summary", {}, t("start.who")), h("dl", { class: "keys" }, agents.map((name) => [h("dt", {}, name), h("dd", {}, meaningOf(name))])));
}

function playCard() {
  const who = h("details", { class: "explained", id: "who" }, h("summary", {}, t("start.who")));
  const agents = PLACES.map((place) => h("select", { id: `play-${place}` }));
  const options = (values) => values.map(([value, words]) => h("option", { value }, words));
  const seat = h("select", { id: "play-seat" }, options([["", t("start.any_seat")], ...WINDS.map((wind, n) => [n, term(wind)])]));
  const length = h("select", { id: "play-length" }, options(["east_south", "east"].map((length) => [length, t(`play.${length}`)])));
  const clock = h("select", { id: "play-clock" }, options(CLOCKS.map(([decision, reserve]) => [`${decision} ${reserve}`, decision ? t("start.clock", { decision, reserve }) : t("play.no_clock")])));
  const seed = seedField("play-seed");
  const start = () => {
    const [decision, reserve] = clock.value.split(" ");
    const chosen = seat.value || String(Math.floor(Math.random() * WINDS.length));
    begin("/api/play", [...agents.map((each) => ["agent", each.value]), ["seat", chosen], ["length", length.value],
      ["decision", decision], ["reserve", reserve], ["seed", seed.value]], "play");
  };
  return card("play", t("start.play_title"), PICTURES.play(),
    h("form", { class: "seating", onsubmit: onSubmit(start) }, PLACES.map((place, n) => row(t(`start.${place}`), agents[n])),
      row(t("start.seat"), seat), row(t("start.length"), length), row(t("start.clock_label"), clock), row(t("start.seed"), seed), h("button", { type: "submit", id: "play" }, t("start.play"))), who,
    keptList({ path: "/api/play", at: "play", title: t("start.your_games"), look: "played", items: (answer) => answer.games, hear: (answer) => {
      offer(agents, answer.agents);
      introduce(who, answer.agents);
    },
      words: (game) => ({ playing: t("start.goes_on", { number: game.rounds.length + 1 }), over: t("start.over") }[game.state]) }));
}

function reviewCard() {
  const address = h("input", { id: "address", inputmode: "url", autocomplete: "off", spellcheck: "false", required: true, placeholder: "https://tenhou.net/0/?log=..." });
  const send = () => {
    const viewed = /[?&]tw=[0-3]\b/.exec(address.value); // the seat from which the address shows the game
    const several = address.value.trim().split(/[\s,]+(?=https?:|\d{10}gm-)/);
    reviewAll(several.map((each) => ["address", each]), viewed ? `#seat=${viewed[0].slice(-1)}` : "");
  };
  const byAddress = h("form", { class: "address", onsubmit: onSubmit(send) },
    h("label", { for: "address" }, t("start.address")), address, h("button", { type: "submit" }, t("start.review")));
  const meaning = h("span", { class: "quiet" });
  const by = h("select", { id: "reviewer", onchange: () => introduceReviewer() });
  const introduceReviewer = () => {
    meaning.textContent = meaningOf(by.value);
  };
  const hear = (answer) => {
    offer([by], answer.agents);
    introduceReviewer();
  };
  reviewer = () => by.value;
  return card("review", t("start.review_title"), PICTURES.review(),
    h("label", { class: "drop", for: "log" }, h("b", {}, t("start.drop")),
      h("span", { class: "quiet" }, t("start.formats")), fileField("log", LOGS, sendFiles, true)),
    byAddress, h("p", {}, h("label", {}, t("start.by"), " ", by), " ", meaning),
    keptList({ path: "/api/reviews", at: "review", title: t("start.reviews"), look: "", items: (answer) => answer.reviews, hear, lend: (update) => {
      listReviews = update;
    },
      words: (review) => ({ waiting: t("start.waits"), running: `${Math.round(100 * review.share)}%`, done: "", failed: translate(withoutName(review)) }[review.state]) }));
}

function watchCard() {
  const start = (kind, values) => begin(`/api/games/${kind}`, values, "watch");
  const agents = WINDS.map((wind) => h("select", { id: `agent-${wind.toLowerCase()}` }));
  const seed = seedField("seed");
  const who = h("details", { class: "explained" }, h("summary", {}, t("start.who")));
  const samples = h("ul", { class: "samples" });
  const sampled = h("section", { hidden: true, "aria-label": t("start.samples") }, h("h3", {}, t("start.samples_newest")), samples);
  const hear = (answer) => {
    offer(agents, answer.agents);
    introduce(who, answer.agents);
    sampled.hidden = answer.samples === null;
    show(samples, (answer.samples || []).map((each) => h("li", {},
      h("button", { type: "button", class: "link", onclick: () => start("sample", [["name", each.name]]) }, each.name),
      " ", h("span", { class: "quiet" }, dateOf(each.time)))));
    if (answer.samples && !answer.samples.length) show(samples, h("li", { class: "quiet" }, t("start.no_samples")));
  };
  return card("watch", t("start.watch_title"), PICTURES.watch(),
    h("form", { class: "seating", onsubmit: onSubmit(() => start("live", [...agents.map((each) => ["agent", each.value]), ["seed", seed.value]])) },
      WINDS.map((wind, n) => row(term(wind), agents[n])), row(t("start.seed"), seed), h("button", { type: "submit", id: "watch" }, t("start.watch"))), who,
    h("label", { class: "recorded", for: "recorded" }, t("start.open_recorded"), fileField("recorded", LOGS, ([file]) => file && start("recorded", [["log", file]]))), sampled,
    keptList({ path: "/api/games", at: "watch", title: t("start.games"), look: "games", items: (answer) => answer.games, hear,
      words: (game) => ({ playing: t("start.live_round", { kind: t(`start.${game.kind}`), number: game.rounds.length }), over: t(`start.${game.kind}`) }[game.state]) }),
    VIEWS.map((view) => h("p", {}, rich(`${view}.link`, { link: h("a", { href: `/${view}`, id: view }, t(`${view}.title`)) }))));
}

/** Show the start page in an element. */
export function showStart(root) {
  const settings = loadSettings();
  const toggles = h("div", { class: "toggles", role: "group" });
  const keep = () => {
    saveSettings(settings);
    applySettings(settings);
    showToggles(toggles, settings, keep, []);
  };
  keep();
  toggles.setAttribute("aria-label", t("settings.label"));
  document.title = t("page.name");
  const status = h("p", { role: "status", id: "status" });
  tell = (words, isError) => {
    status.textContent = words;
    status.classList.toggle("error", Boolean(isError));
    status.scrollIntoView({ block: "nearest" });
  };
  whileStarting((is) => tell(is ? t("page.starting") : ""));
  show(root, symbols(), h("header", { class: "top" }, toggles), h("main", { class: "start cards" }, h("h1", {}, t("page.name")), status, playCard(), reviewCard(), watchCard()));
}
