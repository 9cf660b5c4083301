"""Where two players go different ways, how they play the same hands, and the pictures and speeds of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simulator.rules import Rules
from simulator.tables import Decisions, Tables
from suphx.adaptation.adapting import Adapter
from suphx.adaptation.config import AdaptationConfig, StepsConfig
from suphx.adaptation.hands import Hand
from suphx.adaptation.moments import COUNTED, Moment, changes, compare_styles, find_moments, plot_moment
from suphx.adaptation.positions import Position
from suphx.agent.opinions import opinions_of
from tests.adaptation.adaptation_positions import Honours, late_positions, points, tiny_agent

ONE, OTHER = tiny_agent(), tiny_agent(1)
ADAPTER = Adapter(ONE, AdaptationConfig(), points(), 3)


@pytest.fixture(scope="module")
def positions() -> list[Position]:
    return late_positions(2)


@pytest.fixture(scope="module")
def moments(positions: list[Position]) -> list[Moment]:
    return find_moments(positions, ONE.playing, OTHER.playing, ONE.playing, 4, 3, 0)


def test_a_moment_is_where_both_prefer_something_else(moments: list[Moment], positions: list[Position]) -> None:
    assert 0 < len(moments) <= 8  # one a round at most
    for moment in moments:
        one, other = moment.preferred
        assert one != other and moment.margin >= 0
        assert moment.probability[0, one] >= moment.probability[0, other]
        assert moment.probability[1, other] >= moment.probability[1, one]
        assert moment.probability.sum(axis=1) == pytest.approx(1)
    assert [moment.margin for moment in moments] == sorted((moment.margin for moment in moments), reverse=True)


def test_a_player_does_not_differ_from_itself(positions: list[Position]) -> None:
    assert not find_moments(positions, ONE.playing, ONE.playing, ONE.playing, 2, 3, 0)


def test_changes_are_where_the_adapted_copy_goes_another_way_than_the_original(positions: list[Position]) -> None:
    config = AdaptationConfig(deals=3, copies=2, check_deals=3, bound=5.0, steps=StepsConfig(distance=0.5))
    moments = changes(Adapter(ONE, config, Honours(), 4), Hand("late", positions[0]), 20)
    assert 0 < len(moments) <= 20  # the first of a round
    for moment in moments:
        assert moment.seat == positions[0].seat
        tables = Tables(1, Rules.tenhou(), restart=False)
        tables.restore(np.array([moment.game]))
        decisions = tables.decisions()
        mine = decisions.seat == moment.seat
        part = Decisions(decisions.game[mine], decisions.seat[mine], decisions.situation[mine], decisions.legal[mine])
        original = opinions_of(ONE.playing, tables.games, part)
        assert np.array_equal(original.probability[0], moment.probability[0])


def test_a_moment_is_drawn_with_what_the_seat_sees(moments: list[Moment], tmp_path: Path) -> None:
    plot_moment(tmp_path / "moment.png", moments[0], ("one", "other"), "a moment")
    assert (tmp_path / "moment.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.full
def test_styles_are_shares_of_rounds_on_the_same_deals(positions: list[Position]) -> None:
    hands = [Hand("late", position) for position in positions]
    found, moments = compare_styles(hands, ADAPTER, OTHER, 4)
    assert moments and found["hands"] == 2
    for name in COUNTED:
        assert 0 <= found[name]["first"] <= 1 and 0 <= found[name]["second"] <= 1
        assert found[name]["second_less_first"] == pytest.approx(found[name]["second"] - found[name]["first"])
    alike, _ = compare_styles(hands, ADAPTER, ONE, 4)
    assert all(alike[name]["interval"] == [0.0, 0.0] for name in (*COUNTED, "reward"))
    played = Adapter(ONE, AdaptationConfig(), points(), 3).play(positions, 4, 0)
    assert alike["reward"]["first"] == pytest.approx(played.rewards.mean() * 10_000)
