"""Rules on games with known answers."""

from __future__ import annotations

import numpy as np
import pytest

from suphx.equilibrium import Solver, flat, games, rule
from suphx.equilibrium.game import api_check
from suphx.equilibrium.response import action_values, reach_of
from suphx.equilibrium.rules import NAMED, dot, match
from suphx.errors import InputError

#: NashConv on Leduc after 10, 100 and 1,000 iterations, measured with LiteEFG 1.0.0 at equal parameters.
LITEEFG = {
    "cfr": (1.65647, 0.33013, 0.078245),
    "cfr+": (1.01938, 0.0263651, 0.00047),
    "dcfr": (1.7177, 0.2667, 0.0413),
    "pcfr+": (1.0495, 0.0444, 0.00155),
    "domd": (4.548, 2.504, 0.889),
    "reg-domd": (4.545, 2.492, 0.937),
    "reg-cfr": (2.321, 0.826, 0.0699),
    "mmd": (3.902, 1.816, 1.123),
    "qfr": (1.002, 0.657, 0.0759),
    "cmd": (4.745, 4.637, 3.381),
}


@pytest.fixture(scope="module")
def leduc():
    return flat(games.named("leduc"))


@pytest.fixture(scope="module")
def kuhn():
    return flat(games.named("kuhn"))


@pytest.mark.parametrize("name", LITEEFG)
def test_nash_conv_is_not_above_that_of_liteefg(leduc, name):
    solver = Solver(leduc, name)
    for before, iterations, theirs in zip((0, 10, 100), (10, 100, 1000), LITEEFG[name], strict=True):
        found = solver.run(iterations - before).nash_conv()
        assert found <= theirs * 1.0005 + (1e-4 if iterations == 1000 else 0), (iterations, found)


def test_sampling_comes_closer_with_time(leduc):
    start = flat(games.named("leduc")).uniform()
    first = Solver(leduc, "cfr", average="last").nash_conv()
    assert np.array_equal(start, Solver(leduc).state.policy)
    for name, iterations in (("es", 5000), ("os", 30_000)):
        assert Solver(leduc, name, seed=1).run(iterations).nash_conv() < 0.5 * first, name


def test_the_average_may_begin_with_the_policy_of_the_start(leduc):
    solver = Solver(leduc, "cfr", uniform_first=True)
    found = [solver.run(n).nash_conv() for n in (10, 90)]
    assert found == pytest.approx([1.8540, 0.34607], abs=5e-5)


@pytest.mark.parametrize(
    "name, value",
    [("kuhn", -1 / 18), ("leduc", -0.0856064), ("goofspiel", 0.0), ("rps", 0.0), ("liars-dice:sides=4", None)],
)
def test_values_of_known_games(name, value):
    policy = Solver(flat(games.named(name)), "dcfr").run(600).policy()
    assert policy.nash_conv() < 5e-3
    if value is not None:
        assert policy.values()[0] == pytest.approx(value, abs=2e-3)


def test_pocket_mahjong_far_from_and_near_equilibrium():
    game = flat(games.PocketMahjong(draws=2))
    assert Solver(game).nash_conv() > 10 * Solver(game).run(50).nash_conv()


@pytest.mark.parametrize(
    "name", [*games.NAMED, "kuhn:players=3", "liars-dice:sides=3,dice=2", "pocket:honors=1,copies=2"]
)
def test_games_keep_to_the_protocol(name):
    api_check(games.named(name), plays=30)


def random_game(seed: int) -> games.Matrix:
    return games.Matrix(np.random.default_rng(seed).normal(size=(4, 5)))


@pytest.mark.parametrize("seed", range(5))
def test_random_matrices_have_the_value_of_the_linear_program(seed):
    linprog = pytest.importorskip("scipy.optimize").linprog
    game = random_game(seed)
    payoff = game.table[0]
    solved = linprog(
        [0] * 4 + [-1],
        A_ub=np.hstack([-payoff.T, np.ones((5, 1))]), b_ub=np.zeros(5),
        A_eq=[[1] * 4 + [0]], b_eq=[1], bounds=[(0, None)] * 4 + [(None, None)],
    )  # fmt: skip
    assert Solver(game).run(20_000).policy().values()[0] == pytest.approx(-solved.fun, abs=1e-4)


@pytest.mark.parametrize("traverse, explore", [("external", 0.0), ("outcome", 0.4)])
def test_sampled_values_have_the_exact_mean(kuhn, traverse, explore):
    q_sum, squares, n = np.zeros(kuhn.sequences), np.zeros(kuhn.sequences), 20_000
    from suphx.equilibrium.sampling import traverse as sample

    solver = Solver(kuhn, "cfr", traverse=traverse, explore=explore, seed=3)
    generator = np.random.default_rng(5)
    solver.state.policy[2:] = (
        np.repeat([[1, 0]], 12, axis=0) + np.array([-1, 1]) * generator.uniform(0.2, 0.8, (12, 1))
    ).ravel()
    exact = action_values(kuhn, solver.state.policy, 0)[0]
    visited, stack, chances = np.zeros(12, np.int64), np.zeros((60, 2), np.int64), np.ones((60, 3))
    arrays, state, first = kuhn.arrays, solver.state, kuhn.arrays.first
    for _ in range(n):
        count = sample(arrays, kuhn.tree, 0, state, solver.settings[0], solver.random, visited, stack, chances)
        for k in visited[:count][::-1]:
            here = slice(first[k], first[k + 1])
            state.q[arrays.parent[k]] += state.q[here] @ state.policy[here]
            q_sum[here] += state.q[here]
            squares[here] += state.q[here] ** 2
    mean = q_sum / n
    error = np.sqrt(squares / n - mean**2) / np.sqrt(n)
    own = slice(2, int(first[arrays.begin[1]]))
    assert np.all(np.abs(mean - exact)[own] <= 4.5 * error[own] + 1e-9)


def test_a_rule_of_the_user_gives_what_the_named_one_gives(leduc):
    @rule(memory=1, alternate=True, average="linear")
    def mine(q, policy, memory, at):
        value = dot(q, policy)
        memory[0] = np.maximum(memory[0] + q - value, 0.0)
        match(memory[0], policy)
        return value

    @rule(memory=1, alternate=True, average="linear")
    def in_place(q, policy, memory, at):
        regret, value = memory[0], dot(q, policy)
        regret += q - value
        np.maximum(regret, 0.0, regret)
        total = regret.sum()
        if total > 0:
            np.divide(regret, total, policy)
        else:
            policy[:] = 1 / len(q)
        return value

    wanted = Solver(leduc, "cfr+").run(50).nash_conv()
    for own in (mine, in_place):
        assert Solver(leduc, own).run(50).nash_conv() == pytest.approx(wanted, rel=1e-9)


def test_nan_names_the_iteration_and_the_information_set(kuhn):
    @rule(memory=1)
    def broken(q, policy, memory, at):
        if at["t"] == 3:
            policy[:] = np.nan
        return 0.0

    with pytest.raises(InputError, match="iteration 3, information set"):
        Solver(kuhn, broken).run(10)


def test_what_numba_cannot_compile_is_said_in_a_line(kuhn):
    @rule(memory=1)
    def wrong(q, policy, memory, at):
        return undefined_name(q)  # noqa: F821

    with pytest.raises(InputError, match="does not compile") as caught:
        Solver(kuhn, wrong).run(1)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["cfr+", "es", "reg-cfr"])
def test_going_on_from_a_checkpoint_is_exact(kuhn, tmp_path, name):
    whole = Solver(kuhn, name, seed=4).run(70)
    Solver(kuhn, name, seed=4).run(30).save(tmp_path / "half.npz")
    half = Solver(kuhn, name, seed=4).load(tmp_path / "half.npz").run(40)
    assert np.array_equal(half.state.average, whole.state.average) and half.iterations == 70
    with pytest.raises(InputError, match="other settings"):
        Solver(kuhn, "cfr").load(tmp_path / "half.npz")
    with pytest.raises(InputError, match="another game"):
        Solver(games.Kuhn(3), name).load(tmp_path / "half.npz")


def test_a_locked_information_set_stays(kuhn):
    solver = Solver(kuhn, "cfr+").lock("Q", [0.0, 1.0]).run(2000)
    assert solver.policy()["Q"] == {"p": 0.0, "b": 1.0}
    assert solver.policy().values()[0] < -1 / 18 - 0.01  # betting the middle card costs the first player
    with pytest.raises(InputError):
        Solver(kuhn).lock("Q", [0.7, 0.7])


def test_reach_of_a_deterministic_policy(kuhn):
    policy = kuhn.uniform()
    policy[kuhn.place(kuhn.find("J"))] = [1, 0]
    reach = reach_of(kuhn, policy)
    assert reach[kuhn.place(kuhn.find("Jpb"))].tolist() == [0.5, 0.5]
    assert reach[kuhn.place(kuhn.find("J"))].tolist() == [1, 0]


def test_names_of_rules_and_games_that_there_are_not():
    with pytest.raises(InputError, match="no rule is named"):
        Solver(games.Kuhn(), "cfr++")
    with pytest.raises(InputError, match="no parameter"):
        Solver(games.Kuhn(), "cfr", eta=1.0)
    for text in ("chess", "kuhn:players=x", "nowhere:Game"):
        with pytest.raises(InputError):
            games.named(text)
    assert len(NAMED) == 12


class Broken(games.Kuhn):
    def actions(self, state):
        found = super().actions(state)
        return [(a, p * 1.1) for a, p in found] if state == ("", "") else found


class Forgetful(games.Kuhn):
    complete_names = True

    def seen(self, state):
        return f"player {len(state[1]) % 2}"


def test_broken_games_are_refused():
    with pytest.raises(InputError, match=r"sum to 1\.1"):
        flat(Broken())
    with pytest.raises(InputError, match="imperfect recall"):
        flat(Forgetful())
    with pytest.raises(InputError, match="more than 20 nodes"):
        flat(games.Kuhn(), max_nodes=20)
