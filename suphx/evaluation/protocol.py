"""Match protocols: which agents play each other, on which seats, in the games of every deal.

A wall depends only on (seed, deal, round, repeat counter), so all games of a deal start alike and share its luck. The
paper's protocol (section 4.2) is one challenger against three opponents, the field, from all four seats.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from simulator.record import SEATS
from suphx.errors import InputError

ProtocolName = Literal["one-three", "two-two", "round-robin"]
#: Marks a seat whose player is not measured.
NOBODY = -1
#: Most deals of a match, whose results are kept in memory: some 170 bytes a game.
MOST_DEALS = 2_500_000


@dataclass(frozen=True)
class MatchTable:
    """The seating of one game of every deal."""

    agents: tuple[int, ...]
    """For each seat, the index in `MatchPlan.agents` of who sits there."""
    sides: tuple[int, ...]
    """For each seat, the index in `MatchPlan.sides` that it counts for, or NOBODY."""


@dataclass(frozen=True)
class MatchPlan:
    """The games of every deal, and what they measure."""

    protocol: ProtocolName
    agents: tuple[str, ...]
    """Names for `load_agent`, each once."""
    sides: tuple[str, ...]
    """The units of measurement: agents, one of them several times if it is measured against several others."""
    tables: tuple[MatchTable, ...]
    games_per_deal: int
    """Number of games that a side plays of each deal."""

    def deals_for(self, games: int) -> int:
        """Return the number of whole deals for so many games of each side; raises InputError for too few, too many."""
        deals = -(-games // self.games_per_deal)
        if deals > MOST_DEALS:
            raise InputError(f"--games {games}: --games {MOST_DEALS * self.games_per_deal} is the most")
        if deals < 2:
            raise InputError(
                f"--games {games}: an interval needs two deals at least, of {self.games_per_deal} games each; "
                f"--games {2 * self.games_per_deal} is the least"
            )
        return deals

    def pairs(self) -> list[tuple[int, int]]:
        """Return the sides to compare on the same deals: the first challenger with each other, or two at one table."""
        if self.protocol == "one-three":
            return [(0, other) for other in range(1, len(self.sides))]
        return [(number, number + 1) for number in range(0, len(self.sides), 2)]


def plan_named(protocol: str, challengers: Sequence[str], field: Sequence[str]) -> MatchPlan:
    """Return the plan of a protocol by its name; raises InputError for another name, or agents that do not fit it."""
    if protocol == "one-three":
        return one_against_three(challengers, field)
    if protocol == "two-two":
        if len(challengers) != 1 or len(field) != 1:
            raise InputError("--protocol two-two: it takes one challenger and one of the field")
        return two_against_two(challengers[0], field[0])
    if protocol == "round-robin":
        return round_robin(challengers)
    raise InputError(f"--protocol {protocol}: none of one-three, two-two, round-robin")


def one_against_three(challengers: Sequence[str], field: Sequence[str]) -> MatchPlan:
    """Return the paper's protocol; field: three opponents in turn order after the challenger, or one for all seats."""
    if not challengers:
        raise InputError("no challenger is named")
    others = list(field) * (SEATS - 1) if len(field) == 1 else list(field)
    if len(others) != SEATS - 1:
        raise InputError(f"a field of {len(others)}: name three opponents, or one for all three seats")
    _once(challengers)
    agents = tuple(dict.fromkeys((*challengers, *others)))
    tables = []
    for side, challenger in enumerate(challengers):
        order = [agents.index(name) for name in (challenger, *others)]
        for seat in range(SEATS):
            seated = tuple(order[(place - seat) % SEATS] for place in range(SEATS))
            tables.append(MatchTable(seated, tuple(side if place == seat else NOBODY for place in range(SEATS))))
    return MatchPlan("one-three", agents, tuple(challengers), tuple(tables), SEATS)


def two_against_two(first: str, second: str) -> MatchPlan:
    """Return a plan with two seats for each of two agents, in all six seatings."""
    return _pairwise("two-two", (first, second))


def round_robin(agents: Sequence[str]) -> MatchPlan:
    """Return a plan in which every pair of agents plays two against two, on the same deals."""
    if len(agents) < 2:
        raise InputError(f"a round robin of {len(agents)}: name at least two agents")
    return _pairwise("round-robin", agents)


def _pairwise(protocol: ProtocolName, agents: Sequence[str]) -> MatchPlan:
    _once(agents)
    tables: list[MatchTable] = []
    sides: list[str] = []
    for a, b in combinations(range(len(agents)), 2):
        for seats in combinations(range(SEATS), 2):
            here = tuple(a if seat in seats else b for seat in range(SEATS))
            tables.append(MatchTable(here, tuple(len(sides) + (agent == b) for agent in here)))
        sides += [agents[a], agents[b]]
    # A side has two seats in each of six games.
    return MatchPlan(protocol, tuple(agents), tuple(sides), tuple(tables), 6)


def _once(names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        raise InputError(f"{', '.join(names)}: an agent is named twice; to play against itself, name it as the field")
