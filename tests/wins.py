"""Random wins of every kind, rich in yakuman and hands with several readings, to benchmark and test scoring."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from simulator.record import (
    MELD,
    MELD_ADDED_KONG,
    MELD_CHOW,
    MELD_CLOSED_KONG,
    MELD_OPEN_KONG,
    MELD_PONG,
    NO_SEAT,
    WIN,
)  # fmt: skip
from simulator.rules import Rules
from simulator.scoring import winning as s
from simulator.scoring.hands import score_batch
from simulator.tiles import DORA_OF, KINDS, RED_FIVES, TILES

_ORPHANS = [0, 8, 9, 17, 18, 26, *range(27, 34)]
_GREENS = [19, 20, 21, 23, 25, 32]


@dataclass(frozen=True)
class MadeWin:
    """One complete hand and how it was won; tiles are physical ids."""

    tiles: tuple[int, ...]
    """Concealed tiles, the winning one last."""
    melds: tuple[tuple[int, tuple[int, ...]], ...]
    """Type and tiles of each meld."""
    situation: int
    seat_wind: int
    round_wind: int
    dora: tuple[int, ...]
    ura: tuple[int, ...]


def _sets(random_: random.Random) -> tuple[list[list[int]], int]:
    """Return four runs or triplets as kinds, and the kind of a pair, drawn from one of many styles of hand."""
    suit, low, some = random_.randrange(3) * 9, random_.randrange(3), random_.sample
    every = [list(range(9 * each, 9 * each + 9)) for each in range(3)]
    all_starts = [start for numbers in every for start in numbers[:7]]
    outside = [0, 6, 9, 15, 18, 24]
    number, shape = random_.randrange(7), random_.choice(((0, 0, 0), (0, 1, 2)))
    colored = [[9 * each + number + step for step in shape] for each in range(3)]
    straight = [[suit + 3 * part + step for step in range(3)] for part in range(3)]
    # kinds for triplets and the pair, lowest kinds of runs, probability of a run, sets that are always included
    kinds, starts, runs, sets = random_.choice(
        (
            (range(KINDS), all_starts, 0.6, []),
            (range(KINDS), all_starts, 0.9, []),
            (range(27), all_starts, 1.0, []),
            (range(KINDS), all_starts, 0.0, []),
            (every[suit // 9] + list(range(27, 34)), every[suit // 9][:7], 0.5, []),
            (every[suit // 9], every[suit // 9][:7], 0.5, []),
            (_ORPHANS, outside, 0.5, []),
            (_ORPHANS[:6], outside, 0.5 * (low > 0), []),
            (_GREENS, [19], 0.5, []),
            (range(suit + low, suit + low + 6), range(suit + low, suit + low + 4), 0.4, []),
            (range(KINDS), all_starts, 0.5, colored),
            (every[suit // 9] + list(range(27, 34)), all_starts, 0.7, straight),
            (range(27, 34), all_starts, 0.1, []),
            ([31, 32, 33], all_starts, 0.8, [[kind] * 3 for kind in some([31, 32, 33], 3 - low % 2)]),
            ([27, 28, 29, 30], outside, 0.5, [[kind] * 3 for kind in some([27, 28, 29, 30], 4 - low % 2)]),
        )
    )
    sets = list(sets)
    while len(sets) < 4:
        start = random_.choice(starts)
        run = random_.random() < runs
        sets.append([start, start + 1, start + 2] if run else [random_.choice(list(kinds))] * 3)
    return sets, random_.choice(list(kinds if random_.random() < 0.8 else range(KINDS)))


def _special(random_: random.Random) -> list[int]:
    """Return the kinds of seven pairs, thirteen orphans or nine gates."""
    character = random_.random()
    if character < 0.6:
        suit = random_.randrange(3) * 9
        choices = random_.choice([range(KINDS), range(27, 34), range(suit, suit + 9), _ORPHANS, range(27)])
        return [kind for kind in random_.sample(list(choices), 7) for _ in range(2)]
    if character < 0.8:
        return [*_ORPHANS, random_.choice(_ORPHANS)]
    suit = random_.randrange(3) * 9
    return [suit + n for n in (0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, random_.randrange(9))]


def _shape(random_: random.Random) -> tuple[list[int], list[tuple[int, list[int]]]]:
    """Return the kinds of the concealed tiles and (type, kinds) of the melds."""
    if random_.random() < 0.12:
        return _special(random_), []
    sets, pair = _sets(random_)
    concealed, melds = [pair, pair], []
    openness = random_.choice((0.0, 0.0, 0.3, 0.8))
    kongs = random_.choice((0.0, 0.1, 0.7))
    for kinds in sets:
        triplet = kinds[0] == kinds[1]
        if triplet and random_.random() < kongs:
            types = (MELD_OPEN_KONG, MELD_ADDED_KONG) if random_.random() < openness else (MELD_CLOSED_KONG,)
            melds.append((random_.choice(types), kinds + kinds[:1]))
        elif random_.random() < openness:
            melds.append((MELD_PONG if triplet else MELD_CHOW, kinds))
        else:
            concealed += kinds
    return concealed, melds


def _situation(random_: random.Random, is_open: bool, melds: list[tuple[int, list[int]]]) -> int:
    """Return a random combination of situation flags that can occur together."""
    situation = s.TSUMO if random_.random() < 0.5 else 0
    has_kong = any(len(kinds) == 4 for _, kinds in melds)
    if not is_open and random_.random() < 0.5:
        situation |= s.RIICHI if random_.random() < 0.8 else s.DOUBLE_RIICHI
        situation |= s.IPPATSU if random_.random() < 0.3 and not has_kong else 0
    elif not melds and situation and random_.random() < 0.04:
        return situation | s.FIRST_TURN
    chance = random_.random()
    if chance < 0.06:
        situation |= s.LAST_TILE
    elif chance < 0.12 and situation & s.TSUMO:
        situation |= s.REPLACEMENT if has_kong and not situation & s.IPPATSU else 0
    elif chance < 0.12:
        situation |= s.ROBBED_KONG
    return situation


def make_wins(count: int, seed: int = 0) -> Iterator[MadeWin]:
    """Yield `count` complete hands, some without a yaku; the same for the same seed."""
    random_ = random.Random(seed)
    made = 0
    while made < count:
        concealed, melds = _shape(random_)
        used = np.bincount(concealed + [kind for _, kinds in melds for kind in kinds], minlength=KINDS)
        if used.max() > 4:
            continue
        wall = list(range(TILES))
        random_.shuffle(wall)
        copies: dict[int, list[int]] = {}
        for tile in wall:
            copies.setdefault(tile >> 2, []).append(tile)
        meld_tiles = [(meld_type, tuple(copies[kind].pop() for kind in kinds)) for meld_type, kinds in melds]
        tiles = [copies[kind].pop() for kind in concealed]
        random_.shuffle(tiles)
        situation = _situation(random_, any(meld_type != MELD_CLOSED_KONG for meld_type, _ in melds), melds)
        if situation & s.ROBBED_KONG and used[tiles[-1] >> 2] > 1:
            continue  # the other three tiles of its kind are in the robbed kong
        rest = [tile for left in copies.values() for tile in left]
        indicators = random_.sample(rest, 10)
        shown = 1 + sum(len(kinds) == 4 for _, kinds in melds)
        ura = tuple(indicators[5 : 5 + shown]) if situation & (s.RIICHI | s.DOUBLE_RIICHI) else ()
        seat_wind, round_wind = random_.randrange(4), random_.choice((0, 0, 0, 1, 1, 1, 2, 3))
        yield MadeWin(tuple(tiles), tuple(meld_tiles), situation, seat_wind, round_wind, tuple(indicators[:shown]), ura)
        made += 1


def as_arrays(wins: list[MadeWin]) -> dict[str, np.ndarray]:
    """Return the arguments of `hands.score_batch` for these wins; the dealer is seat 0."""
    n = len(wins)
    arrays = {"hands": np.zeros((n, KINDS), np.uint8), "melds": np.zeros((n, 4), MELD), "wins": np.zeros(n, WIN)}
    for i, win in enumerate(wins):
        np.add.at(arrays["hands"][i], [tile >> 2 for tile in win.tiles], 1)
        for place, (meld_type, tiles) in enumerate(win.melds):
            arrays["melds"][i, place]["type"] = meld_type
            arrays["melds"][i, place]["kind"] = min(tiles) >> 2
        everything = [*win.tiles, *(tile for _, tiles in win.melds for tile in tiles)]
        record = arrays["wins"][i]
        record["seat"], record["liable"] = win.seat_wind, NO_SEAT
        record["source"] = win.seat_wind if win.situation & s.TSUMO else (win.seat_wind + 1) % 4
        for field, indicators in (("dora", win.dora), ("ura", win.ura)):
            record[field] = sum(t >> 2 == DORA_OF[each >> 2] for each in indicators for t in everything)
        record["red"] = sum(tile in RED_FIVES for tile in everything)
    arrays["n_melds"] = np.array([len(win.melds) for win in wins])
    arrays["win_kinds"] = np.array([win.tiles[-1] >> 2 for win in wins])
    for name, field in (("situations", "situation"), ("seat_winds", "seat_wind"), ("round_winds", "round_wind")):
        arrays[name] = np.array([getattr(win, field) for win in wins])
    return arrays


def score_made(arrays: dict[str, np.ndarray], rules: Rules | None = None) -> np.ndarray:
    """Score the arrays of `as_arrays` into their `wins`; return bool[n], whether each is complete and has a yaku."""
    columns = [arrays[name] for name in ("n_melds", "win_kinds", "situations", "seat_winds", "round_winds", "wins")]
    n_melds, win_kinds, situations, seat_winds, round_winds, wins = columns
    return score_batch(
        arrays["hands"], arrays["melds"], n_melds, win_kinds, situations, seat_winds, round_winds, wins, rules
    )
