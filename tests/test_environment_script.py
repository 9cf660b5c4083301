"""`scripts/environment.sh`: which build of torch it installs, with a stand-in for Python and pip; what it refuses."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
#: Notes how pip was called; it reaches torch's index unless FAIL says otherwise. REAL runs the script's own programs.
STAND_IN = """#!/bin/sh
[ "$1" = - ] && exec ${REAL:-true} "$@"
case "$*" in *"pip install"*) echo "$*" >>"$CALLS" ;; esac
case "$*" in *--index-url*) exit ${FAIL:-0} ;; esac
"""


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def folder(tmp_path):
    for name in ("pyproject.toml", "constraints.txt", "scripts/environment.sh", "suphx/mjai/majiang/package-lock.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    program(tmp_path / ".venv/bin/python", STAND_IN)
    program(tmp_path / ".venv/bin/activate", "")
    program(tmp_path / "bin/nvidia-smi", "#!/bin/sh\nexit ${CARD:-9}\n")
    for name in ("npm", "chromium-headless-shell"):
        program(tmp_path / "bin" / name, "#!/bin/sh\n")
    program(tmp_path / "bin/uname", "#!/bin/sh\necho ${SYSTEM:-Linux}\n")
    return tmp_path


def sourced(folder: Path, purpose: str, **variables: str) -> subprocess.CompletedProcess[str]:
    (folder / ".venv/made-for-run").unlink(missing_ok=True)
    changed = os.environ | {"PATH": f"{folder}/bin:{os.environ['PATH']}", "CALLS": str(folder / "calls")} | variables
    command = ["bash", "-c", f"set -e; . scripts/environment.sh {purpose}; echo ready"]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=changed)


@pytest.fixture
def installed(folder):
    def run(**variables: str) -> tuple[list[str], str]:
        (folder / "calls").unlink(missing_ok=True)
        done = sourced(folder, "run", **variables)
        assert done.stdout == "ready\n", done.stderr
        return (folder / "calls").read_text().splitlines(), done.stderr

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


@pytest.mark.faults
def test_a_package_of_another_version_or_that_is_gone_is_named(folder):
    text = (folder / "constraints.txt").read_text()
    (folder / "constraints.txt").write_text(text.replace("torch==", "torch==1"))
    project = (folder / "pyproject.toml").read_text().replace('"torch>=', '"no-such-package>=1", "torch>=')
    (folder / "pyproject.toml").write_text(project)
    (folder / "constraints.txt").open("a").write("no-such-package==1\n")
    done = sourced(folder, "run", REAL=sys.executable)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.splitlines()[-1].startswith(".venv lacks no-such-package 1, torch 1")


@pytest.mark.faults
def test_tests_do_not_start_where_nothing_that_is_compiled_can_be_kept(folder):
    (folder / "file").write_text("")
    done = sourced(folder, "test", SUPHX_CACHE=str(folder / "file" / "cache"))
    assert done.returncode == 1 and done.stdout == ""
    assert f"kept in {folder}/file/cache, which cannot be written" in done.stderr
    program(folder / "bin/df", "#!/bin/sh\necho /dev/disk 1000 999 1 100% /\n")
    assert "less than 600 MB left" in sourced(folder, "test", SUPHX_CACHE=str(folder / "cache")).stderr
    assert sourced(folder, "run", SUPHX_CACHE=str(folder / "cache")).stdout == "ready\n"
