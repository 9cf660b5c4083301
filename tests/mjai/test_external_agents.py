"""External bots as agents in the arena: several tables at a time, and their faults among its results."""

from __future__ import annotations

import json
import shlex
import sys

import pytest
from hosted import BOTS
from typer.testing import CliRunner

from suphx.cli import app


def arguments(fault: str, *options: str) -> list[str]:
    bot = "bot:" + shlex.join([sys.executable, "-S", str(BOTS / "faulty.py"), fault, "5"])
    return ["evaluate", "--challenger", bot, "--field", "sensible", "--games", "8", "--seed", "2", *options]


def evaluate(fault: str, *options: str) -> dict:
    result = CliRunner().invoke(app, arguments(fault, "--json", *options))
    assert result.exit_code == 0, (result.output, result.exception)
    return json.loads(result.stdout)


def places(result: dict) -> object:
    return [result[name] for name in sorted(result) if name not in ("seconds", "games_per_second")]


def test_games_do_not_depend_on_how_many_are_played_at_a_time():
    alone = evaluate("none", "--batch", "1", "--threads", "1")
    assert places(alone) == places(evaluate("none", "--batch", "4", "--threads", "1"))
    assert places(alone) == places(evaluate("none", "--batch", "4", "--threads", "2"))


@pytest.mark.faults
def test_faults_are_among_the_results():
    result = evaluate("no JSON", "--batch", "4")
    assert "not JSON" in json.dumps(result)


@pytest.mark.faults
def test_a_bot_has_as_long_as_it_is_given():
    assert "no answer within 0.2 s" in json.dumps(evaluate("late", "--batch", "4", "--timeout", "0.2"))


@pytest.mark.faults
def test_what_a_bot_wrote_is_shown_as_it_is():
    result = CliRunner().invoke(app, arguments("markup"))
    assert result.exit_code == 0, (result.output, result.exception)
    assert "not JSON: [/x]" in " ".join(result.stdout.split())
