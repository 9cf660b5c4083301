"""The results of a match: one row per game, each counted once, in whatever order games end."""

from dataclasses import dataclass, field
from typing import cast

import numpy as np

from simulator.players.play import PlayedGame
from simulator.record import SEATS
from suphx.evaluation.protocol import MatchPlan
from suphx.evaluation.tally import COLUMN, COLUMNS, tally

GAME_RESULT = np.dtype([
    ("deal", "u4"),  # number of the deal, which is the game's number under its seed
    ("table", "u2"),  # which of the plan's tables
    ("decisions", "u4"),  # decisions of all four players
    ("ranks", "u1", SEATS),  # 0 first to 3 fourth
    ("scores", "i4", SEATS),  # points at the end of the game
    ("counts", "i4", (SEATS, len(COLUMNS))),  # counts of each seat, as from `tally`
])  # fmt: skip


@dataclass(frozen=True)
class GameDone:
    """A finished game of a match."""

    row: np.void
    """GAME_RESULT"""
    faults: list[tuple[int, str]] = field(default_factory=list)
    """Faults of external agents in it: index of the agent in the plan, and a description."""
    log: bytes | None = None
    """Its log, if logs are requested."""
    counted: list[tuple[int, dict[str, float]]] = field(default_factory=list)
    """Counts of `agent.interface.Counting` agents in it: index of the agent in the plan, and its counts by name."""


def result_row(game: PlayedGame) -> np.void:
    """Return the GAME_RESULT of a game; its seating's version is the plan's table."""
    last = game.rounds[-1]["result"]
    row = np.zeros((), GAME_RESULT)
    row["deal"], row["table"], row["decisions"] = game.seating.number, game.seating.version, game.decisions
    row["ranks"], row["scores"], row["counts"] = last["ranks"], last["scores"], tally(game.rounds)
    return cast(np.void, row[()])


class MatchResults:
    """The results of a match; memory for all its games is allocated at the start, so that it does not grow."""

    def __init__(self, plan: MatchPlan, deals: int) -> None:
        """deals: number of deals to play."""
        self.plan = plan
        self.games = np.empty((deals, len(plan.tables)), GAME_RESULT)
        """GAME_RESULT[deals, tables]"""
        self.games[:] = np.zeros((), GAME_RESULT)  # written now, so that the memory is really allocated
        self.done = np.zeros((deals, len(plan.tables)), np.bool_)
        """bool[deals, tables]: which games are over."""
        self.faults: dict[tuple[int, str], int] = {}
        """Number of faults by (index of the agent in the plan, description)."""
        self.counted: dict[int, dict[str, float]] = {}
        """Total counts of `Counting` agents, by index of the agent in the plan."""
        self._complete = 0

    def add(self, game: GameDone) -> bool:
        """Add a game; return False, and change nothing, if it was added before."""
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
        """Return (deal, table) of the unfinished games, in the best order to play them in.

        together: number of deals among which games of the same agents are grouped, so that each network gets larger
        batches than if all of a plan's agents played at the same time.
        """
        deals, tables = np.nonzero(~self.done)
        agents = [tuple(sorted(set(table.agents))) for table in self.plan.tables]
        first = np.array([agents.index(each) for each in agents])  # the first table with the same agents
        order = np.lexsort((tables, deals, first[tables], deals // together))
        return [*zip(deals[order].tolist(), tables[order].tolist(), strict=True)]

    def complete_deals(self) -> int:
        """Return the number of leading deals that are complete; only these are evaluated."""
        while self._complete < len(self.done) and self.done[self._complete].all():
            self._complete += 1
        return self._complete

    def units(self, side: int, deals: int | None = None) -> np.ndarray:
        """Return i64[deals, columns]: a side's counts on the leading deals, by default those that are complete."""
        counts = self.games["counts"][: self.complete_deals() if deals is None else deals]
        units = np.zeros((len(counts), len(COLUMNS)), np.int64)
        for number, table in enumerate(self.plan.tables):
            for seat in range(SEATS):
                if table.sides[seat] == side:
                    units += counts[:, number, seat]
        return units

    def units_of_agent(self, agent: str, deals: int | None = None) -> np.ndarray:
        """Return i64[deals, columns]: the same, summed over all sides of an agent."""
        sides = [number for number, name in enumerate(self.plan.sides) if name == agent]
        return np.sum([self.units(side, deals) for side in sides], axis=0)

    def average_ranks(self, side: int, deals: int | None = None) -> np.ndarray:
        """Return f64[deals]: a side's average rank, 1 to 4, on each deal."""
        units = self.units(side, deals)
        return units[:, COLUMN["rank_sum"]] / units[:, COLUMN["games"]]
