"""Collectors of tiny networks, and what they collect, for the tests of self-play."""

from __future__ import annotations

import numpy as np

from simulator.rules import Rules
from suphx.agent.registry import untrained_networks
from suphx.learning.experience import Batch
from suphx.networks.models import MODELS
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision, choose_precision
from suphx.networks.sizes import NetworkSize
from suphx.reward.kinds import TableRewards
from suphx.reward.rounds import PointRewards
from suphx.selfplay.collect import Collector
from suphx.selfplay.config import FourLearners, TableConfig
from suphx.selfplay.play import load_opponents
from suphx.selfplay.policy import SelfPlayPolicy

RULES = Rules(length="east")
SEED = 11


def precision() -> Precision:
    return choose_precision("cpu", "float32", 1)


def tiny_networks(seed: int = 0) -> dict[str, PolicyNetwork]:
    return untrained_networks(NetworkSize(filters=4, blocks=1), seed)


def tiny_collector(
    table: TableConfig | None = None,
    slots: int = 6,
    seed: int = SEED,
    models: tuple[str, ...] = MODELS,
    oracle: bool = False,
    rules: Rules = RULES,
    policy: int = 0,
    max_confidence: float = 1.0,
    hidden: bool = False,
) -> Collector:
    """Return a collector with networks of a seed, `policy`, as version 1."""
    rewards = TableRewards(PointRewards(10_000), slots)
    table = table or FourLearners()
    against = load_opponents(table.opponents, seed, precision())
    collector = Collector(table, rules, rewards, slots, seed, models, against, oracle, hidden, max_confidence)
    collector.set_policy(1, SelfPlayPolicy(1, tiny_networks(policy), precision(), seed))
    return collector


def collect(collector: Collector, rounds: int) -> Batch:
    """Return what comes of so many rounds at least, from now on."""
    until = collector.counters["rounds"] + rounds
    while collector.counters["rounds"] < until:
        collector.step()
    return collector.take()


def assert_same(first: Batch, second: Batch) -> None:
    """Hold that two batches are equal, bit for bit."""
    assert np.array_equal(first.trajectories, second.trajectories)
    assert first.experience.keys() == second.experience.keys()
    for model, one in first.experience.items():
        other = second.experience[model]
        assert one.dtype == other.dtype and one.tobytes() == other.tobytes(), model
