"""The simulator role: plays games endlessly, and sends the experience to the buffers.

Where there are inference engines, these answer for the networks, and the tables are in two halves, each on its own
thread: while one waits for answers, the other plays. Without engines the simulator holds the networks itself.
"""

from __future__ import annotations

import itertools
import time
from collections import deque
from functools import partial
from threading import Event, Thread
from typing import Any

import numpy as np
import ray
from ray.exceptions import RayError, RayTaskError

from simulator.tables import Decisions, Ended
from suphx.agent.flow import Flow, PlaneEncoder, Sampling
from suphx.agent.interface import Agent, AgentOutput
from suphx.learning.advantages import Values, raw_advantages
from suphx.learning.critic import critic_planes
from suphx.learning.experience import Batch
from suphx.networks.memory import keep_memory
from suphx.networks.models import CRITIC, MODELS
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.play import CollectedRounds, PlayCounts
from suphx.selfplay.policy import OracleEncoder, sampling_of
from suphx.selfplay.roles.inference_client import (
    Engines,
    InferenceClient,
    OwnNetworks,
    PlayingNetworks,
    seconds_between_requests,
)
from suphx.selfplay.roles.resources import IN_FLIGHT, SENT_DECISIONS, precision_for
from suphx.selfplay.roles.role import Role, ask, find, find_all, is_answered
from suphx.selfplay.roles.run_inputs import RunInputs, run_inputs
from suphx.selfplay.samples import SAMPLED_TABLE
from suphx.selfplay.seating import LEARNER
from suphx.selfplay.sources import load_opponents

#: Seconds after which experience of fewer decisions is sent.
_SENT_SECONDS = 5.0
#: Seconds between checks whether to stop, while waiting for room in the buffer.
_LOOK_SECONDS = 0.5


class AnsweredPolicy(Flow):
    """The learning policy, whose networks somebody answers for."""

    def __init__(self, client: InferenceClient, config: TrainConfig, seed: int) -> None:
        self._client, self._has_oracle = client, config.learning.oracle is not None
        self.version, self._gamma = client.current()
        """The oldest version of weights that took part in the last decisions."""
        self._versions: list[int] = []
        self._oracle = OracleEncoder(0.0, seed)
        networks = {model: partial(self._ask, model) for model in MODELS}
        super().__init__(networks, self._oracle, Sampling(), sampling_of(config.learning.models, seed), config.name)

    def _ask(self, model: str, planes: np.ndarray) -> np.ndarray:
        logits, version, self._gamma = self._client.ask(LEARNER, model, planes)
        self._versions.append(version)
        return logits

    def act(self, games: np.ndarray, decisions: Decisions) -> AgentOutput:
        """Choose for each decision."""
        self._oracle.gamma, self._versions = self._gamma if self._has_oracle else 0.0, []
        choice = super().act(games, decisions)
        self.version = min(self._versions, default=self.version)
        return choice


class Simulator(Role):
    """Plays games. A Ray actor: `run` has its own thread, other roles' requests run on another."""

    def __init__(self, number: int, config: TrainConfig) -> None:
        """Deal the first rounds; number: of this simulator, which determines its engine and its first buffer."""
        keep_memory()
        self._config, self._monitor = config, find("monitor")
        buffers = find_all("buffers", config.roles.buffers.count)
        first = number % len(buffers)
        self._next_buffer = itertools.cycle(buffers[first:] + buffers[:first])
        self._stop = Event()
        self._error: BaseException | None = None
        self._sampled: Any = None
        instance = ask(self._monitor.begin_simulator)  # a number that no simulator of this run had before
        start, clients = self._clients(number)
        self._halves = [_Half(half, number, instance, config, start, each, self) for half, each in enumerate(clients)]

    def _clients(self, number: int) -> tuple[RunInputs, list[InferenceClient]]:
        """Return what the run starts from, and who answers for the networks of each half of the tables."""
        roles = self._config.roles
        if roles.engines.count:
            engines = find_all("engines", roles.engines.count)
            return run_inputs(), [Engines(engines, number) for _ in range(roles.halves)]
        networks = PlayingNetworks(precision_for(roles.simulators))
        return networks.inputs, [OwnNetworks(networks, seconds_between_requests(roles.simulators.count))]

    def stop(self) -> None:
        """Make `run` end."""
        self._stop.set()

    @property
    def is_stopped(self) -> bool:
        """Whether `run` should end."""
        return self._stop.is_set()

    def run(self) -> None:
        """Play until it is stopped; raises the first error of either half."""
        threads = [Thread(target=self._play, args=(half,), daemon=True) for half in self._halves]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self._error is not None:
            raise self._error

    def _play(self, half: _Half) -> None:
        try:
            while not self.is_stopped:
                half.step()
        except BaseException as error:
            self._error = self._error or error
            self._stop.set()

    def sample(self, ended: Ended, version: int) -> None:
        """Send rounds of the sampled table to the monitor, unless the last ones are still on their way."""
        rows = np.flatnonzero(ended.game == SAMPLED_TABLE)
        if len(rows) and is_answered(self._sampled):
            part = Ended(**{name: column[rows].copy() for name, column in vars(ended).items()})
            self._sampled = self._monitor.sample.remote(part, f"{self._config.name} {version}")

    def send(self, batch: Batch, raw: dict[str, np.ndarray], counts: PlayCounts) -> Any:  # a reference
        """Send experience to the next buffer: all get as much, since all give as much to each minibatch."""
        return next(self._next_buffer).add.remote(batch, raw, counts)


class _Half:
    """Tables that play on one thread."""

    def __init__(
        self,
        half: int,
        number: int,
        instance: int,
        config: TrainConfig,
        start: RunInputs,
        client: InferenceClient,
        simulator: Simulator,
    ) -> None:
        self._config, self._client, self._simulator = config, client, simulator
        self._is_sampled = number == half == 0 and config.sample_games > 0
        seed = int(np.random.SeedSequence([config.seed, instance, half]).generate_state(1, np.uint64)[0])
        slots = -(-config.side_by_side // config.roles.halves)
        self._policy = AnsweredPolicy(client, config, seed)
        self.play = CollectedRounds(config, slots, seed, start.rewards, _opponents(config, start, client, seed))
        self._values = _values(client) if config.learning.has_critic else None
        self._wanted = min(SENT_DECISIONS, config.learning.batch)
        self._in_flight: deque[Any] = deque()

    def step(self) -> None:
        """Answer all pending decisions, and send experience if there is enough."""
        self._client.follow()
        self.play.collector.set_policy(self._policy.version, self._policy)
        ended = self.play.step()
        if ended is not None and self._is_sampled:
            self._simulator.sample(ended, self._policy.version)
        if self.play.has_rounds and (self.play.learnable >= self._wanted or self.play.seconds > _SENT_SECONDS):
            self._send()

    def _send(self) -> None:
        began = time.perf_counter()
        if not self._wait_for_room():
            return
        held = time.perf_counter() - began
        batch, counts = self.play.take()
        counts.held, counts.waiting, self._client.waiting = held, self._client.waiting, 0.0
        raw = raw_advantages(self._config.learning, batch, self._values)
        self._in_flight.append(self._simulator.send(batch, raw, counts))

    def _wait_for_room(self) -> bool:
        """Wait until a buffer has taken in enough of what is on its way; return False if the run ends before."""
        while len(self._in_flight) >= IN_FLIGHT:
            if not ray.wait([self._in_flight[0]], timeout=_LOOK_SECONDS)[0]:
                if self._simulator.is_stopped:
                    return False  # learning has ended, so there will be no room
                continue
            try:
                ray.get(self._in_flight.popleft())
            except RayTaskError:
                raise
            except RayError:  # the buffer is gone with what was on its way to it, and is being restarted
                time.sleep(0.5)
        return True


def _opponents(config: TrainConfig, start: RunInputs, client: InferenceClient, seed: int) -> list[Agent]:
    def answered(name: str, player: int) -> Agent:
        """Return an opponent whose networks somebody answers for."""
        networks = {model: lambda planes, model=model: client.ask(player, model, planes)[0] for model in MODELS}
        return Flow(networks, PlaneEncoder(), Sampling(), name=name)

    opponents: list[Agent] = []
    for name in config.table.opponents:
        is_answered = name in start.opponents
        opponents += [answered(name, start.number_of(name))] if is_answered else load_opponents((name,), seed)
    return opponents


def _values(client: InferenceClient) -> Values:
    return lambda experience: client.ask(LEARNER, CRITIC, critic_planes(experience))[0]
