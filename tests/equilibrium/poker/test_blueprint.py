"""Blueprints: the traversal finds equilibria of small games, and what a table knows of hold'em."""

import json
from types import FunctionType

import numba
import numpy as np
import pytest
from typer.testing import CliRunner

from suphx.cli import app
from suphx.equilibrium import flat
from suphx.equilibrium.games import Kuhn, Leduc
from suphx.equilibrium.poker import blueprint
from suphx.equilibrium.poker.blueprint import (
    Blueprint,
    BlueprintConfig,
    BlueprintPlayer,
    BlueprintTraining,
    load_blueprint,
)
from suphx.equilibrium.poker.cards import parse_cards
from suphx.equilibrium.poker.holdem import OVER, SEATS, act, legal, random_number
from suphx.equilibrium.poker.match import deal_hands
from suphx.equilibrium.poker.players import legal_actions, player_named
from suphx.equilibrium.policy import Policy
from suphx.errors import InputError

NODE = np.dtype([("node", "i8"), ("state", "u8"), ("street", "i1"), ("mover", "i1")])


def trained_on(game, iterations, seed=0):
    """Return the average policy after traversals of a small game by the functions that traverse hold'em."""
    arrays = flat(game)
    tree, begin, jit = arrays.tree, arrays.arrays.begin, numba.njit

    @jit
    def settle(hand):
        while tree.kind[hand["node"]] == -1:
            child = tree.child[hand["node"]]
            hand["state"], left = random_number(hand["state"])
            for k in range(tree.width[hand["node"]]):
                if left >= 0:
                    hand["node"] = child + k
                left -= tree.chance[child + k]
        kind = tree.kind[hand["node"]]
        hand["street"] = OVER if kind < 0 else 0
        hand["mover"] = np.searchsorted(begin, kind, side="right") - 1

    @jit
    def deal(hand, stacks, button, most_raises, seed):
        hand["node"], hand["state"] = 0, seed
        settle(hand)

    @jit
    def legal(hand, can):
        can[:] = np.arange(len(can)) < tree.width[hand["node"]]

    @jit
    def act(hand, action):
        hand["node"] = tree.child[hand["node"]] + action
        settle(hand)

    @jit
    def key_of(hand, can, classes):
        return np.uint64(tree.kind[hand["node"]] + 1)

    @jit
    def mean_gain(hand, seat, street, runouts, scratch, state):
        return tree.payoffs[tree.child[hand["node"]], seat], state

    @jit
    def guest_action(hand, can, guests, state):
        return 0, state

    def of_the_game(function, **more):
        """The same code, with the functions of the small game."""
        functions = {"deal": deal, "legal": legal, "act": act, "key_of": key_of, "mean_gain": mean_gain,
                     "guest_action": guest_action}  # fmt: skip
        return jit(FunctionType(function.__code__, {**function.__globals__, **functions, **more}))

    plain = [getattr(each, "py_func", each) for each in (blueprint.traverse, blueprint.train_on)]
    train_on = of_the_game(plain[1], traverse=of_the_game(plain[0]))
    widest = max(map(len, arrays.labels))
    keys = np.zeros(1 << 12, np.uint64)
    regret, strategy = np.zeros((2, len(keys), widest), np.float32)
    room = blueprint.room_for(32, widest)
    hands, count = np.zeros(32, NODE), np.zeros(2, np.int64)
    train_on(np.zeros(game.players), 0, 1, 0.0, seed, iterations, count, keys, regret, strategy, hands, room)
    assert count.tolist() == [iterations, arrays.infosets] and np.count_nonzero(keys) == arrays.infosets
    policy = arrays.uniform()
    for infoset in range(arrays.infosets):
        place = arrays.place(infoset)
        sums = strategy[blueprint.slot_of(keys, np.uint64(infoset + 1)), : place.stop - place.start]
        if sums.sum() > 0:
            policy[place] = sums / sums.sum()
    return Policy(arrays, policy)


@pytest.mark.parametrize(
    ("game", "iterations", "bar"),
    [pytest.param(Kuhn(), 20_000, 0.05, marks=pytest.mark.full), (Leduc(), 1_000_000, 0.1)],
)
def test_the_traversal_finds_equilibria_of_small_games(game, iterations, bar):
    policy = trained_on(game, iterations)
    assert policy.nash_conv() < bar
    assert Policy(policy.game, policy.game.uniform()).nash_conv() > 0.9


def keys_and_legal(hands):
    keys, can = [], np.zeros(6, np.bool_)
    for hand in hands:
        legal(hand, can)
        keys.append(int(blueprint.key_of(hand, can, np.full((SEATS, 4), -1, np.int16))))
    return keys


def later_hands(n=200, seed=3):
    """Hands of three players at all streets, by random play."""
    random = np.random.default_rng(seed)
    hands = deal_hands(np.full(3, 60), np.arange(n) % 3, 2, np.arange(n, dtype="u8"))
    for row in range(n):
        for _ in range(random.integers(12)):
            can = np.zeros(6, np.bool_)
            before = hands[row].copy()
            legal(hands[row], can)
            act(hands[row], 1 if random.random() < 0.6 else random.choice(np.flatnonzero(can)))
            if hands[row]["street"] == OVER:
                hands[row] = before
                break
    return hands


def test_a_key_depends_only_on_what_the_mover_sees():
    hands = later_hands()
    assert set(hands["street"]) == {0, 1, 2, 3}
    changed = hands.copy()
    for hand in changed:
        free = [card for card in range(52) if card not in hand["cards"]]
        for seat in range(SEATS):
            if seat != hand["mover"]:
                hand["cards"][2 * seat : 2 * seat + 2] = [free.pop(), free.pop()]
        for at in range(2 * SEATS + (hand["street"] + 2 if hand["street"] else 0), 2 * SEATS + 5):
            hand["cards"][at] = free.pop()
    keys = keys_and_legal(hands)
    assert keys == keys_and_legal(changed) and len(set(keys)) > 100 and min(keys) > 0


def test_stronger_cards_are_of_higher_classes():
    hands = deal_hands(np.full(2, 60), np.zeros(3, np.int64), 2, np.arange(3, dtype="u8"))
    assert len({blueprint.card_class(hands[0], 0), blueprint.card_class(hands[1], 0)}) == 2
    hands["street"] = 3
    board, classes = parse_cards("AhKd7c2s3d"), []
    for hand, held in zip(hands, ("Qc9h", "As8c", "7d7h"), strict=True):
        hand["cards"][:2], hand["cards"][2 * SEATS :] = parse_cards(held), board
        classes.append(blueprint.card_class(hand, 0))
    assert classes == sorted(classes) and len(set(classes)) == 3


SMALL = {"hands": 3000, "seats": 3, "stack": 40, "runouts": 2, "visits": 0}


def test_a_training_goes_on_exactly_where_it_stopped(tmp_path):
    whole, parts = (BlueprintConfig.model_validate(SMALL | {"hands": hands}) for hands in (3000, 1800))
    list(BlueprintTraining(whole, tmp_path / "whole").run(1000))
    first = BlueprintTraining(parts, tmp_path / "parts")
    list(first.run(700))
    first.save()
    second, again = (BlueprintTraining(whole, tmp_path / name) for name in ("parts", "whole"))
    assert second.done == 1800 and again.done == 0
    list(second.run(1000))
    list(again.run(500))
    second.save()
    again.save()
    files = [dict(np.load(tmp_path / name / "training.npz")) for name in ("parts", "whole")]
    for name in ("key", "regret", "strategy", "done"):
        np.testing.assert_array_equal(files[0][name], files[1][name])
    with pytest.raises(InputError, match="another configuration"):
        BlueprintTraining(whole.model_copy(update={"seed": 1}), tmp_path / "parts")


def test_the_command_trains_a_player_who_beats_who_plays_at_random(tmp_path):
    command = ["poker", "blueprint", "--out", str(tmp_path), "--json"]
    command += [f"--set={name}={value}" for name, value in (SMALL | {"hands": 12_000}).items()]
    trained = json.loads(CliRunner().invoke(app, command).stdout)
    assert trained["hands"] == 12_000 and 0 < trained["written"] <= trained["infosets"]
    player = str(tmp_path / "blueprint.npz")
    match = ["poker", "match", player, "random", "--deals", "600", "--seats", "3", "--stack", "40", "--json"]
    result = json.loads(CliRunner().invoke(app, match).stdout)
    assert result["bb_per_100"] > result["half_width"]
    hands = later_hands()
    policy, can = player_named(player)(hands, 0), np.zeros((len(hands), 6), np.bool_)
    legal_actions(hands, can)
    np.testing.assert_allclose(policy.sum(1), 1, atol=1e-5)
    assert (policy[~can] == 0).all()


@pytest.mark.parametrize("opponent", ["random", "rule", "equity:50/80"])
def test_the_included_blueprint_wins(opponent):
    match = ["poker", "match", "blueprint", opponent, "--deals", "1000", "--seed", "5", "--json"]
    result = json.loads(CliRunner().invoke(app, match).stdout)
    assert result["bb_per_100"] > 2 * result["half_width"]


def test_where_a_blueprint_knows_nothing_it_checks_or_folds():
    nothing = Blueprint(np.array([7], np.uint64), np.uint8([[0, 255, 0, 0, 0, 0]]))
    hands = later_hands()
    np.testing.assert_array_equal(BlueprintPlayer(nothing)(hands, 0), player_named("fold")(hands, 0))


@pytest.mark.faults
def test_files_that_are_no_blueprints_are_refused(tmp_path):
    path, keys = tmp_path / "b.npz", np.array([3, 7], np.uint64)
    policy = np.full((2, 6), 40, np.uint8)
    for wrong, told in (
        ({"key": keys}, "has no 'policy'"),
        ({"key": keys[::-1], "policy": policy}, "rising"),
        ({"key": keys.astype(np.int64), "policy": policy}, "rising"),
        ({"key": keys, "policy": policy[:1]}, "does not fit"),
        ({"key": keys, "policy": policy * 0}, "does not fit"),
        ({"key": keys, "policy": policy.astype(np.float32)}, "does not fit"),
    ):
        np.savez(path, **wrong)
        with pytest.raises(InputError, match=told):
            load_blueprint(path)
    training = BlueprintTraining(BlueprintConfig.model_validate(SMALL), tmp_path)
    training.save()
    parts = dict(np.load(tmp_path / "training.npz"))
    for wrong, told in (
        ({"regret": parts["regret"][:, :5]}, "does not fit"),
        ({"regret": np.full((1, 6), np.nan, np.float32), "key": keys[:1]}, "does not fit"),
        ({"config": np.array("{")}, "training.npz"),
        ({"done": np.int64(-1)}, "-1 hands"),
    ):
        np.savez(tmp_path / "training.npz", **(parts | wrong))
        with pytest.raises(InputError, match=told):
            BlueprintTraining(training.config, tmp_path)
