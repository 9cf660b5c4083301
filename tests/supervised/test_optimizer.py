from __future__ import annotations

import pytest
import torch

from suphx.learning.optimizer import orthogonal
from suphx.networks.policy import PolicyNetwork
from suphx.networks.sizes import NetworkSize
from suphx.supervised.training import AveragingOptimizer, rate_at
from tests.supervised.tiny_config import tiny_config

SIZE = NetworkSize(filters=8, blocks=1)


def network() -> PolicyNetwork:
    torch.manual_seed(0)
    return PolicyNetwork("riichi", SIZE)


def give_gradients(of: PolicyNetwork) -> None:
    for parameter in of.parameters():
        parameter.grad = torch.randn_like(parameter)


@pytest.mark.parametrize("shape", [(8, 24), (24, 8), (16, 16)])
def test_the_step_of_a_matrix_moves_all_directions_alike(shape: tuple[int, int]) -> None:
    torch.manual_seed(1)
    values = torch.linalg.svdvals(orthogonal(torch.randn(shape) @ torch.diag(torch.logspace(0, -1, shape[1]))))
    assert values.min() > 0.3 and values.max() < 1.3


def test_matrices_of_a_shape_are_turned_together_as_each_alone() -> None:
    torch.manual_seed(2)
    several = torch.randn(3, 8, 24)
    for together, alone in zip(orthogonal(several), several, strict=True):
        torch.testing.assert_close(together, orthogonal(alone), rtol=0.05, atol=0.02)  # sums of bfloat16


def test_the_rate_rises_stays_and_falls_to_zero() -> None:
    config = tiny_config(warmup=0.1, decay=0.5)
    assert rate_at(config, 0) == 0
    assert rate_at(config, 0.05) == pytest.approx(0.5)
    assert rate_at(config, 0.1) == rate_at(config, 0.5) == 1
    assert rate_at(config, 0.75) == pytest.approx(0.5)
    assert rate_at(config, 1) == 0


@pytest.mark.parametrize("name", ["muon", "adamw"])
def test_a_step_at_rate_zero_changes_nothing_and_one_at_full_rate_everything(name: str) -> None:
    trained = network()
    optimizer = AveragingOptimizer(trained, tiny_config(optimizer=name, decay=1.0, warmup=0), 1e-3)
    for share, changes in ((1.0, False), (0.0, True)):
        before = {key: value.clone() for key, value in trained.state_dict().items()}
        give_gradients(trained)
        optimizer.step_at(share)
        for key, value in trained.state_dict().items():
            assert torch.equal(value, before[key]) != changes, key


def test_the_average_is_that_of_the_weights_after_each_step() -> None:
    trained = network()
    config = tiny_config(average_steps=4)
    optimizer = AveragingOptimizer(trained, config, 1e-2)
    wanted = {key: value.clone() for key, value in trained.state_dict().items()}
    for step in range(1, 9):
        give_gradients(trained)
        optimizer.step_at(0.5)
        kept = min(1 - 1 / 4, step / (step + 10))
        wanted = {key: kept * each + (1 - kept) * trained.state_dict()[key] for key, each in wanted.items()}
    for key, value in optimizer.average.state_dict().items():
        torch.testing.assert_close(value, wanted[key])


@pytest.mark.parametrize("name", ["muon", "adamw"])
def test_going_on_from_saved_tensors_takes_the_same_steps(name: str) -> None:
    config = tiny_config(optimizer=name)
    one, two = network(), network()
    first, second = AveragingOptimizer(one, config, 1e-3), AveragingOptimizer(two, config, 1e-3)
    torch.manual_seed(7)
    give_gradients(one)
    first.step_at(0.5)
    two.load_state_dict(one.state_dict())
    second.load_tensors({key: value.contiguous().clone() for key, value in first.tensors().items()}, first.steps)
    for trained, optimizer in ((one, first), (two, second)):
        torch.manual_seed(8)
        give_gradients(trained)
        optimizer.step_at(0.6)
    for key, value in one.state_dict().items():
        assert torch.equal(value, two.state_dict()[key]), key
