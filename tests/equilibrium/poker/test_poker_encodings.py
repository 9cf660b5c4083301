"""SolvedEndgames, abstractions and counterfactual value networks."""

import json

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from suphx.cli import app
from suphx.equilibrium.poker.boards import hand_strengths
from suphx.equilibrium.poker.buckets import (
    BINS,
    NestedBuckets,
    PotentialBuckets,
    features,
    nearest_by_emd,
    square_buckets,
)
from suphx.equilibrium.poker.cards import PAIR_CARDS, PAIRS
from suphx.equilibrium.poker.encodings import Encoded, evaluate
from suphx.equilibrium.poker.equity import exact_equity
from suphx.equilibrium.poker.samples import SamplesConfig, generate, load_samples, solve_sample
from suphx.equilibrium.poker.value_net import PokerValueNetwork, train
from suphx.errors import InputError

QUICK = SamplesConfig(seed=4, deepest=0.5, turn="a", river="a")


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("poker") / "samples"
    assert list(generate(path, QUICK, 12)) == list(range(13))
    return path


def test_samples_are_solved_zero_sum_and_resume_where_they_stopped(folder, tmp_path):
    samples = load_samples(folder)
    assert (samples.exploitability <= QUICK.target).all() and len(samples.stack) == 12
    np.testing.assert_allclose((samples.values * samples.ranges).sum((1, 2)), 0, atol=1e-5)
    np.testing.assert_allclose(samples.ranges.sum(2), 1, atol=1e-5)
    stopped = generate(tmp_path / "other", QUICK, 12)
    for _ in range(5):
        next(stopped)
    stopped.close()
    assert len(load_samples(tmp_path / "other").stack) == 4
    list(generate(tmp_path / "other", QUICK, 12))
    for again, first in zip(load_samples(tmp_path / "other"), samples, strict=True):
        np.testing.assert_array_equal(again, first)


def test_slow_samples_are_kept_while_others_are_solved(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(f"{generate.__module__}._FILE_SECONDS", 0)
    solving = generate(tmp_path, QUICK, 12)
    for _ in range(4):
        next(solving)
    np.testing.assert_array_equal(load_samples(tmp_path).values, load_samples(folder, 3).values)
    solving.close()
    assert len(load_samples(tmp_path).stack) == 3


def test_a_showdown_without_betting_is_a_sample():
    board, stack, ranges, values, reached, iterations = solve_sample(SamplesConfig(shortest=0, deepest=0), 3)
    assert (stack, reached, iterations) == (0, pytest.approx(0, abs=1e-6), 1)
    pair = int(ranges[0].argmax())
    share = exact_equity(np.stack([np.arange(PAIRS) == pair, ranges[1]]), board).share[0]
    meets = ranges[1][~np.isin(PAIR_CARDS, PAIR_CARDS[pair]).any(1)].sum()
    assert values[0, pair] == pytest.approx((share - 0.5) * meets, abs=1e-5)


@pytest.mark.faults
def test_wrong_samples_are_told(folder, tmp_path):
    with pytest.raises(InputError, match="seed 4 instead of 5"):
        next(generate(folder, QUICK.model_copy(update={"seed": 5}), 12))
    with pytest.raises(InputError, match="12 samples; 13 are needed"):
        load_samples(folder, 13)
    with pytest.raises(InputError, match="exploitability"):
        solve_sample(QUICK.model_copy(update={"iterations": 1, "target": 1e-6}), 0)
    (tmp_path / "0000000.npz").write_bytes(b"PK nothing")
    with pytest.raises(InputError, match=r"0000000\.npz"):
        load_samples(tmp_path)


def test_buckets_do_not_depend_on_the_names_of_suits():
    board = np.array([[0, 17, 33, 50], [4, 8, 12, 19], [1, 2, 20, 47]], np.int8)
    renamed = np.sort(4 * (board >> 2) + (board + 1) % 4, axis=1).astype(np.int8)
    known, other = features(board), features(renamed)
    cards = np.sort(4 * (PAIR_CARDS >> 2) + (PAIR_CARDS + 1) % 4, axis=1)
    moved = cards[:, 1] * (cards[:, 1] - 1) // 2 + cards[:, 0]
    np.testing.assert_allclose(known.public, other.public)
    for abstraction in (square_buckets, NestedBuckets.fit(known, 2, 20, 0), PotentialBuckets.fit(known, 30, 0, 500, 3)):
        np.testing.assert_array_equal(abstraction(known), abstraction(other)[:, moved])


def test_squared_strength_is_the_mean_over_rivers():
    board = [0, 17, 33, 50]
    strengths = hand_strengths(board)
    known = features(np.array([board], np.int8))
    for pair in (3, 700, 1300):
        seen = strengths[:, pair][~np.isnan(strengths[:, pair])]
        if len(seen):
            assert known.square[0, pair] == pytest.approx((seen**2).mean(), rel=1e-5)
            assert known.cumulated[0, pair, -1] == pytest.approx(1, abs=1e-5)
            below = (seen < 0.5).mean()
            assert known.cumulated[0, pair, BINS // 2 - 1] == pytest.approx(below, abs=1e-5)


def test_the_nearest_histogram_by_earth_movers_distance():
    random = np.random.default_rng(2)
    points, centers = (np.cumsum(random.dirichlet(np.full(BINS, 0.1), n), 1).astype(np.float32) for n in (200, 40))
    centers = centers[np.argsort(centers.sum(1))]
    found = np.empty(200, np.int16)
    nearest_by_emd(points, centers, centers.sum(1), found)
    distance = np.abs(points[:, None] - centers).sum(2)
    np.testing.assert_allclose(distance[np.arange(200), found], distance.min(1), rtol=1e-5)


def test_encodings_average_and_the_direct_one_loses_nothing(folder):
    samples = load_samples(folder)
    known = features(samples.board)
    pairs = np.where(np.isnan(known.square), -1, np.arange(PAIRS))
    direct = Encoded(samples, pairs, PAIRS, True)
    assert direct.encoding_losses() == (0, 0)
    assert direct.ranges.shape[2] * 2 + direct.rest.shape[1] == 2705
    rough, fine = (Encoded(samples, square_buckets(known, width), width, False) for width in (5, 200))
    assert 0 < fine.encoding_losses().square < rough.encoding_losses().square
    np.testing.assert_allclose(fine.ranges.sum(2), 1, atol=1e-5)
    bucket = int(fine.place[0][fine.held[0]][0])
    inside = (fine.place[0] == bucket) & fine.held[0]
    assert fine.targets[0, 1, bucket] == pytest.approx(float(fine.values[0, 1][inside].mean()), abs=1e-5)


def test_the_network_is_zero_sum_and_learns(folder):
    samples = load_samples(folder)
    known = features(samples.board)
    encoded = Encoded(samples, square_buckets(known, 50), 50, False)
    rows = torch.arange(12)
    network = PokerValueNetwork(50, 1)
    won = (network(encoded.ranges, encoded.rest) * encoded.ranges).sum((1, 2))
    assert won.abs().max() < 1e-6
    networks = train(encoded, rows, 30, 6, 1e-3, seed=0)
    first = evaluate(next(networks), encoded, rows)[0].huber
    *_, last = networks
    assert evaluate(last, encoded, rows)[0].huber < first / 2


def test_the_command_prints_both_tables_and_resumes(folder, tmp_path):
    few = ["--set=epochs=1", "--set=seeds=1", "--set=buckets=20", "--set=private=10", "--set=public=2"]
    command = ["poker", "encodings", str(folder), "--out", str(tmp_path / "out"), *few]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert "0.02400" in result.stdout and "0.0143" in result.stdout
    lines = (tmp_path / "out" / "networks.jsonl").read_text()
    found = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    assert len(found["networks"]) == 4 and (tmp_path / "out" / "networks.jsonl").read_text() == lines
    for bad, said in (("--set=epochs=2", "epochs"), ("--sizes=x", "numbers"), ("--sizes=13", "13 are needed")):
        assert said in str(CliRunner().invoke(app, [*command, bad]).exception)
