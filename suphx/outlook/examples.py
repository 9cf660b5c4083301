"""Decisions of prepared logs with the targets of the network.

Half of the discard decisions are shown as the discarder sees them, the others after the discard that was made, if
nobody could win on it: the network learns what a position is worth before a discard and after each possible one. To
these come positions after a pass and after a kong (`transitions`). All have all targets; the dangers are those of the
seat's next discard, if it were made now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from simulator import record as r
from suphx.agent.model_decisions import CHOW, DISCARD, KONG, PONG, RIICHI
from suphx.dataset.loader import Source, collect_rounds
from suphx.dataset.prepared import SPLITS, Prepared
from suphx.dataset.selection import select
from suphx.features.encode import encode_batch
from suphx.networks.models import YES
from suphx.outlook.labels import MOST_INDICATORS, Outcomes, after_discards, dangers, outcomes
from suphx.outlook.transitions import after_kongs, after_passes

_EVERY_SEAT = (1 << r.SEATS) - 1


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

    @staticmethod
    def join(parts: Sequence[Targets]) -> Targets:
        """Return those of several parts, one after the other."""
        columns = ([getattr(part, each.name) for part in parts] for each in fields(Targets))
        return Targets(*map(np.concatenate, columns))


@dataclass(frozen=True)
class OutlookExamples:
    """Positions of seats, with targets."""

    positions: np.ndarray
    """GAME[n]: with the true hands."""
    seats: np.ndarray
    """u8[n]"""
    actions: np.ndarray
    """i64[n]: what each seat did: a kind for its discard, DECLARE_RIICHI, a chow, pong or kong, or PASS."""
    rounds: np.ndarray
    """i64[n]: row of `Prepared.rounds`."""
    targets: Targets

    def planes(self) -> np.ndarray:
        """Return what the seats see, u64[n, planes]."""
        return encode_batch(self.positions, np.arange(len(self.positions)), self.seats)


@dataclass(frozen=True)
class DiscardExamples(OutlookExamples):
    """Discard decisions; `actions` are the kinds discarded."""

    def after(self, which: np.ndarray) -> DiscardExamples:
        """Return these with those of bool[n] after their discard; gains count from there, less a bet just paid."""
        positions, points = self.positions.copy(), self.targets.points.copy()
        seats = self.seats[which]
        before = positions["scores"][which, seats]
        positions[which] = after_discards(positions[which], seats, self.actions[which])
        points[which] -= positions["scores"][which, seats] - before
        return replace(self, positions=positions, targets=replace(self.targets, points=points))

    def half_after(self, random: np.random.Generator) -> DiscardExamples:
        """Return these examples with half of them after their discard, where nobody could win on that."""
        would_deal_in = (self.targets.kinds >> self.actions[:, None] & 1).any(axis=1)
        return self.after(~would_deal_in & (random.random(len(self.seats)) < 0.5))


def _targets(
    ends: Outcomes, positions: np.ndarray, seats: np.ndarray, rounds: np.ndarray, random: np.random.Generator
) -> Targets:
    """Return the targets of positions GAME[n] of seats u8[n] in rounds i64[n]; random: for ura indicators."""
    index = np.arange(len(positions))
    kinds, losses = dangers(positions, index, seats, random.random((len(positions), MOST_INDICATORS)))
    gained = (ends.scores[rounds, seats] - positions["scores"][index, seats]).astype(np.float32)
    return Targets(kinds, losses, ends.results[rounds, seats], gained, ends.ranks[rounds, seats])


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
        positions, seats = collected.positions[pairs["position"]], pairs["seat"].copy()
        rounds = self.selection.rounds[places][collected.rounds]
        targets = _targets(self._outcomes, positions, seats, rounds, random)
        return DiscardExamples(positions, seats, pairs["action"].astype(np.int64), rounds, targets)


class ChoiceSource:
    """Collects the decisions of a split of prepared logs about a chow, pong, kong or riichi.

    Left out is what `dataset.pairs` leaves out: where the rules decide, where somebody won on the discard or another
    seat took it by a pong or kong, and where the server moved.
    """

    def __init__(self, prepared: Prepared, split: str) -> None:
        """split: one of SPLITS."""
        self.prepared = prepared
        inside = prepared.split()[prepared.rounds["game"]] == list(SPLITS).index(split)
        counts = prepared.rounds["counts"][:, :, [RIICHI, CHOW, PONG, KONG]].sum(axis=(1, 2))
        self.rounds = np.flatnonzero(inside & (counts > 0))
        """i64[k]: rows of `Prepared.rounds` with such decisions."""
        self._outcomes = outcomes(prepared)

    def collect(self, rounds: np.ndarray, random: np.random.Generator) -> OutlookExamples:
        """Return the decisions of rounds i64[k], with the actions taken; random: for ura indicators."""
        return self._examples(*self._decisions(rounds, [DISCARD, RIICHI, CHOW, PONG, KONG]), random)

    def after_choices(self, rounds: np.ndarray, passes: int, random: np.random.Generator) -> OutlookExamples:
        """Return positions after at most `passes` passes and after all kongs of rounds i64[k]."""
        positions, seats, actions, of = self._decisions(rounds, [CHOW, PONG, KONG])
        passed, kong = (np.flatnonzero(each) for each in (actions == r.PASS, actions >= r.OPEN_KONG))
        kong = kong[actions[kong] < r.TSUMO]
        passed = np.sort(random.permutation(passed)[:passes])
        rows = np.concatenate([passed, kong])
        after = np.concatenate([
            after_passes(positions[passed], seats[passed]), after_kongs(positions[kong], seats[kong], actions[kong])
        ])  # fmt: skip
        return self._examples(after, seats[rows], actions[rows], of[rows], random)

    def after_riichi(self, rounds: np.ndarray, random: np.random.Generator) -> OutlookExamples:
        """Return positions after discards with which riichi was declared, where they passed, of rounds i64[k].

        Those of which several would have kept the hand tenpai: others are no decisions.
        """
        collected = collect_rounds(self.prepared, rounds, np.full(len(rounds), _EVERY_SEAT), [DISCARD])
        pairs = collected.pairs
        declaring = collected.positions["phase"][pairs["position"]] == r.PHASE_RIICHI_DISCARD
        pairs, of = pairs[declaring], rounds[collected.rounds[declaring]]
        positions, seats, kinds = (
            collected.positions[pairs["position"]],
            pairs["seat"],
            pairs["action"].astype(np.int64),
        )
        passing = self._examples(positions, seats, kinds, of, random)
        index = np.flatnonzero(~(passing.targets.kinds >> kinds[:, None] & 1).any(axis=1))
        after = after_discards(positions[index], seats[index], kinds[index])
        return self._examples(after, seats[index], kinds[index], of[index], random)

    def _examples(
        self, positions: np.ndarray, seats: np.ndarray, actions: np.ndarray, rounds: np.ndarray,
        random: np.random.Generator,
    ) -> OutlookExamples:  # fmt: skip
        targets = _targets(self._outcomes, positions, seats, rounds, random)
        return OutlookExamples(positions, seats, actions, rounds, targets)

    def _decisions(
        self, rounds: np.ndarray, models: list[int]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return positions GAME[n], seats u8[n], actions i64[n] and rounds i64[n] of decisions by the given models."""
        collected = collect_rounds(self.prepared, rounds, np.full(len(rounds), _EVERY_SEAT), models)
        pairs = collected.pairs
        if not len(pairs):
            none = np.zeros(0, np.int64)
            return collected.positions, none.astype(np.uint8), none, none
        first = np.ones(len(pairs), np.bool_)
        first[1:] = (np.diff(pairs["position"].astype(np.int64)) != 0) | (np.diff(pairs["seat"].astype(np.int64)) != 0)
        starts, is_discard = np.flatnonzero(first), pairs["model"] == DISCARD
        options = np.where(~is_discard & (pairs["action"] == YES), pairs["option"].astype(np.int64), r.NO_ACTION)
        accepted = np.maximum.reduceat(options, starts)
        discards = np.maximum.reduceat(np.where(is_discard, pairs["action"].astype(np.int64), r.NO_ACTION), starts)
        positions = collected.positions[pairs["position"][starts]]
        drawn = positions["drawn"].astype(np.int64) >> 2
        other = np.where(discards == r.NO_ACTION, drawn, discards)  # of a single kind there is no pair
        other = np.where(positions["phase"] == r.PHASE_CLAIM, r.PASS, other)
        actions = np.where(accepted == r.NO_ACTION, other, accepted)
        choice = np.logical_or.reduceat(~is_discard, starts)
        return (
            positions[choice],
            pairs["seat"][starts][choice],
            actions[choice],
            rounds[collected.rounds[starts]][choice],
        )
