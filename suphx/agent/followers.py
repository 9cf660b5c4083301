"""Passes the events of games to the agents that follow them (`simulator.players.play.Audience`)."""

from collections.abc import Iterator, Sequence

import numpy as np

from simulator.players.play import PlayedGame, Seating
from simulator.record import SEATS
from suphx.agent.interface import Agent, Counting, Follower

#: Faults in a game, and counts of it: each with the index of the agent.
Notes = tuple[list[tuple[int, str]], list[tuple[int, dict[str, float]]]]


class Followers:
    """Passes game events to `Follower` agents; collects their faults and the counts of `Counting` agents."""

    def __init__(self, agents: Sequence[Agent], named: bool = False) -> None:
        """named: whether followers receive the names of all four agents."""
        self._agents, self._named = agents, named
        self._followers = {number: agent for number, agent in enumerate(agents) if isinstance(agent, Follower)}
        self._counting = {number: agent for number, agent in enumerate(agents) if isinstance(agent, Counting)}
        self._seated: dict[int, Seating] = {}
        self._notes: dict[Seating, Notes] = {}

    def __bool__(self) -> bool:
        return bool(self._followers or self._counting)

    def _here(self, table: int) -> Iterator[tuple[int, Follower]]:
        for number in sorted(set(self._seated[table].players)):
            if number in self._followers:
                yield number, self._followers[number]

    def game_started(self, table: int, game: np.void, seating: Seating) -> None:
        """Pass on the start of a game."""
        self._seated[table] = seating
        names = [self._agents[number].name for number in seating.players]
        for number, agent in self._here(table):
            seats = [seat for seat in range(SEATS) if seating.players[seat] == number]
            agent.game_started(table, game, seats, names if self._named else ())

    def round_over(self, table: int, record: np.void) -> None:
        """Pass on the end of a round, and of the game if it is over."""
        for _, agent in self._here(table):
            agent.round_over(table, record)
        if record["result"]["game_over"]:
            seating = self._seated[table]
            faults = [(number, words) for number, agent in self._here(table) for words in agent.game_over(table)]
            counting = [(number, agent) for number, agent in self._counting.items() if number in seating.players]
            self._notes[seating] = faults, [(number, agent.take_counts(table)) for number, agent in counting]

    def take(self, game: PlayedGame) -> Notes:
        """Return the faults in a finished game, and its counts."""
        return self._notes.pop(game.seating, ([], []))

    def close(self) -> None:
        """Close all followers."""
        for agent in self._followers.values():
            agent.close()
