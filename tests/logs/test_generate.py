"""Generated games: what was played is what the log says, and the same seed gives the same files."""

from __future__ import annotations

import json
import zipfile

import numpy as np
import pytest
from typer.testing import CliRunner

from simulator.logs.from_record import game_log
from simulator.logs.generate import generate_games, generate_mjlogs, log_files
from simulator.logs.mjlog import read_mjlog
from simulator.logs.mjlog_writer import write_mjlog
from simulator.logs.verify import verify_game
from simulator.players import UnknownPlayer, player
from simulator.players.play import play_games
from simulator.record import (
    EVENT_ADDED_KONG,
    EVENT_CHOW,
    EVENT_CLOSED_KONG,
    EVENT_OPEN_KONG,
    EVENT_PONG,
    EVENT_RIICHI,
    EVENT_WIN,
    RESULT_EXHAUSTIVE,
)
from simulator.rules import Rules, RulesError
from suphx.cli import app


def same(one, other):
    """Two logs state the same; an mjlog says no more than hundreds of points and tenths of final points."""
    assert one.names == other.names and one.rules == other.rules
    assert one.final_scores == other.final_scores
    assert one.final_points == other.final_points
    for left, right in zip(one.rounds, other.rounds, strict=True):
        np.testing.assert_array_equal(left.events, right.events)
        for field in ("round", "repeat_counter", "bets", "dealer", "scores", "hands", "indicator", "draw_type"):
            assert getattr(left, field) == getattr(right, field), field
        assert left.deltas == right.deltas and left.tenpai == right.tenpai
        for win, read in zip(left.wins, right.wins, strict=True):
            stated = {name: value for name, value in vars(read).items() if value is not None}
            assert {name: getattr(win, name) for name in stated} == stated


@pytest.mark.parametrize("players", [["sensible"], ["random"], ["random", "sensible", "tsumogiri", "never_folds"]])
@pytest.mark.parametrize("rules", [Rules(), Rules(length="east", red_fives=False, open_tanyao=False)])
def test_written_games_read_back_and_verify(players, rules):
    seen = set()
    for log in generate_games(40, players, rules, seed=11):
        assert verify_game(log).mismatches == []
        read = read_mjlog(write_mjlog(log), "written")
        same(log, read)
        assert verify_game(read).mismatches == []
        seen |= {kind for each in log.rounds for kind in each.events["type"].tolist()}
    if players[0] == "sensible":
        assert seen >= {EVENT_CHOW, EVENT_PONG, EVENT_CLOSED_KONG, EVENT_RIICHI, EVENT_WIN}
    else:
        assert seen >= {EVENT_CHOW, EVENT_PONG, EVENT_OPEN_KONG, EVENT_ADDED_KONG}


@pytest.mark.parametrize("preset", ["mahjong_soul", "m_league"])
def test_games_by_other_rules_verify_in_the_neutral_form(preset):
    for log in generate_games(20, ["sensible"], Rules.preset(preset), seed=4):
        assert verify_game(log).mismatches == []


def test_what_the_log_states_is_what_the_table_paid():
    (game,) = play_games([player("sensible")] * 4, 1, seed=5)
    log = game_log(game.rounds, Rules(), ["A", "B", "C", "D"])
    for record, stated in zip(game.rounds, log.rounds, strict=True):
        assert stated.deltas == record["result"]["deltas"].tolist()
        assert (stated.draw_type is None) == bool(stated.wins)
        if stated.draw_type == RESULT_EXHAUSTIVE:
            assert sum(stated.tenpai) == int(record["result"]["tenpai"]).bit_count()
    assert log.final_scores == game.rounds[-1]["result"]["scores"].tolist()
    assert sum(log.final_scores) == 100_000 and abs(sum(log.final_points)) < 1e-9
    assert log.names == ["A", "B", "C", "D"]


def test_a_game_that_is_not_over_states_no_final_points():
    (game,) = play_games([player("random")] * 4, 1, seed=5)
    assert game_log(game.rounds[:2], Rules()).final_scores is None


def test_the_batch_changes_nothing():
    one = [write_mjlog(log) for log in generate_games(12, ["sensible"], seed=2, batch=5)]
    assert one == [write_mjlog(log) for log in generate_games(12, ["sensible"], seed=2, batch=12)]
    assert one[7] == write_mjlog(next(generate_games(1, ["sensible"], seed=2, first=7)))


@pytest.mark.parametrize("target", ["games.zip", "games"])
def test_the_command_writes_games_that_verify(tmp_path, target):
    out = tmp_path / "made" / target
    made = CliRunner().invoke(app, ["logs", "generate", "--games", "6", "--seed", "3", "--out", str(out), "--json"])
    assert made.exit_code == 0, made.output
    summary = json.loads(made.stdout)
    assert summary["games"] == 6 and summary["rounds"] > 20 and summary["bytes"] > 1000
    verified = CliRunner().invoke(app, ["logs", "verify", str(out), "--workers", "1", "--json"])
    counts = json.loads(verified.stdout)
    assert (counts["games"], counts["mismatches"], counts["errors"]) == (6, 0, 0)
    assert counts["rounds"] == summary["rounds"]
    assert not [path for path in tmp_path.rglob("*") if "tmp" in path.name]


def test_the_same_seed_gives_the_same_files(tmp_path):
    written = []
    for name in ("one.zip", "two.zip"):
        arguments = ["logs", "generate", "--games", "4", "--players", "tsumogiri", "--seed", "8"]
        assert CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / name)]).exit_code == 0
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]
    assert zipfile.ZipFile(tmp_path / "one.zip").namelist() == [f"8-{n:07d}.mjlog" for n in range(4)]


def test_an_archive_that_is_not_complete_is_not_there(tmp_path):
    with pytest.raises(KeyboardInterrupt), log_files(tmp_path / "games.zip") as write:
        write("1.mjlog", b"<mjloggm/>")
        assert not (tmp_path / "games.zip").exists()
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_made_is_refused(tmp_path):
    with pytest.raises(RulesError, match="mjlog can only state"):
        next(generate_mjlogs(1, rules=Rules.preset("mahjong_soul")))
    with pytest.raises(UnknownPlayer, match="sensible"):
        next(generate_mjlogs(1, ["nobody"]))
    with pytest.raises(ValueError, match="four"):
        next(generate_mjlogs(1, ["random", "random"]))
    refused = CliRunner().invoke(app, ["logs", "generate", "--players", "nobody", "--out", str(tmp_path / "x.zip")])
    assert refused.exit_code == 2 and list(tmp_path.iterdir()) == []


@pytest.mark.full
def test_processes_change_nothing():
    one = [game.data for game in generate_mjlogs(600, ["tsumogiri"], seed=1, workers=1)]
    assert one == [game.data for game in generate_mjlogs(600, ["tsumogiri"], seed=1, workers=2)]
