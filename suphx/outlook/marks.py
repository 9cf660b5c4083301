"""What marks of calls, passes, kongs and riichi are worth: expected losses against results, in held-out games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from pydantic import BaseModel

from simulator import record as r
from simulator.tables import Decisions
from simulator.tiles import KINDS
from suphx.agent.flow import Flow
from suphx.agent.opinions import opinions_of
from suphx.dataset.prepared import Prepared
from suphx.outlook.examples import ChoiceSource, OutlookExamples
from suphx.outlook.predictor import Outlook
from suphx.outlook.valuation import CHOICES, by_choice, choice_values, choices_of, kinds_of_choices
from suphx.reward.evaluation import GameSampler, Number, with_interval

#: Rounds that are collected and evaluated at a time.
_CHUNK = 200
#: The lowest expected loss of a mistake, in points.
LEAST_MISTAKE = 300.0

_KINDS = np.arange(KINDS)
_CHOWS, _PONGS = np.arange(r.CHOW_LOW, r.PONG), np.arange(r.PONG, r.OPEN_KONG)
_KONGS = np.arange(r.OPEN_KONG, r.TSUMO)
_RIICHI, _PASS = np.array([r.DECLARE_RIICHI]), np.array([r.PASS])
_OTHERWISE = np.concatenate([_KINDS, _PASS])
#: By kind of choice: the choices of those who agree with the agent, and what they might have done instead.
_ALTERNATIVES = {
    "chow": (_PASS, _CHOWS),
    "pong": (_PASS, _PONGS),
    "kong": (_OTHERWISE, _KONGS),
    "riichi": (_KINDS, _RIICHI),
    "pass": (np.concatenate([_CHOWS, _PONGS]), _PASS),
    "no kong": (_KONGS, _OTHERWISE),
    "no riichi": (_RIICHI, _KINDS),
}


class Mark(BaseModel):
    """Decisions in which a player did something else than the agent, against like ones in which it did the same."""

    low: float | None
    high: float | None
    """Bounds of what was lost by the outlook, in points."""
    decisions: int
    agreeing: int
    """Number of decisions in which the player did as the agent and the alternative would have lost as much."""
    expected: float
    """Mean of what was lost by the outlook."""
    actual: Number | None
    """Mean of the expected points of the agent's choice minus the points gained, less that mean over the agreeing
    decisions; None where there are too few."""
    placement: Number | None
    """Mean of the placement at the end of the game minus that which was expected of the agent's choice, likewise."""


class ChoiceEvaluation(BaseModel):
    """Whether what the outlook says was lost by one kind of choice was lost."""

    decisions: int
    marks: list[Mark]
    """By what was lost by the outlook."""
    mistakes: Mark
    """All from 300 points on."""


_Columns = dict[str, np.ndarray]


def evaluate_choices(
    outlook: Outlook,
    agent: Flow,
    prepared: Prepared,
    bounds: Sequence[float],
    bootstrap: int,
    seed: int,
    decisions: int | None = None,
    split: str = "test",
    show: Callable[[float], None] = lambda share: None,
) -> dict[str, ChoiceEvaluation]:
    """Evaluate the values of calls, passes, kongs and riichi on a split of prepared logs, by kind of choice.

    bounds: of the classes by what was lost, in points. decisions: maximum number, in whole rounds chosen at random.
    Otherwise as `evaluation.evaluate`.
    """
    source = ChoiceSource(prepared, split)
    random = np.random.default_rng(seed)
    order = random.permutation(source.rounds)
    columns: dict[str, list[_Columns]] = {kind: [] for kind in CHOICES}
    n_decisions = 0
    for first in range(0, len(order), _CHUNK):
        examples = source.collect(order[first : first + _CHUNK], random)
        for kind, each in _columns(outlook, agent, examples, prepared).items():
            columns[kind].append(each)
        n_decisions += len(examples.seats)
        show(min(1.0, (first + _CHUNK) / len(order)))
        if decisions is not None and n_decisions >= decisions:
            break
    joined = {
        kind: {name: np.concatenate([each[name] for each in parts]) for name in parts[0]}
        for kind, parts in columns.items()
        if parts
    }
    return {kind: choice_evaluation(each, bounds, bootstrap, seed) for kind, each in joined.items()}


def _columns(
    outlook: Outlook, agent: Flow, examples: OutlookExamples, prepared: Prepared
) -> dict[str, dict[str, np.ndarray]]:
    """Return by kind of choice the columns of its decisions: disagreeing, and agreeing with such an alternative."""
    games, seats, rows = examples.positions, examples.seats, np.arange(len(examples.seats))
    batch = Decisions(rows.astype(np.int32), seats, games["phase"].astype(np.uint8), _legal(games, seats))
    opinions, planes = opinions_of(agent, games, batch), examples.planes()
    values = choice_values(outlook, agent, games, batch, planes, opinions)
    preferred, taken = choices_of(opinions.preferred, games["drawn"]), examples.actions
    chance = np.where(np.isfinite(values.points), by_choice(opinions.probability, games["drawn"]), -1.0)
    kinds, best = kinds_of_choices(preferred, taken), values.points[rows, preferred]
    missed = best - examples.targets.points
    placement = examples.targets.ranks + 1 - values.placement[rows, preferred]
    game = prepared.rounds["game"][examples.rounds].astype(np.int64)
    columns = {}
    for kind, (usual, others) in _ALTERNATIVES.items():
        other = others[chance[:, others].argmax(axis=1)]
        agrees = (preferred == taken) & np.isin(taken, usual) & (chance[rows, other] >= 0)
        differs = (preferred != taken) & (kinds == kind)
        cost = best - values.points[rows, np.where(agrees, other, taken)]
        here = np.flatnonzero((agrees | differs) & np.isfinite(cost))
        every = {"game": game, "agrees": agrees, "cost": cost, "missed": missed, "placement": placement}
        columns[kind] = {name: each[here] for name, each in every.items()}
    return columns


def _legal(games: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Return bool[n, ACTIONS]: what seats that are to act may do."""
    words = games["legal"][np.arange(len(seats)), seats].astype(np.uint64)
    actions = np.arange(r.ACTIONS)
    word, bit = actions // r.WORD_BITS, (actions % r.WORD_BITS).astype(np.uint64)
    return (words[:, word] >> bit & np.uint64(1)).astype(np.bool_)


def choice_evaluation(columns: _Columns, bounds: Sequence[float], bootstrap: int, seed: int) -> ChoiceEvaluation:
    """Return the evaluation of one kind of choice.

    columns, all [n]: `game` i64; `agrees` bool, whether the player did as the agent; `cost`, what was lost by the
    outlook, or would have been by the alternative; `missed`, the expected points of the agent's choice minus the points
    gained; `placement`, the placement minus that expected.
    """
    sampler = GameSampler(columns["game"], bootstrap, seed)

    def mark(low: float | None, high: float | None) -> Mark:
        inside = np.ones(len(columns["cost"]), np.bool_)
        if low is not None:
            inside &= columns["cost"] >= low
        if high is not None:
            inside &= columns["cost"] < high
        differs, agrees = (np.flatnonzero(inside & each) for each in (~columns["agrees"], columns["agrees"]))
        known = min(len(np.unique(columns["game"][each])) for each in (differs, agrees)) > 1

        def beyond(values: np.ndarray) -> Number | None:
            if not known:
                return None
            means = [sampler.ratios(columns["game"][each], values[each]) for each in (differs, agrees)]
            return with_interval(means[0] - means[1])

        return Mark(
            low=low,
            high=high,
            decisions=len(differs),
            agreeing=len(agrees),
            expected=float(columns["cost"][differs].mean()) if len(differs) else 0.0,
            actual=beyond(columns["missed"]),
            placement=beyond(columns["placement"]),
        )

    return ChoiceEvaluation(
        decisions=int((~columns["agrees"]).sum()),
        marks=[mark(*each) for each in pairwise((None, *bounds, None))],
        mistakes=mark(LEAST_MISTAKE, None),
    )
