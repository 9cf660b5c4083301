"""Play the games of a plan in this process: each thread plays whole games, many side by side.

The course of a game depends only on its deal and its agents: each network computes on one thread, its answers do not
depend on the rest of the batch, and random numbers come from a counter-based generator. So on one machine the number
of games side by side, of threads and of workers does not change a result. On another kind of processor or GPU sums are
rounded differently, and now and then a close decision falls the other way.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from threading import Event

import numpy as np

from simulator.logs.from_record import game_log
from simulator.logs.mjlog_writer import write_mjlog
from simulator.players.play import Seating, play_seated
from simulator.rules import Rules
from simulator.tables import Decisions
from suphx.agent.interface import Agent, Followers, Interruptible
from suphx.agent.registry import load_agent
from suphx.evaluation.protocol import MatchPlan
from suphx.evaluation.results import GameDone, result_row
from suphx.networks.precision import choose_precision, keep_memory
from suphx.threads import Either, Stopped, in_threads

#: Default number of games side by side in each thread, large enough for large network batches.
BATCH = 1024
#: Default where bots play, which need one process per seat.
BATCH_OF_BOTS = 8


@dataclass(frozen=True)
class MatchTerms:
    """Everything besides its agents that determines how the games of a plan go."""

    seed: int = 0
    """Random seed of the deals and of the agents' choices."""
    rules: str = "tenhou"
    """Name of a preset of rules."""
    temperature: float | None = None
    """Sampling temperature of the networks; None for the likeliest answer."""
    device: str = "cpu"
    dtype: str = "float32"
    """Data type that networks compute in."""
    logs: bool = False
    """Whether to write every game as an mjlog."""
    timeout: float | None = None
    """Seconds that a bot has for a decision; None for the usual time."""


class _Seated:
    """Adapter that makes an agent a player of `play_seated`, until `stop` is set."""

    def __init__(self, agent: Agent, stop: Event) -> None:
        self.name = agent.name
        self.agent = agent
        self._stop = stop

    def choose(self, games: np.ndarray, decisions: Decisions, actions: np.ndarray) -> None:
        """Write an action for each decision into actions i64[n]."""
        if self._stop.is_set():
            raise Stopped
        actions[:] = self.agent.act(games, decisions).actions


def load_agents(plan: MatchPlan, terms: MatchTerms) -> list[Agent]:
    """Load the agents of a plan, set up for reproducible games."""
    precision = choose_precision(terms.device, terms.dtype, threads=1)
    return [
        load_agent(name, terms.seed, terms.temperature, precision, batch_invariant=True, timeout=terms.timeout)
        for name in plan.agents
    ]


Load = Callable[[MatchPlan, MatchTerms], Sequence[Agent]]


def play_tables(
    plan: MatchPlan,
    terms: MatchTerms,
    wanted: Iterable[tuple[int, int]],
    batch: int,
    stop: Event | None = None,
    load: Load = load_agents,
) -> Iterator[GameDone]:
    """Play games in this thread, and yield each when it is over.

    wanted: (deal, table) of the games; consumed as places fall free. batch: games side by side. stop: set it to end
    early, which raises Stopped. load: called once. Raises IllegalPlayer if an agent chooses an illegal action.
    """
    agents = load(plan, terms)
    followers = Followers(agents)
    rules = Rules.preset(terms.rules)
    seatings = (Seating(deal, plan.tables[table].agents, table) for deal, table in wanted)
    stop = stop or Event()
    players = [_Seated(agent, stop) for agent in agents]
    for agent in agents:
        if isinstance(agent, Interruptible):
            agent.watch(stop)
    try:
        for game in play_seated(players, seatings, rules, terms.seed, batch, followers or None):
            log = None
            if terms.logs:
                names = [plan.agents[agent] for agent in game.seating.players]
                name = f"{terms.seed}-{game.seating.number:07d}-{game.seating.version}"
                log = write_mjlog(game_log(game.rounds, rules, names, name))
            faults, counts = followers.take(game)
            yield GameDone(result_row(game), faults, log, counts)
    finally:
        followers.close()


def play_here(
    plan: MatchPlan,
    terms: MatchTerms,
    wanted: Iterable[tuple[int, int]],
    batch: int,
    threads: int,
    load: Load = load_agents,
    stop: Event | None = None,
) -> Generator[GameDone]:
    """Play games in threads of this process, each with its agents and `batch` games; otherwise like `play_tables`."""
    keep_memory()
    shared, ended = iter(list(wanted)), Event()  # threads can share an iterator of a list
    either = Either(ended, stop or ended)
    yield from in_threads(lambda: play_tables(plan, terms, shared, batch, either, load), threads, ended)
