"""The yardstick of a rating: what players of each dan are rated."""

from __future__ import annotations

import json
import re
import runpy
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simulator.logs.formats import format_named
from simulator.logs.generate import generate_games
from simulator.rules import Rules
from suphx.agent import DEFAULT_AGENT
from suphx.agent.registry import fingerprint, load_agent
from suphx.dataset.prepare import key_of
from suphx.dataset.prepared import split_of
from suphx.review.analysis import review_game
from suphx.review.yardstick import LEAST_PLAYERS, dan_ratings, included_yardstick, yardstick_for

DOCUMENT = Path(__file__).parents[2] / "docs" / "review.md"
SCRIPT = Path(__file__).parents[2] / "scripts" / "yardstick.py"


def test_ratings_are_averaged_by_dan():
    ratings = [(13, 80.0 + (n % 2)) for n in range(40)] + [(9, 50.0)] * 40 + [(20, 90.0)] * (LEAST_PLAYERS - 1)
    (only,) = dan_ratings(ratings)  # nobody below 1 dan, and no dan with few players
    assert (only.dan, only.players, only.mean) == (4, 40, 80.5)
    assert only.deviation == pytest.approx(np.std([80, 81], ddof=0) * (40 / 39) ** 0.5, abs=0.01)
    assert only.low < 80.5 < only.high and only.high - only.low == pytest.approx(
        2 * 2.02 * only.deviation / 40**0.5, abs=0.01
    )


def test_the_included_ratings_are_of_the_default_agent_as_it_is():
    """New weights need a new yardstick: scripts/yardstick.py."""
    included = included_yardstick()
    assert (included.agent, included.fingerprint) == (DEFAULT_AGENT, fingerprint(DEFAULT_AGENT))
    assert included.games >= 500 and [each.dan for each in included.dans] == sorted(
        {each.dan for each in included.dans}
    )
    assert all(each.low < each.mean < each.high and each.players >= LEAST_PLAYERS for each in included.dans)


def test_the_documents_table_is_the_included_one():
    table = re.findall(r"^\| (\d+) \| ([\d,]+) \| (.*) \| ([\d.]+) \|$", DOCUMENT.read_text(), re.MULTILINE)
    included = [
        (str(each.dan), f"{each.players:,}", each.mean, each.low, each.high, each.deviation)
        for each in included_yardstick().dans
    ]
    assert table == [(*at, f"{a:.1f} ({b:.1f} to {c:.1f})", f"{d:.1f}") for *at, a, b, c, d in included]


def test_other_agents_and_games_have_no_yardstick():
    assert yardstick_for(DEFAULT_AGENT, Rules.tenhou()) == included_yardstick().dans
    assert yardstick_for("sl", Rules.tenhou()) == []
    assert yardstick_for(DEFAULT_AGENT, replace(Rules.tenhou(), length="east")) == []


@pytest.mark.full
def test_the_script_rates_held_out_games_and_goes_on(tmp_path, monkeypatch):
    games = [replace(log, dan=[16, 17, 16, 17], names=["a", "b", "ⓝc", "d"]) for log in generate_games(24, seed=3)]
    held_out = [log for log in games if split_of(np.array([key_of(log)], np.uint64))[0] == 2]
    assert held_out
    for number, log in enumerate(games):
        (tmp_path / f"{number}.mjlog").write_bytes(format_named("mjlog").write(log))
    monkeypatch.setenv("SUPHX_RUNS", str(tmp_path / "runs"))
    monkeypatch.setattr(sys, "argv", ["yardstick.py", str(tmp_path), "--out", str(tmp_path / "found.json")])
    for _ in range(2):
        runpy.run_path(str(SCRIPT), run_name="__main__")
        assert json.loads((tmp_path / "found.json").read_text())["games"] == len(held_out)
    lines = (tmp_path / "runs" / "yardstick" / f"{fingerprint(DEFAULT_AGENT)}.jsonl").read_text().splitlines()
    rated = {json.loads(line)["game"]: json.loads(line)["ratings"] for line in lines}
    assert len(lines) == len(held_out)
    log = held_out[0]
    seats = review_game(log, load_agent(DEFAULT_AGENT), DEFAULT_AGENT).seats
    assert rated[f"{key_of(log):016x}"] == [[rank, seats[n].rating] for n, rank in ((0, 16), (1, 17), (3, 17))]
