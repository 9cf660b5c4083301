"""What a collector hands out: held against one game after the other played slowly, one decision at a time."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import numpy as np
import pytest
from selfplay_tables import RULES, SEED, assert_same, collect, precision, tiny_collector, tiny_networks

from simulator.record import SEATS
from simulator.rules import Rules
from simulator.tables import Decisions, Tables
from suphx.agent.flow import PlaneEncoder, Sampling
from suphx.agent.registry import NetworkAgent
from suphx.errors import InputError
from suphx.features.encode import encode_oracle_batch
from suphx.features.layout import ORACLE_PLANES
from suphx.learning.experience import Batch
from suphx.networks.inference import Evaluator
from suphx.networks.models import MODEL_PLANES
from suphx.networks.policy import PolicyNetwork
from suphx.selfplay.config import FourLearners, OneAgainstThree
from suphx.selfplay.policy import SelfPlayPolicy

#: (round, seat) -> model -> rows of (step, planes, hidden, legal, action, log-probability).
Asked = dict[tuple[int, int], dict[str, list[tuple]]]


@cache
def play_slowly(number: int, rounds: int) -> tuple[Asked, list[np.ndarray]]:
    """Return what is asked in the first rounds of a game, every decision alone, and the records at their ends."""
    sampling = Sampling(1.0, SEED)
    agent = NetworkAgent("slow", tiny_networks(), PlaneEncoder(), precision(), sampling, batch_invariant=True)
    tables = Tables(1, RULES, SEED, restart=False)
    tables.restart([0], [number])
    asked: Asked = defaultdict(lambda: defaultdict(list))
    records: list[np.ndarray] = []
    count: dict[int, int] = defaultdict(int)
    while len(records) < rounds and len(due := tables.decisions()):
        actions = []
        for n in range(len(due)):
            alone = Decisions(*(array[n : n + 1] for array in (due.game, due.seat, due.situation, due.legal)))
            choice = agent.act(tables.games, alone)
            actions.append(choice.actions[0])
            trajectory = len(records), int(due.seat[n])
            hidden = encode_oracle_batch(tables.games, alone.game, alone.seat)[0]
            for output in choice.outputs:
                for row in range(len(output.action)):
                    decision = (count[len(records)], output.planes[row], hidden, output.legal[row], output.action[row])
                    asked[trajectory][output.model].append((*decision, output.log_probability[row]))
                    count[len(records)] += 1
        ended = tables.step(np.array(actions))
        records += list(ended.records)
    return asked, records


def rows_of(experience: np.ndarray) -> list[tuple]:
    names = ("step", "planes", "hidden", "legal", "action", "log_probability")
    return list(zip(*(experience[name] for name in names), strict=True))


@pytest.fixture(scope="module")
def collected() -> Batch:
    return collect(tiny_collector(hidden=True), 16)


def test_what_is_collected_is_what_a_slow_game_asks_and_answers(collected):
    games = np.unique(collected.trajectories["game"])
    compared = 0
    for game in games[:2].tolist():
        trajectories = np.flatnonzero(collected.trajectories["game"] == game)
        rounds = int(collected.trajectories["round"][trajectories].max()) + 1
        asked, _ = play_slowly(game, rounds)
        for trajectory in trajectories:
            row = collected.trajectories[trajectory]
            wanted = asked[int(row["round"]), int(row["seat"])]
            for model, experience in collected.experience.items():
                found = rows_of(experience[experience["trajectory"] == trajectory])
                assert len(found) == len(wanted[model])
                for one, other in zip(found, wanted[model], strict=True):
                    assert all(np.array_equal(a, b) for a, b in zip(one[:-1], other[:-1], strict=True)), (row, model)
                    assert one[-1] == pytest.approx(other[-1], abs=1e-5)  # in passes of another size for some models
                compared += len(found)
    assert compared > 300


def test_rewards_rounds_and_ends_of_paths_are_those_of_the_games(collected):
    for game in np.unique(collected.trajectories["game"])[:2].tolist():
        trajectories = collected.trajectories[collected.trajectories["game"] == game]
        _, records = play_slowly(game, int(trajectories["round"].max()) + 1)
        for row in trajectories:
            record = records[row["round"]]
            gained = record["result"]["scores"] - record["start_scores"].astype(float)
            wanted = np.roll((gained - gained.mean()) / 10_000, -int(row["seat"]))
            np.testing.assert_allclose(row["rewards"], wanted, atol=1e-6)
            assert row["last"] == record["result"]["game_over"]


def test_all_four_seats_give_data_in_selfplay(collected):
    rounds = np.unique(collected.trajectories[["game", "round"]])
    assert len(collected.trajectories) == SEATS * len(rounds)
    assert np.array_equal(np.bincount(collected.trajectories["seat"]), np.full(SEATS, len(rounds)))
    for model in ("discard", "chow", "pong"):
        assert set(collected.trajectories["seat"][collected.experience[model]["trajectory"]]) == set(range(SEATS))


def test_only_models_that_learn_are_kept_but_all_questions_are_counted():
    few, all_five = collect(tiny_collector(models=("riichi",)), 6), collect(tiny_collector(), 6)
    assert list(few.experience) == ["riichi"]
    assert np.array_equal(few.experience["riichi"], all_five.experience["riichi"])
    rounds = all_five.trajectories[["game", "round"]]
    first = np.flatnonzero(rounds == rounds[0])
    places = [each["step"][np.isin(each["trajectory"], first)] for each in all_five.experience.values()]
    assert np.array_equal(np.sort(np.concatenate(places)), np.arange(sum(map(len, places))))


def test_what_is_nearly_certain_is_not_kept_whatever_was_answered():
    every, open_ones = (collect(tiny_collector(models=("chow",), max_confidence=share), 20) for share in (1.0, 0.505))
    questions = every.experience["chow"]
    logits = Evaluator(tiny_networks()["chow"], precision(), batch_invariant=True).logits(questions["planes"])
    weights = np.exp(logits)
    likeliest = weights.max(axis=1) / weights.sum(axis=1)
    kept = likeliest <= 0.505
    assert 0.1 < kept.mean() < 0.9
    assert np.array_equal(questions["planes"][kept], open_ones.experience["chow"]["planes"])
    assert np.array_equal(questions["step"][kept], open_ones.experience["chow"]["step"])
    assert np.array_equal(every.trajectories, open_ones.trajectories)
    assert 0 < (questions["action"] == logits.argmax(axis=1))[kept].mean() < 1


def test_without_an_oracle_nothing_hidden_is_kept(collected):
    plain = collect(tiny_collector(), 6)
    for model, rows in plain.experience.items():
        assert rows["planes"].shape[1] == MODEL_PLANES[model] and not rows["hidden"].size
    assert collected.experience["discard"]["hidden"].shape[1] == ORACLE_PLANES


def test_one_learner_alone_gives_data_from_every_seat_in_turn():
    collector = tiny_collector(OneAgainstThree(opponents=("tsumogiri",)), slots=8)
    batch = collect(collector, 16)
    assert len(batch.trajectories) == len(np.unique(batch.trajectories[["game", "round"]]))
    assert np.array_equal(batch.trajectories["seat"], batch.trajectories["game"] % SEATS)
    assert set(batch.trajectories["seat"].tolist()) == set(range(SEATS))
    assert len(batch.experience["discard"])


def test_a_pool_sits_down_in_turn():
    table = OneAgainstThree(opponents=("tsumogiri", "sensible"))
    collector = tiny_collector(table, slots=8)
    assert collector.seated.tolist() == [
        [0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0], [0, 2, 1, 2], [2, 0, 2, 1], [1, 2, 0, 2], [2, 1, 2, 0]
    ]  # fmt: skip
    collect(collector, 4)


def test_a_bot_from_outside_cannot_sit_down():
    with pytest.raises(InputError, match="lives outside"):
        tiny_collector(OneAgainstThree(opponents=("bot:true",)))


def test_the_same_seed_collects_the_same_and_another_one_other_games():
    first, again, other = (collect(tiny_collector(seed=seed, slots=4), 3) for seed in (3, 3, 4))
    assert_same(first, again)
    assert not np.array_equal(first.experience["discard"]["action"], other.experience["discard"]["action"])


def test_games_do_not_depend_on_how_many_are_played_side_by_side(collected):
    fewer = collect(tiny_collector(slots=2, hidden=True), 4)
    key = ["game", "round", "seat"]
    for n, row in enumerate(fewer.trajectories):
        (same,) = np.flatnonzero(collected.trajectories[key] == row[key])
        for model, experience in fewer.experience.items():
            there = collected.experience[model]
            mine, its = rows_of(experience[experience["trajectory"] == n]), rows_of(there[there["trajectory"] == same])
            assert len(mine) == len(its)
            assert all(np.array_equal(a, b) for x, y in zip(mine, its, strict=True) for a, b in zip(x, y, strict=True))


def test_a_round_goes_on_with_new_weights_and_says_the_oldest_it_was_played_with():
    collector = tiny_collector(slots=4)
    for _ in range(30):
        collector.step()
    dealt_before = {(game, int(collector.tables.games["deals"][game]) - 1) for game in range(4)}
    collector.set_policy(2, SelfPlayPolicy(2, tiny_networks(seed=5), precision(), SEED))
    batch = collect(collector, 12)
    versions = set()
    for row in batch.trajectories:
        old = (int(row["game"]), int(row["round"])) in dealt_before
        assert row["version"] == (1 if old else 2)
        versions.add(int(row["version"]))
    assert versions == {1, 2}
    unchanged = collect(tiny_collector(slots=4), 12)
    first = batch.trajectories["version"] == 1
    assert not np.array_equal(batch.trajectories[first]["rewards"], unchanged.trajectories[: first.sum()]["rewards"])


@pytest.mark.parametrize("steps", [0, 75])
@pytest.mark.parametrize("table", [FourLearners(), OneAgainstThree(opponents=("random", "sensible"))])
def test_a_collector_goes_on_from_its_state_bit_for_bit(steps, table):
    collector = tiny_collector(table, slots=4, oracle=True)
    for _ in range(steps):
        collector.step()
    if collector.has_rounds:
        collector.take()
    state = {name: array.copy() for name, array in collector.state().items()}
    assert all(array.dtype.names is None and array.dtype != object for array in state.values())
    other = tiny_collector(table, slots=4, oracle=True, policy=9)
    collect(other, 1)
    other.restore(state)
    other.set_policy(1, SelfPlayPolicy(1, tiny_networks(), precision(), SEED))
    assert_same(collect(other, 4), collect(collector, 4))
    assert other.counters == collector.counters


def widened(models: tuple[str, ...]) -> dict[str, PolicyNetwork]:
    return tiny_networks() | {
        model: network.with_planes(network.planes + ORACLE_PLANES)
        for model, network in tiny_networks().items()
        if model in models
    }


@pytest.mark.parametrize("gamma", [1.0, 0.5])
def test_what_an_oracle_saw_is_kept_as_it_saw_it_and_new_planes_change_nothing_at_first(collected, gamma):
    collector = tiny_collector(oracle=True, hidden=True, models=("discard", "pong"))
    collector.set_policy(1, SelfPlayPolicy(1, widened(("discard", "pong")), precision(), SEED, gamma))
    seen = collect(collector, 16)
    assert np.array_equal(seen.trajectories, collected.trajectories)
    for model, experience in seen.experience.items():
        plain = collected.experience[model]
        own, oracle = np.split(experience["planes"], [MODEL_PLANES[model]], axis=1)
        assert np.array_equal(own, plain["planes"])
        assert np.array_equal(experience["action"], plain["action"])
        assert np.array_equal(experience["hidden"], plain["hidden"])  # a critic sees all of it, whatever gamma
        shown, hidden = np.bitwise_count(oracle).sum(), np.bitwise_count(plain["hidden"]).sum()
        assert not (oracle & ~plain["hidden"]).any()
        assert shown / hidden == pytest.approx(gamma, abs=0.02)


def test_what_is_held_stays_within_the_rounds_in_progress():
    collector = tiny_collector(rules=Rules(length="east"))
    collect(collector, 24)
    owner = collector._pending["discard"]._owner
    assert 0 < np.count_nonzero(owner >= 0) < 6 * SEATS * 25
    assert len(owner) == 1024
