// The panel about one decision: the action taken, the agent's opinion, hands within reach, and safe tiles.
import { explained } from "suphx/controls.js";
import { h, s } from "suphx/dom.js";
import { roundOutcome } from "suphx/outcome.js";
import { tilesInline } from "suphx/tiles.js";
import { moveShown } from "suphx/spoken.js";
import { candidateName, list, number, percent, rich, t, term, yakuName } from "suphx/words.js";
import { outlookPart, worthLegend, worthLine } from "suphx/worth.js";

const SHOWN = 8; // this many of the likeliest candidates are shown, the others are folded away

/** A sentence about a decision. */
export function verdict(decision, name) {
  const taken = decision.candidates[decision.taken];
  const preferred = decision.candidates[decision.preferred];
  return t(decision.agrees ? "decision.said_agrees" : "decision.said_differs", {
    name, played: candidateName(taken), chance: percent(taken.probability), preferred: candidateName(preferred),
    confidence: percent(preferred.probability), difference: decision.difference.toFixed(2),
  });
}

/** The tiles of a candidate as displayed: for a call all its tiles, with the called one last. */
function tilesOf(candidate) {
  if (candidate.type === "closed kong") return candidate.own;
  const own = ["chow", "pong", "open kong"].includes(candidate.type) ? candidate.own : [];
  return candidate.tile ? [...own, candidate.tile] : own;
}

/** A candidate in words and tiles. */
export function candidateShort(candidate) {
  return [term(candidate.type), " ", tilesInline(tilesOf(candidate))];
}

/** The candidate of another agent's decision that is the same as one of this one's. */
function sameOf(candidate, other) {
  return other.candidates.find((each) => each.type === candidate.type && each.tile === candidate.tile && String(each.own) === String(candidate.own)) || null;
}

/** What another agent would have done. */
function otherShown(decision, other, agent) {
  if (!other) return null;
  const preferred = other.candidates[other.preferred];
  const same = sameOf(decision.candidates[decision.preferred], other) === preferred;
  return h("div", { id: "other-agent" }, rich("decision.who", { who: agent, what: same ? t("decision.agrees_too", { chance: percent(preferred.probability) }) : [candidateShort(preferred), h("span", { class: "quiet" }, ` ${percent(preferred.probability)}`)] }));
}

function verdictShown(decision, name) {
  const chance = (candidate) => h("span", { class: "quiet" }, ` ${percent(candidate.probability)}`);
  const [taken, preferred] = [decision.candidates[decision.taken], decision.candidates[decision.preferred]];
  const played = h("div", {}, rich("decision.who", { who: name, what: [candidateShort(taken), chance(taken)] }));
  if (decision.agrees) return [played, h("div", {}, t("decision.same"))];
  return [played, h("div", {}, rich("decision.who", { who: t("decision.the_agent"), what: [candidateShort(preferred), chance(preferred)] })),
    h("div", {}, rich("decision.difference", { difference: h("b", {}, decision.difference.toFixed(2)) })), explained("difference")];
}

function facts(candidate) {
  const parts = [];
  if (candidate.shanten !== null && candidate.shanten !== undefined) {
    parts.push(candidate.shanten > 0 ? t("hand.away", { count: candidate.shanten }) : candidate.shanten < 0 ? term("win") : term("ready"));
    parts.push(t("hand.tiles", { count: candidate.accepted }));
  }
  return list(parts);
}

/** A warning sign if a player in riichi may win on a discard. */
function danger(candidate, names) {
  if (!candidate.danger.length) return null;
  const words = t("decision.danger", { names: list(candidate.danger.map((seat) => names[seat])) });
  return [" ", s("svg", { class: "risk", viewBox: "0 0 12 12", role: "img", "aria-label": words }, s("title", {}, words), s("path", { d: "M1 11 6 1 11 11Z" }))];
}

function candidateRow(candidate, n, decision, names, other) {
  const theirs = other && sameOf(candidate, other);
  const taken = n === decision.taken;
  const preferred = n === decision.preferred;
  const tags = [
    taken ? h("b", { class: "tag taken" }, t("decision.played")) : null,
    preferred ? h("b", { class: "tag preferred" }, t("decision.agent")) : null,
  ].filter(Boolean);
  return h("li", { class: `candidate${candidate.type === "discard" ? "" : " wide"}${taken ? " taken" : ""}${preferred ? " preferred" : ""}` },
    h("span", { class: "what" }, h("span", { class: candidate.type === "discard" ? "unseen" : "type" }, term(candidate.type)), tilesInline(tilesOf(candidate))),
    h("span", { class: "meter", "aria-hidden": "true" }, h("span", { style: `width:${(100 * candidate.probability).toFixed(2)}%` })),
    h("span", { class: "chance" }, percent(candidate.probability), theirs ? h("span", { class: "quiet theirs" }, ` ${percent(theirs.probability)}`) : null),
    candidate.type === "discard" ? h("span", { class: "facts" }, facts(candidate), danger(candidate, names)) : null,
    tags.length ? h("span", { class: "notes" }, tags) : null,
    worthLine(candidate, decision.safety.map((each) => names[each.seat])),
  );
}

function candidateList(decision, names, other = null) {
  const important = (n) => n < SHOWN || n === decision.taken || n === decision.preferred;
  const rows = decision.candidates.map((each, n) => [n, candidateRow(each, n, decision, names, other)]);
  const rest = rows.filter(([n]) => !important(n)).map(([, row]) => row);
  return [
    h("ol", { class: "candidates" }, rows.filter(([n]) => important(n)).map(([, row]) => row)),
    rest.length ? h("details", {}, h("summary", {}, t("decision.more", { count: rest.length })), h("ol", { class: "candidates" }, rest)) : null,
  ];
}

function targetRow(target) {
  const also = target.also.length ? h("details", { class: "also" }, h("summary", {}, t("decision.also", { count: target.also.length })),
    target.also.map((faces) => tilesInline(faces))) : null;
  return h("li", { class: "target" },
    h("div", {}, tilesInline(target.hand)),
    h("div", { class: "target-facts" },
      h("b", {}, t("outcome.points", { points: number(target.points) })), ` · ${list(target.yaku.map(yakuName))}`),
    h("div", { class: "target-facts" },
      rich("decision.draws", { count: target.draws.length, tiles: tilesInline(target.draws) }),
      target.gives.length ? [" ", rich("decision.gives", { tiles: tilesInline(target.gives) })] : null,
      ` · ${t("decision.likelihood", { likelihood: target.likelihood.toFixed(2) })}`, also));
}

function targets(decision) {
  if (!decision.targets.length) return h("p", { class: "quiet" }, t("decision.no_hands"));
  const groups = new Map();
  for (const each of decision.targets) {
    const key = each.after === null ? -1 : each.after;
    groups.set(key, [...(groups.get(key) || []), each]);
  }
  return [...groups].map(([after, members]) => [
    after >= 0 ? h("h4", {}, rich("decision.after", { what: candidateShort(decision.candidates[after]) })) : null,
    h("ol", { class: "targets" }, members.map(targetRow)),
  ]);
}

function safety(decision, names, hand) {
  const held = new Set(hand.map((face) => face.replace("0", "5")));
  const rows = [...decision.safety].sort((a, b) => b.riichi - a.riichi);
  return h("dl", { class: "safety" }, rows.map((each) => {
    const own = (faces) => faces.filter((face) => held.has(face));
    const [safe, suji] = [own(each.safe), own(each.suji)];
    return [
      h("dt", {}, names[each.seat], each.riichi ? h("b", { class: "tag danger" }, term("riichi")) : null),
      h("dd", {},
        safe.length ? [h("span", {}, `${term("safe tiles")} `), tilesInline(safe)] : h("span", { class: "quiet" }, t("decision.no_safe")),
        suji.length ? [h("span", {}, ` ${term("suji")} `), tilesInline(suji)] : null),
    ];
  }));
}

/** The panel. `place`: the moment of the game, as text; `view`: the seat's own part of the frame; `other`: the same decision by `otherAgent`. */
export function decisionPanel(decision, { place, names, name, view, other = null, otherAgent = "" }) {
  return h("div", { class: "decision" },
    h("h3", {}, place),
    h("div", { class: decision.agrees ? "verdict agrees" : "verdict differs" }, verdictShown(decision, name), otherShown(decision, other, otherAgent)),
    outlookPart(decision), candidateList(decision, names, other), explained("probability"), worthLegend(decision),
    h("h3", {}, t("decision.hands")), targets(decision), explained("near"),
    h("h3", {}, t("decision.own_safe")), safety(decision, names, [...view.hand, ...(view.drawn ? [view.drawn] : [])]),
  );
}

/** That advice on a discard has no outlook, and why. */
function adviceWithout(decision) {
  return decision.candidates.some((each) => each.type === "discard") ? h("p", { class: "quiet" }, t("worth.none")) : null;
}

/** What the agent thinks of a question that is not answered yet. */
export function advicePanel(decision, { names, view }) {
  const open = { ...decision, taken: -1 };
  return h("div", { class: "decision" },
    open.outlook ? outlookPart(open) : adviceWithout(open), candidateList(open, names), explained("probability"), worthLegend(open),
    h("h3", {}, t("decision.hands")), targets(open), explained("near"),
    h("h3", {}, t("decision.own_safe")), safety(open, names, [...view.hand, ...(view.drawn ? [view.drawn] : [])]),
  );
}

/** A decision as a picture: the hand, what was played, what the agent would have played. */
export function decisionPicture({ hand, drawn }, decision) {
  const chosen = (candidate) => [candidateShort(candidate), h("span", { class: "quiet" }, ` ${percent(candidate.probability)}`)];
  const [taken, preferred] = [decision.candidates[decision.taken], decision.candidates[decision.preferred]];
  return [
    h("span", { class: "own-hand" }, tilesInline(hand), drawn ? [" ", tilesInline([drawn])] : null),
    h("span", { class: "which" }, rich("review.both", { played: chosen(taken), preferred: chosen(preferred) })),
  ];
}

/** The panel at a moment without a decision of the seat. */
export function momentPanel(frame, { place, names, result, reviewed }) {
  const done = frame.asked.map(([seat, what]) => h("li", {}, rich("decision.who", { who: names[seat], what: moveShown([seat, what]) })));
  return h("div", { class: "decision" },
    h("h3", {}, place),
    done.length ? h("ul", {}, done) : null,
    result ? roundOutcome(result, frame, names) : null,
    reviewed ? null : h("p", { class: "quiet" }, t("review.not_reviewed")));
}
