"""Discard decisions of prepared logs with what the network is to say of them, in chunks.

Half of the decisions are shown as the discarder sees them, the others after the discard that was made, if nobody could
win on it: the network learns what a position is worth before a discard and after each possible one. Both halves have
all targets; the dangers are those of the seat's next discard in either.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, fields, replace

import numpy as np

from suphx.dataset.loader import Loader, PairChunk, Source, prefetch
from suphx.dataset.prepared import Prepared
from suphx.dataset.selection import select
from suphx.features.encode import encode_batch
from suphx.outlook.labels import MOST_INDICATORS, after_discards, dangers, outcomes


@dataclass(frozen=True)
class Targets:
    """What logs say of n decisions."""

    kinds: np.ndarray
    """i64[n, 3]: for each other seat, the next one first, the set of kinds that it would win on now."""
    losses: np.ndarray
    """f32[n, 3, 34]: what that would cost, in points; 0 for kinds that would not deal in."""
    results: np.ndarray
    """i64[n]: index in RESULTS of how the round ended for the seat."""
    points: np.ndarray
    """f32[n]: points that the seat gained from this position to the end of the round."""
    ranks: np.ndarray
    """i64[n]: its rank at the end of the game, 0 for the first."""

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, which: np.ndarray | slice) -> Targets:
        """Return those of some decisions."""
        return Targets(*(getattr(self, each.name)[which] for each in fields(self)))


@dataclass(frozen=True)
class Examples:
    """Some decisions, as positions."""

    positions: np.ndarray
    """GAME[n]: with the true hands."""
    seats: np.ndarray
    """u8[n]"""
    discards: np.ndarray
    """i64[n]: the kind that each seat discarded."""
    rounds: np.ndarray
    """i64[n]: row of `Prepared.rounds`."""
    targets: Targets

    def after(self, which: np.ndarray) -> Examples:
        """Return these examples with those of bool[n] after the discard that was made.

        What they gain is counted from there on: without a riichi bet that was just paid.
        """
        positions, points = self.positions.copy(), self.targets.points.copy()
        seats = self.seats[which]
        before = positions["scores"][which, seats]
        positions[which] = after_discards(positions[which], seats, self.discards[which])
        points[which] -= positions["scores"][which, seats] - before
        return replace(self, positions=positions, targets=replace(self.targets, points=points))

    def planes(self) -> np.ndarray:
        """Return what the seats see, u64[n, planes]."""
        return encode_batch(self.positions, np.arange(len(self.positions)), self.seats)


class DiscardSource:
    """Collects the discard decisions of a split of prepared logs."""

    def __init__(self, prepared: Prepared, split: str) -> None:
        """split: one of SPLITS."""
        self.selection = select(prepared, "discard", split)
        self.source = Source(prepared, self.selection)
        self.prepared = prepared
        self._outcomes = outcomes(prepared)

    def some_places(self, random: np.random.Generator, most: int | None = None) -> np.ndarray:
        """Return the places of randomly chosen rounds with about so many decisions; by default of all, in any order."""
        order = random.permutation(len(self.selection.rounds))
        if most is None:
            return order
        return order[: int(np.searchsorted(self.selection.pairs[order].cumsum(), most)) + 1]

    def collect(self, places: np.ndarray, random: np.random.Generator) -> Examples:
        """Return the decisions of the selected rounds at `places`, before the discards; random: for ura indicators."""
        collected = self.source.collect(places)
        pairs = collected.pairs
        positions = collected.positions[pairs["position"]]
        seats = pairs["seat"].copy()
        index = np.arange(len(positions))
        kinds, losses = dangers(positions, index, seats, random.random((len(positions), MOST_INDICATORS)))
        rounds = self.selection.rounds[places][collected.rounds]
        ended = self._outcomes
        gained = ended.scores[rounds, seats] - positions["scores"][index, seats]
        targets = Targets(
            kinds, losses, ended.results[rounds, seats], gained.astype(np.float32), ended.ranks[rounds, seats]
        )
        return Examples(positions, seats, pairs["action"].astype(np.int64), rounds, targets)


def some_after(examples: Examples, random: np.random.Generator) -> Examples:
    """Return examples of which half are after their discard, where nobody could win on that."""
    would_deal_in = (examples.targets.kinds >> examples.discards[:, None] & 1).any(axis=1)
    return examples.after(~would_deal_in & (random.random(len(examples.seats)) < 0.5))


def chunks(source: DiscardSource, seed: int, first: int) -> Generator[tuple[int, PairChunk[Targets]]]:
    """Yield (number, chunk) without end from chunk `first` on, preparing the next ahead.

    Chunks are numbered across epochs, and shuffled in an order that depends on the seed only.
    """
    order = Loader(source.source, seed)

    def chunk(number: int) -> PairChunk[Targets]:
        epoch, of_epoch = divmod(number, order.chunks)
        random = order.random(epoch, of_epoch)
        examples = some_after(source.collect(order.places(epoch, of_epoch), random), random)
        shuffled = random.permutation(len(examples.seats))
        return PairChunk(examples.planes()[shuffled], examples.targets[shuffled])

    return prefetch(chunk, first)


def some_examples(source: DiscardSource, most: int, seed: int) -> PairChunk[Targets]:
    """Return some decisions of randomly chosen rounds, half of them after the discard."""
    random = np.random.default_rng(seed)
    examples = some_after(source.collect(source.some_places(random, most), random), random)
    return PairChunk(examples.planes(), examples.targets).take(slice(most))
