"""Dora indicators of kongs: when they are shown, who has seen them, and for what they count."""

import pytest
from table import Scene

from simulator.rules import Rules

IMMEDIATE = Rules(open_kong_dora="immediate")
SIMPLES = "234m567p55p23467s"  # waits for 5s and 8s; its 3m is dora by the second indicator
CALLER = "999p8s147m36s1234z"
INDICATORS = "1z 2m 9s 7p 7p"


def open_kong(**scene):
    """Seat 1 makes an open kong of 9p and has drawn its replacement; seat 3 waits for the 8s of its hand."""
    hands, draws = {1: CALLER, 3: SIMPLES}, {0: "9p"}
    return Scene(hands, draws, indicators=INDICATORS, **scene).play("0 discard 9p", "1 kong")


def added_kong(**scene):
    """The same with a pong to which seat 1 adds the last tile."""
    hands, draws = {1: "99p8s147m36s12345z", 3: SIMPLES}, {0: "9p", 1: "9p"}
    scene = Scene(hands, draws, indicators=INDICATORS, **scene)
    return scene.play("0 discard 9p", "1 pong", "1 discard 1z", "1 added kong 9p")


def test_closed_kong_shows_its_indicator_at_once():
    scene = Scene({0: "1111m258p147s123z"}, indicators=INDICATORS).play("0 closed kong 1m")
    assert scene.turn == 0
    assert scene.indicators == "1z 2m"


@pytest.mark.parametrize("kong", [open_kong, added_kong])
def test_open_and_added_kong_show_theirs_with_the_discard_that_follows(kong):
    scene = kong()
    assert scene.indicators == "1z"  # the discarder has not seen it
    scene.play("1 discard 8s")
    assert scene.indicators == "1z 2m"


@pytest.mark.parametrize("kong", [open_kong, added_kong])
def test_it_counts_for_a_win_on_that_discard(kong):
    assert kong().play("1 discard 8s", "3 ron").won(3).dora == 1


@pytest.mark.parametrize(("rules", "dora"), [(Rules(), 0), (IMMEDIATE, 1)])
def test_it_does_not_count_for_a_win_on_the_replacement(rules, dora):
    hand, draws = "999p234m678m55s34s", {0: "9p"}
    scene = Scene({1: hand}, draws, indicators=INDICATORS, replacements="2s", rules=rules)
    scene.play("0 discard 9p", "1 kong", "1 tsumo")
    assert scene.won(1).yaku == {"rinshan kaihou"}
    assert scene.won(1).dora == dora


def test_that_of_a_closed_kong_counts_for_a_win_on_the_replacement():
    scene = Scene({0: "9999p234m678m34s5s"}, indicators=INDICATORS, draws={0: "5s"}, replacements="2s")
    scene.play("0 closed kong 9p", "0 tsumo")
    assert scene.won(0).dora == 1


@pytest.mark.parametrize("kong", [open_kong, added_kong])
def test_immediate_shows_it_before_the_replacement(kong):
    assert kong(rules=IMMEDIATE).indicators == "1z 2m"


def test_a_further_closed_kong_shows_the_waiting_one_and_its_own():
    hand = "999p111m147s1234z"
    scene = Scene({1: hand}, {0: "9p"}, indicators=INDICATORS, replacements="1m").play("0 discard 9p", "1 kong")
    assert scene.indicators == "1z"
    scene.play("1 closed kong 1m")
    assert scene.indicators == "1z 2m 9s"


def two_open_kongs(across=SIMPLES, drawn="8p"):
    """Seat 1 has called 5z, makes an open kong of 8p, and draws the fourth 5z."""
    hands, draws = {1: "55z888p147s1234z8s", 2: across}, {0: "5z", 2: drawn}
    scene = Scene(hands, draws, indicators=INDICATORS, replacements="5z")
    return scene.play("0 discard 5z", "1 pong", "1 discard 1z", "2 discard 8p", "1 kong")


def test_a_further_added_kong_shows_the_waiting_one_before_its_replacement():
    scene = two_open_kongs()
    assert scene.indicators == "1z"
    scene.play("1 added kong 5z")
    assert scene.indicators == "1z 2m"
    scene.play("1 discard 2z")
    assert scene.indicators == "1z 2m 9s"


def test_a_robbed_further_kong_shows_none():
    scene = two_open_kongs(across="119m19p8p19s12346z", drawn="7z").play("1 added kong 5z", "2 ron")
    assert scene.won(2).yaku == {"kokushi musou"}
    assert scene.indicators == "1z"


def test_four_kongs_show_five_indicators():
    scene = Scene({1: "111m333m777m444p5s"}, {1: "1m"}, indicators=INDICATORS, replacements="3m 7m 4p 9s")
    scene.play("1 closed kong 1m", "1 closed kong 3m", "1 closed kong 7m", "1 closed kong 4p")
    assert scene.indicators == INDICATORS


def test_without_kong_dora():
    rules = Rules(kong_dora=False)
    assert Scene({0: "1111m258p147s123z"}, indicators="1z", rules=rules).play("0 closed kong 1m").indicators == "1z"
    assert open_kong(rules=rules).play("1 discard 8s", "3 ron").won(3).dora == 0
