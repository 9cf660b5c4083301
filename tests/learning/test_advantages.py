"""Baselines, generalized advantages, and the critic."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from suphx.learning.advantages import Advantages, Values, generalized, raw_advantages
from suphx.learning.config import CriticConfig, LearningConfig
from suphx.learning.critic import Critic
from suphx.learning.experience import Batch
from suphx.learning.peers import Peers
from tests.learning.toy_experience import ALL, PRECISION, TINY, decisions, random_planes, rounds, valued

REWARDS = np.array([2.0, -1.0, 0.5, 4.0], np.float32)
#: Of two rounds, all four seats.
OF_ALL = np.array([[2.0, -1.0, 0.5, -1.5], [4.0, -4.0, 1.0, -1.0]], np.float32)


def advantages_of(config: LearningConfig, batch: Batch, values: Values | None = None) -> dict[str, np.ndarray]:
    return Advantages(config).of(batch, raw_advantages(config, batch, values))


def split_paths(seed: int = 0) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Decisions to two models, in no order of trajectories; number 2 has none. With values f32[n, 4]."""
    generator = np.random.default_rng(seed)
    trajectory = np.repeat([0, 1, 3], [5, 1, 7])
    step = np.concatenate([np.arange(5) * 2, [3], np.arange(7)])
    return two_models(trajectory, step, generator)


def two_models(
    trajectory: np.ndarray, step: np.ndarray, generator: np.random.Generator
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    order = generator.permutation(len(trajectory))
    trajectory, step = trajectory[order], step[order]
    found, values = {}, {}
    for model, rows in {"discard": slice(0, 8), "kong": slice(8, None)}.items():
        n = len(trajectory[rows])
        found[model] = decisions(random_planes(n, 2), 3, model=model, trajectory=trajectory[rows], step=step[rows])
        values[model] = generator.normal(size=(n, 4)).astype(np.float32)
    return found, values


def slow_reference(batch: Batch, values: dict[str, np.ndarray], gae_lambda: float) -> dict[str, np.ndarray]:
    """Each seat of each round written out, each advantage as the sum of its deltas."""
    found = {model: np.zeros(len(each)) for model, each in batch.experience.items()}
    for game in np.unique(batch.trajectories["game"]):
        asked = sorted(
            (int(each["step"][row]), model, row)
            for model, each in batch.experience.items()
            for row in range(len(each))
            if batch.trajectories["game"][each["trajectory"][row]] == game
        )
        for at, (_, model, row) in enumerate(asked):
            trajectory = batch.trajectories[batch.experience[model]["trajectory"][row]]
            expected = []
            for _, other, there in asked[at:]:
                other_seat = batch.trajectories["seat"][batch.experience[other]["trajectory"][there]]
                expected.append(float(values[other][there, (int(trajectory["seat"]) - int(other_seat)) % 4]))
            deltas = np.diff([*expected, float(trajectory["rewards"][0])])
            found[model][row] = sum(gae_lambda**k * delta for k, delta in enumerate(deltas))
    return found


@pytest.mark.parametrize("gae_lambda", [0.0, 0.9, 1.0])
def test_generalized_advantages_are_those_written_out(gae_lambda: float) -> None:
    trajectories = np.array(
        [0, 3, 1, 0, 2, 3, 3, 0, 7, 4, 5, 7, 6, 7]
    )  # as the seats of two rounds were asked, one after another
    experience, values = two_models(
        trajectories, np.concatenate([np.arange(8), 3 * np.arange(6)]), np.random.default_rng(1)
    )
    batch = rounds(experience, OF_ALL)
    found = generalized(batch, values, gae_lambda)
    wanted = slow_reference(batch, values, gae_lambda)
    for model, each in found.items():
        np.testing.assert_allclose(each, wanted[model], rtol=1e-9, atol=1e-9)


def test_a_path_alone_goes_on_from_its_own_decisions() -> None:
    """As where the other seats learn nothing."""
    experience, values = split_paths()
    batch = rounds(experience, REWARDS)
    found, wanted = generalized(batch, values, 0.9), slow_reference(batch, values, 0.9)
    for model, each in found.items():
        np.testing.assert_allclose(each, wanted[model], rtol=1e-9, atol=1e-9)


def test_with_lambda_1_an_advantage_is_the_reward_less_the_value() -> None:
    experience, values = split_paths()
    found = generalized(rounds(experience, REWARDS), values, 1.0)
    for model, each in found.items():
        np.testing.assert_allclose(
            each, REWARDS[experience[model]["trajectory"]] - values[model][:, 0], rtol=1e-6, atol=1e-6
        )


def test_the_mean_is_over_questions_and_moves_with_the_batches() -> None:
    experience, _ = split_paths()
    config = LearningConfig(baseline="mean", scale=False, recent_batches=2)
    advantages = Advantages(config)
    batch = rounds(experience, REWARDS)
    found = np.concatenate(list(advantages.of(batch, raw_advantages(config, batch)).values()))
    assert float(found.mean()) == pytest.approx(0, abs=1e-6)
    batch = rounds(experience, REWARDS + 1)
    higher = np.concatenate(list(advantages.of(batch, raw_advantages(config, batch)).values()))
    assert float(higher.mean()) == pytest.approx(0.5, abs=1e-6)  # half of the second mean is in the baseline


def test_advantages_are_scaled_to_a_spread_of_one() -> None:
    experience, _ = split_paths()
    for unit in (1, 1000):
        batch = rounds(experience, REWARDS * unit)
        found = np.concatenate(list(advantages_of(LearningConfig(), batch).values()))
        assert float((found**2).mean()) == pytest.approx(1, rel=1e-5)


def test_batches_without_questions_or_without_differences_are_no_trouble() -> None:
    config = LearningConfig()
    advantages = Advantages(config)
    nothing = rounds({"discard": decisions(random_planes(0, 2), 3)}, REWARDS)
    assert not advantages.of(nothing, raw_advantages(config, nothing))["discard"].size
    assert advantages.moments.batches == 0
    same = rounds({"discard": decisions(random_planes(4, 2), 3)}, np.ones(4, np.float32))
    assert not advantages.of(same, raw_advantages(config, same))["discard"].any()


def hidden_luck(n: int, seed: int) -> np.ndarray:
    """Rounds whose reward is mostly what a hidden plane says, and a little what was answered; the seat across pays."""
    generator = np.random.default_rng(seed)
    luck = generator.integers(0, 2, n)
    answer = generator.integers(0, 2, n)
    hidden = np.where(luck, ALL, np.uint64(0))[:, None]
    reward = 2.0 * luck + 0.3 * answer + generator.normal(scale=0.2, size=n)
    asked = decisions(random_planes(n, 2, seed), 2, action=answer, hidden=hidden)
    return valued(asked, np.zeros(n), np.outer(reward, [1, 0, -1, 0]))


@pytest.fixture(autouse=True)
def few_planes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let critics see positions of two planes, and one of what is hidden."""
    monkeypatch.setattr("suphx.learning.critic.PLANES", 2)
    monkeypatch.setattr("suphx.learning.critic.ORACLE_PLANES", 1)


def critic_of(config: LearningConfig) -> Critic:
    return Critic(config, PRECISION, 3, Peers())


def test_a_critic_that_sees_what_is_hidden_takes_the_luck_out_of_advantages() -> None:
    settings = CriticConfig(size=TINY, learning_rate=0.01, warmup_steps=10)
    config = LearningConfig(baseline="critic", scale=False, critic=settings)
    critic = critic_of(config)
    for step in range(60):
        metrics = critic.step(hidden_luck(128, step))
    assert metrics["explained_variance"] > 0.8
    experience = hidden_luck(1000, 999)
    batch = rounds({"discard": experience}, experience["rewards"][:, 0])
    by_critic = advantages_of(config, batch, critic.values)["discard"]
    by_mean = advantages_of(LearningConfig(scale=False), batch)["discard"]
    assert by_critic.var() < 0.15 * by_mean.var()
    # The gradient's mean is what it was: what the better answer is worth.
    for found in (by_critic, by_mean):
        gain = found[experience["action"] == 1].mean() - found[experience["action"] == 0].mean()
        assert float(gain) == pytest.approx(0.3, abs=4 * float(found.std()) * (4 / len(found)) ** 0.5)


@pytest.mark.parametrize("warmup_steps", [1, 20])
def test_a_fresh_critic_expects_nothing_and_its_rate_rises(warmup_steps: int) -> None:
    settings = CriticConfig(size=TINY, learning_rate=0.01, warmup_steps=warmup_steps)
    critic = critic_of(LearningConfig(baseline="critic", critic=settings))
    answer = critic.network.get_parameter("head.answer.bias")
    assert not critic.values(hidden_luck(8, 0)).any()
    for step in range(8):
        before = answer.detach().clone()
        critic.step(hidden_luck(128, step))
        went, rate = float((answer.detach() - before).abs().max()), 0.01 * min((step + 1) / warmup_steps, 1)
        assert 0 < went <= 1.01 * rate
        if step == 0:
            assert went == pytest.approx(rate, rel=1e-3)  # Adam's first step is as long as its rate


def test_a_critic_may_take_several_steps_from_a_batch() -> None:
    explained = {}
    for steps in (1, 5):
        settings = CriticConfig(size=TINY, learning_rate=0.01, warmup_steps=1, steps=steps)
        critic = critic_of(LearningConfig(baseline="critic", critic=settings))
        for step in range(3):
            explained[steps] = critic.step(hidden_luck(128, step))["explained_variance"]
        assert critic.optimizer.steps == 3 * steps
    assert explained[5] > explained[1] + 0.1
    with pytest.raises(ValidationError, match=r"critic\.steps: more of them"):
        LearningConfig(batch=4, critic=CriticConfig(steps=5))


def test_a_critic_without_hidden_planes_says_so() -> None:
    experience = hidden_luck(4, 0)
    bare = decisions(experience["planes"], 2)
    with pytest.raises(ValueError, match="3 planes cannot see 2"):
        critic_of(LearningConfig(critic=CriticConfig(size=TINY))).step(bare)
