"""Formula 6 on a toy whose every rollout can be listed: gradients, baselines, and its two forms side by side.

The toy: the seat answers `ANSWERS` questions one after the other, each with one of three; a deal adds luck; the reward
is what a table says of all answers together, and the luck.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from suphx.adaptation.objective import Form, advantages, ratios, surrogate

ANSWERS, CHOICES = 5, 3
ROLLOUTS = np.array(list(itertools.product(range(CHOICES), repeat=ANSWERS)))
_GENERATOR = np.random.default_rng(0)
REWARD = _GENERATOR.normal(size=len(ROLLOUTS)) + _GENERATOR.normal(size=(ANSWERS, CHOICES))[
    np.arange(ANSWERS), ROLLOUTS
].sum(axis=1)
ORIGINAL = torch.from_numpy(_GENERATOR.normal(size=(ANSWERS, CHOICES)))
MOVED = ORIGINAL + 0.7 * torch.from_numpy(_GENERATOR.normal(size=(ANSWERS, CHOICES)))


def log_policy(logits: torch.Tensor, rollouts: np.ndarray) -> torch.Tensor:
    """[n x ANSWERS], of the answers of rollouts int[n, ANSWERS], one rollout after the other."""
    return logits.log_softmax(dim=1)[torch.arange(ANSWERS), torch.from_numpy(rollouts)].reshape(-1)


def expected_reward(logits: torch.Tensor) -> torch.Tensor:
    """What a policy gets on average, over all rollouts."""
    probability = log_policy(logits, ROLLOUTS).reshape(-1, ANSWERS).sum(dim=1).exp()
    return (probability * torch.from_numpy(REWARD)).sum()


def true_gradient(logits: torch.Tensor) -> np.ndarray:
    logits = logits.clone().requires_grad_()
    expected_reward(logits).backward()
    assert logits.grad is not None
    return logits.grad.numpy()


CUMULATIVE = log_policy(ORIGINAL, ROLLOUTS).reshape(-1, ANSWERS).sum(dim=1).exp().numpy().cumsum()


def draw(n: int, generator: np.random.Generator) -> np.ndarray:
    """Which of ROLLOUTS the original policy plays, i64[n]."""
    return np.searchsorted(CUMULATIVE, generator.random(n) * CUMULATIVE[-1])


def estimate(logits: torch.Tensor, rollouts: np.ndarray, advantage: np.ndarray, form: Form) -> np.ndarray:
    """The gradient at `logits` by rollouts int[n, ANSWERS] of the original policy."""
    logits = logits.clone().requires_grad_()
    taken, path = log_policy(logits, rollouts), torch.arange(len(rollouts)).repeat_interleave(ANSWERS)
    weight = ratios(taken - log_policy(ORIGINAL, rollouts), path, form)
    surrogate(taken, weight, torch.from_numpy(advantage)[path]).backward()
    assert logits.grad is not None
    return logits.grad.numpy() / len(rollouts)


@pytest.mark.parametrize("form", ["decision", "rollout"])
def test_the_gradient_is_that_of_the_formula_written_out(form: Form) -> None:
    generator = np.random.default_rng(1)
    rollouts, advantage = ROLLOUTS[draw(7, generator)], generator.normal(size=7)

    def formula(logits: np.ndarray) -> float:
        ratio = np.exp((log_policy(torch.from_numpy(logits), rollouts) - log_policy(ORIGINAL, rollouts)).numpy())
        ratio = ratio.reshape(7, ANSWERS)
        return float(advantage @ (ratio.prod(axis=1) if form == "rollout" else ratio.sum(axis=1))) / 7

    found, step = estimate(MOVED, rollouts, advantage, form), 1e-6
    for place in np.ndindex(found.shape):
        there, back = MOVED.numpy().copy(), MOVED.numpy().copy()
        there[place] += step
        back[place] -= step
        assert found[place] == pytest.approx((formula(there) - formula(back)) / (2 * step), abs=1e-7)


def simulate(
    logits: torch.Tensor, form: Form, batches: int = 20_000, size: int = 8, groups: int = 1, by_deal: bool = True,
    shuffled: bool = False,
) -> np.ndarray:  # fmt: skip
    """Estimates [batches, ...], each of `size` rollouts of some deals with their luck.

    Advantages are weights of what each rollout adds to a gradient, so that is worked out once for each.
    """
    adds = np.array([estimate(logits, rollout[None], np.ones(1), form) for rollout in ROLLOUTS])
    generator = np.random.default_rng(2)
    found = []
    for _ in range(batches):
        which, deal = draw(size, generator), np.arange(size) % groups
        rewards = REWARD[which] + 3 * generator.normal(size=groups)[deal]
        if shuffled:
            rewards = generator.permutation(rewards)
        advantage = advantages(rewards, deal if by_deal else np.zeros(size))
        found.append(np.tensordot(advantage, adds[which], 1) / size)
    return np.array(found)


def assert_mean(found: np.ndarray, expected: np.ndarray) -> None:
    error = found.std(axis=0) / len(found) ** 0.5
    assert np.all(np.abs(found.mean(axis=0) - expected) < 4 * error + 1e-12)


@pytest.mark.parametrize("form", ["decision", "rollout"])
@pytest.mark.parametrize("groups", [1, 4])
def test_at_the_original_policy_both_forms_estimate_the_true_gradient(form: Form, groups: int) -> None:
    assert_mean(simulate(ORIGINAL, form, groups=groups), true_gradient(ORIGINAL))


def test_away_from_it_the_literal_form_still_does_and_the_other_does_not() -> None:
    truth = true_gradient(MOVED)
    literal, decision = (simulate(MOVED, form) for form in ("rollout", "decision"))
    bias = np.abs(decision.mean(axis=0) - truth) / (decision.std(axis=0) / len(decision) ** 0.5)
    assert bias.max() > 6  # a bias it has...
    assert decision.var(axis=0).sum() < 0.7 * literal.var(axis=0).sum()  # ... for less of the variance
    # Its baseline, the others' mean reward, is of the original policy: independent of a rollout's answers all the same.
    assert_mean(literal, truth)


def climbed(form: Form, seed: int, length: float, steps: int) -> float:
    """What the toy's policy gains by steps of one length on the same 40 rollouts."""
    which = draw(40, np.random.default_rng(seed))
    advantage = advantages(REWARD[which], np.zeros(40))
    logits = ORIGINAL.clone()
    for _ in range(steps):
        gradient = estimate(logits, ROLLOUTS[which], advantage, form)
        logits = logits + length * torch.from_numpy(gradient / np.linalg.norm(gradient))
    return float(expected_reward(logits) - expected_reward(ORIGINAL))


def test_near_the_original_both_forms_gain_alike_and_far_from_it_more_by_decision() -> None:
    for length, steps in ((0.1, 10), (0.3, 20)):
        gained = np.array(
            [[climbed(form, seed, length, steps) for form in ("decision", "rollout")] for seed in range(30)]
        )
        more = gained[:, 0] - gained[:, 1]
        if length < 0.2:
            assert gained.mean(axis=0).min() > 0.5 and abs(more.mean()) < 0.02
        else:
            assert more.mean() > 3 * more.std() / len(more) ** 0.5


def test_a_baseline_by_deal_takes_its_luck_away() -> None:
    by_deal, by_all = (
        simulate(ORIGINAL, "decision", batches=2_000, size=16, groups=4, by_deal=each) for each in (True, False)
    )
    assert by_deal.var(axis=0).sum() < 0.6 * by_all.var(axis=0).sum()


@pytest.mark.full
@pytest.mark.parametrize("form", ["decision", "rollout"])
def test_rewards_shuffled_among_the_rollouts_teach_nothing(form: Form) -> None:
    taught = simulate(ORIGINAL, form)
    assert np.abs(taught.mean(axis=0) / (taught.std(axis=0) / len(taught) ** 0.5)).max() > 20
    assert_mean(simulate(ORIGINAL, form, shuffled=True), np.zeros((ANSWERS, CHOICES)))


def test_advantages_are_against_the_others_of_the_group() -> None:
    rewards, groups = np.array([1.0, 3.0, 5.0, -1.0, 1.0]), np.array([7, 7, 7, 2, 2])
    assert advantages(rewards, groups).tolist() == [-3.0, 0.0, 3.0, -2.0, 2.0]
    with pytest.raises(ValueError, match="alone in its group"):
        advantages(rewards, np.array([7, 7, 7, 2, 1]))


@pytest.mark.parametrize("form", ["decision", "rollout"])
def test_ratios_that_no_number_holds_are_cut_off(form: Form) -> None:
    log_ratio, path = torch.tensor([300.0, 300.0, -400.0]), torch.tensor([0, 0, 1])
    assert torch.isfinite(ratios(log_ratio, path, form)).all()
