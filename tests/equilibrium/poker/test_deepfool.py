"""MCCFR through a network, players, matches and training."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from typer.testing import CliRunner

from suphx.cli import app
from suphx.config import load_config
from suphx.equilibrium.poker.cards import PAIRS, pair_number
from suphx.equilibrium.poker.deepfool import DeepFoolConfig, DeepFoolTraining, rule_decisions
from suphx.equilibrium.poker.equity import chances, exact_equity
from suphx.equilibrium.poker.holdem import HAND, OVER, SEATS, act, legal
from suphx.equilibrium.poker.match import deal_hands, duplicate
from suphx.equilibrium.poker.mccfr import Explored, explore, improved
from suphx.equilibrium.poker.players import player_named, random_player
from suphx.equilibrium.poker.policy_net import (
    PokerPolicyNetwork,
    divergence,
    load_policy,
    probabilities,
    save_policy,
    tensors,
)
from suphx.errors import InputError

STACKS = np.full(3, 60)
TINY = ["--set=pretraining=300", "--set=straight=1", "--set=iterations=1", "--set=trees=12", "--set=stack=40"]


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def some_hands(n=6):
    return deal_hands(STACKS, np.arange(n) % 3, 2, np.arange(n).astype(np.uint64) + 11)


def recursive_value(network, hand, explorer):
    """The expected value, by the plain recursion over everybody's actions, in big blinds."""
    if hand["street"] == OVER:
        return (hand["stack"][explorer] - hand["start"][explorer]) / 2
    policy = probabilities(network, hand[None])[0]
    total = 0.0
    for action in np.flatnonzero(policy):
        after = hand.copy()[None]
        act(after[0], action)
        total += policy[action] * recursive_value(network, after[0], explorer)
    return total


@pytest.mark.parametrize("floor", [1.0, 0.1])
def test_sampled_values_and_regrets_are_unbiased(floor):
    torch.manual_seed(1)
    network = PokerPolicyNetwork()
    hand = deal_hands(np.full(2, 6), np.zeros(1, np.int64), 1, np.array([5], np.uint64))
    explorer = int(hand["mover"][0])
    exact = recursive_value(network, hand[0], explorer)
    after = {}
    for action in np.flatnonzero(probabilities(network, hand)[0]):
        child = hand.copy()
        act(child[0], action)
        after[action] = recursive_value(network, child[0], explorer) - exact
    found = [explore(network, hand, np.array([explorer]), seed, straight=False, floor=floor) for seed in range(400)]
    values = np.array([each.value for each in found])
    assert abs(values.mean() - exact) < 4 * values.std() / 20 + 1e-6
    regrets = np.array([each.regret[0] for each in found])
    for action, wanted in after.items():
        spread = 4 * regrets[:, action].std() / 20 + 1e-5
        assert abs(regrets[:, action].mean() - wanted) < spread


@pytest.mark.parametrize("straight", [True, False])
def test_explored_decisions_are_the_explorers_and_the_strategy_has_no_regret(straight):
    torch.manual_seed(0)
    explorer = np.arange(6) % 3
    found = explore(PokerPolicyNetwork(), some_hands(), explorer, 3, straight)
    assert len(found.hands) and (found.hands["street"] != OVER).all() and found.nodes > len(found.hands)
    np.testing.assert_allclose((found.policy * found.regret).sum(1), 0, atol=1e-3)
    better = improved(found, 0.01)
    np.testing.assert_allclose(better.sum(1), 1, atol=1e-5)
    assert ((better * found.regret).sum(1) >= -1e-4).all()  # what it learns gains


def test_with_a_floor_what_a_seat_hardly_does_itself_is_explored_less():
    torch.manual_seed(0)
    hands, explorer = some_hands(60), np.arange(60) % 3
    whole, less = (explore(PokerPolicyNetwork(), hands, explorer, 3, False, floor=floor) for floor in (1.0, 0.1))
    assert len(less.hands) < len(whole.hands) / 2 and less.nodes < whole.nodes / 2
    first = (less.hands["actions"] == 0) & (less.hands["street"] == 0)  # nothing done yet: always explored
    assert first.sum() == (explorer == hands["mover"]).sum() > 0


def test_luck_alone_changes_no_strategy():
    policy = np.tile(np.float32([0.7, 0.3, 0, 0, 0, 0]), (2, 1))
    regret = np.float32([[-90, 210, 0, 0, 0, 0], [90, -210, 0, 0, 0, 0]])  # as often one as the other
    explored = Explored(np.zeros(2, HAND), policy, regret, 0.0, 0)
    np.testing.assert_allclose(improved(explored, 0.003).mean(0), policy[0], atol=1e-6)


def test_the_networks_inputs_hide_what_the_mover_cannot_see():
    hands = some_hands()
    changed = hands.copy()
    for row, hand in enumerate(changed):
        for seat in range(SEATS):
            if seat != hand["mover"]:
                changed["cards"][row, 2 * seat : 2 * seat + 2] = 0
        changed["cards"][row, 2 * SEATS :] = 1
    for one, other in zip(tensors(hands), tensors(changed), strict=True):
        assert torch.equal(one, other)
    can = np.zeros(6, np.bool_)
    legal(hands[0], can)
    assert (probabilities(PokerPolicyNetwork(), hands)[0] > 0).tolist() == can.tolist()


def test_the_divergence_is_zero_only_at_the_target():
    wanted = torch.tensor([[0.5, 0.5, 0, 0, 0, 0]])
    logs = torch.tensor([[0.5, 0.5, 0, 0, 0, 0]]).log()
    assert float(divergence(logs, wanted)) == pytest.approx(0)
    other = torch.tensor([[0.25, 0.75, 0, 0, 0, 0]]).log()
    assert float(divergence(other, wanted)) == pytest.approx(0.5 * np.log(2) + 0.5 * np.log(2 / 3), abs=1e-6)


def test_chances_are_equity_against_a_random_hand():
    hands = deal_hands(np.full(2, 60), np.zeros(40, np.int64), 2, np.arange(40).astype(np.uint64))
    while (hands["street"] < 3).any():  # to the river, where equity is quick to compute exactly
        for row in np.flatnonzero(hands["street"] < 3):
            act(hands[row], 1)
    found = np.empty(40, np.float32)
    chances(hands, 5, 4000, found)
    for hand, chance in zip(hands[:8], found, strict=False):
        seat, ranges = int(hand["mover"]), np.ones((2, PAIRS))
        ranges[0] = 0
        ranges[0, pair_number(*map(int, hand["cards"][2 * seat : 2 * seat + 2]))] = 1
        exact = exact_equity(ranges, hand["cards"][2 * SEATS :].tolist()).share[0]
        assert chance == pytest.approx(exact, abs=0.04)


def test_players_only_do_what_is_legal():
    hands = some_hands(60)
    for player in map(player_named, ("fold", "random", "rule", "equity:50/80")):
        going = hands.copy()
        for seed in range(4):
            going = going[going["street"] != OVER]
            policy = player(going, seed)
            can = np.zeros((len(going), 6), np.bool_)
            for row, hand in enumerate(going):
                legal(hand, can[row])
            np.testing.assert_allclose(policy.sum(1), 1, atol=1e-5)
            assert (policy[~can] == 0).all()
            for row in range(len(going)):
                act(going[row], int(policy[row].argmax()))


def test_a_match_of_equals_by_seats_is_nothing_and_thresholds_beat_random():
    caller = lambda hands, seed: np.eye(6, dtype=np.float32)[np.ones(len(hands), int)]  # noqa: E731
    for part in duplicate(caller, caller, STACKS, 2, 50, 1):
        np.testing.assert_allclose(part, 0, atol=1e-9)  # the same play at every seat of the same deal
    won = np.concatenate(list(duplicate(player_named("equity:50/80"), random_player, np.full(2, 40), 2, 600, 3)))
    assert won.mean() > 2 * won.std() / len(won) ** 0.5
    again = np.concatenate(list(duplicate(player_named("equity:50/80"), random_player, np.full(2, 40), 2, 600, 3)))
    np.testing.assert_array_equal(won, again)


def test_always_folding_loses_the_blinds_and_is_printed_beside_a_match():
    match = ["poker", "match", "random", "equity:0/200", "--deals", "12", "--stack", "40"]
    numbers = json.loads(CliRunner().invoke(app, [*match, "--json"]).stdout)
    # Who calls everything and never bets lets the big blind check until the showdown; the small blind is folded.
    caller, folder = player_named("equity:0/200"), player_named("fold")
    won = np.concatenate(list(duplicate(folder, caller, np.full(6, 40), 2, 12, 0)))
    assert numbers["folding"] == won.mean() and numbers["folding_half_width"] > 0
    assert f"always folding against equity:0/200: {won.mean():+.1f}" in CliRunner().invoke(app, match).stdout
    raiser = player_named("equity:0/0")
    for part in duplicate(folder, raiser, STACKS, 2, 30, 1):  # 1.5 big blinds in three hands
        np.testing.assert_allclose(part, -50)


def test_the_network_learns_the_rule_agent(tmp_path):
    training = DeepFoolTraining(
        DeepFoolConfig(pretraining=8000, straight=0, iterations=0, batch=256, seats=3), tmp_path
    )
    assert {phase: len(list(training.run(phase))) > 0 for phase in training.totals} == {
        "rule": True, "straight": False, "mccfr": False
    }  # fmt: skip
    hands, policy = rule_decisions(training.config, 100, 99)
    training.network.eval()
    learned, untrained = (
        divergence(network(*tensors(hands)), torch.from_numpy(policy)).detach()
        for network in (training.network, PokerPolicyNetwork().eval())
    )
    assert learned < 0.7 * untrained


def test_the_shipped_configuration_is_the_default():
    assert load_config(Path("poker-train"), DeepFoolConfig) == DeepFoolConfig()


def test_training_resumes_and_the_policy_plays(tmp_path):
    command = ["poker", "train", "--out", str(tmp_path), *TINY, "--json"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["done"] == {"rule": 300, "straight": 1, "mccfr": 1}
    assert json.loads(CliRunner().invoke(app, command).stdout)["nodes"] == {"rule": 0, "straight": 0, "mccfr": 0}
    weights = str(tmp_path / "policy.safetensors")
    match = CliRunner().invoke(app, ["poker", "match", weights, "rule", "--deals", "20", "--stack", "40", "--json"])
    assert json.loads(match.stdout)["hands"] == 120
    play = CliRunner().invoke(
        app, ["poker", "play", weights, "--hands", "1", "--stack", "4"], input="9\n" + "check/call\n" * 20
    )
    assert play.exit_code == 0 and "is none of them" in play.stdout and "you win" in play.stdout
    other = CliRunner().invoke(app, [*command, "--set=seed=1"])
    assert "another configuration" in str(other.exception)


@pytest.mark.faults
def test_bad_input_is_told(tmp_path):
    save_file({"weight": torch.zeros(1)}, tmp_path / "other.safetensors")
    save_policy(tmp_path / "good.safetensors", PokerPolicyNetwork(), {})
    (tmp_path / "cut.safetensors").write_bytes((tmp_path / "good.safetensors").read_bytes()[:500])
    for name, said in (("other", "poker-policy-2 is needed"), ("cut", "not whole"), ("none", "no such file")):
        with pytest.raises(InputError, match=said):
            load_policy(tmp_path / f"{name}.safetensors")
    for arguments, said in (
        (["match", "rule", "random", "--stack", "1"], "a stack of 1 chips"),
        (["match", "equity:a", "random"], "equity:50/80"),
        (["train", "--out", str(tmp_path / "t"), "--set=seats=7"], "seats"),
    ):
        result = CliRunner().invoke(app, ["poker", *arguments])
        assert isinstance(result.exception, InputError) and said in str(result.exception)
    assert not (tmp_path / "t").exists()
