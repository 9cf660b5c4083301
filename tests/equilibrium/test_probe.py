"""The learner on small games: what is played, and that learning is measured."""

from __future__ import annotations

import numpy as np
import pytest

from suphx.equilibrium import Solver, flat, games
from suphx.equilibrium.probe import MODEL, VARIANTS, Curve, learn, planes_of, play


@pytest.fixture(scope="module")
def kuhn():
    return flat(games.Kuhn())


def test_games_of_an_equilibrium_have_its_value_and_its_probabilities(kuhn):
    policy = Solver(kuhn).run(2000).policy()
    batch = play(kuhn, planes_of(kuhn), policy.probabilities, 40_000, np.random.default_rng(0))
    won = batch.paths["reward"]
    assert float(won[:40_000].mean()) == pytest.approx(-1 / 18, abs=4 * float(won.std()) / 200)
    assert np.array_equal(won[:40_000], -won[40_000:])
    played = batch.experience[MODEL]
    assert np.all(np.isfinite(played["log_probability"])) and played["place"].max() == 1


def test_every_information_set_looks_different(kuhn):
    for game in (kuhn, flat(games.Leduc())):
        assert len(np.unique(planes_of(game), axis=0)) == game.infosets


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_few_updates_are_measured(kuhn, variant):
    curve = learn(kuhn, VARIANTS[variant], seed=0, updates=4, games=32, looks=2)
    assert isinstance(curve, Curve) and curve.updates == [2, 4]
    assert all(0 < value < 3 for value in curve.last + curve.averaged)
