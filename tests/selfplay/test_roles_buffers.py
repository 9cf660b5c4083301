"""The replay buffers of a run by roles: what one does by itself, and how several make a lesson together."""

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
from suphx.selfplay.play import Counts
from suphx.selfplay.roles.buffer import Buffer, bounds
from suphx.selfplay.roles.parcels import LessonParts, Shipment
from suphx.selfplay.roles.resources import RolesConfig
from suphx.selfplay.roles.role import name_of


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    with ray_here({"name": "buffers", "roles": {"object_store_gib": 0.1}}):
        yield


class Several:
    """Buffers that make lessons together, and experience for them."""

    def __init__(self, config: LearningConfig, count: int, ahead: int) -> None:
        roles = RolesConfig.model_validate({"buffers": {"count": count}, "ahead": ahead})
        remote: Any = ray.remote(Buffer)
        self.all = [
            remote.options(name=name_of("buffers", number), num_cpus=0).remote(number, config, 0, roles, None)
            for number in range(count)
        ]
        ray.get([each.ready.remote() for each in self.all])
        self._config, self._collector = config, tiny_collector(models=tuple(config.models))

    def ship(self, number: int, *models: str) -> Any:
        """Send eight rounds of a version that is the buffer's number, or only what some models were asked in them."""
        batch = collect(self._collector, 8)
        batch.paths["version"] = number
        batch.fill()
        if models:
            batch = Batch(batch.paths, {model: batch.experience[model] for model in models})
        shipment = Shipment(batch, raw_advantages(self._config, batch), Counts(rounds=8))
        call = self.all[number].add.remote(shipment)
        assert ray.get(self.all[number].offer.remote(list(batch.experience), PATIENCE, False))  # it has arrived
        return call

    def lesson(self, number: int, parts: int = 1) -> LessonParts:
        return ray.get(self.all[number].lesson.remote(parts))

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


def part(lesson: LessonParts, rank: int) -> np.ndarray:
    return np.concatenate(ray.get(lesson.part(rank)))


def is_done(call: Any, seconds: float) -> bool:
    return bool(ray.wait([call], timeout=seconds)[0])


def test_a_buffer_makes_simulators_wait_until_its_lessons_are_taken(several):
    alone = several(1, ahead=2)
    waiting = alone.ship(0)
    assert not is_done(waiting, 1)
    taken = 0
    while not is_done(waiting, 0.1):
        lesson = alone.lesson(0, parts=2)
        assert lesson.model == "discard" and [len(part(lesson, rank)) for rank in range(2)] == [8, 8]
        taken += sum(share.counts.rounds for share in lesson.shares)
    assert taken == 8
    while alone.lesson(0).model is not None:
        pass


def test_a_lesson_is_drawn_from_all_buffers_in_equal_shares(several):
    three = several(3, ahead=1, batch=50)
    for number in range(3):
        three.ship(number)
    lesson = three.lesson(1, parts=4)
    parts = [part(lesson, rank) for rank in range(4)]
    assert [len(each) for each in parts] == [12, 13, 12, 13]
    versions = np.concatenate([each["version"] for each in parts])
    assert np.bincount(versions).tolist() == [16, 17, 17]
    planes = np.concatenate(parts)["planes"]
    assert len(np.unique(planes, axis=0)) > 40  # no piece twice: few questions look alike
    assert sum(share.counts.rounds for share in lesson.shares) == 24
    assert sum(share.counts.rounds for share in three.lesson(2).shares) == 0  # told once


def test_there_is_no_lesson_without_every_buffer_and_simulators_that_wait_go_on_meanwhile(several):
    """They may have what the other one lacks; if they waited on, nobody would ever learn anything."""
    two = several(2, ahead=1)
    waiting = two.ship(0)
    assert not is_done(waiting, 1)
    assert two.lesson(0).model is None
    assert is_done(waiting, 10)
    waiting = two.ship(0)
    assert not is_done(waiting, 1)
    assert two.lesson(1).model is None  # whoever is asked
    assert is_done(waiting, 10)
    two.ship(1)
    lesson = two.lesson(0)
    assert lesson.model == "discard" and np.bincount(part(lesson, 0)["version"]).tolist() == [8, 8]


def test_a_lesson_is_to_a_model_for_which_all_buffers_have_questions(several):
    two = several(2, ahead=1, models=["discard", "chow"])
    two.ship(0, "discard")
    two.ship(1, "chow")
    assert two.lesson(0).model is None
    two.ship(1, "discard")
    assert {two.lesson(number).model for number in (0, 1, 0)} == {"discard"}


def test_models_have_lessons_in_turn(several):
    two = several(2, ahead=1, models=["discard", "chow"])
    for number in range(2):
        two.ship(number)
    assert [two.lesson(0).model for _ in range(4)] == ["discard", "chow"] * 2


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
