"""What a review says of risks and worth."""

import math

import pytest
from reviewed_game import agent, everything, reviewed

from suphx.networks.weights import WeightsError
from suphx.review import analysis
from suphx.review.analysis import review_game
from suphx.review.choices import MISTAKES, mistake_of


def decisions():
    return [each for seat in reviewed().seats for of_round in seat.decisions for each in of_round]


def test_every_discard_has_a_risk_and_a_worth_and_calls_have_none():
    seen = 0
    for decision in decisions():
        discards = [each for each in decision.candidates if each.type == "discard"]
        assert (decision.outlook is not None) == bool(discards)
        for each in decision.candidates:
            if each.type == "discard":
                assert len(each.deals_in) == 3 and all(0 <= chance <= 1 for chance in each.deals_in)
                assert each.danger_points >= 0 and 1 <= each.placement <= 4
                seen += 1
            else:
                assert each.deals_in is None and each.danger_points is None
                assert (each.points is not None) == (each.type == "riichi")
        if decision.outlook is not None:
            of = decision.outlook
            assert math.isclose(of.win + of.deal_in + of.another_draws + of.others + of.no_winner, 1, abs_tol=0.001)
    assert seen > 1000


def test_safe_tiles_do_not_deal_in_and_others_may():
    """Against seats in riichi."""
    safe, other = [], []
    for decision in decisions():
        for number, each in enumerate(decision.safety):
            if not each.riichi:
                continue
            for candidate in decision.candidates:
                if candidate.type == "discard":
                    kind = candidate.tile.replace("0", "5")
                    (safe if kind in each.safe else other).append(candidate.deals_in[number])
    assert len(safe) > 50 and len(other) > 50
    assert max(safe) == 0 and sum(other) / len(other) > 0.03


def test_what_was_lost_is_the_difference_of_the_two_and_is_counted_by_class():
    for seat in reviewed().seats:
        every = [each for of_round in seat.decisions for each in of_round]
        for each in every:
            best, done = each.candidates[each.preferred].points, each.candidates[each.taken].points
            assert each.lost == (None if best is None or done is None else best - done)
            assert each.mistake == mistake_of(each.lost)
        counted = {name: sum(each.mistake == name for each in every) for name in MISTAKES}
        assert seat.lost.mistakes == counted
        total = sum(each.lost or 0 for each in every)
        assert seat.lost.points == pytest.approx(total / len(seat.decisions), abs=0.06)
        assert seat.lost.low < seat.lost.points < seat.lost.high


def test_the_classes_begin_at_their_points():
    classes = [mistake_of(each) for each in (None, -500.0, 299.0, 300.0, 999.0, 1000.0)]
    assert classes == ["", "", "", "mistake", "mistake", "large"]


def test_without_its_weights_a_review_says_so(monkeypatch):
    def missing(rules):
        raise WeightsError("weights/outlook.safetensors: no such file")

    monkeypatch.setattr(analysis, "included_outlook", missing)
    found = review_game(everything(), agent(), "sl", [0])
    assert "No outlook: weights/outlook.safetensors: no such file." in found.remarks
    assert found.seats[0].lost is None
    assert all(each.outlook is None and each.lost is None for of in found.seats[0].decisions for each in of)
