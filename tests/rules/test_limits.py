"""Limits: from mangan to the counted yakuman, and rounding up to mangan."""

import pytest

from simulator.rules import Rules
from simulator.scoring.hands import score


def with_han(han, **how):
    """Score a hand of tanyao and riichi, 40 fu, with as much dora as it takes."""
    pairs, singles = min(4, (han - 2) // 2), (han - 2) - 2 * min(4, (han - 2) // 2)
    ura = ["3m", "5s", "7s"][:singles]
    return score("234m456p678s22p35s4s", riichi=True, indicators="1p" * pairs, ura_indicators="".join(ura), **how)


@pytest.mark.parametrize(
    ("han", "limit", "points"),
    [
        (2, "", 2600), (3, "", 5200), (4, "mangan", 8000), (5, "mangan", 8000), (6, "haneman", 12000),
        (7, "haneman", 12000), (8, "baiman", 16000), (9, "baiman", 16000), (10, "baiman", 16000),
        (11, "sanbaiman", 24000), (12, "sanbaiman", 24000), (13, "counted yakuman", 32000),
    ],
)  # fmt: skip
def test_limit_by_han(han, limit, points):
    found = with_han(han)
    assert (found.han, found.limit, found.points) == (han, limit, points)
    assert with_han(han, seat_wind="East").points == {2600: 3900, 5200: 7700}.get(points, points * 3 // 2)


def test_without_counted_yakuman_thirteen_han_are_sanbaiman():
    found = with_han(13, rules=Rules(counted_yakuman=False))
    assert (found.limit, found.points) == ("sanbaiman", 24000)


@pytest.mark.parametrize(
    ("hand", "how"),
    [
        ("123m456p789s22p34s5s", {}),  # 4 han 30 fu
        ("456m999p22p67s8s", {"melds": "closed kong 2222m"}),  # 3 han 60 fu
    ],
)
def test_kiriage_mangan(hand, how):
    assert score(hand, riichi=True, indicators="1p", **how).points == 7700
    rounded = score(hand, riichi=True, indicators="1p", rules=Rules(kiriage_mangan=True), **how)
    assert (rounded.limit, rounded.points) == ("mangan", 8000)


def test_kiriage_leaves_lesser_hands():
    assert score("123m456p789s22p34s5s", riichi=True, indicators="3p", rules=Rules(kiriage_mangan=True)).points == 3900
