// Two-player mahjong with all hands open: forth and back through a game, with what a table keeps of each node.
import { act, fileField, iconButton, isForElement, keyHelp, latestMoves, selectOf, settingsMenu, showToggles } from "suphx/controls.js";
import { h, s, show as fill } from "suphx/dom.js";
import { ask, formOf } from "suphx/server.js";
import { applySettings, loadSettings, saveSettings } from "suphx/settings.js";
import { moveShown } from "suphx/spoken.js";
import { HEIGHT, WIDTH, symbols, tile } from "suphx/tiles.js";
import { percent, rich, t, term, tileNames } from "suphx/words.js";

const PLAYERS = ["cfr", "normal", "pongs", "pairs", "random"];
const KEYS = [["← →", "steps"], ["[ ]", "plans"], ["Home End", "ends"]];
const WIDE = 790;
const HIGH = 600;
const MARGIN = 16;
const HAND = 47; // width of tiles in hands and melds
const RIVER = 42;
const ROW = 14; // tiles in a row of a river; a game has at most 46 turns, so that two rows hold all of a seat's
const ROWS = 2;
const MOVES = 8;

const PLAN = "plan: "; // what the choice of a plan begins with

const high = (width) => (width * HEIGHT) / WIDTH;

/** The name of a player or plan; one that is not ours stays as it is. */
const nameOf = (name) => (PLAYERS.includes(name) ? t(`duel.${name}`) : name);
const planShown = (what) => (what.startsWith(PLAN) ? rich("duel.plan", { plan: nameOf(what.slice(PLAN.length)) }) : null);

function hand(view, y) {
  const tiles = view.hand.map((face, n) => tile(face, MARGIN + n * HAND, y, HAND));
  if (view.drawn) tiles.push(tile(view.drawn, MARGIN + view.hand.length * HAND + 12, y, HAND, { mark: "mark-preferred" }));
  return tiles;
}

/** Melds from the right edge inwards, smaller than the hand so that four kongs fit beside it. */
function melds(view, y) {
  const width = 0.82 * HAND;
  let x = WIDE - MARGIN;
  return view.melds.map((meld) => {
    x -= meld.tiles.length * width + 8;
    return meld.tiles.map((face, n) => tile(meld.closed && (n === 0 || n === 3) ? "" : face, x + 8 + n * width, y + high(HAND) - high(width), width));
  });
}

function river(view, y, offered) {
  return view.river.map(([face, claimed], n) => tile(face, MARGIN + (n % ROW) * RIVER, y + Math.floor(n / ROW) * (high(RIVER) + 2), RIVER, {
    faint: claimed, mark: offered && n === view.river.length - 1 ? "mark-last" : null,
  }));
}

/** The table as a picture: seat 1 above, seat 0 below. */
function tableOf(frame, names) {
  const sides = frame.seats.map((view, seat) => {
    const handY = seat ? 40 : HIGH - high(HAND) - 40;
    const riverY = seat ? 116 : HIGH - 116 - ROWS * (high(RIVER) + 2);
    const turn = frame.mover === seat && frame.phase !== "over";
    const words = t(view.plan ? "duel.seat_plan" : "duel.seat", { name: names[seat], turn: view.turn, plan: nameOf(view.plan) });
    const offered = frame.phase === "answer" && frame.mover !== seat;
    const nameY = seat ? 26 : HIGH - 14;
    return s("g", { "data-seat": seat }, turn ? s("rect", { class: "turn", x: 0, y: handY, width: 6, height: high(HAND), rx: 2 }) : null,
      s("g", { class: "own" }, hand(view, handY)), melds(view, handY), river(view, riverY, offered),
      s("text", { x: MARGIN, y: nameY, class: turn ? "score" : "name" }, words));
  });
  const who = t(`duel.phase_${frame.phase}`, { name: names[frame.mover] });
  return s("svg", { class: "table", viewBox: `0 0 ${WIDE} ${HIGH}`, "aria-hidden": "true" },
    s("rect", { class: "felt", width: WIDE, height: HIGH, rx: 16 }), sides,
    s("text", { x: WIDE - MARGIN, y: HIGH / 2 - 10, class: "score", "text-anchor": "end" }, t("table.left", { count: frame.left })),
    s("text", { x: WIDE - MARGIN, y: HIGH / 2 + 18, class: "small", "text-anchor": "end" }, who));
}

function inWords(frame, names) {
  const line = (what, tiles) => t("table.line", { parts: t("table.part", { what: term(what), tiles }) });
  return frame.seats.map((view, seat) => [names[seat], line("hand", view.drawn ? t("table.drawn", { tiles: tileNames(view.hand), drawn: tileNames([view.drawn]) }) : tileNames(view.hand)),
    ...view.melds.map((meld) => line(meld.kind, tileNames(meld.tiles))), line("river", tileNames(view.river.map(([face]) => face)) || t("table.empty"))].join(" "));
}

/** What is kept of a node; `now`: its plan is about to be chosen. */
function node(choice, who, plans, now) {
  const { turn, pairs, pongs, characters, honors } = choice.features;
  const known = choice.policy;
  return h("section", { class: now ? "node now" : "node", "data-node": choice.node },
    h("h3", {}, t("duel.chooses", { who, plan: nameOf(choice.chosen) }), " ", h("span", { class: "quiet" }, t("duel.node", { node: choice.node }))),
    h("p", { class: "quiet" }, t("duel.features", { turn, pairs, pongs, characters, honors })),
    h("ul", {}, plans.map((plan, n) => h("li", { class: `candidate${plan === choice.chosen ? " preferred" : ""}` },
      h("span", {}, nameOf(plan)), h("span", { class: "meter" }, h("span", { style: `width: ${known ? 100 * known[n] : 0}%` })),
      h("span", { class: "chance" }, known ? percent(known[n]) : "–"),
      h("span", { class: "facts" }, choice.regret ? t("duel.regret", { regret: choice.regret[n].toFixed(2) }) : "")))),
    known ? null : h("p", { class: "quiet" }, t("duel.fixed")));
}

class DuelPage {
  constructor(root) {
    this.settings = loadSettings();
    applySettings(this.settings);
    const players = PLAYERS.map((name) => [name, nameOf(name)]);
    this.game = null;
    this.at = 0;
    this.file = null;
    this.first = selectOf("first", t("duel.first"), players, () => {});
    this.second = selectOf("second", t("duel.second"), players, () => {});
    this.seed = h("input", { type: "number", id: "seed", min: 0, max: 2 ** 53 - 1, step: 1, required: true, "aria-label": t("start.seed") });
    this.games = h("select", { id: "games", "aria-label": t("duel.game"), hidden: true, onchange: () => this.open(this.file, Number(this.games.value)) });
    this.table = h("div", { class: "table-place" });
    this.where = h("span", { class: "where", id: "where" });
    this.panel = h("section", { class: "panel", id: "panel", "aria-label": t("page.happened") });
    this.status = h("p", { role: "status", id: "status", class: "quiet" });
    this.toggles = h("div", { class: "toggles", role: "group", "aria-label": t("settings.label") });
    const form = h("form", { class: "duel-players", onsubmit: (event) => { event.preventDefault(); this.deal(); } },
      this.first, this.second, this.seed, h("button", { type: "submit", id: "deal" }, t("duel.deal")));
    const way = h("nav", { class: "way", "aria-label": t("page.way") },
      iconButton("round-before", t("duel.to_start"), () => this.go(0)), iconButton("decision-before", t("duel.choice_before"), () => this.toChoice(-1)),
      iconButton("step-before", t("page.step_before", { key: "←" }), () => this.go(this.at - 1)), this.where,
      iconButton("step-after", t("page.step_after", { key: "→" }), () => this.go(this.at + 1)), iconButton("decision-after", t("duel.choice_after"), () => this.toChoice(1)),
      iconButton("round-after", t("duel.to_end"), () => this.go(Infinity)));
    fill(root, symbols(), h("main", { class: "review duel" },
      h("div", { class: "top" }, h("h1", { class: "unseen" }, t("duel.title")), form, h("label", { class: "duel-log" }, t("duel.log"), " ", fileField("log", ".jsonl", ([file]) => this.open(file, 0))), this.games,
        h("div", { class: "links" }, h("a", { href: "/" }, t("page.start_page"))), keyHelp(KEYS), settingsMenu(this.toggles)),
      h("div", { class: "left" }, this.table, way), h("div", { class: "right" }, h("h2", { class: "unseen" }, t("page.details")), this.status, this.panel)));
    document.addEventListener("keydown", (event) => this.key(event));
    document.title = t("duel.title");
    this.keep();
    this.begin();
  }

  /** Deal what the address names, or something. */
  begin() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const known = (name, other) => (PLAYERS.includes(wanted.get(name)) ? wanted.get(name) : other);
    this.first.value = known("first", "cfr");
    this.second.value = known("second", "normal");
    this.seed.value = Number.parseInt(wanted.get("seed"), 10) || 0;
    this.deal(Number.parseInt(wanted.get("frame"), 10) || 0);
  }

  deal(frame = 0) {
    const words = new URLSearchParams({ first: this.first.value, second: this.second.value, seed: this.seed.value });
    this.file = null;
    this.take(ask(`/api/duel?${words}`), frame);
  }

  open(file, game) {
    if (!file) return;
    this.file = file;
    this.take(ask("/api/duel/log", { method: "POST", body: formOf([["log", file], ["game", game]]) }), 0);
  }

  async take(request, frame) {
    this.status.classList.remove("error");
    this.status.textContent = t("duel.playing");
    try {
      this.game = await (await request).json();
      this.status.textContent = this.file ? this.file.name : "";
      this.games.hidden = this.game.games < 2;
      fill(this.games, [...Array(this.game.games).keys()].map((n) => h("option", { value: n, selected: n === this.game.game }, t("duel.game_of", { number: n + 1, games: this.game.games }))));
      this.go(frame);
    } catch (error) {
      this.status.textContent = error.message;
      this.status.classList.add("error");
    }
  }

  go(frame) {
    if (!this.game) return;
    this.at = Math.max(0, Math.min(frame, this.game.frames.length - 1));
    const { value: first } = this.first;
    const place = this.file ? "" : `#${new URLSearchParams({ first, second: this.second.value, seed: this.seed.value, frame: this.at })}`;
    history.replaceState(null, "", location.pathname + place);
    this.draw();
  }

  toChoice(by) {
    const places = (this.game ? this.game.frames : []).flatMap((frame, n) => (frame.choice && (n - this.at) * by > 0 ? [n] : []));
    if (places.length) this.go(by > 0 ? places[0] : places.at(-1));
  }

  key(event) {
    if (isForElement(event)) return;
    act(event, { ArrowLeft: () => this.go(this.at - 1), ArrowRight: () => this.go(this.at + 1), "[": () => this.toChoice(-1), "]": () => this.toChoice(1),
      Home: () => this.go(0), End: () => this.go(Infinity) });
  }

  keep() {
    saveSettings(this.settings);
    applySettings(this.settings);
    showToggles(this.toggles, this.settings, () => this.keep(), []);
    this.draw();
  }

  draw() {
    if (!this.game) return;
    const { frames, players, points, pattern, plans } = this.game;
    const frame = frames[this.at];
    const names = players.map((name, seat) => (players[0] === players[1] ? `${seat + 1} ${nameOf(name)}` : nameOf(name)));
    this.where.textContent = `${this.at + 1} / ${frames.length}`;
    fill(this.table, tableOf(frame, names), h("p", { class: "unseen" }, inWords(frame, names)));
    const latest = [0, 1].map((seat) => frames.slice(0, this.at + 1).findLast((each) => each.choice && each.mover === seat)).filter(Boolean);
    const winner = points[0] > 0 ? 0 : 1;
    const end = points[0] ? t("duel.wins", { name: names[winner], points: Math.abs(points[0]), plan: nameOf(pattern) }) : t("duel.exhausted");
    const moves = frames.slice(1, this.at + 1).map((each) => each.did).filter(([, what]) => what !== "pass").reverse().slice(0, MOVES);
    fill(this.panel, frame.phase === "over" ? h("p", { id: "end" }, h("b", {}, end)) : null,
      latest.map((each) => node(each.choice, names[each.mover], plans, each === frame)),
      latestMoves(moves.map(([seat, what]) => [names[seat], planShown(what) || moveShown([seat, what])])));
  }
}

/** Show the page of two-player mahjong in an element. */
export function show(root) {
  new DuelPage(root);
}
