"""One process at a time in a folder."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from suphx.adaptation.experiment import ExperimentConfig
from suphx.cli import app
from suphx.config import load_config
from suphx.errors import InputError
from suphx.outlook.training import OutlookConfig
from suphx.reward.training import RewardConfig
from suphx.run_folder import JsonLines, folder_lock, settle
from suphx.selfplay.config import TrainConfig
from suphx.supervised.config import PretrainConfig

pytestmark = pytest.mark.faults
HOLD = """
import sys, time
from pathlib import Path
from suphx.run_folder import folder_lock
with folder_lock(Path(sys.argv[1]), "trains here"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_another_process_is_named_with_its_host_and_a_dead_one_holds_nothing(tmp_path):
    folder = tmp_path / "new"
    process = subprocess.Popen([sys.executable, "-c", HOLD, folder], stdout=subprocess.PIPE)
    assert process.stdout
    try:
        assert process.stdout.readline() == b"held\n"
        said = f"{folder}: process {process.pid} on {socket.gethostname()} trains here"
        with pytest.raises(InputError) as refused, folder_lock(folder, "trains here"):
            pass
        assert str(refused.value) == said
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
    with folder_lock(folder, "trains here"), pytest.raises(InputError, match=f"process {os.getpid()} on "):
        with folder_lock(folder, "trains here"):
            pass
    with folder_lock(folder, "trains here"):
        pass


@pytest.mark.parametrize("command", [["train", "--local"], ["train"], ["pretrain", "pretrain"], ["reward"]])
def test_a_second_training_in_a_folder_is_refused(tmp_path, command):
    """Before it reads or changes anything there, whoever trains."""
    with folder_lock(tmp_path, "trains here"):
        result = CliRunner().invoke(app, [command[0], *command[1:], "--out", str(tmp_path)])
    assert isinstance(result.exception, InputError)
    assert f"process {os.getpid()} on {socket.gethostname()} trains here" in str(result.exception)
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without the rights of root, whom no mode of a folder stops."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("command", [["train", "--local"], ["pretrain", "pretrain"], ["reward"]])
def test_a_folder_that_may_only_be_read_is_named(command):
    """At the start, not hours later."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "run"
        folder.mkdir()
        folder.chmod(0o555)
        Path(made).chmod(0o755)
        with as_nobody():
            result = CliRunner().invoke(app, [*command, "--out", str(folder)])
            with pytest.raises(PermissionError, match=str(folder)):
                settle(folder, "match.json", "games.jsonl", {}, "match")
            with pytest.raises(PermissionError, match=str(folder)):
                JsonLines(folder / "games.jsonl", lambda _: None, "is playing this match", "game")
        assert isinstance(result.exception, PermissionError)
        assert str(folder) in str(result.exception)
        assert not list(folder.iterdir())


@pytest.mark.parametrize("kind", [TrainConfig, PretrainConfig, RewardConfig, OutlookConfig, ExperimentConfig])
@pytest.mark.parametrize("name", ["..", ".", ".hidden", "a/b", "../a", "", "a b"])
def test_the_name_of_a_run_is_a_name(tmp_path: Path, kind, name):
    """It becomes a folder's name, and must not lead out of the folder of runs."""
    path = tmp_path / "c.yaml"
    path.write_text(f'name: "{name}"\n')
    with pytest.raises(InputError, match="name"):
        load_config(path, kind)
