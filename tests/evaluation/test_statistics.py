"""Measures and their intervals, by simulation where the true answer is known."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from evaluation_units import units_of

from suphx.errors import InputError
from suphx.evaluation.measures import MEASURE, MEASURES, prize_measure, stable_rank
from suphx.evaluation.statistics import (
    ANYTIME_FROM,
    anytime_intervals,
    difference,
    jackknife,
    resampled,
    running,
    summary,
)
from suphx.evaluation.tally import COLUMN, COLUMNS

SUPHX = (0.293, 0.275, 0.244, 0.187)


def ranks_of(random: np.random.Generator, skill: np.ndarray | float, deals: int, luck: float = 0.8) -> np.ndarray:
    """Return ranks u8[deals, 4] of a player whose games on a deal share its luck."""
    shared = random.normal(0, luck, (deals, 1))
    return np.clip(np.round(1.5 + skill + shared + random.normal(0, 1, (deals, 4))), 0, 3).astype(np.uint8)


def true_average_rank(luck: float = 0.8) -> float:
    random = np.random.default_rng(99)
    return float(ranks_of(random, 0.0, 200_000, luck).mean()) + 1


def test_stable_rank_is_the_dan_at_which_gains_and_losses_cancel() -> None:
    rates = np.array(SUPHX)
    for room, first, second in (("expert", 75, 30), ("phoenix", 90, 45)):
        dan = stable_rank(rates, room)
        assert first * rates[0] + second * rates[1] - (30 + 15 * dan) * rates[3] == pytest.approx(0, abs=1e-9)


def test_the_papers_stable_ranks_follow_from_its_rank_rates() -> None:
    # Tables 4 and 5; the rates are rounded to a tenth of a percent there, and Bakuuchi's add up to 99.8 %.
    for rates, stated in (
        (SUPHX, 8.74), ((0.280, 0.262, 0.232, 0.224), 6.59), ((0.256, 0.272, 0.259, 0.211), 6.64),
        ((0.280, 0.268, 0.247, 0.205), 7.46),
    ):  # fmt: skip
        assert stable_rank(np.array(rates), "expert") == pytest.approx(stated, abs=0.05)


def test_a_stable_rank_is_not_taken_of_all_columns() -> None:
    with pytest.raises(ValueError, match="there are four"):
        stable_rank(np.ones((3, len(COLUMNS))), "expert")


def test_measures_of_known_counts() -> None:
    sums = np.zeros(len(COLUMNS))
    known = {
        "games": 4, "first": 2, "second": 1, "fourth": 1, "rank_sum": 8, "points": 120_000, "final_points": 480,
        "rounds": 40, "wins": 10, "win_points": 62_000, "hand_points": 60_000, "draw_wins": 4, "win_turns": 118,
        "deal_ins": 4, "deal_in_points": 20_800, "riichi": 8, "call_rounds": 16, "exhaustive_draws": 5,
        "tenpai_draws": 2,
    }  # fmt: skip
    for name, value in known.items():
        sums[COLUMN[name]] = value
    expected = {
        "stable_rank_expert": 10, "stable_rank_phoenix": 13, "average_rank": 2, "first": 0.5, "third": 0,
        "points": 30_000, "final_points": 12, "win_rate": 0.25, "deal_in_rate": 0.1, "riichi_rate": 0.2,
        "call_rate": 0.4, "average_win": 6200, "average_hand": 6000, "average_deal_in": 5200, "draw_win_share": 0.4,
        "turns_to_win": 11.8, "draw_tenpai_rate": 0.4,
    }  # fmt: skip
    for name, value in expected.items():
        assert MEASURE[name].of(sums) == pytest.approx(value), name
    assert prize_measure([90, 45, 0, -135]).of(sums) == pytest.approx((2 * 90 + 45 - 135) / 4)


def test_measures_are_written_as_what_they_are() -> None:
    assert MEASURE["win_rate"].text(0.2283) == "22.83%"
    assert MEASURE["average_win"].text(6512.4) == "6,512"
    assert MEASURE["average_rank"].difference_text(-0.05) == "-0.050"
    assert MEASURE["win_rate"].difference_text(0.0105) == "+1.05 pp"
    assert MEASURE["average_win"].difference_text(None) == "-"
    assert MEASURE["stable_rank_expert"].text(None) == "-"
    assert len({measure.name for measure in MEASURES}) == len(MEASURES)


def test_intervals_cover_the_true_average_rank_as_often_as_they_say() -> None:
    random, true = np.random.default_rng(1), true_average_rank()
    covered = 0
    for run in range(300):
        low, high = summary(units_of(ranks_of(random, 0.0, 120)), seed=run)["average_rank"]["interval"]
        covered += low <= true <= high
    assert 0.91 <= covered / 300 <= 0.985  # 95 % less and more than three standard errors


def test_games_of_a_deal_taken_for_independent_would_give_intervals_that_are_too_narrow() -> None:
    random, true = np.random.default_rng(2), true_average_rank()
    covered = 0
    for run in range(150):
        ranks = ranks_of(random, 0.0, 120)
        low, high = summary(units_of(ranks.reshape(-1, 1)), seed=run)["average_rank"]["interval"]
        covered += low <= true <= high
    assert covered / 150 < 0.88


def paired(random: np.random.Generator, deals: int, better: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the units of two players on the same deals, the second so much better in rank, about."""
    shared = random.normal(0, 1.2, (deals, 1))
    first, second = (ranks_of(random, shared - skill, deals, 0.0) for skill in (0.0, better))
    return units_of(first), units_of(second)


def test_a_paired_difference_is_narrower_than_an_unpaired_one() -> None:
    first, second = paired(np.random.default_rng(3), 400, 0.1)
    together = difference(first, second)["average_rank"]
    apart = difference(first, np.roll(second, 7, axis=0))["average_rank"]
    assert together["value"] == pytest.approx(apart["value"])
    assert together["standard_error"] < 0.7 * apart["standard_error"]


def test_intervals_of_differences_cover_the_true_one() -> None:
    random = np.random.default_rng(4)
    a, b = paired(np.random.default_rng(98), 200_000, 0.15)
    true = (a - b)[:, COLUMN["rank_sum"]].mean() / 4
    covered, seen = 0, 0
    for run in range(200):
        found = difference(*paired(random, 100, 0.15), seed=run)["average_rank"]
        covered += found["interval"][0] <= true <= found["interval"][1]
        seen += found["p"] < 0.05
        assert (found["p"] < 0.05) == (not found["interval"][0] <= 0 <= found["interval"][1]) or found["p"] < 0.08
    assert 0.90 <= covered / 200 <= 0.99


def test_the_smallest_difference_is_one_that_four_runs_in_five_tell_from_none() -> None:
    random = np.random.default_rng(5)
    smallest = difference(*paired(random, 100, 0.0))["average_rank"]["smallest_difference"]
    a, b = paired(np.random.default_rng(97), 100_000, 0.3)
    per_skill = (a - b)[:, COLUMN["rank_sum"]].mean() / 4 / 0.3  # ranks gained for each unit of skill, about
    told = 0
    for run in range(200):
        low, high = difference(*paired(random, 100, smallest / per_skill), seed=run)["average_rank"]["interval"]
        told += not low <= 0 <= high
    assert 0.68 <= told / 200 <= 0.92


def test_the_difference_of_an_agent_to_itself_is_none_at_all() -> None:
    units = units_of(ranks_of(np.random.default_rng(6), 0.0, 50))
    found = difference(units, units)["stable_rank_expert"]
    assert found == {
        "value": 0, "interval": [0, 0], "standard_error": 0, "p": 1, "smallest_difference": 0,
    }  # fmt: skip


def test_a_pairing_needs_the_same_deals() -> None:
    units = units_of(ranks_of(np.random.default_rng(7), 0.0, 50))
    with pytest.raises(InputError, match="49 of the other"):
        difference(units, units[1:])


def test_never_fourth_is_no_number_and_nothing_dealt_in_is_no_average() -> None:
    found = summary(units_of(np.zeros((30, 4), np.uint8)))
    assert found["stable_rank_expert"] == {"value": None, "interval": [None, None]}
    assert found["average_deal_in"] == {"value": None, "interval": [None, None]}
    assert found["average_rank"] == {"value": 1, "interval": [1, 1]}
    assert (found["games"], found["deals"], found["rounds"]) == (120, 30, 1200)


def test_no_game_is_an_error() -> None:
    with pytest.raises(InputError, match="no game"):
        summary(np.zeros((3, len(COLUMNS)), np.int64))


def test_the_same_seed_gives_the_same_interval_and_another_nearly() -> None:
    units = units_of(ranks_of(np.random.default_rng(8), 0.0, 300))
    one, again, other = (summary(units, seed)["average_rank"]["interval"] for seed in (1, 1, 2))
    assert one == again != other
    assert np.allclose(one, other, atol=0.02)


def test_a_hundred_thousand_games_take_little_memory() -> None:
    units = units_of(ranks_of(np.random.default_rng(9), 0.0, 25_000))
    tracemalloc.start()
    summary(units)
    resampled(units, samples=200, games=80_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 80 << 20


def test_drawing_neighbors_together_gives_the_same_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    units = units_of(ranks_of(np.random.default_rng(10), 0.0, 6001))
    low, high = summary(units)["average_rank"]["interval"]
    monkeypatch.setattr("suphx.evaluation.statistics._MOST_UNITS", 1500)
    other = summary(units)["average_rank"]
    assert other["value"] == pytest.approx(low + (high - low) / 2, abs=0.01)
    assert np.diff(other["interval"])[0] == pytest.approx(high - low, rel=0.12)


def test_resampling_draws_each_deal_once_at_most() -> None:
    units = np.zeros((10, len(COLUMNS)), np.int64)
    units[:, COLUMN["games"]] = 4
    units[:, COLUMN["rank_sum"]] = 1 << np.arange(10)
    drawn = resampled(units, samples=50, games=32, seed=1)
    assert (drawn[:, COLUMN["games"]] == 32).all()
    assert all(int(total).bit_count() == 8 for total in drawn[:, COLUMN["rank_sum"]])
    assert (resampled(units, samples=5, games=12)[:, COLUMN["games"]] == 12).all()
    for wrong in (1, 41):
        with pytest.raises(InputError):
            resampled(units, samples=1, games=wrong)


def test_stable_ranks_of_more_games_lie_closer_together() -> None:
    random = np.random.default_rng(11)
    units = units_of(random.choice(4, (20_000, 1), p=np.array(SUPHX) / sum(SUPHX)).astype(np.uint8))
    measure = MEASURE["stable_rank_expert"]
    spread = {games: float(np.std(measure.of(resampled(units, 400, games=games)))) for games in (250, 1000, 4000)}
    assert spread[250] / spread[1000] == pytest.approx(2, rel=0.25)
    assert spread[1000] > 1.8 * spread[4000]  # more than half, for the four thousand are a fifth of all


@pytest.mark.parametrize("name", ["average_rank", "stable_rank_expert", "first"])
def test_jackknife_and_bootstrap_agree(name: str) -> None:
    units = units_of(ranks_of(np.random.default_rng(12), 0.0, 1000))
    value, error = jackknife(units, MEASURE[name])
    found = summary(units)[name]
    assert value == pytest.approx(found["value"])
    assert 3.92 * error == pytest.approx(found["interval"][1] - found["interval"][0], rel=0.15)


def test_one_deal_says_nothing_of_its_error() -> None:
    units = units_of(np.array([[0, 1, 2, 2]], np.uint8))
    assert jackknife(units, MEASURE["average_rank"]) == (2.25, float("inf"))
    found = running(units, MEASURE["average_rank"])
    assert found == {"deals": [1], "games": [4], "value": [2.25], "low": [None], "high": [None]}


def test_the_running_estimate_ends_at_the_whole() -> None:
    units = units_of(ranks_of(np.random.default_rng(13), 0.0, 500))
    found = running(units, MEASURE["stable_rank_expert"], points=20)
    assert len(found["deals"]) == 20 and found["deals"][-1] == 500 and found["games"][-1] == 2000
    assert found["value"][-1] == pytest.approx(summary(units)["stable_rank_expert"]["value"])
    widths = np.array(found["high"], float) - np.array(found["low"], float)
    assert widths[-1] < 0.5 * widths[2]


def test_the_anytime_interval_holds_while_one_looks_after_every_deal_and_the_fixed_one_does_not() -> None:
    random, true = np.random.default_rng(15), true_average_rank()
    runs, deals = 400, 3000
    missed, fixed_missed = 0, 0
    for _ in range(runs):
        values = ranks_of(random, 0.0, deals).mean(axis=1) + 1
        low, high = anytime_intervals(values).T
        missed += bool(((true < low) | (true > high)).any())
        t = np.arange(1, deals + 1)
        mean = values.cumsum() / t
        error = np.sqrt(np.maximum((values**2).cumsum() / t - mean**2, 0) / t)
        fixed_missed += bool((abs(mean - true) > 1.96 * error)[ANYTIME_FROM - 1 :].any())
    assert missed / runs <= 0.05
    assert fixed_missed / runs > 0.3


def test_the_anytime_interval_is_not_much_wider_than_a_fixed_one_at_its_focus() -> None:
    values = np.random.default_rng(16).normal(2.5, 0.7, 1000)
    low, high = anytime_intervals(values)[-1]
    fixed = 2 * 1.96 * values.std() / np.sqrt(1000)
    assert 1.2 < (high - low) / fixed < 1.8
    assert low < values.mean() < high


def test_the_anytime_interval_says_nothing_at_first() -> None:
    assert anytime_intervals(np.ones(ANYTIME_FROM)).tolist() == [[-np.inf, np.inf]] * (ANYTIME_FROM - 1) + [[1, 1]]
