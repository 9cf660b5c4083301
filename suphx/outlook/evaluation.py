"""Measure an outlook network on held-out games: Brier scores, calibration; 95 % intervals by bootstrap over games."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from pydantic import BaseModel

from simulator.record import SEATS
from suphx.agent.flow import Flow, Network
from suphx.agent.model_decisions import DISCARD
from suphx.agent.opinions import difference
from suphx.agent.sampling import softmax
from suphx.dataset.loader import legal_discards
from suphx.dataset.prepared import SPLITS, Prepared
from suphx.features.encode import unpack
from suphx.networks.models import MODELS
from suphx.outlook.examples import DiscardExamples, DiscardSource
from suphx.outlook.labels import DEALT_IN, WON
from suphx.outlook.marks import ChoiceEvaluation, evaluate_choices
from suphx.outlook.predictor import Outlook, Outlooks
from suphx.outlook.tables import FrequencyTables, count_tables, current_rank, suji_classes
from suphx.reward.evaluation import BINS, Bin, GameSampler, Number, with_interval

NETWORK, BASE_RATE, SUJI_TABLE, PLACE_TABLE = "network", "base rate", "suji table", "place table"
GAME, ACTUAL = "game", "actual"
#: Rounds that are collected and evaluated at a time.
_CHUNK = 200
#: Decisions whose frequencies make up the tables.
_TABLE_DECISIONS = 100_000
#: Upper bounds of the groups of probabilities of dealing in, and of other probabilities.
_SMALL = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.12, 0.16, 0.24)
_LARGE = tuple(np.arange(0.05, 0.85, 0.05))
#: The events with the bounds of their groups, and the expected values.
_EVENTS = {
    "tile deals in": _SMALL, "tile deals in to riichi": _SMALL, "win": _LARGE, "deal in": _LARGE, "last place": _LARGE,
}  # fmt: skip
_VALUES = ("cost of a tile that deals in", "points", "placement")
#: Bounds of the classes of discards by what they cost, in points, and by their difference from the agent.
_COSTS = (-300.0, -100.0, 100.0, 300.0, 1000.0)
_DIFFERENCES = (0.1, 0.5, 1.5, 3.0)


class Event(BaseModel):
    """How well the probability of an event is known."""

    examples: int
    share: float
    """How often it happens."""
    brier: dict[str, Number]
    """Mean squared difference of probability and event, by predictor."""
    gain: dict[str, Number]
    """By other predictor: the share of its Brier score that the network saves."""
    calibration: list[Bin]


class Value(BaseModel):
    """How well an expected value is known."""

    examples: int
    rmse: dict[str, Number]
    """Root mean squared error by predictor."""
    slope: Number
    """Slope of actual on expected values; 1 is calibrated, below 1 the network is too bold."""
    calibration: list[Bin]


class Cost(BaseModel):
    """Discards of one class, against those that the agent prefers in the same positions."""

    low: float | None
    high: float | None
    """Bounds of the class: of the cost by the network, in points, or of the difference, in nats; both None for the
    preferred discards themselves."""
    discards: int
    expected: float
    """Mean of what they cost by the network."""
    actual: Number
    """Mean of the preferred discard's expected points minus the points that were gained, less that mean over the
    preferred discards themselves, whose own is not reduced."""
    placement: Number
    """Mean of the placement at the end of the game minus that which was expected of the preferred discard, likewise."""


class DiscardEvaluation(BaseModel):
    """Whether the differences between the discards of a position are real."""

    decisions: int
    slope: Number
    """Slope of the points gained on the discard's expected points, both less the position's expected points: the mean
    over its discards by the agent's probabilities."""
    costs: list[Cost]
    """By what they cost by the network."""
    differences: list[Cost]
    """By how much the agent prefers another, as in `Decision.difference` of a review."""


class OutlookEvaluation(BaseModel):
    """An outlook on held-out games."""

    source: str
    games: int
    decisions: int
    tables: dict[str, float]
    """Frequencies in training games, which the base rates predict for everything."""
    events: dict[str, Event]
    values: dict[str, Value]
    discards: DiscardEvaluation
    choices: dict[str, ChoiceEvaluation]
    """By kind of choice: calls, passes, kongs and riichi that were not the agent's."""


#: Examples by name: GAME i64[n], ACTUAL f32[n], and the predictions f32[n] of each predictor.
_Samples = dict[str, np.ndarray]


def _samples(
    games: np.ndarray,
    actual: np.ndarray,
    predictions: dict[str, np.ndarray | float],
    rows: np.ndarray | slice = slice(None),
) -> _Samples:
    """Return some rows of arrays that are broadcast to the shape of `actual`."""
    of_game = np.broadcast_to(games.reshape(-1, *[1] * (actual.ndim - 1)), actual.shape)[rows]
    values = {ACTUAL: actual, **predictions}
    return {GAME: of_game} | {
        name: np.broadcast_to(each, actual.shape)[rows].astype(np.float32) for name, each in values.items()
    }


def _join(parts: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    return {name: np.concatenate([each[name] for each in parts]) for name in parts[0]}


def evaluate(
    outlook: Outlook,
    agent: Flow,
    prepared: Prepared,
    bootstrap: int = 1000,
    seed: int = 0,
    decisions: int | None = None,
    valued: int = 40_000,
    choices: int | None = None,
    split: str = "test",
    show: Callable[[float], None] = lambda share: None,
) -> OutlookEvaluation:
    """Evaluate an outlook on a split of prepared logs, one of SPLITS; another one gives the frequencies of the tables.

    agent: whose choices others are compared with. bootstrap: number of samples. decisions: maximum number of discards,
    in whole rounds chosen at random. valued: of how many of them all discards are valued. choices: maximum number of
    decisions about calls, kongs and riichi, likewise. show: called with the completed share.
    """
    policy = agent.networks[MODELS[DISCARD]]
    other = "test" if split == "training" else "training"
    training, source = (DiscardSource(prepared, each) for each in (other, split))
    random = np.random.default_rng(seed)
    tables = count_tables(training.collect(training.selection.sample(random, _TABLE_DECISIONS), random))
    random = np.random.default_rng(seed)
    order = source.selection.sample(random, decisions)
    samples: list[dict[str, _Samples]] = []
    discards: list[dict[str, np.ndarray]] = []
    n_decisions = n_valued = 0
    for first in range(0, len(order), _CHUNK):
        examples = source.collect(order[first : first + _CHUNK], random)
        games = prepared.rounds["game"][examples.rounds].astype(np.int64)
        planes = examples.planes()
        outlooks = outlook.of(planes)
        of_tiles = _of_tiles(outlooks, examples, planes, games, tables)
        samples.append(of_tiles | _of_positions(outlooks, examples, games, tables))
        n_decisions += len(games)
        if n_valued < valued:
            discards.append(_of_discards(outlook, policy, examples, planes, games))
            n_valued += len(games)
        show(min(1.0, (first + _CHUNK) / len(order)) / 2)
    joined = {name: _join([each[name] for each in samples]) for name in samples[0]}
    sampler = GameSampler(joined["win"][GAME], bootstrap, seed)
    return OutlookEvaluation(
        source=prepared.sources(prepared.split() == list(SPLITS).index(split)),
        games=len(np.unique(joined["win"][GAME])),
        decisions=n_decisions,
        tables={
            "tile deals in": tables.tile,
            "tile's cost": tables.loss,
            "win": float(tables.results[WON]),
            "deal in": float(tables.results[DEALT_IN]),
            "points": tables.points,
        },
        events={name: _event(sampler, joined[name], bounds) for name, bounds in _EVENTS.items()},
        values={name: _value(sampler, joined[name]) for name in _VALUES},
        discards=_discard_evaluation(sampler, _join(discards)),
        choices=evaluate_choices(
            outlook, agent, prepared, _COSTS, bootstrap, seed, choices, split, lambda share: show((1 + share) / 2)
        ),
    )


def _of_tiles(
    outlooks: Outlooks, examples: DiscardExamples, planes: np.ndarray, games: np.ndarray, tables: FrequencyTables
) -> dict[str, _Samples]:
    """Return samples of all tiles that may be discarded, against each other seat."""
    targets = examples.targets
    dealing = unpack(targets.kinds)
    legal = np.broadcast_to(legal_discards(planes)[:, None], dealing.shape)
    cells = suji_classes(examples.positions, examples.seats, planes)
    others = (examples.seats[:, None].astype(np.int64) + np.arange(1, SEATS)) % SEATS
    riichi = examples.positions["riichi"][np.arange(len(games))[:, None], others] > 0
    chances: dict[str, np.ndarray | float] = {
        NETWORK: outlooks.chances, BASE_RATE: tables.tile, SUJI_TABLE: tables.suji[cells],
    }  # fmt: skip
    costs: dict[str, np.ndarray | float] = {NETWORK: outlooks.losses, BASE_RATE: tables.loss}
    return {
        "tile deals in": _samples(games, dealing, chances, legal),
        "tile deals in to riichi": _samples(games, dealing, chances, legal & riichi[:, :, None]),
        "cost of a tile that deals in": _samples(games, targets.losses, costs, legal & dealing),
    }


def _of_positions(
    outlooks: Outlooks, examples: DiscardExamples, games: np.ndarray, tables: FrequencyTables
) -> dict[str, _Samples]:
    """Return samples of positions before the discard."""
    targets = examples.targets
    ranks = tables.ranks[current_rank(examples.positions, examples.seats)]
    results = {
        name: _samples(
            games, targets.results == result, {NETWORK: outlooks.results[:, result], BASE_RATE: tables.results[result]}
        )
        for name, result in (("win", WON), ("deal in", DEALT_IN))
    }
    last, placement = SEATS - 1, np.arange(1, SEATS + 1)
    return results | {
        "last place": _samples(
            games, targets.ranks == last,
            {NETWORK: outlooks.ranks[:, last], BASE_RATE: 1 / SEATS, PLACE_TABLE: ranks[:, last]},
        ),
        "points": _samples(games, targets.points, {NETWORK: outlooks.points, BASE_RATE: tables.points}),
        "placement": _samples(
            games, targets.ranks + 1,
            {NETWORK: outlooks.placement, BASE_RATE: placement.mean(), PLACE_TABLE: ranks @ placement},
        ),
    }  # fmt: skip


def _of_discards(
    outlook: Outlook, policy: Network, examples: DiscardExamples, planes: np.ndarray, games: np.ndarray
) -> dict[str, np.ndarray]:
    """Return, by name, f64[n] of the discards that were made, in points."""
    legal = legal_discards(planes)
    values = outlook.discards(examples.positions, examples.seats, legal, planes)
    shares = softmax(np.where(legal, policy(planes).astype(np.float64), -np.inf))
    rows, preferred = np.arange(len(games)), shares.argmax(axis=1)
    expected = np.where(legal, values.points, 0)
    return {
        GAME: games,
        "gained": examples.targets.points.astype(float),
        "position": (expected * shares).sum(axis=1),
        "discard": expected[rows, examples.actions],
        "preferred": expected[rows, preferred],
        "agrees": preferred == examples.actions,
        "difference": difference(shares[rows, preferred], shares[rows, examples.actions]),
        "placement": examples.targets.ranks + 1 - values.placement[rows, preferred],
    }


def _scores(sampler: GameSampler, samples: _Samples) -> dict[str, np.ndarray]:
    """Return f64[bootstrap + 1] by predictor: the mean squared error."""
    return {
        name: sampler.ratios(samples[GAME], (values.astype(np.float64) - samples[ACTUAL]) ** 2)
        for name, values in samples.items()
        if name not in (GAME, ACTUAL)
    }


def _event(sampler: GameSampler, samples: _Samples, bounds: tuple[float, ...]) -> Event:
    scores = _scores(sampler, samples)
    return Event(
        examples=len(samples[GAME]),
        share=float(samples[ACTUAL].mean(dtype=np.float64)),
        brier={name: with_interval(score) for name, score in scores.items()},
        gain={name: with_interval(1 - scores[NETWORK] / scores[name]) for name in scores if name != NETWORK},
        calibration=sampler.bins(samples[GAME], samples[NETWORK], samples[ACTUAL], np.array(bounds)),
    )


def _value(sampler: GameSampler, samples: _Samples) -> Value:
    games = samples[GAME]
    predicted, actual = (samples[name].astype(np.float64) for name in (NETWORK, ACTUAL))
    return Value(
        examples=len(games),
        rmse={name: with_interval(np.sqrt(score)) for name, score in _scores(sampler, samples).items()},
        slope=sampler.slope(games, predicted - predicted.mean(), actual - actual.mean()),
        calibration=sampler.bins(games, predicted, actual, np.quantile(predicted, np.arange(1, BINS) / BINS)),
    )


def _discard_evaluation(sampler: GameSampler, columns: dict[str, np.ndarray]) -> DiscardEvaluation:
    games, agrees, cost = columns[GAME], columns["agrees"], columns["preferred"] - columns["discard"]
    missed = columns["preferred"] - columns["gained"]

    def beyond_preferred(values: np.ndarray, here: np.ndarray, is_preferred: bool) -> Number:
        means = sampler.ratios(games[here], values[here])
        return with_interval(means if is_preferred else means - sampler.ratios(games[agrees], values[agrees]))

    def classes(measure: np.ndarray, bounds: tuple[float, ...]) -> list[Cost]:
        group = np.where(agrees, -1, np.searchsorted(bounds, measure, side="right"))
        ends = [(None, None), *pairwise((None, *bounds, None))]
        inside = [(*each, group == number) for number, each in enumerate(ends, -1)]
        return [
            Cost(
                low=low,
                high=high,
                discards=int(here.sum()),
                expected=float(cost[here].mean()),
                actual=beyond_preferred(missed, here, low is high),
                placement=beyond_preferred(columns["placement"], here, low is high),
            )
            for low, high, here in inside
            if len(np.unique(games[here])) > 1
        ]

    return DiscardEvaluation(
        decisions=len(games),
        slope=sampler.slope(games, columns["discard"] - columns["position"], columns["gained"] - columns["position"]),
        costs=classes(cost, _COSTS),
        differences=classes(columns["difference"], _DIFFERENCES),
    )
