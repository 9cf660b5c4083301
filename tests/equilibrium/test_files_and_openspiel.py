"""LiteEFG's `.game` files both ways, and OpenSpiel's games and policies."""

from __future__ import annotations

import numpy as np
import pytest

from suphx.equilibrium import Solver, flat, games
from suphx.equilibrium.games.game_file import read, write
from suphx.errors import InputError


@pytest.mark.parametrize("name", ["kuhn", "kuhn:players=3", "rps", "leduc", "liars-dice:sides=3"])
def test_a_game_is_the_same_after_writing_and_reading(tmp_path, name):
    game, path = flat(games.named(name)), tmp_path / "x.game"
    write(game, path)
    again = flat(games.named(str(path)))
    for first, second in zip(game.arrays, again.arrays, strict=True):
        assert np.allclose(first, second, atol=1e-15)
    assert Solver(game, "cfr+").run(20).nash_conv() == pytest.approx(
        Solver(again, "cfr+").run(20).nash_conv(), abs=1e-9
    )


GOOD = """# num_players: 2
node / chance actions a=0.5 b=0.50000002
node /C:a player 1 actions x y
node /C:b player 1 actions x y
node /C:a/P1:x leaf payoffs 1=1 2=-1
node /C:a/P1:y leaf payoffs 1=0 2=0
node /C:b/P1:x leaf payoffs 1=-2 2=2
node /C:b/P1:y leaf payoffs 1=0 2=0
infoset first nodes /C:a /C:b
"""


def test_probabilities_may_miss_one_by_a_little(tmp_path):
    (tmp_path / "good.game").write_text(GOOD)
    policy = Solver(read(tmp_path / "good.game")).run(300).policy()
    assert policy["first"]["y"] > 0.95


@pytest.mark.faults
@pytest.mark.parametrize(
    "old, new, message",
    [
        ("a=0.5 b", "a=0.7 b", "line 2.*sum to 1.2"),
        ("b player 1 actions x y", "b player 1 actions x z", "line 4: nothing describes"),
        ("b player 1 actions x y", "b player 3 actions x y", "line 4: there is no player 3"),
        ("1=-2 2=2", "1=-2 5=2", "line 7: there is no player 5"),
        ("1=-2 2=2", "1=-2 two", "line 7"),
        ("1=-2 2=2", "1=-2", "bad.game, line 7: a leaf has one payoff for each player; player 2 has 0"),
        ("1=-2 2=2", "1=-2 2=2 1=-2", "bad.game, line 7: a leaf has one payoff for each player; player 1 has 2"),
        ("/C:a /C:b\n", "/C:a /C:c\n", "line 9.*there is not: /C:c"),
        ("# num_players: 2\n", "", "num_players"),
        ("leaf payoffs 1=1", "end payoffs 1=1", "line 5"),
        ("node / chance", "node /root chance", "root"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(tmp_path, old, new, message):
    (tmp_path / "bad.game").write_text(GOOD.replace(old, new))
    with pytest.raises(InputError, match=message):
        flat(read(tmp_path / "bad.game"))


def test_an_information_set_with_different_actions_is_refused(tmp_path):
    text = GOOD.replace("b player 1 actions x y", "b player 1 actions x z").replace("/C:b/P1:y", "/C:b/P1:z")
    (tmp_path / "bad.game").write_text(text)
    with pytest.raises(InputError, match="actions differ inside information set first"):
        flat(read(tmp_path / "bad.game"))


OURS = {
    "kuhn": "kuhn_poker", "kuhn:players=3": "kuhn_poker(players=3)", "leduc": "leduc_poker",
    "liars-dice:sides=3": "liars_dice(dice_sides=3)",
}  # fmt: skip


@pytest.mark.parametrize("ours", OURS)
def test_our_games_are_openspiels(ours):
    pytest.importorskip("pyspiel")
    game, theirs = flat(games.named(ours)), flat(games.named(f"openspiel:{OURS[ours]}"))
    assert game.infosets == theirs.infosets
    for rule in ("cfr", "cfr+"):
        first, second = (Solver(each, rule).run(20) for each in (game, theirs))
        assert first.nash_conv() == pytest.approx(second.nash_conv(), abs=1e-9)
        assert first.policy().values() == pytest.approx(second.policy().values(), abs=1e-9)


@pytest.mark.parametrize("name", ["kuhn_poker", "liars_dice(dice_sides=3)", "matrix_rps"])
def test_an_exported_policy_has_the_nash_conv_that_openspiel_says(name):
    pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms.exploitability import nash_conv

    from suphx.equilibrium.games.openspiel import exported

    policy = Solver(games.named(f"openspiel:{name}")).run(7).policy()
    assert nash_conv(policy.game.game.spiel, exported(policy)) == pytest.approx(policy.nash_conv(), abs=1e-9)


def test_a_game_that_openspiel_does_not_know():
    pytest.importorskip("pyspiel")
    with pytest.raises(InputError, match="no game 'no_such_game'"):
        games.named("openspiel:no_such_game")
