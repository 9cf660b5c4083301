"""Games of a plan played by agents, in this process: threads that each play whole games, many side by side.

What a game becomes depends on its deal and its agents alone: networks answer on one thread each, alike whatever is
asked beside it, and random numbers are drawn by counter. So neither the number of games side by side nor that of
threads or workers changes a result, on one machine. On another kind of processor or GPU sums are rounded otherwise,
and now and then a decision that was close falls the other way.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from queue import Full, Queue
from threading import Event, Lock

import numpy as np
import torch

from simulator.logs.from_record import game_log
from simulator.logs.mjlog_writer import write_mjlog
from simulator.players.play import PlayedGame, Seating, play_seated
from simulator.record import SEATS
from simulator.rules import Rules
from simulator.tables import Decisions
from suphx.agent.interface import Agent, Counting, Follower
from suphx.agents import load_agent
from suphx.evaluation.protocol import Plan
from suphx.evaluation.results import GameDone, result_row
from suphx.networks.memory import keep_memory
from suphx.networks.precision import choose_precision

#: Games side by side in each thread, where nothing else is said: networks are then asked for many at once.
BATCH = 1024
#: ... where bots play, a process a seat.
BATCH_OF_BOTS = 8
#: Games that have ended and wait for the one who counts them.
_WAITING = 1024


@dataclass(frozen=True)
class Terms:
    """What decides how the games of a plan go, beside its agents."""

    seed: int = 0
    """Names the deals, and the random choices of agents."""
    rules: str = "tenhou"
    """Name of a preset."""
    temperature: float | None = None
    """Of networks; None for the likeliest answer."""
    device: str = "cpu"
    dtype: str = "float32"
    """What networks compute with."""
    logs: bool = False
    """Whether to write every game as an mjlog."""


class Stopped(Exception):
    """Told to stop in the middle of games, which are then not counted."""


class _Seated:
    """An agent as a player of `play_seated`, until it is told to stop."""

    def __init__(self, agent: Agent, stop: Event) -> None:
        self.name = agent.name
        self.agent = agent
        self._stop = stop

    def choose(self, games: np.ndarray, asked: Decisions, actions: np.ndarray) -> None:
        """Write an action for each decision into actions i64[n]."""
        if self._stop.is_set():
            raise Stopped
        actions[:] = self.agent.act(games, asked).actions


class _Messages:
    """Tells agents that live outside of their games, and keeps what they did wrong and what others counted."""

    def __init__(self, agents: Sequence[Agent]) -> None:
        self._followers = {number: agent for number, agent in enumerate(agents) if isinstance(agent, Follower)}
        self._seated: dict[int, Seating] = {}
        self._faults: dict[Seating, list[tuple[int, str]]] = {}
        self._counting = {number: agent for number, agent in enumerate(agents) if isinstance(agent, Counting)}
        self._counts: dict[Seating, list[tuple[int, dict[str, float]]]] = {}

    def __bool__(self) -> bool:
        return bool(self._followers or self._counting)

    def _here(self, table: int) -> Iterator[tuple[int, Follower]]:
        for number in sorted(set(self._seated[table].players)):
            if number in self._followers:
                yield number, self._followers[number]

    def game_started(self, table: int, game: np.void, seating: Seating) -> None:
        self._seated[table] = seating
        for number, agent in self._here(table):
            agent.game_started(table, game, [seat for seat in range(SEATS) if seating.players[seat] == number])

    def round_over(self, table: int, record: np.void) -> None:
        for _, agent in self._here(table):
            agent.round_over(table, record)
        if record["result"]["game_over"]:
            faults = [(number, words) for number, agent in self._here(table) for words in agent.game_over(table)]
            seating = self._seated[table]
            self._faults[seating] = faults
            counting = [(number, agent) for number, agent in self._counting.items() if number in seating.players]
            self._counts[seating] = [(number, agent.take_counts(table)) for number, agent in counting]

    def counts(self, game: PlayedGame) -> list[tuple[int, dict[str, float]]]:
        return self._counts.pop(game.seating, [])

    def faults(self, game: PlayedGame) -> list[tuple[int, str]]:
        return self._faults.pop(game.seating, [])

    def close(self) -> None:
        for agent in self._followers.values():
            agent.close()


def load_agents(plan: Plan, terms: Terms) -> list[Agent]:
    """Return the agents of a plan, ready for games whose results can be had again."""
    precision = choose_precision(terms.device, terms.dtype, threads=1)
    return [load_agent(name, terms.seed, terms.temperature, precision, fixed_passes=True) for name in plan.agents]


#: What makes the agents of a plan.
Load = Callable[[Plan, Terms], Sequence[Agent]]


def play_tables(
    plan: Plan,
    terms: Terms,
    wanted: Iterable[tuple[int, int]],
    batch: int,
    stop: Event | None = None,
    load: Load = load_agents,
) -> Iterator[GameDone]:
    """Play games in this thread, and yield each when it is over.

    wanted: (deal, table) of the games; read when a place falls free. batch: games side by side. stop: set by whoever
    wants it to end; raises Stopped then. load: called once. Raises IllegalPlayer where an agent answers what is not
    legal.
    """
    agents = load(plan, terms)
    messages = _Messages(agents)
    rules = Rules.preset(terms.rules)
    seatings = (Seating(deal, plan.tables[table].agents, table) for deal, table in wanted)
    players = [_Seated(agent, stop or Event()) for agent in agents]
    try:
        for game in play_seated(players, seatings, rules, terms.seed, batch, messages or None):
            log = _log(plan, terms, rules, game) if terms.logs else None
            yield GameDone(result_row(game), messages.faults(game), log, messages.counts(game))
    finally:
        messages.close()


def _log(plan: Plan, terms: Terms, rules: Rules, game: PlayedGame) -> bytes:
    names = [plan.agents[agent] for agent in game.seating.players]
    name = f"{terms.seed}-{game.seating.number:07d}-{game.seating.version}"
    return write_mjlog(game_log(game.rounds, rules, names, name))


def play_here(
    plan: Plan, terms: Terms, wanted: Iterable[tuple[int, int]], batch: int, threads: int, load: Load = load_agents
) -> Generator[GameDone]:
    """Play games in threads of this process, and yield each when it is over.

    Each thread has its own agents and `batch` games side by side; otherwise as `play_tables`.
    """
    keep_memory()
    shared = _Shared(wanted)
    if threads == 1:
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield from play_tables(plan, terms, shared, batch, load=load)
        finally:
            torch.set_num_threads(before)
        return
    stop = Event()
    ended: Queue[GameDone | Exception | None] = Queue(_WAITING)

    def put(item: GameDone | Exception | None) -> None:
        while not stop.is_set():
            with suppress(Full):
                return ended.put(item, timeout=0.2)

    def play() -> None:
        try:
            for game in play_tables(plan, terms, shared, batch, stop, load):
                put(game)
            put(None)
        except Exception as error:  # raised by the one who counts
            put(error)

    with ThreadPoolExecutor(threads, "arena", torch.set_num_threads, (1,)) as pool:
        playing = [pool.submit(play) for _ in range(threads)]
        try:
            while playing:
                item = ended.get()
                if isinstance(item, Exception):
                    raise item
                if item is None:
                    playing.pop()
                else:
                    yield item
        finally:
            stop.set()


class _Shared:
    """One list of games that several threads take theirs from."""

    def __init__(self, items: Iterable[tuple[int, int]]) -> None:
        self._items, self._lock = iter(items), Lock()

    def __iter__(self) -> _Shared:
        return self

    def __next__(self) -> tuple[int, int]:
        with self._lock:
            return next(self._items)
