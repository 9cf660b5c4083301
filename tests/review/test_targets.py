"""The hands that a position leads to: each is complete and reached as it says, for the points that it says."""

from __future__ import annotations

import numpy as np
import pytest
from made import positions
from table import Scene

from simulator import Rules, score
from simulator.efficiency import shanten_batch
from simulator.record import CHOW_HIGH
from simulator.tiles import KINDS, TERMINALS_AND_HONORS, parse_counts, parse_kinds
from suphx.features.encode import encode_batch
from suphx.features.layout import start
from suphx.features.lookahead import BUCKETS, NO_PROPOSAL
from suphx.features.lookahead_parts import STEPS
from suphx.review.document import Target
from suphx.review.listing import list_hands, see_all
from suphx.review.targets import TargetQuery, find_targets


def targets_of(scene: Scene, seat: int = 0) -> list[Target]:
    games = np.array([scene.game])
    return find_targets(games, [TargetQuery(0, seat, NO_PROPOSAL, None)], Rules.tenhou())[0]


def counts(kinds: list[str]) -> np.ndarray:
    return parse_counts("".join(kinds)).astype(int)


def test_the_listed_hands_are_those_that_the_look_ahead_planes_tell_of():
    games, asked = positions(600)
    most = 40_000
    views = see_all(games, asked.game, asked.seat)
    pairs = (views["hand"] >= 2).sum(1)
    orphans = (views["hand"][:, [k for k in range(KINDS) if TERMINALS_AND_HONORS >> k & 1]] > 0).sum(1)
    only_sets = ((views["n_melds"] > 0) | (pairs <= 3)) & (orphans < 10) & (views["draws_left"] >= 3)
    rows = np.flatnonzero(only_sets & (views["hand"].sum(1) % 3 == 2))[:150]
    planes = encode_batch(games, asked.game[rows], asked.seat[rows])
    first = start("lookahead.points")
    compared = 0
    for row, packed in zip(rows, planes, strict=True):
        _, listed, n = list_hands(games, asked.game[[row]], asked.seat[[row]], np.array([NO_PROPOSAL]), most)
        assert n[0] < most
        reached = np.zeros((3, len(STEPS)), np.int64)
        for hand in listed[0, : n[0]]:
            gives = np.flatnonzero(hand["counts"] < views[row]["hand"])
            reached[hand["away"] - 1, : hand["worth"]] |= sum(1 << int(kind) for kind in gives)
        said = packed[first : first + reached.size * BUCKETS : BUCKETS].reshape(reached.shape)
        assert (said.astype(np.int64) == reached).all()
        compared += int(n[0] > 0)
    assert compared > 50


def test_every_target_is_complete_and_reached_by_its_draws_and_discards():
    games, asked = positions(600)
    questions = [TargetQuery(int(i), int(s), NO_PROPOSAL, None) for i, s in zip(asked.game, asked.seat, strict=True)]
    found = find_targets(games, questions, Rules.tenhou())
    assert sum(len(targets) for targets in found) > 300
    for question, targets in zip(questions, found, strict=True):
        held = games["hand"][question.index, question.seat].astype(int)
        for target in targets:
            ways = [target.draws, *target.also]
            assert len(set(map(tuple, ways))) == len(ways)
            for draws in ways:
                assert len(draws) == len(target.draws) <= 3
                after = held + counts(draws) - counts(target.gives)
                assert after.min() >= 0
                assert shanten_batch(after[None])[0] == -1
            assert (held + counts(target.draws) - counts(target.gives) == counts(target.hand)).all()


def test_a_tenpai_hand_leads_to_its_waits_with_their_points_and_likelihood():
    scene = Scene({0: "234m567p55p23467s"}, draws={0: "9m"}, indicators="1z")
    five, eight = (
        next(each for each in targets_of(scene) if [kind] in [each.draws, *each.also]) for kind in ("5s", "8s")
    )
    for target, kind in ((five, "5s"), (eight, "8s")):
        won = score(f"234m567p55p23467s {kind}", riichi=True, seat_wind="East", indicators="1z")
        assert (target.points, target.gives) == (won.points, ["9m"])
        assert set(target.yaku) == set(won.yaku)
    view = see_all(np.array([scene.game]), np.array([0]), np.array([0]))[0]
    ways = sum(int(view["unseen"][kind]) for kind in (parse_kinds("5s")[0][0], parse_kinds("8s")[0][0]))
    assert five.likelihood == pytest.approx(ways * view["draws_left"] / view["unseen"].sum(), abs=1e-4)


def test_seven_pairs_and_thirteen_orphans_are_among_the_targets():
    pairs = "seven pairs (chiitoitsu)"
    found = targets_of(Scene({0: "1188m2255p7799s4z"}, draws={0: "1z"}))
    assert any(pairs in each.yaku and each.draws == ["4z"] and each.gives == ["1z"] for each in found)
    orphans = "thirteen orphans (kokushi musou)"
    found = targets_of(Scene({0: "19m19p19s123456z2m"}, draws={0: "3m"}))
    assert any(orphans in each.yaku and "7z" in each.draws for each in found)


def test_seven_pairs_that_divide_into_sets_are_counted_once():
    scene = Scene({0: "112233m445566p7s"}, draws={0: "9s"})
    (twice,) = (each for each in targets_of(scene) if (each.draws, each.gives) == (["7s"], ["9s"]))
    assert "double twin runs (ryanpeiko)" in twice.yaku and twice.also == []
    view = see_all(np.array([scene.game]), np.array([0]), np.array([0]))[0]
    assert twice.likelihood == pytest.approx(3 * view["draws_left"] / view["unseen"].sum(), abs=1e-4)


def test_a_chow_that_is_proposed_leads_to_the_hands_behind_it():
    scene = Scene({1: "23m567p22345678s"}, draws={0: "4m"}).play("0 discard 4m")
    games = np.array([scene.game])
    called, passed = find_targets(
        games, [TargetQuery(0, 1, CHOW_HIGH, 1), TargetQuery(0, 1, NO_PROPOSAL, 0)], Rules.tenhou()
    )
    assert {len(each.hand) for each in called} == {11}
    assert {len(each.hand) for each in passed} == {14}
    assert all("riichi" in each.yaku for each in passed)
    assert all("riichi" not in each.yaku and each.after == 1 for each in called)


def test_an_open_hand_without_yaku_leads_to_none():
    scene = Scene({1: "23m567p99p123567s"}, draws={0: "1m"}).play("0 discard 1m", "1 chow 23m")
    near = [each for each in targets_of(scene, 1) if len(each.draws) == 1]
    assert near == []
