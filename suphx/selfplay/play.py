"""Games of a training as a process plays them, with what they come to between two looks."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np

from simulator.rules import Rules
from suphx.agent.interface import Agent, Follower
from suphx.agent.registry import load_agent
from suphx.errors import InputError
from suphx.learning.experience import Batch
from suphx.networks.precision import Precision
from suphx.reward.kinds import RoundRewards, TableRewards
from suphx.selfplay.collect import Collector
from suphx.selfplay.config import TrainConfig


@dataclass
class PlayCounts:
    """PlayCounts of what was played, which can be added up with `+=`."""

    games: int = 0
    rounds: int = 0
    decisions: int = 0
    model_decisions: int = 0
    reward: float = 0.0
    """Sum over trajectories."""
    reward_square: float = 0.0
    trajectories: int = 0
    phi_square: float = 0.0
    """Sum of squared errors of Phi in finished games (`RoundRewards.take_errors`)."""
    phi_count: int = 0
    seconds: float = 0.0
    """Time spent on collecting, over all threads that play."""
    waiting: float = 0.0
    """Part of that time spent waiting for answers of inference engines."""
    held: float = 0.0
    """Part of that time spent waiting for a buffer that had enough."""

    def __iadd__(self, other: PlayCounts) -> PlayCounts:
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))
        return self


class CollectedRounds:
    """A collector of a configuration's games, with counts of the rounds that are taken from it."""

    def __init__(
        self,
        config: TrainConfig,
        slots: int,
        seed: int,
        rewards: RoundRewards,
        opponents: Sequence[Agent],
    ) -> None:
        """slots: number of games side by side. seed: random seed of the walls. rewards: those of the configuration.

        opponents: as for `Collector`.
        """
        learning = config.learning
        self.collector = Collector(
            config.table, Rules.preset(config.rules), TableRewards(rewards, slots), slots, seed,
            learning.models, opponents, max_confidence=learning.max_confidence, **config.hidden_planes,
        )  # fmt: skip
        self._counted = dict(self.collector.counters)
        self._began = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds since rounds were last taken."""
        return time.perf_counter() - self._began

    def take(self) -> tuple[Batch, PlayCounts]:
        """Return the rounds that have ended since this was last called, at least one, and their counts."""
        batch = self.collector.take()
        now, before = self.collector.counters, self._counted
        rewards, (square, count) = (
            batch.trajectories["rewards"][:, 0].astype(np.float64),
            self.collector.rewards.take_errors(),
        )
        counts = PlayCounts(
            **{name: now[name] - before[name] for name in ("games", "rounds", "decisions", "model_decisions")},
            reward=float(rewards.sum()),
            reward_square=float((rewards**2).sum()),
            trajectories=len(rewards),
            phi_square=square,
            phi_count=count,
            seconds=self.seconds,
        )
        self._counted, self._began = dict(now), time.perf_counter()
        return batch, counts

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go on from what `Collector.state` returned, just after rounds were taken."""
        self.collector.restore(state)
        self._counted = dict(self.collector.counters)


def load_opponents(names: Sequence[str], seed: int, precision: Precision | None = None) -> list[Agent]:
    """Return the named opponents; raises InputError if one cannot be loaded."""
    agents = []
    for name in names:
        agent = load_agent(name, seed, None, precision, batch_invariant=True)
        if isinstance(agent, Follower):
            agent.close()
            raise InputError(f"{name}: a bot that lives outside this program cannot sit at the tables of self-play")
        agents.append(agent)
    return agents
