"""Every command in the documents is one that there is; all but those of `READ` end well with less to do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import Any

import pytest
import torch
import typer
from documented import ROOT, commands_of, documented_commands, words_of
from typer.testing import CliRunner

from suphx import cli
from suphx.equilibrium.bench.solvers import NO_LITEEFG, has_liteefg

COMMANDS = documented_commands()


# What makes a run short; the last value of an option counts.
_FEW = ["--games", "8", "--threads", "1"]
_ONCE = ["--set=validation_pairs=200", "--set=validations=1", "--set=batch=64", "--threads", "1"]
_TINY = [f"--set=models.{model}.pairs=256" for model in ("discard", "riichi", "chow", "pong", "kong")] + _ONCE

#: Commands that do what they should without another word; any other alone is only spoken of.
BARE = ("warmup", "bot", "web", "adapt")

#: Commands by how they begin (the first that fits): the arguments that are added to make them short.
QUICK: dict[str, list[str]] = {
    "--help": [],
    "warmup": [],
    "logs generate": ["--games", "2", "--workers", "1"],
    "logs verify": ["--workers", "1"],
    "logs stats": ["--workers", "1"],
    "logs": [],
    "features": [],
    "check --games": ["--games", "2", "--workers", "1"],
    "evaluate --challenger sensible": _FEW,
    "match tuned sensible": ["--games", "1"],
    "match sensible": ["--games", "1"],
    "review": [],
    "bot --connect": ["--help"],
    "bot": [],
    "train configs/cluster.yaml": ["--dry-run", "--nodes", "10x16c1g64"],
    "train": ["--dry-run"],
    "solve": ["--iterations", "20"],
    "duel train": ["--iterations", "20", "--deals", "50"],
    "duel play normal": ["--deals", "5"],
    "duel curves": ["--out", "duel.png"],
    "poker equity": [],
    "poker match": ["--deals", "20"],
    "poker solve": ["--iterations", "10"],
    "bench features": ["--seconds", "0.1", "--positions", "100"],
}
#: The same, where it takes longer.
SLOW: dict[str, list[str]] = {
    "match majiang": ["--games", "1"],
    "evaluate --challenger majiang": ["--games", "8", "--batch", "8"],
    "evaluate": _FEW,
    "check --agent untrained": ["--games", "2"],
    "accuracy": ["--pairs", "200"],
    "pretrain configs/experiments/tenhou-2.yaml": [
        *_TINY,
        "--models",
        "discard",
    ],  # the included kong network is of another size
    "pretrain configs/experiments/tenhou-3.yaml": ["--set=models.kong.pairs=256", *_ONCE],
    "pretrain": _TINY,
    "reward": [],
    "outlook train": ["--set=decisions=300", "--set=validation_decisions=100"],
    "outlook evaluate": ["--decisions", "500", "--valued", "100", "--choices", "300", "--bootstrap", "20"],
    "bench simulator": ["--seconds", "0.1"],
    "bench networks": ["--seconds", "0.1", "--sizes", "small"],
    "bench evaluate": ["--seconds", "0.1", "--sizes", "small"],
    "bench selfplay": ["--seconds", "0.2", "--sizes", "small", "--games", "4"],
    "adapt": [
        "--set=hands=[{situation: lead, count: 1}]",
        "--set=adaptation.deals=2",
        "--set=adaptation.check_deals=2",
        "--set=adaptation.steps.distance=0.5",
        "--set=deals=6",
        "--set=more_hands=0",
    ],
    "bench solvers learner --probe oracle": ["--games", "pocket:draws=2", "--seeds", "1", "--updates", "6"],
    "bench solvers learner --games": ["--games", "kuhn", "--seeds", "1", "--updates", "6"],
    "bench solvers equilibrium": ["--games", "kuhn", "--turns", "1"],
    "bench solvers rules": ["--game", "openspiel:kuhn_poker", "--iterations", "10", "--seeds", "1", "--plots", "."],
    "bench solvers poker": ["--turns", "1"],
    "bench solvers leaf": ["--seeds", "1", "--examples", "100", "--iterations", "20"],
    "bench solvers duel": ["--games", "50", "--iterations", "20"],
    "bench learner": ["--seconds", "0.2", "--sizes", "small", "--batch", "8"],
}
#: Commands that are only read, by how they begin, and where else they are run.
READ: dict[str, str] = {
    "bench solvers learner --probe adaptation": "takes minutes: tests/equilibrium/test_probe.py",
    "poker samples": "takes an hour: tests/equilibrium/poker/test_poker_encodings.py",
    "poker encodings": "needs solved samples: tests/equilibrium/poker/test_poker_encodings.py",
    "poker leaf": "needs solved samples: tests/equilibrium/poker/test_poker_leaf.py",
    "poker solve --leaf": "needs a trained network: tests/equilibrium/poker/test_poker_leaf.py",
    "bench solvers leaf river": "needs a trained network: tests/equilibrium/poker/test_poker_leaf.py",
    "poker blueprint": "takes an hour: tests/equilibrium/poker/test_blueprint.py",
    "poker train": "takes minutes: tests/equilibrium/poker/test_deepfool.py",
    "poker play": "asks a person: tests/equilibrium/poker/test_deepfool.py",
    "duel evaluate": "needs a trained table: tests/equilibrium/duel/test_duel_commands.py",
    "duel play table": "needs a trained table: tests/equilibrium/duel/test_duel_log.py",
    "duel play you": "needs a person: tests/equilibrium/duel/test_duel_log.py",
    "duel node": "needs a trained table: tests/equilibrium/duel/test_duel_commands.py",
    "solve one_card:OneCard": "a file of the reader's own: tests/equilibrium/test_solve_command.py",
    "web": "serves until it is stopped: tests/web/test_web_command.py",
    "train workstation": "needs a GPU: tests/gpu, scripts/on_gpu.sh",
    "train configs/cluster.yaml --address": "needs a cluster: tests/selfplay/test_roles_run.py",
    "compare": "needs matches: tests/evaluation/test_evaluate_command.py",
    "evaluate --challenger adapted": "takes hours: tests/adaptation/test_adapted_agent.py",
    "match tcp": "waits for clients: tests/mjai/test_host_tcp.py",
    "match python": "needs the reader's bot: tests/mjai/test_host_match.py",
    "report": "needs a run of the main job: tests/report",
    "quickstart": "takes ten minutes: tests/report/test_job.py",
    "review https": "needs the reader's log: tests/review",
}


def _found(tables: list[dict[str, list[str]]], words: list[str]) -> list[str] | None:
    line = " ".join(words)
    return next((added for table in tables for start, added in table.items() if line.startswith(start)), None)


def _resolved(words: list[str]) -> tuple[Any, list[str]]:
    """Return the command that words name, and the words that are left for it."""
    command: Any = typer.main.get_command(cli.app)
    while words and words[0] in getattr(command, "commands", {}):
        command, words = command.commands[words[0]], words[1:]
    default = getattr(command, "default", None)  # `solve GAME` has no word of its own
    if default and words and words != ["--help"]:
        command = command.commands[default]
    return command, words


def _is_name(words: list[str]) -> bool:
    """Return whether a command is only spoken of."""
    return not _resolved(words)[1] and words[0] not in BARE


def _cases(slow: bool) -> list[str]:
    read = {command for command in COMMANDS if " ".join(words_of(command)).startswith(tuple(READ))}
    whole = [command for command in COMMANDS if command not in read and not _is_name(words_of(command))]
    once = {_essence(command): command for command in sorted(whole, reverse=True)}
    return sorted(command for command in once.values() if _is_slow(words_of(command)) == slow)


def _essence(command: str) -> frozenset[str]:
    """Return what is run, the same for commands that come to the same: `laptop` is configs/laptop.yaml."""
    words = words_of(command)
    words = [*words, *(_found([QUICK, SLOW], words) or [])]
    return frozenset(word.removeprefix("configs/").removesuffix(".yaml") for word in words)


def _is_slow(words: list[str]) -> bool:
    return _found([QUICK], words) is None and _found([SLOW], words) is not None


def test_commands_are_found_wherever_they_stand():
    page = (
        "Do `suphx a\nb`.\n\n```sh\nsuphx c --d   # why\n```\n\n    suphx e x     as it is\n\n```python\nsuphx f\n```\n"
    )
    assert commands_of(page) == ["suphx c --d", "suphx e x", "suphx a b"]
    assert len(COMMANDS) > 60


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_a_documented_command_is_one_that_there_is(command):
    words = words_of(command)
    command, left = _resolved(words)
    assert left == ["--help"] or not hasattr(command, "commands") or not left
    if left != ["--help"] and not _is_name(words):
        command.make_context(command.name, left)


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A reader's folder: configurations, games to look at, a place for runs."""
    folder = tmp_path_factory.mktemp("desk")
    shutil.copytree(ROOT / "configs", folder / "configs")
    (folder / "docs").symlink_to(ROOT / "docs")  # weights that are measured there
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        players = "sensible,random,tsumogiri,random"
        _invoke(
            ["logs", "generate", "--games", "3", "--workers", "1", "--players", players, "--seed", "1", "--out", "logs"]
        )
        for form, name in (("mjlog", "game.mjlog"), ("tenhou6", "game.json")):
            _invoke(["logs", "convert", "logs", "--to", form, "--out", form])
            shutil.copy(sorted((folder / form).iterdir())[0], folder / name)
    return folder


def _invoke(words: list[str]) -> None:
    done = CliRunner().invoke(cli.app, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output


@pytest.fixture
def at_desk(desk, monkeypatch):
    monkeypatch.chdir(desk)
    monkeypatch.setenv("SUPHX_RUNS", str(desk / "runs"))
    return desk


@pytest.fixture(scope="module")
def many(desk):
    """As many games as a training needs."""
    path = desk / "many.zip"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(desk)
        _invoke(["logs", "generate", "--games", "300", "--seed", "2", "--out", str(path)])
    return path


def _shortened(command: str, tables: list[dict[str, list[str]]]) -> list[str]:
    words = words_of(command)
    added = _found(tables, words)
    assert added is not None, f"say in QUICK, SLOW or READ how to try {command!r}, which stands in {COMMANDS[command]}"
    if "config.yaml" in words:
        config = {"train": "laptop"}.get(words[0], words[0])
        shutil.copy(ROOT / "configs" / f"{config}.yaml", "config.yaml")
    return [*words, *added]


@pytest.mark.parametrize("command", _cases(slow=False))
def test_a_documented_command_runs(at_desk, command):
    _invoke(_shortened(command, [QUICK]))


@pytest.mark.full
@pytest.mark.parametrize("command", _cases(slow=True))
def test_a_documented_command_that_takes_longer_runs(at_desk, many, command):
    words = [str(many) if word == "logs" else word for word in _shortened(command, [SLOW])]
    if "majiang" in words and not (ROOT / "suphx/mjai/majiang/node_modules").is_dir():
        pytest.skip("majiang-ai is not installed")
    if "--liteefg" in words and not has_liteefg():
        pytest.skip(NO_LITEEFG)
    if "cuda" in words and not torch.cuda.is_available():
        pytest.skip("no GPU is here")
    shutil.rmtree(at_desk / "runs" / words[0], ignore_errors=True)  # of a command that differs by its precision alone
    done = subprocess.run(
        [sys.executable, "-m", "suphx", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
