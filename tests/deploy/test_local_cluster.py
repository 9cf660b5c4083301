"""Several Ray nodes on this machine, really started: who may join, where ports are bound, what is left afterwards."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

pytestmark = pytest.mark.full

DEPLOY = Path(__file__).parents[2] / "deploy"
#: Joins the cluster of the environment, and prints how many nodes are alive.
JOIN = "import ray; ray.init(log_to_driver=False); print(sum(node['Alive'] for node in ray.nodes()))"


@pytest.fixture(scope="module")
def cluster():
    """A cluster of two nodes: its process, and the variables that lead to it."""
    command = [sys.executable, DEPLOY / "local_cluster.py", "--nodes", "2", sys.executable, "-c", SHOW]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    variables = json.loads(process.stdout.readline())
    yield process, variables
    process.terminate()
    process.wait(60)


SHOW = """
import json, os, time
print(json.dumps({name: value for name, value in os.environ.items() if name.startswith("RAY_")}), flush=True)
time.sleep(600)
"""


def run(variables: dict[str, str], *command: str | Path) -> subprocess.CompletedProcess[str]:
    others = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    return subprocess.run(command, env=others | variables, capture_output=True, text=True, timeout=120)


def without(variables: dict[str, str], *names: str) -> dict[str, str]:
    return {name: value for name, value in variables.items() if name not in names}


def test_who_has_the_token_finds_all_nodes(cluster):
    done = run(cluster[1], sys.executable, "-c", JOIN)
    assert done.stdout.strip() == "2", done.stderr
    done = run(cluster[1], sys.executable, DEPLOY / "wait_for_nodes.py", "2")
    assert done.returncode == 0, done.stderr


def test_waiting_for_more_nodes_than_there_are_ends_with_a_word(cluster):
    done = run(cluster[1], sys.executable, DEPLOY / "wait_for_nodes.py", "3", "--timeout", "1")
    assert done.returncode == 1
    assert "only 2 of 3 nodes joined" in done.stderr


@pytest.mark.faults
def test_who_has_no_token_is_refused(cluster):
    variables = without(cluster[1], "RAY_AUTH_TOKEN_PATH") | {"RAY_AUTH_MODE": "disabled"}
    done = run(variables, sys.executable, "-c", JOIN)
    assert done.returncode != 0
    assert done.stdout == ""


@pytest.mark.faults
def test_who_has_another_token_is_refused(cluster):
    variables = without(cluster[1], "RAY_AUTH_TOKEN_PATH") | {"RAY_AUTH_TOKEN": "0" * 64}
    done = run(variables, sys.executable, "-c", JOIN)
    assert done.returncode != 0
    assert done.stdout == ""


def test_the_token_is_readable_by_its_owner_alone(cluster):
    token = Path(cluster[1]["RAY_AUTH_TOKEN_PATH"])
    assert token.stat().st_mode & 0o777 == 0o600
    assert len(token.read_text()) == 64


def test_all_ports_are_bound_to_loopback(cluster):
    addresses = {
        each.laddr.ip
        for process in psutil.Process(cluster[0].pid).children(recursive=True)
        for each in process.net_connections(kind="tcp")
        if each.status == psutil.CONN_LISTEN
    }
    assert addresses
    assert addresses <= {"127.0.0.1", "::1", "::ffff:127.0.0.1"}


def test_nothing_is_left_when_it_is_ended():
    command = [sys.executable, DEPLOY / "local_cluster.py", sys.executable, "-c", SHOW]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    folder = Path(json.loads(process.stdout.readline())["RAY_TMPDIR"])
    started = psutil.Process(process.pid).children(recursive=True)
    assert any("raylet" in each.name() for each in started)
    process.send_signal(signal.SIGTERM)
    process.wait(60)
    until = time.monotonic() + 30
    while (left := [each for each in started if each.is_running()]) and time.monotonic() < until:
        time.sleep(0.5)
    assert left == []
    assert not folder.exists()


def test_it_ends_as_its_command_does():
    done = subprocess.run([sys.executable, DEPLOY / "local_cluster.py", "--nodes", "1", "false"], timeout=120)
    assert done.returncode == 1
