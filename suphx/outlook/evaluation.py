"""Measure an outlook network on held-out games: Brier scores against what needs no network, and calibration.

Intervals are 95 %, by bootstrap over games: all decisions of a game stay together.
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from pydantic import BaseModel

from simulator.record import SEATS
from suphx.agent.flow import Network
from suphx.agent.sampling import softmax
from suphx.dataset.loader import legal_discards
from suphx.dataset.prepared import SPLITS, Prepared
from suphx.features.encode import unpack
from suphx.outlook.examples import DiscardSource, Examples
from suphx.outlook.labels import DEALT_IN, WON
from suphx.outlook.predictor import Outlook
from suphx.outlook.tables import Tables, counted, place_so_far, suji_classes
from suphx.reward.evaluation import Bin, Number, game_draws, ratio, with_interval

NETWORK, BASE_RATE, SUJI_TABLE, PLACE_TABLE = "network", "base rate", "suji table", "place table"
#: Rounds that are collected and evaluated at a time.
_CHUNK = 200
#: Decisions whose frequencies make up the tables.
_TABLE_DECISIONS = 100_000
#: Upper bounds of the groups of probabilities of dealing in, and of other probabilities.
_SMALL = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.12, 0.16, 0.24)
_LARGE = tuple(np.arange(0.05, 0.85, 0.05))
#: Groups of equal size for expected values.
_GROUPS = 10
#: Bounds of the classes of discards by what they cost, in points.
_COSTS = (-300.0, -100.0, 100.0, 300.0, 1000.0)

#: Columns of examples by name; the predictions of a column X are named `X: PREDICTOR`.
_Columns = dict[str, np.ndarray]


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
    """Discards by what they cost, by the network, against the discard that the agent prefers."""

    low: float | None
    high: float | None
    """Bounds of the cost, in points; both None for the preferred discards themselves."""
    discards: int
    expected: float
    """Mean of what they cost by the network."""
    actual: Number
    """Mean of the preferred discard's expected points minus the points that were gained."""


class Discards(BaseModel):
    """Whether the differences between the discards of a position are real."""

    decisions: int
    slope: Number
    """Slope of the points gained on the discard's expected points, both less the position's expected points: the mean
    over its discards by the agent's probabilities."""
    costs: list[Cost]


class Evaluation(BaseModel):
    """An outlook on held-out games."""

    source: str
    games: int
    decisions: int
    tables: dict[str, float]
    """Frequencies in training games, which the simple predictors say of everything."""
    events: dict[str, Event]
    values: dict[str, Value]
    discards: Discards


def evaluate(
    outlook: Outlook,
    policy: Network,
    prepared: Prepared,
    bootstrap: int = 1000,
    seed: int = 0,
    decisions: int | None = None,
    valued: int = 40_000,
    show: Callable[[float], None] = lambda share: None,
) -> Evaluation:
    """Evaluate an outlook on the test games of prepared logs.

    policy: logits f32[n, 34] of the agent's discard network, for planes. bootstrap: number of samples. decisions:
    maximum number, in whole rounds chosen at random. valued: of how many of them all discards are valued. show: called
    with the completed share.
    """
    tables = _tables(prepared, seed)
    source = DiscardSource(prepared, "test")
    random = np.random.default_rng(seed)
    order = source.some_places(random, decisions)
    tiles: list[_Columns] = []
    positions: list[_Columns] = []
    discards: list[_Columns] = []
    for first in range(0, len(order), _CHUNK):
        examples = source.collect(order[first : first + _CHUNK], random)
        games = prepared.rounds["game"][examples.rounds].astype(np.int64)
        planes = examples.planes()
        tiles.append(_tiles(outlook, examples, planes, games, tables))
        positions.append(_positions(outlook, examples, planes, games, tables))
        if sum(len(each["games"]) for each in discards) < valued:
            discards.append(_discards(outlook, policy, examples, planes, games))
        show(min(1.0, (first + _CHUNK) / len(order)))
    of_tiles, of_positions, of_discards = _joined(tiles), _joined(positions), _joined(discards)
    dealing = of_tiles["deals in"] > 0
    sampler = _Sampler(of_positions["games"], bootstrap, seed)
    at_riichi = of_tiles["riichi"] > 0
    return Evaluation(
        source=prepared.sources(prepared.split() == list(SPLITS).index("test")),
        games=len(np.unique(of_positions["games"])),
        decisions=len(of_positions["games"]),
        tables={
            "tile deals in": tables.tile,
            "tile's cost": tables.loss,
            "win": float(tables.results[WON]),
            "deal in": float(tables.results[DEALT_IN]),
            "points": tables.points,
        },
        events={
            "tile deals in": _event(sampler, of_tiles, "deals in", _SMALL),
            "tile deals in to riichi": _event(sampler, _rows(of_tiles, at_riichi), "deals in", _SMALL),
            "win": _event(sampler, of_positions, "win", _LARGE),
            "deal in": _event(sampler, of_positions, "deal in", _LARGE),
            "last place": _event(sampler, of_positions, "last place", _LARGE),
        },
        values={
            "cost of a tile that deals in": _value(sampler, _rows(of_tiles, dealing), "cost"),
            "points": _value(sampler, of_positions, "points"),
            "placement": _value(sampler, of_positions, "placement"),
        },
        discards=_of_discards(sampler, of_discards),
    )


def _tables(prepared: Prepared, seed: int) -> Tables:
    source, random = DiscardSource(prepared, "training"), np.random.default_rng(seed)
    examples = source.collect(source.some_places(random, _TABLE_DECISIONS), random)
    planes = examples.planes()
    return counted(examples, planes, legal_discards(planes))


def _tiles(outlook: Outlook, examples: Examples, planes: np.ndarray, games: np.ndarray, tables: Tables) -> _Columns:
    """Return the columns of all tiles that may be discarded, against each other seat."""
    found, targets = outlook.of(planes), examples.targets
    shown = np.broadcast_to(legal_discards(planes)[:, None], found.chances.shape)
    cells = suji_classes(examples.positions, examples.seats, planes)
    others = (examples.seats[:, None].astype(np.int64) + np.arange(1, SEATS)) % SEATS
    riichi = examples.positions["riichi"][np.arange(len(games))[:, None], others]
    columns = {
        "games": np.broadcast_to(games[:, None, None], shown.shape),
        "riichi": np.broadcast_to(riichi[:, :, None], shown.shape),
        "deals in": unpack(targets.kinds),
        f"deals in: {NETWORK}": found.chances,
        f"deals in: {BASE_RATE}": np.full(shown.shape, tables.tile),
        f"deals in: {SUJI_TABLE}": tables.suji[cells],
        "cost": targets.losses,
        f"cost: {NETWORK}": found.losses,
        f"cost: {BASE_RATE}": np.full(shown.shape, tables.loss),
    }
    return {name: each[shown].astype(np.int32 if name == "games" else np.float32) for name, each in columns.items()}


def _positions(outlook: Outlook, examples: Examples, planes: np.ndarray, games: np.ndarray, tables: Tables) -> _Columns:
    """Return the columns of positions before the discard."""
    found, targets, n = outlook.of(planes), examples.targets, len(games)
    by_place = tables.ranks[place_so_far(examples.positions, examples.seats)]
    columns: _Columns = {"games": games}
    for name, result in (("win", WON), ("deal in", DEALT_IN)):
        columns |= {
            name: (targets.results == result).astype(float),
            f"{name}: {NETWORK}": found.results[:, result],
            f"{name}: {BASE_RATE}": np.full(n, tables.results[result]),
        }
    return columns | {
        "last place": (targets.ranks == SEATS - 1).astype(float),
        f"last place: {NETWORK}": found.ranks[:, SEATS - 1],
        f"last place: {BASE_RATE}": np.full(n, 1 / SEATS),
        f"last place: {PLACE_TABLE}": by_place[:, SEATS - 1],
        "points": targets.points.astype(float),
        f"points: {NETWORK}": found.points,
        f"points: {BASE_RATE}": np.full(n, tables.points),
        "placement": targets.ranks + 1.0,
        f"placement: {NETWORK}": found.placement,
        f"placement: {BASE_RATE}": np.full(n, (SEATS + 1) / 2),
        f"placement: {PLACE_TABLE}": by_place @ np.arange(1, SEATS + 1),
    }


def _discards(outlook: Outlook, policy: Network, examples: Examples, planes: np.ndarray, games: np.ndarray) -> _Columns:
    """Return the columns of the discards that were made."""
    legal = legal_discards(planes)
    values = outlook.discards(examples.positions, examples.seats, legal, planes).points
    shares = softmax(np.where(legal, policy(planes).astype(np.float64), -np.inf))
    rows, preferred = np.arange(len(games)), shares.argmax(axis=1)
    expected = np.where(legal, values, 0)
    return {
        "games": games,
        "gained": examples.targets.points.astype(float),
        "position": (expected * shares).sum(axis=1),
        "discard": expected[rows, examples.discards],
        "preferred": expected[rows, preferred],
        "agrees": preferred == examples.discards,
    }


def _joined(parts: list[_Columns]) -> _Columns:
    return {name: np.concatenate([each[name] for each in parts]) for name in parts[0]}


def _rows(columns: _Columns, which: np.ndarray) -> _Columns:
    return {name: each[which] for name, each in columns.items()}


class _Sampler:
    """Ratios of sums over examples, with intervals by bootstrap over games."""

    def __init__(self, every: np.ndarray, bootstrap: int, seed: int) -> None:
        """every: i64[n], the games of all examples, from which the samples are drawn."""
        self._games = np.unique(every)
        self._drawn = game_draws(len(self._games), bootstrap, seed)

    def by_game(self, games: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return f64[g]: the sum of values over the examples of each game."""
        return np.bincount(np.searchsorted(self._games, games), values, len(self._games))

    def ratios(self, games: np.ndarray, above: np.ndarray, below: np.ndarray | None = None) -> np.ndarray:
        """Return f64[bootstrap + 1]: sums of `above` divided by those of `below`, by default the number of examples."""
        count = np.ones(len(games)) if below is None else below
        return ratio(self.by_game(games, above), self.by_game(games, count), self._drawn)

    def mean(self, games: np.ndarray, values: np.ndarray) -> Number:
        return with_interval(self.ratios(games, values))


def _predictors(columns: _Columns, name: str) -> list[str]:
    return [each.removeprefix(f"{name}: ") for each in columns if each.startswith(f"{name}: ")]


def _bins(sampler: _Sampler, games: np.ndarray, said: np.ndarray, actual: np.ndarray, bounds: np.ndarray) -> list[Bin]:
    """Return groups of examples by what the network says."""
    group = np.searchsorted(bounds, said, side="right")
    bins = []
    for number in range(len(bounds) + 1):
        inside = group == number
        if len(np.unique(games[inside])) > 1:
            bins.append(
                Bin(
                    predicted=float(said[inside].mean(dtype=np.float64)),
                    actual=sampler.mean(games[inside], actual[inside]),
                    examples=int(inside.sum()),
                )
            )
    return bins


def _event(sampler: _Sampler, columns: _Columns, name: str, bounds: tuple[float, ...]) -> Event:
    games, happened = columns["games"], columns[name].astype(np.float64)
    scores = {
        each: sampler.ratios(games, (columns[f"{name}: {each}"] - happened) ** 2) for each in _predictors(columns, name)
    }
    return Event(
        examples=len(games),
        share=float(happened.mean()),
        brier={each: with_interval(score) for each, score in scores.items()},
        gain={each: with_interval(1 - scores[NETWORK] / scores[each]) for each in scores if each != NETWORK},
        calibration=_bins(sampler, games, columns[f"{name}: {NETWORK}"], happened, np.array(bounds)),
    )


def _value(sampler: _Sampler, columns: _Columns, name: str) -> Value:
    games, actual, said = columns["games"], columns[name].astype(np.float64), columns[f"{name}: {NETWORK}"]
    return Value(
        examples=len(games),
        rmse={
            each: with_interval(np.sqrt(sampler.ratios(games, (columns[f"{name}: {each}"] - actual) ** 2)))
            for each in _predictors(columns, name)
        },
        slope=_slope(sampler, games, said - said.mean(), actual - actual.mean()),
        calibration=_bins(sampler, games, said, actual, np.quantile(said, np.arange(1, _GROUPS) / _GROUPS)),
    )


def _slope(sampler: _Sampler, games: np.ndarray, said: np.ndarray, actual: np.ndarray) -> Number:
    return with_interval(sampler.ratios(games, said * actual, said**2))


def _of_discards(sampler: _Sampler, columns: _Columns) -> Discards:
    games, gained, agrees = columns["games"], columns["gained"], columns["agrees"]
    cost, lost = columns["preferred"] - columns["discard"], columns["preferred"] - gained
    classes: list[tuple[float | None, float | None, np.ndarray]] = [(None, None, agrees)]
    bounds = (-np.inf, *_COSTS, np.inf)
    for low, high in pairwise(bounds):
        classes.append((low, high, ~agrees & (cost >= low) & (cost < high)))
    return Discards(
        decisions=len(games),
        slope=_slope(sampler, games, columns["discard"] - columns["position"], gained - columns["position"]),
        costs=[
            Cost(
                low=None if low is None or np.isinf(low) else low,
                high=None if high is None or np.isinf(high) else high,
                discards=int(inside.sum()),
                expected=float(cost[inside].mean()),
                actual=sampler.mean(games[inside], lost[inside]),
            )
            for low, high, inside in classes
            if len(np.unique(games[inside])) > 1
        ],
    )
