"""The review of a seat: how often it agreed with the agent, its rating, what its decisions lost, and its luck."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from simulator.efficiency import accepted_batch, shanten_batch
from simulator.record import PHASE_TURN
from simulator.tiles import KINDS
from suphx.agent.opinions import LEAST_PROBABILITY
from suphx.intervals import half_width
from suphx.review.choices import MISTAKES
from suphx.review.document import Decision, Lost, Luck, Rate, SeatReview
from suphx.review.game import ReplayMoment
from suphx.review.listing import see_all
from suphx.supervised.measures import RIICHI_NAMES, SHANTEN_NAMES, TURN_NAMES

SITUATIONS = ("discard", "riichi", "call", "kong", "win", "nine terminals")

#: Mean and standard deviation of the shanten of 13 random tiles.
RANDOM_SHANTEN, RANDOM_SPREAD = 3.58, 0.885

#: Group -> (names in order, function that returns the name a decision belongs to).
_GROUPS: dict[str, tuple[Sequence[str], Callable[[Decision], str]]] = {
    "situation": (SITUATIONS, lambda each: each.situation),
    "turn": (TURN_NAMES, lambda each: TURN_NAMES[min(each.turn // 6, len(TURN_NAMES) - 1)]),
    "shanten": (SHANTEN_NAMES, lambda each: SHANTEN_NAMES[min(max(each.shanten, 0), len(SHANTEN_NAMES) - 1)]),
    "riichi": (RIICHI_NAMES, lambda each: RIICHI_NAMES[each.against_riichi]),
}


def rating(decisions: Sequence[Decision]) -> float | None:
    """Return 100 times the mean of min(1, q / p), as in `SeatReview.rating`; None without decisions."""
    if not decisions:
        return None
    taken = (
        (each, each.candidates[each.taken].probability / max(each.confidence, LEAST_PROBABILITY)) for each in decisions
    )
    return 100 * sum(1.0 if each.agrees else min(1.0, share) for each, share in taken) / len(decisions)


def lost_by(decisions: Sequence[Sequence[Decision]]) -> Lost | None:
    """Return what decisions between discards lost, by round; None if none of them has an outlook.

    The interval is that of the mean over the game's rounds: how much luck there is in which rounds were dealt. The
    outlook's own errors are not in it.
    """
    lost = [[each.lost for each in of_round if _is_discard(each) and each.lost is not None] for of_round in decisions]
    if not any(lost):
        return None
    sums = np.array([sum(of_round) for of_round in lost])
    mean, half = float(sums.mean()), half_width(sums)
    return Lost(
        decisions=sum(map(len, lost)),
        points=round(mean, 1),
        low=round(mean - half, 1) if len(sums) > 1 else None,
        high=round(mean + half, 1) if len(sums) > 1 else None,
        mistakes={name: sum(each.mistake == name for of in decisions for each in of) for name in MISTAKES},
    )


def _is_discard(decision: Decision) -> bool:
    """Return whether both the agent and the player discard."""
    return all(decision.candidates[place].type == "discard" for place in (decision.preferred, decision.taken))


def seat_review(seat: int, decisions: Sequence[Sequence[Decision]], absent: int, luck: Luck) -> SeatReview:
    """Return the review of a seat from its decisions by round; absent: number of decisions that were made for it."""
    every = [each for of_round in decisions for each in of_round]
    rates = []
    for group, (names, name_of) in _GROUPS.items():
        for name in names:
            members = [each for each in every if name_of(each) == name]
            if members:
                agreed = sum(each.agrees for each in members)
                rates.append(Rate(group=group, name=name, decisions=len(members), agreed=agreed))
    score = rating(every)
    return SeatReview(
        seat=seat,
        decisions=[list(of_round) for of_round in decisions],
        agreed=sum(each.agrees for each in every),
        count=len(every),
        rating=None if score is None else round(score, 2),
        difference=round(sum(each.difference for each in every), 4),
        rates=rates,
        lost=lost_by(decisions),
        absent=absent,
        luck=luck,
    )


def luck_of(records: np.ndarray, rounds: Sequence[Sequence[ReplayMoment]], seat: int) -> Luck:
    """Return the luck of a seat; records: GAME[...], rounds: the moments of each, as in `Replayed`.

    A dealt hand is measured by its shanten, against hands of 13 random tiles. A draw helps if it lowers the shanten of
    the hand that it comes to, or wins. With the hand as it is, each unseen tile is as likely as any other, so that a
    draw helps with the probability accepted / unseen; these probabilities add up to the expected number, however well
    or badly the hand was played.
    """
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
