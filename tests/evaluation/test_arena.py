from __future__ import annotations

import numpy as np
import pytest

from simulator.record import SEATS
from suphx.agent.loading import load_agent
from suphx.evaluation.arena import Match, play_match
from suphx.evaluation.statistics import stable_rank, summary


def test_one_of_four_equals_has_every_place_once_on_every_deal() -> None:
    sensible = load_agent("sensible")
    match = play_match(sensible, [sensible], deals=6, seed=1)
    assert np.sort(match.ranks, axis=1).tolist() == [[0, 1, 2, 3]] * 6
    assert summary(match)["average_rank"] == {"value": 2.5, "interval": [2.5, 2.5]}
    assert (match.scores.sum(axis=1) == 100_000).all()  # of one game, from its four seats


def test_the_games_do_not_depend_on_how_many_are_played_side_by_side() -> None:
    sensible, random = load_agent("sensible"), load_agent("random", seed=3)
    one, two = (play_match(sensible, [random], deals=5, seed=2, batch=batch) for batch in (1, 64))
    assert np.array_equal(one.scores, two.scores) and np.array_equal(one.ranks, two.ranks)


def test_three_different_opponents_keep_their_order_after_the_challenger() -> None:
    names = ["sensible", "tsumogiri", "random", "never_calls"]
    agents = [load_agent(name) for name in names]
    match = play_match(agents[0], agents[1:], deals=2, seed=4)
    turned = play_match(agents[1], [*agents[2:], agents[0]], deals=2, seed=4)
    # The challenger on seat s, and the second of them as challenger on seat s + 1, sit in the same game.
    seats = (np.arange(SEATS) + 1) % SEATS
    assert (match.ranks != turned.ranks[:, seats]).all()  # two seats of one game never share a rank


def test_sensible_beats_three_random_players() -> None:
    found = summary(play_match(load_agent("sensible"), [load_agent("random")], deals=8, seed=0))
    assert found["average_rank"]["interval"][1] < 1.5


def test_two_opponents_are_an_error() -> None:
    sensible = load_agent("sensible")
    with pytest.raises(ValueError, match="2 opponents"):
        play_match(sensible, [sensible, sensible], 1, 0)


def test_stable_rank_is_the_dan_at_which_gains_and_losses_cancel() -> None:
    rates = np.array([0.293, 0.275, 0.244, 0.187])  # Suphx at Tenhou (the paper's Table 5)
    for room, first, second in (("expert", 75, 30), ("phoenix", 90, 45)):
        dan = stable_rank(rates, room)
        assert first * rates[0] + second * rates[1] - (30 + 15 * dan) * rates[3] == pytest.approx(0, abs=1e-9)
    assert stable_rank(rates, "expert") == pytest.approx(8.74, abs=0.05)


def test_intervals_cover_the_true_average_rank_as_often_as_they_say() -> None:
    random = np.random.default_rng(1)
    covered = 0
    for _ in range(100):
        shift = random.normal(0, 0.7, (120, 1))  # a deal is good or bad from all four seats
        ranks = np.clip(np.round(1.5 + shift + random.normal(0, 1, (120, SEATS))), 0, 3).astype(np.uint8)
        low, high = summary(Match(ranks, np.zeros((120, SEATS), np.int32)))["average_rank"]["interval"]
        covered += low <= 2.5 <= high
    assert covered >= 88
