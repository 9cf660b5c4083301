"""Preparing logs: what is kept, what is left out and counted, and that it does not matter how it was done."""

from __future__ import annotations

import copy
import os
import signal
import zipfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from simulator.logs.generate import generate_games
from simulator.logs.mjlog_writer import write_mjlog
from simulator.logs.model import GameLog
from simulator.logs.tenhou6_writer import write_tenhou6
from suphx.dataset.prepare import prepare, prepare_games, prepared_name
from suphx.dataset.prepared import NO_DAN, LeftOut, Prepared, load_prepared


@pytest.fixture(scope="module")
def logs() -> list[GameLog]:
    return list(generate_games(3, ["random", "never_calls", "sensible", "tsumogiri"], seed=9))


@pytest.fixture
def folder(tmp_path, logs) -> Path:
    """A folder of three games, one file each."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for number, log in enumerate(logs):
        (folder / f"{number}.mjlog").write_bytes(write_mjlog(log))
    return folder


def prepared_from(*paths: Path, workers: int = 1) -> Prepared:
    """Prepare into a folder beside the first path and read that."""
    out = paths[0].parent / "prepared" / "all"
    for _ in prepare(paths, out, workers):
        pass
    return load_prepared(out)


def left_out(prepared: Prepared) -> dict[str, int]:
    return {why: n for why, n in asdict(prepared.left_out).items() if n and why != "first"}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# What is kept.


def test_prepared_games_say_what_the_logs_say(folder, logs):
    logs = copy.deepcopy(logs)
    logs[0].dan, logs[0].room = [16, 17, 18, 20], "phoenix"
    (folder / "0.mjlog").write_bytes(write_mjlog(logs[0]))
    prepared = prepared_from(folder)
    assert len(prepared.games) == 3 and prepared.left_out == LeftOut()
    assert prepared.games["n_rounds"].tolist() == [len(log.rounds) for log in logs]
    for game, log in zip(prepared.games, logs, strict=True):
        assert [prepared.players[name] for name in game["players"]] == log.names
        assert prepared.rules[game["rules"]] == log.rules
        assert prepared.rooms[game["room"]] == (log.room or "normal")
        assert game["dan"].tolist() == (log.dan or [NO_DAN] * 4)
        assert game["final_scores"].tolist() == log.final_scores
        rows = prepared.rounds[game["first_round"] :][: game["n_rounds"]]
        assert (prepared.games[rows["game"]] == game).all()
        for row, this in zip(rows, log.rounds, strict=True):
            events = prepared.events[row["first_event"] :][: row["n_events"]]
            np.testing.assert_array_equal(events, this.events)
            np.testing.assert_array_equal(np.sort(row["hands"]), np.sort(this.hands))
            for name in ("scores", "round", "repeat_counter", "bets", "dealer", "indicator"):
                assert row[name].tolist() == getattr(this, name)
    assert len(prepared.absent) == len(prepared.events) == sum(len(r.events) for log in logs for r in log.rounds)


def test_a_log_without_dan_says_so():
    (game,) = prepare_games(generate_games(1, ["tsumogiri"])).games
    assert game["dan"].tolist() == [NO_DAN] * 4


def test_games_are_of_the_archive_or_folder_they_came_from(folder, logs):
    with zipfile.ZipFile(folder.parent / "more.zip", "w") as archive:
        for log in generate_games(2, ["tsumogiri"], seed=1):
            archive.writestr(f"{log.source}.mjlog", write_mjlog(log))
    prepared = prepared_from(folder, folder.parent / "more.zip")
    assert [prepared.archives[game["archive"]] for game in prepared.games] == ["logs"] * 3 + ["more.zip"] * 2


# What is left out.


def test_a_log_that_does_not_verify_is_left_out_and_the_others_kept(folder, logs):
    tampered = copy.deepcopy(logs[1])
    tampered.rounds[0].deltas[0] += 100
    tampered.rounds[1].scores[0] += 100
    (folder / "1.mjlog").write_bytes(write_mjlog(tampered))
    prepared = prepared_from(folder)
    assert left_out(prepared) == {"mismatches": 1} and "1.mjlog" in prepared.left_out.first[0]
    assert prepared.games["key"].tolist() == prepare_games([logs[0], logs[2]]).games["key"].tolist()


def test_an_illegal_move_is_left_out(logs):
    tampered = copy.deepcopy(logs[1])
    events = tampered.rounds[0].events
    events["tile"][np.flatnonzero(events["type"] == 2)[0]] = tampered.rounds[0].indicator  # a tile that nobody holds
    prepared = prepare_games([tampered, logs[0]])
    assert left_out(prepared) == {"mismatches": 1} and len(prepared.games) == 1


def test_a_game_without_its_end_is_left_out(logs):
    cut = copy.deepcopy(logs[1])
    cut.rounds, cut.final_scores, cut.final_points = cut.rounds[:2], None, None
    empty = GameLog(cut.rules, [], source="empty")
    prepared = prepare_games([cut, empty, logs[0]])
    assert left_out(prepared) == {"mismatches": 2} and len(prepared.games) == 1


def test_a_wall_seed_that_cannot_be_read_is_an_error_of_that_game_alone(logs):
    broken = copy.deepcopy(logs[1])
    broken.seed = "mt19937ar-sha512-n288-base64,!"
    prepared = prepare_games([broken, logs[0]])
    assert left_out(prepared) == {"errors": 1} and len(prepared.games) == 1
    assert logs[1].source in prepared.left_out.first[0]


def test_broken_files_are_left_out_and_the_others_kept(folder):
    whole = (folder / "0.mjlog").read_bytes()
    (folder / "0.mjlog").write_bytes(whole[: len(whole) // 2])
    (folder / "empty.json").write_bytes(b"")
    (folder / "not.zip").write_bytes(b"PK\x03\x04 no archive")
    prepared = prepared_from(folder, folder.parent / "missing")
    assert left_out(prepared) == {"errors": 4} and len(prepared.games) == 2
    for name in ("0.mjlog", "empty.json", "not.zip", "missing"):
        assert any(name in words for words in prepared.left_out.first)


def test_three_player_games_are_skipped(folder):
    (folder / "three.mjlog").write_bytes(b'<mjloggm ver="2.3"><GO type="185" lobby="0"/></mjloggm>')
    prepared = prepared_from(folder)
    assert left_out(prepared) == {"skipped": 1} and len(prepared.games) == 3


def test_nothing_to_prepare_is_prepared_as_nothing(tmp_path):
    (tmp_path / "none").mkdir()
    prepared = prepared_from(tmp_path / "none")
    assert left_out(prepared) == {"errors": 1} and len(prepared.games) == len(prepared.split()) == 0
    for _ in prepare([], tmp_path / "nothing"):
        pass
    assert load_prepared(tmp_path / "nothing").left_out == LeftOut()


def test_the_same_game_comes_once_in_whatever_format(folder, logs):
    (folder / "again.json").write_bytes(write_tenhou6(logs[1]))
    (folder / "again.mjlog").write_bytes(write_mjlog(logs[2]))
    prepared = prepared_from(folder)
    assert left_out(prepared) == {"duplicates": 2}
    assert sorted(prepared.games["key"].tolist()) == sorted(prepare_games(logs).games["key"].tolist())


def test_games_of_the_same_deals_and_other_moves_are_different_games():
    one, other = (next(generate_games(1, [player], seed=2)) for player in ("random", "tsumogiri"))
    assert one.rounds[0].hands == other.rounds[0].hands
    assert len(prepare_games([one, other]).games) == 2


# How it is done.


def test_the_number_of_workers_changes_nothing(tmp_path, folder):
    (folder / "broken.json").write_bytes(b"{")
    for workers in (1, 2):
        states = list(prepare([folder], tmp_path / f"by_{workers}", workers))
        assert states == [(1, 0.25), (2, 0.5), (3, 0.75), (3, 1.0)]
    assert contents(tmp_path / "by_1") == contents(tmp_path / "by_2")


def test_a_name_is_of_these_files_as_they_are(folder):
    name = prepared_name([folder])
    assert prepared_name([folder]) == name != prepared_name([folder / "0.mjlog"])
    os.utime(folder / "1.mjlog", ns=(1, 1))
    changed = prepared_name([folder])
    (folder / "2.mjlog").unlink()
    assert len({name, changed, prepared_name([folder])}) == 3


def begin(folder: Path, out: Path) -> Iterator[tuple[int, float]]:
    states = prepare([folder], out)
    next(states)
    return states


def test_who_stops_in_the_middle_leaves_nothing(tmp_path, folder):
    out = tmp_path / "out" / "all"
    begin(folder, out).close()
    states = begin(folder, out)
    with pytest.raises(KeyboardInterrupt):
        states.throw(KeyboardInterrupt)
    assert not out.parent.exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a copy of this process")
def test_a_process_killed_while_it_reads_leaves_nothing(tmp_path, folder):
    out = tmp_path / "out" / "all"
    child = os.fork()
    if child == 0:
        begin(folder, out)
        os.kill(os.getpid(), signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    assert not out.parent.exists()


@pytest.mark.faults
@pytest.mark.parametrize("there_before", [False, True])
def test_a_full_disk_leaves_what_was_there(tmp_path, folder, monkeypatch, there_before):
    out = tmp_path / "out" / "all"
    if there_before:
        prepare_games([]).save(out)
    before = contents(out) if there_before else {}
    whole, saved = np.save, []

    def save(file, array, **options):
        saved.append(file)
        if len(saved) == 3:
            raise OSError(28, "No space left on device")
        whole(file, array, **options)

    monkeypatch.setattr(np, "save", save)
    with pytest.raises(OSError, match="No space left"):
        list(prepare([folder], out))
    assert len(saved) == 3 and (contents(out) if there_before else {}) == before
    assert [path.name for path in out.parent.iterdir()] == (["all"] if there_before else [])


def test_preparing_again_replaces_the_whole_folder(tmp_path, folder):
    out = tmp_path / "out"
    out.mkdir()
    (out / "stale").write_text("")
    list(prepare([folder], out))
    assert set(contents(out)) == {"games.npy", "rounds.npy", "events.npy", "absent.npy", "prepared.json"}
    assert {path.name for path in tmp_path.iterdir()} == {"logs", "out"}
