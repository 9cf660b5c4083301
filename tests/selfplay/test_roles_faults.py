"""Any process of a run by roles is killed in the middle: the run goes on by itself, or ends with a clear word."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import ray
import yaml
from ray.cluster_utils import Cluster
from role_runs import PATIENCE, Background, processes, ray_here, tiny_start, values

from suphx.selfplay.folder import RunFolder

pytestmark = [pytest.mark.faults, pytest.mark.full]


@pytest.fixture(scope="module")
def start(tmp_path_factory) -> Path:
    return tiny_start(tmp_path_factory.mktemp("start"))


def test_any_role_may_die_and_the_run_goes_on(start, tmp_path):
    config = values(start, roles={"engines": {"count": 1, "cpus": 0.25}})
    with ray_here(config):
        run = Background(config, tmp_path)
        run.wait_for(RunFolder(tmp_path).checkpoint.exists)
        for role in ("Simulator", "InferenceEngine", "ParameterServer"):
            (victim,) = processes(role)
            victim.send_signal(signal.SIGKILL)
            run.wait_for(lambda role=role, victim=victim: {each.pid for each in processes(role)} - {victim.pid})
            games = run.reports[-1].games if run.reports else 0
            written = RunFolder(tmp_path).checkpoint.stat().st_mtime_ns
            run.wait_for(lambda games=games: bool(run.reports) and run.reports[-1].games > games)
            run.wait_for(lambda written=written: RunFolder(tmp_path).checkpoint.stat().st_mtime_ns > written)
        run.stop()


def test_a_role_that_dies_too_often_ends_the_run(start, tmp_path):
    with ray_here(values(start)):
        run = Background(values(start, roles={"restarts": 0}), tmp_path)
        run.wait_for_versions(1)
        for victim in processes("Simulator"):
            victim.send_signal(signal.SIGKILL)
        run.join()
        assert "simulators 1 is gone for good" in str(run.error) and "Run the same command again" in str(run.error)


def test_a_process_of_a_parameter_server_of_two_may_die(start, tmp_path):
    roles = {"servers": {"count": 2, "cpus": 0.25}}
    with ray_here(values(start)):
        run = Background(values(start, roles=roles), tmp_path)
        run.wait_for(RunFolder(tmp_path).checkpoint.exists)
        (victim,) = processes("LearningWorker")
        victim.send_signal(signal.SIGKILL)
        run.wait_for(lambda: {each.pid for each in processes("LearningWorker")} - {victim.pid})
        games = run.reports[-1].games
        run.wait_for(lambda: run.reports[-1].games > games)
        run.stop()


def test_a_worker_node_may_die(start, tmp_path):
    """All roles fit one node, and another takes over from it."""
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    try:
        first = cluster.add_node(num_cpus=2)
        ray.init(cluster.address, namespace="tiny", log_to_driver=False)
        run = Background(values(start), tmp_path)
        run.wait_for_versions(2)
        cluster.add_node(num_cpus=2)
        cluster.remove_node(first, allow_graceful=False)
        games = run.reports[-1].games
        run.wait_for(lambda: run.reports[-1].games > games)
        run.stop()
    finally:
        ray.shutdown()
        cluster.shutdown()


def test_the_head_node_dies_and_the_same_command_goes_on(start, tmp_path):
    path, folder = tmp_path / "tiny.yaml", tmp_path / "run"
    path.write_text(yaml.safe_dump(values(start)))
    environment = os.environ | {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    temporary = f"/tmp/ray-{secrets.token_hex(4)}"  # the paths of its sockets must be short
    port = 20_000 + secrets.randbelow(10_000)
    head = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block", "--node-ip-address=127.0.0.1",
            f"--port={port}", "--num-cpus=2", "--include-dashboard=false", f"--temp-dir={temporary}",
            "--object-store-memory=100000000"]  # fmt: skip
    command = [sys.executable, "-m", "suphx", "train", str(path)]
    command += ["--address", f"127.0.0.1:{port}", "--out", str(folder)]

    def begin() -> tuple[subprocess.Popen, subprocess.Popen]:
        ours = subprocess.Popen(head, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(8)
        return ours, subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)

    def end_of(ours: subprocess.Popen) -> None:
        for each in (*psutil.Process(ours.pid).children(recursive=True), psutil.Process(ours.pid)):
            each.kill()

    def wait_for_checkpoint(after: float) -> float:
        until = time.monotonic() + PATIENCE
        while not RunFolder(folder).checkpoint.exists() or RunFolder(folder).checkpoint.stat().st_mtime <= after:
            assert time.monotonic() < until and run.poll() is None, run.stderr and run.stderr.read()
            time.sleep(0.2)
        return RunFolder(folder).checkpoint.stat().st_mtime

    ours, run = begin()
    try:
        written = wait_for_checkpoint(0)
        end_of(ours)
        _, said = run.communicate(timeout=PATIENCE)
        assert run.returncode == 1 and "Ray's head node is gone. The last good agent is" in said
        ours, run = begin()
        wait_for_checkpoint(written)
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=PATIENCE)
        assert run.returncode == 130 and "resuming after" in said
    finally:
        run.kill()
        end_of(ours)
