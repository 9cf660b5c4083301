"""What the predictor is told after each round (x of formula 4), once for each seat, seen from that seat.

All of it is public at the table, and known before the next round is dealt: how the round that was played went, and
what the next one starts with.
"""

from __future__ import annotations

import hashlib

import numpy as np

from simulator.record import SEATS
from suphx.reward.games import Games
from suphx.reward.target import Length, ranks

#: Rounds that are called East 1 .. West 4.
ROUNDS = 12
#: Rounds before a game is in overtime, by length.
ROUNDS_PLAYED: dict[Length, int] = {"east_south": 8, "east": 4}
#: Numbers are divided by these, so that most lie within -3 and 3. Points, rounds, repeat counters, riichi bets.
_POINTS, _LEFT, _REPEATS, _BETS = 10_000.0, 4.0, 4.0, 2.0
#: What is taken off points before they are divided.
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
#: Names the meaning and the scaling of all inputs: weights made for other inputs are refused.
INPUTS_VERSION = hashlib.sha256(
    repr((INPUTS, ROUNDS_PLAYED, _POINTS, _LEFT, _REPEATS, _BETS, _USUAL_POINTS)).encode()
).hexdigest()[:16]


def encode(games: Games, length: Length) -> tuple[np.ndarray, np.ndarray]:
    """Return f32[n, k-1, 4, INPUTS] and bool[n, k-1]: inputs by game, round and seat, and which of them are real.

    Entry j is of the time after round j (the first is 0) when round j+1 is about to start. There is none for the
    round that ended a game: what the game was worth is known then.
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
    """Return [..., 4, 4] from [..., 4]: for each seat the four values, its own first, then in order of play."""
    order = (np.arange(SEATS)[:, None] + np.arange(SEATS)) % SEATS
    return values[..., order]


def _one_hot(numbers: np.ndarray, size: int) -> np.ndarray:
    return np.eye(size, dtype=np.float32)[numbers]


def _to_all(values: np.ndarray) -> np.ndarray:
    """Return [..., 4, 1] from [...]: the same for each seat."""
    return np.repeat(values[..., None, None], SEATS, -2)
