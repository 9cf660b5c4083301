"""Formula 6 on a toy whose every rollout can be listed: its gradient where a step begins, and its baseline.

The toy: the seat answers `ANSWERS` questions one after the other, each with one of three; a deal adds luck; the reward
is what a table says of all answers together, and the luck.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from suphx.adaptation.steps import advantages

ANSWERS, CHOICES = 5, 3
ROLLOUTS = np.array(list(itertools.product(range(CHOICES), repeat=ANSWERS)))
_GENERATOR = np.random.default_rng(0)
REWARD = _GENERATOR.normal(size=len(ROLLOUTS)) + _GENERATOR.normal(size=(ANSWERS, CHOICES))[
    np.arange(ANSWERS), ROLLOUTS
].sum(axis=1)
LOGITS = _GENERATOR.normal(size=(ANSWERS, CHOICES))


def probabilities(logits: np.ndarray) -> np.ndarray:
    """f64[rollouts]: how likely a policy plays each of them."""
    policy = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return policy[np.arange(ANSWERS), ROLLOUTS].prod(axis=1)


#: f64[rollouts, ANSWERS, CHOICES]: the gradient of the sum of log pi of each rollout's answers, weighted by 1.
ADDS = np.eye(CHOICES)[ROLLOUTS] - np.exp(LOGITS) / np.exp(LOGITS).sum(axis=1, keepdims=True)


def true_gradient() -> np.ndarray:
    """Of the expected reward, by differences of the logits."""
    found, step = np.zeros_like(LOGITS), 1e-6
    for place in np.ndindex(found.shape):
        change = np.zeros_like(LOGITS)
        change[place] = step
        found[place] = (probabilities(LOGITS + change) - probabilities(LOGITS - change)) @ REWARD / (2 * step)
    return found


def simulate(
    batches: int = 20_000, size: int = 8, groups: int = 1, by_deal: bool = True, shuffled: bool = False
) -> np.ndarray:
    """Estimates [batches, ...], each of `size` rollouts of some deals with their luck."""
    generator, cumulative = np.random.default_rng(2), probabilities(LOGITS).cumsum()
    found = []
    for _ in range(batches):
        which, deal = np.searchsorted(cumulative, generator.random(size) * cumulative[-1]), np.arange(size) % groups
        rewards = REWARD[which] + 3 * generator.normal(size=groups)[deal]
        if shuffled:
            rewards = generator.permutation(rewards)
        advantage = advantages(rewards, deal if by_deal else np.zeros(size))
        found.append(np.tensordot(advantage, ADDS[which], 1) / size)
    return np.array(found)


def assert_mean(found: np.ndarray, expected: np.ndarray) -> None:
    error = found.std(axis=0) / len(found) ** 0.5
    assert np.all(np.abs(found.mean(axis=0) - expected) < 4 * error + 1e-12)


@pytest.mark.parametrize("groups", [1, 4])
def test_rollouts_of_the_original_policy_estimate_the_true_gradient(groups: int) -> None:
    assert_mean(simulate(groups=groups), true_gradient())


def test_a_baseline_by_deal_takes_its_luck_away() -> None:
    by_deal, by_all = (simulate(batches=2_000, size=16, groups=4, by_deal=each) for each in (True, False))
    assert by_deal.var(axis=0).sum() < 0.6 * by_all.var(axis=0).sum()


def test_rewards_shuffled_among_the_rollouts_teach_nothing() -> None:
    taught = simulate()
    assert np.abs(taught.mean(axis=0) / (taught.std(axis=0) / len(taught) ** 0.5)).max() > 20
    assert_mean(simulate(shuffled=True), np.zeros((ANSWERS, CHOICES)))


def test_advantages_are_against_the_others_of_the_group() -> None:
    rewards, groups = np.array([1.0, 3.0, 5.0, -1.0, 1.0]), np.array([7, 7, 7, 2, 2])
    assert advantages(rewards, groups).tolist() == [-3.0, 0.0, 3.0, -2.0, 2.0]
