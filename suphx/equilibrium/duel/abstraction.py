"""The abstract game: a plan is chosen in three of a player's turns, knowing 20 bits (the paper's Table 3).

A plan is chosen with all tiles in hand: after the draw, if it does not win, or after a claim. Who has a chow can only
go on normally, which is no decision. Before the first choice nothing is claimed.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simulator.jit import jit
from simulator.lookup import SETS
from simulator.walls import mix2
from suphx.equilibrium.duel.patterns import NORMAL, PATTERNS, TILES, held, tally_of
from suphx.equilibrium.duel.plans import planned_action
from suphx.equilibrium.duel.table import (
    ANSWER,
    HAND_TILES,
    OVER,
    act,
    can_win,
    payoff,
    shuffled,
    start,
)
from suphx.errors import InputError

KEYS = 1 << 20
PLANS = len(PATTERNS)
_LAST_TURN = 63
#: Choices that one player can have in a game; a deal's tree has up to 9 leaves for each.
MOST_CHOICES = 4
#: Streams of deals: those of training, of the benchmark, and those that responses are fitted on.
TRAINING, BENCHMARK, FITTING = range(3)


class DuelFeatures(NamedTuple):
    """What a player knows of the own position. Pairs are kinds held exactly twice; tiles are counted in hand."""

    turn: int
    pairs: int
    pongs: int
    characters: int
    honors: int


@jit
def packed(turn, pairs, pongs, characters, honors):
    """Return the key of Table 3: 6, 3, 3, 4 and 4 bits, from the lowest."""
    return turn | pairs << 6 | pongs << 9 | characters << 12 | honors << 16


def features_of(key: int) -> DuelFeatures:
    """Return what a key says.

    Raises:
        InputError: no hand has this key.
    """
    features = DuelFeatures(key & 63, key >> 6 & 7, key >> 9 & 7, key >> 12 & 15, key >> 16)
    tiles = features.characters + features.honors
    melds = (HAND_TILES + 1 - tiles) // 3  # none of them a chow
    whole = tiles % 3 == 2 and 0 <= melds <= features.pongs <= SETS and 0 < features.turn
    if not (
        0 <= key < KEYS and whole and features.pairs < 7 and 2 * features.pairs + 3 * (features.pongs - melds) <= tiles
    ):
        raise InputError(f"{key} is no node: no hand has {features._asdict()}")
    return features


def options_of(key: int) -> int:
    """Return how many plans a node has: seven pairs only if all 14 tiles are in hand."""
    return PLANS if (key >> 12 & 15) + (key >> 16 & 15) == HAND_TILES + 1 else PLANS - 1


@jit
def key_of(duel, seat):
    """Return the key of a seat that holds 3n+2 tiles."""
    hand, characters = duel["hand"][seat], np.int64(0)
    for kind in range(9):
        characters += hand[kind]
    tally, tiles = tally_of(hand), HAND_TILES + 1 - 3 * duel["melds"][seat]
    pongs = held(tally, 3) + held(tally, 4) + duel["melds"][seat] - duel["chows"][seat]
    return packed(np.int64(duel["turn"][seat]), held(tally, 2), pongs, characters, tiles - characters)


@dataclass(frozen=True)
class DuelRules:
    """What may be set about the abstract game."""

    turns: tuple[int, ...] = (1, 7, 13)
    """The own turns in which a plan is chosen: beginning, middle and end (the paper does not say which)."""
    four_as_two: bool = True
    """Whether four equal tiles count as two of seven pairs."""

    def __post_init__(self) -> None:
        ordered = all(one < other for one, other in zip((0, *self.turns), self.turns, strict=False))
        if not (1 <= len(self.turns) <= MOST_CHOICES and ordered and self.turns[-1] <= _LAST_TURN):
            raise InputError(f"turns {self.turns}: one to {MOST_CHOICES} of 1 to {_LAST_TURN}, rising")

    @property
    def mask(self) -> int:
        """The turns as bits."""
        return sum(1 << turn for turn in self.turns)

    @property
    def most_nodes(self) -> int:
        """The most nodes that the tree of one deal can have."""
        return (9 ** len(self.turns) * 3 - 1) // 2

    @property
    def most_keys(self) -> int:
        """The most keys that there can be."""
        return len(self.turns) * 7 * (SETS + 1) * sum(tiles + 1 for tiles in range(2, HAND_TILES + 2, 3))


def turns_of(text: str) -> tuple[int, ...]:
    """Return the turns written `1,7,13`; InputError for anything else."""
    if not re.fullmatch(r"\d{1,2}(,\d{1,2})*", text):
        raise InputError(f"turns {text!r}: write them as 1,7,13")
    return tuple(map(int, text.split(",")))


@jit
def must_choose(lookup, duel, mask):
    """Return whether the mover now chooses a plan. With a chow it is settled here that it goes on normally."""
    seat = duel["mover"]
    turn = np.int64(duel["turn"][seat])
    if duel["phase"] == ANSWER or duel["chosen"][seat] == turn or not mask >> turn & 1:
        return False
    if duel["chows"][seat] > 0:
        duel["plan"][seat], duel["chosen"][seat] = NORMAL, turn
        return False
    return not (duel["tile"] < TILES and can_win(lookup, duel))


@jit
def choose(duel, plan):
    """Give the mover a plan."""
    seat = duel["mover"]
    duel["plan"][seat], duel["chosen"][seat] = plan, duel["turn"][seat]


@jit
def advance(lookup, duel, mask):
    """Play on by the plans to the next choice, or to the end."""
    while duel["phase"] != OVER and not must_choose(lookup, duel, mask):
        act(lookup, duel, planned_action(lookup, duel))


#: A node of the tree of a deal, parents before their children.
NODE = np.dtype(
    [
        ("key", "i4"),  # -1 at the end of a game
        ("child", "i4", PLANS),  # counted from the root of its deal; -1 for what is not possible
        ("seat", "i1"),
        ("payoff", "i1"),  # of seat 0
    ]
)


@jit
def grow(lookup, duels, mask, nodes):
    """Write the whole tree of a deal to nodes NODE[any] and return its size; duels DUEL[any]: the dealt game, room."""
    advance(lookup, duels[0], mask)
    count = 1
    for k in range(len(nodes)):
        if k == count:
            return count
        duel, node = duels[k], nodes[k]
        node["child"][:] = -1
        if duel["phase"] == OVER:
            node["key"], node["seat"], node["payoff"] = -1, 0, payoff(duel)
            continue
        seat = duel["mover"]
        node["key"], node["seat"], node["payoff"] = key_of(duel, seat), seat, 0
        for plan in range(PLANS if duel["melds"][seat] == 0 else PLANS - 1):
            duels[count] = duel
            choose(duels[count], plan)
            advance(lookup, duels[count], mask)
            node["child"][plan] = count
            count += 1
    return count


@jit
def deal(seed, stream, number, four_as_two, duel):
    """Deal a game that depends on a seed, a stream of deals and a number in it."""
    wall = np.empty(TILES, np.uint8)
    shuffled(mix2(mix2(seed, stream), number), wall)
    start(duel, wall, four_as_two)
