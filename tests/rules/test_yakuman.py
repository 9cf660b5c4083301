"""Every yakuman: what makes it and what just misses it."""

import pytest

from simulator.scoring.hands import score


def yakuman(hand, **how):
    """Return the Japanese terms of the hand's yakuman; none of an ordinary hand."""
    found = score(hand, **how)
    return {name.rpartition("(")[2].rstrip(")") for name in found.yaku} if found.yakuman else set()


FIRST = {"tsumo": True, "first_turn": True}


def test_tenhou():
    assert yakuman("123m456p789s1199p9p", seat_wind="East", **FIRST) == {"tenhou"}


@pytest.mark.parametrize("wind", ["South", "West", "North"])
def test_chiihou(wind):
    assert yakuman("123m456p789s1199p9p", seat_wind=wind, **FIRST) == {"chiihou"}


def test_daisangen():
    melds = ["pong 555z", "pong 666z"]
    assert yakuman("123m4s777z4s", melds=melds) == {"daisangen"}
    assert yakuman("12m44s777z3m", melds=melds) == {"daisangen"}
    assert yakuman("123m444s7z7z", melds=melds) == set()


def test_suuankou():
    assert yakuman("222m777p99s33344z9s", tsumo=True) == {"suuankou"}
    assert yakuman("222m777p99s33344z9s") == set(), "the claimed triplet is not concealed"
    assert yakuman("777p99s33344z9s", melds="closed kong 2222m", tsumo=True) == {"suuankou"}
    assert yakuman("777p99s33344z9s", melds="pong 222m", tsumo=True) == set()


def test_suuankou_tanki():
    assert yakuman("222m777p999s3334z4z") == {"suuankou tanki"}
    assert yakuman("222m777p999s3334z4z", tsumo=True) == {"suuankou tanki"}
    assert yakuman("777p999s3334z4z", melds="open kong 2222m") == set()


def test_tsuuiisou():
    assert yakuman("33z555z", melds=["pong 111z", "pong 222z", "pong 444z"], win="5z") == {"tsuuiisou", "shousuushii"}
    assert yakuman("66z555z", melds=["pong 111z", "pong 222z", "pong 444z"], win="5z") == {"tsuuiisou"}
    assert yakuman("1122334455667z7z") == {"tsuuiisou"}, "as seven pairs"
    assert yakuman("66z999m", melds=["pong 111z", "pong 222z", "pong 444z"], win="9m") == set()


def test_ryuuiisou():
    assert yakuman("223344s666s66z", melds="pong 888s", win="6z") == {"ryuuiisou"}
    assert yakuman("223344s66688s", melds="pong 666z", win="8s") == {"ryuuiisou"}
    assert yakuman("223344s66688s", melds="chow 234s", win="8s") == {"ryuuiisou"}, "without the green dragon"
    assert yakuman("345s666s88s234s", melds="pong 666z", win="8s") == set(), "5s is not all green"


def test_chinroutou():
    assert yakuman("11m999p", melds=["pong 999m", "pong 111s", "pong 999s"], win="9p") == {"chinroutou"}
    assert yakuman("11z999p", melds=["pong 999m", "pong 111s", "pong 999s"], win="9p") == set()


def test_chuuren():
    assert yakuman("11122345678999m", win="1m") == {"chuuren poutou"}
    assert yakuman("11122345678999m", win="2m") == {"junsei chuuren poutou"}
    assert yakuman("11122233378999m", win="1m") == set()
    assert yakuman("22345678999m", melds="pong 111m", win="2m") == set(), "open"


@pytest.mark.parametrize("number", range(1, 10))
def test_junsei_chuuren(number):
    assert yakuman(f"1112340678999s{number}s") == {"junsei chuuren poutou"}


def test_kokushi():
    assert yakuman("119m19p19s1234567z", win="9m") == {"kokushi musou"}
    assert score("119m19p19s1234567z", win="9m").fu == 0


def test_kokushi_13():
    assert yakuman("119m19p19s1234567z", win="1m") == {"kokushi musou 13"}


def test_daisuushii():
    assert yakuman("55m44z4z", melds=["pong 111z", "pong 222z", "pong 333z"]) == {"daisuushii"}


def test_shousuushii():
    assert yakuman("123m44z", melds=["pong 111z", "pong 222z", "pong 333z"], win="1m") == {"shousuushii"}
    assert yakuman("444m4z4z", melds=["pong 111z", "pong 222z", "pong 333z"]) == {"shousuushii"}
    assert yakuman("123m55z", melds=["pong 111z", "pong 222z", "pong 333z"], win="1m") == set()


def test_suukantsu():
    melds = ["open kong 2222m", "closed kong 7777p", "added kong 9999s", "open kong 3333z"]
    assert yakuman("1z1z", melds=melds) == {"suukantsu"}
    assert yakuman("1z1z", melds=[*melds[:3], "pong 333z"]) == set()
