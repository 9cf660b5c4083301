"""The replay buffers of a run by roles: what one does by itself, and how several make a minibatch together."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import ray
from role_runs import PATIENCE, ray_here
from selfplay_tables import collect, tiny_collector

from suphx.learning.advantages import raw_advantages
from suphx.learning.config import LearningConfig
from suphx.learning.experience import Batch
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.play import PlayCounts
from suphx.selfplay.roles.buffer import Buffer, Minibatch, bounds
from suphx.selfplay.roles.resources import RolesConfig
from suphx.selfplay.roles.role import name_of


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    with ray_here({"name": "buffers", "roles": {"object_store_gib": 0.1}}):
        yield


class Several:
    """Buffers that make minibatches together, and experience for them."""

    def __init__(self, config: LearningConfig, count: int, ahead: int) -> None:
        roles = RolesConfig.model_validate({"buffers": {"count": count}, "ahead": ahead})
        remote: Any = ray.remote(Buffer)
        self.all = [
            remote.options(name=name_of("buffers", number), num_cpus=0).remote(number, config, 0, roles, None)
            for number in range(count)
        ]
        ray.get([each.ready.remote() for each in self.all])
        self._config, self._collector = config, tiny_collector(models=tuple(config.models))

    def send(self, number: int, *models: str) -> Any:
        """Send eight rounds of a version that is the buffer's number, or only what some models were asked in them."""
        batch = collect(self._collector, 8)
        batch.trajectories["version"] = number
        batch.fill()
        if models:
            batch = Batch(batch.trajectories, {model: batch.experience[model] for model in models})
        call = self.all[number].add.remote(batch, raw_advantages(self._config, batch), PlayCounts(rounds=8))
        assert ray.get(self.all[number].ready_models.remote(list(batch.experience), PATIENCE, False))  # it has arrived
        return call

    def minibatch(self, number: int, parts: int = 1) -> Minibatch:
        return ray.get(self.all[number].minibatch.remote(parts))

    def end(self) -> None:
        for each in self.all:
            ray.kill(each)


@pytest.fixture
def several() -> Iterator[Any]:
    made: list[Several] = []

    def make(count: int, ahead: int, **learning: object) -> Several:
        config = LearningConfig.model_validate({"models": ["discard"], "batch": 16} | learning)
        made.append(Several(config, count, ahead))
        return made[-1]

    yield make
    for each in made:
        each.end()


def part(minibatch: Minibatch, rank: int) -> np.ndarray:
    return np.concatenate(ray.get(minibatch.parts[rank]))


def is_done(call: Any, seconds: float) -> bool:
    return bool(ray.wait([call], timeout=seconds)[0])


def test_a_buffer_makes_simulators_wait_until_its_minibatches_are_taken(several):
    alone = several(1, ahead=2)
    waiting = alone.send(0)
    assert not is_done(waiting, 1)
    taken = 0
    while not is_done(waiting, 0.1):
        minibatch = alone.minibatch(0, parts=2)
        assert minibatch.model == "discard" and [len(part(minibatch, rank)) for rank in range(2)] == [8, 8]
        taken += minibatch.counts.rounds
    assert taken == 8
    while alone.minibatch(0).model is not None:
        pass


def test_a_minibatch_is_drawn_from_all_buffers_in_equal_shares(several):
    three = several(3, ahead=1, batch=50)
    for number in range(3):
        three.send(number)
    minibatch = three.minibatch(1, parts=4)
    parts = [part(minibatch, rank) for rank in range(4)]
    assert [len(each) for each in parts] == [12, 13, 12, 13]
    versions = np.concatenate([each["version"] for each in parts])
    assert np.bincount(versions).tolist() == [16, 17, 17]
    planes = np.concatenate(parts)["planes"]
    assert len(np.unique(planes, axis=0)) > 40  # no piece twice: few questions look alike
    assert minibatch.counts.rounds == 24
    assert three.minibatch(2).counts.rounds == 0  # told once


def test_there_is_no_minibatch_without_every_buffer_and_simulators_that_wait_go_on_meanwhile(several):
    """They may have what the other one lacks; if they waited on, nobody would ever learn anything."""
    two = several(2, ahead=1)
    waiting = two.send(0)
    assert not is_done(waiting, 1)
    assert two.minibatch(0).model is None
    assert is_done(waiting, 10)
    waiting = two.send(0)
    assert not is_done(waiting, 1)
    assert two.minibatch(1).model is None  # whoever is asked
    assert is_done(waiting, 10)
    two.send(1)
    minibatch = two.minibatch(0)
    assert minibatch.model == "discard" and np.bincount(part(minibatch, 0)["version"]).tolist() == [8, 8]


def test_a_minibatch_is_to_a_model_for_which_all_buffers_have_questions(several):
    two = several(2, ahead=1, models=["discard", "chow"])
    two.send(0, "discard")
    two.send(1, "chow")
    assert two.minibatch(0).model is None
    two.send(1, "discard")
    assert {two.minibatch(number).model for number in (0, 1, 0)} == {"discard"}


def test_models_have_minibatches_in_turn(several):
    two = several(2, ahead=1, models=["discard", "chow"])
    for number in range(2):
        two.send(number)
    assert [two.minibatch(0).model for _ in range(4)] == ["discard", "chow"] * 2


def test_parts_are_equal_and_leave_nothing_out():
    for total, parts in itertools.product((1, 7, 50), (1, 3, 7, 60)):
        cuts = bounds(total, parts)
        assert cuts[0] == 0 and cuts[-1] == total and len(cuts) == parts + 1
        assert set(np.diff(cuts)) <= {total // parts, total // parts + 1}


def test_batches_smaller_than_the_number_of_buffers_are_refused():
    values = {"learning": {"batch": 4}, "roles": {"buffers": {"count": 5}}}
    with pytest.raises(ValueError, match="too small for 5 buffers"):
        TrainConfig.model_validate(values)
    TrainConfig.model_validate(values | {"learning": {"batch": 5}})
