"""Training: the loss is formula 4, a seed names the weights, a stopped training goes on as if it had not been."""

from itertools import islice

import numpy as np
import pytest
import torch

from suphx.errors import InputError
from suphx.reward.predictor import RewardNetwork, RewardShape
from suphx.reward.training import RewardProgress, Trainer, examples_of, loss_of


def weights(trainer):
    return torch.cat([tensor.flatten() for tensor in trainer.best_network().state_dict().values()])


def trained(config, selection, folder):
    folder.mkdir(exist_ok=True)
    trainer = Trainer(config, selection, folder)
    for _ in trainer.run():
        pass
    return trainer


def test_the_loss_is_formula_4_without_the_round_that_ends_a_game(config, selection):
    examples = examples_of(selection.part("test"), config)
    torch.manual_seed(0)
    network = RewardNetwork(RewardShape(inputs=examples.inputs.shape[-1], hidden=8))
    of_games = []
    for inputs, length, reward in zip(examples.inputs, examples.lengths, examples.rewards, strict=True):
        phi = network(inputs[None, :length], length[None])[0]
        of_games.append(np.mean([((phi[j] - reward) ** 2).mean().item() for j in range(int(length))]))
    assert loss_of(network, examples).item() == pytest.approx(np.mean(of_games), rel=1e-5)


def test_targets_are_centered_prizes_in_units_of_their_standard_deviation(config, selection):
    rewards = examples_of(selection.games, config).rewards.numpy()
    assert np.abs(rewards.sum(1)).max() < 1e-5
    assert rewards.std() == pytest.approx(1, abs=1e-5)


def test_training_lowers_the_loss(config, selection, tmp_path):
    epochs = trained(config.model_copy(update={"learning_rate": 0.01}), selection, tmp_path).progress.epochs
    assert len(epochs) == config.epochs
    assert epochs[-1].training_loss < 0.9 * epochs[0].training_loss


def test_a_seed_names_the_weights(config, selection, tmp_path):
    first, again = (weights(trained(config, selection, tmp_path / name)) for name in "ab")
    other = weights(trained(config.model_copy(update={"seed": 4}), selection, tmp_path / "c"))
    assert torch.equal(first, again) and not torch.equal(first, other)


def test_a_stopped_training_goes_on_as_if_it_had_not_been(config, selection, tmp_path):
    (tmp_path / "stopped").mkdir()
    stopped = Trainer(config, selection, tmp_path / "stopped")
    steps = -(-stopped.games // config.batch)
    list(islice(stopped.run(), 2 * steps + 3))  # in the middle of the third pass
    resumed = trained(config, selection, tmp_path / "stopped")
    straight = trained(config, selection, tmp_path / "straight")
    assert resumed.progress == straight.progress
    assert torch.equal(weights(resumed), weights(straight))


def test_a_finished_training_does_nothing_more(config, selection, tmp_path):
    trainer = trained(config, selection, tmp_path)
    again = Trainer(config, selection, tmp_path)
    assert list(again.run()) == [] and torch.equal(weights(again), weights(trainer))


def test_training_stops_when_validation_gets_no_better_and_keeps_the_best(config, selection, tmp_path):
    bold = config.model_copy(update={"learning_rate": 0.5, "epochs": 60, "patience": 2})
    progress = trained(bold, selection, tmp_path).progress
    losses = [each.validation_loss for each in progress.epochs]
    assert len(losses) < 60
    assert progress.best_epoch == int(np.argmin(losses)) == len(losses) - 3


def test_progress_of_earlier_versions_is_read(config, selection, tmp_path):
    progress = trained(config, selection, tmp_path).progress
    before = progress.model_dump()
    before = before | {"passes": before.pop("epochs"), "best_pass": before.pop("best_epoch")}
    assert RewardProgress.model_validate(before) == progress


@pytest.mark.faults
def test_the_checkpoint_of_another_training_is_neither_used_nor_overwritten(config, selection, tmp_path):
    trained(config, selection, tmp_path)
    before = (tmp_path / "checkpoint.safetensors").read_bytes()
    with pytest.raises(InputError, match="a training with another configuration"):
        Trainer(config.model_copy(update={"hidden": 9}), selection, tmp_path)
    assert (tmp_path / "checkpoint.safetensors").read_bytes() == before


@pytest.mark.faults
def test_a_broken_checkpoint_is_told(config, selection, tmp_path):
    (tmp_path / "checkpoint.safetensors").write_bytes(b"half of it")
    with pytest.raises(InputError, match=r"checkpoint\.safetensors: no checkpoint, or not whole"):
        Trainer(config, selection, tmp_path)
