"""The benchmarks of self-play measure what they say, and their commands print it."""

import json

import numpy as np
import pytest
from selfplay_tables import precision
from typer.testing import CliRunner

from suphx.bench.collector import MODEL, bench_collector, made_up_questions
from suphx.bench.learner import PEAKS, bench_learner, operations, peak_of
from suphx.cli import app
from suphx.networks.models import MODELS
from suphx.networks.sizes import SIZES, NetworkSize

TINY = NetworkSize(filters=4, blocks=1)


def test_a_collector_is_no_faster_than_its_networks_alone():
    found = bench_collector(TINY, precision(), 0.4, games=8, turns=2)
    assert all(value >= 0 for value in found.values())
    assert 0 < found["ratio"] < 1 and 0 < found["network_share"] < 1
    assert found["questions_per_s"] == pytest.approx(found["decisions_per_s"] * found["questions_per_decision"])
    assert sum(found[f"{model}_share"] for model in MODELS) == pytest.approx(1)
    assert found["learned_share"] == found[f"{MODEL}_share"] > 0.5
    assert found["play_us"] > 0 and found["games"] == 8


@pytest.mark.parametrize("with_critic", [False, True])
def test_a_step_of_learning_is_held_against_the_bare_step(with_critic):
    found = bench_learner(TINY, precision(), 0.3, batch=64, with_critic=with_critic)
    assert all(value > 0 for value in found.values())
    assert found["ratio"] == pytest.approx(found["pairs_per_core_s"] / found["bare_pairs_per_core_s"])
    assert found["ratio"] < 1.5  # a tiny network's step is mostly what is around it


def test_made_up_questions_can_be_learned_from():
    questions = made_up_questions(5)
    assert len(questions) == 5 and questions["answer"].max() < 34
    assert np.exp(questions["log_probability"]) == pytest.approx(1 / 34)


def test_operations_are_those_of_the_convolutions_and_a_little_more():
    for name in ("small", "paper"):
        size = SIZES[name]
        weights = 3 * size.filters * (838 + 2 * size.blocks * size.filters)
        found = operations(size)
        assert 2 * 34 * weights < found["forward"] < 1.01 * 2 * 34 * weights
        assert 2 < found["training"] / found["forward"] < 3  # no gradient of what goes in


def test_a_card_is_known_by_words_of_its_name():
    assert peak_of("NVIDIA H100 80GB HBM3") == PEAKS["H100"]
    assert peak_of("NVIDIA H100 PCIe") == PEAKS["H100 PCIE"]
    assert peak_of("NVIDIA A100-SXM4-80GB") == PEAKS["A100"]
    assert peak_of("NVIDIA L40S") != peak_of("NVIDIA L4")
    assert peak_of("Some Other Card") is None


def test_the_command_for_play_prints_json():
    words = [
        "bench",
        "selfplay",
        "--sizes",
        "small",
        "--seconds",
        "0.2",
        "--games",
        "4",
        "--no-roles",
        "--device",
        "cpu",
    ]
    result = CliRunner().invoke(app, [*words, "--json"])
    assert result.exit_code == 0, result.output
    numbers = json.loads(result.stdout)
    assert set(numbers) == {"precision", "machine_cores", "small"}
    assert 0 < numbers["small"]["collector"]["ratio"] < 1.2


def test_the_command_for_learning_prints_json():
    words = ["bench", "learner", "--sizes", "small", "--seconds", "0.2", "--batch", "16", "--device", "cpu", "--json"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    numbers = json.loads(result.stdout)
    assert numbers["batch"] == 16
    assert set(numbers["small"]) == {"learner", "learner_and_critic"}
    assert all(part["ratio"] > 0 for part in numbers["small"].values())
