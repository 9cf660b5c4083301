"""Phi of many games, and the predictor's file."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from reward_games import game, side_by_side
from safetensors.torch import load_file, save_file

import suphx
from simulator.rules import Rules
from suphx.errors import InputError
from suphx.networks.weights import WeightsError
from suphx.reward.predictor import RewardPredictor

EVEN = (250, 250, 250, 250)
STARTS = (
    (0, 0, 0, EVEN),
    (1, 0, 0, (240, 260, 250, 250)),
    (2, 0, 1, (230, 260, 250, 250)),
    (2, 1, 0, (210, 240, 320, 230)),
)
SHIPPED = Path(suphx.__file__).parent / "weights" / "reward.safetensors"


def test_phi_starts_with_the_seats_mean_and_ends_with_the_true_value(predictor):
    phi = predictor.phi(game(*STARTS, final=(200, 240, 330, 230)))
    assert phi.shape == (1, 5, 4)
    assert phi[0, 0].tolist() == [2, 1, 0, -3]
    assert phi[0, 4].tolist() == [-135, 45, 90, 0]


def test_the_rewards_of_all_rounds_add_up_to_what_the_game_was_worth_less_the_start(predictor):
    phi = predictor.phi(game(*STARTS, final=(200, 240, 330, 230)))
    assert np.diff(phi[0], axis=0).sum(0) == pytest.approx([-137, 44, 90, 3])


def test_the_four_seats_add_up_to_zero_after_every_round(predictor, selection):
    phi = predictor.phi(selection.games)
    played = np.arange(phi.shape[1]) <= selection.games.n_starts[:, None]
    assert np.abs(phi[played].sum(-1)).max() < 1e-3
    assert np.isnan(phi[~played]).all()


def test_phi_of_an_unfinished_game_is_that_of_the_finished_one_so_far(predictor):
    whole = predictor.phi(game(*STARTS, final=(200, 240, 330, 230)))
    for n in range(1, 5):
        part = predictor.phi(game(*STARTS[:n]))
        assert part[0, :n] == pytest.approx(whole[0, :n], abs=1e-3)
        assert np.isnan(part[0, n:]).all()


def test_other_games_beside_it_do_not_change_a_games_phi(predictor, selection):
    alone = predictor.phi(game(*STARTS))
    together = predictor.phi(side_by_side(game(STARTS[0], final=EVEN), game(*STARTS)))
    assert together[1] == pytest.approx(alone[0], abs=1e-3, nan_ok=True)


def test_a_predictor_comes_back_as_it_was(saved, predictor, selection):
    found = RewardPredictor.load(saved)
    assert found.description == predictor.description
    assert np.array_equal(found.phi(selection.games), predictor.phi(selection.games), equal_nan=True)
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_games_of_other_rules_than_it_was_trained_for_are_refused(predictor):
    predictor.check_rules(Rules.tenhou())
    predictor.check_rules(dataclasses.replace(Rules.tenhou(), open_tanyao=False))
    with pytest.raises(InputError, match="length is 'east'; the reward predictor was trained with 'east_south'"):
        predictor.check_rules(Rules.tenhou_east())


def rewrite(path: Path, tensors: dict | None = None, **words: object) -> None:
    """Write the file anew with other tensors, or with other words in its description."""
    length = int.from_bytes(path.read_bytes()[:8], "little")
    metadata = json.loads(path.read_bytes()[8 : 8 + length])["__metadata__"]
    description = json.loads(metadata["reward_predictor"]) | words
    save_file(tensors or load_file(path), path, {"reward_predictor": json.dumps(description)})


@pytest.mark.faults
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"format": 2}, "format 2; this version reads format 1"),
        ({"inputs": "0123"}, "made for inputs 0123"),
        ({"scale": 0}, "scale: Input should be greater than 0"),
        ({"games": "north"}, "games: "),
        ({"rules": {}}, "which rules"),
        ({"color": "red"}, "color: "),
        ({"shape": {"inputs": 45, "hidden": 9}}, r"tensor .* has shape \[8"),
    ],
)
def test_a_description_that_does_not_fit_is_refused_with_the_files_name(saved, words, said):
    rewrite(saved, **words)
    with pytest.raises(WeightsError, match=rf"reward\.safetensors: .*{said}"):
        RewardPredictor.load(saved)


@pytest.mark.faults
def test_odd_tensors_are_refused(saved):
    tensors = load_file(saved)
    for changed, said in (
        ({name: tensor for name, tensor in tensors.items() if name != "output.bias"}, "output.bias"),
        (tensors | {"output.bias": torch.tensor([float("nan")])}, "finite"),
        (tensors | {"output.bias": torch.zeros(1, dtype=torch.int64)}, "finite"),
    ):
        rewrite(saved, changed)
        with pytest.raises(WeightsError, match=said):
            RewardPredictor.load(saved)


@pytest.mark.faults
def test_files_that_are_no_predictor_are_refused(tmp_path):
    with pytest.raises(WeightsError, match="no such file"):
        RewardPredictor.load(tmp_path / "none.safetensors")
    (tmp_path / "text").write_text("weights")
    with pytest.raises(WeightsError, match="no safetensors file"):
        RewardPredictor.load(tmp_path / "text")
    save_file({"weight": torch.zeros(3)}, tmp_path / "other")
    with pytest.raises(WeightsError, match="not the weights of a reward predictor"):
        RewardPredictor.load(tmp_path / "other")


def test_the_shipped_predictor_knows_what_a_lead_before_the_last_round_is_worth():
    predictor = RewardPredictor.load(SHIPPED)
    predictor.check_rules(Rules.tenhou())
    before = (6, 0, 0, (450, 250, 200, 100))
    phi = predictor.phi(game((0, 0, 0, EVEN), before, (7, 0, 0, (450, 250, 200, 100))))[0]
    assert phi[2, 0] > 75 > phi[2, 1] > phi[2, 2] > -60 and phi[2, 3] < -100
    assert phi[2, 0] > phi[1, 0] > phi[0, 0]  # the same lead is worth more the fewer rounds are left
