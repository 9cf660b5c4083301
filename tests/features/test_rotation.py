"""Planes are the position's own view: turning the table changes none."""

from __future__ import annotations

import numpy as np
import pytest
from played import played

from simulator.record import EVENT_DORA, RIVER_CALLED, RIVER_CALLER_SHIFT, SEATS
from suphx.features.encode import encode_batch, encode_oracle_batch

_BY_SEAT = (
    "scores start_scores hand copies suit_keys melds n_melds n_open river n_river waits discarded missed riichi "
    "double_riichi ippatsu answers legal decisions"
).split()


def turned(games: np.ndarray, by: int) -> np.ndarray:
    """Return the same tables with every seat `by` places further on."""
    out = games.copy()
    for name in _BY_SEAT:
        out[name] = np.roll(games[name], by, axis=1)
    for name in ("dealer", "turn"):
        out[name] = (games[name] + by) % SEATS
    for name in ("asked", "pending"):
        out[name] = (games[name].astype(int) << by | games[name] >> (SEATS - by)) & 15
    out["melds"]["source"] = (out["melds"]["source"] + by) % SEATS
    callers = out["river"] >> RIVER_CALLER_SHIFT & 3
    moved = out["river"] & ~np.uint16(3 << RIVER_CALLER_SHIFT) | ((callers + by) % SEATS << RIVER_CALLER_SHIFT)
    out["river"] = np.where(out["river"] & RIVER_CALLED, moved, out["river"])
    seats = (games["events"] >> 4 & 3) + by
    moved = games["events"] & ~np.uint16(3 << 4) | (seats % SEATS << 4).astype(np.uint16)
    out["events"] = np.where((games["events"] & 15) == EVENT_DORA, games["events"], moved)
    return out


@pytest.mark.parametrize("by", [1, 2, 3])
def test_turning_the_table_changes_no_plane(by: int) -> None:
    games, seats = (each.copy() for each in played(600))
    games["scores"] += np.array([0, 10, 20, 30])  # of equal points the seat decides, which is no symmetry
    index = np.arange(len(games))
    other, other_seats = turned(games, by), (seats + by) % SEATS
    assert (encode_batch(other, index, other_seats) == encode_batch(games, index, seats)).all()
    assert (encode_oracle_batch(other, index, other_seats) == encode_oracle_batch(games, index, seats)).all()
