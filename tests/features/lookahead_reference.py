"""The look-ahead by its definition, in plain Python: all winning hands near a hand, found block by block."""

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from math import comb, prod

import numpy as np

from simulator.efficiency import shanten_batch
from simulator.record import MELD, MELD_CLOSED_KONG, NO_SEAT, NO_TILE, WIN
from simulator.rules import Rules
from simulator.scoring.hands import score_batch
from simulator.scoring.winning import RIICHI
from simulator.tiles import KINDS, RED_FIVE_KINDS, TERMINALS_AND_HONORS, is_red

STEPS = (1000, 2000, 3900, 5200, 8000, 12000, 16000, 24000, 32000)
LIKELIHOODS = (16, 4, 2)
FURTHEST = 3
TRIPLETS = [(kind, kind, kind) for kind in range(KINDS)]
RUNS = [(kind, kind + 1, kind + 2) for kind in range(27) if kind % 9 < 7]
ORPHANS = [kind for kind in range(KINDS) if TERMINALS_AND_HONORS >> kind & 1]


@dataclass
class Position:
    """What a seat sees: the arguments of `lookahead`."""

    hand: list[int]
    unseen: list[int]
    red: list[int] = field(default_factory=lambda: [0, 0, 0])
    unseen_red: list[int] = field(default_factory=lambda: [0, 0, 0])
    melds: np.ndarray = field(default_factory=lambda: np.zeros(4, MELD))
    n_melds: int = 0
    dora: list[int] = field(default_factory=lambda: [0] * KINDS)
    seat_wind: int = 1
    round_wind: int = 0
    draws_left: int = 10
    rules: Rules = field(default_factory=Rules.tenhou)


def counts_of(kinds):
    counts = [0] * KINDS
    for kind in kinds:
        counts[kind] += 1
    return counts


def is_possible(position, counts):
    """Whether what the counts have more than the hand is unseen, three tiles at the most."""
    more = [max(0, have - held) for have, held in zip(counts, position.hand, strict=True)]
    return sum(more) <= FURTHEST and all(map(int.__le__, more, position.unseen))


def hands_of_sets(position):
    """All hands (tuples of counts) of sets and a pair that may be reached, each once."""
    found = set()
    blocks = TRIPLETS + RUNS
    hand, most = position.hand, [min(4, a + b) for a, b in zip(position.hand, position.unseen, strict=True)]

    def add(first, left, counts, drawn):
        if left == 0:
            found.add(tuple(counts))
            return
        for n in range(first, len(blocks)):
            put(blocks[n], n, left - 1, counts, drawn)

    def put(block, first, left, counts, drawn):
        more = list(counts)
        for kind in block:
            drawn += more[kind] >= hand[kind]
            more[kind] += 1
            if drawn > FURTHEST or more[kind] > most[kind]:
                return
        add(first, left, more, drawn)

    for pair in range(KINDS):
        put((pair, pair), 0, 4 - position.n_melds, [0] * KINDS, 0)
    return found


def other_hands(position):
    """All seven pairs and thirteen orphans that may be reached."""
    if position.n_melds:
        return set()
    orphans = {tuple(counts_of([*ORPHANS, twice])) for twice in ORPHANS}
    # at most three tiles drawn: at most one pair of a kind that is not held, and three of kinds held once
    held = [kind for kind in range(KINDS) if position.hand[kind]]
    pairs = {tuple(counts_of([*kinds, *kinds])) for kinds in combinations(held, 7)}
    for kinds in combinations(held, 6):
        pairs |= {tuple(counts_of([*kinds, *kinds, new, new])) for new in range(KINDS) if new not in held}
    return {counts for counts in orphans | pairs if is_possible(position, counts)}


def all_hands(position):
    """All complete hands one, two or three drawn tiles away, as tuples of counts."""
    hands = hands_of_sets(position) | other_hands(position)
    return {hand for hand in hands if hand != tuple(position.hand)} if sum(position.hand) % 3 == 2 else hands


def hands_by_exchange(position):
    """The same by brute force: every way to draw up to three unseen tiles and to give up as many (or one less)."""
    hand = np.array(position.hand, np.uint8)
    waiting = int(hand.sum()) % 3 == 1
    kinds = [kind for kind in range(KINDS) if position.unseen[kind]]
    found = set()
    for drawn in range(1, FURTHEST + 1):
        more = [counts_of(draw) for draw in combinations_with_replacement(kinds, drawn)]
        more = np.array([row for row in more if all(map(int.__le__, row, position.unseen))], np.uint8)
        given = {tuple(counts_of(out)) for out in combinations(np.repeat(np.arange(KINDS), hand), drawn - waiting)}
        for row in given:
            out = np.array(row, np.uint8)
            kept = more[(more[:, out > 0] == 0).all(axis=1)]  # a tile given up is not drawn again
            hands = hand - out + kept
            hands = hands[(hands <= 4).all(axis=1)]
            complete = shanten_batch(hands) == -1
            found |= {tuple(row) for row in hands[complete].tolist()}
    return found


def red_fives(position, target):
    """Red fives in a winning hand: the own one is kept, the unseen one comes last."""
    red = 0
    for suit, kind in enumerate(RED_FIVE_KINDS):
        kept = min(target[kind], position.hand[kind])
        drawn = target[kind] - kept
        red += position.red[suit] if kept else 0
        red += position.unseen_red[suit] if drawn > position.unseen[kind] - position.unseen_red[suit] else 0
    return red


def points_of(position, targets):
    """The points of each winning hand by ron on the best of the tiles drawn for it; 0 without a yaku."""
    melds = position.melds[: position.n_melds]
    closed = all(meld["type"] == MELD_CLOSED_KONG for meld in melds)
    melded = [int(tile) for meld in melds for tile in meld["tiles"] if tile != NO_TILE]
    meld_han = sum(position.dora[tile >> 2] + is_red(tile, position.rules.red_fives) for tile in melded)
    asked = [
        (n, kind) for n, target in enumerate(targets) for kind in range(KINDS) if target[kind] > position.hand[kind]
    ]
    wins = np.zeros(len(asked), WIN)
    wins["seat"], wins["source"], wins["liable"] = position.seat_wind, (position.seat_wind + 1) % 4, NO_SEAT
    han = [sum(map(int.__mul__, target, position.dora)) + red_fives(position, target) for target in targets]
    wins["dora"] = [meld_han + han[n] for n, _ in asked]
    scored = score_batch(
        np.array([targets[n] for n, _ in asked], np.uint8).reshape(-1, KINDS),
        np.broadcast_to(position.melds, (len(asked), 4)), position.n_melds, np.array([kind for _, kind in asked], int),
        RIICHI if closed else 0, position.seat_wind, position.round_wind, wins, position.rules,
    )  # fmt: skip
    points = [0] * len(targets)
    for (n, _), won, win in zip(asked, scored, wins, strict=True):
        if won:
            points[n] = max(points[n], int(win["points"]))
    return points


def likelihoods(position, targets):
    """(K, points, kind) -> the likelihood without a bound on points: summed by the caller."""
    parts = defaultdict(Fraction)
    unseen, waiting = sum(position.unseen), sum(position.hand) % 3 == 1
    for target, points in zip(targets, points_of(position, targets), strict=True):
        drawn = [max(0, have - held) for have, held in zip(target, position.hand, strict=True)]
        replaced = [max(0, held - have) for have, held in zip(target, position.hand, strict=True)]
        away = sum(drawn)
        ways = prod(comb(left, more) for left, more in zip(position.unseen, drawn, strict=True))
        draws = prod(max(0, position.draws_left - n) for n in range(away))
        chance = Fraction(ways * draws, prod(max(1, unseen - n) for n in range(away)))
        for kind in range(KINDS):
            if (drawn if waiting else replaced)[kind]:
                parts[away, points, kind] += chance
    return parts


def planes(position, targets=None):
    """The planes, u64[108]: reachable, and likely, for each K and step."""
    out = [0] * (FURTHEST * len(STEPS) * 4)
    chances = defaultdict(Fraction)
    reachable = set()
    for (away, points, kind), chance in likelihoods(position, sorted(targets or all_hands(position))).items():
        for n, step in enumerate(STEPS):
            if points >= step:
                reachable.add((away, n, kind))
                chances[away, n, kind] += chance
    for away, n, kind in reachable:
        plane = ((away - 1) * len(STEPS) + n) * 4
        out[plane] |= 1 << kind
        for bucket, one_in in enumerate(LIKELIHOODS):
            out[plane + 1 + bucket] |= int(chances[away, n, kind] * one_in >= 1) << kind
    return np.array(out, np.uint64)
