"""What is told of a predictor on held-out games."""

import numpy as np
import pytest
from reward_games import game, side_by_side

from suphx.reward.evaluation import BASELINES, PREDICTOR, baselines, evaluate
from suphx.reward.target import centered, ranks

PRIZES = centered((90, 45, 0, -135))
EVEN = (250, 250, 250, 250)
LEAD = (300, 250, 240, 210)


def rewards_of(games):
    return PRIZES[ranks(games.final_scores)]


def everywhere(games, rewards):
    """Return predictions [n, k-1, 4] that are the same after every round."""
    return np.repeat(rewards[:, None], games.starts.shape[1] - 1, 1)


def test_perfect_predictions_have_no_error_and_are_calibrated(selection):
    games = selection.games
    found = evaluate(games, rewards_of(games), {PREDICTOR: everywhere(games, rewards_of(games))}, 50, 0)
    assert found.errors["all"][PREDICTOR].rmse.value == 0
    assert found.calibration_slope.value == pytest.approx(1)
    assert [each.actual.value for each in found.calibration] == pytest.approx([e.predicted for e in found.calibration])


def test_too_bold_predictions_show_in_the_slope(selection):
    games = selection.games
    found = evaluate(games, rewards_of(games), {PREDICTOR: 2 * everywhere(games, rewards_of(games))}, 50, 0)
    assert found.calibration_slope.value == pytest.approx(0.5)


def test_errors_are_averaged_over_a_games_rounds_before_games():
    short = game((0, 0, 0, EVEN), (1, 0, 0, EVEN), final=LEAD)
    long = game((0, 0, 0, EVEN), (0, 1, 0, EVEN), (1, 0, 0, EVEN), (2, 0, 0, EVEN), final=LEAD)
    games = side_by_side(short, long)
    mistakes = np.zeros((2, 3))
    mistakes[0, 0] = 4
    mistakes[1] = [1, 2, 3]
    predictions = everywhere(games, rewards_of(games)) + mistakes[..., None]
    found = evaluate(games, rewards_of(games), {PREDICTOR: predictions}, 20, 0)
    errors = {name: each[PREDICTOR] for name, each in found.errors.items()}
    assert found.examples == {"all": 16, "East 1": 12, "East 2": 4}
    assert errors["all"].rmse.value ** 2 == pytest.approx((16 + (1 + 4 + 9) / 3) / 2)
    assert errors["all"].mae.value == pytest.approx((4 + 2) / 2)
    assert errors["East 1"].rmse.value ** 2 == pytest.approx((16 + 1 + 4) / 3)
    assert errors["East 2"].rmse.value == pytest.approx(3)


def test_the_interval_of_the_mean_is_about_two_standard_errors():
    generator = np.random.default_rng(0)
    games = side_by_side(*[game((0, 0, 0, EVEN), (1, 0, 0, EVEN), final=LEAD)] * 400)
    sizes = np.abs(generator.normal(size=(400, 1, 1)))
    found = evaluate(games, rewards_of(games), {PREDICTOR: everywhere(games, rewards_of(games)) + sizes}, 2000, 0)
    mae = found.errors["all"][PREDICTOR].mae
    assert mae.high - mae.low == pytest.approx(2 * 1.96 * sizes.std() / 20, rel=0.1)
    assert mae.low < mae.value < mae.high


def test_excess_is_the_difference_of_the_errors(selection):
    games = selection.games
    worth = everywhere(games, rewards_of(games))
    found = evaluate(games, rewards_of(games), {PREDICTOR: worth + 1, "other": worth + 3}, 50, 0)
    excess = found.errors["all"]["other"].excess
    assert excess is not None and excess.value == pytest.approx(2)
    assert (excess.low, excess.high) == pytest.approx((2, 2))


def test_a_game_of_one_round_has_nothing_to_predict():
    one, two = game((0, 0, 0, EVEN), final=LEAD), game((0, 0, 0, EVEN), (1, 0, 0, EVEN), final=LEAD)
    games = side_by_side(one, two)
    found = evaluate(games, rewards_of(games), {PREDICTOR: everywhere(games, rewards_of(games))}, 20, 0)
    assert (found.games, found.examples["all"]) == (1, 4)


@pytest.fixture(scope="module")
def simple(selection):
    training, tested = selection.part("training"), selection.part("test")
    return baselines(training, rewards_of(training), tested, PRIZES, "east_south"), tested


def test_every_simple_predictor_adds_up_to_zero(simple):
    found, tested = simple
    assert set(found) == set(BASELINES)
    for values in found.values():
        assert values.shape == (len(tested), tested.starts.shape[1] - 1, 4)
        assert np.abs(values.sum(-1)).max() < 1e-6


def test_current_points_are_worth_the_prize_of_their_rank():
    games = game((0, 0, 0, EVEN), (1, 0, 0, LEAD[::-1]), final=EVEN)
    found = baselines(games, rewards_of(games), games, PRIZES, "east_south")
    assert found["current points"][0, 0].tolist() == [-135, 0, 45, 90]


def test_the_constant_is_the_training_games_mean_by_seat(simple, selection):
    training = selection.part("training")
    assert simple[0]["constant"][0, 0] == pytest.approx(rewards_of(training).mean(0))


def test_the_linear_predictor_finds_what_is_linear_in_the_points(selection):
    training, tested = selection.part("training"), selection.part("test")
    deviation = training.starts["scores"][:, 1] / 1000 - 25  # after the first round, and taken as worth this much
    two = training.take(np.flatnonzero(training.n_starts > 1))
    two = type(two)(two.starts[:, :2], np.full(len(two), 2), two.ended, two.final_scores)
    found = baselines(two, deviation[training.n_starts > 1] * 3, tested, PRIZES, "east_south")
    first = tested.starts["scores"][:, 1] / 1000 - 25
    expected = 3 * (first - first.mean(1, keepdims=True))
    assert found["linear"][:, 0] == pytest.approx(expected, abs=0.3)
