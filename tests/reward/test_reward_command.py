"""`suphx reward` from end to end, on games that it makes."""

import json

import pytest
from typer.testing import CliRunner

from suphx.cli import app
from suphx.errors import InputError
from suphx.reward.predictor import RewardPredictor

CONFIG = """
name: small
hidden: 8
epochs: 2
bootstrap: 20
target: {kind: prizes, prizes: [3, 1, -1, -3], units: thousands}
generated: {games: 100}
"""


def reward(folder, text, *arguments):
    path = folder / "reward.yaml"
    path.write_text(text)
    return CliRunner().invoke(app, ["reward", str(path), "--out", str(folder / "run"), *arguments])


def test_it_trains_measures_and_draws(tmp_path):
    result = reward(tmp_path, CONFIG, "--json")
    assert result.exit_code == 0, result.output
    numbers = json.loads(result.stdout)
    assert numbers["units"] == "thousands" and numbers["source"] == "100 games by sensible, seed 0"
    assert sum(numbers["games"].values()) == 100 and len(numbers["epochs"]) == 2
    assert {"predictor", "constant", "current points", "linear"} <= set(numbers["evaluation"]["errors"]["all"])
    run = tmp_path / "run"
    assert json.loads((run / "reward.json").read_text()) == numbers
    assert RewardPredictor.load(run / "reward.safetensors").start.tolist() == numbers["start"]
    for name in ("reward-game.png", "reward-calibration.png"):
        assert (run / name).read_bytes().startswith(b"\x89PNG")
    assert list((run / "tensorboard").iterdir())
    first = (run / "reward.safetensors").read_bytes()
    again = reward(tmp_path, CONFIG)
    assert again.exit_code == 0 and "held-out games" in again.stdout
    assert (run / "reward.safetensors").read_bytes() == first


@pytest.mark.faults
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hiden: 8", "hiden"),
        ("batch: 0", "batch"),
        ("target: {kind: ranking_points, dan: 12}", "dan"),
        ("generated: {games: 20, seed: 1}\ngames: north", "games"),
    ],
)
def test_what_is_wrong_in_the_configuration_is_told_with_file_and_field(tmp_path, text, said):
    result = reward(tmp_path, text)
    assert isinstance(result.exception, InputError)
    assert "reward.yaml" in str(result.exception) and said in str(result.exception)


def test_too_few_games_for_a_split_are_told(tmp_path):
    result = reward(tmp_path, "generated: {games: 20, seed: 2}")
    assert isinstance(result.exception, InputError) and "more games are needed" in str(result.exception)


def test_a_value_is_set_over_the_configurations(tmp_path):
    result = reward(tmp_path, CONFIG, "--set", "generated={games: 20, seed: 2}")
    assert isinstance(result.exception, InputError) and "more games are needed" in str(result.exception)
