"""The monitor of a run by roles: what it measures, when, and that nothing of it fails unheard; errors of roles."""

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
from suphx.selfplay.monitor import Monitor, RunMonitor
from suphx.selfplay.roles.role import Role
from suphx.selfplay.training import Collapsed, SelfPlayProgress, purpose


@pytest.fixture(scope="module")
def start(tmp_path_factory) -> Path:
    return tiny_start(tmp_path_factory.mktemp("start"))


def monitor_of(config: Mapping[str, object], folder: Path) -> RunMonitor:
    monitor = RunMonitor(TrainConfig.model_validate(config), folder)
    monitor.open()
    return monitor


def keep(monitor: RunMonitor, games: int, measure: bool, network: Any = None) -> None:
    """Send a checkpoint after a number of games, of a discard network."""
    weights = (network or tiny_networks()["discard"]).state_dict()
    arrays = {f"learner.discard.network.{name}": each.numpy() for name, each in weights.items()}
    monitor.keep_arrays(SelfPlayProgress(purpose=purpose(monitor.config), games=games), arrays, measure)


def finish(monitor: RunMonitor) -> None:
    """Wait for the last measurement."""
    until = time.monotonic() + PATIENCE
    while not monitor.has_measured():
        assert time.monotonic() < until
        time.sleep(0.05)
    monitor.close()


def worse() -> Any:
    """Return a discard network like that of `sl` that answers the same of everything."""
    network = load_agent(weights_folder("sl"))["discard"]
    with torch.no_grad():
        network.head.score.weight.zero_()
    return network


def wait_for_failure(monitor: RunMonitor) -> None:
    """Ask for reports, as a run does, until one fails."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        monitor.report()
        time.sleep(0.1)
    raise AssertionError("nothing failed")


@pytest.mark.full
def test_the_last_agent_is_measured_though_another_one_was_being_measured(start, tmp_path):
    monitor = monitor_of(values(start, evaluation={"every": 10, "deals": 2, "opponent": "tsumogiri"}), tmp_path)
    for games in (10, 20):  # 20 while 10 is under way
        keep(monitor, games, True)
    finish(monitor)
    strength = monitor.strength()
    assert strength is not None and strength.games == 20


@pytest.mark.full
def test_a_run_that_goes_on_measures_the_last_agent(start, tmp_path):
    config = values(start, evaluation={"every": 10, "deals": 2, "opponent": "tsumogiri"})
    before = monitor_of(config, tmp_path)
    keep(before, 20, False)
    before.close()
    again = monitor_of(config, tmp_path)
    finish(again)
    strength = again.strength()
    assert strength is not None and strength.games == 20


def test_the_last_measurement_can_be_interrupted(start, tmp_path):
    config = values(start, evaluation={"every": 10, "deals": 100_000, "opponent": "tsumogiri"})
    monitor = monitor_of(config, tmp_path)
    keep(monitor, 20, False)
    assert not monitor.has_measured()
    time.sleep(1)
    assert not monitor.has_measured()
    monitor.interrupt()
    finish(monitor)
    assert monitor.strength() is None


def test_a_measurement_that_fails_is_heard_of_at_the_next_report(start, tmp_path):
    opponent = tiny_start(tmp_path / "opponent")
    config = values(start, evaluation={"every": 10, "deals": 2, "opponent": str(opponent)})
    monitor = monitor_of(config, tmp_path / "run")
    shutil.rmtree(opponent)
    keep(monitor, 10, True)
    with pytest.raises(InputError, match=r"measuring the agent after 10 games: no agent '.*opponent'"):
        wait_for_failure(monitor)
    with pytest.raises(InputError, match="measuring the agent"):
        keep(monitor, 20, True)
    monitor.close()


@pytest.mark.full
def test_the_best_agent_is_kept_and_a_policy_made_worse_on_purpose_ends_the_run(tmp_path):
    monitor = monitor_of(values(Path("sl"), evaluation={"every": 10, "deals": 3, "opponent": "tsumogiri"}), tmp_path)
    keep(monitor, 10, True, load_agent(weights_folder("sl"))["discard"])
    while not monitor.has_measured():
        time.sleep(0.1)
    keep(monitor, 20, True, worse())
    with pytest.raises(Collapsed, match=r"after 20 games: average rank .* to the start is above 0\.1"):
        wait_for_failure(monitor)
    monitor.close()
    assert f"after 10 games, is {tmp_path / 'best'}; the last checkpoint is" in RunFolder(tmp_path).last_good


def test_an_opponent_of_measurements_that_is_none_is_told_as_a_run_begins(start, tmp_path):
    config = TrainConfig.model_validate(values(start, evaluation={"opponent": "no-such-agent"}))
    with pytest.raises(InputError, match=r"evaluation\.opponent: no agent 'no-such-agent'"):
        Monitor(config, tmp_path, precision())


@pytest.fixture(scope="module")
def on_ray(start) -> Iterator[None]:
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # other processes cannot import this one
    with ray_here(values(start)):
        yield


class Fragile(Role):
    """A role that does not come up."""

    def __init__(self) -> None:
        raise InputError("no such weights")

    def answer(self) -> int:
        return self._answer


def test_the_error_of_a_role_that_does_not_come_up_keeps_its_type_whatever_is_asked(on_ray):
    role = ray.remote(Fragile).options(num_cpus=0).remote()
    for method in (role.pulse, role.answer):
        with pytest.raises(InputError, match="no such weights"):
            ray.get(method.remote())


class Talkative(Role):
    """A role that has much to tell."""

    def __init__(self) -> None:
        self.count = 0

    def count_up(self) -> None:
        self.count += 1
        self.tell("note", "count", {"count": self.count})


def test_what_a_role_tells_is_received_once_in_order(on_ray):
    role = ray.remote(Talkative).options(num_cpus=0).remote()
    assert ray.get(role.pulse.remote()) == []
    ray.get([role.count_up.remote() for _ in range(3)])
    assert ray.get(role.pulse.remote()) == [("note", ("count", {"count": each})) for each in (1, 2, 3)]
    assert ray.get(role.pulse.remote()) == []
