"""Classification of the positions of pairs by turn, shanten and opposing riichi, for tables by situation."""

from __future__ import annotations

import numpy as np

from simulator.jit import jit
from simulator.lookup import get_lookup
from simulator.record import ADDED_KONG, CLOSED_KONG, SEATS
from simulator.shanten import shanten

#: Turns (number of own discards so far) are grouped in sixes, like the rows of a river.
TURN_NAMES = ("turns 1-6", "turns 7-12", "turns 13-")
SHANTEN_NAMES = ("tenpai", "1 from tenpai", "2 from tenpai", "3 or more")
RIICHI_NAMES = ("no other riichi", "against riichi")
KONG_NAMES = ("open", "closed", "added")


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


def situations(positions: np.ndarray, pairs: np.ndarray) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
    """Return kind of situation -> (names, i64[n]: index of the name that applies to each pair).

    positions GAME[m], pairs QUESTION[n].

    The shanten is that of the hand before the decision; if a tile is to be discarded, that after the best discard.
    """
    n = len(pairs)
    turn, distance, against = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    index = pairs["position"].astype(np.int64)
    _fill(get_lookup(), positions, index, pairs["seat"].astype(np.int64), turn, distance, against)
    return {
        "turn": (TURN_NAMES, turn),
        "shanten": (SHANTEN_NAMES, distance),
        "riichi": (RIICHI_NAMES, against),
    }


def kong_kinds(options: np.ndarray) -> np.ndarray:
    """Return i64[n]: the index in KONG_NAMES of each proposed kong."""
    return (options >= CLOSED_KONG).astype(np.int64) + (options >= ADDED_KONG)
