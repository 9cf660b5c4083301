"""The order of events as the host tells them: that of mjai's original."""

from __future__ import annotations

from table import Scene

from simulator.views.mjai_events import EventFeed
from suphx.mjai.host.agent import in_mjai_order


def words(scene: Scene) -> list[str]:
    """The events of a scene's round so far, the deal left out: who and what."""
    feed = EventFeed()
    new = feed.new(scene.game) if scene.ended is None else feed.end_round(scene.ended)
    events = [event for event in in_mjai_order(new) if event["type"] != "start_kyoku"]
    return [f"{event['actor']} {event['type']}" if "actor" in event else event["type"] for event in events]


def after(kong: str, told: list[str]) -> list[str]:
    return told[told.index(kong) :]


def test_a_closed_kong_shows_its_indicator_before_the_draw():
    scene = Scene({0: "1111m258p147s123z"}).play("0 closed kong 1m")
    assert after("0 ankan", words(scene)) == ["0 ankan", "dora", "0 tsumo"]


def test_an_open_kong_shows_it_before_the_discard():
    scene = Scene({1: "111m258p147s1234z"}, {0: "1m"}).play("0 discard 1m", "1 kong")
    assert after("1 daiminkan", words(scene)) == ["1 daiminkan", "1 tsumo"]
    scene.play("1 discard drawn").to_turn(2)
    assert after("1 daiminkan", words(scene)) == ["1 daiminkan", "1 tsumo", "dora", "1 dahai", "2 tsumo"]


def test_an_added_kong_shows_it_before_the_discard():
    scene = Scene({1: "11m258p147s12345z"}, {0: "1m", 1: "1m"})
    scene.play("0 discard 1m", "1 pong", "1 discard 5z").to_turn(1).play("1 added kong 1m", "1 discard drawn").to_turn(
        2
    )
    assert after("1 kakan", words(scene)) == ["1 kakan", "1 tsumo", "dora", "1 dahai", "2 tsumo"]


def test_a_further_kong_shows_the_earlier_ones_before_its_draw():
    scene = Scene({1: "111m2222p147s123z"}, {0: "1m"}).play("0 discard 1m", "1 kong", "1 closed kong 2p")
    told = ["1 daiminkan", "1 tsumo", "1 ankan", "dora", "dora", "1 tsumo"]
    assert after("1 daiminkan", words(scene)) == told


def test_a_further_open_kong_shows_the_earlier_one_before_its_draw():
    scene = Scene({1: "111m22p147s12345z"}, {0: "2p", 3: "1m"}, replacements="2p 9s")
    scene.play("0 discard 2p", "1 pong", "1 discard 5z").to_turn(3).play("3 discard 1m", "1 kong", "1 added kong 2p")
    told = ["1 daiminkan", "1 tsumo", "1 kakan", "dora", "1 tsumo"]
    assert after("1 daiminkan", words(scene)) == told
    scene.play("1 discard drawn").to_turn(2)
    assert after("1 daiminkan", words(scene)) == [*told, "dora", "1 dahai", "2 tsumo"]


def test_a_riichi_is_accepted_after_its_discard():
    scene = Scene({1: "123456m789p1133s"}, {1: "5z"}).play("1 riichi 5z").to_turn(2)
    assert after("1 reach", words(scene)) == ["1 reach", "1 dahai", "1 reach_accepted", "2 tsumo"]


def test_a_riichi_whose_tile_is_won_is_not_accepted():
    scene = Scene({1: "123456m789p1133s", 2: "234567m234p22s55z"}, {1: "5z"}).play("1 riichi 5z", "2 ron")
    assert after("1 reach", words(scene)) == ["1 reach", "1 dahai", "2 hora", "end_kyoku"]
