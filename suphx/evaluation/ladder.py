"""Tenhou's ladder: the level that a player with given rank rates, or with given games, would reach.

Levels have Tenhou's numbers, as in logs: 0 for a new player, 1 to 9 for 9 to 1 kyu, 10 to 19 for 1 to 10 dan, 20 for
Tenhoui. The points needed and the cost of a fourth place are those of the paper's Table 6. Its prizes for first and
second place are those of East-only games, so those of hanchan are used instead: 30 and 15 in the normal room, 60 and
15 in the advanced, 75 and 30 in the expert, 90 and 45 in the phoenix room (https://tenhou.net/man/, ranking; the stable
rank's formula follows from them). Third place gets 0, fourth -(30 + 15 dan), nothing up to 3 kyu.

Simplifications: at Tenhou rooms also require a rating (1,800 in the expert, 2,000 in the phoenix room), which is
assumed to come with the level; a level is lost when the points fall to 0 (as the paper says; other sources say below
0); and a player plays equally well in every room, always in the highest one that the level opens.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from simulator.jit import jit
from suphx.errors import InputError

LEVELS: tuple[str, ...] = (
    "new player", *(f"{kyu} kyu" for kyu in range(9, 0, -1)), *(f"{dan} dan" for dan in range(1, 11)), "Tenhoui",
)  # fmt: skip
ONE_DAN, TEN_DAN, TENHOUI = 10, 19, 20
#: Points needed for the next level; Tenhoui is the last.
NEEDED = (20, 20, 20, 20, 40, 60, 80, 100, 100, 100, *(400 * dan for dan in range(1, 11)), 0)
#: Points that a level starts with, whether it is entered from below or from above.
START = (*[0] * ONE_DAN, *(200 * dan for dan in range(1, 11)), 0)
#: Points that a fourth place costs, by level.
FOURTH = (*[0] * 8, 15, 30, *(30 + 15 * dan for dan in range(1, 11)), 0)
ROOMS = ("normal", "advanced", "expert", "phoenix")
#: First and second prize of a hanchan in each room.
PRIZES = ((30, 15), (60, 15), (75, 30), (90, 45))
#: The lowest level that may play in each room: all, 1 kyu, 4 dan, 7 dan.
ENTRY = (0, 9, 13, 16)

_LEVEL = np.dtype([("needed", "i4"), ("start", "i4"), ("room", "i4"), ("changes", "i4", 4)])
_QUANTILES = (5, 25, 50, 75, 95)
#: Most random numbers of careers in memory at a time: 16 MB.
_BLOCK = 1 << 21


def ladder(top_room: str = "phoenix") -> np.ndarray:
    """Return the ladder, one record per level: points needed, starting points, room, change by place (first to fourth).

    top_room: the highest room that the player may enter; AIs were not admitted to the phoenix room.
    """
    levels = np.zeros(len(LEVELS), _LEVEL)
    levels["needed"], levels["start"] = NEEDED, START
    for level, record in enumerate(levels):
        record["room"] = sum(level >= entry for entry in ENTRY[1 : ROOMS.index(top_room) + 1])
        record["changes"] = (*PRIZES[record["room"]], 0, -FOURTH[level])
    return levels


@jit
def _step(levels, level, points, place):
    """Return level and points after a game that ended at a place, 0 to 3."""
    if level == TENHOUI:
        return level, points
    points += levels[level]["changes"][place]
    if points >= levels[level]["needed"]:
        return level + 1, np.int64(levels[level + 1]["start"])
    if points <= 0 and level >= ONE_DAN:
        return level - 1, np.int64(levels[level - 1]["start"])
    return level, max(points, 0)


@jit
def _follow(levels, level, points, places, after):
    """Write the level after each game into `after`."""
    for game in range(len(places)):
        level, points = _step(levels, level, points, np.int64(places[game]))
        after[game] = level


@jit
def _careers(levels, level_at_first, points_at_first, bounds, random, reached, spent, last):
    """Simulate careers from random numbers [careers, games]; bounds: cumulative rank rates."""
    for career in range(len(random)):
        level = level_at_first
        points = points_at_first
        for passed in range(level + 1):
            reached[career, passed] = 0
        for game in range(random.shape[1]):
            spent[career, level] += 1
            place = 0
            while place < 3 and random[career, game] >= bounds[place]:
                place += 1
            level, points = _step(levels, level, points, place)
            if reached[career, level] < 0:
                reached[career, level] = game + 1
        last[career] = level


def follow(places: np.ndarray, start: int = 0, points: int | None = None, top_room: str = "phoenix") -> np.ndarray:
    """Return u8[games]: the level after each game of one career.

    places: 0 first to 3 fourth, in the order of play. start: the level before the first game. points: the points before
    it, by default those that the level starts with.
    """
    levels = ladder(top_room)
    after = np.zeros(len(places), np.uint8)
    _follow(levels, start, START[start] if points is None else points, np.asarray(places, np.uint8), after)
    return after


def simulate(
    rates: Sequence[float] | np.ndarray,
    games: int = 10_000,
    careers: int = 2000,
    start: int = 0,
    top_room: str = "phoenix",
    seed: int = 0,
) -> dict[str, Any]:
    """Simulate many careers, each of `games` hanchan, of a player with given rank rates; return plain values.

    rates: rates (or counts) of first to fourth place. Returns `record`: level to the share of careers in which it is
    the highest; `final`: the same for the last level; `time`: level to its share of all games; `reached`: level to
    `share` (of careers that ever reach it) and `games`, quantile in percent to the games until then, None where too few
    careers get there. Levels that no career visits are left out.
    """
    shares = np.asarray(rates, np.float64)
    if shares.shape != (4,) or not np.isfinite(shares).all() or (shares < 0).any() or not shares.sum():
        raise InputError(f"rank rates {list(rates)}: four are needed, none below zero and not all zero")
    bounds = (shares / shares.sum()).cumsum()
    reached = np.full((careers, len(LEVELS)), -1, np.int64)
    spent = np.zeros((careers, len(LEVELS)), np.int64)
    last = np.zeros(careers, np.int64)
    random = np.random.default_rng(seed)
    levels = ladder(top_room)
    rows = max(1, _BLOCK // games)
    for at in range(0, careers, rows):
        part = slice(at, at + rows)
        drawn = random.random((len(last[part]), games))
        _careers(levels, start, START[start], bounds, drawn, reached[part], spent[part], last[part])
    record = np.where(reached >= 0, np.arange(len(LEVELS)), -1).max(axis=1)
    return {
        "careers": careers,
        "games": games,
        "start": LEVELS[start],
        "top_room": top_room,
        "record": _shares(np.bincount(record, minlength=len(LEVELS))),
        "final": _shares(np.bincount(last, minlength=len(LEVELS))),
        "time": _shares(spent.sum(axis=0)),
        "reached": {LEVELS[level]: _reached(reached[:, level]) for level in range(start + 1, int(record.max()) + 1)},
    }


def _shares(counts: np.ndarray) -> dict[str, float]:
    return {LEVELS[level]: float(counts[level] / counts.sum()) for level in np.flatnonzero(counts)}


def _reached(games: np.ndarray) -> dict[str, Any]:
    """Summarize when careers first reach a level; games: -1 for those that never do, which count as infinitely late."""
    until = np.where(games < 0, np.inf, games)
    quantiles = np.percentile(until, _QUANTILES, method="nearest")
    by_quantile = {
        str(q): int(value) if np.isfinite(value) else None for q, value in zip(_QUANTILES, quantiles, strict=True)
    }
    return {"share": float((games >= 0).mean()), "games": by_quantile}


def follow_summary(places: np.ndarray, start: int = 0, top_room: str = "phoenix") -> dict[str, Any]:
    """Return one career, its games in order, as plain values: `record`, `final`, `time`, and `reached` (games)."""
    after = follow(places, start, top_room=top_room)
    before = np.concatenate([[start], after[:-1]]).astype(np.int64)
    record = int(max(start, after.max(initial=start)))
    return {
        "games": len(places),
        "start": LEVELS[start],
        "top_room": top_room,
        "record": LEVELS[record],
        "final": LEVELS[int(after[-1])] if len(after) else LEVELS[start],
        "time": _shares(np.bincount(before, minlength=len(LEVELS))) if len(after) else {},
        "reached": {LEVELS[level]: int((after >= level).argmax()) + 1 for level in range(start + 1, record + 1)},
    }


assert len(NEEDED) == len(START) == len(FOURTH) == len(LEVELS) == TENHOUI + 1
