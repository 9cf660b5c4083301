"""`suphx bench` measures each part of the work."""

import json

import numpy as np
import pytest
from selfplay_tables import precision
from typer.testing import CliRunner

from simulator.efficiency import shanten_batch
from simulator.record import GAME
from suphx.bench.learner import PEAKS, bench_learner, made_up_decisions, operations, peak_of
from suphx.bench.selfplay import bench_collector
from suphx.bench.simulator import bench_hands, bench_simulator, bench_verifying, game_like_hands, random_hands, rates
from suphx.cli import app
from suphx.networks.sizes import SIZES, NetworkSize

TINY = NetworkSize(filters=4, blocks=1)


def bench(*words: str) -> dict:
    result = CliRunner().invoke(app, ["bench", *words, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_rates_are_counts_by_time():
    measured = rates({"one": lambda: 1, "two": lambda: 2}, 0.01)
    assert set(measured) == {"one", "two"} and all(rate > 0 for rate in measured.values())


def test_hands_are_like_those_of_games():
    hands = game_like_hands(200)
    assert (hands.sum(axis=1) == 14).all() and hands.max() <= 4
    assert shanten_batch(hands).mean() < shanten_batch(random_hands(200)).mean()
    assert all(rate > 0 for rate in bench_hands(hands, 0.01).values())


@pytest.mark.full
def test_every_part_of_the_table_is_measured():
    parts = dict(bench_simulator([], 0.1))
    assert list(parts) == ["play", "random hands", "game-like hands", "verifying"]
    assert parts["play"]["bytes_per_game"] == GAME.itemsize <= 4096
    assert all(value > 0 for part in parts.values() for value in part.values())


def test_logs_that_do_not_verify_have_no_rate(tmp_path):
    (tmp_path / "1.mjlog").write_text("no log")
    with pytest.raises(ValueError, match="1 errors"):
        bench_verifying([tmp_path], 1)


@pytest.mark.full
def test_encoders():
    metrics = bench("features", "--seconds", "0.1", "--positions", "50")["encoding"]
    assert metrics["positions"] >= 50
    assert 0 < metrics["features_us"] < metrics["features_with_lookahead_us"] and metrics["call_us"] > 0


def test_networks_in_both_precisions():
    words = ["--sizes", "small", "--device", "cpu", "--threads", "1", "--seconds", "0.1"]
    metrics = bench("networks", *words)
    assert metrics["threads"] == 1 and "on cpu" in metrics["precision"]
    for dtype in ("bfloat16", "float32"):
        assert set(metrics[f"small {dtype}"]) == {"inference_per_s", "first_layer_share", "training_per_s"}
    wrong = CliRunner().invoke(app, ["bench", "networks", "--sizes", "huge"])
    assert "there are paper, base, small" in str(wrong.exception)


def test_a_collector_is_no_faster_than_its_networks_alone():
    metrics = bench_collector(TINY, precision(), 0.4, games=8, turns=2)
    assert all(value >= 0 for value in metrics.values())
    assert 0 < metrics["ratio"] < 1 and 0 < metrics["network_share"] < 1
    assert metrics["decisions_per_s"] < metrics["questions_per_s"]
    assert metrics["learned_share"] > 0.5
    assert metrics["play_us"] > 0 and metrics["games"] == 8


@pytest.mark.parametrize("with_critic", [False, True])
def test_a_step_of_learning_is_compared_with_the_bare_step(with_critic):
    metrics = bench_learner(TINY, precision(), 0.3, batch=64, with_critic=with_critic)
    assert all(value > 0 for value in metrics.values())
    assert metrics["ratio"] == pytest.approx(metrics["pairs_per_core_s"] / metrics["bare_pairs_per_core_s"])
    assert metrics["ratio"] < 1.5  # a tiny network's step is mostly what is around it


def test_made_up_decisions_can_be_learned_from():
    decisions = made_up_decisions(5)
    assert len(decisions) == 5 and decisions["action"].max() < 34
    assert np.exp(decisions["log_probability"]) == pytest.approx(1 / 34)


def test_operations_are_those_of_the_convolutions_and_a_little_more():
    for name in ("small", "paper"):
        size = SIZES[name]
        weights = 3 * size.filters * (838 + 2 * size.blocks * size.filters)
        count = operations(size)
        assert 2 * 34 * weights < count["forward"] < 1.01 * 2 * 34 * weights
        assert 2 < count["training"] / count["forward"] < 3  # no gradient with respect to the input


def test_a_card_is_known_by_words_of_its_name():
    assert peak_of("NVIDIA H100 80GB HBM3") == PEAKS["H100"]
    assert peak_of("NVIDIA H100 PCIe") == PEAKS["H100 PCIE"]
    assert peak_of("NVIDIA A100-SXM4-80GB") == PEAKS["A100"]
    assert peak_of("NVIDIA L40S") != peak_of("NVIDIA L4")
    assert peak_of("Some Other Card") is None


def test_the_commands_for_self_play_and_learning_print_json():
    words = ["--sizes", "small", "--seconds", "0.2", "--device", "cpu"]
    assert 0 < bench("selfplay", *words, "--games", "4")["small"]["ratio"] < 1.2
    metrics = bench("learner", *words, "--batch", "16")
    assert metrics["batch"] == 16
    assert metrics["small"]["ratio"] > 0 < metrics["small and critic"]["ratio"]
