"""Players in logs: counted as in play, by name, in order, with what is bad left out."""

from __future__ import annotations

import copy
import csv
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from simulator.logs.from_record import game_log
from simulator.logs.mjlog_writer import write_mjlog
from simulator.logs.model import GameLog
from simulator.players import player
from simulator.players.play import PlayedGame, play_games
from simulator.record import SEATS
from simulator.rules import Rules
from suphx.cli import app
from suphx.dataset.prepared import LeftOut
from suphx.errors import InputError
from suphx.evaluation.log_stats import (
    MACRO_PLAYER,
    PEOPLE,
    LoggedGames,
    count_game,
    count_logs,
    log_stats,
    read_resampling,
)
from suphx.evaluation.tally import COLUMN, tally

NAMES = ("ⓝBot", "Ann", "Bob", "Cleo")


@pytest.fixture(scope="module")
def played() -> list[PlayedGame]:
    players = [player(name) for name in ("sensible", "random", "never_calls", "tsumogiri")]
    return list(play_games(players, 12, seed=21))


def log_of(game: PlayedGame, number: int) -> GameLog:
    """Return a game's log; names move on by one seat each game, and every third game is not Bob's."""
    names = np.roll(NAMES, number).tolist()
    if number % 3 == 0:
        names[names.index("Bob")] = "Dan"
    log = game_log(game.rounds, Rules.tenhou(), names, f"{number}")
    log.room, log.dan, log.rates = "phoenix", [16, 17, 16, 18], [2100.0] * SEATS
    return log


@pytest.fixture(scope="module")
def archive(played: list[PlayedGame], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("logs") / "games.zip"
    with zipfile.ZipFile(path, "w") as target:
        for number, game in enumerate(played):
            target.writestr(f"20240101{number:02}gm.mjlog", write_mjlog(log_of(game, number)))
    return path


def counted(*paths: Path, workers: int = 1) -> LoggedGames:
    *_, (found, share) = count_logs(paths, workers)
    assert share == 1
    return found.in_order()


def test_a_logged_game_counts_as_the_played_one(played: list[PlayedGame], archive: Path) -> None:
    found = counted(archive)
    assert len(found.games) == len(played) and found.left_out == LeftOut()
    for game, logged in zip(played, found.games, strict=True):
        assert np.array_equal(tally(game.rounds), logged.counts)


def test_several_processes_count_the_same(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = counted(archive)
    monkeypatch.setattr("suphx.evaluation.log_stats._CHUNK", 5)
    two = counted(archive, workers=2)
    assert [game.source for game in one.games] == [game.source for game in two.games]
    assert all(np.array_equal(a.counts, b.counts) for a, b in zip(one.games, two.games, strict=True))


def test_players_are_found_on_every_seat_and_several_are_one(archive: Path) -> None:
    found = counted(archive)
    bob, bot, both = (found.of_players(names) for names in (["Bob"], ["ⓝBot"], ["Bob", "ⓝBot"]))
    assert (len(bob), len(bot), len(both)) == (8, 12, 12)
    assert both[:, COLUMN["games"]].tolist() == [1 + (number % 3 != 0) for number in range(12)]
    assert np.array_equal(both.sum(axis=0), bob.sum(axis=0) + bot.sum(axis=0))


def test_places_are_in_order_and_the_level_is_that_of_the_first_game(played: list[PlayedGame], archive: Path) -> None:
    places, start = counted(archive).places("Bob")
    seats = [(NAMES.index("Bob") + number) % SEATS for number in range(12) if number % 3]
    ranks = [int(game.rounds[-1]["result"]["ranks"][seat]) for game, seat in
             zip((played[n] for n in range(12) if n % 3), seats, strict=True)]  # fmt: skip
    assert places.tolist() == ranks
    assert start == [16, 17, 16, 18][seats[0]]


def test_without_names_all_seats_ais_and_people(archive: Path) -> None:
    found = log_stats(counted(archive), [str(archive)], [])
    assert list(found.units) == ["ⓝBot", PEOPLE]
    assert list(found.report["agents"]) == ["all seats of games.zip", "ⓝBot", PEOPLE]
    agents = found.report["agents"]
    assert agents["all seats of games.zip"]["average_rank"]["value"] is None  # it is 2.5 in any game
    assert agents["all seats of games.zip"]["win_rate"]["value"] > 0
    assert agents[PEOPLE]["games"] == 36 and agents["ⓝBot"]["games"] == 12
    assert found.room == "phoenix"


def test_a_macro_player_only_of_several(archive: Path) -> None:
    games = counted(archive)
    assert list(log_stats(games, [""], ["Ann"]).units) == ["Ann"]
    assert list(log_stats(games, [""], ["Ann", "Bob"]).units) == ["Ann", "Bob", MACRO_PLAYER]
    with pytest.raises(InputError, match=r"no player 'Eve'.*Ann \(12\)"):
        log_stats(games, [""], ["Eve"])


def test_more_games_than_a_player_has_are_not_drawn(archive: Path) -> None:
    found = log_stats(counted(archive), [""], ["Ann", "Bob"], samplings=[(10, 50)])
    assert list(found.resampled) == ["Ann", MACRO_PLAYER]
    assert found.remarks == ["Bob: 10 games cannot be drawn from 8; not resampled"]
    assert list(found.resampled["Ann"]["10"]) == ["2.5", "25", "50", "75", "97.5"]


def test_a_log_that_does_not_hold_together_is_left_out(played: list[PlayedGame], tmp_path: Path) -> None:
    logs = [log_of(game, number) for number, game in enumerate(played[:4])]
    wrong = copy.deepcopy(logs[0])
    wrong.rounds[0].scores = [24000, 26000, 25000, 25000]
    unfinished = copy.deepcopy(logs[1])
    unfinished.rounds.pop()
    assert isinstance(count_game(unfinished), LeftOut)
    for number, log in enumerate((wrong, unfinished, *logs[2:])):
        (tmp_path / f"{number}.mjlog").write_bytes(write_mjlog(log))
    (tmp_path / "4.mjlog").write_bytes(b"<mjloggm")
    found = counted(tmp_path)
    left = found.left_out
    assert (len(found.games), left.mismatches, left.errors, sum(left.numbers().values())) == (2, 2, 1, 3)
    assert len(left.first) == 3 and all(".mjlog" in words for words in left.first)


def test_the_command_says_it_all(archive: Path, tmp_path: Path) -> None:
    options = ["--player", "ⓝBot", "--player", "Ann", "--resample", "6,30", "--career", "--prizes", "90,45,0,-135"]
    files = ["--csv", str(tmp_path / "numbers.csv"), "--plots", str(tmp_path / "pictures")]
    command = ["logs", "stats", str(archive), *options, *files, "--workers", "1"]
    made = CliRunner().invoke(app, [*command, "--json"])
    assert made.exit_code == 0, made.output
    found = json.loads(made.stdout)
    assert found["logs"] == 12 and found["room"] == "phoenix"
    assert list(found["agents"]) == ["ⓝBot", "Ann", MACRO_PLAYER]
    assert found["agents"]["Ann"]["prize"]["interval"][0] <= found["agents"]["Ann"]["prize"]["value"]
    assert found["careers"]["Ann"]["as_played"]["games"] == 12
    assert found["resampled"]["Ann"]["6"]["50"] is None or found["resampled"]["Ann"]["6"]["50"] > -3
    with open(tmp_path / "numbers.csv", newline="", encoding="utf-8") as file:
        assert {line["of"] for line in csv.DictReader(file)} == {"ⓝBot", "Ann", MACRO_PLAYER}
    pictures = sorted(path.name for path in (tmp_path / "pictures").iterdir())
    assert pictures == ["ranks.png", "resampling.png", "running.png", "stable-rank.png"]
    table = CliRunner().invoke(app, command)
    assert table.exit_code == 0, table.output
    for words in ("ⓝBot", "win rate", "95 % interval", "careers of 10,000 hanchan", "prize 90/45/0/-135"):
        assert words in table.stdout


@pytest.mark.parametrize("option", [["--resample", "10"], ["--resample", "0,5"], ["--prizes", "1,2"]])
def test_words_that_say_nothing_are_refused_before_anything_is_read(option: list[str], tmp_path: Path) -> None:
    made = CliRunner().invoke(app, ["logs", "stats", str(tmp_path / "none.zip"), *option])
    assert made.exit_code != 0 and isinstance(made.exception, InputError)


def test_resampling_is_games_then_samples() -> None:
    assert read_resampling("800,1000") == (800, 1000)


def test_no_log_at_all_is_an_error(tmp_path: Path) -> None:
    made = CliRunner().invoke(app, ["logs", "stats", str(tmp_path / "none.zip"), "--workers", "1"])
    assert made.exit_code == 1
    assert "none.zip" in made.stderr
