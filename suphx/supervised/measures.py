"""Agreement with human moves: accuracy over games and by situation, and baselines for it."""

from typing import Any

import numpy as np

from simulator.jit import jit
from simulator.lookup import get_lookup
from simulator.record import SEATS
from simulator.shanten import shanten
from suphx.intervals import share_interval
from suphx.networks.models import YES

#: Turns (number of own discards so far) are grouped in sixes, like the rows of a river.
TURN_NAMES = ("turns 1-6", "turns 7-12", "turns 13-")
SHANTEN_NAMES = ("tenpai", "1 from tenpai", "2 from tenpai", "3 or more")
RIICHI_NAMES = ("no other riichi", "against riichi")
SITUATIONS = {"turn": TURN_NAMES, "shanten": SHANTEN_NAMES, "riichi": RIICHI_NAMES}
KONG_NAMES = ("open", "closed", "added")


def share_with_interval(right: np.ndarray, games: np.ndarray) -> dict[str, Any]:
    """Return the accuracy, its 95 % interval, and the numbers of pairs and games, for right bool[n], games i64[n].

    Moves within a game are not independent, so the game is the unit: the accuracy is a ratio of two sums over games,
    its variance is that of a ratio estimator (Cochran, Sampling Techniques, 2.11), and the interval is Wilson's for the
    number of independent moves that would have this variance (the number of games if the variance is 0). There is no
    interval (None) for a single game.
    """
    n = len(right)
    if not n:
        return {"accuracy": None, "interval": None, "pairs": 0, "games": 0}
    _, game = np.unique(games, return_inverse=True)
    pairs = np.bincount(game)
    share, n_games = float(right.mean()), len(pairs)
    interval = None
    if n_games > 1:
        rest = np.bincount(game, weights=right) - share * pairs
        variance = float((rest**2).sum()) * n_games / (n_games - 1) / n**2
        effective = min(share * (1 - share) / variance, n) if variance > 0 else n_games
        interval = list(share_interval(share, effective))
    return {"accuracy": share, "interval": interval, "pairs": n, "games": n_games}


def balanced_accuracy(actions: np.ndarray, predictions: np.ndarray) -> float:
    """Return the balanced accuracy: the mean recall over the actions that occur."""
    total = np.bincount(actions)
    right = np.bincount(actions[actions == predictions], minlength=len(total))
    return float((right[total > 0] / total[total > 0]).mean())


def commoner_accuracy(actions: np.ndarray) -> float:
    """Return the accuracy of always predicting the most common action."""
    return float(np.bincount(actions).max() / len(actions))


def opportunities(
    decisions: np.ndarray, options: np.ndarray, actions: np.ndarray, confidence: np.ndarray
) -> np.ndarray:
    """Return bool[k]: for each opportunity to call, whether the decision flow would act as the seat did.

    decisions i64[n]: the opportunity that each proposed call belongs to; actions: NO or YES; confidence f32[n]: the
    logit of yes minus that of no. Of the calls with a yes, the flow makes the most confident one (on a tie the one with
    the higher action number).
    """
    order = np.lexsort((options, confidence, decisions))  # the last of an opportunity is the most confident
    best = order[np.append(np.diff(decisions[order]) != 0, True)]
    called = np.zeros(len(actions), np.bool_)
    called[best] = confidence[best] > 0
    _, opportunity = np.unique(decisions, return_inverse=True)
    return np.bincount(opportunity, weights=called != (actions == YES)) == 0


@jit
def _fill(lookup, games, index, seats, turn, distance, against):
    for n in range(len(index)):
        game = games[index[n]]
        seat = np.int64(seats[n])
        turn[n] = min(np.int64(game["n_river"][seat]) // 6, 2)
        distance[n] = min(max(shanten(lookup, game["hand"][seat], np.int64(game["n_melds"][seat])), 0), 3)
        for step in range(1, SEATS):
            if game["riichi"][(seat + step) & 3]:
                against[n] = 1


def situations(positions: np.ndarray, pairs: np.ndarray) -> dict[str, np.ndarray]:
    """Return i64[n] by kind of situation: the index in SITUATIONS of the name that applies to each pair.

    positions GAME[m], pairs MODEL_DECISION[n]. The shanten is that of the hand before the decision; if a tile is to be
    discarded, that after the best discard.
    """
    n = len(pairs)
    turn, distance, against = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    index = pairs["position"].astype(np.int64)
    _fill(get_lookup(), positions, index, pairs["seat"].astype(np.int64), turn, distance, against)
    return {"turn": turn, "shanten": distance, "riichi": against}
