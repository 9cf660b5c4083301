"""Where two players go different ways, how they play the same hands, and the pictures and speeds of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from suphx.adaptation.comparing import Deals
from suphx.adaptation.differences import Moment, find_differences
from suphx.adaptation.hands import Hand
from suphx.adaptation.moment_picture import described, plot_moment
from suphx.adaptation.positions import Position
from suphx.adaptation.styles import COUNTED, compare_styles
from suphx.bench.adaptation import bench_copies, bench_rollouts, bench_steps
from tests.adaptation.adaptation_positions import PRECISION, TINY, late_positions, points, tiny_agent

ONE, OTHER = tiny_agent(), tiny_agent(1)


@pytest.fixture(scope="module")
def positions() -> list[Position]:
    return late_positions(2)


@pytest.fixture(scope="module")
def moments(positions: list[Position]) -> list[Moment]:
    return find_differences(positions, ONE.playing, [OTHER.playing] * 2, ONE.playing, 4, 3)


def test_a_moment_is_where_both_prefer_something_else(moments: list[Moment], positions: list[Position]) -> None:
    assert 0 < len(moments) <= 8  # one a round at most
    for moment in moments:
        assert moment.seat == positions[moment.position].seat
        assert moment.first_action != moment.second_action
        assert moment.first[moment.first_action] >= moment.first[moment.second_action]
        assert moment.second[moment.second_action] >= moment.second[moment.first_action]
        assert moment.first.sum() == pytest.approx(1) and moment.second.sum() == pytest.approx(1)
    assert [moment.margin for moment in moments] == sorted((moment.margin for moment in moments), reverse=True)


def test_a_player_does_not_differ_from_itself(positions: list[Position]) -> None:
    assert not find_differences(positions, ONE.playing, [ONE.playing] * 2, ONE.playing, 2, 3)


def test_a_moment_is_drawn_with_what_the_seat_sees(moments: list[Moment], tmp_path: Path) -> None:
    moment = moments[0]
    lines = described(moment)
    hand = next(line for line in lines if line.startswith("hand"))
    assert len(hand.replace("drawn", "").split()) - 1 == int(moment.game["hand"][moment.seat].sum())
    assert sum("river" in line for line in lines) == 4
    plot_moment(tmp_path / "moment.png", moment, ("one", "other"), "a moment")
    assert (tmp_path / "moment.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.full
def test_styles_are_shares_of_rounds_on_the_same_deals(positions: list[Position]) -> None:
    hands = [Hand("late", position) for position in positions]
    found, moments = compare_styles(hands, ONE, OTHER, Deals(ONE, points(), 3), 4)
    assert moments and found["hands"] == 2
    for name in COUNTED:
        assert 0 <= found[name]["first"] <= 1 and 0 <= found[name]["second"] <= 1
        assert found[name]["second_less_first"] == pytest.approx(found[name]["second"] - found[name]["first"])
    alike, _ = compare_styles(hands, ONE, ONE, Deals(ONE, points(), 3), 4)
    assert all(alike[name]["interval"] == [0.0, 0.0] for name in (*COUNTED, "reward"))
    played = Deals(ONE, points(), 3).play(positions, [ONE.itself] * 2, 4, 0, [])
    assert alike["reward"]["first"] == pytest.approx(played.worth.mean() * 10_000)


def test_the_benchmark_measures_each_part() -> None:
    rollouts = bench_rollouts(TINY, PRECISION, 0.1, 4)
    assert rollouts["ratio"] == pytest.approx(rollouts["rollouts_per_s"] / rollouts["bare_rollouts_per_s"])
    assert 20 < rollouts["questions_per_rollout"] < 200
    steps, copies = bench_steps(TINY, PRECISION, 64), bench_copies(TINY, PRECISION, 0.05)
    assert len(steps) == 3 and all(np.isfinite(value) and value > 0 for value in (*steps.values(), *copies.values()))
    assert copies["bytes_of_last_block_and_head"] < copies["bytes_of_a_copy"]
