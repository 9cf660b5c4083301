"""The simulator role: plays games endlessly, and sends the experience to the parameter server.

Where there are inference engines, these compute the networks, and the tables are in groups: while the networks of one
are computed, another plays. Without engines the simulator holds the networks itself.
"""

from __future__ import annotations

import itertools
import time
from collections import deque
from threading import Event
from typing import Any

import numpy as np
import ray
from ray.exceptions import RayError, RayTaskError

from simulator.tables import Ended
from suphx.agent.flow import Flow, PlaneEncoder, Sampling
from suphx.agent.interface import Agent
from suphx.learning.advantages import Values, raw_advantages
from suphx.learning.critic import critic_planes
from suphx.learning.experience import Batch
from suphx.networks.models import CRITIC
from suphx.networks.precision import keep_memory
from suphx.selfplay.collect import SAMPLED_TABLE
from suphx.selfplay.config import IN_FLIGHT, LEARNER, SENT_DECISIONS, TrainConfig
from suphx.selfplay.play import CollectedRounds, PlayCounts, load_opponents
from suphx.selfplay.policy import OracleEncoder, sampling_of
from suphx.selfplay.roles.inference_client import Engines, InferenceClient, OwnNetworks, PlayingNetworks
from suphx.selfplay.roles.role import Message, Role, ask, find, precision_for
from suphx.selfplay.roles.run_inputs import RunInputs

#: Seconds after which experience of fewer decisions is sent.
_SENT_SECONDS = 5.0
#: Seconds between checks whether to stop, while waiting for room for experience.
_LOOK_SECONDS = 0.5
#: Seconds to wait for a process that has died and is being restarted.
_AGAIN_SECONDS = 0.5


class RemotePolicy(Flow):
    """The learning policy, whose networks a client computes."""

    def __init__(self, config: TrainConfig, seed: int) -> None:
        self.oracle = OracleEncoder(0.0, seed)
        super().__init__({}, self.oracle, Sampling(), sampling_of(config.learning.models, seed), config.name)


class Simulator(Role):
    """Plays games. A Ray actor: `run` has its own thread, other roles' requests run on another."""

    def __init__(self, number: int, inputs: RunInputs) -> None:
        """Deal the first rounds; number: of this simulator, which determines its engine and where it sends first."""
        keep_memory()
        self._number, self._name = number, inputs.config.name
        self._stop = Event()
        self.find_receivers()
        clients = self._clients(number, inputs)
        # Its process makes other walls than those of a simulator that has died.
        process = int(ray.get_runtime_context().get_worker_id()[:16], 16)
        self._groups = [_Group(group, number, process, inputs, client, self) for group, client in enumerate(clients)]

    def _clients(self, number: int, inputs: RunInputs) -> list[InferenceClient]:
        """Return who computes the networks of each group of the tables."""
        roles = inputs.config.roles
        if roles.engines.count:
            inputs.check()
            engines = [find("engines", each) for each in range(roles.engines.count)]
            return [Engines(engines, number) for _ in range(roles.groups)]
        return [OwnNetworks(PlayingNetworks(inputs, precision_for(roles.simulators), roles.simulators.count))]

    def find_receivers(self) -> None:
        """Find the processes of the parameter server, which receive as much experience each."""
        server = find("servers")
        receivers = [server, *ask(server.others)]
        first = self._number % len(receivers)
        self._receivers = itertools.cycle(receivers[first:] + receivers[:first])

    def stop(self) -> None:
        """Make `run` end."""
        self._stop.set()

    @property
    def is_stopped(self) -> bool:
        """Whether `run` should end."""
        return self._stop.is_set()

    @ray.method(concurrency_group="play")
    def run(self) -> list[Message]:
        """Play until it is stopped: while the networks of one group are computed, the others play.

        Returns what there is to tell.
        """
        for group in self._groups:
            group.begin()
        while not self.is_stopped:
            for group in self._groups:
                group.finish()
                group.begin()
        return self.pulse()

    def sample(self, ended: Ended, version: int) -> None:
        """Tell the monitor rounds of the sampled table."""
        rows = np.flatnonzero(ended.game == SAMPLED_TABLE)
        if len(rows):
            part = Ended(**{name: column[rows].copy() for name, column in vars(ended).items()})
            self.tell("sample", part, f"{self._name} {version}")

    def send(self, batch: Batch, raw: dict[str, np.ndarray], counts: PlayCounts) -> Any:  # a reference
        """Send experience to the next process of the parameter server."""
        return next(self._receivers).add.remote(batch, raw, counts)


class _Group:
    """Tables whose networks are computed together."""

    def __init__(
        self, group: int, number: int, process: int, inputs: RunInputs, client: InferenceClient, simulator: Simulator
    ) -> None:
        """process: of the simulator; no other one has this number."""
        self._config, self._client, self._simulator = inputs.config, client, simulator
        config = inputs.config
        self._is_sampled = number == group == 0 and config.sample_games > 0
        seed = int(np.random.SeedSequence([config.seed, number, group, process]).generate_state(1, np.uint64)[0])
        slots = -(-config.side_by_side // config.roles.groups)
        self._policy = RemotePolicy(config, seed)
        self.play = CollectedRounds(config, slots, seed, inputs.rewards, _opponents(inputs, seed))
        self._values = _values(client) if config.learning.has_critic else None
        self._wanted = min(SENT_DECISIONS, config.learning.batch)
        self._in_flight: deque[Any] = deque()

    def begin(self) -> None:
        """Begin a step: ask for the networks of all pending decisions."""
        if self._config.learning.oracle is not None:
            self._policy.oracle.gamma = self._client.gamma
        self.play.collector.set_policy(self._client.version, self._policy)
        self._begun = self.play.collector.begin()
        self._client.send(self._begun.requests)

    def finish(self) -> None:
        """Take the step, and send experience if there is enough."""
        logits = self._client.receive()
        version = self._client.version
        self.play.collector.set_policy(version, self._policy)
        ended = self.play.collector.finish(self._begun, logits)
        if ended is not None and self._is_sampled:
            self._simulator.sample(ended, version)
        collector = self.play.collector
        if collector.has_rounds and (collector.learnable >= self._wanted or self.play.seconds > _SENT_SECONDS):
            self._send()

    def _send(self) -> None:
        began = time.perf_counter()
        if not self._wait_for_room():
            return
        held = time.perf_counter() - began
        batch, counts = self.play.take()
        counts.held, counts.waiting, self._client.waiting = held, self._client.waiting, 0.0
        counts.seconds /= self._config.roles.groups  # they take turns
        raw = raw_advantages(self._config.learning, batch, self._values)
        self._in_flight.append(self._simulator.send(batch, raw, counts))

    def _wait_for_room(self) -> bool:
        """Wait until enough of what is on its way has been taken in; return False if the run ends before."""
        while len(self._in_flight) >= IN_FLIGHT:
            if not ray.wait([self._in_flight[0]], timeout=_LOOK_SECONDS)[0]:
                if self._simulator.is_stopped:
                    return False  # learning has ended, so there will be no room
                continue
            try:
                ray.get(self._in_flight.popleft())
            except RayTaskError:
                raise
            except RayError:  # a process is gone with what was on its way to it, and others take its place
                time.sleep(_AGAIN_SECONDS)
                self._simulator.find_receivers()
        return True


def _opponents(inputs: RunInputs, seed: int) -> list[Agent]:
    """Return the opponents by number; the client computes the networks of those that have some."""
    opponents: list[Agent] = []
    for name in inputs.config.table.opponents:
        has_networks = name in inputs.opponents
        opponents += (
            [Flow({}, PlaneEncoder(), Sampling(), name=name)] if has_networks else load_opponents((name,), seed)
        )
    return opponents


def _values(client: InferenceClient) -> Values:
    key = (LEARNER, CRITIC)
    return lambda experience: client.compute({key: critic_planes(experience)})[key]
