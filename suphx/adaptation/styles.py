"""Compare the styles of two agents on the same deals of the same hands: rates of wins, deal-ins, riichi and calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from suphx.adaptation.comparing import Deals
from suphx.adaptation.differences import Moment, find_differences
from suphx.adaptation.hands import Hand
from suphx.adaptation.players import Original
from suphx.adaptation.rollouts import roll_out, rollouts_of
from suphx.evaluation.tally import COLUMN, tally
from suphx.intervals import half_width

#: The columns of `evaluation.tally` to compare; each counts at most once per round.
COUNTED = ("wins", "deal_ins", "riichi", "call_rounds", "tenpai_draws")


def compare_styles(
    hands: Sequence[Hand], first: Original, second: Original, deals: Deals, count: int
) -> tuple[dict[str, Any], list[Moment]]:
    """Return shares of rounds by agent with 95 % intervals, and the decisions on which they differ, clearest first.

    Each agent plays the hand's seat of every deal, against three of the first agent. count: deals per hand. The hand is
    the statistical unit of the intervals.
    """
    positions = [hand.position for hand in hands]
    rollouts = rollouts_of(len(hands), count)
    found: dict[str, Any] = {"hands": len(hands), "deals": count}
    counts, worths = [], []
    for agent in (first, second):
        rolled = roll_out(positions, rollouts, [agent.playing] * len(hands), first.playing, deals.seed)
        seats = np.array([position.seat for position in positions])[rollouts["position"]]
        rows = np.array([tally(rolled.ended[n : n + 1])[seat] for n, seat in enumerate(seats)])
        counts.append(rows[:, [COLUMN[name] for name in COUNTED]].reshape(len(hands), count, -1).mean(axis=1))
        worths.append(deals.worth.of(positions, rollouts["position"].astype(np.int64), rolled.ended).reshape(-1, count))
    for place, name in enumerate(COUNTED):
        found[name] = _pair(counts[0][:, place], counts[1][:, place])
    found["reward"] = _pair(*(each.mean(axis=1) * deals.worth.unit for each in worths))
    other = [second.playing] * len(hands)
    return found, find_differences(positions, first.playing, other, first.playing, count, deals.seed)


def _pair(first: np.ndarray, second: np.ndarray) -> dict[str, Any]:
    """Return the means of both agents over hands, and the mean difference with its interval."""
    difference = second - first
    half, mean = half_width(difference), float(difference.mean())
    return {
        "first": float(first.mean()),
        "second": float(second.mean()),
        "second_less_first": mean,
        "interval": [mean - half, mean + half] if len(difference) > 1 else None,
    }
