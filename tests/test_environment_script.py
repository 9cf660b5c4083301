"""`scripts/environment.sh`: which build of torch it installs, with a stand-in for Python and pip."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
#: Notes how pip was called; it reaches torch's index unless FAIL says otherwise.
STAND_IN = """#!/bin/sh
case "$*" in *"pip install"*) echo "$*" >>"$CALLS" ;; esac
case "$*" in *--index-url*) exit ${FAIL:-0} ;; esac
"""


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def installed(tmp_path):
    for name in ("pyproject.toml", "constraints.txt", "scripts/environment.sh", "suphx/mjai/majiang/package-lock.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    program(tmp_path / ".venv/bin/python", STAND_IN)
    program(tmp_path / ".venv/bin/activate", "")
    program(tmp_path / "bin/nvidia-smi", "#!/bin/sh\nexit ${CARD:-9}\n")
    program(tmp_path / "bin/uname", "#!/bin/sh\necho ${SYSTEM:-Linux}\n")

    def run(**variables: str) -> tuple[list[str], str]:
        calls = tmp_path / "calls"
        calls.unlink(missing_ok=True)
        (tmp_path / ".venv/made-for-run").unlink(missing_ok=True)
        changed = os.environ | {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "CALLS": str(calls)} | variables
        command = ["bash", "-c", "set -e; . scripts/environment.sh run"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=changed)
        assert done.returncode == 0, done.stderr
        return calls.read_text().splitlines(), done.stderr

    return run


def test_without_a_card_torch_is_its_cpu_build(installed):
    (torch, everything), _ = installed()
    version = next(line for line in (ROOT / "constraints.txt").read_text().splitlines() if line.startswith("torch=="))
    assert "--index-url https://download.pytorch.org/whl/cpu" in torch and torch.endswith(version)
    assert ".[train,web]" in everything and "--index-url" not in everything


@pytest.mark.parametrize("machine", [{"CARD": "0"}, {"SYSTEM": "Darwin"}])
def test_with_a_card_or_elsewhere_than_on_linux_torch_is_the_usual_one(installed, machine):
    (everything,), _ = installed(**machine)
    assert "--index-url" not in everything


@pytest.mark.faults
def test_an_index_that_is_not_reached_is_said_and_the_installation_goes_on(installed):
    calls, said = installed(FAIL="1")
    assert len(calls) == 2
    assert "not to be had from https://download.pytorch.org/whl/cpu: the default index's is taken" in said
