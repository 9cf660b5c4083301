"""The decisions of a seat: the options, the action taken, the agent's opinion, and how much the choice mattered."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from simulator import record as r
from simulator.actions import Action, legal_actions
from simulator.efficiency import discards_batch, kinds_of, shanten_batch
from simulator.rules import Rules
from simulator.tables import Decisions
from simulator.tiles import KIND_NAMES, KINDS, RED_FIVE_KINDS
from suphx.agent.opinions import Opinions, difference, opinions_of
from suphx.agent.registry import NetworkAgent
from suphx.dataset.loader import legal_discards
from suphx.features.encode import encode_batch
from suphx.features.layout import start
from suphx.features.lookahead import NO_PROPOSAL
from suphx.outlook.predictor import DiscardValues, Outlook
from suphx.review.document import Candidate, Decision, OutlookDocument, Safety, Target
from suphx.review.listing import see_all
from suphx.review.targets import TargetQuery, find_targets

#: The classes of mistakes: how many expected points they lose at least. What loses less is, by the results of held-out
#: games, not told apart from chance (docs/review.md).
MISTAKES = {"mistake": 300, "large": 1000}


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


#: The fields of a candidate that the outlook gives; the last two only for discards.
_WORTH = ("points", "placement", "deals_in", "danger_points")
#: The outlook before a decision, and the values of each discard by kind and of riichi by its action.
_Worth = tuple[OutlookDocument, list[dict[str, Any]]]


def worth_of(
    outlook: Outlook, records: np.ndarray, batch: Decisions, planes: np.ndarray, opinions: Opinions
) -> dict[int, _Worth]:
    """Return the outlook's values of each decision with a discard, by its number, rounded for display.

    planes u64[n, planes]: the encoded positions. Riichi is worth as much as the discard that the agent prefers.
    """
    legal = legal_discards(planes)
    rows = np.flatnonzero(legal.any(axis=1))
    if not len(rows):
        return {}
    games, seats = records[batch.game[rows]], batch.seat[rows]
    values = outlook.discards(games, seats, legal[rows], planes[rows])
    points, placement = (np.full((len(rows), r.DECLARE_RIICHI + 1), np.nan) for _ in range(2))
    points[:, :KINDS], placement[:, :KINDS] = values.points, values.placement
    may = np.flatnonzero(batch.legal[rows, r.DECLARE_RIICHI])
    if len(may):
        liked = _riichi_discards(planes[rows[may]], opinions.probability[rows[may]], games["drawn"][may])
        declared, who = games[may], seats[may]
        at = np.arange(len(may))
        declared["riichi"][at, who] = 1
        declared["double_riichi"][at, who] = (declared["interrupted"] == 0) & (declared["n_river"][at, who] == 0)
        after = outlook.discards(declared, who, np.arange(KINDS) == liked[:, None], planes[rows[may]])
        points[may, r.DECLARE_RIICHI] = after.points[at, liked]
        placement[may, r.DECLARE_RIICHI] = after.placement[at, liked]
    deals_in = np.round(values.before.chances, 4).transpose(0, 2, 1).tolist()
    columns = zip(_rounded(points, 0), _rounded(placement, 3), deals_in, _rounded(values.danger, 0), strict=True)
    by_choice = ([dict(zip(_WORTH, each, strict=True)) for each in zip_longest(*lists)] for lists in columns)
    return dict(zip(rows.tolist(), zip(_before(values), by_choice, strict=True), strict=True))


def _riichi_discards(planes: np.ndarray, probability: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Return i64[n]: of the kinds that may be discarded with riichi, the one that the agent prefers."""
    by_kind = probability[:, :KINDS].copy()
    for suit, kind in enumerate(RED_FIVE_KINDS):
        by_kind[:, kind] += probability[:, r.DISCARD_RED + suit]
    by_kind[np.arange(len(drawn)), drawn >> 2] += probability[:, r.DISCARD_DRAWN]
    may = (planes[:, start("legal.riichi"), None] >> np.arange(KINDS, dtype=np.uint64) & np.uint64(1)).astype(np.bool_)
    return np.where(may, by_kind, -1).argmax(axis=1)


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
        """Assess decisions; records: GAME[...], outlook: gives the values of discards."""
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
        self._worth = {} if outlook is None else worth_of(outlook, records, batch, self._planes, opinions)

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
        values = self._worth[n][1][choice] if n in self._worth and choice <= r.DECLARE_RIICHI else {}
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
        best, done = candidates[preferred].points, candidates[taken].points
        lost = None if best is None or done is None else best - done
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
            outlook=self._worth[n][0] if n in self._worth else None,
            lost=lost,
            mistake=mistake_of(lost),
        )


def mistake_of(lost: float | None) -> str:
    """Return the class of a decision by what it lost in points, as in `Decision.mistake`."""
    return next((name for name, least in reversed(MISTAKES.items()) if lost is not None and lost >= least), "")


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
