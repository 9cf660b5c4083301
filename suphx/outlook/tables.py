"""Predictions without a network: base rates and the suji table, counted on training decisions.

The table is what players learn by heart: how often a tile deals in to a seat, by whether the seat is in riichi or has
called, by how many tiles it has discarded, and by what the tile is to its river: safe, suji or not, and how far from
the edge; an honor by how many of it are left.
"""

from dataclasses import dataclass

import numpy as np

from simulator.record import SEATS
from simulator.tiles import KINDS
from suphx.dataset.loader import legal_discards
from suphx.features.encode import unpack
from suphx.features.layout import start
from suphx.outlook.examples import DiscardExamples
from suphx.outlook.labels import RESULTS, RIVALS

#: Classes of tiles: safe; 1 or 9, 2 or 8, 3 or 7, 4 to 6, each not suji and then suji; honors by tiles left.
_EDGE = np.array([min(kind % 9, 8 - kind % 9, 3) for kind in range(27)])
_TILE_CLASSES = 1 + 8 + 4
#: Of a seat: riichi, at least two open melds, neither; and its discards so far in sixes, like the rows of a river.
_SEAT_CLASSES, _TURNS = 3, 3


def suji_classes(positions: np.ndarray, seats: np.ndarray, planes: np.ndarray) -> np.ndarray:
    """Return i64[n, 3, 34]: the cell of the suji table that each tile is in, against each other seat."""
    n = len(positions)
    at = start("safety.safe"), start("safety.suji"), start("tiles.left")
    safe, suji = (unpack(planes[:, place : place + RIVALS]) for place in at[:2])
    left = unpack(planes[:, at[2] : at[2] + 4]).sum(axis=1)
    tiles = np.empty((n, RIVALS, KINDS), np.int64)
    tiles[:, :, :27] = 1 + 2 * _EDGE + suji[:, :, :27]
    tiles[:, :, 27:] = 9 + np.minimum(left[:, None, 27:], 3)
    tiles[safe] = 0
    others = (seats[:, None].astype(np.int64) + np.arange(1, SEATS)) % SEATS
    rows = np.arange(n)[:, None]
    called = np.where(positions["n_open"][rows, others] >= 2, 1, 2)
    state = np.where(positions["riichi"][rows, others] > 0, 0, called)
    turn = np.minimum(positions["n_river"][rows, others] // 6, _TURNS - 1)
    return tiles + _TILE_CLASSES * (turn + _TURNS * state)[:, :, None]


@dataclass(frozen=True)
class FrequencyTables:
    """Frequencies in training decisions."""

    tile: float
    """Share of the tiles that may be discarded, times other seats, that deal in."""
    suji: np.ndarray
    """f64[117]: the same by cell of the suji table."""
    loss: float
    """Mean points that a tile costs which deals in."""
    results: np.ndarray
    """f64[5]"""
    points: float
    ranks: np.ndarray
    """f64[4, 4]: by current rank, the share of each rank at the end of the game."""


def current_rank(positions: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Return i64[n]: the seat's rank by current points, 0 for the first; equal points by seat."""
    scores = positions["scores"].astype(np.int64) * SEATS - np.arange(SEATS)
    own = scores[np.arange(len(seats)), seats]
    return (scores > own[:, None]).sum(axis=1)


def count_tables(examples: DiscardExamples) -> FrequencyTables:
    """Return the frequencies in some training decisions, before the discards."""
    planes, targets = examples.planes(), examples.targets
    dealing = unpack(targets.kinds)
    legal = np.broadcast_to(legal_discards(planes)[:, None], dealing.shape)
    cells = suji_classes(examples.positions, examples.seats, planes)[legal]
    n_cells = _TILE_CLASSES * _TURNS * _SEAT_CLASSES
    hits = np.bincount(cells, dealing[legal], n_cells)
    overall = float(dealing[legal].mean())
    places = np.zeros((SEATS, SEATS))
    np.add.at(places, (current_rank(examples.positions, examples.seats), targets.ranks), 1)
    return FrequencyTables(
        tile=overall,
        suji=(hits + overall) / (np.bincount(cells, minlength=n_cells) + 1),  # as if each cell had one tile more
        loss=float(targets.losses[dealing & legal].mean()) if (dealing & legal).any() else 0.0,
        results=np.bincount(targets.results, minlength=len(RESULTS)) / len(targets),
        points=float(targets.points.mean()),
        ranks=(places + 0.25) / (places.sum(axis=1, keepdims=True) + 1),
    )
