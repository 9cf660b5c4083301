"""Hand-made games for the tests of the reward predictor."""

from __future__ import annotations

import numpy as np

from suphx.reward.games import START, Games


def game(*starts: tuple[int, int, int, tuple[int, int, int, int]], final: tuple[int, ...] | None = None) -> Games:
    """Return one game from (round, repeat counter, bets, points in hundreds) of each start, and the final points."""
    rounds = np.zeros((1, len(starts)), START)
    for place, (number, repeat_counter, bets, scores) in enumerate(starts):
        rounds[0, place] = (np.array(scores) * 100, number, repeat_counter, bets)
    points = np.array([final or (0, 0, 0, 0)], np.int32) * 100
    return Games(rounds, np.array([len(starts)]), np.array([final is not None]), points)


def side_by_side(*games: Games) -> Games:
    """Return single games as a batch, padded to the longest."""
    starts = np.zeros((len(games), max(each.starts.shape[1] for each in games)), START)
    for row, each in enumerate(games):
        starts[row, : each.starts.shape[1]] = each.starts[0]
    return Games(starts, *(np.concatenate([getattr(each, name) for each in games])
                           for name in ("n_starts", "ended", "final_scores")))  # fmt: skip
