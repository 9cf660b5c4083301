"""The best winning hands within reach of a position, for display: with exact points and yaku, similar hands grouped."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from simulator.record import MELD_CLOSED_KONG, NO_SEAT, NO_TILE, WIN
from simulator.rules import Rules
from simulator.scoring.hands import score_batch
from simulator.scoring.winning import RIICHI
from simulator.scoring.yaku import DORA, RED_FIVE, YAKU, yaku_of
from simulator.tiles import KIND_NAMES, KINDS, RED_FIVE_KINDS, TERMINALS_AND_HONORS
from suphx.features.lookahead_parts import FURTHEST, STEPS
from suphx.review.document import Target
from suphx.review.listing import LISTED_HAND, list_hands

#: Number of groups of hands shown for a position.
SHOWN = 5
#: Number of alternative draws listed for a group.
_ALSO = 12
_PAIRS = 7
_ORPHANS = tuple(kind for kind in range(KINDS) if TERMINALS_AND_HONORS >> kind & 1)


@dataclass(frozen=True)
class TargetQuery:
    """A position whose targets are wanted."""

    index: int
    """Index of the record."""
    seat: int
    action: int
    """A chow or pong that is made first, or NO_PROPOSAL."""
    after: int | None
    """As in `Target.after`."""


def find_targets(games: np.ndarray, queries: Sequence[TargetQuery], rules: Rules) -> list[list[Target]]:
    """Return the best targets of each position; games GAME[...], from one game or several with the same rules."""
    index = np.array([each.index for each in queries], np.int64)
    seats = np.array([each.seat for each in queries], np.uint8)
    views, listed, counts = list_hands(games, index, seats, np.array([each.action for each in queries], np.int64))
    hands, owner = [], []
    for n, count in enumerate(counts.tolist()):
        special = _special_hands(views[n], listed[n, :count])
        hands += [listed[n, :count], special]
        owner += [n] * (count + len(special))
    rows, of = np.concatenate(hands) if hands else np.zeros(0, LISTED_HAND), np.array(owner, np.int64)
    points, masks, dora, red = _exact(views, rows, of, rules)
    mine = (np.flatnonzero((of == n) & (points > 0)) for n in range(len(queries)))
    return [_grouped(*each, rows, points, masks, dora, red) for each in zip(queries, views, mine, strict=True)]


def _special_hands(view: np.void, listed: np.ndarray) -> np.ndarray:
    """Return LISTED_HAND[n]: seven pairs made from the pairs and single tiles held, and thirteen orphans, if near.

    listed: LISTED_HAND[...], the hands made of sets; seven pairs that also divide into sets may already be among them.
    """
    hand = view["hand"].astype(np.int64)
    if view["n_melds"] or (hand > 0).sum() < _PAIRS:
        return np.zeros(0, LISTED_HAND)
    pairs, singles = np.flatnonzero(hand >= 2).tolist(), np.flatnonzero(hand == 1).tolist()
    wanted: list[np.ndarray] = []
    missing = _PAIRS - len(pairs)
    if 0 < missing <= FURTHEST:
        for chosen in combinations(singles, missing):
            wanted.append(np.zeros(KINDS, np.int64))
            wanted[-1][[*pairs, *chosen]] = 2
    if (hand[list(_ORPHANS)] > 0).sum() >= len(_ORPHANS) - FURTHEST:
        for twice in _ORPHANS:
            wanted.append(np.zeros(KINDS, np.int64))
            wanted[-1][list(_ORPHANS)] = 1
            wanted[-1][twice] = 2
    known = {counts.tobytes() for counts in listed["counts"].astype(np.int64)}
    new = (counts for counts in wanted if counts.tobytes() not in known)
    rows = [row for counts in new if (row := _reached(view, hand, counts)) is not None]
    return np.array(rows, LISTED_HAND)


def _reached(view: np.void, hand: np.ndarray, counts: np.ndarray) -> tuple | None:
    """Return a LISTED_HAND for a winning hand i64[34]; None if it is already held or out of reach."""
    drawn = np.maximum(counts - hand, 0)
    away, unseen = int(drawn.sum()), view["unseen"].astype(np.int64)
    if not 0 < away <= FURTHEST:
        return None
    ways = math.prod(math.comb(int(unseen[kind]), int(drawn[kind])) for kind in np.flatnonzero(drawn))
    draws, tiles = int(view["draws_left"]), int(unseen.sum())
    likelihood = ways * math.prod(max(0, draws - n) / max(1, tiles - n) for n in range(away))
    return (counts, away, ways, likelihood, 0, 0.0) if likelihood else None


def _exact(
    views: np.ndarray, rows: np.ndarray, of: np.ndarray, rules: Rules
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return for each row the points i64[m], mask of yaku i64[m], han of dora i64[m], and han of red fives i64[m].

    The hand wins by ron, on whichever of the tiles drawn is worth most, in riichi if the hand is closed.
    """
    hands = rows["counts"]
    held, unseen = views["hand"][of], views["unseen"][of]
    row, kind = np.nonzero(hands > held)
    dora, red, open_hand = _bonus(views, hands, of, held, unseen, rules)
    wins = np.zeros(len(row), WIN)
    seat_winds = views["seat_wind"][of][row].astype(np.int64)
    wins["seat"], wins["source"] = seat_winds, (seat_winds + 1) % 4  # as if seat 0 were the dealer
    wins["liable"] = NO_SEAT
    wins["dora"], wins["red"] = dora[row], red[row]
    scored = score_batch(
        np.ascontiguousarray(hands[row]), np.ascontiguousarray(views["melds"][of][row]), views["n_melds"][of][row],
        kind, np.where(open_hand[row], 0, RIICHI), seat_winds, views["round_wind"][of][row], wins, rules,
    )  # fmt: skip
    points = np.where(scored, wins["points"], 0)
    order = np.lexsort((points, row))  # the best of each row comes last, so the assignment below keeps it
    best_points, best_yaku = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    best_points[row[order]], best_yaku[row[order]] = points[order], wins["yaku"][order]
    return best_points, best_yaku, dora, red


def _bonus(
    views: np.ndarray, hands: np.ndarray, of: np.ndarray, held: np.ndarray, unseen: np.ndarray, rules: Rules
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return han of dora i64[m], of red fives i64[m], and whether open, bool[m]; red fives are kept, and drawn last."""
    tiles = views["melds"]["tiles"].astype(np.int64)  # [n, 4, 4]
    counted = (np.arange(4) < views["n_melds"][:, None])[..., None] & (tiles != NO_TILE)
    kinds = np.where(counted, tiles >> 2, 0)
    meld_dora = (views["dora"][np.arange(len(views))[:, None, None], kinds] * counted).sum((1, 2))
    is_red = np.isin(tiles, [4 * kind for kind in RED_FIVE_KINDS]) & counted & rules.red_fives
    closed_kong = views["melds"]["type"] == MELD_CLOSED_KONG
    open_melds = (counted[..., 0] & ~closed_kong).any(1)
    dora = (views["dora"][of].astype(np.int64) * hands).sum(1) + meld_dora[of]
    red = is_red.sum((1, 2))[of].astype(np.int64)
    for suit, kind in enumerate(RED_FIVE_KINDS):
        count, own, left = (each[:, kind].astype(np.int64) for each in (hands, held, unseen))
        red += views["red"][of, suit] * (np.minimum(count, own) > 0)
        other = views["unseen_red"][of, suit].astype(np.int64)
        red += other * (np.maximum(count - own, 0) > left - other)
    return dora, red, open_melds[of]


@cache
def _step(points: int) -> int:
    """Return the highest of STEPS that the points reach, or 0."""
    return max((step for step in STEPS if step <= points), default=0)


def _grouped(
    query: TargetQuery, view: np.void, mine: np.ndarray, rows: np.ndarray, points: np.ndarray, masks: np.ndarray,
    dora: np.ndarray, red: np.ndarray,
) -> list[Target]:  # fmt: skip
    """Return the targets of one position: hands grouped by distance, tiles given up, yaku and points."""
    hand, counts = view["hand"].astype(np.int64), rows["counts"][mine].astype(np.int64)
    draws, gives = np.maximum(counts - hand, 0), np.maximum(hand - counts, 0)
    likelihood = rows["likelihood"][mine].tolist()
    groups: dict[tuple, list[int]] = defaultdict(list)
    known = zip(rows["away"][mine].tolist(), points[mine].tolist(), masks[mine].tolist(), gives, strict=True)
    for n, (away, worth, yaku, tiles) in enumerate(known):
        groups[away, worth, yaku, tiles.tobytes()].append(n)
    likely = {key: math.fsum(likelihood[n] for n in members) for key, members in groups.items()}
    targets = []
    for key in sorted(groups, key=lambda key: -_step(key[1]) * likely[key])[:SHOWN]:
        (_, worth, yaku, _), members = key, groups[key]
        members.sort(key=lambda n: -likelihood[n])
        first = members[0]
        targets.append(
            Target(
                after=query.after,
                hand=_kinds(counts[first]),
                draws=_kinds(draws[first]),
                gives=_kinds(gives[first]),
                also=[_kinds(draws[n]) for n in members[1 : 1 + _ALSO]],
                points=worth,
                yaku=list(_names(yaku, int(dora[mine[first]]), int(red[mine[first]]))),
                likelihood=round(likely[key], 4),
            )
        )
    return targets


def _kinds(counts: np.ndarray) -> list[str]:
    return [name for name, count in zip(KIND_NAMES, counts.tolist(), strict=True) for _ in range(count)]


@cache
def _names(mask: int, dora: int, red: int) -> tuple[str, ...]:
    bonus = ((DORA, dora), (RED_FIVE, red))
    return *(yaku.label for yaku in yaku_of(mask)), *(f"{YAKU[n].label} {count}" for n, count in bonus if count)
