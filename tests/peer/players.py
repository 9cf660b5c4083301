"""Players that go where the rules are seldom visited: a taste for each kind of action, and a way to discard."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from riichienv import Action

from simulator.lookup import get_lookup
from simulator.record import (
    ACTIONS,
    CHOW_LOW,
    CLOSED_KONG,
    DECLARE_RIICHI,
    DISCARD_DRAWN,
    DISCARD_RED,
    NINE_TERMINALS,
    OPEN_KONG,
    PHASE_KONG_CLAIM,
    PONG,
    PONG_RED,
    RON,
    TSUMO,
)
from simulator.shanten import accepted_by_discard
from simulator.tiles import KINDS, TERMINALS_AND_HONORS

from .side_by_side import Options

Habit = Literal["any", "efficient", "terminals", "simples", "drawn"]


@dataclass(frozen=True)
class Taste:
    """How likely a seat takes what it is offered, and which tile it lets go."""

    win: float = 1.0
    rob: float = 1.0
    """A win on another seat's kong."""
    kong: float = 0.0
    riichi: float = 1.0
    pong: float = 0.0
    chow: float = 0.0
    nine: float = 0.5
    discard: Habit = "efficient"
    """any: all alike; efficient: nearest to tenpai; terminals (simples): those first; drawn: the drawn tile."""


def is_kong(action: int) -> bool:
    """Return whether an action is a kong of any kind."""
    return action == OPEN_KONG or CLOSED_KONG <= action < TSUMO


class RandomPlayer:
    """Every legal action alike."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def __call__(self, game: np.void, options: Options) -> dict[int, Action]:
        return {seat: self.rng.choice(own[self.rng.choice(list(own))]) for seat, own in options.items()}


class CompiledPlayer:
    """One of the package's own players (`simulator.players`)."""

    def __init__(self, choose: Callable[..., None], games: np.ndarray, seed: int, rng: random.Random) -> None:
        self.choose, self.games, self.seed, self.rng = choose, games, seed, rng

    def __call__(self, game: np.void, options: Options) -> dict[int, Action]:
        legal = np.zeros((len(options), ACTIONS), np.bool_)
        for row, own in zip(legal, options.values(), strict=True):
            row[list(own)] = True
        chosen = np.empty(len(options), np.int64)
        index = np.zeros(len(options), np.int32)
        self.choose(self.games, index, np.fromiter(options, np.uint8), legal, self.seed, chosen)
        answers = zip(options.items(), chosen.tolist(), strict=True)
        return {seat: self.rng.choice(own[action]) for (seat, own), action in answers}


class TastePlayer:
    """Each seat follows its taste; the first that applies of win, nine terminals, kong, riichi, pong, chow."""

    def __init__(self, tastes: tuple[Taste, ...], rng: random.Random) -> None:
        self.tastes = tastes
        self.rng = rng
        self.lookup = get_lookup()
        self.remaining = np.full(KINDS, 4, np.uint8)
        self.found = np.empty(KINDS, np.int64), np.empty(KINDS, np.int32), np.empty(KINDS, np.int8)

    def __call__(self, game: np.void, options: Options) -> dict[int, Action]:
        return {seat: self.rng.choice(own[self._choose(game, seat, list(own))]) for seat, own in options.items()}

    def _choose(self, game: np.void, seat: int, legal: list[int]) -> int:
        taste = self.tastes[seat % len(self.tastes)]
        win = taste.rob if game["phase"] == PHASE_KONG_CLAIM else taste.win
        kinds = (
            (win, [action for action in legal if action in (TSUMO, RON)]),
            (taste.nine, [action for action in legal if action == NINE_TERMINALS]),
            (taste.kong, [action for action in legal if is_kong(action)]),
            (taste.riichi, [action for action in legal if action == DECLARE_RIICHI]),
            (taste.pong, [action for action in legal if action in (PONG, PONG_RED)]),
            (taste.chow, [action for action in legal if CHOW_LOW <= action < PONG]),
        )
        for liking, actions in kinds:
            if actions and self.rng.random() < liking:
                return self.rng.choice(actions)
        offered = {action for _, actions in kinds for action in actions}
        rest = [action for action in legal if action not in offered]  # discards, or the pass
        return rest[0] if len(rest) == 1 else self._discard(game, seat, rest, taste.discard)

    def _discard(self, game: np.void, seat: int, discards: list[int], habit: Habit) -> int:
        if habit == "any":
            return self.rng.choice(discards)
        if habit == "drawn":
            return DISCARD_DRAWN if DISCARD_DRAWN in discards else self.rng.choice(discards)
        kinds = {action: _kind(game, action) for action in discards}
        if habit == "efficient":
            mask, tiles, shanten = self.found
            n_melds = int(game["n_melds"][seat])
            accepted_by_discard(self.lookup, game["hand"][seat], n_melds, self.remaining, mask, tiles, shanten)
            worth = {kind: (-int(shanten[kind]), int(tiles[kind])) for kind in set(kinds.values())}
            best = max(worth.values())
            return self.rng.choice([action for action, kind in kinds.items() if worth[kind] == best])
        wanted = habit == "terminals"
        first = [action for action, kind in kinds.items() if bool(TERMINALS_AND_HONORS >> kind & 1) == wanted]
        return self.rng.choice(first or discards)


def _kind(game: np.void, action: int) -> int:
    if action == DISCARD_DRAWN:
        return int(game["drawn"]) >> 2
    return 9 * (action - DISCARD_RED) + 4 if action >= DISCARD_RED else action
