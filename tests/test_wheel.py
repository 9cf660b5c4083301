"""What `pip install` brings: a built wheel in an empty environment is a working `suphx`, weights and page included."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
#: What is made beside the sources and belongs to nobody else.
MADE = {"__pycache__", "node_modules"}

pytestmark = pytest.mark.full


def _run(*command: str | Path, folder: Path) -> str:
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([str(word) for word in command], cwd=folder, env=alone, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    _run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT, folder=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """The folder of programs of an environment that has the wheel, and what it depends on from this one."""
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder / "env", with_pip=False)
    (packages,) = (folder / "env").glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    programs = folder / "env" / "bin"
    pip = [sys.executable, "-m", "pip", "--python", programs / "python"]
    _run(*pip, "install", "--quiet", "--no-deps", "--ignore-installed", wheel, folder=folder)
    return programs


def test_every_file_of_the_packages_is_in_the_wheel(wheel):
    inside = set(zipfile.ZipFile(wheel).namelist())
    for package in ("simulator", "suphx"):
        files = [path for path in (ROOT / package).rglob("*") if path.is_file() and not MADE & set(path.parts)]
        missing = {path.relative_to(ROOT).as_posix() for path in files} - inside
        assert not missing


def test_it_plays_and_reviews_with_the_weights_and_the_page_of_the_wheel(installed, tmp_path):
    where = "import suphx, simulator; print(suphx.__file__); print(simulator.__file__)"
    for module in _run(installed / "python", "-c", where, folder=tmp_path).splitlines():
        assert Path(module).is_relative_to(installed.parent)
    assert _run(installed / "suphx", "--version", folder=tmp_path).startswith("suphx ")
    _run(installed / "suphx", "train", "laptop", "--dry-run", "--nodes", "2c", folder=tmp_path)
    _run(installed / "suphx", "logs", "generate", "--games", "1", "--seed", "1", "--out", "games", folder=tmp_path)
    (game,) = (tmp_path / "games").iterdir()
    _run(installed / "suphx", "review", game, "--out", "game.html", folder=tmp_path)
    assert "function openReview" in (tmp_path / "game.html").read_text(encoding="utf-8")
