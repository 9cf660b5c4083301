"""A single table, step by step: it stops whenever a seat must act, even for a forced move, and between rounds.

`Tables` plays forced moves by itself and deals the next round at once; a person at the table wants to see both.
"""

from collections.abc import Callable, Mapping

import numpy as np

from simulator.actions import legal_mask
from simulator.asking import answer
from simulator.engine import advance
from simulator.legal import is_legal
from simulator.lookup import get_lookup
from simulator.record import NO_TILE, PHASE_DEAL, PHASE_GAME_OVER, PHASE_ROUND_OVER, PHASE_STOP, SEATS
from simulator.rounds import deal, finish_round, resolve_stop, start_game
from simulator.rules import Rules
from simulator.tables import Decisions, IllegalAction, Tables

#: Prescribed walls: (seed, rounds dealt so far) -> u8[136], or None for the wall of the seed.
Walls = Callable[[int, int], np.ndarray | None]


class LiveTable:
    """A game, from its first deal to its end."""

    def __init__(self, rules: Rules, seed: int, walls: Walls | None = None) -> None:
        """Start a game whose first round waits for `deal`; walls: by default those of `Tables` with this seed."""
        self._seed, self._walls = seed, walls
        self._lookup = get_lookup()
        self.games = Tables(1, rules, seed, restart=False).snapshot()
        """GAME[1]: the current state of the table."""
        start_game(self.game)
        self.shown = self.game.copy()
        """The record to display: the current state, or between rounds the last round's end before payments."""
        self.ends: list[np.void] = []
        """The finished rounds, each after its payments, as in `Ended.records`."""

    @property
    def game(self) -> np.void:
        """The record of the table."""
        return self.games[0]

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return bool(self.game["phase"] == PHASE_GAME_OVER)

    @property
    def is_playing(self) -> bool:
        """Whether a round is being played."""
        return bool(PHASE_DEAL < self.game["phase"] < PHASE_STOP)

    def decisions(self) -> Decisions:
        """Return the pending decisions, in order of seat; none between rounds and when the game is over."""
        seats = [seat for seat in range(SEATS) if self.game["pending"] >> seat & 1]
        legal = [legal_mask(self.game, seat) for seat in seats]
        n = len(seats)
        situation = np.full(n, self.game["phase"], np.uint8)
        return Decisions(np.zeros(n, np.int32), np.array(seats, np.uint8), situation, np.array(legal))

    def deal(self) -> None:
        """Deal the next round."""
        wall = self._walls(self._seed, int(self.game["deals"])) if self._walls else None
        if wall is not None:
            self.game["wall"], self.game["wall_given"] = wall, 1
        deal(self._lookup, self.game)
        self._run()

    def step(self, actions: Mapping[int, int]) -> None:
        """Carry out an action for each seat that must act; raises IllegalAction without changing anything."""
        for seat, action in actions.items():
            if not is_legal(self.game, seat, action):
                raise IllegalAction(0, seat, action, legal_mask(self.game, seat))
        for seat, action in actions.items():
            answer(self.game, seat, action)
        if self.game["phase"] == PHASE_STOP:
            resolve_stop(self.game)
            self.ends.append(self.game.copy())
        else:
            self._run()

    def _run(self) -> None:
        advance(self._lookup, self.game, False, NO_TILE, NO_TILE)
        self.shown = self.game.copy()
        if self.game["phase"] == PHASE_ROUND_OVER:
            finish_round(self.game)
            if self.game["phase"] != PHASE_STOP:  # otherwise the round ends after the dealer's choice
                self.ends.append(self.game.copy())
