"""What a review says of risks and worth."""

import json
import math
from pathlib import Path

import pytest
from reviewed_game import agent, everything, reviewed

from suphx.networks.weights import WeightsError
from suphx.review import analysis
from suphx.review.analysis import review_game
from suphx.review.choices import MARKS, MISTAKES, lost_of, mistake_of


def decisions():
    return [each for seat in reviewed().seats for of_round in seat.decisions for each in of_round]


def test_every_choice_but_a_win_has_a_worth_and_discards_a_risk():
    seen = dict.fromkeys(("discard", "riichi", "chow", "pong", "pass"), 0)
    for decision in decisions():
        discards = [each for each in decision.candidates if each.type == "discard"]
        types = {each.type for each in decision.candidates}
        assert (decision.outlook is not None) == bool(discards)
        for each in decision.candidates:
            if each.type == "discard":
                assert len(each.deals_in) == 3 and all(0 <= chance <= 1 for chance in each.deals_in)
                assert each.danger_points >= 0
            else:
                assert each.deals_in is None and each.danger_points is None
            without = each.type in ("tsumo", "ron", "nine terminals") or "ron" in types
            assert (each.points is None) == (each.placement is None) == without
            assert without or 1 <= each.placement <= 4
            seen[each.type] = seen.get(each.type, 0) + 1
        if decision.outlook is not None:
            of = decision.outlook
            assert math.isclose(of.win + of.deal_in + of.another_draws + of.others + of.no_winner, 1, abs_tol=0.001)
    assert seen["discard"] > 1000 and min(seen.values()) > 0 and any("kong" in each for each in seen)


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
            assert each.lost in (None, None if best is None or done is None else best - done)
            kinds = {each.candidates[place].type for place in (each.preferred, each.taken)}
            assert each.lost is not None or kinds != {"discard"}
            assert (each.held_out is None) == (not each.mistake)
            assert not each.mistake or each.lost >= (1000 if each.mistake == "large" else 300)
        counted = {name: sum(each.mistake == name for each in every) for name in MISTAKES}
        assert seat.lost.mistakes == counted
        discards = [
            each for each in every if {each.candidates[n].type for n in (each.preferred, each.taken)} == {"discard"}
        ]
        total = sum(each.lost for each in discards)
        assert seat.lost.decisions == len(discards)
        assert seat.lost.points == pytest.approx(total / len(seat.decisions), abs=0.06)
        assert seat.lost.low < seat.lost.points < seat.lost.high


def test_the_classes_begin_at_their_points():
    classes = [mistake_of(each, "discard") for each in (None, -500.0, 299.0, 300.0, 999.0, 1000.0)]
    assert classes == ["", "", "", "mistake", "mistake", "large"]


def test_only_what_cost_points_in_held_out_games_is_marked_or_counted():
    assert [mistake_of(1500.0, kind) for kind in ("pass", "no riichi", "pong")] == ["large", "mistake", ""]
    assert {mistake_of(1500.0, kind) for kind in ("chow", "kong", "no kong", "riichi")} == {""}
    assert lost_of(100.0, 150.0, "discard", False) == -50 and lost_of(None, 150.0, "discard", False) is None
    assert [lost_of(400.0, done, "pass", False) for done in (100.0, 101.0, 500.0)] == [300.0, None, None]
    assert lost_of(2000.0, 0.0, "chow", False) is None and lost_of(300.0, 300.0, "chow", True) == 0


def test_without_its_weights_a_review_says_so(monkeypatch):
    def missing(rules):
        raise WeightsError("weights/outlook.safetensors: no such file")

    monkeypatch.setattr(analysis, "included_outlook", missing)
    found = review_game(everything(), agent(), "sl", [0])
    assert "No outlook: weights/outlook.safetensors: no such file." in found.remarks
    assert found.seats[0].lost is None
    assert all(each.outlook is None and each.lost is None for of in found.seats[0].decisions for each in of)


def test_marks_are_shown_where_two_sets_of_games_bear_them_out_and_cost_what_they_did_in_the_first():
    """Large ones apart only if they cost more, else with the others."""
    folder = Path(__file__).parents[2] / "docs" / "results"
    names = ("outlook.json", "outlook-2018.json", "outlook-tonpuu.json")
    results, others, east = (json.loads((folder / name).read_text()) for name in names)
    assert all(each["actual"]["low"] > 0 for each in others["discards"]["costs"] if each["low"] in MISTAKES.values())
    assert all(each["actual"]["low"] > 0 for each in east["discards"]["costs"] if each["low"] in MISTAKES.values())
    assert all(east["choices"][kind]["mistakes"]["actual"]["low"] > 0 for kind in MARKS if kind != "discard")
    costs = {each["low"]: each["actual"] for each in results["discards"]["costs"]}
    expected = {"discard": {name: costs[least] for name, least in MISTAKES.items()}}
    for kind, of in results["choices"].items():
        every, marks = of["mistakes"]["actual"], {each["low"]: each["actual"] for each in of["marks"]}
        usual, large = (marks[least] for least in MISTAKES.values())
        if min(every["low"], others["choices"][kind]["mistakes"]["actual"]["low"]) > 0:
            apart = min(usual["low"], large["low"]) > 0 and large["value"] > usual["value"]
            expected[kind] = {"mistake": usual, "large": large} if apart else {"mistake": every}
    assert {kind: set(of) for kind, of in MARKS.items()} == {kind: set(of) for kind, of in expected.items()}
    for kind, classes in MARKS.items():
        for name, held_out in classes.items():
            measured = [round(expected[kind][name][end]) for end in ("value", "low", "high")]
            assert measured == [held_out.points, held_out.low, held_out.high] and held_out.low > 0, (kind, name)
