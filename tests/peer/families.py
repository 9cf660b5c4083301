"""The families of games that are compared: who plays, on which walls, and from which state of the game."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simulator.rules import Rules

from .players import Taste, TastePlayer
from .side_by_side import SideBySide
from .walls import AllHonors, Honors, Limits, Outside, Ready, Robbery, Shuffled, Triplets, WindsAndDragons, late, poor

Start = Callable[[random.Random], Callable[[np.void], None]]

_KONGS = Taste(win=0.3, kong=0.95, pong=0.9, riichi=0.3, discard="any")
_HONORS = Taste(pong=1.0, discard="simples")
_GIVES = Taste(win=0.0, discard="drawn", riichi=0.0)
_WAITS = Taste(win=0.0, rob=0.8, riichi=0.1, discard="efficient")
_PASSING = Taste(win=0.15, riichi=0.7, kong=0.5, discard="efficient")


@dataclass(frozen=True)
class Family:
    """One way to steer games; the tastes go round the seats, in another order for each game unless `fixed`."""

    tastes: tuple[Taste, ...]
    walls: type[Shuffled] = Shuffled
    start: Start | None = None
    fixed: bool = False


FAMILIES: dict[str, Family] = {
    "efficient": Family((Taste(), Taste(pong=0.3, chow=0.3), Taste(kong=1.0), Taste(win=0.7))),
    "kongs": Family((_KONGS,), Triplets),
    "kongs in riichi": Family((Taste(win=0.1, kong=0.8), Taste(win=0.1, kong=0.8, discard="drawn")), Ready),
    "robbed kongs": Family((_KONGS, _GIVES, _WAITS, _WAITS), Robbery, fixed=True),
    "four kongs, rare yakuman": Family((Taste(win=0.6, kong=0.9, riichi=0.2), Taste(kong=1.0, riichi=0.0)), Limits),
    "furiten": Family((_PASSING,)),
    "furiten, ready hands": Family((_PASSING, Taste(win=0.5), Taste(discard="any"), _PASSING), Ready),
    "swap-calls": Family((Taste(pong=0.9, chow=0.9, discard="any"), Taste(pong=0.5, chow=1.0, discard="efficient"))),
    "last tiles": Family((Taste(win=0.05, kong=0.3, pong=0.4, riichi=0.05), Taste(win=0.05, riichi=0.1)), Triplets),
    "four riichi": Family((Taste(win=0.1),), Ready),
    "several wins": Family((Taste(), Taste(), Taste(), Taste(discard="any", riichi=0.5)), Ready),
    "terminals": Family((Taste(nine=0.3, discard="simples"), Taste(nine=0.3, pong=0.9, discard="simples")), Honors),
    "liability": Family((Taste(pong=1.0, kong=0.3), Taste(pong=1.0, discard="terminals", win=0.3)), WindsAndDragons),
    "liability, several yakuman": Family((_HONORS, _GIVES, _GIVES, _GIVES), AllHonors, fixed=True),
    "nagashi": Family((Taste(discard="terminals", win=0.2, riichi=0.3),), Outside),
    "last rounds": Family((Taste(), Taste(pong=0.5, chow=0.3, riichi=0.4)), Shuffled, late),
    "last rounds, ready hands": Family((Taste(win=0.8), Taste(pong=0.2, riichi=0.5)), Ready, late),
    "last rounds, terminals": Family((Taste(nine=1.0, win=0.5),), Honors, late),
    "few points": Family((Taste(win=0.5), Taste(win=0.3, kong=0.5)), Ready, poor),
}  # fmt: skip


def play_family(name: str, games: int, seed: int, rules: Rules | None = None) -> SideBySide:
    """Play games of a family on both tables; return the tables with their tally."""
    family = FAMILIES[name]
    rng = random.Random(f"{name} {seed}")
    tables = SideBySide(rules)
    walls = family.walls(rng)
    for _ in range(games):
        tastes = family.tastes if family.fixed else tuple(rng.sample(family.tastes, len(family.tastes)))
        start = family.start(rng) if family.start else None
        tables.play_game(TastePlayer(tastes, rng), walls, start)
    return tables
