"""Positions for the look-ahead's tests: written hands, and made ones of every sort that a rule could go wrong on."""

import numpy as np
from lookahead_reference import ORPHANS, RUNS, STEPS, TRIPLETS, Position

from simulator.jit import jit
from simulator.lookup import get_lookup
from simulator.record import (
    MELD,
    MELD_ADDED_KONG,
    MELD_CHOW,
    MELD_CLOSED_KONG,
    MELD_OPEN_KONG,
    MELD_PONG,
    NO_TILE,
    PHASE_CALL_DISCARD,
    PHASE_TURN,
)
from simulator.rules import Rules
from simulator.tiles import DORA_OF, KINDS, RED_FIVES, parse_tiles
from suphx.bench.features import collect_positions
from suphx.features.lookahead import PLANES, VIEW, lookahead, see

KONGS = (MELD_OPEN_KONG, MELD_CLOSED_KONG, MELD_ADDED_KONG)


def position_of(tiles, melds=(), indicators=(), seen=(), **others):
    """The Position of a hand, melds as (type, tiles) and what else is seen, all physical tiles."""
    rules = others.get("rules", Rules.tenhou())
    records = np.zeros(4, MELD)
    melded = []
    for record, (meld_type, own) in zip(records, melds, strict=False):
        record["type"], record["kind"] = meld_type, min(own) >> 2
        record["tiles"] = [*own, NO_TILE][:4]
        melded += own
    left = set(range(136)) - {*tiles, *melded, *indicators, *seen}
    dora = [0] * KINDS
    for indicator in indicators:
        dora[DORA_OF[indicator >> 2]] += 1
    red = RED_FIVES if rules.red_fives else ()
    return Position(
        hand=np.bincount([tile >> 2 for tile in tiles], minlength=KINDS).tolist(),
        unseen=np.bincount([tile >> 2 for tile in left], minlength=KINDS).tolist(),
        red=[int(bool(red) and tile in tiles) for tile in RED_FIVES],
        unseen_red=[int(bool(red) and tile in left) for tile in RED_FIVES],
        melds=records, n_melds=len(melds), dora=dora, **others,
    )  # fmt: skip


def written(hand, melds=(), dora="", seen="", **others):
    """The Position of a written hand; melds as (type, tiles written), indicators and other seen tiles written."""
    tiles = parse_tiles(hand)
    used = list(tiles)
    parsed = []
    for meld_type, text in melds:
        parsed.append((meld_type, parse_tiles(text, used=used)))
        used += parsed[-1][1]
    indicators = parse_tiles(dora, used=used)
    return position_of(tiles, parsed, indicators, parse_tiles(seen, used=[*used, *indicators]), **others)


def planes_of(position, out=None):
    """What the compiled look-ahead says."""
    out = np.zeros(PLANES, np.uint64) if out is None else out
    view = np.zeros(1, VIEW)[0]
    for name in VIEW.names:
        view[name] = getattr(position, name)
    lookahead(get_lookup(), view, position.rules.to_record()[()], out)
    return out


def kinds_at(out, away, points, bucket=0):
    """The kinds in a plane."""
    mask = int(out[((away - 1) * len(STEPS) + STEPS.index(points)) * 4 + bucket])
    return [kind for kind in range(KINDS) if mask >> kind & 1]


def _winning_kinds(rng, sort, n_melds):
    """Blocks of kinds of a winning hand: those of melds first, the pair last."""
    if sort == "pairs":
        return [[kind, kind] for kind in rng.choice(KINDS, 7, replace=False).tolist()]
    if sort == "orphans":
        return [[*ORPHANS, int(rng.choice(ORPHANS))]]
    first, last = {"flush": (0, 9), "half flush": (18, 34), "honors": (24, 34)}.get(sort, (0, 34))
    blocks = [block for block in RUNS + TRIPLETS if block[0] >= first and block[-1] < last]
    if sort == "triplets":
        blocks = TRIPLETS
    if sort == "terminals":
        blocks = [block for block in RUNS + TRIPLETS if set(block) & set(ORPHANS)]
    while True:
        chosen = [list(blocks[n]) for n in rng.integers(len(blocks), size=4)]
        pair = int(rng.integers(first, last))
        chosen.append([pair, pair])
        if max(np.bincount([kind for block in chosen for kind in block])) <= 4:
            return chosen


SORTS = ("any", "any", "flush", "half flush", "honors", "triplets", "terminals", "pairs", "orphans")


def made(seed):
    """A Position near some winning hand: melds, kongs, red fives, dora, tiles seen, rules and winds at random."""
    rng = np.random.default_rng(seed)
    sort = str(rng.choice(SORTS))
    n_melds = 0 if sort in ("pairs", "orphans") else int(rng.choice([0, 0, 0, 1, 1, 2, 3, 4]))
    blocks = _winning_kinds(rng, sort, n_melds)
    free = {kind: list(rng.permutation(4)) for kind in range(KINDS)}

    def take(kind):
        return 4 * kind + int(free[kind].pop())

    melds = []
    for block in blocks[:n_melds]:
        own = [take(kind) for kind in block]
        meld_type = MELD_CHOW if block[0] != block[1] else MELD_PONG
        if meld_type == MELD_PONG and sum(block[0] in other for other in blocks) == 1 and rng.random() < 0.4:
            own.append(take(block[0]))
            meld_type = int(rng.choice(KONGS))
        melds.append((meld_type, sorted(own)))
    tiles = [take(kind) for block in blocks[n_melds:] for kind in block if free[kind]]
    wanted = 14 - 3 * n_melds - int(rng.random() < 0.3)
    rng.shuffle(tiles)
    tiles = tiles[: max(0, wanted - int(rng.integers(0, 4)))]
    rest = rng.permutation([4 * kind + int(copy) for kind in free for copy in free[kind]]).tolist()
    rest = [tile for tile in rest if tile not in tiles]
    near = [tile for tile in rest if sort in ("flush", "honors") and any(abs(tile - own) < 16 for own in tiles)]
    while len(tiles) < wanted:
        tiles.append((near or rest).pop())
        rest = [tile for tile in rest if tile != tiles[-1]]
    shown, seen = int(rng.integers(1, 6)), int(rng.integers(0, 80))
    return position_of(
        tiles, melds, rest[:shown], rest[shown : shown + seen], seat_wind=int(rng.integers(4)),
        round_wind=int(rng.integers(3)), draws_left=int(rng.integers(18)),
        rules=Rules(
            red_fives=bool(rng.random() < 0.8), open_tanyao=bool(rng.random() < 0.7),
            double_yakuman=bool(rng.random() < 0.3), multiple_yakuman=bool(rng.random() < 0.7),
            kiriage_mangan=bool(rng.random() < 0.3), double_wind_fu=int(rng.choice([2, 4])),
            counted_yakuman=bool(rng.random() < 0.7),
        ),
    )  # fmt: skip


def of_view(view):
    """The Position of a VIEW record, under Tenhou's rules."""
    names = ("hand", "unseen", "red", "unseen_red", "dora")
    numbers = ("n_melds", "seat_wind", "round_wind", "draws_left")
    return Position(
        melds=view["melds"].copy(),
        **{name: view[name].tolist() for name in names}, **{name: int(view[name]) for name in numbers},
    )  # fmt: skip


@jit
def _see_all(games, seats, views):
    for n in range(len(games)):
        see(games[n], seats[n], views[n])


def discard_views(logs, at_least):
    """VIEW[n]: what the seats see at discard decisions, in games with at least so many decisions of any kind."""
    games, seats, _ = collect_positions(logs, at_least)
    discards = (games["phase"] == PHASE_TURN) | (games["phase"] == PHASE_CALL_DISCARD)
    discards &= games["riichi"][np.arange(len(games)), seats] == 0
    views = np.zeros(discards.sum(), VIEW)
    _see_all(games[discards], seats[discards], views)
    return views
