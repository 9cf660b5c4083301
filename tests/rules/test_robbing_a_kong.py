"""Robbing a kong (chankan)."""

from table import Scene

from simulator.rules import Rules

ROB_CLOSED = Rules(thirteen_orphans_rob_closed_kong=True)
ORPHANS = "99m19p19s1234567z"  # waits for 1m
ORDINARY = "23m456p789s11122z"  # waits for 1m and 4m, worth the round wind


def added_kong(more_hands=None, more_draws=None, **scene):
    """Seat 0 has called 5s and draws the last one; seat 1 comes to wait for 5s and 8s after the call."""
    hands = {0: "147m26p55s123467z", 1: "234m567p55p2346s7z", **(more_hands or {})}
    draws = {0: "- 0s", 1: "- 7s", 2: "5s", **(more_draws or {})}
    return Scene(hands, draws, **scene).play("2 discard 5s", "0 pong", "0 discard 7z")


def test_added_kong_is_robbed():
    scene = added_kong().play("1 discard 7z", "0 added kong 5s", "1 ron")
    assert (scene.winners, scene.won(1).source) == ([1], 0)
    assert scene.won(1).yaku == {"chankan", "pinfu", "tanyao"}
    assert scene.won(1).red == 1  # the robbed tile is the winner's


def test_robbed_kong_shows_no_indicator_and_is_none():
    scene = added_kong(indicators="1z").play("1 discard 7z", "0 added kong 5s", "1 ron")
    assert scene.indicators == "1z"
    assert scene.ended["kongs"] == 0


def test_ippatsu_is_alive_on_it():
    scene = added_kong().play("1 riichi 7z", "0 added kong 5s", "1 ron")
    assert scene.won(1).yaku == {"riichi", "ippatsu", "chankan", "pinfu", "tanyao"}


def test_several_may_rob_it():
    scene = added_kong({3: "345m678m22p3678s7z"}, {3: "4s"})
    scene.play("1 discard 7z", "3 discard 7z", "0 added kong 5s", "1 ron", "3 ron")
    assert scene.winners == [1, 3]


def test_kong_let_go_is_made_and_the_wait_missed():
    scene = added_kong(replacements="8s").play("1 discard 7z", "0 added kong 5s", "1 pass", "0 discard 8s")
    assert "ron" not in scene.options(1)
    assert scene.game["kongs"] == 1


def test_closed_kong_is_safe_from_every_hand():
    for hand in (ORPHANS, ORDINARY):
        scene = Scene({0: "1111m258p147s567z", 1: hand}).play("0 closed kong 1m")
        assert scene.options(1) == set()
        assert "discard 5z" in scene.options(0)


def test_closed_kong_is_not_safe_from_thirteen_orphans_where_the_rules_say_so():
    scene = Scene({0: "1111m258p147s567z", 1: ORPHANS}, rules=ROB_CLOSED).play("0 closed kong 1m", "1 ron")
    assert scene.won(1).yaku == {"kokushi musou"}
    assert scene.deltas == [-32000, 32000, 0, 0]
    scene = Scene({0: "1111m258p147s567z", 1: ORDINARY}, rules=ROB_CLOSED).play("0 closed kong 1m")
    assert scene.options(1) == set()


def test_closed_kong_makes_only_those_furiten_who_could_have_robbed_it():
    for rules in (Rules(), ROB_CLOSED):
        hands = {0: "1111m258p147s567z", 1: ORDINARY}
        scene = Scene(hands, draws={2: "4m"}, rules=rules)
        scene.play("0 closed kong 1m", "0 discard 5z", "2 discard 4m", "1 ron")
        assert scene.winners == [1]
    scene = Scene({0: "1111m258p147s567z", 1: ORPHANS}, rules=ROB_CLOSED).play("0 closed kong 1m", "1 pass")
    assert scene.game["missed"][1]
