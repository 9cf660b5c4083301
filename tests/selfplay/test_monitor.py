"""The monitor by itself: what it measures, when, and that nothing of it fails unheard."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import ray
from role_runs import PATIENCE, ray_here, tiny_start, values
from selfplay_tables import tiny_networks

from suphx.errors import InputError
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.roles.monitor import Monitor, beginning_of
from suphx.selfplay.roles.parcels import Saved, pack
from suphx.selfplay.roles.requests import is_answered
from suphx.selfplay.roles.server import RolesProgress


@pytest.fixture(scope="module")
def start(tmp_path_factory) -> Path:
    return tiny_start(tmp_path_factory.mktemp("start"))


@pytest.fixture(scope="module")
def on_ray(start) -> Iterator[None]:
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # other processes cannot import this one
    with ray_here(values(start)):
        yield


def monitor_of(config: Mapping[str, object], folder: Path) -> Any:
    made = ray.remote(concurrency_groups={"measure": 1})(Monitor).options(num_cpus=0)
    return made.remote(TrainConfig.model_validate(config), folder, "for a test")


def saved(games: int) -> Saved:
    """Return a checkpoint after so many games, of a discard network."""
    progress = RolesProgress(purpose="for a test", games=games)
    return Saved(progress.model_dump_json(), {}, {"discard": pack(tiny_networks()["discard"])})


def wait_for_failure(monitor: Any) -> None:
    """Ask for reports, as a run does, until one fails."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        ray.get(monitor.report.remote())
        time.sleep(0.1)
    raise AssertionError("nothing failed")


def test_the_last_agent_is_measured_though_another_one_was_being_measured(start, on_ray, tmp_path):
    evaluation = {"every": 10, "deals": 2, "opponent": "tsumogiri"}
    monitor = monitor_of(values(start, evaluation=evaluation), tmp_path)
    ray.get([monitor.keep.remote(saved(games), True) for games in (10, 20)])  # 20 while 10 is under way
    ray.get(monitor.finish.remote())
    assert ray.get(monitor.strength.remote()).games == 20


def test_a_measurement_that_fails_is_heard_of_at_the_next_report(start, on_ray, tmp_path):
    opponent = tiny_start(tmp_path / "opponent")
    evaluation = {"every": 10, "deals": 2, "opponent": str(opponent)}
    monitor = monitor_of(values(start, evaluation=evaluation), tmp_path / "run")
    ray.get(monitor.ready.remote())
    shutil.rmtree(opponent)
    ray.get(monitor.keep.remote(saved(10), True))
    with pytest.raises(InputError, match=r"measuring the agent after 10 games: no agent '.*opponent'"):
        wait_for_failure(monitor)
    with pytest.raises(InputError, match="measuring the agent"):
        ray.get(monitor.keep.remote(saved(20), True))


def test_an_opponent_of_measurements_that_is_none_is_told_as_a_run_begins(start):
    config = TrainConfig.model_validate(values(start, evaluation={"opponent": "no-such-agent"}))
    with pytest.raises(InputError, match=r"evaluation\.opponent: no agent 'no-such-agent'"):
        beginning_of(config, tiny_networks())


class Fails:
    """A role whose every answer is an error."""

    def tell(self) -> None:
        raise InputError("no room on the disk")

    def die(self) -> None:
        ray.actor.exit_actor()


def test_what_nobody_waits_for_is_heard_all_the_same(on_ray):
    assert is_answered(None)
    role = ray.remote(Fails).options(num_cpus=0).remote()
    request = role.tell.remote()
    ray.wait([request])
    with pytest.raises(InputError, match="no room on the disk"):
        is_answered(request)
    gone = role.die.remote()
    ray.wait([gone])
    assert is_answered(gone)
