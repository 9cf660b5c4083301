"""What the games of a match came to: one row a game, counted once, whatever order they end in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

import numpy as np

from simulator.players.play import PlayedGame
from simulator.record import SEATS
from suphx.evaluation.protocol import Plan
from suphx.evaluation.tally import COLUMNS, tally

GAME_RESULT = np.dtype([
    ("deal", "u4"),  # number of the deal, the game's number in its seed
    ("table", "u2"),  # which of the plan's tables
    ("decisions", "u4"),  # choices that the four made
    ("ranks", "u1", SEATS),  # 0 first to 3 fourth
    ("scores", "i4", SEATS),  # points of the table at the end
    ("counts", "i4", (SEATS, len(COLUMNS))),  # what each seat did, as in `tally`
])  # fmt: skip


@dataclass(frozen=True)
class GameDone:
    """A game of a match that is over."""

    row: np.void
    """GAME_RESULT"""
    faults: list[tuple[int, str]] = field(default_factory=list)
    """What agents from outside did wrong in it: which of the plan's agents, and what, in words."""
    log: bytes | None = None
    """Its log, where logs are wanted."""
    counted: list[tuple[int, dict[str, float]]] = field(default_factory=list)
    """What agents that count (`agent.interface.Counting`) did in it: which of the plan's agents, how much of what."""


def result_row(game: PlayedGame) -> np.void:
    """Return the GAME_RESULT of a game; its seating's version is the plan's table."""
    last = game.rounds[-1]["result"]
    row = np.zeros((), GAME_RESULT)
    row["deal"], row["table"], row["decisions"] = game.seating.number, game.seating.version, game.decisions
    row["ranks"], row["scores"], row["counts"] = last["ranks"], last["scores"], tally(game.rounds)
    return cast(np.void, row[()])


class Results:
    """The results of a match: room for all its games from the start, so that memory does not grow."""

    def __init__(self, plan: Plan, deals: int) -> None:
        """deals: how many there are to be played."""
        self.plan = plan
        self.games = np.empty((deals, len(plan.tables)), GAME_RESULT)
        """GAME_RESULT[deals, tables]"""
        self.games[:] = np.zeros((), GAME_RESULT)  # written to now, so that it is there and not only promised
        self.done = np.zeros((deals, len(plan.tables)), np.bool_)
        """bool[deals, tables]: which games are over."""
        self.faults: dict[tuple[int, str], int] = {}
        """How often which of the plan's agents did what wrong."""
        self.counted: dict[int, dict[str, float]] = {}
        """What those of the plan's agents that count have done."""
        self._complete = 0

    def add(self, game: GameDone) -> bool:
        """Count a game; return False, and count nothing, if it was counted before."""
        place = int(game.row["deal"]), int(game.row["table"])
        if self.done[place]:
            return False
        self.games[place] = game.row
        self.done[place] = True
        for fault in game.faults:
            self.faults[fault] = self.faults.get(fault, 0) + 1
        for agent, counts in game.counted:
            so_far = self.counted.setdefault(agent, {})
            so_far |= {name: so_far.get(name, 0) + value for name, value in counts.items()}
        return True

    def missing(self, together: int = 1) -> list[tuple[int, int]]:
        """Return (deal, table) of the games that are not over, in the order that they are best played in.

        together: of so many deals at a time, games of the same agents follow each other: networks are asked for more
        at once than if all of a plan's agents were at the tables.
        """
        deals, tables = np.nonzero(~self.done)
        agents = [tuple(sorted(set(table.agents))) for table in self.plan.tables]
        first = np.array([agents.index(each) for each in agents])  # the first table with the same ones
        order = np.lexsort((tables, deals, first[tables], deals // together))
        return [*zip(deals[order].tolist(), tables[order].tolist(), strict=True)]

    def complete_deals(self) -> int:
        """Return how many deals are complete from the first on: only those are evaluated."""
        while self._complete < len(self.done) and self.done[self._complete].all():
            self._complete += 1
        return self._complete

    def units(self, side: int, deals: int | None = None) -> np.ndarray:
        """Return i64[deals, columns]: what a side did on each deal, its games and seats together.

        deals: so many from the first on; by default all that are complete.
        """
        counts = self.games["counts"][: self.complete_deals() if deals is None else deals]
        units = np.zeros((len(counts), len(COLUMNS)), np.int64)
        for number, table in enumerate(self.plan.tables):
            for seat in range(SEATS):
                if table.sides[seat] == side:
                    units += counts[:, number, seat]
        return units

    def units_of_agent(self, agent: str, deals: int | None = None) -> np.ndarray:
        """Return i64[deals, columns]: the same for all sides of an agent together."""
        sides = [number for number, side in enumerate(self.plan.sides) if side.agent == agent]
        return np.sum([self.units(side, deals) for side in sides], axis=0)
