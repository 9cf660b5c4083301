"""Points from han and fu, and who pays them: limits, dealer, repeat counters, bets and liability (compiled)."""

import numpy as np

from simulator.jit import jit
from simulator.record import NO_SEAT

MANGAN, HANEMAN, BAIMAN, SANBAIMAN, YAKUMAN = 2000, 3000, 4000, 6000, 8000
_ALMOST_MANGAN = 1920  # 4 han 30 fu, 3 han 60 fu


@jit
def base_points(han, fu, yakuman, rules):
    """Return the base points: what a non-dealer pays for another non-dealer's tsumo, before rounding.

    han: with dora. fu: rounded. yakuman: how many (if any, han and fu do not matter). rules: a RULES record.
    """
    if yakuman:
        return YAKUMAN * yakuman
    if han >= 13 and rules["counted_yakuman"]:
        return YAKUMAN
    if han >= 11:
        return SANBAIMAN
    if han >= 8:
        return BAIMAN
    if han >= 6:
        return HANEMAN
    base = fu << (2 + han)
    if han >= 5 or base > MANGAN or (rules["kiriage_mangan"] and base == _ALMOST_MANGAN):
        return MANGAN
    return base


@jit
def _hundreds(points):
    return (points + 99) // 100 * 100


@jit
def payments(win, dealer, repeat_counter, bets, rules):
    """Fill in `points` and `deltas` of a WIN record whose seats, han, fu, yakuman and liability are set.

    repeat_counter, bets: how many this winner takes. The liable seat pays as at Tenhou: everything for a tsumo,
    half for a win on another seat's discard, and the repeat counters in both cases (https://tenhou.net/man/, 包).
    """
    seat, source = np.int64(win["seat"]), np.int64(win["source"])
    liable, yakuman = np.int64(win["liable"]), np.int64(win["yakuman"])
    rest = base_points(np.int64(win["han"]), np.int64(win["fu"]), yakuman, rules)
    liable_base = 0
    if liable != NO_SEAT and win["liable_yakuman"]:
        liable_base = rest if rules["liability_whole"] else YAKUMAN * np.int64(win["liable_yakuman"])
        rest -= liable_base
    times = 6 if seat == dealer else 4
    repeats = np.int64(rules["repeat_points"]) * np.int64(repeat_counter)
    deltas = win["deltas"]
    deltas[:] = 0
    if seat == source:
        for other in range(4):
            if other != seat:
                deltas[other] = -_hundreds(rest * 2 if seat == dealer or other == dealer else rest)
    else:
        deltas[source] = -_hundreds(rest * times)
    if liable_base:
        half = liable_base * times // 2
        deltas[liable] -= half
        deltas[liable if seat == source else source] -= half
    points = -(deltas[0] + deltas[1] + deltas[2] + deltas[3])
    if liable_base:
        deltas[liable] -= repeats
    elif seat == source:
        for other in range(4):
            deltas[other] -= 0 if other == seat else repeats // 3
    else:
        deltas[source] -= repeats
    win["points"] = points
    deltas[seat] = points + repeats + 1000 * np.int64(bets)
