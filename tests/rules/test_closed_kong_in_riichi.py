"""A closed kong after riichi: only of the tile just drawn, and only if the waits stay."""

import pytest
from table import Scene, ScriptError

from simulator.rules import Rules


def allowed(hand, kong, rule="same_waits", drawn=None):
    """Return whether seat 1, in riichi with the hand, may make the kong when it draws that tile (or another)."""
    scene = Scene({1: hand}, {1: f"7z {drawn or kong}"}, rules=Rules(closed_kong_in_riichi=rule)).play("1 riichi 7z")
    try:
        scene.play(f"1 closed kong {kong}")
    except ScriptError:
        return False
    return True


PLAIN = "111m456p789s22z34s"
READS_AS_RUNS_TOO = "111222333m99p45s"
CHANGES_THE_WAITS = "4445m678p123789s"


@pytest.mark.parametrize(
    ("hand", "kong", "never", "same_waits", "same_hand"),
    [
        (PLAIN, "1m", False, True, True),
        (READS_AS_RUNS_TOO, "1m", False, True, False),  # 123m three times would be lost
        (CHANGES_THE_WAITS, "4m", False, False, False),  # 3m and 6m would be no waits any more
        ("555z456p789s22m34s", "5z", False, True, True),
        ("11123m456p789s22z", "1m", False, False, False),
        ("3334567m678p222z", "3m", False, False, False),
    ],
)
def test_which_kongs_are_allowed(hand, kong, never, same_waits, same_hand):
    assert allowed(hand, kong, "never") == never
    assert allowed(hand, kong, "same_waits") == same_waits
    assert allowed(hand, kong, "same_hand") == same_hand


def test_only_of_the_tile_just_drawn():
    assert not allowed("111123m456p99p34s", "1m", drawn="6z")


def test_the_kong_ends_ippatsu():
    scene = Scene({1: PLAIN}, {1: "7z 1m"}, replacements="2s").play("1 riichi 7z", "1 closed kong 1m", "1 tsumo")
    assert scene.won(1).yaku == {"double riichi", "menzen tsumo", "rinshan kaihou"}
