"""Tenhou's ladder: its table, careers step by step, and a career that was really played."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from simulator.logs.archives import plain_data
from simulator.logs.mjlog import read_mjlog
from suphx.errors import InputError
from suphx.evaluation.ladder import (
    LEVELS,
    NEEDED,
    ONE_DAN,
    START,
    TEN_DAN,
    TENHOUI,
    follow,
    follow_summary,
    ladder,
    simulate,
)
from suphx.evaluation.measures import stable_rank

FIRST, SECOND, THIRD, FOURTH = range(4)


def test_the_levels_are_those_of_the_papers_table_6() -> None:
    levels = ladder()
    assert LEVELS[0] == "new player" and LEVELS[ONE_DAN] == "1 dan" and LEVELS[TEN_DAN] == "10 dan"
    needed = [20, 20, 20, 20, 40, 60, 80, 100, 100, 100, *range(400, 4001, 400)]
    assert levels["needed"][:TENHOUI].tolist() == needed
    assert levels["start"][ONE_DAN:TENHOUI].tolist() == list(range(200, 2001, 200))
    fourth = [0] * 8 + [15, 30, 45, 60, 75, 90, 105, 120, 135, 150, 165, 180]
    assert (-levels["changes"][:TENHOUI, 3]).tolist() == fourth


def test_a_player_sits_in_the_highest_room_that_is_open() -> None:
    firsts = {LEVELS[level]: int(record["changes"][0]) for level, record in enumerate(ladder())}
    assert (firsts["2 kyu"], firsts["1 kyu"], firsts["3 dan"], firsts["4 dan"]) == (30, 60, 60, 75)
    assert (firsts["6 dan"], firsts["7 dan"]) == (75, 90)
    assert ladder("expert")["changes"][TEN_DAN].tolist() == [75, 30, 0, -180]


def test_points_to_the_next_level_are_reached_and_not_carried_over() -> None:
    # 1 dan, 200 points, advanced room: 60 a first place; 400 are reached with the fourth, 2 dan starts with 400.
    assert follow([FIRST] * 4, ONE_DAN).tolist() == [10, 10, 10, 11]
    assert follow([FIRST] * 10, ONE_DAN).tolist()[-1] == 11
    assert follow([FIRST] * 11, ONE_DAN).tolist()[-1] == 12  # 400 + 7 x 60 = 820


def test_a_level_is_lost_at_no_points() -> None:
    assert follow([FOURTH] * 4, ONE_DAN).tolist() == [10, 10, 10, 10]  # 200 - 4 x 45 = 20
    assert follow([FOURTH] * 5, ONE_DAN).tolist()[-1] == 9
    assert follow([FOURTH], LEVELS.index("2 dan"), points=60).tolist() == [ONE_DAN]
    assert follow([FOURTH], LEVELS.index("2 dan"), points=75).tolist() == [LEVELS.index("2 dan")]


def test_kyu_are_never_lost_and_tenhoui_neither() -> None:
    assert follow([FOURTH] * 50).tolist() == [0] * 50
    assert follow([FOURTH] * 50, LEVELS.index("1 kyu")).tolist() == [9] * 50
    assert follow([FIRST, FOURTH, FOURTH], TEN_DAN, points=3950).tolist() == [TENHOUI] * 3


def test_a_new_player_who_wins_every_game() -> None:
    after = follow([FIRST] * 30)
    assert after.tolist()[:4] == [1, 2, 3, 4]  # 30 points in the normal room, 20 are needed
    assert after.tolist()[4:6] == [4, 5]  # 6 kyu needs 40


def test_who_never_is_fourth_rises_and_who_always_is_stays() -> None:
    best = simulate([1, 1, 1, 0], games=2000, careers=50)
    assert best["record"] == {"Tenhoui": 1.0}
    worst = simulate([0, 0, 0, 1], games=200, careers=20)
    assert worst["record"] == worst["final"] == worst["time"] == {"new player": 1.0}


def test_a_player_stays_about_where_the_stable_rank_says() -> None:
    rates = np.array([0.25, 0.26, 0.25, 0.24])
    assert 6 > stable_rank(rates, "expert") > 5
    found = simulate(rates, games=20_000, careers=100, start=ONE_DAN, top_room="expert")
    dan = sum((LEVELS.index(level) - ONE_DAN + 1) * share for level, share in found["time"].items())
    assert 4.5 < dan < 7.5
    assert sum(found["time"].values()) == pytest.approx(1)
    assert sum(found["record"].values()) == pytest.approx(1)


def test_the_better_player_needs_fewer_games() -> None:
    suphx = simulate([0.293, 0.275, 0.244, 0.187], games=6000, careers=300, top_room="expert")["reached"]["10 dan"]
    even = simulate([0.25, 0.25, 0.25, 0.25], games=6000, careers=300, top_room="expert")["reached"]
    assert suphx["share"] > 0.5 and even.get("10 dan", {"share": 0})["share"] < 0.02
    games = suphx["games"]
    assert games["5"] < games["25"] < games["50"]


def test_careers_follow_from_the_seed_and_not_from_how_many_are_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    one = simulate([30, 27, 24, 19], games=500, careers=40, seed=3)
    monkeypatch.setattr("suphx.evaluation.ladder._BLOCK", 1500)
    assert simulate([30, 27, 24, 19], games=500, careers=40, seed=3) == one
    assert simulate([30, 27, 24, 19], games=500, careers=40, seed=4) != one


def test_the_same_games_as_simulated_and_as_followed() -> None:
    found = follow_summary(np.array([FIRST] * 10), ONE_DAN)
    assert found["record"] == found["final"] == "2 dan"
    assert found["reached"] == {"2 dan": 4}
    assert found["time"] == {"1 dan": 0.4, "2 dan": 0.6}
    certain = simulate([1, 0, 0, 0], games=10, careers=3, start=ONE_DAN)
    assert certain["time"] == found["time"] and certain["reached"]["2 dan"]["games"]["50"] == 4


def test_rates_that_are_none_are_refused() -> None:
    for rates in ([0.5, 0.5], [1, -1, 0, 1], [0, 0, 0, 0], [np.nan, 1, 1, 1]):
        with pytest.raises(InputError, match="rank rates"):
            simulate(rates)


def test_luckyj_rose_by_the_very_points_that_the_ladder_gives(real_logs: Path) -> None:
    with zipfile.ZipFile(real_logs / "expert-hanchan-ai.zip") as archive:
        names = sorted(name for name in archive.namelist() if name.startswith("2023"))  # YYYYMMDDHH comes first
        logs = [read_mjlog(plain_data(archive.read(name)), name) for name in names]
    seats = [log.names.index("ⓝLuckyJ") for log in logs]
    stated = np.array([(log.dan or [])[seat] for log, seat in zip(logs, seats, strict=True)])
    places = []
    for log, seat in zip(logs, seats, strict=True):
        scores = log.final_scores or []
        places.append(sorted(range(4), key=lambda other, scores=scores: (-scores[other], other)).index(seat))
    for level in (LEVELS.index("4 dan"), LEVELS.index("7 dan")):
        there = np.flatnonzero(stated == level)
        assert (np.diff(there) == 1).all()
        points = START[level] + ladder("expert")["changes"][level][np.array(places)[there]].cumsum()
        earlier = sum(names[game][:10] < names[there[-1]][:10] for game in there)  # games of one hour are in no order
        assert points[:earlier].max() < NEEDED[level] <= points[-1]
