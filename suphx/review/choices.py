"""The decisions of a seat: the options, the action taken, the agent's opinion, and how much the choice mattered."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator import record as r
from simulator.actions import Action, legal_actions
from simulator.efficiency import discards_batch, kinds_of, shanten_batch
from simulator.rules import Rules
from simulator.tables import Decisions
from simulator.tiles import KIND_NAMES, KINDS, RED_FIVE_KINDS
from suphx.agent.opinions import difference, opinions_of
from suphx.agent.registry import NetworkAgent
from suphx.features.encode import encode_batch
from suphx.features.layout import start
from suphx.features.lookahead import NO_PROPOSAL
from suphx.outlook.predictor import DiscardValues, Outlook
from suphx.outlook.valuation import DISCARDED, ChoiceValues, choice_values, kinds_of_choices
from suphx.review.document import Candidate, Decision, HeldOut, OutlookDocument, Safety, Target
from suphx.review.listing import see_all
from suphx.review.targets import TargetQuery, find_targets

#: The classes of mistakes: how many expected points they lose at least. What loses less is, by the results of held-out
#: games, not told apart from chance (docs/review.md).
MISTAKES = {"mistake": 300, "large": 1000}
#: What mistakes cost in held-out games, with 95 % intervals (docs/results/outlook.json), by kind of choice and class.
#: Other kinds are not marked, since their interval includes 0 there or in other games (docs/results/outlook-2018.json),
#: nor are large ones that did not cost more. East-only games bear out all marks (docs/results/outlook-tonpuu.json).
MARKS = {
    DISCARDED: {"mistake": HeldOut(points=429, low=286, high=576), "large": HeldOut(points=1419, low=792, high=2135)},
    "pass": {"mistake": HeldOut(points=399, low=191, high=597), "large": HeldOut(points=747, low=436, high=1063)},
    "no riichi": {"mistake": HeldOut(points=1166, low=854, high=1447)},
}


@dataclass(frozen=True)
class DecisionPoint:
    """A decision of a seat, before the agent has assessed it."""

    record: int
    """Index of the record."""
    round: int
    frame: int
    seat: int
    action: int
    legal: np.ndarray
    """bool[ACTIONS]."""


def choice_of(action: int, drawn: int) -> int:
    """Return what an action is to the networks: for a discard its kind, that of `drawn` if just drawn, else itself."""
    if action == r.DISCARD_DRAWN:
        return drawn >> 2
    return RED_FIVE_KINDS[action - r.DISCARD_RED] if r.DISCARD_RED <= action < r.DISCARD_DRAWN else action


@dataclass(frozen=True)
class _Worth:
    """The outlook's values of one decision."""

    before: OutlookDocument | None
    """None without a discard."""
    by_choice: list[dict[str, Any]]
    """By choice: the fields of its candidate."""


#: The fields of a candidate that the outlook gives: for every choice with a value, and for discards.
_WORTH, _RISKS = ("points", "placement"), ("deals_in", "danger_points")


def worth_of(values: ChoiceValues) -> list[_Worth]:
    """Return the values of each decision, rounded for display."""
    columns = _rounded(values.points, 0), _rounded(values.placement, 3)
    worth = [
        _Worth(None, [dict(zip(_WORTH, each, strict=True)) for each in zip(*row, strict=True)])
        for row in zip(*columns, strict=True)
    ]
    risks = np.round(values.discards.before.chances, 4).transpose(0, 2, 1).tolist()
    dangers = _rounded(values.discards.danger, 0)
    rows = zip(values.rows.tolist(), _before(values.discards), risks, dangers, strict=True)
    for n, before, deals_in, danger in rows:
        of_kinds = (dict(zip(_RISKS, each, strict=True)) for each in zip(deals_in, danger, strict=True))
        kinds = [worth[n].by_choice[kind] | risk for kind, risk in enumerate(of_kinds)]
        worth[n] = _Worth(before, kinds + worth[n].by_choice[KINDS:])
    return worth


def _before(values: DiscardValues) -> list[OutlookDocument]:
    outlook = values.before
    columns = *np.round(outlook.results, 4).T, np.round(outlook.points), np.round(outlook.placement, 3)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [OutlookDocument(**dict(zip(OutlookDocument.model_fields, row, strict=True))) for row in rows]


class Assessment:
    """An agent's assessment of decisions, computed for all of them in batches."""

    def __init__(
        self,
        records: np.ndarray,
        points: Sequence[DecisionPoint],
        agent: NetworkAgent,
        rules: Rules,
        outlook: Outlook | None = None,
    ) -> None:
        """Assess decisions; records: GAME[...], outlook: gives the values of choices."""
        index = np.array([each.record for each in points], np.int32)
        seats = np.array([each.seat for each in points], np.uint8)
        legal = np.array([each.legal for each in points], np.bool_).reshape(len(points), r.ACTIONS)
        batch = Decisions(index, seats, records["phase"][index].astype(np.uint8), legal)
        opinions = opinions_of(agent, records, batch)
        self._records, self._points, self._batch, self._opinions = records, points, batch, opinions
        self._rules, self._games = rules, records[index]
        self._planes = encode_batch(records, batch.game, batch.seat)
        self._choices = [self._choices_of(n) for n in range(len(points))]
        hands = self._games["hand"][np.arange(len(points)), batch.seat]
        self._shanten = shanten_batch(hands).tolist()
        self._discards = self._after_discards(hands)
        self._worth: list[_Worth] = []
        if outlook is not None:
            self._worth = worth_of(choice_values(outlook, agent, records, batch, self._planes, opinions))

    def _after_discards(self, hands: np.ndarray) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        """Return for each decision with 3n+2 tiles the shanten and the tiles accepted after a discard, by kind."""
        rows = np.flatnonzero(hands.sum(1) % 3 == 2)
        views = see_all(self._records, self._batch.game[rows], self._batch.seat[rows])
        after = discards_batch(hands[rows], views["unseen"])
        return {n: (after.shanten[row], after.tiles[row]) for row, n in enumerate(rows.tolist())}

    def _choices_of(self, n: int) -> dict[int, Action]:
        """Return the choices that the networks distinguish, likeliest first, each with an action that stands for it."""
        game, probability = self._games[n], self._opinions.probability[n]
        actions: dict[int, Action] = {}
        for action in legal_actions(game, self._points[n].seat, self._batch.legal[n]):
            choice = choice_of(int(action), int(game["drawn"]))
            if choice not in actions or probability[int(action)] > 0:
                actions[choice] = action
        return dict(sorted(actions.items(), key=lambda each: (-probability[int(each[1])], each[0])))

    def decisions(self) -> list[Decision]:
        """Return the decisions in which the agent distinguishes at least two actions; `number` counts them."""
        rows = [n for n, choices in enumerate(self._choices) if len(choices) > 1]
        targets = self._targets(rows)
        return [self._decision(number, n, targets[n]) for number, n in enumerate(rows)]

    def _candidate(self, n: int, choice: int, action: Action, safety: Sequence[Safety]) -> Candidate:
        probability = round(float(self._opinions.probability[n, int(action)]), 5)
        values = self._worth[n].by_choice[choice] if self._worth else {}
        tile, own, name = action.claimed or (action.own[0] if action.own else ""), list(action.own), action.name
        shanten: int | None = None
        accepted: int | None = None
        danger: list[int] = []
        if choice < r.DISCARD_RED:
            own, name, kind = [], f"discard {tile}", KIND_NAMES[choice]
            shanten, accepted = (int(each[choice]) for each in self._discards[n])
            danger = [each.seat for each in safety if each.riichi and kind not in each.safe and kind not in each.suji]
        return Candidate(
            type=action.type, name=name, tile=tile, own=own, probability=probability,
            shanten=shanten, accepted=accepted, danger=danger, **values,
        )  # fmt: skip

    def _safety_of(self, n: int) -> list[Safety]:
        safety = []
        for rival in range(r.SEATS - 1):
            other = (self._points[n].seat + 1 + rival) % r.SEATS
            safe = int(self._planes[n, start("safety.safe") + rival])
            suji = int(self._planes[n, start("safety.suji") + rival]) & ~safe
            riichi = bool(self._games[n]["riichi"][other])
            safety.append(Safety(seat=other, riichi=riichi, safe=kinds_of(safe), suji=kinds_of(suji)))
        return safety

    def _targets(self, rows: Sequence[int]) -> dict[int, list[Target]]:
        """Return the best targets of each decision; for a claim, those after each chow and pong, and after a pass."""
        queries, of = [], []
        for n in rows:
            options: list[tuple[int, int | None]] = [(NO_PROPOSAL, None)]
            if self._batch.legal[n, r.PASS]:
                options = [
                    (NO_PROPOSAL if choice == r.PASS else choice, place)
                    for place, choice in enumerate(self._choices[n])
                    if choice == r.PASS or r.CHOW_LOW <= choice < r.OPEN_KONG
                ]
            queries += [TargetQuery(self._points[n].record, self._points[n].seat, *option) for option in options]
            of += [n] * len(options)
        targets: dict[int, list[Target]] = {n: [] for n in rows}
        for n, best in zip(of, find_targets(self._records, queries, self._rules), strict=True):
            targets[n] += best
        return targets

    def _decision(self, number: int, n: int, targets: list[Target]) -> Decision:
        point, game, safety, choices = self._points[n], self._games[n], self._safety_of(n), list(self._choices[n])
        candidates = [self._candidate(n, choice, action, safety) for choice, action in self._choices[n].items()]
        drawn = int(game["drawn"])
        taken = choices.index(choice_of(point.action, drawn))
        preferred = choices.index(choice_of(int(self._opinions.preferred[n]), drawn))
        p, q = candidates[preferred].probability, candidates[taken].probability
        kind = kinds_of_choices(*(np.array([choices[place]]) for place in (preferred, taken))).item()
        lost = lost_of(candidates[preferred].points, candidates[taken].points, kind, taken == preferred)
        mistake = mistake_of(lost, kind)
        return Decision(
            round=point.round,
            frame=point.frame,
            number=number,
            situation=situation_of(choices),
            turn=int(game["n_river"][point.seat]),
            shanten=int(self._shanten[n]),
            against_riichi=any(game["riichi"][other] for other in range(r.SEATS) if other != point.seat),
            candidates=candidates,
            taken=taken,
            preferred=preferred,
            agrees=taken == preferred,
            confidence=p,
            difference=0.0 if taken == preferred else round(float(difference(p, q)), 4),
            targets=targets,
            safety=safety,
            outlook=self._worth[n].before if self._worth else None,
            lost=lost,
            mistake=mistake,
            held_out=MARKS[kind][mistake] if mistake else None,
        )


def lost_of(best: float | None, done: float | None, kind: str, agrees: bool) -> float | None:
    """Return what a decision lost, as in `Decision.lost`; best, done: points of the agent's choice and of the other."""
    if best is None or done is None:
        return None
    lost = best - done
    is_known = agrees or kind == DISCARDED or (kind in MARKS and lost >= min(MISTAKES.values()))
    return lost if is_known else None


def mistake_of(lost: float | None, kind: str) -> str:
    """Return the class of a decision by what it lost in points and its kind of choice, as in `Decision.mistake`."""
    classes = [name for name, least in MISTAKES.items() if lost is not None and lost >= least]
    return next((name for name in reversed(classes) if name in MARKS.get(kind, ())), "")


def _rounded(values: np.ndarray, digits: int) -> list[list[float | None]]:
    """Return a matrix rounded to some digits, with None for NaN."""
    return [[None if math.isnan(value) else value for value in row] for row in np.round(values, digits).tolist()]


def situation_of(choices: Sequence[int]) -> str:
    """Return the kind of a decision, as in `Decision.situation`, from its choices."""
    if r.TSUMO in choices or r.RON in choices:
        return "win"
    if r.NINE_TERMINALS in choices:
        return "nine terminals"
    if r.PASS in choices:
        return "call"
    if any(r.CLOSED_KONG <= choice < r.TSUMO for choice in choices):
        return "kong"
    return "riichi" if r.DECLARE_RIICHI in choices else "discard"
