"""Functions shared by the writers: the hands at the end of a round, and derived values that a log may leave out."""

import numpy as np

from simulator import record as r
from simulator.logs.model import GameLog, LogError, RoundLog, WinLog
from simulator.rules import Rules
from simulator.tiles import KINDS, NO_TILE
from simulator.views.table import round_name

BET = 1000
# Limit hands, in Tenhou's numbering.
NO_LIMIT, MANGAN, HANEMAN, BAIMAN, SANBAIMAN, YAKUMAN = range(6)
_MANGAN_BASE = 2000
#: The limits with the least han and base points of each.
_LIMITS = (
    (YAKUMAN, 13, 8000), (SANBAIMAN, 11, 6000), (BAIMAN, 8, 4000), (HANEMAN, 6, 3000), (MANGAN, 5, _MANGAN_BASE)
)  # fmt: skip
_KIRIAGE_BASE = 1920


def place_of(round_log: RoundLog, index: int) -> str:
    """Return the place of an event, for messages."""
    place = round_log.places[index] if index < len(round_log.places) else f"event {index}"
    return f"{round_name(round_log.round, round_log.repeat_counter)}, {place}"


def final_hands(game: GameLog, this: RoundLog) -> list[list[int]]:
    """Return each seat's tiles after a round, ascending, less one won by ron; raises LogError for a tile not held."""
    hands = [list(hand) for hand in this.hands]
    for index, event in enumerate(this.events):
        kind, seat, tile = int(event["type"]), int(event["seat"]), int(event["tile"])
        gone: list[int] = []
        if kind == r.EVENT_DRAW:
            hands[seat].append(tile)
        elif kind in (r.EVENT_DISCARD, r.EVENT_ADDED_KONG):
            gone = [tile]
        elif r.EVENT_CHOW <= kind <= r.EVENT_CLOSED_KONG:
            gone = [int(each) for each in event["consumed"] if each != NO_TILE]
            if kind == r.EVENT_CLOSED_KONG:
                gone.append(tile)
        for each in gone:
            if each not in hands[seat]:
                raise LogError(f"seat {seat} does not hold tile {each}", game.source, place_of(this, index))
            hands[seat].remove(each)
    return [sorted(hand) for hand in hands]


def round_deltas(game: GameLog, index: int) -> list[int]:
    """Return the points each seat gains at the end of a round, derived from the next scores if not stated."""
    this = game.rounds[index]
    if this.deltas is not None:
        return this.deltas
    if index + 1 < len(game.rounds):
        after = game.rounds[index + 1].scores
    elif game.final_scores is not None:
        after = game.final_scores
    else:
        raise LogError("the log does not say what was paid", game.source, place_of(this, len(this.events) - 1))
    bets = np.bincount(this.events["seat"][this.events["type"] == r.EVENT_RIICHI_ACCEPTED], minlength=r.SEATS)
    return (np.array(after) - this.scores + BET * bets).tolist()


def win_deltas(game: GameLog, index: int) -> list[list[int]]:
    """Return the points each seat gains by each win of a round, if not stated what the round's total leaves.

    A single win has all of it. Of several, each has its hand's points, and the first also the counters and the bets.
    """
    this = game.rounds[index]
    if len(this.wins) == 1 and this.wins[0].deltas is None:
        return [round_deltas(game, index)]
    if len(this.wins) > 1 and all(win.deltas is None and win.points is not None for win in this.wins):
        seats = range(r.SEATS)
        later = [
            [(win.points or 0) * ((seat == win.seat) - (seat == win.source)) for seat in seats] for win in this.wins[1:]
        ]
        first = (np.array(round_deltas(game, index)) - np.sum(later, axis=0)).tolist()
        return [first, *later]
    deltas = [win.deltas for win in this.wins if win.deltas is not None]
    if len(deltas) != len(this.wins):
        raise LogError("the log does not say what each winner was paid", game.source, place_of(this, len(this.events)))
    return deltas


def win_points(game: GameLog, index: int, number: int) -> int:
    """Return the points of a win without bets and repeat counters, derived from the payments if not stated."""
    this = game.rounds[index]
    points = this.wins[number].points
    if points is not None:
        return points
    deltas = win_deltas(game, index)[number]
    paid = -sum(delta for delta in deltas if delta < 0)
    return paid - (game.rules.repeat_points * this.repeat_counter if number == 0 else 0)


def tsumo_share(points: int) -> int:
    """Return what each non-dealer pays for a non-dealer's tsumo of `points` in total.

    The non-dealer's share is the base points rounded up to hundreds, the dealer's share twice the base points rounded
    up; the result is the share for which both are consistent.
    """
    for low in range(points // 400 * 100, points // 4 + 200, 100):
        high = points - 2 * low
        if low <= high <= 2 * low and 2 * (low - 100) < high:
            return low
    raise LogError(f"no tsumo pays {points} points")


def han_of(win: WinLog) -> int | None:
    """Return the han of a win; None for a yakuman or if the yaku are not stated."""
    if win.yakuman or win.yaku is None:
        return None
    return sum(han for _, han in win.yaku)


def limit_of(win: WinLog, points: int, dealer: int, rules: Rules) -> int:
    """Return the limit of a win by its han and fu, otherwise by its points (mangan if those are ambiguous)."""
    han = han_of(win)
    if win.yakuman:
        return YAKUMAN
    if han is not None:
        for limit, least, _ in _LIMITS:
            if han >= least:
                return SANBAIMAN if limit == YAKUMAN and not rules.counted_yakuman else limit
        base = (win.fu or 0) << (han + 2)
        kiriage = rules.kiriage_mangan and base == _KIRIAGE_BASE
        if win.fu is not None:
            return MANGAN if base >= _MANGAN_BASE or kiriage else NO_LIMIT
    share = points // (6 if win.seat == dealer else 4)
    return next((limit for limit, _, base in _LIMITS if share >= base), NO_LIMIT)


def shown_hands(this: RoundLog, hands: list[list[int]]) -> list[bool]:
    """Return which seats show their hands in a round without a winner, derived from the hands if not stated."""
    if this.tenpai is not None:
        return this.tenpai
    if this.draw_type in (r.RESULT_EXHAUSTIVE, r.RESULT_NAGASHI):
        return [_is_tenpai(hand) for hand in hands]
    if this.draw_type == r.RESULT_NINE_TERMINALS:
        drawers = this.events["seat"][this.events["type"] == r.EVENT_DRAW]
        return [len(drawers) > 0 and seat == drawers[-1] for seat in range(r.SEATS)]
    if this.draw_type == r.RESULT_TRIPLE_RON:
        source = this.events["seat"][this.events["type"] <= r.EVENT_ADDED_KONG][-1]
        return [seat != source for seat in range(r.SEATS)]
    return [this.draw_type == r.RESULT_FOUR_RIICHI] * r.SEATS


def _is_tenpai(hand: list[int]) -> bool:
    from simulator.lookup import get_lookup  # compiled code: loaded only for a log that does not state this
    from simulator.shanten import waits

    counts = np.bincount([tile >> 2 for tile in hand], minlength=KINDS).astype(np.uint8)
    return bool(waits(get_lookup(), counts, 4 - len(hand) // 3))


def indicators_of(round_log: RoundLog) -> list[int]:
    """Return the dora indicators shown by the end of a round."""
    shown = round_log.events["tile"][round_log.events["type"] == r.EVENT_DORA]
    return [round_log.indicator, *map(int, shown)]
