"""Games as the reward predictor sees them, and its input features after each round (x of formula 4).

All inputs are public and known before the next round is dealt: the result of the round just played, and the state at
the start of the next one, for each seat from its own view.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator.record import SEATS
from suphx.reward.target import Length, ranks

#: The state when a round starts; the dealer is seat `round % 4`, because seat 0 deals first.
START = np.dtype([
    ("scores", "i4", (SEATS,)),  # points; riichi bets on the table belong to nobody
    ("round", "u1"),  # 0 = East 1 .. 11 = West 4
    ("repeat_counter", "u1"),
    ("bets", "u1"),  # riichi bets on the table
])  # fmt: skip

#: Fields of `Rules` that determine when a game ends and who is first; a predictor is for one set of their values.
RULES_OF_REWARD = (
    "length", "starting_points", "target_points", "bust", "dealer_stop", "west_entry", "sudden_death", "ties",
    "repeat_points", "leftover_bets",
)  # fmt: skip


@dataclass(frozen=True)
class Games:
    """A batch of games, finished or not, padded to the longest."""

    starts: np.ndarray
    """START[n, k]: the rounds of game i are starts[i, :n_starts[i]]; the rest is padding."""
    n_starts: np.ndarray
    """i64[n]: number of started rounds, 1 to k."""
    ended: np.ndarray
    """bool[n]: whether the last round was played and ended the game."""
    final_scores: np.ndarray
    """i4[n, 4]: points at the end, leftover bets included; only meaningful for games that have ended."""

    def __len__(self) -> int:
        return len(self.starts)

    def take(self, which: np.ndarray) -> Games:
        """Return some of the games, by indices or a mask, padded only as far as they need."""
        n_starts = self.n_starts[which]
        width = max(int(n_starts.max(initial=1)), 1)
        return Games(self.starts[which][:, :width], n_starts, self.ended[which], self.final_scores[which])


def joined_games(parts: Sequence[Games]) -> Games:
    """Return several batches of games as one."""
    starts = np.zeros((sum(map(len, parts)), max(games.starts.shape[1] for games in parts)), START)
    at = 0
    for games in parts:
        starts[at : at + len(games), : games.starts.shape[1]] = games.starts
        at += len(games)
    rest = zip(*((games.n_starts, games.ended, games.final_scores) for games in parts), strict=True)
    return Games(starts, *map(np.concatenate, rest))


#: Number of rounds, East 1 to West 4.
ROUNDS = 12
#: Rounds before overtime, by length of the game.
ROUNDS_PLAYED: dict[Length, int] = {"east_south": 8, "east": 4}
#: Divisors for points, rounds, repeat counters and riichi bets, chosen so that most inputs lie between -3 and 3.
_POINTS, _LEFT, _REPEATS, _BETS = 10_000.0, 4.0, 4.0, 2.0
#: Offset subtracted from points before they are divided.
_USUAL_POINTS = 25_000

_OTHERS = ("next seat", "opposite seat", "previous seat")
INPUTS = (
    *(f"score of the round: {whose}" for whose in ("own", *_OTHERS)),
    *(f"accumulated score: {whose}" for whose in ("own", *_OTHERS)),
    *(f"gap to the {whose}" for whose in _OTHERS),
    *(f"rank is {rank + 1}" for rank in range(SEATS)),
    *(f"starting seat is {seat}" for seat in range(SEATS)),
    *(f"round played: dealer is {whose}" for whose in ("self", *_OTHERS)),
    "round played: repeat counter",
    "round played: bets at its start",
    *(f"next round: dealer is {whose}" for whose in ("self", *_OTHERS)),
    "next round: repeat counter",
    "next round: bets at its start",
    *(f"next round is number {number}" for number in range(ROUNDS)),
    "rounds left",
    "rounds in overtime",
)
#: Identifies the meaning and the scaling of all inputs; weights for other inputs are refused.
INPUTS_VERSION = hashlib.sha256(
    repr((INPUTS, ROUNDS_PLAYED, _POINTS, _LEFT, _REPEATS, _BETS, _USUAL_POINTS)).encode()
).hexdigest()[:16]


def encode(games: Games, length: Length) -> tuple[np.ndarray, np.ndarray]:
    """Return f32[n, k-1, 4, INPUTS] and bool[n, k-1]: inputs by game, round and seat, and which are not padding.

    Entry j describes the time after round j (counted from 0), when round j+1 is about to start. There is none for the
    round that ended a game, as its reward is known then.
    """
    before, after = games.starts[:, :-1], games.starts[:, 1:]
    known = np.arange(after.shape[1]) < games.n_starts[:, None] - 1
    scores = after["scores"].astype(np.int64)
    by_seat = [_from_seat(scores - before["scores"]) / _POINTS, (_from_seat(scores) - _USUAL_POINTS) / _POINTS]
    by_seat.append((scores[..., :, None] - _from_seat(scores)[..., 1:]) / _POINTS)
    by_seat.append(_one_hot(ranks(scores), SEATS))
    by_seat.append(np.broadcast_to(np.eye(SEATS, dtype=np.float32), (*scores.shape, SEATS)))
    for starts in (before, after):
        dealer = starts["round"].astype(np.int64)[..., None] % SEATS
        by_seat.append(_one_hot((dealer - np.arange(SEATS)) % SEATS, SEATS))
        by_seat.append(_to_all(starts["repeat_counter"] / _REPEATS))
        by_seat.append(_to_all(starts["bets"] / _BETS))
    number = after["round"].astype(np.int64)
    by_seat.append(_one_hot(np.repeat(np.minimum(number, ROUNDS - 1)[..., None], SEATS, -1), ROUNDS))
    left = ROUNDS_PLAYED[length] - number
    by_seat += [_to_all(np.maximum(left, 0) / _LEFT), _to_all(np.maximum(1 - left, 0) / _LEFT)]
    inputs = np.concatenate([part.astype(np.float32) for part in by_seat], -1)
    inputs[~known] = 0
    return inputs, known


def _from_seat(values: np.ndarray) -> np.ndarray:
    """Return [..., 4, 4] from [..., 4]: for each seat the four values, its own first, then in turn order."""
    order = (np.arange(SEATS)[:, None] + np.arange(SEATS)) % SEATS
    return values[..., order]


def _one_hot(numbers: np.ndarray, size: int) -> np.ndarray:
    return np.eye(size, dtype=np.float32)[numbers]


def _to_all(values: np.ndarray) -> np.ndarray:
    """Return [..., 4, 1] from [...]: the same value for each seat."""
    return np.repeat(values[..., None, None], SEATS, -2)
