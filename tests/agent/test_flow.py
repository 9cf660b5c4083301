"""The decision flow: each branch of the paper's Figure 1, by networks of known answers."""

import numpy as np
import pytest
from stand_in import StandInNetworks, decide, until_turn
from table import Scene

from simulator.record import (
    ACTION_NAMES,
    ADDED_KONG,
    CHOW_HIGH_RED,
    CHOW_LOW,
    CHOW_MIDDLE,
    CLOSED_KONG,
    DISCARD_DRAWN,
    NO_ACTION,
    OPEN_KONG,
    PONG,
    PONG_RED,
)
from simulator.rules import Rules
from suphx.agent.flow import Sampling
from suphx.agent.interface import AgentOutput

READY = "234m567p55p23467s"  # waits for 5s and 8s


def chosen(scene: Scene, networks: StandInNetworks | None = None, seat: int | None = None) -> str:
    """Return the word for what the flow chooses for a seat (by default the only one that is asked)."""
    asked, choice = decide(np.array([scene.game]), networks)
    row = 0 if seat is None else asked.seat.tolist().index(seat)
    assert seat is not None or len(asked) == 1
    return scene._word(int(choice.actions[row]))


# The own turn.


def test_a_win_by_draw_is_taken_before_any_network_is_asked():
    networks = StandInNetworks({"riichi": 1})
    assert chosen(Scene({0: READY}, draws={0: "5s"}), networks) == "tsumo"
    assert networks.asked == []


def test_kong_riichi_and_discard_are_asked_in_this_order():
    scene = Scene({0: "1111m456p789p234s"}, draws={0: "6z"})
    networks = StandInNetworks(kinds="6z")
    assert chosen(scene, networks) == "discard 6z"
    assert networks.models == ["kong", "riichi", "discard"]


def test_a_kong_that_is_wanted_is_made_and_nothing_else_decided():
    networks = StandInNetworks({"kong": 1, "riichi": 5})
    scene = Scene({0: "1111m456p789p234s"}, draws={0: "6z"})
    assert chosen(scene, networks) == "closed kong 1m"
    _, output = decide(np.array([scene.game]), networks)
    assert [each.model for each in output.outputs] == ["kong"]


def test_of_two_wanted_kongs_the_surer_one_is_made():
    scene = Scene({0: "1111m2222p789p12s"}, draws={0: "6z"})
    assert chosen(scene, StandInNetworks({CLOSED_KONG: 1, CLOSED_KONG + 10: 2})) == "closed kong 2p"
    assert chosen(scene, StandInNetworks({CLOSED_KONG: 2, CLOSED_KONG + 10: 1})) == "closed kong 1m"
    assert chosen(scene, StandInNetworks({CLOSED_KONG: -2, CLOSED_KONG + 10: 1})) == "closed kong 2p"


def test_an_added_kong_is_asked_of_the_kong_network():
    scene = Scene({1: "11m456p789p12467s"}, draws={0: "1m", 1: "1m"})
    scene.play("0 discard 1m", "1 pong", "1 discard 7s")
    networks = StandInNetworks({"kong": 1})
    assert chosen(until_turn(scene, 1), networks) == "added kong 1m"
    assert ("kong", ADDED_KONG) in networks.asked


def test_riichi_is_declared_and_its_discard_is_another_decision():
    scene = Scene({0: "234m567p55p2346s7z"}, draws={0: "7s"})
    networks = StandInNetworks({"riichi": 1}, kinds="2m 7z")
    assert chosen(scene, networks) == "riichi"
    _, output = decide(np.array([scene.game]), networks)
    assert [each.model for each in output.outputs] == ["riichi"]


def test_the_discard_of_a_riichi_keeps_to_what_leaves_the_hand_ready():
    scene = Scene({0: "234m567p55p23467s"}, draws={0: "1s"}).play("0 riichi")
    networks = StandInNetworks(kinds="2m 4s 1s")
    assert chosen(scene, networks) == "discard 4s"
    assert networks.models == ["discard"]


def test_a_forced_discard_asks_nobody():
    scene = Scene({0: "111m456p789p234s6z"}, draws={0: "7z 1m"}).play("0 riichi 7z")
    until_turn(scene, 0)
    networks = StandInNetworks()
    assert scene.options(0) == {"closed kong 1m", "discard 1m"}
    assert chosen(scene, networks) == "discard 1m"
    assert networks.models == ["kong"]


# Which tile of a kind.


def test_a_red_five_is_kept_while_a_plain_one_can_go():
    networks = StandInNetworks(kinds="5p")
    assert chosen(Scene({0: "147m028p369s1234z"}, draws={0: "5p"}), networks) == "discard 5p"
    _, choice = decide(np.array([Scene({0: "147m558p369s1234z"}, draws={0: "0p"}).game]), networks)
    assert ACTION_NAMES[choice.actions[0]] == "discard 5p"
    assert chosen(Scene({0: "147m028p369s1234z"}, draws={0: "7z"}), networks) == "discard 0p"


def test_of_equal_tiles_the_drawn_one_goes():
    scene = Scene({0: "147m258p369s1234z"}, draws={0: "1z"})
    _, choice = decide(np.array([scene.game]), StandInNetworks(kinds="1z"))
    assert choice.actions.tolist() == [DISCARD_DRAWN]


def test_without_red_fives_the_first_five_is_like_the_others():
    scene = Scene({0: "147m258p369s1234z"}, draws={0: "5p"}, rules=Rules(red_fives=False))
    _, choice = decide(np.array([scene.game]), StandInNetworks(kinds="5p"))
    assert choice.actions.tolist() == [DISCARD_DRAWN]


# Another's discard.


def test_every_possible_call_is_asked_about_once():
    scene = Scene({1: "3467m345678p123z"}, draws={0: "5m"}).play("0 discard 5m")
    networks = StandInNetworks()
    assert chosen(scene, networks, seat=1) == "pass"
    assert sorted(networks.asked) == [("chow", CHOW_LOW), ("chow", CHOW_MIDDLE), ("chow", CHOW_LOW + 4)]


def test_a_chow_is_asked_with_the_red_five_and_without():
    scene = Scene({1: "4505m345678p12z1s"}, draws={0: "6m"}).play("0 discard 6m")
    networks = StandInNetworks()
    chosen(scene, networks, seat=1)
    assert ("chow", CHOW_HIGH_RED) in networks.asked and ("chow", CHOW_HIGH_RED - 1) in networks.asked


def test_the_surest_of_all_calls_is_made():
    scene = Scene({1: "3455567m34567p1z"}, draws={0: "0m"}).play("0 discard 0m")
    margins = {CHOW_LOW: 1.0, CHOW_MIDDLE: 2.0, PONG: 1.5, OPEN_KONG: 0.5}
    assert chosen(scene, StandInNetworks(margins), seat=1) == "chow 46m"
    assert chosen(scene, StandInNetworks({**margins, PONG: 3.0}), seat=1) == "pong"
    assert chosen(scene, StandInNetworks({**margins, OPEN_KONG: 4.0}), seat=1) == "kong"
    assert chosen(scene, StandInNetworks(dict.fromkeys(margins, -0.1)), seat=1) == "pass"


def test_of_equally_sure_calls_the_one_with_the_red_five_is_made():
    scene = Scene({1: "055m1234567p12z1s"}, draws={0: "5m"}).play("0 discard 5m")
    assert chosen(scene, StandInNetworks({PONG: 1.0, PONG_RED: 1.0}), seat=1) == "pong red"
    assert chosen(scene, StandInNetworks({PONG: 1.1, PONG_RED: 1.0}), seat=1) == "pong"


def test_a_win_by_claim_is_taken_before_any_call():
    scene = Scene({1: READY}, draws={0: "5s"}).play("0 discard 5s")
    networks = StandInNetworks({"chow": 9, "pong": 9})
    assert chosen(scene, networks, seat=1) == "ron"
    assert networks.asked == []


def test_a_kong_is_robbed():
    scene = Scene({0: "88s147m149p12345z", 1: READY}, draws={0: "- 8s", 2: "8s"})
    scene.play("2 discard 8s", "1 pass", "0 pong", "0 discard 1z", "0 added kong 8s")
    assert chosen(scene, seat=1) == "ron"


# What is decided without networks.


def test_nine_terminals_end_the_round_only_where_the_hand_is_far_from_ready():
    assert chosen(Scene({0: "19m19p19s12z258m46p"}, draws={0: "3z"})) == "abort"
    scene = Scene({0: "19m19p19s12345z58m"}, draws={0: "6z"})
    assert "abort" in scene.options(0)
    assert chosen(scene).startswith("discard")


def test_the_dealer_who_may_stop_stops():
    rules = Rules(dealer_stop="choice")
    scene = Scene({3: READY}, {3: "5s"}, round=7, scores=[20000, 20000, 20000, 40000], rules=rules)
    scene.play("3 tsumo")
    assert scene.options(3) == {"stop", "go on"}
    assert chosen(scene) == "stop"


# What comes back.


def chances(choice: AgentOutput, n: int) -> np.ndarray:
    """The joint log-probability f32[n] of the answers behind each of n decisions."""
    total = np.zeros(n, np.float32)
    for each in choice.outputs:
        np.add.at(total, each.decision, each.log_probability)
    return total


def test_questions_come_back_with_what_was_seen_and_answered():
    scene = Scene({0: "1111m456p789p234s"}, draws={0: "6z"})
    _, choice = decide(np.array([scene.game]), StandInNetworks(kinds="6z"))
    kong, riichi, discard = choice.outputs
    assert [each.model for each in choice.outputs] == ["kong", "riichi", "discard"]
    assert kong.option.tolist() == [CLOSED_KONG] and discard.option.tolist() == [NO_ACTION]
    assert kong.planes.shape == (1, 958) and discard.planes.shape == (1, 838)
    assert discard.logits.shape == discard.legal.shape == (1, 34)
    assert discard.action.tolist() == [32]
    sure = np.log(1 / (1 + np.exp(-1)))
    assert kong.log_probability == pytest.approx([sure]) and riichi.log_probability == pytest.approx([sure])
    assert {int(kind) for kind in np.flatnonzero(discard.legal[0])} == {0, 12, 13, 14, 15, 16, 17, 19, 20, 21, 32}


def test_a_batch_is_answered_as_its_decisions_alone_are():
    scenes = [
        Scene({0: "1111m456p789p234s"}, draws={0: "6z"}),
        Scene({0: READY}, draws={0: "5s"}),
        Scene({1: "3467m345678p123z"}, draws={0: "5m"}).play("0 discard 5m"),
        Scene({0: "234m567p55p2346s7z"}, draws={0: "7s"}),
    ]
    games = np.array([scene.game for scene in scenes])
    networks = StandInNetworks({"riichi": 0.1, "chow": 0.1, "kong": -0.1}, kinds="6z 7z")
    for sampling in (Sampling(), Sampling(temperature=1.0, seed=5)):
        _, together = decide(games, networks, sampling)
        alone = [decide(games[i : i + 1], networks, sampling)[1] for i in range(len(games))]
        assert together.actions.tolist() == np.concatenate([each.actions for each in alone]).tolist()
        expected = np.concatenate([chances(each, 1) for each in alone])
        assert chances(together, len(games)) == pytest.approx(expected)
