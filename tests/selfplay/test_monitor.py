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
import torch
from role_runs import PATIENCE, ray_here, tiny_start, values
from selfplay_tables import precision, tiny_networks

from suphx.agent.registry import weights_folder
from suphx.errors import InputError
from suphx.networks.weights import load_agent
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.folder import RunFolder
from suphx.selfplay.monitor import Monitor
from suphx.selfplay.roles.monitor import MonitorRole
from suphx.selfplay.roles.role import Role, is_answered
from suphx.selfplay.training import Collapsed, SelfPlayProgress, purpose


@pytest.fixture(scope="module")
def start(tmp_path_factory) -> Path:
    return tiny_start(tmp_path_factory.mktemp("start"))


@pytest.fixture(scope="module")
def on_ray(start) -> Iterator[None]:
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # other processes cannot import this one
    with ray_here(values(start)):
        yield


def monitor_of(config: Mapping[str, object], folder: Path) -> Any:
    made = ray.remote(concurrency_groups={"measure": 1, "interrupt": 1})(MonitorRole).options(num_cpus=0)
    return made.remote(TrainConfig.model_validate(config), folder)


def keep(monitor: Any, config: Mapping[str, object], games: int, measure: bool, network: Any = None) -> Any:
    """Send off a checkpoint after so many games, of a discard network; return a reference to the answer."""
    weights = (network or tiny_networks()["discard"]).state_dict()
    arrays = {f"learner.discard.network.{name}": each.numpy() for name, each in weights.items()}
    progress = SelfPlayProgress(purpose=purpose(TrainConfig.model_validate(config)), games=games)
    return monitor.keep_arrays.remote(progress, arrays, measure)


def worse() -> Any:
    """Return a discard network like that of `sl` that answers the same of everything."""
    network = load_agent(weights_folder("sl"))["discard"]
    with torch.no_grad():
        network.head.score.weight.zero_()
    return network


def wait_for_failure(monitor: Any) -> None:
    """Ask for reports, as a run does, until one fails."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        ray.get(monitor.report.remote())
        time.sleep(0.1)
    raise AssertionError("nothing failed")


def test_the_last_agent_is_measured_though_another_one_was_being_measured(start, on_ray, tmp_path):
    evaluation = {"every": 10, "deals": 2, "opponent": "tsumogiri"}
    config = values(start, evaluation=evaluation)
    monitor = monitor_of(config, tmp_path)
    ray.get([keep(monitor, config, games, True) for games in (10, 20)])  # 20 while 10 is under way
    ray.get(monitor.finish.remote())
    assert ray.get(monitor.strength.remote()).games == 20


def test_a_monitor_that_was_restarted_measures_the_last_agent(start, on_ray, tmp_path):
    config = values(start, evaluation={"every": 10, "deals": 2, "opponent": "tsumogiri"})
    ray.get(keep(monitor_of(config, tmp_path), config, 20, False))
    again = monitor_of(config, tmp_path)
    ray.get(again.finish.remote())
    assert ray.get(again.strength.remote()).games == 20


def test_the_last_measurement_can_be_interrupted(start, on_ray, tmp_path):
    config = values(start, evaluation={"every": 10, "deals": 100_000, "opponent": "tsumogiri"})
    monitor = monitor_of(config, tmp_path)
    ray.get(keep(monitor, config, 20, False))
    finishing = monitor.finish.remote()
    assert not ray.wait([finishing], timeout=2)[0]
    ray.get(monitor.interrupt.remote())
    assert ray.get(finishing, timeout=PATIENCE) is None and ray.get(monitor.strength.remote()) is None


def test_a_measurement_that_fails_is_heard_of_at_the_next_report(start, on_ray, tmp_path):
    opponent = tiny_start(tmp_path / "opponent")
    evaluation = {"every": 10, "deals": 2, "opponent": str(opponent)}
    config = values(start, evaluation=evaluation)
    monitor = monitor_of(config, tmp_path / "run")
    ray.get(monitor.ready.remote())
    shutil.rmtree(opponent)
    ray.get(keep(monitor, config, 10, True))
    with pytest.raises(InputError, match=r"measuring the agent after 10 games: no agent '.*opponent'"):
        wait_for_failure(monitor)
    with pytest.raises(InputError, match="measuring the agent"):
        ray.get(keep(monitor, config, 20, True))


@pytest.mark.full
def test_the_best_agent_is_kept_and_a_policy_made_worse_on_purpose_ends_the_run(on_ray, tmp_path):
    evaluation = {"every": 10, "deals": 3, "opponent": "tsumogiri"}
    config = values(Path("sl"), evaluation=evaluation)
    monitor = monitor_of(config, tmp_path)
    ray.get(keep(monitor, config, 10, True, load_agent(weights_folder("sl"))["discard"]))
    ray.get(monitor.finish.remote())
    ray.get(keep(monitor, config, 20, True, worse()))
    with pytest.raises(Collapsed, match=r"after 20 games: average rank .* to the start is above 0\.1"):
        wait_for_failure(monitor)
    assert f"after 10 games, is {tmp_path / 'best'}; the last checkpoint is" in RunFolder(tmp_path).last_good


def test_an_opponent_of_measurements_that_is_none_is_told_as_a_run_begins(start, tmp_path):
    config = TrainConfig.model_validate(values(start, evaluation={"opponent": "no-such-agent"}))
    with pytest.raises(InputError, match=r"evaluation\.opponent: no agent 'no-such-agent'"):
        Monitor(config, tmp_path, precision())


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


class Fragile(Role):
    """A role that does not come up."""

    def __init__(self) -> None:
        raise InputError("no such weights")

    def answer(self) -> int:
        return self._answer


def test_the_error_of_a_role_that_does_not_come_up_keeps_its_type_whatever_is_asked(on_ray):
    role = ray.remote(Fragile).options(num_cpus=0).remote()
    for method in (role.ready, role.answer):
        with pytest.raises(InputError, match="no such weights"):
            ray.get(method.remote())
