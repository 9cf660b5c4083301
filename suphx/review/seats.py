"""The review of a seat: how often it agreed with the agent, overall and by situation, and its rating."""

from collections.abc import Callable, Sequence

import numpy as np

from suphx.intervals import half_width
from suphx.review.choices import LEAST_PROBABILITY, MISTAKES
from suphx.review.document import Decision, Lost, Luck, Rate, SeatReview
from suphx.supervised.measures import RIICHI_NAMES, SHANTEN_NAMES, TURN_NAMES

SITUATIONS = ("discard", "riichi", "call", "kong", "win", "nine terminals")

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
    return 100 * sum(_share(each) for each in decisions) / len(decisions)


def _share(decision: Decision) -> float:
    taken = decision.candidates[decision.taken].probability
    return 1.0 if decision.agrees else min(1.0, taken / max(decision.confidence, LEAST_PROBABILITY))


def lost_by(decisions: Sequence[Sequence[Decision]]) -> Lost | None:
    """Return what decisions by round lost; None if none of them has an outlook.

    The interval is that of the mean over the game's rounds: how much luck there is in which rounds were dealt. The
    outlook's own errors are not in it.
    """
    every = [each for of_round in decisions for each in of_round if each.lost is not None]
    if not every:
        return None
    sums = np.array([sum(each.lost or 0.0 for each in of_round) for of_round in decisions])
    mean, half = float(sums.mean()), half_width(sums)
    return Lost(
        decisions=len(every),
        points=round(mean, 1),
        low=round(mean - half, 1) if len(sums) > 1 else None,
        high=round(mean + half, 1) if len(sums) > 1 else None,
        mistakes={name: sum(each.mistake == name for each in every) for name in MISTAKES},
    )


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
