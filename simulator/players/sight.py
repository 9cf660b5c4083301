"""What one seat sees of a table, and what follows from it for each discard: unseen tiles, dora, danger.

Only visible information is read: the melds and rivers of the other seats, the shown indicators and the number of
tiles left in the wall, and of the events only discards, added kongs and riichi.
"""

import numpy as np

from simulator import record as r
from simulator.jit import jit
from simulator.moves import is_red_tile, tiles_left
from simulator.tiles import DORA_OF, DRAGONS, EAST, HONORS, KINDS
from simulator.walls import DORA_INDICATORS, LIVE_TILES

#: What a seat sees and derives from it; scratch space of one decision.
SIGHT = np.dtype([
    ("unseen", "u1", (KINDS,)),  # tiles of each kind that the seat does not see
    ("dora", "u1", (KINDS,)),  # how many times each kind is dora
    ("yakuhai", "i8"),  # kinds whose triplet is a yaku for the seat
    ("draws", "i8"),  # approximate number of own draws left in the round
    ("dealer", "u1"),  # 1: the seat deals
    ("stakes", "i8"),  # points on the table: riichi bets and repeat counters
    ("danger", "f8", (KINDS,)),  # points that discarding the kind loses on average
    ("threat", "f8"),  # expected number of other seats that are tenpai, weighted by what their hands cost
    ("waiting", "f8", (KINDS,)),  # scratch space for the waits of one other seat
    # The seat's own hand; a call under consideration is applied here.
    ("hand", "u1", (KINDS,)),  # concealed tiles
    ("red", "i8"),  # kinds whose red five is among them
    ("n_melds", "i8"),
    ("n_open", "i8"),
    ("chows", "i8"),  # chows among the melds
    ("meld_kinds", "i8"),  # kinds in the melds
    ("meld_dora", "i8"),  # dora and red fives in them
    ("meld_yaku", "i8"),  # melds that are a yaku by themselves, double winds twice
    ("own_river", "i8"),  # kinds the seat has discarded
    # The hand after each discard, within the plan under consideration.
    ("shanten", "i1", (KINDS,)),
    ("accepted", "i8", (KINDS,)),
    ("count", "i4", (KINDS,)),
    ("planned", "u1", (KINDS,)),  # the hand without the tiles that the plan does not use
], align=True)  # fmt: skip

# Relative frequency of each shape of wait, per pair of unseen tiles that it may consist of.
_TWO_SIDED, _GAP, _EDGE = 1.0, 0.24, 0.28
_PAIRS, _PAIRS_HONOR = 0.8, 1.6
_SINGLE, _SINGLE_HONOR = 0.2, 0.8

# Chance that a seat without riichi is tenpai at the end of the wall, by its open melds (before, in proportion).
_OPEN_TENPAI = np.array([0.0, 0.25, 0.6, 1.1, 1.5])
# Points lost by dealing into a hand: with riichi; open, by its han; factors for a dealer's hand and for a dora.
_RIICHI_COST = 5600.0
_OPEN_COST = np.array([1300.0, 1500.0, 2600.0, 5000.0, 7700.0, 8000.0, 12000.0, 12000.0, 16000.0])
_DEALER_COST = 1.4
_DORA_COST = 1.3
_FLUSH_HAN = 2


@jit
def yakuhai_kinds(game, seat):
    """Return the mask of kinds whose triplet is a yaku for a seat: dragons, its seat wind, the round wind."""
    own = EAST + ((seat - np.int64(game["dealer"])) & 3)
    of_round = EAST + (np.int64(game["round"]) >> 2 & 3)
    return np.int64(DRAGONS) | np.int64(1) << own | np.int64(1) << of_round


@jit
def triplet_yaku(game, seat, kind):
    """Return the han of a triplet of a kind: 2 for a wind that is both seat wind and round wind."""
    own = EAST + ((seat - np.int64(game["dealer"])) & 3)
    of_round = EAST + (np.int64(game["round"]) >> 2 & 3)
    return (DRAGONS >> kind & 1) + (kind == own) + (kind == of_round)


@jit
def _see_tiles(game, seat, sight):
    unseen, dora = sight["unseen"], sight["dora"]
    for kind in range(KINDS):
        unseen[kind] = 4 - game["hand"][seat, kind]
        dora[kind] = 0
    for other in range(r.SEATS):
        for n in range(np.int64(game["n_river"][other])):
            entry = np.int64(game["river"][other, n])
            if not entry & r.RIVER_CALLED:
                unseen[(entry & 255) >> 2] -= 1
        for n in range(np.int64(game["n_melds"][other])):
            for place in range(4):
                tile = np.int64(game["melds"][other, n]["tiles"][place])
                if tile != r.NO_TILE:
                    unseen[tile >> 2] -= 1
    for n in range(np.int64(game["indicators"])):
        kind = np.int64(game["wall"][DORA_INDICATORS[n]]) >> 2
        unseen[kind] -= 1
        dora[DORA_OF[kind]] += 1


@jit
def meld_worth(game, sight, seat, meld):
    """Return the han of a meld as (dora and red fives, yaku of its triplet)."""
    dora = 0
    for place in range(4):
        tile = np.int64(meld["tiles"][place])
        if tile != r.NO_TILE:
            dora += np.int64(sight["dora"][tile >> 2]) + is_red_tile(game, tile)
    yaku = 0
    if meld["type"] != r.MELD_CHOW:
        yaku = triplet_yaku(game, seat, np.int64(meld["kind"]))
    return dora, yaku


@jit
def meld_mask(meld):
    """Return the mask of kinds in a meld."""
    return np.int64(7 if meld["type"] == r.MELD_CHOW else 1) << np.int64(meld["kind"])


@jit
def see_own(game, seat, sight):
    """Write a seat's actual hand and melds into sight, undoing any call that was tried there."""
    sight["hand"][:] = game["hand"][seat]
    sight["red"] = 0
    if game["rules"]["red_fives"]:
        for suit in range(3):
            sight["red"] |= (np.int64(game["copies"][seat, 9 * suit + 4]) & 1) << (9 * suit + 4)
    sight["n_melds"] = game["n_melds"][seat]
    sight["n_open"] = game["n_open"][seat]
    sight["own_river"] = game["discarded"][seat]
    sight["chows"] = 0
    sight["meld_kinds"] = 0
    sight["meld_dora"] = 0
    sight["meld_yaku"] = 0
    for n in range(np.int64(game["n_melds"][seat])):
        meld = game["melds"][seat, n]
        dora, yaku = meld_worth(game, sight, seat, meld)
        sight["chows"] += meld["type"] == r.MELD_CHOW
        sight["meld_kinds"] |= meld_mask(meld)
        sight["meld_dora"] += dora
        sight["meld_yaku"] += yaku


@jit
def safe_kinds(game, other):
    """Return the mask of kinds that a seat cannot win on by ron: its own discards and the tiles it has let pass.

    It let pass everything discarded (or added to a pong) since it declared riichi, or otherwise since its own last
    discard. The tile open to claims counts as passed: by this seat's next discard it will have been, or the round
    is over.
    """
    safe = np.int64(game["discarded"][other])
    in_riichi = game["riichi"][other] != 0
    for n in range(np.int64(game["n_events"]) - 1, -1, -1):
        event = np.int64(game["events"][n])
        kind = event & 15
        if kind == r.EVENT_DISCARD or kind == r.EVENT_ADDED_KONG:
            if not in_riichi and kind == r.EVENT_DISCARD and event >> 4 & 3 == other:
                break
            safe |= np.int64(1) << (event >> 10)
        elif in_riichi and kind == r.EVENT_RIICHI and event >> 4 & 3 == other:
            break
    return safe


@jit
def _open_han(game, sight, other):
    """Return the expected han of a seat's hand, judged by its melds."""
    han = 0
    kinds = np.int64(0)
    for n in range(np.int64(game["n_melds"][other])):
        meld = game["melds"][other, n]
        dora, yaku = meld_worth(game, sight, other, meld)
        han += dora + yaku
        kinds |= meld_mask(meld)
    if game["n_open"][other] >= 2:
        for suit in range(3):
            in_flush = HONORS | 511 << 9 * suit
            if not kinds & ~in_flush:
                return han + _FLUSH_HAN
    return han


@jit
def _fill_waiting(sight, safe):
    """Write for each kind the weight with which a tenpai hand that cannot win on `safe` waits for it.

    Return the total weight of the hands.
    """
    unseen, waiting = sight["unseen"], sight["waiting"]
    total = 0.0
    for kind in range(KINDS):
        waiting[kind] = 0.0
        if not safe >> kind & 1:
            n = float(unseen[kind])
            honor = kind >= EAST
            pairs = n * (n - 1.0) * 0.5 * (_PAIRS_HONOR if honor else _PAIRS)
            single = n * (_SINGLE_HONOR if honor else _SINGLE)
            waiting[kind] = pairs + single
            total += pairs * 0.5 + single  # two pairs wait on two kinds
    for first in range(0, EAST, 9):
        for low in range(first, first + 8):
            near = float(unseen[low]) * unseen[low + 1]
            if low == first or low == first + 7:
                wait = low + 2 if low == first else low - 1
                if not safe >> wait & 1:
                    waiting[wait] += near * _EDGE
                    total += near * _EDGE
            elif not (safe >> (low - 1) | safe >> (low + 2)) & 1:
                waiting[low - 1] += near * _TWO_SIDED
                waiting[low + 2] += near * _TWO_SIDED
                total += near * _TWO_SIDED
            if low < first + 7 and not safe >> (low + 1) & 1:
                gap = float(unseen[low]) * unseen[low + 2] * _GAP
                waiting[low + 1] += gap
                total += gap
    return total


@jit
def _see_danger(game, seat, sight):
    danger = sight["danger"]
    danger[:] = 0.0
    sight["threat"] = 0.0
    progress = 1.0 - tiles_left(game) / LIVE_TILES
    for other in range(r.SEATS):
        n_open = np.int64(game["n_open"][other])
        in_riichi = game["riichi"][other] != 0
        if other == seat or (not in_riichi and n_open == 0):
            continue
        if in_riichi:
            tenpai, cost = 1.0, _RIICHI_COST
        else:
            tenpai = min(1.0, progress * _OPEN_TENPAI[n_open])
            cost = _OPEN_COST[min(_open_han(game, sight, other), len(_OPEN_COST) - 1)]
        if other == game["dealer"]:
            cost *= _DEALER_COST
        sight["threat"] += tenpai * cost / _RIICHI_COST
        total = _fill_waiting(sight, safe_kinds(game, other))
        if total > 0.0:
            for kind in range(KINDS):
                more = _DORA_COST if sight["dora"][kind] else 1.0
                danger[kind] += tenpai * cost * more * sight["waiting"][kind] / total


@jit
def look(game, seat, sight, careful):
    """Fill a SIGHT record with what a seat sees of its table; without `careful` no discard counts as dangerous."""
    _see_tiles(game, seat, sight)
    see_own(game, seat, sight)
    if careful:
        _see_danger(game, seat, sight)
    else:
        sight["danger"][:] = 0.0
        sight["threat"] = 0.0
    sight["yakuhai"] = yakuhai_kinds(game, seat)
    sight["draws"] = min((tiles_left(game) + 3) // 4, 18)
    sight["dealer"] = game["dealer"] == seat
    sight["stakes"] = 1000 * np.int64(game["bets"]) + np.int64(game["rules"]["repeat_points"]) * np.int64(
        game["repeat_counter"]
    )
