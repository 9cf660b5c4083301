"""The parts of an installation: what runs with the table alone, and that a command says which part it is missing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from suphx.cli import _EXTRAS

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
#: What is imported by another name than it is installed by, or by what it comes with alone.
NOT_IMPORTED = {"python-multipart"}
#: Runs commands one after the other where some packages cannot be imported; prints the exit status and errors of each.
COMMANDS = """
import contextlib, io, json, sys
missing, commands = json.loads(sys.argv[1])
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
from suphx.cli import main
found = []
for sys.argv in commands:
    out, error = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        try:
            main()
            status = 0
        except SystemExit as stopped:
            status = stopped.code
    found.append((status or 0, out.getvalue(), error.getvalue()))
print(json.dumps(found))
"""


def brought_by(extra: str) -> set[str]:
    """The packages that an extra names itself."""
    names = {re.split(r"[\[>=]", each)[0] for each in PROJECT["optional-dependencies"][extra]}
    return names - {"suphx"} - NOT_IMPORTED


def run(missing: set[str], *commands: str, folder: Path) -> list[tuple[int, str, str]]:
    words = [["suphx", *command.split()] for command in commands]
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS, json.dumps([sorted(missing), words])],
        capture_output=True, text=True, cwd=folder, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def games(tmp_path_factory) -> Path:
    """A folder with a game, `1-0000000.mjlog`, which the table alone has made, read and told of."""
    folder = tmp_path_factory.mktemp("table")
    everything = set().union(*map(brought_by, PROJECT["optional-dependencies"])) | {"scipy", "pyspiel"}
    commands = (
        "--help",
        "logs generate --games 1 --seed 1 --out games",
        "logs verify games",
        "logs show games/1-0000000.mjlog",
        "logs convert games --to mjai --out mjai",
        "logs stats games",
        "features games/1-0000000.mjlog --round 1 --at 2",
        "check --games 2",
    )
    for command, (status, out, error) in zip(commands, run(everything, *commands, folder=folder), strict=True):
        assert status == 0 and out, (command, error)
    return folder / "games"


def test_the_table_alone_makes_reads_and_checks_games(games):
    assert (games / "1-0000000.mjlog").exists()


@pytest.mark.faults
@pytest.mark.parametrize(
    ("extra", "commands"),
    [
        ("play", ["review 1-0000000.mjlog", "bot", "match sl sl sl sl", "evaluate --challenger sl --field sl"]),
        ("web", ["web --no-open --port 0", "review https://tenhou.net/0/?log=2026112500gm-0009-0000-00000000"]),
        ("train", ["train laptop --local", "pretrain pretrain --logs .", "reward reward --logs .",
                   "evaluate --challenger sl --field sensible --games 8 --plots pictures", "solve kuhn --plots p"]),
    ],
)  # fmt: skip
def test_a_command_names_the_part_that_it_is_missing(games, extra, commands):
    missing = brought_by(extra)
    for command, (status, out, error) in zip(commands, run(missing, *commands, folder=games), strict=True):
        assert (status, out) == (1, ""), (command, out, error)
        told = re.fullmatch(r"suphx: this needs (\S+), which is not installed: pip install 'suphx\[(\w+)\]'\s", error)
        assert told and told[2] == extra and told[1].partition(".")[0] in missing, (command, error)


def test_every_part_is_known_to_the_command_line():
    parts = {name: extra for extra in ("play", "web", "train") for name in brought_by(extra)}
    assert parts == _EXTRAS
