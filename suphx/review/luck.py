"""The luck of a seat, apart from how it played: the hands it was dealt, and the tiles it drew.

A dealt hand is measured by its shanten, against hands of 13 random tiles. A draw helps if it lowers the shanten of the
hand that it comes to, or wins. With the hand as it is, each unseen tile is as likely as any other, so that a draw helps
with the probability accepted / unseen; these probabilities add up to the expected number, however well or
badly the hand was played.
"""

import math
from collections.abc import Sequence

import numpy as np

from simulator.efficiency import accepted_batch, shanten_batch
from simulator.record import PHASE_TURN
from simulator.tiles import KINDS
from suphx.review.document import Luck
from suphx.review.game import ReplayMoment
from suphx.review.listing import see_all

#: Mean and standard deviation of the shanten of 13 random tiles.
RANDOM_SHANTEN, RANDOM_SPREAD = 3.58, 0.885


def luck_of(records: np.ndarray, rounds: Sequence[Sequence[ReplayMoment]], seat: int) -> Luck:
    """Return the luck of a seat; records: GAME[...], rounds: the moments of each, as in `Replayed`."""
    firsts = [moments[0].record for moments in rounds]
    dealt = shanten_batch(_without_draw(records, np.array(firsts), np.full(len(firsts), seat)))
    index = np.array([moment.record for moments in rounds for moment in moments], np.int32)
    drawn = (records["phase"][index] == PHASE_TURN) & (records["turn"][index] == seat)
    index = index[drawn]
    seats = np.full(len(index), seat, np.uint8)
    accepted = accepted_batch(_without_draw(records, index, seats)) if len(index) else np.zeros(0, np.int64)
    kinds = records["drawn"][index] >> 2
    unseen = see_all(records, index, seats)["unseen"].astype(np.int64)
    unseen[np.arange(len(index)), kinds] += 1  # before the draw
    helps = (accepted[:, None] >> np.arange(KINDS) & 1).astype(bool)
    chances = (unseen * helps).sum(1) / np.maximum(unseen.sum(1), 1)
    return Luck(
        rounds=len(firsts),
        dealt=round(float(dealt.mean()), 3),
        dealt_expected=RANDOM_SHANTEN,
        dealt_spread=round(RANDOM_SPREAD / math.sqrt(len(firsts)), 3),
        draws=len(index),
        helped=int(helps[np.arange(len(index)), kinds].sum()),
        helped_expected=round(float(chances.sum()), 2),
        helped_spread=round(math.sqrt(float((chances * (1 - chances)).sum())), 2),
    )


def _without_draw(records: np.ndarray, index: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Return the hands u8[n, 34] of seats, each without the tile that its seat has just drawn."""
    hands = records["hand"][index, seats].copy()
    own = np.flatnonzero((records["turn"][index] == seats) & (records["phase"][index] == PHASE_TURN))
    hands[own, records["drawn"][index[own]] >> 2] -= 1
    return hands
