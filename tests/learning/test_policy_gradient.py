"""Formulas 1 and 2: gradients, importance weights, rejection, distances."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from suphx.learning.algorithms import Objective, policy_gradient, ppo
from suphx.learning.config import LearningConfig
from suphx.learning.distributions import divergence, entropy, log_probabilities, log_weights
from suphx.networks.policy import PolicyNetwork
from tests.learning.toy_experience import TINY, as_input, random_planes

ALPHA, COEFFICIENT = 0.3, 0.7


def made_up(n: int = 6, answers: int = 5) -> dict[str, torch.Tensor]:
    """A table policy in float64, some answers impossible; weights on both sides of 1."""
    generator = torch.Generator().manual_seed(0)
    logits = torch.randn(n, answers, generator=generator, dtype=torch.float64)
    legal = torch.rand(n, answers, generator=generator) < 0.6
    answer = torch.arange(n) % answers
    legal[torch.arange(n), answer] = True
    legal[:, 0] = True
    return {
        "logits": logits,
        "legal": legal,
        "action": answer,
        "played": torch.randn(n, generator=generator, dtype=torch.float64) * 0.3 - 1.2,
        "advantage": torch.randn(n, generator=generator, dtype=torch.float64),
        "reference": torch.randn(n, answers, generator=generator, dtype=torch.float64),
    }


def objective_of(
    log_policy: torch.Tensor, action: torch.Tensor, behavior: torch.Tensor, advantage: torch.Tensor, highest: float
) -> Objective:
    config = LearningConfig(max_importance_weight=highest)
    return policy_gradient(log_policy.gather(1, action[:, None]).squeeze(1), behavior, advantage, config)


def objective(logits: torch.Tensor, made: dict[str, torch.Tensor], highest: float) -> torch.Tensor:
    policy = log_probabilities(logits, made["legal"])
    terms = objective_of(policy, made["action"], made["played"], made["advantage"], highest)
    distance = divergence(policy, log_probabilities(made["reference"], made["legal"]))
    return (terms.gain + ALPHA * entropy(policy) - COEFFICIENT * distance)[terms.accepted].sum()


@pytest.mark.parametrize("highest", [100.0, 1.1])
def test_gradients_of_a_table_policy_are_those_of_finite_differences(highest: float) -> None:
    made = made_up()
    logits = made["logits"].clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda x: objective(x, made, highest), logits, eps=1e-6, atol=1e-7)


def test_the_objective_is_formula_2_written_out() -> None:
    made = made_up()
    total = 0.0
    for row in range(len(made["action"])):
        legal = made["legal"][row].numpy()
        policy = np.where(legal, np.exp(made["logits"][row].numpy()), 0)
        reference = np.where(legal, np.exp(made["reference"][row].numpy()), 0)
        policy, reference = policy / policy.sum(), reference / reference.sum()
        ratio = policy[made["action"][row]] / np.exp(float(made["played"][row]))
        logs = np.log(policy[legal])
        entropy = -(policy[legal] * logs).sum()
        distance = (policy[legal] * (logs - np.log(reference[legal]))).sum()
        total += ratio * float(made["advantage"][row]) + ALPHA * entropy - COEFFICIENT * distance
    assert float(objective(made["logits"], made, 100)) == pytest.approx(total)


def test_gradients_of_a_network_are_those_of_finite_differences() -> None:
    torch.manual_seed(0)
    network = PolicyNetwork("discard", TINY, planes=3)
    with torch.no_grad():
        network.blocks[0].second.weight.normal_(std=0.3)  # it starts at zero, which would hide the block
    planes = as_input(random_planes(5, 3))
    legal = torch.isin(torch.arange(34), torch.tensor([0, 2, 3, 5])).expand(5, 34)
    answer = torch.tensor([0, 2, 3, 5, 0])
    played, advantage = torch.full((5,), -1.3), torch.tensor([1.0, -1.0, 2.0, 0.5, -0.2])

    def gain() -> torch.Tensor:
        policy = log_probabilities(network(planes), legal)
        terms = objective_of(policy, answer, played, advantage, 100)
        return (terms.gain + ALPHA * entropy(policy)).double().sum()

    gain().backward()
    torch.manual_seed(1)
    for name, weight in network.named_parameters():
        direction = torch.randn_like(weight)
        direction /= direction.norm()
        assert weight.grad is not None
        slope = float((weight.grad * direction).sum())
        step, sides = 3e-3, []
        for sign in (1, -1, -1, 1):
            with torch.no_grad():
                weight.add_(direction, alpha=sign * step)
                sides.append(float(gain()))
        assert slope == pytest.approx((sides[0] - sides[2]) / (2 * step), abs=3e-3, rel=0.01), name


def weighted(
    played_logits: torch.Tensor, logits: torch.Tensor, n: int = 40_000
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Gains and log importance weights of one policy's actions as another one's; what each is worth."""
    torch.manual_seed(0)
    worth = torch.tensor([1.0, -2.0, 0.5, 3.0])
    answer = torch.multinomial(played_logits.softmax(0), n, replacement=True)
    legal = torch.ones(n, 4, dtype=torch.bool)
    policy = log_probabilities(logits.expand(n, 4), legal)
    played = played_logits.log_softmax(0)[answer]
    log_weight = log_weights(policy.gather(1, answer[:, None]).squeeze(1), played)
    return objective_of(policy, answer, played, worth[answer], 1e6).gain, log_weight, worth[answer]


def test_weights_make_one_policys_answers_tell_the_value_of_another() -> None:
    played, other = torch.tensor([0.0, 1.0, 0.5, -0.5]), torch.tensor([0.5, -0.5, 0.0, 1.0])
    gain, log_weight, worth = weighted(played, other)
    value = float((other.softmax(0) * torch.tensor([1.0, -2.0, 0.5, 3.0])).sum())
    error = float(gain.std()) / len(worth) ** 0.5
    assert abs(float(gain.mean()) - value) < 3 * error
    assert abs(float(worth.mean()) - value) > 20 * error  # without the weights
    assert float(log_weight.exp().mean()) == pytest.approx(1, abs=4 * float(log_weight.exp().std()) / len(worth) ** 0.5)


def test_the_divergence_from_the_policy_that_played_is_estimated_without_bias() -> None:
    played, other = torch.tensor([0.0, 1.0, 0.5, -0.5]), torch.tensor([0.3, 0.6, 0.0, 0.0])
    _, log_weight, _ = weighted(played, other)
    estimates = log_weight.exp() - 1 - log_weight
    first, second = played.log_softmax(0), other.log_softmax(0)
    true = float((first.exp() * (first - second)).sum())
    assert (estimates > -1e-6).all()
    error = float(estimates.std()) / len(estimates) ** 0.5
    assert true > 30 * error
    assert abs(float(estimates.mean()) - true) < 3 * error


def two_answers(weight: float, advantage: float, highest: float) -> tuple[Objective, torch.Tensor]:
    """One decision with two even answers, and the gradient of its gain by the logit of the answer taken."""
    logits = torch.zeros(1, 2, requires_grad=True)
    policy = log_probabilities(logits, torch.ones(1, 2, dtype=torch.bool))
    played = torch.tensor([np.log(0.5 / weight)], dtype=torch.float32)
    terms = objective_of(policy, torch.tensor([0]), played, torch.tensor([advantage]), highest)
    terms.gain[terms.accepted].sum().backward()
    assert logits.grad is not None
    return terms, logits.grad[0, 0]


@pytest.mark.parametrize(("weight", "kept"), [(0.01, True), (1.99, True), (2.01, False), (1e60, False)])
def test_weights_above_the_highest_are_rejected(weight: float, kept: bool) -> None:
    terms, gradient = two_answers(weight, 1.0, highest=2.0)
    assert bool(terms.accepted) == kept
    assert float(gradient) == pytest.approx(weight * 0.5 if kept else 0.0)


def test_impossible_answers_have_no_part() -> None:
    logits = torch.randn(2, 34, generator=torch.Generator().manual_seed(0))
    legal = torch.zeros(2, 34, dtype=torch.bool)
    legal[0, [0, 1]], legal[1, [0, 33]] = True, True
    assert legal.sum(dim=1).tolist() == [2, 2] and bool(legal[1, 33])
    raised = logits.clone()
    raised[~legal] = 1e4
    for one, two in zip(_entropy_and_distance(logits, legal), _entropy_and_distance(raised, legal), strict=True):
        torch.testing.assert_close(one, two)


def _entropy_and_distance(logits: torch.Tensor, legal: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    policy = log_probabilities(logits, legal)
    return entropy(policy), divergence(policy, log_probabilities(torch.zeros_like(logits), legal))


def test_a_weight_that_is_no_number_is_not_hidden_by_rejection() -> None:
    policy = torch.full((1, 2), torch.nan)
    terms = objective_of(policy, torch.tensor([0]), torch.zeros(1), torch.ones(1), 2.0)
    assert bool(terms.accepted) and not terms.gain.isfinite().all()


@pytest.mark.parametrize(
    ("weight", "advantage", "gain", "slope"),
    [(1.1, 2.0, 2.2, 2.2), (1.5, 2.0, 2.4, 0.0), (0.5, 2.0, 1.0, 1.0), (0.5, -2.0, -1.6, 0.0), (1.5, -2.0, -3.0, -3.0)],
)
def test_ppo_gains_nothing_from_weights_beyond_the_clip(weight, advantage, gain, slope) -> None:
    log_probability = torch.tensor([np.log(weight)], requires_grad=True)
    objective = ppo(
        log_probability, torch.zeros(1), torch.tensor([advantage]), LearningConfig(algorithm="ppo", clip=0.2)
    )
    objective.gain[objective.accepted].sum().backward()
    assert log_probability.grad is not None
    assert (float(objective.gain.detach()), float(log_probability.grad)) == (pytest.approx(gain), pytest.approx(slope))
