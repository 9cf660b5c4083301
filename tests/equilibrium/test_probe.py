"""The learner on small games: what is played, that learning is measured, and what adaptation gains."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

from suphx import cli
from suphx.adaptation.steps import StepsConfig
from suphx.equilibrium import CHANCE, Solver, flat, games
from suphx.equilibrium.probe import bench
from suphx.equilibrium.probe.adaptation import Adapting, hands_of, posteriors
from suphx.equilibrium.probe.learning import (
    GAMES,
    MODEL,
    SIZE,
    VARIANTS,
    by_network,
    by_table,
    hidden_of,
    learn,
    oracle_variants,
    planes_of,
    play,
    policy_of,
)
from suphx.equilibrium.response import gains
from suphx.errors import InputError
from suphx.features.layout import ORACLE_PLANES
from suphx.networks.policy import PolicyNetwork
from tests.learning.toy_experience import PRECISION


@pytest.fixture(scope="module")
def kuhn():
    return flat(games.Kuhn())


@pytest.fixture(scope="module")
def pocket():
    return flat(games.PocketMahjong(draws=2))


def test_games_of_an_equilibrium_have_its_value_and_its_probabilities(kuhn):
    policy, n = Solver(kuhn).run(2000).policy(), 40_000
    batch = play(kuhn, by_table(kuhn, planes_of(kuhn), policy.probabilities), np.zeros(n), np.random.default_rng(0))
    won = batch.trajectories["rewards"][:, 0]
    assert float(won[:n].mean()) == pytest.approx(-1 / 18, abs=4 * float(won.std()) / 200)
    assert np.array_equal(won[:n], -won[n:])
    played = batch.experience[MODEL]
    assert np.all(np.isfinite(played["log_probability"])) and played["step"].max() == 1


def test_every_information_set_looks_different(kuhn):
    for game in (kuhn, flat(games.Leduc())):
        assert len(np.unique(planes_of(game), axis=0)) == game.infosets


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_few_updates_are_measured(kuhn, variant):
    curve, _ = learn(kuhn, VARIANTS[variant], seed=0, updates=4, games=32, looks=2)
    assert curve.updates == [2, 4]
    assert all(0 < value < 3 for value in curve.last + curve.averaged)


def test_what_is_hidden_is_the_others_hand_and_the_wall(pocket):
    hidden, rules, tree = hidden_of(pocket), pocket.game, pocket.tree
    state, node = rules.root(), 0
    while tree.kind[node] == CHANCE:
        state, node = rules.next(state, rules.actions(state)[-1][0]), int(tree.child[node] + tree.width[node] - 1)
    other = "".join(str(kind + 1) for kind in state.hands[1])
    assert hidden.names[hidden.of[node]] == f"{other} {''.join(map(str, rules.left(state)))}"
    with pytest.raises(InputError, match="hidden"):
        hidden_of(flat(games.Kuhn()))


def test_an_oracle_sees_a_share_of_what_is_hidden_and_plays_without_it(pocket):
    planes, hidden, generator = planes_of(pocket), hidden_of(pocket), np.random.default_rng(3)
    network = PolicyNetwork(MODEL, SIZE, planes.shape[1]).with_planes(planes.shape[1] + ORACLE_PLANES)
    nodes = np.flatnonzero(pocket.tree.kind >= 0)
    rows = [by_network(pocket, planes, network, generator, hidden, gamma)(nodes)[1] for gamma in (1, 0.5, 0)]
    shown = [each["planes"][:, planes.shape[1] :] for each in rows]
    assert shown[0].shape[1] == ORACLE_PLANES and not shown[2].any()
    assert (shown[1] > 0).sum() == pytest.approx((shown[0] > 0).sum() / 2, rel=0.1)
    assert not (shown[1] & ~shown[0]).any()
    normal = policy_of(network.with_planes(planes.shape[1]), pocket, planes, PRECISION)
    seen = by_network(pocket, planes, network, generator, hidden, 0.0)(nodes)[0]
    table = by_table(pocket, planes, normal)(nodes)[0]
    assert seen[:, : table.shape[1]] == pytest.approx(table, abs=1e-6)


def test_oracle_guiding_ends_with_a_normal_network(pocket):
    variants = oracle_variants(6 * GAMES)
    for name in ("oracle", "alone, slow end"):
        curve, network = learn(pocket, variants[name], seed=0, updates=6, looks=3)
        assert network.planes == planes_of(pocket).shape[1] and len(curve.last) == 3


@pytest.fixture(scope="module")
def adapting(pocket):
    return Adapting(pocket, learn(pocket, VARIANTS["reference"], 0, 40, looks=1)[1])


def test_best_responses_within_hands_are_the_best_response(pocket, adapting):
    hands = hands_of(pocket)
    for player, gain in enumerate(gains(pocket, adapting.policy)):
        own = [hand for hand in hands if hand.player == player]
        assert sum(hand.chance for hand in own) == pytest.approx(1)
        assert sum(hand.chance * adapting.best(hand) for hand in own) == pytest.approx(gain)


def test_a_copy_gains_less_than_the_best_response_and_is_measured_exactly(pocket, adapting):
    hand = max(hands_of(pocket), key=adapting.best)
    steps = StepsConfig(blocks=None, distance=0.02)
    policy = adapting.copy(hand, 4096, steps, seed=0)
    assert 0 < adapting.gain(hand, policy) <= adapting.best(hand)
    assert adapting.gain(hand, adapting.policy) == 0
    ask, generator = by_table(pocket, adapting.planes, adapting.policy), np.random.default_rng(1)
    start = generator.choice(hand.nodes, 20_000, p=hand.weights)
    mixed = adapting.policy.copy()
    own = np.searchsorted(pocket.arrays.begin, np.arange(pocket.infosets), side="right") - 1 == hand.player
    for k in np.flatnonzero(own):
        mixed[pocket.place(k)] = policy[pocket.place(k)]
    won = [
        play(pocket, each, start, generator)
        .trajectories["rewards"][:, 0][hand.player * len(start) :][: len(start)]
        .astype(float)
        for each in (by_table(pocket, adapting.planes, mixed), ask)
    ]
    error = float(np.sqrt(won[0].var() + won[1].var()) / len(start) ** 0.5)
    assert won[0].mean() - won[1].mean() == pytest.approx(adapting.gain(hand, policy), abs=4 * error)


def test_redealt_hands_are_exact_until_somebody_discards(pocket, adapting):
    found = posteriors(pocket, adapting.policy, hidden_of(pocket))
    assert [row[0] for row in found] == list(range(len(found)))
    assert found[0][1] == pytest.approx(0, abs=1e-9) and found[1][1] > 0.01


def test_the_table_of_adaptation(monkeypatch):
    monkeypatch.setattr(bench, "DEALS", (16,))
    monkeypatch.setattr(bench, "STEPS", {0.01: 1})
    words = ["--probe", "adaptation", "--games", "pocket:draws=2", "--seeds", "1", "--updates", "2"]
    done = CliRunner(env={"COLUMNS": "150"}).invoke(cli.app, ["bench", "solvers", "learner", *words])
    assert done.exit_code == 0, done.output
    assert "16 deals, KL 0.01" in done.stdout and "redealt hands after 0 discards │ 0.000" in done.stdout
