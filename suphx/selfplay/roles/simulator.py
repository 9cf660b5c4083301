"""The simulator role: plays games endlessly, with networks at the inference engines, and ships the experience.

Its tables are in two halves, each on its own thread: while one waits for the networks, the other plays.
"""

from __future__ import annotations

import itertools
import time
from collections import deque
from dataclasses import asdict
from threading import Event, Thread
from typing import Any

import numpy as np
import ray
from ray.exceptions import RayError, RayTaskError

from simulator.rules import Rules
from simulator.tables import Decisions, Ended
from suphx.agent.encoder import PlaneEncoder
from suphx.agent.flow import Flow, Network, Sampling
from suphx.agent.interface import Agent, Choice
from suphx.features.layout import PLANES
from suphx.learning.advantages import raw_advantages
from suphx.learning.experience import Batch, Experience, join
from suphx.networks.memory import keep_memory
from suphx.networks.sizes import CRITIC, MODELS
from suphx.reward.rounds import make_rewards
from suphx.selfplay.collect import Collector
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.policy import OracleEncoder, policy_flow
from suphx.selfplay.roles.beginning import Beginning, beginning
from suphx.selfplay.roles.engine import Engines
from suphx.selfplay.roles.names import ask, find, find_all
from suphx.selfplay.roles.parcels import LEARNING_PLAYER, Counts, Shipment
from suphx.selfplay.roles.requests import is_answered
from suphx.selfplay.roles.resources import HALVES, SHIPMENT_QUESTIONS, UNDERWAY
from suphx.selfplay.samples import SAMPLED_TABLE
from suphx.selfplay.seating import earlier_names, opponents, temperature_of_opponents
from suphx.selfplay.sources import load_opponents

#: A shipment with fewer questions than wanted is sent after so many seconds.
_SHIPMENT_SECONDS = 5.0
#: Seconds between checks whether to stop, while waiting for room in the buffer.
_LOOK_SECONDS = 0.5


class RemotePolicy:
    """The learning policy, whose networks are at the inference engines."""

    def __init__(self, engines: Engines, config: TrainConfig, seed: int) -> None:
        self.name = config.name
        self._engines, self._seed = engines, seed
        self.version, gamma = engines.current()
        """The oldest version of weights that took part in the last decisions."""
        self._has_oracle = config.learning.oracle is not None
        self._gamma = gamma if self._has_oracle else 0.0
        self._versions: list[int] = []
        networks = {model: self._network(model) for model in MODELS}
        encoder = OracleEncoder(self._gamma, seed) if self._gamma else PlaneEncoder()
        self._flow = policy_flow(networks, encoder, seed, config.learning.models, config.others)
        self._shown = self._gamma

    def _network(self, model: str) -> Network:
        def logits(planes: np.ndarray) -> np.ndarray:
            found, version, gamma = self._engines.ask(LEARNING_PLAYER, model, planes)
            self._gamma = gamma if self._has_oracle else 0.0
            self._versions.append(version)
            return found

        return logits

    def act(self, games: np.ndarray, asked: Decisions) -> Choice:
        """Choose for each decision."""
        if self._gamma != self._shown:
            self._flow.encoder = OracleEncoder(self._gamma, self._seed) if self._gamma else PlaneEncoder()
            self._shown = self._gamma
        self._versions = []
        choice = self._flow.decide(games, asked)
        if self._versions:
            self.version = min(self._versions)
        return choice


class _RemoteOpponent:
    """An opponent whose networks are at the inference engines."""

    def __init__(self, name: str, engines: Engines, player: int, sampling: Sampling) -> None:
        self.name = name

        def network(model: str) -> Network:
            return lambda planes: engines.ask(player, model, planes)[0]

        self._flow = Flow({model: network(model) for model in MODELS}, PlaneEncoder(), sampling)

    def act(self, games: np.ndarray, asked: Decisions) -> Choice:
        return self._flow.decide(games, asked)


class Simulator:
    """Plays games. A Ray actor: `run` has its own thread, other roles' requests run on another."""

    def __init__(self, number: int, config: TrainConfig) -> None:
        """Deal the first rounds; number: of this simulator, which determines its engine and its first buffer."""
        keep_memory()
        self._config, self._monitor = config, find("monitor")
        buffers = find_all("buffers", config.roles.buffers.count)
        first = number % len(buffers)
        self._landing = itertools.cycle(buffers[first:] + buffers[:first])
        engines = find_all("engines", config.roles.engines.count)
        self._stop = Event()
        self._error: BaseException | None = None
        self._sampled: Any = None
        begun = ask(self._monitor.begin_simulator)  # a number that no simulator of this run had before
        start = beginning()
        self._halves = [
            _Half(half, number, begun, config, start, Engines(engines, number), self) for half in range(HALVES)
        ]

    def ready(self) -> None:
        """Return once the simulator has started."""

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
        if is_answered(self._sampled):
            self._sampled = self._monitor.sample.remote(ended, f"{self._config.name} {version}")

    def ship(self, shipment: Shipment) -> Any:  # a reference
        """Send experience to the next buffer: all get as much, since all give as much to each minibatch."""
        return next(self._landing).add.remote(shipment)


class _Half:
    def __init__(
        self,
        half: int,
        number: int,
        begun: int,
        config: TrainConfig,
        start: Beginning,
        engines: Engines,
        simulator: Simulator,
    ) -> None:
        self._config, self._engines, self._simulator = config, engines, simulator
        self._is_sampled = number == half == 0 and config.sample_games > 0
        seed = int(np.random.SeedSequence([config.seed, begun, half]).generate_state(1, np.uint64)[0])
        slots = -(-config.side_by_side // HALVES)
        rules = Rules.preset(config.rules)
        rewards = make_rewards(config.reward, slots, start.predictor)
        self._policy = RemotePolicy(engines, config, seed)
        against = _opponents(config, start, engines, seed)
        self._collector = Collector(
            config.table, rules, rewards, slots, seed, config.learning.models, against,
            certain=config.learning.certain, **config.hidden_planes,
        )  # fmt: skip
        self._values = _values(engines) if config.learning.has_critic else None
        self._shipment = min(SHIPMENT_QUESTIONS, config.learning.batch)
        self._batches: list[Batch] = []
        self._counted = Counts()
        self._underway: deque[Any] = deque()
        self._began = time.perf_counter()
        self._held = 0.0

    def step(self) -> None:
        """Answer all pending decisions, and ship experience if there is enough."""
        self._collector.set_policy(self._policy.version, self._policy)
        finished = self._collector.step()
        if finished is not None:
            self._batches.append(finished.batch)
            if self._is_sampled:
                self._sample(finished.ended)
        questions = sum(len(each) for batch in self._batches for each in batch.experience.values())
        late = time.perf_counter() - self._began > _SHIPMENT_SECONDS
        if self._batches and (questions >= self._shipment or late):
            self._ship()

    def _sample(self, ended: Ended) -> None:
        rows = np.flatnonzero(ended.game == SAMPLED_TABLE)
        if len(rows):
            part = Ended(**{name: column[rows].copy() for name, column in vars(ended).items()})
            self._simulator.sample(part, self._policy.version)

    def _ship(self) -> None:
        batch, self._batches = join(self._batches), []
        raw = raw_advantages(self._config.learning, batch, self._values)
        began = time.perf_counter()
        while len(self._underway) >= UNDERWAY:
            if not ray.wait([self._underway[0]], timeout=_LOOK_SECONDS)[0]:
                if self._simulator.is_stopped:
                    return  # learning has ended, so there will be no room
                continue
            try:
                ray.get(self._underway.popleft())
            except RayTaskError:
                raise
            except RayError:  # the buffer is gone with what was on its way to it, and is being restarted
                time.sleep(0.5)
        self._held += time.perf_counter() - began
        self._underway.append(self._simulator.ship(Shipment(batch, raw, self._count(batch))))

    def _count(self, batch: Batch) -> Counts:
        """Return counts of what was played since the last shipment."""
        now, before = self._collector.counters, self._counted
        rewards = batch.paths["reward"].astype(np.float64)
        seconds, errors = time.perf_counter() - self._began, self._collector.rewards.take_errors()
        found = Counts(
            **{name: now[name] - getattr(before, name) for name in ("games", "rounds", "decisions", "questions")},
            reward=float(rewards.sum()),
            reward_square=float((rewards**2).sum()),
            paths=len(rewards),
            phi_square=errors.square,
            phi_count=errors.count,
            seconds=seconds,
            waiting=self._engines.waiting,
            held=self._held,
        )
        self._counted += Counts(**{**asdict(found), "reward": 0.0})
        self._engines.waiting, self._held, self._began = 0.0, 0.0, time.perf_counter()
        return found


def _opponents(config: TrainConfig, start: Beginning, engines: Engines, seed: int) -> list[Agent]:
    found: list[Agent] = []
    sampling = Sampling(temperature_of_opponents(config.table), seed)
    for name in opponents(config.table):
        if name in start.opponents:
            found.append(_RemoteOpponent(name, engines, start.number_of(name), sampling))
        else:
            found += load_opponents(config.table, (name,), seed)
    for place, name in enumerate(earlier_names(config.table)):
        found.append(_RemoteOpponent(name, engines, start.number_of_earlier(place), sampling))
    return found


def _values(engines: Engines) -> Any:  # as `advantage.Values`
    def values(experience: Experience) -> np.ndarray:
        planes = np.concatenate([experience.planes[:, :PLANES], experience.hidden], axis=1)
        return engines.ask(LEARNING_PLAYER, CRITIC, planes)[0]

    return values
