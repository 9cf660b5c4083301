"""A match: consecutive games between any four agents at our table, with a verdict on each agent."""

import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from simulator.players.play import Seating, play_seated
from simulator.record import SEATS
from simulator.rules import Rules
from simulator.tables import Decisions
from suphx.agent.interface import Agent, Follower, Followers
from suphx.agent.registry import is_external, kind_of, load_agent
from suphx.errors import InputError
from suphx.mjai.host.agent import ExternalAgent
from suphx.mjai.host.connections import Door
from suphx.mjai.host.limits import Limits, Verdict
from suphx.mjai.host.specs import TcpAgent, external_agent

TCP = "tcp"


@dataclass(frozen=True)
class MatchGame:
    """One finished game of a match."""

    number: int
    """Index of the game in the seed's sequence."""
    bots: tuple[int, ...]
    """For each seat, the index of the contestant who sat there."""
    names: tuple[str, ...]
    """For each seat, the name of that contestant."""
    rounds: np.ndarray
    """GAME[rounds]: the record at the end of each round."""
    faults: tuple[list[str], ...]
    """For each of the four contestants, messages about its faults."""

    def by_bot(self, field: str) -> list[int]:
        """Return a field of the result that has a value per seat, reordered by contestant."""
        values = self.rounds[-1]["result"][field].tolist()
        return [values[self.bots.index(bot)] for bot in range(SEATS)]


class Contestant:
    """One of the four participants, and the verdict on it."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.verdict = agent.verdict if isinstance(agent, ExternalAgent) else Verdict()
        """Its decisions, thinking time and faults; for an external bot, the verdict that its agent keeps."""

    @property
    def name(self) -> str:
        """The name of the contestant."""
        return self.agent.name

    def choose(self, games: np.ndarray, decisions: Decisions, actions: np.ndarray) -> None:
        """Write the action for each decision into actions i64[n]."""
        started = time.perf_counter()
        actions[:] = self.agent.act(games, decisions).actions
        if not isinstance(self.agent, ExternalAgent):
            seconds = time.perf_counter() - started
            self.verdict.decisions += len(decisions)
            self.verdict.seconds += seconds
            self.verdict.slowest = max(self.verdict.slowest, seconds / len(decisions))

    def close(self) -> None:
        """Release its external resources."""
        if isinstance(self.agent, Follower):
            self.agent.close()


def contestant(name: str, limits: Limits, seed: int, door: Door | None = None) -> Contestant:
    """Return the contestant with a name.

    name: `tcp`, which needs a door; the name of an agent; otherwise the command line of a bot. limits: of a bot. seed:
    random seed of another agent. Raises InputError for a command that does not exist.
    """
    if name == TCP and door:
        return Contestant(TcpAgent(door, limits))
    if is_external(name):
        return Contestant(external_agent(name, limits))
    if kind_of(name):
        return Contestant(load_agent(name, seed))
    command = name.split(maxsplit=1)
    if not command or shutil.which(command[0]) is None:
        raise InputError(f"no bot {name!r}: neither the name of an agent, nor an existing command, nor {TCP}")
    return Contestant(external_agent(f"bot:{name}", limits))


def play_match(
    four: Sequence[Contestant], games: int, seed: int = 0, rules: Rules | None = None
) -> Iterator[MatchGame]:
    """Play games number 0 to `games` - 1 of a seed, and yield each one when it is over.

    Contestant n starts in seat n and moves to the next seat after every game. rules: Tenhou's by default. Raises
    InputError for a bot that cannot be started, and IllegalPlayer if one of our own agents chooses an illegal action.
    """
    followers = Followers([each.agent for each in four], named=True)
    seatings = (Seating(number, tuple((seat - number) % SEATS for seat in range(SEATS))) for number in range(games))
    for game in play_seated(four, seatings, rules, seed, 1, followers):
        for each in four:
            if not isinstance(each.agent, ExternalAgent):
                each.verdict.games += 1
        bots, (faults, _) = game.seating.players, followers.take(game)
        by_bot = tuple([words for number, words in faults if number == bot] for bot in range(SEATS))
        yield MatchGame(game.number, bots, tuple(four[bot].name for bot in bots), game.rounds, by_bot)
