"""Tiny games with known answers, learned by the real learner with real networks."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from suphx.learning.config import EntropyConfig, LearningConfig, ReplayConfig
from suphx.learning.experience import Batch
from suphx.learning.learner import Learner
from suphx.learning.replay import ReplayBuffer
from suphx.networks.sizes import MODELS, NO, YES, NetworkSize
from tests.learning.toy_experience import PRECISION, drawn, flags, policy_of, questions, rounds, tiny_network

# Kuhn poker: three cards, a bet of one. Answers are 0: check or fold, 1: bet or call. States: first to act with card c:
# c; second after a check: 3 + c; second after a bet: 6 + c; first after check and bet: 9 + c.
KUHN_STATES = 12
KUHN_VALUE = -1 / 18
KUHN_PLANES = flags(np.arange(KUHN_STATES), KUHN_STATES, 2)


def kuhn_value(bets: np.ndarray) -> float:
    """What the first player wins on average; bets f64[12]: probability of answer 1 by state."""
    total = 0.0
    for first, second in ((a, b) for a in range(3) for b in range(3) if a != b):
        showdown = 1 if first > second else -1
        bet = bets[6 + second] * 2 * showdown + (1 - bets[6 + second])
        called = bets[9 + first] * 2 * showdown - (1 - bets[9 + first])
        check = (1 - bets[3 + second]) * showdown + bets[3 + second] * called
        total += (bets[first] * bet + (1 - bets[first]) * check) / 6
    return total


def nash_conv(bets: np.ndarray) -> float:
    """What both could win together by answering best against the other: 0 for an equilibrium alone."""
    answers = [np.array(each) for each in product((0.0, 1.0), repeat=6)]
    first = max(kuhn_value(np.concatenate([each[:3], bets[3:9], each[3:]])) for each in answers)
    second = min(kuhn_value(np.concatenate([bets[:3], each, bets[9:]])) for each in answers)
    return first - second


def play_kuhn(bets: np.ndarray, n: int, generator: np.random.Generator) -> Batch:
    """Play n deals of a policy against itself; path g is the first player's way through deal g, n + g the other's."""
    policy = np.stack([1 - bets, bets], axis=1)
    cards = generator.random((n, 3)).argsort(axis=1)
    first, second = cards[:, 0], cards[:, 1]
    showdown = np.where(first > second, 1.0, -1.0)
    states = [first, np.zeros(0, int), 9 + first]
    opening = drawn(policy[states[0]], generator)
    states[1] = np.where(opening[0] == 1, 6 + second, 3 + second)
    reply = drawn(policy[states[1]], generator)
    again = drawn(policy[states[2]], generator)
    asked_again = (opening[0] == 0) & (reply[0] == 1)
    after_bet = np.where(reply[0] == 1, 2 * showdown, 1)
    after_check = np.where(asked_again, np.where(again[0] == 1, 2 * showdown, -1), showdown)
    won = np.where(opening[0] == 1, after_bet, after_check).astype(np.float32)
    state = np.concatenate([states[0], states[1], states[2][asked_again]])
    answer, played = (np.concatenate([opening[k], reply[k], again[k][asked_again]]) for k in (0, 1))
    path = np.concatenate([np.arange(2 * n), np.flatnonzero(asked_again)])
    place = np.repeat([0, 1], [2 * n, int(asked_again.sum())])
    experience = questions(KUHN_PLANES[state], 2, answer=answer, played=played, path=path, place=place)
    return rounds({"discard": experience}, np.concatenate([won, -won]))


def test_kuhn_poker_is_known() -> None:
    equilibrium = np.array([0, 0, 0, 1 / 3, 0, 1, 0, 1 / 3, 1, 0, 1 / 3, 1])
    assert kuhn_value(equilibrium) == pytest.approx(KUHN_VALUE) and nash_conv(equilibrium) == pytest.approx(0)
    batch = play_kuhn(equilibrium, 40_000, np.random.default_rng(0))
    won = batch.paths["reward"][:40_000]
    assert float(won.mean()) == pytest.approx(KUHN_VALUE, abs=4 * float(won.std()) / 200)


def test_self_play_comes_near_the_equilibrium_of_kuhn_poker() -> None:
    config = LearningConfig(learning_rate=2e-3, entropy=EntropyConfig(start=0.2, beta=0), scale=False)
    network = tiny_network(KUHN_PLANES.shape[1], size=NetworkSize(filters=8, blocks=1))
    learner = Learner({"discard": network}, config, PRECISION)
    generator = np.random.default_rng(1)
    seen = []
    for _ in range(300):
        bets = policy_of(learner.networks["discard"], KUHN_PLANES, 2)[:, 1]
        batch = play_kuhn(bets, 256, generator)
        learner.step("discard", batch.experience["discard"], learner.advantages_of(batch)["discard"])
        seen.append(bets)
    policy = np.mean(seen[150:], axis=0)
    assert nash_conv(seen[0]) > 0.7
    assert nash_conv(policy) < 0.2
    assert kuhn_value(policy) == pytest.approx(KUHN_VALUE, abs=0.05)
    assert policy[8] > 0.9 and policy[11] > 0.9  # the highest card always calls
    assert policy[6] < 0.1 and policy[9] < 0.2  # the lowest never does


#: A tree of two answers: the best leaf is behind the first answer that looks worst.
LEAVES = np.array([[0.4, 0.5, 0.4], [0.3, 0.2, 0.3], [-0.3, 1.0, -0.1]])
TREE_PLANES = flags(np.arange(4), 4, 3)


def play_tree(policy: np.ndarray, n: int, generator: np.random.Generator, version: int) -> Batch:
    first, first_played = drawn(np.repeat(policy[:1], n, axis=0), generator)
    second, second_played = drawn(policy[1 + first], generator)
    reward = (LEAVES[first, second] + generator.normal(scale=0.5, size=n)).astype(np.float32)
    experience = questions(
        TREE_PLANES[np.concatenate([np.zeros(n, int), 1 + first])],
        3,
        answer=np.concatenate([first, second]),
        played=np.concatenate([first_played, second_played]),
        path=np.tile(np.arange(n), 2),
        place=np.repeat([0, 1], n),
    )
    return rounds({"discard": experience}, reward, version)


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
def test_the_best_leaf_of_a_tree_is_found_from_stale_and_reused_questions(optimizer: str) -> None:
    config = LearningConfig(
        learning_rate=5e-3,
        optimizer=optimizer,
        entropy=EntropyConfig(start=0.2, share=0.3, beta=1e-3),
        replay=ReplayConfig(reuse=2, staleness=2),
    )
    learner = Learner({"discard": tiny_network(TREE_PLANES.shape[1], seed=2)}, config, PRECISION)
    buffer = ReplayBuffer(config.replay, seed=0)
    generator = np.random.default_rng(0)
    weights = []
    for version in range(40):
        batch = play_tree(policy_of(learner.networks["discard"], TREE_PLANES, 3), 256, generator, version)
        buffer.add(batch, learner.advantages_of(batch))
        buffer.advance(version)
        while (lesson := buffer.sample("discard", 128)) is not None and buffer.available("discard") > 256:
            weights.append(learner.step("discard", lesson.experience, lesson.advantage)["weight_max"])
    policy = policy_of(learner.networks["discard"], TREE_PLANES, 3)
    assert policy[0, 2] > 0.8 and policy[3, 1] > 0.8
    assert max(weights) > 1.2  # the questions were not the latest policy's own


@pytest.mark.parametrize("model", MODELS)
def test_each_of_the_five_models_learns(model: str) -> None:
    config = LearningConfig(models=[model], learning_rate=1e-2)
    learner = Learner({model: tiny_network(3, size=NetworkSize(filters=8, blocks=1), model=model)}, config, PRECISION)
    planes = flags(np.zeros(128, int), 1, 2)
    generator = np.random.default_rng(0)
    for _ in range(40):
        answer, played = drawn(policy_of(learner.networks[model], planes, 2), generator)
        experience = questions(planes, 2, answer=answer, played=played)
        batch = rounds({model: experience}, np.where(answer == YES, 1.0, -1.0))
        learner.step(model, experience, learner.advantages_of(batch)[model])
    policy = policy_of(learner.networks[model], planes[:1], 2)[0]
    assert policy[YES] > 0.9 > policy[NO]
