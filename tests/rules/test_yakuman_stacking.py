"""Several yakuman in one hand, and those that some rules count twice."""

import pytest

from simulator.rules import Rules
from simulator.scoring.hands import score

WINDS = ["pong 111z", "pong 222z", "pong 333z"]


def test_several_yakuman_add_up():
    scored = score("444z7z7z", melds=WINDS)
    assert (scored.yakuman, scored.limit, scored.points) == (2, "double yakuman", 64000)  # big four winds, all honors


def test_without_multiple_yakuman_one_counts():
    scored = score("444z7z7z", melds=WINDS, rules=Rules(multiple_yakuman=False))
    assert (scored.yakuman, scored.points, len(scored.yaku)) == (1, 32000, 1)


def test_without_multiple_yakuman_a_double_one_counts_twice():
    scored = score("444z7z7z", melds=WINDS, rules=Rules(multiple_yakuman=False, double_yakuman=True))
    assert (scored.yakuman, list(scored.yaku)) == (2, ["big four winds (daisuushii)"])


@pytest.mark.parametrize(
    ("hand", "win", "how"),
    [
        ("222m777p999s3334z4z", "4z", {}),
        ("11122345678999m", "2m", {}),
        ("119m19p19s1234567z", "1m", {}),
        ("444z5m5m", "5m", {"melds": WINDS}),
    ],
)
def test_double_yakuman(hand, win, how):
    assert score(hand, win=win, **how).yakuman == 1
    assert score(hand, win=win, rules=Rules(double_yakuman=True), **how).yakuman == 2


def test_most_yakuman_of_all():
    melds = [f"closed kong {wind * 4}z" for wind in "1234"]
    scored = score("5z5z", melds=melds)
    assert scored.yakuman == 4  # big four winds, four concealed triplets, all honors, four kongs
    assert score("5z5z", melds=melds, rules=Rules(double_yakuman=True)).yakuman == 6


def test_dora_and_ordinary_yaku_do_not_count():
    scored = score("222m777p999s3334z4z", riichi=True, indicators="1m", ura_indicators="6p")
    assert list(scored.yaku) == ["single-wait four concealed triplets (suuankou tanki)"]
    assert (scored.han, scored.points) == (0, 32000)


def test_blessings_stack():
    scored = score("19m19p19s12345677z", tsumo=True, first_turn=True, seat_wind="East")
    assert (scored.yakuman, scored.points) == (2, 96000)
