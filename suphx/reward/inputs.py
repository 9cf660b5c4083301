"""Input features of the predictor after each round (x of formula 4), for each seat from its own view.

All of them are public and known before the next round is dealt: the result of the round just played, and the state at
the start of the next one.
"""

import hashlib

import numpy as np

from simulator.record import SEATS
from suphx.reward.games import Games
from suphx.reward.target import Length, ranks

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
