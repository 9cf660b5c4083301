"""Tiny games with known answers, learned by the real learner with real networks."""

from __future__ import annotations

import numpy as np
import pytest

from suphx.equilibrium.flat_game import flat
from suphx.equilibrium.games import Kuhn
from suphx.equilibrium.policy import Policy
from suphx.equilibrium.probe.learning import by_table, play
from suphx.equilibrium.probe.learning import policy_of as policy_of_game
from suphx.equilibrium.response import nash_conv
from suphx.learning.config import EntropyConfig, LearningConfig, ReplayConfig
from suphx.learning.experience import Batch
from suphx.learning.learner import Learner
from suphx.learning.replay import ReplayBuffer
from suphx.networks.models import MODELS, NO, YES
from suphx.networks.sizes import NetworkSize
from tests.learning.toy_experience import PRECISION, decisions, drawn, flags, policy_of, rounds, tiny_network, valued

KUHN_VALUE = -1 / 18


def test_self_play_comes_near_the_equilibrium_of_kuhn_poker() -> None:
    game = flat(Kuhn())
    config = LearningConfig(learning_rate=2e-3, entropy=EntropyConfig(start=0.2, beta=0), scale=False)
    situations = ["", "p", "b", "pb"]  # one plane for each information set, by situation and card
    states = np.array([3 * situations.index(name[1:]) + game.game.cards.index(name[0]) for name in game.names])
    planes, generator = flags(states, game.infosets, 2), np.random.default_rng(1)
    learner = Learner(
        {"discard": tiny_network(planes.shape[1], size=NetworkSize(filters=8, blocks=1))}, config, PRECISION
    )
    seen = []
    for _ in range(300):
        seen.append(policy_of_game(learner.networks["discard"], game, planes, PRECISION))
        batch = play(game, by_table(game, planes, seen[-1]), np.zeros(256, int), generator)
        learner.step("discard", valued(batch.experience["discard"], learner.advantages_of(batch)["discard"]))
    policy = Policy(game, np.mean(seen[150:], axis=0))
    assert nash_conv(game, seen[0]) > 0.7
    assert policy.nash_conv() < 0.2
    assert policy.values()[0] == pytest.approx(KUHN_VALUE, abs=0.05)
    assert policy["Kb"]["b"] > 0.9 and policy["Kpb"]["b"] > 0.9  # the highest card always calls
    assert policy["Jb"]["b"] < 0.1 and policy["Jpb"]["b"] < 0.2  # the lowest never does


#: A tree of two answers: the best leaf is behind the first answer that looks worst.
LEAVES = np.array([[0.4, 0.5, 0.4], [0.3, 0.2, 0.3], [-0.3, 1.0, -0.1]])
TREE_PLANES = flags(np.arange(4), 4, 3)


def play_tree(policy: np.ndarray, n: int, generator: np.random.Generator, version: int) -> Batch:
    first, first_played = drawn(np.repeat(policy[:1], n, axis=0), generator)
    second, second_played = drawn(policy[1 + first], generator)
    reward = (LEAVES[first, second] + generator.normal(scale=0.5, size=n)).astype(np.float32)
    experience = decisions(
        TREE_PLANES[np.concatenate([np.zeros(n, int), 1 + first])],
        3,
        action=np.concatenate([first, second]),
        played=np.concatenate([first_played, second_played]),
        trajectory=np.tile(np.arange(n), 2),
        step=np.repeat([0, 1], n),
    )
    return rounds({"discard": experience}, reward, version)


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
def test_the_best_leaf_of_a_tree_is_found_from_stale_and_reused_decisions(optimizer: str) -> None:
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
        while (minibatch := buffer.sample("discard", 128)) is not None and buffer.available("discard") > 256:
            weights.append(learner.step("discard", minibatch)["weight_max"])
    policy = policy_of(learner.networks["discard"], TREE_PLANES, 3)
    assert policy[0, 2] > 0.8 and policy[3, 1] > 0.8
    assert max(weights) > 1.2  # the decisions were not the latest policy's own


@pytest.mark.parametrize("model", MODELS)
def test_each_of_the_five_models_learns(model: str) -> None:
    config = LearningConfig(models=[model], learning_rate=1e-2)
    learner = Learner({model: tiny_network(3, size=NetworkSize(filters=8, blocks=1), model=model)}, config, PRECISION)
    planes = flags(np.zeros(128, int), 1, 2)
    generator = np.random.default_rng(0)
    for _ in range(40):
        answer, played = drawn(policy_of(learner.networks[model], planes, 2), generator)
        experience = decisions(planes, 2, action=answer, played=played, model=model)
        batch = rounds({model: experience}, np.where(answer == YES, 1.0, -1.0))
        learner.step(model, valued(experience, learner.advantages_of(batch)[model]))
    policy = policy_of(learner.networks[model], planes[:1], 2)[0]
    assert policy[YES] > 0.9 > policy[NO]
