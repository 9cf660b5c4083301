"""Brier scores, calibration and slopes, on numbers whose answer is known."""

import numpy as np

from suphx.outlook.evaluation import ACTUAL, GAME, NETWORK, _discard_evaluation, _event, _value
from suphx.outlook.tables import count_tables, current_rank, suji_classes
from suphx.reward.evaluation import GameSampler

GAMES, EACH = 300, 100


def sampler(games: np.ndarray) -> GameSampler:
    return GameSampler(games, 200, 0)


def test_a_calibrated_probability_lies_on_the_diagonal_and_its_brier_score_is_its_variance():
    random = np.random.default_rng(0)
    games = np.repeat(np.arange(GAMES), EACH)
    predicted = random.choice([0.1, 0.4, 0.7], len(games))
    happened = random.random(len(games)) < predicted
    base = np.full(len(games), predicted.mean())
    samples = {GAME: games, ACTUAL: happened, NETWORK: predicted, "base rate": base}
    result = _event(sampler(games), samples, (0.25, 0.5))
    assert [round(each.predicted, 6) for each in result.calibration] == [0.1, 0.4, 0.7]
    for each in result.calibration:
        assert each.actual.low < each.predicted < each.actual.high
        assert each.actual.high - each.actual.low < 0.03
    score, base_score = result.brier[NETWORK], result.brier["base rate"]
    assert abs(score.value - (predicted * (1 - predicted)).mean()) < 0.003 and score.low < score.value < score.high
    assert abs(result.gain["base rate"].value - (1 - score.value / base_score.value)) < 1e-9
    assert result.gain["base rate"].low > 0


def test_a_bold_network_has_a_slope_below_one():
    random = np.random.default_rng(1)
    games = np.repeat(np.arange(GAMES), EACH)
    real = random.normal(0, 1000, len(games))
    samples = {GAME: games, ACTUAL: real + random.normal(0, 3000, len(games)), NETWORK: 2 * real + 50}
    result = _value(sampler(games), samples)
    assert result.slope.low < 0.5 < result.slope.high and result.slope.high < 0.6
    assert len(result.calibration) == 10


def test_games_are_drawn_whole():
    """In each game all examples are alike, so that the interval is as wide as that of the mean of as many games."""
    random = np.random.default_rng(2)
    happened = np.repeat(random.random(GAMES) < 0.3, EACH)
    games = np.repeat(np.arange(GAMES), EACH)
    result = sampler(games).mean(games, happened.astype(float))
    width = 2 * 1.96 * (0.3 * 0.7 / GAMES) ** 0.5
    assert 0.7 * width < result.high - result.low < 1.3 * width


def test_what_discards_cost_is_compared_with_what_they_gained():
    random = np.random.default_rng(3)
    games = np.repeat(np.arange(GAMES), EACH)
    preferred = random.normal(500, 300, len(games))
    agrees = random.random(len(games)) < 0.7
    cost = np.where(agrees, 0, random.uniform(-200, 800, len(games)))
    discard = preferred - cost
    columns = {
        GAME: games, "agrees": agrees, "preferred": preferred, "discard": discard,
        "position": preferred - 0.3 * 300, "gained": discard + random.normal(0, 500, len(games)),
        "difference": np.where(agrees, 0, cost / 400 + 0.5),
        "placement": cost / 4000 + random.normal(0, 0.5, len(games)),
    }  # fmt: skip
    result = _discard_evaluation(sampler(games), columns)
    assert result.decisions == len(games)
    assert result.costs[0].low is None and result.costs[0].high is None and result.costs[0].expected == 0
    for each in (*result.costs, *result.differences):
        assert abs(each.actual.value - each.expected) < 60, each
        assert abs(each.placement.value - each.expected / 4000) < 0.06, each
    assert result.slope.low < 1.02 and result.slope.high > 0.98


def test_the_tables_are_the_frequencies_of_the_examples(examples, legal):
    planes = examples.planes()
    tables = count_tables(examples)
    dealing = (examples.targets.kinds[:, :, None] >> np.arange(34) & 1).astype(bool)
    shown = np.broadcast_to(legal[:, None], dealing.shape)
    assert np.isclose(tables.tile, dealing[shown].mean())
    cells = suji_classes(examples.positions, examples.seats, planes)
    safe = (cells % 13 == 0) & shown
    assert safe.any() and not dealing[safe].any()  # nobody wins on a safe tile
    riichi = cells < 39
    assert dealing[shown & riichi].mean() > 3 * dealing[shown & ~riichi].mean()
    assert (tables.suji >= 0).all() and (tables.suji <= 1).all()
    assert np.allclose(tables.ranks.sum(axis=1), 1)


def test_the_current_rank_is_by_points_then_by_seat(examples):
    positions = examples.positions[:4].copy()
    positions["scores"] = [25000, 30000, 25000, 20000]
    assert current_rank(positions, np.array([0, 1, 2, 3], np.uint8)).tolist() == [1, 0, 2, 3]
