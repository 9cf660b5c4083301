"""The reward of a round: hand-made rounds, and sums over whole games."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.players import player
from simulator.players.play import play_games
from simulator.record import GAME, RESULT_RON, SEATS
from simulator.rules import Rules
from simulator.tables import Ended
from suphx.errors import InputError
from suphx.reward.games import START, Games
from suphx.reward.kinds import RewardKind, TableRewards
from suphx.reward.predictor import RewardPredictor
from suphx.reward.rounds import SHIPPED_PREDICTOR, PhiReward, PhiRewards, RoundReward

RULES = Rules.tenhou()


def rewards_of(config: RewardKind, slots: int) -> TableRewards:
    return TableRewards(config.load(RULES), slots)


@pytest.fixture(scope="module")
def games() -> list[np.ndarray]:
    """The records of the rounds of some games."""
    return [game.rounds for game in play_games([player("sensible")] * 4, 8, RULES, seed=3)]


def steps_of(games: list[np.ndarray]) -> list[Ended]:
    """Return the games' rounds as if they were played side by side: in each step one round of those still going."""
    steps = []
    for place in range(max(map(len, games))):
        going = np.array([slot for slot, rounds in enumerate(games) if place < len(rounds)], np.int32)
        steps.append(Ended(going, np.array([games[slot][place] for slot in going], GAME)))
    return steps


def rewards_by_game(rewards: TableRewards, games: list[np.ndarray]) -> list[np.ndarray]:
    """Return f32[rounds, 4] of each game."""
    steps = steps_of(games)
    slots, rows = np.concatenate([each.game for each in steps]), np.concatenate([rewards.of(each) for each in steps])
    return [rows[slots == slot] for slot in range(len(games))]


@pytest.mark.parametrize("config", [RoundReward(), PhiReward()])
def test_rewards_of_several_steps_at_once_are_those_of_each(config, games):
    each, at_once = rewards_of(config, len(games)), rewards_of(config, len(games))
    steps = steps_of(games)
    assert len({len(rounds) for rounds in games}) > 1  # some games end while others go on
    expected = np.concatenate([each.of(ended) for ended in steps])
    assert at_once.of_several([(ended, at_once.note(ended)) for ended in steps]) == pytest.approx(expected, abs=1e-5)
    assert at_once.take_errors() == pytest.approx(each.take_errors(), rel=1e-4)


@pytest.mark.parametrize("config", [RoundReward(), PhiReward()])
def test_the_rewards_of_a_round_add_up_to_zero(config, games):
    for rounds in rewards_by_game(rewards_of(config, len(games)), games):
        assert rounds.sum(axis=1) == pytest.approx(0, abs=1e-5)
        assert np.abs(rounds).max() > 0.1


def test_points_of_a_game_add_up_to_those_at_its_end_less_those_at_its_start(games):
    rewards = rewards_of(RoundReward(unit=1000), len(games))
    for rounds, records in zip(rewards_by_game(rewards, games), games, strict=True):
        final = records[-1]["result"]["scores"]
        assert rounds.sum(axis=0) * 1000 == pytest.approx(final - final.mean(), abs=0.1)


def test_changes_of_phi_add_up_to_the_prizes_less_phi_of_the_start(games):
    predictor = RewardPredictor.load(SHIPPED_PREDICTOR)
    rewards = rewards_of(PhiReward(unit=2.0), len(games))
    for rounds, records in zip(rewards_by_game(rewards, games), games, strict=True):
        prizes = predictor.description.prizes[records[-1]["result"]["ranks"]]
        assert rounds.sum(axis=0) * 2.0 == pytest.approx(prizes - predictor.start, abs=1e-3)


def test_each_change_of_phi_is_that_of_the_whole_game_looked_at_afterwards(games):
    predictor = RewardPredictor.load(SHIPPED_PREDICTOR)
    rewards = rewards_of(PhiReward(), len(games))
    for rounds, records in zip(rewards_by_game(rewards, games), games, strict=True):
        starts = np.zeros((1, len(records)), START)
        starts["scores"], starts["bets"] = records["start_scores"], records["start_bets"]
        starts["round"], starts["repeat_counter"] = records["result"]["round"], records["result"]["repeat_counter"]
        whole = Games(starts, np.array([len(records)]), np.array([True]), records[-1:]["result"]["scores"])
        expected = np.diff(predictor.phi(whole)[0], axis=0) / predictor.description.scale
        assert rounds == pytest.approx(expected, abs=1e-5)


def test_a_riichi_bet_is_the_bettors_loss_and_the_winners_gain():
    record = np.zeros(1, GAME)
    record["start_scores"] = 25_000
    record["result"]["type"] = RESULT_RON
    # Seat 0 bets 1,000 and deals 2,000 points in to seat 2; 1,000 lay on the table before.
    record["result"]["scores"] = [22_000, 25_000, 29_000, 25_000]
    (found,) = rewards_of(RoundReward(unit=1000), 1).of(Ended(np.array([0], np.int32), record))
    assert found.tolist() == [-3.25, -0.25, 3.75, -0.25]  # the bet that came from before is taken off evenly


def test_a_bet_left_on_the_table_is_a_loss_to_who_made_it():
    record = np.zeros(1, GAME)
    record["start_scores"] = 25_000
    record["result"]["scores"] = [25_000, 24_000, 25_000, 25_000]
    (found,) = rewards_of(RoundReward(unit=1000), 1).of(Ended(np.array([0], np.int32), record))
    assert found.tolist() == [0.25, -0.75, 0.25, 0.25]


def test_a_games_rewards_do_not_depend_on_the_longer_game_that_was_at_its_table_before(games):
    predictor = RewardPredictor.load(SHIPPED_PREDICTOR)
    longest, shortest = max(games, key=len), min(games, key=len)
    assert len(longest) > len(shortest)
    rewards = TableRewards(PhiRewards(predictor), 1)
    rewards_by_game(rewards, [longest])
    (after,) = rewards_by_game(rewards, [shortest])
    (alone,) = rewards_by_game(TableRewards(PhiRewards(predictor), 1), [shortest])
    assert after == pytest.approx(alone, abs=1e-6)


def test_phi_is_off_by_what_was_still_to_come_as_each_round_began(games):
    rewards = rewards_of(PhiReward(unit=1.0), len(games))
    rounds = rewards_by_game(rewards, games)
    to_come = [each[::-1].astype(float).cumsum(axis=0) for each in rounds]
    square, count = sum((each**2).sum() for each in to_come), sum(each.size for each in to_come)
    assert rewards.take_errors() == (pytest.approx(square, rel=1e-4), count)
    assert rewards.take_errors() == (0, 0)  # they are told once


def test_a_game_in_progress_has_not_come_to_anything_yet_and_points_expect_nothing(games):
    begun = rewards_of(PhiReward(), 1)
    rewards_by_game(begun, [games[0][:3]])
    points = rewards_of(RoundReward(), 1)
    rewards_by_game(points, [games[0]])
    assert begun.take_errors() == points.take_errors() == (0, 0)


def test_games_in_progress_go_on_from_their_state(games):
    first, second = (rewards_of(PhiReward(), 1) for _ in range(2))
    rounds = games[0]
    (whole,) = rewards_by_game(first, [rounds])
    (begun,) = rewards_by_game(second, [rounds[:4]])
    third = rewards_of(PhiReward(), 1)
    third.restore(second.state())
    (rest,) = rewards_by_game(third, [rounds[4:]])
    assert np.array_equal(np.concatenate([begun, rest]), whole)


def test_a_game_of_more_rounds_than_there_was_room_for():
    predictor = RewardPredictor.load(SHIPPED_PREDICTOR)
    rewards = TableRewards(PhiRewards(predictor, unit=1.0), 1)
    total = np.zeros(SEATS)
    for deals in range(1, 41):
        record = np.zeros(1, GAME)
        record["deals"] = deals
        record["start_scores"] = record["scores"] = record["result"]["scores"] = 25_000
        record["repeat_counter"], record["result"]["repeat_counter"] = min(deals, 40), deals - 1
        record["result"]["game_over"] = deals == 40
        total += rewards.of(Ended(np.array([0], np.int32), record))[0]
    expected = predictor.description.prizes - predictor.start  # equal points: the seat nearer the first dealer is first
    assert total == pytest.approx(expected, abs=1e-3)


def test_a_predictor_of_other_rules_is_refused():
    with pytest.raises(InputError, match="length is 'east'; the reward predictor was trained with 'east_south'"):
        PhiReward().load(Rules(length="east"))


def test_a_predictor_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no such file of a reward predictor"):
        PhiReward(predictor=tmp_path / "none.safetensors").load(RULES)
