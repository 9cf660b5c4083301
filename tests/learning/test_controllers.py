"""Formula 3, in closed loops."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from suphx.learning.config import AnnealConfig, EntropyConfig, LearningConfig
from suphx.learning.model_learner import EntropyController


def test_one_step_is_formula_3() -> None:
    controller = EntropyController(EntropyConfig(target=0.8, start=0.1, beta=0.05), recent_steps=2)
    controller.update(0.6)
    assert controller.coefficient == pytest.approx(0.1 + 0.05 * 0.2)
    controller.update(0.9)  # recent is 0.75 now
    assert controller.coefficient == pytest.approx(0.1 + 0.05 * (0.2 + 0.05))


def entropy_of(logits: torch.Tensor) -> torch.Tensor:
    return -(logits.softmax(0) * logits.log_softmax(0)).sum()


def closed_loop(config: EntropyConfig, steps: int) -> list[float]:
    """A policy of four answers that would become sure of the best one, held by the controller."""
    controller = EntropyController(config, recent_steps=10)
    logits = torch.zeros(4, requires_grad=True)
    worth = torch.tensor([1.0, 0.2, -0.3, -1.0])
    seen = []
    for _ in range(steps):
        entropy = entropy_of(logits)
        gain = (logits.softmax(0) * worth).sum() + controller.coefficient * entropy
        (gradient,) = torch.autograd.grad(gain, logits)
        with torch.no_grad():
            logits += 0.5 * gradient
        controller.update(float(entropy.detach()))
        seen.append(float(entropy.detach()))
    return seen


@pytest.mark.parametrize("target", [0.3, 0.7, 1.1])
def test_entropy_reaches_its_target_and_holds_it(target: float) -> None:
    seen = closed_loop(EntropyConfig(target=target, beta=0.01, highest=5), 1500)
    assert np.abs(np.array(seen[-300:]) - target).max() < 0.02
    loose = closed_loop(EntropyConfig(target=target, beta=0), 1500)
    assert abs(loose[-1] - target) > 0.1


def test_a_target_may_be_a_share_of_the_first_entropy() -> None:
    controller = EntropyController(EntropyConfig(share=0.5), recent_steps=3)
    for _ in range(4):
        controller.update(1.2)
    assert controller.target == pytest.approx(0.6)
    seen = closed_loop(EntropyConfig(share=0.5, beta=0.01, highest=5), 1500)
    assert seen[-1] == pytest.approx(np.mean(seen[:10]) / 2, abs=0.03)


def test_alpha_stays_within_its_bounds() -> None:
    controller = EntropyController(EntropyConfig(target=1, start=0.2, beta=1, lowest=0.1, highest=0.3), recent_steps=1)
    controller.update(0.0)
    assert controller.coefficient == 0.3
    controller.update(5.0)
    assert controller.coefficient == 0.1


def test_the_rate_falls_after_so_many_games() -> None:
    config = LearningConfig(anneal=AnnealConfig(after_games=10, games=20, lowest=0.2))
    assert [config.rate_share(games) for games in (0, 10, 20, 30, 99)] == pytest.approx([1, 1, 0.6, 0.2, 0.2])
    assert LearningConfig().rate_share(99) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"models": []},
        {"models": ["discard", "discard"]},
        {"models": ["win"]},
        {"learning_rate_of": {"kong": 1e-4}},
        {"learning_rate_of": {"discard": 0}},
        {"start_temperature_of": {"kong": 0.5}},
        {"entropy": {"start": 0.9, "highest": 0.5}},
        {"reference": {"coefficient": -1}},
        {"algorithm": "none"},
        {"critic": {"size": "huge"}},
        {"max_importance_weight": 1},
        {"unknown": 1},
    ],
)
def test_what_does_not_fit_is_refused(wrong: dict) -> None:
    with pytest.raises(ValidationError):
        LearningConfig.model_validate(wrong)


def test_the_target_is_that_of_several_steps_and_alpha_waits_for_it():
    controller = EntropyController(EntropyConfig(share=0.5, start=0.01, beta=0.1), recent_steps=4)
    for entropy in (1.0, 0.2, 0.8):
        controller.update(entropy)
        assert controller.coefficient == 0.01 and not controller.settled
    controller.update(0.4)
    assert controller.state.first == pytest.approx(0.6) and controller.target == pytest.approx(0.3)
    assert controller.coefficient == 0  # 0.01 + 0.1 x (0.3 - 0.6) is below the lowest
    controller.update(0.0)
    assert controller.state.first == pytest.approx(0.6)
