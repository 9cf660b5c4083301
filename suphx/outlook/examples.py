"""Discard decisions of prepared logs with the targets of the network.

Half of the decisions are shown as the discarder sees them, the others after the discard that was made, if nobody could
win on it: the network learns what a position is worth before a discard and after each possible one. Both halves have
all targets; the dangers are those of the seat's next discard in either.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from suphx.dataset.loader import Source
from suphx.dataset.prepared import Prepared
from suphx.dataset.selection import select
from suphx.features.encode import encode_batch
from suphx.outlook.labels import MOST_INDICATORS, after_discards, dangers, outcomes


@dataclass(frozen=True)
class Targets:
    """The targets of n decisions."""

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
class DiscardExamples:
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

    def after(self, which: np.ndarray) -> DiscardExamples:
        """Return these with those of bool[n] after their discard; gains count from there, less a bet just paid."""
        positions, points = self.positions.copy(), self.targets.points.copy()
        seats = self.seats[which]
        before = positions["scores"][which, seats]
        positions[which] = after_discards(positions[which], seats, self.discards[which])
        points[which] -= positions["scores"][which, seats] - before
        return replace(self, positions=positions, targets=replace(self.targets, points=points))

    def half_after(self, random: np.random.Generator) -> DiscardExamples:
        """Return these examples with half of them after their discard, where nobody could win on that."""
        would_deal_in = (self.targets.kinds >> self.discards[:, None] & 1).any(axis=1)
        return self.after(~would_deal_in & (random.random(len(self.seats)) < 0.5))

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

    def collect(self, places: np.ndarray, random: np.random.Generator) -> DiscardExamples:
        """Return the decisions of the selected rounds at `places`, before the discards; random: for ura indicators."""
        collected = self.source.collect(places)
        pairs = collected.pairs
        positions = collected.positions[pairs["position"]]
        seats = pairs["seat"].copy()
        index = np.arange(len(positions))
        kinds, losses = dangers(positions, index, seats, random.random((len(positions), MOST_INDICATORS)))
        rounds = self.selection.rounds[places][collected.rounds]
        results, scores, ranks = (
            getattr(self._outcomes, name)[rounds, seats] for name in ("results", "scores", "ranks")
        )
        gained = (scores - positions["scores"][index, seats]).astype(np.float32)
        targets = Targets(kinds, losses, results, gained, ranks)
        return DiscardExamples(positions, seats, pairs["action"].astype(np.int64), rounds, targets)
