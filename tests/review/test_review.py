"""A review of a whole game: every number is what its definition says."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from reviewed_game import agent, everything, reviewed

from simulator.logs.formats import read_log
from simulator.logs.generate import generate_games
from simulator.logs.mjlog_writer import write_mjlog
from simulator.logs.model import Connection, GameLog, LogError
from simulator.logs.tenhou6_writer import write_tenhou6
from simulator.logs.verify import verify_game
from simulator.record import DISCARD_DRAWN, DISCARD_RED, PASS
from simulator.rules import Rules
from simulator.tiles import parse_tiles
from suphx.agent.model_decisions import _fill, compile_model_decisions
from suphx.agent.registry import load_agent
from suphx.errors import InputError
from suphx.features.encode import encode_all, encode_call_all, encode_lookahead_all, encode_worth_all
from suphx.review.analysis import review_game, shipped_predictor
from suphx.review.choices import choice_of, difference
from suphx.review.document import Decision, Review
from suphx.review.frames import change, frame_of
from suphx.review.game import replay
from suphx.review.listing import _list_all, compile_features
from suphx.review.seats import rating, seat_review


def decisions(review: Review) -> list[Decision]:
    return [each for seat in review.seats for of_round in seat.decisions for each in of_round]


def test_the_game_of_these_tests_has_kongs_calls_a_double_ron_and_an_abortive_draw():
    review = reviewed()
    done = names_done(review)
    for word in ("chow", "pong", "open kong", "closed kong", "added kong", "riichi", "nine terminals"):
        assert any(name.startswith(word) for name in done), word
    assert 2 in [len(each.result.wins) for each in review.rounds]


def names_done(review: Review) -> set[str]:
    return {name for each in review.rounds for frame in each.frames for _, name in frame.get("asked", [])}


def test_a_review_comes_back_from_its_json():
    review = reviewed()
    assert Review.model_validate_json(review.model_dump_json()) == review


def test_every_decision_with_a_choice_of_every_seat_is_there():
    verified = verify_game(everything())
    kept = len(decisions(reviewed()))
    assert 0.8 * verified.decisions < kept <= verified.decisions  # one kind only to discard is no choice


def test_probabilities_add_up_and_the_taken_and_the_preferred_are_among_them():
    for each in decisions(reviewed()):
        assert sum(candidate.probability for candidate in each.candidates) == pytest.approx(1, abs=2e-4)
        chances = [candidate.probability for candidate in each.candidates]
        assert chances == sorted(chances, reverse=True)
        assert each.confidence == chances[each.preferred]
        assert each.agrees == (each.taken == each.preferred)
        assert len(chances) > 1


def test_what_was_taken_is_what_the_table_says_was_done():
    review = reviewed()
    for seat in review.seats:
        for number, of_round in enumerate(seat.decisions):
            frames = whole_frames(review.rounds[number].frames)
            for each in of_round:
                done = dict(map(tuple, frames[each.frame]["asked"]))[seat.seat]
                taken = each.candidates[each.taken]
                if taken.type == "discard":
                    said = done.removesuffix(" just drawn").removeprefix("discard ")
                    assert said.replace("0", "5") == taken.tile.replace("0", "5")
                else:
                    assert done == taken.name


def whole_frames(frames: list[dict]) -> list[dict]:
    """Put changes together as the page does."""
    found: list[dict] = []
    for each in frames:
        if not found:
            found.append(each)
            continue
        before = found[-1]
        seats = [{**seat, **each.get("seats", {}).get(str(n), {})} for n, seat in enumerate(before["seats"])]
        found.append({**before, **each, "seats": seats})
    return found


def test_changes_put_together_are_the_whole_frames():
    game = replay(everything())
    for moments, of_round in zip(game.rounds, reviewed().rounds, strict=True):
        built = whole_frames(of_round.frames)
        for moment, frame in zip(moments, built, strict=True):
            assert {**frame_of(game.records[moment.record], []), "asked": frame["asked"]} == frame


def test_a_change_names_only_what_is_different():
    game = replay(everything())
    first = frame_of(game.records[0], [])
    assert change(first, first) == {}
    other = json.loads(json.dumps(first))
    other["seats"][2]["score"] = 7
    assert change(first, other) == {"seats": {"2": {"score": 7}}}


def test_hands_in_frames_have_the_tiles_they_should():
    for of_round in reviewed().rounds:
        for frame in whole_frames(of_round.frames):
            for seat in frame["seats"]:
                held = len(seat["hand"]) + bool(seat["drawn"]) + 3 * len(seat["melds"])
                assert held in (13, 14)


def test_the_turned_tile_of_a_meld_lies_where_its_giver_sits():
    turned = set()
    for of_round in reviewed().rounds:
        for seat in whole_frames(of_round.frames)[-1]["seats"]:
            for kind, tiles, place, added in seat["melds"]:
                assert len(tiles) == (4 if kind in ("open kong", "closed kong") else 3)
                assert (place == -1) == (kind == "closed kong")
                assert bool(added) == (kind == "added kong")
                if kind == "chow":
                    assert place == 0  # from the left
                turned.add(place)
    assert {0, -1} < turned


def test_difference_is_p_times_the_logarithm_of_p_to_q():
    assert difference(0.8, 0.1) == pytest.approx(0.8 * math.log(8))
    assert difference(0.8, 0.0) == pytest.approx(0.8 * math.log(0.8e4))
    assert difference(0.3, 0.4) == 0
    for each in decisions(reviewed()):
        p, q = each.confidence, each.candidates[each.taken].probability
        wanted = 0 if each.agrees else difference(p, q)
        assert each.difference == pytest.approx(wanted, abs=1e-3)


def test_rating_is_100_times_the_mean_share_of_the_preferred_probability():
    for seat in reviewed().seats:
        every = [each for of_round in seat.decisions for each in of_round]
        shares = [
            1 if each.agrees else min(1, each.candidates[each.taken].probability / each.confidence) for each in every
        ]
        assert seat.rating == pytest.approx(100 * np.mean(shares), abs=0.01)
        assert seat.count == len(every)
        assert seat.agreed == sum(each.agrees for each in every)
    assert rating([]) is None


def test_rates_of_each_group_add_up_to_all_decisions():
    for seat in reviewed().seats:
        for group in ("situation", "turn", "shanten", "riichi"):
            of_group = [rate for rate in seat.rates if rate.group == group]
            assert sum(rate.decisions for rate in of_group) == seat.count
            assert sum(rate.agreed for rate in of_group) == seat.agreed


def test_one_who_does_what_the_agent_does_is_rated_100():
    seat = reviewed().seats[0]
    agreeing = [[each for each in of_round if each.agrees] for of_round in seat.decisions]
    review = seat_review(0, agreeing, 0, reviewed().seats[0].luck)
    assert (review.rating, review.difference, review.agreed) == (100, 0, review.count)


def test_discards_of_the_same_kind_are_one_choice():
    five, red = parse_tiles("50m")
    assert choice_of(DISCARD_DRAWN, red) == choice_of(DISCARD_DRAWN, five) == choice_of(DISCARD_RED, five) == 4
    assert choice_of(4, red) == 4
    assert choice_of(PASS, five) == PASS


def test_phi_ends_with_the_prizes_and_adds_up_to_nothing():
    review = reviewed()
    assert review.phi is not None and review.ranks is not None
    assert len(review.phi.values) == len(review.rounds) + 1
    assert review.phi.values[-1] == [shipped_predictor().description.prizes[rank] for rank in review.ranks]
    for values in review.phi.values:
        assert sum(values) == pytest.approx(0, abs=0.01)


def test_results_are_those_that_the_log_states():
    review = reviewed()
    for of_round, stated in zip(review.rounds, everything().rounds, strict=True):
        assert [win.seat for win in of_round.result.wins] == [win.seat for win in stated.wins]
        assert [win.points for win in of_round.result.wins] == [win.points for win in stated.wins]
    assert review.scores == everything().final_scores


def test_a_game_that_the_predictor_is_not_for_has_no_phi_and_a_word_about_it():
    log = next(generate_games(1, rules=Rules.tenhou_east(), seed=3))
    review = review_game(log, agent(), "sl", [0])
    assert review.phi is None and review.seats[0].lost is not None
    (remark,) = review.remarks
    assert "length" in remark


def test_a_game_that_stops_half_way_is_reviewed_as_far_as_it_goes():
    log = next(generate_games(1, seed=4))
    log.rounds, log.final_scores, log.final_points = log.rounds[:2], None, None
    review = review_game(log, agent(), "sl", [1])
    assert len(review.rounds) == 2
    assert review.ranks is None and review.points is None
    assert review.phi is not None and len(review.phi.values) == 3
    assert any("ends before" in remark for remark in review.remarks)


def test_what_the_server_did_for_one_who_had_left_is_not_counted():
    log = next(generate_games(1, seed=4))
    log.connections = [Connection(0, 0, 1, False), Connection(1, 0, 1, True)]
    review = review_game(log, agent(), "sl", [1]).seats[0]
    assert review.absent > 3
    assert review.decisions[0] == []
    assert review.decisions[1]


def test_an_agent_without_networks_is_refused_by_name():
    with pytest.raises(InputError, match="sensible cannot review"):
        review_game(everything(), load_agent("sensible"), "sensible")


@pytest.mark.faults
def test_a_move_that_the_rules_do_not_allow_is_an_error_with_file_and_place():
    log = next(generate_games(1, seed=4))
    log.source = "bad.mjlog"
    discards = np.flatnonzero(log.rounds[1].events["type"] == 2)
    log.rounds[1].events["tile"][discards[4]] = log.rounds[1].hands[int(log.rounds[1].events["seat"][discards[4]]) - 1][
        0
    ]
    with pytest.raises(LogError, match=r"bad.mjlog: East \d.*event"):
        review_game(log, agent(), "sl", [0])


def test_what_is_compiled_beside_the_table_is_what_a_review_asks_for():
    reviewed()
    functions = (encode_all, encode_worth_all, encode_lookahead_all, encode_call_all, _list_all, _fill)
    asked = [each.signatures[:] for each in functions]
    compile_features()
    compile_model_decisions()
    assert [each.signatures for each in functions] == asked


def cut_log(finished: int, n_events: int) -> GameLog:
    """Return a game that ends within a round, after some finished rounds."""
    log = next(generate_games(1, seed=4))
    events = log.rounds[finished].events[:n_events]
    cut = replace(log.rounds[finished], events=events, wins=[], draw_type=None, tenpai=None, shown=None, deltas=None)
    return replace(log, rounds=log.rounds[:finished], cut=cut, final_scores=None, final_points=None)


@pytest.mark.parametrize("finished", [0, 2])
def test_a_round_that_the_log_does_not_finish_is_reviewed_as_far_as_it_goes(finished: int):
    for suffix, written in (("mjlog", write_mjlog), ("json", write_tenhou6)):
        log = read_log(written(cut_log(finished, 60)), f"cut.{suffix}")[0]
        review = review_game(log, agent(), "sl")
        assert len(review.rounds) == finished + 1 and review.rounds[-1].result.how == "unfinished"
        assert review.rounds[-1].result.deltas == [0] * 4 and review.ranks is None
        assert "The log ends within E" in review.remarks[-1] and "unfinished" in review.remarks[-1]
        assert all(len(seat.decisions) == finished + 1 and seat.decisions[-1] for seat in review.seats)
        assert review.phi is None or len(review.phi.values) == finished + 1
        assert Review.model_validate_json(review.model_dump_json()) == review
        whole = review_game(next(generate_games(1, seed=4)), agent(), "sl", [1])
        mine = review.seats[1].decisions[-1]
        assert mine == whole.seats[0].decisions[finished][: len(mine)]


@pytest.mark.faults
def test_a_wrong_move_in_an_unfinished_round_is_an_error_with_file_and_place():
    log = cut_log(0, 60)
    log.source = "cut.mjlog"
    assert log.cut is not None
    log.cut.events["seat"][30] ^= 1
    with pytest.raises(LogError, match=r"cut.mjlog: East 1.*event"):
        replay(log)


@pytest.mark.faults
def test_a_log_without_rounds_is_an_error():
    log = next(generate_games(1, seed=4))
    log.rounds = []
    with pytest.raises(LogError, match="no rounds"):
        replay(log)
