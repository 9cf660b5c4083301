"""The decisions of a seat: the options, the action taken, the agent's opinion, and how much the choice mattered."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator import record as r
from simulator.actions import Action, legal_actions
from simulator.efficiency import Discards, discards_batch, kinds_of, shanten_batch
from simulator.rules import Rules
from simulator.tables import Decisions
from simulator.tiles import KIND_NAMES, KINDS, RED_FIVE_KINDS
from suphx.agent.network_agent import NetworkAgent
from suphx.agent.opinions import Opinions, opinions_of
from suphx.dataset.loader import legal_discards
from suphx.features.encode import encode_batch
from suphx.features.encode_lookahead import NO_PROPOSAL
from suphx.features.layout import start
from suphx.outlook.predictor import DiscardValues, Outlook
from suphx.review.document import Candidate, Decision, OutlookDocument, Safety, Target
from suphx.review.listing import see_all
from suphx.review.targets import TargetQuery, find_targets

#: Lower bound of probabilities where they are compared: smaller outputs of the networks are not reliable.
LEAST_PROBABILITY = 1e-4
#: The classes of mistakes: how many expected points they lose at least.
MISTAKES = {"small": 100, "medium": 300, "large": 1000}


@dataclass(frozen=True)
class DecisionPoint:
    """A decision of a seat, before the agent has assessed it."""

    record: int
    """Index of the record."""
    round: int
    frame: int
    seat: int
    action: int
    """The action taken."""


def difference(preferred: float, taken: float) -> float:
    """Return p ln(p / q) in nats, as in `Decision.difference`; p and q are the two probabilities."""
    least = max(taken, LEAST_PROBABILITY)
    return max(0.0, preferred * math.log(preferred / least)) if preferred > 0 else 0.0


def choice_of(action: int, drawn: int) -> int:
    """Return the choice that an action is to the networks: for a discard its kind, otherwise the action itself.

    drawn: the tile just drawn, for the action that discards it.
    """
    if action == r.DISCARD_DRAWN:
        return drawn >> 2
    return RED_FIVE_KINDS[action - r.DISCARD_RED] if r.DISCARD_RED <= action < r.DISCARD_DRAWN else action


def decisions_of(
    records: np.ndarray,
    decision_points: Sequence[DecisionPoint],
    legal: np.ndarray,
    agent: NetworkAgent,
    rules: Rules,
    outlook: Outlook | None = None,
) -> list[Decision]:
    """Return the agent's assessment of decisions, in order, without those in which it distinguishes no two actions.

    records GAME[...]; legal bool[n, ACTIONS]: the legal actions; outlook: gives the values of discards. The field
    `Decision.number` counts the decisions returned.
    """
    index = np.array([each.record for each in decision_points], np.int32)
    seats = np.array([each.seat for each in decision_points], np.uint8)
    batch = Decisions(index, seats, records["phase"][index].astype(np.uint8), legal)
    return _Facts(records, decision_points, batch, opinions_of(agent, records, batch), rules, outlook).decisions()


@dataclass(frozen=True)
class Worth:
    """The outlook's values of one decision, rounded for display; None where it has none."""

    before: OutlookDocument
    deals_in: list[list[float]]
    """By kind: the probability that its discard deals in to each other seat."""
    danger: list[float | None]
    """By kind: the points that this costs on average."""
    points: list[float | None]
    """The expected points of each discard by kind, and of riichi by its action."""
    placement: list[float | None]
    """The expected placement, likewise."""


def worth_of(
    outlook: Outlook, records: np.ndarray, batch: Decisions, planes: np.ndarray, opinions: Opinions
) -> dict[int, Worth]:
    """Return the outlook's values of each decision with a discard, by its number.

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
    known = zip(
        _before(values),
        np.round(values.before.chances, 4).transpose(0, 2, 1).tolist(),
        *(_rounded(each, digits) for each, digits in ((values.danger, 0), (points, 0), (placement, 3))),
        strict=True,
    )
    return {n: Worth(*each) for n, each in zip(rows.tolist(), known, strict=True)}


def _riichi_discards(planes: np.ndarray, probability: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Return i64[n]: of the kinds that may be discarded with riichi, the one that the agent prefers."""
    by_kind = probability[:, :KINDS].copy()
    for suit, kind in enumerate(RED_FIVE_KINDS):
        by_kind[:, kind] += probability[:, r.DISCARD_RED + suit]
    by_kind[np.arange(len(drawn)), drawn >> 2] += probability[:, r.DISCARD_DRAWN]
    may = (planes[:, start("legal.riichi"), None] >> np.arange(KINDS, dtype=np.uint64) & np.uint64(1)).astype(np.bool_)
    return np.where(may, by_kind, -1).argmax(axis=1)


def _before(values: DiscardValues) -> list[OutlookDocument]:
    results, points = np.round(values.before.results, 4), np.round(values.before.points)
    known = zip(results.tolist(), points.tolist(), np.round(values.before.placement, 3).tolist(), strict=True)
    return [
        OutlookDocument(
            win=chances[0], deal_in=chances[1], another_draws=chances[2], others=chances[3], no_winner=chances[4],
            points=points, placement=placement,
        )
        for chances, points, placement in known
    ]  # fmt: skip


class _Facts:
    """Everything known about a game's decisions, computed for all of them in batches."""

    def __init__(
        self,
        records: np.ndarray,
        decision_points: Sequence[DecisionPoint],
        batch: Decisions,
        opinions: Opinions,
        rules: Rules,
        outlook: Outlook | None,
    ) -> None:
        self._records, self._decision_points, self._batch, self._opinions = records, decision_points, batch, opinions
        self._rules = rules
        self._planes = encode_batch(records, batch.game, batch.seat)
        self._choices = [self._choices_of(n) for n in range(len(decision_points))]
        self._rows = [n for n, choices in enumerate(self._choices) if len(choices) > 1]
        hands = records["hand"][batch.game, batch.seat]
        self._shanten = shanten_batch(hands).tolist() if len(decision_points) else []
        self._discards = self._after_discards(hands)
        self._safety = {n: self._safety_of(n) for n in self._rows}
        self._worth = {} if outlook is None else worth_of(outlook, records, batch, self._planes, opinions)

    def _after_discards(self, hands: np.ndarray) -> dict[int, tuple[Discards, int]]:
        """Return for each decision with 3n+2 tiles the shanten and acceptance after each discard, and its row there."""
        rows = np.flatnonzero(hands.sum(1) % 3 == 2)
        if not len(rows):
            return {}
        views = see_all(self._records, self._batch.game[rows], self._batch.seat[rows])
        after = discards_batch(hands[rows], views["unseen"])
        return {n: (after, row) for row, n in enumerate(rows.tolist())}

    def _choices_of(self, n: int) -> dict[int, Action]:
        """Return the choices that the networks distinguish: choice -> the action that represents it."""
        drawn = int(self._records["drawn"][self._batch.game[n]])
        actions: dict[int, Action] = {}
        game, seat = self._records[self._batch.game[n]], int(self._batch.seat[n])
        for action in legal_actions(game, seat, self._batch.legal[n]):
            choice = choice_of(int(action), drawn)
            if choice not in actions or self._opinions.probability[n, int(action)] > 0:
                actions[choice] = action
        return actions

    def decisions(self) -> list[Decision]:
        """Return the decisions with at least two choices."""
        candidates = {n: self._candidates(n) for n in self._rows}
        targets = self._targets(candidates)
        return [self._decision(number, n, *candidates[n], targets[n]) for number, n in enumerate(self._rows)]

    def _candidates(self, n: int) -> tuple[list[Candidate], list[int]]:
        """Return the candidates of a decision, likeliest first, and the choice of each."""
        probability = self._opinions.probability[n]
        choices = sorted(self._choices[n].items(), key=lambda each: (-probability[int(each[1])], each[0]))
        safety, worth = self._safety[n], self._worth.get(n)
        candidates = []
        for choice, action in choices:
            is_discard = choice < r.DISCARD_RED
            after, row = self._discards.get(n, (None, 0)) if is_discard else (None, 0)
            name = KIND_NAMES[choice] if is_discard else ""
            candidates.append(
                Candidate(
                    type=action.type,
                    name=f"discard {action.own[0]}" if is_discard else action.name,
                    tile=action.own[0] if is_discard or (not action.claimed and action.own) else action.claimed,
                    own=[] if is_discard else list(action.own),
                    probability=round(float(probability[int(action)]), 5),
                    shanten=None if after is None else int(after.shanten[row, choice]),
                    accepted=None if after is None else int(after.tiles[row, choice]),
                    danger=[
                        each.seat
                        for each in safety
                        if is_discard and each.riichi and name not in each.safe and name not in each.suji
                    ],
                    deals_in=worth.deals_in[choice] if is_discard and worth else None,
                    danger_points=worth.danger[choice] if is_discard and worth else None,
                    points=worth.points[choice] if worth and choice <= r.DECLARE_RIICHI else None,
                    placement=worth.placement[choice] if worth and choice <= r.DECLARE_RIICHI else None,
                )
            )
        return candidates, [choice for choice, _ in choices]

    def _safety_of(self, n: int) -> list[Safety]:
        game, seat = self._records[self._batch.game[n]], int(self._batch.seat[n])
        safety = []
        for rival in range(r.SEATS - 1):
            other = (seat + 1 + rival) % r.SEATS
            safe = int(self._planes[n, start("safety.safe") + rival])
            suji = int(self._planes[n, start("safety.suji") + rival]) & ~safe
            riichi = bool(game["riichi"][other])
            safety.append(Safety(seat=other, riichi=riichi, safe=kinds_of(safe), suji=kinds_of(suji)))
        return safety

    def _targets(self, candidates: dict[int, tuple[list[Candidate], list[int]]]) -> dict[int, list[Target]]:
        """Return the best targets of each decision; for a claim, those after each chow and pong, and after a pass."""
        queries, of = [], []
        for n, (_, choices) in candidates.items():
            claim = bool(self._batch.legal[n, r.PASS])
            for place, choice in enumerate(choices):
                if claim and (choice == r.PASS or r.CHOW_LOW <= choice < r.OPEN_KONG):
                    action = NO_PROPOSAL if choice == r.PASS else choice
                    queries.append(
                        TargetQuery(self._decision_points[n].record, self._decision_points[n].seat, action, place)
                    )
                    of.append(n)
            if not claim:
                queries.append(
                    TargetQuery(self._decision_points[n].record, self._decision_points[n].seat, NO_PROPOSAL, None)
                )
                of.append(n)
        targets: dict[int, list[Target]] = {n: [] for n in candidates}
        for n, best in zip(of, find_targets(self._records, queries, self._rules), strict=True):
            targets[n] += best
        return targets

    def _decision(
        self, number: int, n: int, candidates: list[Candidate], choices: list[int], targets: list[Target]
    ) -> Decision:
        point, game = self._decision_points[n], self._records[self._batch.game[n]]
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
            difference=0.0 if taken == preferred else round(difference(p, q), 4),
            targets=targets,
            safety=self._safety[n],
            outlook=self._worth[n].before if n in self._worth else None,
            lost=lost,
            mistake=mistake_of(lost),
        )


def mistake_of(lost: float | None) -> str:
    """Return the class of a decision by what it lost in points, as in `Decision.mistake`."""
    if lost is None:
        return ""
    return next((name for name, least in reversed(MISTAKES.items()) if lost >= least), "")


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
