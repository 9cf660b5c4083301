"""`suphx features`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from simulator.game import Game
from simulator.logs.model import LogError
from simulator.record import DISCARD_DRAWN, PASS, PHASE_CLAIM
from suphx.cli import app
from suphx.features.layout import VERSION


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A round in which everyone discards what is drawn."""
    game = Game(seed=4)
    while not game.over:
        claims = game.record["phase"] == PHASE_CLAIM
        game.step(dict.fromkeys(game.seats_to_act, PASS if claims else DISCARD_DRAWN))
    path = tmp_path_factory.mktemp("logs") / "game.json"
    path.write_text(game.to_mjai(), encoding="utf-8")
    return path


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["features", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_position_is_printed_block_by_block(log: Path) -> None:
    text = run(str(log), "--round", "1", "--at", "3", "--oracle")
    assert text.splitlines()[0].endswith("chosen: discard drawn")
    for block in ("hand:", "points:", "safety:", "legal:", "oracle:"):
        assert f"\n{block}\n" in text
    assert "own >= 1: " in text


def test_and_as_json(log: Path) -> None:
    found = json.loads(run(str(log), "--at", "2", "--seat", "1", "--json"))
    assert found["seat"] == 1 and found["layout"] == VERSION and found["situation"] == "claim"
    names = {plane["name"]: plane["value"] for plane in found["planes"]}
    assert names["self is rank 2"] is True and names["own wind"] == "2z"
    assert "oracle" not in found


@pytest.mark.faults
def test_what_is_not_there_is_named(log: Path) -> None:
    with pytest.raises(LogError, match="no round 99"):
        run(str(log), "--round", "99")
    with pytest.raises(LogError, match="no decision 9999 of seat 2"):
        run(str(log), "--at", "9999", "--seat", "2")
