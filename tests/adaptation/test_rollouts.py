"""Rollouts: what stays and what changes in them, that they can be had again, and what is kept of them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from simulator.asking import MISSED_IN_RIICHI
from simulator.players import player
from simulator.players.play import play_games
from simulator.record import GAME, PHASE_TURN
from simulator.redeal.hidden import redeal_hidden
from simulator.rules import Rules
from simulator.tables import Decisions, Ended, Tables
from suphx.adaptation.rollouts import ROLLOUT, FinishedRollouts, RolloutPosition, rewards_of, roll_out, rollouts_of
from suphx.agent.interface import Agent, AgentOutput
from suphx.agent.sampling import highest_probability
from suphx.learning.distributions import log_probabilities
from suphx.reward.games import START
from suphx.reward.kinds import TableRewards
from suphx.reward.rounds import PhiReward
from suphx.selfplay.collect import as_bytes
from tests.adaptation.adaptation_positions import PRECISION, first_rounds, late_positions, points, start_of, tiny_agent

SEED = 3


def rolled(positions: list[RolloutPosition], rollouts: np.ndarray) -> FinishedRollouts:
    agent = tiny_agent()
    own = agent.sampling(1.0, SEED)
    return roll_out(positions, rollouts, [own] * len(positions), agent.greedy, points(), SEED, True)


class Watcher:
    """Passes decisions on and keeps the records at which a seat was first asked."""

    name = "watcher"

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self.first: dict[int, np.void] = {}

    def act(self, games: np.ndarray, decisions: Decisions) -> AgentOutput:
        for game in decisions.game.tolist():
            self.first.setdefault(int(games["seed"][game]), games[game].copy())
        return self._agent.act(games, decisions)


def test_own_hand_and_what_is_visible_stay_and_the_rest_is_dealt_anew() -> None:
    (position,) = late_positions(1)
    agent = tiny_agent()
    watcher = Watcher(agent.greedy)
    roll_out([position], rollouts_of(1, 20), [watcher], watcher, points(), SEED)
    records = list(watcher.first.values())
    assert len(records) == 20
    other = (position.seat + 1) % 4
    for record in records:
        assert np.array_equal(record["copies"][position.seat], position.game["copies"][position.seat])
        assert record["drawn"] == position.game["drawn"] and record["wall"][5] == position.game["wall"][5]
    assert len({record["copies"][other].tobytes() for record in records}) == 20
    assert len({record["wall"].tobytes() for record in records}) == 20


def test_a_round_begins_with_the_hand_of_a_seat_that_is_not_asked_yet() -> None:
    position = first_rounds(2)[1]
    watcher = Watcher(tiny_agent().greedy)
    roll_out([position], rollouts_of(1, 3), [watcher], watcher, points(), SEED)
    for record in watcher.first.values():
        assert record["n_events"] == 1 and record["turn"] != position.seat
        assert np.array_equal(record["copies"][position.seat], position.game["copies"][position.seat])


def test_copies_of_a_deal_have_its_tiles_and_other_random_numbers() -> None:
    positions = late_positions(2)
    rollouts = rollouts_of(2, 6, copies=3)
    watcher = Watcher(tiny_agent().greedy)
    roll_out(positions, rollouts, [watcher] * 2, watcher, points(), SEED)
    walls = np.array([record["wall"] for record in watcher.first.values()])
    assert len(watcher.first) == 36  # each rollout has a seed of its own
    assert len(np.unique(walls, axis=0)) == 12
    found = rolled(positions, rollouts)
    answers = [found.experience["action"][found.experience["trajectory"] == row] for row in range(36)]
    assert len({each.tobytes() for each in answers}) > 18


@pytest.mark.parametrize("side_by_side", [1, 7, 500])
def test_a_rollout_does_not_depend_on_what_is_played_beside_it(
    side_by_side: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    positions, rollouts = late_positions(3), rollouts_of(3, 4, first=1 << 33)
    expected = rolled(positions, rollouts)
    monkeypatch.setattr("suphx.adaptation.rollouts.SIDE_BY_SIDE", side_by_side)
    found = rolled(positions, rollouts)
    assert np.array_equal(as_bytes(expected.ended), as_bytes(found.ended))
    assert np.array_equal(expected.experience, found.experience)


def test_a_position_alone_has_the_same_rollouts_as_among_others() -> None:
    positions, rollouts = late_positions(3), rollouts_of(3, 4)
    together, alone = rolled(positions, rollouts), rolled(positions[1:2], rollouts_of(1, 4))
    assert np.array_equal(as_bytes(together.ended[4:8]), as_bytes(alone.ended))


def test_seeds_and_numbers_of_deals_make_other_rollouts() -> None:
    (position,) = late_positions(1)
    agent = tiny_agent()
    ends = [
        roll_out([position], rollouts_of(1, 4, first), [agent.greedy], agent.greedy, points(), seed).ended["wall"]
        for first, seed in ((0, 1), (4, 1), (0, 2))
    ]
    assert len({each.tobytes() for each in ends}) == 3


def test_every_question_is_kept_with_what_the_network_said() -> None:
    positions, rollouts = late_positions(2), rollouts_of(2, 5)
    found = rolled(positions, rollouts)
    experience = found.experience
    assert set(experience["trajectory"].tolist()) <= set(range(10)) and np.all(
        np.diff(experience["trajectory"].astype(int)) >= 0
    )
    legal = torch.from_numpy(np.array(experience["legal"]))
    network = tiny_agent().networks["discard"]
    with torch.inference_mode():
        said = network.of_packed(np.ascontiguousarray(experience["planes"]), PRECISION)
        log_policy = log_probabilities(said, legal)
    taken = log_policy[torch.arange(len(experience)), torch.from_numpy(experience["action"].astype(np.int64))]
    assert np.allclose(taken.numpy(), experience["log_probability"], atol=1e-4)
    for row in range(10):
        mine = experience["trajectory"] == row
        seat = positions[rollouts["position"][row]].seat
        assert mine.sum() <= found.ended["n_river"][row, seat] + 1


def test_sure_answers_are_left_out_if_so_wanted() -> None:
    positions, rollouts, agent = late_positions(1), rollouts_of(1, 6), tiny_agent()
    own = agent.sampling(1.0)
    every = roll_out(positions, rollouts, [own], agent.greedy, points(), SEED, True).experience
    logits = agent.policy.evaluator.logits(every["planes"])
    sureness = highest_probability(logits, every["legal"])
    bound = float(np.median(sureness))
    some = roll_out(positions, rollouts, [own], agent.greedy, points(), SEED, True, bound).experience
    assert 0 < len(some) < len(every)
    assert np.array_equal(some["planes"], every["planes"][sureness <= bound])


def test_nothing_to_roll_out_is_no_error() -> None:
    found = rolled(first_rounds(1), np.zeros(0, ROLLOUT))
    assert len(found.ended) == 0 and len(found.experience) == 0


def test_positions_that_nobody_can_adapt_from_are_refused() -> None:
    (position,) = first_rounds(1)
    over = np.zeros(1, GAME)[0]
    with pytest.raises(ValueError, match="a decision of its seat"):
        RolloutPosition(over, 0, position.history)


def test_phi_of_a_rollout_is_what_self_play_gives_for_the_same_round() -> None:
    rules = Rules.tenhou()
    phi = PhiReward().load(rules)
    for game in play_games([player("sensible")] * 4, 6, rules, seed=8):
        rewards = TableRewards(phi, 1)
        history = np.zeros(0, START)
        for number, record in enumerate(game.rounds):
            expected = rewards.of(Ended(np.zeros(1, np.int32), game.rounds[number : number + 1]))[0]
            start = np.zeros(1, START)
            start["scores"], start["bets"] = record["start_scores"], record["start_bets"]
            start["round"], start["repeat_counter"] = record["result"]["round"], record["result"]["repeat_counter"]
            history = np.concatenate([history, start])
            (beginning,) = first_rounds(1)
            seats = [RolloutPosition(beginning.game, seat, history) for seat in range(4)]
            records = np.repeat(game.rounds[number : number + 1], 4)
            assert np.allclose(rewards_of(phi, seats, np.arange(4), records), expected, atol=1e-5)


def test_points_of_a_round_are_the_seats_own_less_the_mean() -> None:
    positions, rollouts = late_positions(4), rollouts_of(4, 3)
    found = rolled(positions, rollouts)
    which = rollouts["position"].astype(np.int64)
    gained = found.ended["result"]["scores"] - found.ended["start_scores"]
    expected = (gained - gained.mean(axis=1, keepdims=True))[np.arange(12), which % 4] / 10_000
    assert np.allclose(found.rewards, expected)


def test_how_a_round_started_is_read_off_its_table() -> None:
    (position,) = first_rounds(1)
    start = start_of(position.game)[0]
    assert start["scores"].tolist() == [25_000] * 4
    assert (start["round"], start["repeat_counter"], start["bets"]) == (0, 0, 0)


def beside_a_riichi() -> RolloutPosition:
    """A position of play where a riichi hand dealt at random has often let a win go."""
    tables = Tables(16, Rules.tenhou(), 3)
    sensible = player("sensible")
    while True:
        decisions = tables.decisions()
        for table, seat, situation in zip(
            decisions.game.tolist(), decisions.seat.tolist(), decisions.situation, strict=True
        ):
            record = tables.games[table].copy()
            if situation == PHASE_TURN and record["riichi"].any() and not record["riichi"][seat]:
                dealt = np.tile(np.array([record]), 40)
                redeal_hidden(dealt, seat, np.arange(40))
                if let_go(dealt) > 4:
                    return RolloutPosition(record, seat, start_of(record))
        actions = np.empty(len(decisions), np.int64)
        sensible.choose(tables.games, decisions, actions)
        tables.step(actions)


def let_go(games: np.ndarray) -> int:
    """Count the seats that have let a win go in riichi and do not wait for one of their own discards."""
    return int(((games["missed"] & MISSED_IN_RIICHI != 0) & (games["waits"] & games["discarded"] == 0)).sum())


def test_whoever_is_in_riichi_has_let_no_win_go() -> None:
    position, agent = beside_a_riichi(), tiny_agent()
    watcher = Watcher(agent.greedy)
    roll_out([position], rollouts_of(1, 40), [watcher], watcher, points(), SEED)
    assert len(watcher.first) == 40 and not let_go(np.array(list(watcher.first.values())))
