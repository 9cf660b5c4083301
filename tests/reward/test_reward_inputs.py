"""What the predictor is told, and which games it is told of."""

import dataclasses

import pytest
from reward_games import game, side_by_side

from simulator.rules import Rules
from suphx.errors import InputError
from suphx.reward.games import INPUTS, encode
from suphx.reward.training import select_games

#: East 1, then East 1 again with a repeat counter and a riichi bet: seat 1 paid most, the bet is seat 2's.
TWO_STARTS = ((0, 0, 0, (250, 250, 250, 250)), (0, 1, 1, (367, 201, 211, 211)))


def told(games, seat, round_played=0, length="east_south"):
    """Return the inputs of a seat by name."""
    inputs, known = encode(games, length)
    assert known[0, round_played]
    return dict(zip(INPUTS, inputs[0, round_played, seat].tolist(), strict=True))


def test_each_seat_sees_the_round_and_the_scores_from_its_own_place():
    seen = told(game(*TWO_STARTS), seat=2)
    for what in ("score of the round", "accumulated score"):  # the same after the first round
        assert seen[f"{what}: own"] == pytest.approx(-0.39)
        assert seen[f"{what}: next seat"] == pytest.approx(-0.39)
        assert seen[f"{what}: opposite seat"] == pytest.approx(1.17)
        assert seen[f"{what}: previous seat"] == pytest.approx(-0.49)
    assert seen["gap to the opposite seat"] == pytest.approx(-1.56)
    assert seen["gap to the previous seat"] == pytest.approx(0.1)
    assert seen["gap to the next seat"] == 0
    assert seen["rank is 2"] == seen["starting seat is 2"] == 1


def test_the_dealer_is_told_by_place_of_the_round_played_and_of_the_next():
    games = game((0, 0, 0, (250,) * 4), (1, 0, 0, (240, 260, 250, 250)))
    assert told(games, seat=0)["round played: dealer is self"] == 1
    assert told(games, seat=0)["next round: dealer is next seat"] == 1
    assert told(games, seat=3)["next round: dealer is opposite seat"] == 1


def test_the_next_rounds_number_repeat_counter_bets_and_the_rounds_left_are_told():
    seen = told(game(*TWO_STARTS), seat=0)
    assert (seen["next round: repeat counter"], seen["next round: bets at its start"]) == (0.25, 0.5)
    assert seen["next round is number 0"] == 1 and seen["rounds left"] == 2
    assert told(game(*TWO_STARTS), seat=0, length="east")["rounds left"] == 1


def test_overtime_is_counted_from_the_first_round_that_is_one():
    last, west = (7, 0, 0, (250,) * 4), (8, 0, 0, (240, 260, 250, 250))
    assert told(game(last, west), seat=0)["rounds in overtime"] == 0.25
    assert told(game(last, last), seat=0)["rounds in overtime"] == 0


def test_nothing_is_told_of_the_round_that_ended_a_game_nor_of_padding():
    short, long = game(TWO_STARTS[0], final=(250,) * 4), game(*TWO_STARTS, TWO_STARTS[1])
    inputs, known = encode(side_by_side(short, long), "east_south")
    assert known.tolist() == [[False, False], [True, True]]
    assert not inputs[~known].any() and inputs[known].any()


def test_selected_games_are_the_prepared_ones(prepared, selection):
    games, first = selection.games, prepared.games["first_round"]
    assert len(games) == len(prepared.games) == 120
    for row in (0, 7, 119):
        n = games.n_starts[row]
        own = prepared.rounds[first[row] : first[row] + n]
        for name in ("scores", "round", "repeat_counter", "bets"):
            assert (games.starts[row, :n][name] == own[name]).all()
        assert not games.starts[row, n:]["scores"].any()
    assert (games.final_scores == prepared.games["final_scores"]).all()
    assert sum(len(selection.part(name)) for name in ("training", "validation", "test")) == 120


def test_games_of_a_length_that_is_not_there_are_told(prepared):
    with pytest.raises(InputError, match="no east games among 120"):
        select_games(prepared, "east")


@pytest.mark.parametrize(("field", "value"), [("target_points", 35000), ("bust", False)])
def test_games_of_rules_that_end_differently_are_not_mixed(prepared, field, value):
    games = prepared.games.copy()
    games["rules"][60:] = 1
    rules = [Rules.tenhou(), dataclasses.replace(Rules.tenhou(), **{field: value})]
    with pytest.raises(InputError, match=field):
        select_games(dataclasses.replace(prepared, games=games, rules=rules), "east_south")


def test_shared_ties_are_refused(prepared):
    shared = dataclasses.replace(prepared, rules=[dataclasses.replace(Rules.tenhou(), ties="shared")])
    with pytest.raises(InputError, match="ties is 'shared'"):
        select_games(shared, "east_south")
