"""Value networks as leaves: exactly on Leduc, and on the turn in place of the river."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from suphx.cli import app
from suphx.equilibrium.poker.betting import Sizes
from suphx.equilibrium.poker.boards import pairs_beside
from suphx.equilibrium.poker.cards import PAIRS, parse_cards
from suphx.equilibrium.poker.endgame import Endgame
from suphx.equilibrium.poker.leaf import LeafConfig, TurnLeaf, train_leaf, turn_loss
from suphx.equilibrium.poker.leduc import (
    LINES,
    POTS,
    exact_values,
    leduc_network,
    network_values,
    second_round_values,
    solve_cut,
)
from suphx.equilibrium.poker.policy_net import PokerPolicyNetwork, save_policy
from suphx.equilibrium.poker.samples import SamplesConfig, generate
from suphx.equilibrium.poker.value_net import shares
from suphx.errors import InputError

BOARD, NO_BETS, POT = "QsJh2h8c", Sizes((), ()), Sizes((1.0,), ())
SOLVE = ["solve", "QQ-22,AQs-A2s", "ATs+,KJ+,99-66", "--board", BOARD, "--pot", "10", "--stack", "20"]
QUICK = SamplesConfig(seed=4, shortest=0.1, deepest=4.0, turn="/", river="a", target=0.05)


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("leaf") / "samples"
    assert list(generate(path, QUICK, 10)) == list(range(11))
    return path


@pytest.fixture(scope="module")
def network(folder):
    path = folder.parent / "net.safetensors"
    small = ["--set=epochs=2", "--set=buckets=20", "--set=hidden=16", "--set=layers=2"]
    result = CliRunner().invoke(app, ["poker", "leaf", str(folder), "--out", str(path), *small])
    assert result.exit_code == 0, result.output
    assert "10 samples" in result.stdout
    return path


class CheckDowns:
    """A leaf that is exact: nobody bets on the river."""

    def on(self, board, stacks):
        pairs = pairs_beside(board)

        def values(ranges):
            known, total = shares(ranges)
            held = np.zeros((len(stacks), 2, PAIRS))
            held[:, :, pairs] = known
            ends = [Endgame(board, 1.0, 0.0, each, NO_BETS, NO_BETS).values()[:, pairs] for each in held]
            return np.stack(ends) * total[:, ::-1]

        return values


def test_exact_leaves_solve_the_turn_as_the_river_itself_does():
    random = np.random.default_rng(1)
    ranges = random.random((2, PAIRS)) * (random.random((2, PAIRS)) < 0.3)
    whole, cut = (Endgame(parse_cards(BOARD), 2.0, 5.0, ranges, POT, last) for last in (NO_BETS, CheckDowns()))
    for _ in range(8):
        whole.iterate()
        cut.iterate()
    np.testing.assert_allclose(cut.strategy(["x"]), whole.strategy(["x"]), atol=2e-4)
    np.testing.assert_allclose(cut.values(), whole.values(), atol=1e-4)
    for refused in (cut.exploitability, lambda: cut.save(Path("x.npz"))):
        with pytest.raises(ValueError, match="ends in a network's values"):
            refused()
    with pytest.raises(InputError, match="stand for the river"):
        cut.actions(["x", "x", "Ah"])


def test_what_the_turn_loses_is_nothing_at_an_equilibrium_and_more_by_a_wrong_river():
    ranges = np.stack([np.random.default_rng(seed).random(PAIRS) ** 8 for seed in (1, 2)])
    solved = Endgame(parse_cards(BOARD), 1.0, 1.5, ranges, POT, POT)
    *_, reached = solved.solve(300, 0.002)
    wrong = Endgame(parse_cards(BOARD), 1.0, 1.5, ranges, POT, NO_BETS)
    *_, _ = wrong.solve(300, 0.002)
    good, bad = (turn_loss(each, POT, 300, 0.002) for each in (solved, wrong))
    assert 0 < good < reached + 0.002 and bad > good


def test_values_of_leducs_second_round_are_of_the_game():
    """After an even first round kings win from queens and jacks; a card that the range leaves out has a value, too."""
    even, queens = np.full((2, 6), 1 / 6), np.array([[0, 0, 0.5, 0.5, 0, 0]] * 2)
    values = second_round_values("crrc", even, 200)
    assert (values * even).sum() == pytest.approx(0, abs=0.01) and values[0, 4] > values[0, 2] > values[0, 0]
    values = second_round_values("cc", queens, 200)
    assert values[0, 4] > values[0, 0] > 0 and values[0, 2] == pytest.approx(0, abs=0.02)  # a jack may pair
    assert dict(zip(LINES, POTS, strict=True)) == {"cc": 2, "crc": 6, "crrc": 10, "rc": 6, "rrc": 10}


def test_leduc_solved_to_exact_leaves_is_near_an_equilibrium():
    solved = solve_cut(exact_values(100), 60)
    assert solved.nash_conv() < 0.2
    assert solved.values()[0] == pytest.approx(-0.0856, abs=0.02)


def test_leduc_solved_to_a_trained_network_is_far_better_than_to_another():
    trained = solve_cut(network_values(leduc_network(300, seed=0)), 100).nash_conv()
    untrained = solve_cut(network_values(leduc_network(0, seed=0)), 100).nash_conv()
    assert trained < 0.5 < 0.8 < untrained


@pytest.mark.full
def test_leduc_comes_near_an_equilibrium_and_only_with_what_the_leaves_promised():
    exact = exact_values(300)
    promised, alone = (solve_cut(exact, 1000, safe).nash_conv() for safe in (True, False))
    assert promised < 0.02 and alone > 3 * promised
    assert solve_cut(network_values(leduc_network(6000, seed=0)), 1000).nash_conv() < 0.25


def test_a_network_is_saved_and_loaded(network, tmp_path):
    leaf = TurnLeaf.load(network)
    assert leaf.samples == QUICK and leaf.config.hidden == 16 and leaf.count == 10
    leaf.save(tmp_path / "again.safetensors")
    again = TurnLeaf.load(tmp_path / "again.safetensors")
    ranges = np.random.default_rng(0).random((2, 2, 1128)).astype(np.float32)
    first, second = (each.on(parse_cards(BOARD), np.array([0.5, 2.0]))(ranges) for each in (leaf, again))
    np.testing.assert_array_equal(first, second)
    assert not list(tmp_path.glob(".*"))  # no temporary file is left
    # both players' values, weighted by their ranges, add up to nothing, whatever the ranges weigh
    np.testing.assert_allclose((first * ranges).sum((1, 2)) / ranges.sum(2).prod(1), 0, atol=0.05)


@pytest.mark.parametrize("name", ["E[HS2]", "nested", "direct"])
def test_every_encoding_can_be_a_leaf(folder, tmp_path, name):
    few = {"encoding": name, "hidden": 4, "layers": 1, "epochs": 1, "public": 2, "private": 10}
    (leaf,) = train_leaf(folder, LeafConfig.model_validate(few))
    leaf.save(tmp_path / "x.safetensors")
    values = TurnLeaf.load(tmp_path / "x.safetensors").on(parse_cards(BOARD), np.array([1.0]))
    ranges = np.full((1, 2, 1128), 1 / 1128, np.float32)
    np.testing.assert_array_equal(values(ranges), leaf.on(parse_cards(BOARD), np.array([1.0]))(ranges))


@pytest.mark.faults
def test_damaged_and_other_networks_are_told_by_file(network, folder, tmp_path):
    bad = tmp_path / "bad.safetensors"
    bad.write_bytes(network.read_bytes()[:-100])
    with pytest.raises(InputError, match=r"bad\.safetensors: .*not whole"):
        TurnLeaf.load(bad)
    save_policy(bad, PokerPolicyNetwork(), {})
    with pytest.raises(InputError, match=r"bad\.safetensors: weights of poker-policy-2; poker-values-1 is needed"):
        TurnLeaf.load(bad)
    with pytest.raises(InputError, match=r"none\.safetensors: no such file"):
        TurnLeaf.load(tmp_path / "none.safetensors")
    broken, bare = TurnLeaf.load(network), TurnLeaf.load(network)
    next(broken.network.parameters()).data.fill_(float("nan"))
    bare.encoding.arrays.clear()
    for leaf, words in ((broken, "not finite"), (bare, "not the arrays of an encoding")):
        leaf.save(bad)
        with pytest.raises(InputError, match=rf"bad\.safetensors: .*{words}"):
            TurnLeaf.load(bad)
    with pytest.raises(InputError, match=r"leaves 9 pots behind; the network has learned 0\.1 to 4"):
        TurnLeaf.load(network).on(parse_cards(BOARD), np.array([9.0]))
    settings = folder / "samples.json"
    other = tmp_path / "samples"
    other.mkdir()
    (other / "samples.json").write_text(settings.read_text().replace('"turn": "/"', '"turn": "1,a"'))
    with pytest.raises(InputError, match="begin with bets on the turn"):
        next(train_leaf(other, LeafConfig()))
    with pytest.raises(InputError, match="no samples of"):
        next(train_leaf(tmp_path, LeafConfig()))


def test_a_turn_is_solved_with_a_network_for_the_river(network):
    result = CliRunner().invoke(app, ["poker", *SOLVE, "--leaf", str(network), "--at", "x", "--json"])
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    assert printed["iterations"] == 50 and sum(printed["value"]) == pytest.approx(10, abs=1e-3)
    assert sum(printed["frequencies"].values()) == pytest.approx(1) and "exploitability" not in printed
    again = CliRunner().invoke(app, ["poker", *SOLVE, "--leaf", str(network), "--iterations", "3"])
    assert "values of the river by the network" in again.stdout


@pytest.mark.faults
@pytest.mark.parametrize("option", [["--river", "1"], ["--target", "1"], ["--start", "x.npz"], ["--out", "x.npz"]])
def test_options_of_the_river_are_refused_beside_a_network(network, option):
    result = CliRunner().invoke(app, ["poker", *SOLVE, "--leaf", str(network), *option])
    assert result.exit_code != 0 and "--leaf" in result.output


@pytest.mark.full
def test_both_measurements_run(network):
    few = ["--spots", "2", "--iterations", "5", "--json", "--range", "random", "--range", "22+,A2s+"]
    result = CliRunner().invoke(app, ["bench", "solvers", "leaf", str(network), *few])
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    assert printed["to the end"]["loss"]["mean"] < 1 < printed["untrained network"]["loss"]["mean"]
    few = ["--seeds", "1", "--examples", "200", "--iterations", "30", "--json"]
    result = CliRunner().invoke(app, ["bench", "solvers", "leaf", *few])
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    assert printed["exact"]["mean"] < printed["trained"]["mean"] < printed["untrained"]["mean"]
