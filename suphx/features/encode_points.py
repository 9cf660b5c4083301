"""Encode points, ranks, gaps, and which wins would change who is ahead."""

import numpy as np

from simulator.jit import jit
from simulator.record import SEATS
from suphx.features import at
from suphx.features.layout import GAP_STEPS, POINT_STEPS, RIVAL_WINS, WINS
from suphx.features.planes import at_least, flag

_BET = 1000

# Ways to win, relative to a winner and one other seat.
BY_TSUMO, OFF_THEM, OFF_ANOTHER = range(3)
WAYS = 3
# Which of the two is the dealer.
NEITHER, WINNER, OTHER = range(3)


def _base(han: int, fu: int) -> int:
    """Return the base points of a win of a given size (see `simulator.scoring.payments.base_points`)."""
    limits = ((13, 8000), (8, 4000), (6, 3000), (5, 2000))
    return next((base for least, base in limits if han >= least), fu << (2 + han))


def _hundreds(points: int) -> int:
    return -(-points // 100) * 100


def swing(base: int, way: int, dealer: int) -> int:
    """Return how much a winner gains on another seat by a win of base points, without bets and repeat counter."""
    if way != BY_TSUMO:
        gain = _hundreds(base * (6 if dealer == WINNER else 4))
        return 2 * gain if way == OFF_THEM else gain
    if dealer == WINNER:
        return 4 * _hundreds(2 * base)
    paid = _hundreds(2 * base if dealer == OTHER else base)
    return _hundreds(2 * base) + 2 * _hundreds(base) + paid


#: i64[way, dealer, win]: how much a winner gains on another seat.
SWINGS = np.array(
    [[[swing(_base(*win), way, dealer) for win in WINS.values()] for dealer in range(3)] for way in range(WAYS)],
    np.int64,
)
_RIVAL_SWINGS = np.ascontiguousarray(SWINGS[:, :, [list(WINS).index(win) for win in RIVAL_WINS]])
_WINS, _RIVAL_WINS, _RIVAL_WAYS = len(WINS), len(RIVAL_WINS), 2


@jit
def extras(game, way):
    """Return how much bets and repeat counter add to a winner's gain on another seat."""
    each = np.int64(game["rules"]["repeat_points"]) * np.int64(game["repeat_counter"])
    on_top = each
    if way == BY_TSUMO:
        on_top += each // 3
    elif way == OFF_THEM:
        on_top += each
    return _BET * np.int64(game["bets"]) + on_top


@jit
def _dealer_of(game, winner, other):
    if game["dealer"] == winner:
        return WINNER
    return OTHER if game["dealer"] == other else NEITHER


@jit
def encode_points(game, seat, out):
    """Write points, ranks and gaps."""
    scores = game["scores"]
    for relative in range(SEATS):
        this = (seat + relative) & 3
        rank = 0
        for other in range(SEATS):
            rank += scores[other] > scores[this] or (scores[other] == scores[this] and other < this)
        at_least(out, at.points_of + relative * len(POINT_STEPS), POINT_STEPS, np.int64(scores[this]))
        out[at.points_rank + SEATS * relative + rank] = flag(True)
    for rival in range(SEATS - 1):
        other = (seat + 1 + rival) & 3
        gap = np.int64(scores[seat]) - np.int64(scores[other])
        at_least(out, at.points_gap + rival * len(GAP_STEPS), GAP_STEPS, gap)


@jit
def _encode_enough(out, first, gains, needed):
    """Write which of the gains are at least the needed one."""
    for n in range(len(gains)):
        out[first + n] = flag(gains[n] >= needed)


@jit
def encode_overtaking(game, seat, out):
    """Write after which own wins self would be ahead of each rival, and after which wins each rival ahead of self."""
    scores = game["scores"]
    for rival in range(SEATS - 1):
        other = (seat + 1 + rival) & 3
        gap = np.int64(scores[seat]) - np.int64(scores[other])
        dealer = _dealer_of(game, seat, other)
        for way in range(WAYS):
            needed = (1 if other < seat else 0) - gap - extras(game, way)
            _encode_enough(out, at.points_pass + (WAYS * rival + way) * _WINS, SWINGS[way, dealer], needed)
        dealer = _dealer_of(game, other, seat)
        for way in range(_RIVAL_WAYS):
            needed = (1 if seat < other else 0) + gap - extras(game, way)
            first = at.points_passed + (_RIVAL_WAYS * rival + way) * _RIVAL_WINS
            _encode_enough(out, first, _RIVAL_SWINGS[way, dealer], needed)
