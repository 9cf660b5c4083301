"""The monitor by itself: what it measures, when, and that nothing of it fails unheard."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import ray
import torch
from role_runs import PATIENCE, ray_here, tiny_start, values
from selfplay_tables import tiny_networks

from suphx.agent.named_networks import weights_folder
from suphx.errors import InputError
from suphx.networks.weights import load_agent
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.folder import RunFolder
from suphx.selfplay.roles.monitor import Monitor, beginning_of
from suphx.selfplay.roles.parcels import Saved, pack
from suphx.selfplay.roles.requests import is_answered
from suphx.selfplay.roles.server import RolesProgress
from suphx.selfplay.status import Collapsed


@pytest.fixture(scope="module")
def start(tmp_path_factory) -> Path:
    return tiny_start(tmp_path_factory.mktemp("start"))


@pytest.fixture(scope="module")
def on_ray(start) -> Iterator[None]:
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # other processes cannot import this one
    with ray_here(values(start)):
        yield


def monitor_of(config: Mapping[str, object], folder: Path) -> Any:
    made = ray.remote(concurrency_groups={"measure": 1, "interrupt": 1})(Monitor).options(num_cpus=0)
    return made.remote(TrainConfig.model_validate(config), folder, "for a test")


def saved(games: int) -> Saved:
    """Return a checkpoint after so many games, of a discard network."""
    progress = RolesProgress(purpose="for a test", games=games)
    return Saved(progress.model_dump_json(), {}, {"discard": pack(tiny_networks()["discard"])})


def worse(games: int) -> Saved:
    """Return a checkpoint of a discard network that answers the same of everything."""
    network = tiny_networks()["discard"]
    with torch.no_grad():
        network.head.score.weight.zero_()
    return replace(saved(games), learner={"discard": pack(network)})


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


def test_a_monitor_that_was_restarted_measures_the_last_agent(start, on_ray, tmp_path):
    config = values(start, evaluation={"every": 10, "deals": 2, "opponent": "tsumogiri"})
    ray.get(monitor_of(config, tmp_path).keep.remote(saved(20), False))
    again = monitor_of(config, tmp_path)
    ray.get(again.finish.remote())
    assert ray.get(again.strength.remote()).games == 20


def test_the_last_measurement_can_be_interrupted(start, on_ray, tmp_path):
    config = values(start, evaluation={"every": 10, "deals": 100_000, "opponent": "tsumogiri"})
    monitor = monitor_of(config, tmp_path)
    ray.get(monitor.keep.remote(saved(20), False))
    finishing = monitor.finish.remote()
    assert not ray.wait([finishing], timeout=2)[0]
    ray.get(monitor.interrupt.remote())
    assert ray.get(finishing, timeout=PATIENCE) is None and ray.get(monitor.strength.remote()) is None


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


@pytest.mark.full
def test_the_best_agent_is_kept_and_a_policy_made_worse_on_purpose_ends_the_run(on_ray, tmp_path):
    evaluation = {"every": 10, "deals": 3, "opponent": "tsumogiri"}
    networks = load_agent(weights_folder("sl"))
    monitor = monitor_of(values(Path("sl"), evaluation=evaluation), tmp_path)
    as_good = replace(saved(10), learner={"discard": pack(networks["discard"])})
    ray.get(monitor.keep.remote(as_good, True))
    ray.get(monitor.finish.remote())
    ray.get(monitor.keep.remote(worse(20), True))
    with pytest.raises(Collapsed, match=r"after 20 games: average rank .* to the start is above 0\.1"):
        wait_for_failure(monitor)
    assert f"after 10 games, is {tmp_path / 'best'}; the last checkpoint is" in RunFolder(tmp_path).last_good


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
