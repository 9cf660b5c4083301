"""Old rules of Tenhou are chosen by a log's date and lobby, and what is not known is counted apart."""

import dataclasses

import numpy as np
import pytest

from simulator.logs.formats import FORMATS, format_named, read_log
from simulator.logs.generate import generate_games
from simulator.logs.mjlog_writer import write_mjlog
from simulator.logs.verify import verify_game
from simulator.logs.verify_paths import verify_paths
from simulator.rules import Rules
from suphx.dataset.prepare import prepare
from suphx.dataset.prepared import load_prepared

OLD_EAST, OLD, NOW = "2009031702gm-00a1-0000-336ee82a", "2009022022gm-00a9-0000-cd94aac8", "2024010100gm-00a9-0000-0a"


def read(log, name, kind=FORMATS[0]):
    (game,) = read_log(kind.write(log), f"{name}{kind.suffix}")
    return game


@pytest.fixture(scope="module")
def old_east():
    """Games by the rules of 2009; at least one ends otherwise than today's would."""
    return list(generate_games(20, rules=Rules.tenhou_east_2009(), seed=1))


@pytest.mark.parametrize("kind", map(format_named, ("mjlog", "mjai", "tenhou6")), ids=lambda kind: kind.name)
def test_old_games_verify_by_the_date_in_their_name(old_east, kind):
    for log in old_east:
        game = read(log, OLD_EAST, kind)
        assert game.rules == Rules.tenhou_east_2009() and not game.unsure
        assert not verify_game(game).mismatches
    assert all(verify_game(read(log, NOW, kind)).mismatches for log in old_east if kind.name != "mjai")


@pytest.mark.parametrize(
    ("date", "east", "rules", "sure"),
    [
        ("2009022022", False, Rules.tenhou_2009(), True),
        ("2010060106", False, Rules.tenhou_2009(), True),
        ("2010060107", False, Rules.tenhou(), True),
        ("2009061806", True, Rules.tenhou_east_2009(), True),
        ("2009110100", True, Rules.tenhou_east_2009(), False),
        ("2010010100", True, dataclasses.replace(Rules.tenhou_east_2009(), uma=(20, 10, -10, -20)), True),
        ("2010060107", True, Rules.tenhou_east(), True),
    ],
)
def test_rules_of_a_date(date, east, rules, sure):
    (log,) = generate_games(1, rules=Rules.tenhou_east() if east else None, seed=2)
    game = read(log, f"{date}gm-00a9-0000-00000000")
    assert game.rules == rules
    assert (not game.unsure) == sure


def test_id_within_a_tenhou6_log(old_east):
    data = format_named("tenhou6").write(old_east[0])
    (game,) = read_log(b'{"ref":"%s",%s' % (OLD_EAST.encode(), data[1:]), "mine.json")
    assert game.rules == Rules.tenhou_east_2009()


@pytest.mark.parametrize("tag", ['lobby="7994"', 'lobby="0" csrule="0000"'])
def test_what_differs_in_a_private_lobby_is_counted_apart(tmp_path, old_east, tag):
    data = write_mjlog(old_east[0]).replace(b"<GO ", b"<GO %s " % tag.encode())
    path = tmp_path / "lobby.mjlog"
    path.write_bytes(data)
    (game,) = read_log(data, "lobby.mjlog")
    assert game.unsure and verify_game(game).mismatches
    *_, (summary, _) = verify_paths([path])
    assert (summary.games, summary.unknown, summary.mismatches, summary.good) == (1, 1, 0, True)
    assert "lobby" in summary.first_unknown[0] and "final points" in summary.first_unknown[0]
    *_, _ = prepare([path], tmp_path / "prepared")
    left = load_prepared(tmp_path / "prepared").left_out
    assert (left.unknown, left.mismatches, left.errors, left.skipped, left.duplicates) == (1, 0, 0, 0, 0)
    assert "lobby" in left.first[0]


def test_a_ranked_game_that_differs_is_a_mismatch(tmp_path, old_east):
    path = tmp_path / f"{NOW}.mjlog"
    path.write_bytes(write_mjlog(old_east[0]))
    *_, (summary, _) = verify_paths([path])
    assert (summary.unknown, summary.good) == (0, False) and summary.mismatches


def test_points_at_the_start_of_a_lobby():
    (log,) = generate_games(1, rules=dataclasses.replace(Rules.tenhou(), starting_points=30000), seed=3)
    game = read(log, "30000")
    assert game.rules.starting_points == 30000
    assert game.unsure == "a game from 30,000 points"
    assert not verify_game(game).mismatches


def test_game_goes_on_after_an_end_that_its_lobby_does_not_have():
    """All rounds of a game of unknown rules are verified, also those after the end by Tenhou's."""
    (log,) = generate_games(1, rules=dataclasses.replace(Rules.tenhou(), target_points=100_000, bust=False), seed=4)
    data = write_mjlog(log)
    game = read(log, "2024010100gm-0009-7994-00000000")
    verified = verify_game(game)
    assert {each.what for each in verified.mismatches} <= {"end of game", "final points"}
    assert verified.rounds == len(log.rounds)
    stopped = verify_game(read_log(data, f"{NOW}.mjlog")[0])
    assert stopped.rounds < len(log.rounds)


def test_tables_with_chips_are_read():
    """Tables with chips (shuugi) name them after the points."""
    (log,) = generate_games(1, seed=5)
    data = write_mjlog(log).decode()
    for name, count in (("sc", 8), ("owari", 8)):
        parts = data.split(f' {name}="')
        data = f' {name}="'.join([parts[0], *(part.replace('"', ",0" * count + '"', 1) for part in parts[1:])])
    (game,) = read_log(data.encode(), "chips.mjlog")
    assert not verify_game(game).mismatches
    assert np.array_equal(game.final_scores, log.final_scores)
