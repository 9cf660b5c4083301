"""Every ordinary yaku: what makes it, its han closed and open, and what just misses it."""

import pytest

from simulator.rules import Rules
from simulator.scoring.hands import HandError, score


def yaku(hand, **how):
    """Return the han of each yaku by its Japanese term."""
    return {name.rpartition("(")[2].rstrip(")"): han for name, han in score(hand, **how).yaku.items()}


def test_menzen_tsumo():
    assert yaku("123m456p789s1199p9p", tsumo=True) == {"menzen tsumo": 1}
    assert yaku("123m456p1199p9p", melds="closed kong 3333z", tsumo=True) == {"menzen tsumo": 1}
    assert yaku("123m456p1199p9p", melds="chow 789s", tsumo=True) == {}
    assert yaku("123m456p789s1199p9p") == {}


def test_riichi():
    assert yaku("123m456p789s1199p9p", riichi=True) == {"riichi": 1}
    assert yaku("123m456p1199p9p", melds="closed kong 3333z", riichi=True) == {"riichi": 1}
    with pytest.raises(HandError, match="closed"):
        yaku("123m456p1199p9p", melds="chow 789s", riichi=True)


def test_double_riichi():
    assert yaku("123m456p789s1199p9p", double_riichi=True) == {"double riichi": 2}
    assert yaku("123m456p789s1199p9p", riichi=True, double_riichi=True) == {"double riichi": 2}


def test_ippatsu():
    assert yaku("123m456p789s1199p9p", riichi=True, ippatsu=True) == {"riichi": 1, "ippatsu": 1}
    with pytest.raises(HandError, match="riichi"):
        yaku("123m456p789s1199p9p", ippatsu=True)


def test_chankan():
    assert yaku("123m456p11p78s9s", melds="chow 123s", robbed_kong=True) == {"chankan": 1}
    with pytest.raises(HandError, match="no tsumo"):
        yaku("123m456p11p78s9s", melds="chow 123s", robbed_kong=True, tsumo=True)


def test_rinshan():
    assert yaku("123m456p1178s9s", melds="open kong 3333z", replacement=True, tsumo=True) == {"rinshan kaihou": 1}
    with pytest.raises(HandError, match="kong"):
        yaku("123m456p789s1199p9p", replacement=True, tsumo=True)


def test_haitei():
    assert yaku("123m456p1178s9s", melds="chow 123s", last_tile=True, tsumo=True) == {"haitei": 1}


def test_houtei():
    assert yaku("123m456p1178s9s", melds="chow 123s", last_tile=True) == {"houtei": 1}


def test_pinfu():
    assert yaku("123m456p789s22p34s5s") == {"pinfu": 1}
    assert yaku("123m456p789s22p34s5s", tsumo=True) == {"menzen tsumo": 1, "pinfu": 1}
    assert yaku("123m456p789s44z34s5s") == {"pinfu": 1}, "a guest wind may be the pair"


@pytest.mark.parametrize(
    ("why", "hand", "how"),
    [
        ("closed wait", "123m456p789s22p35s4s", {}),
        ("edge wait", "123m456p789s22p12s3s", {}),
        ("pair wait", "123m456p789s345s2p2p", {}),
        ("a triplet", "111m456p789s22p34s5s", {}),
        ("pair of the seat wind", "123m456p789s22z34s5s", {}),
        ("pair of the round wind", "123m456p789s11z34s5s", {}),
        ("pair of dragons", "123m456p789s55z34s5s", {}),
        ("open", "123m456p22p34s5s", {"melds": "chow 789s"}),
    ],
)
def test_no_pinfu(why, hand, how):
    assert yaku(hand, **how) == {}, why


def test_tanyao():
    assert yaku("234m456p678s22p35s4s") == {"tanyao": 1}
    assert yaku("234m456p22p35s4s", melds="chow 678s") == {"tanyao": 1}
    assert yaku("234m456p22p35s4s", melds="chow 789s") == {}
    assert yaku("234m456p22p35s4s", melds="chow 678s", rules=Rules(open_tanyao=False)) == {}
    assert yaku("234m456p22p35s4s", melds="closed kong 8888s", rules=Rules(open_tanyao=False)) == {"tanyao": 1}


def test_iipeiko():
    assert yaku("223344m456p789s1p1p") == {"iipeiko": 1}
    assert yaku("22334m789s11p4m", melds="chow 456p") == {}
    assert yaku("22334m11p4m789s", melds="closed kong 9999p", win="4m") == {"iipeiko": 1}


def test_ryanpeiko():
    assert yaku("223344m778899s1p1p") == {"ryanpeiko": 3}, "not seven pairs as well"
    assert yaku("222233334444p9s9s") == {"ryanpeiko": 3}, "four equal runs"
    assert yaku("223344m456789s1p1p") == {"iipeiko": 1}


def test_seat_wind():
    for tile, wind in enumerate(("East", "South", "West", "North"), 1):
        scored = yaku(f"123m456p789s1p1p{tile}{tile}{tile}z", win="1p", seat_wind=wind, round_wind="East")
        assert scored.get(f"jikaze {('ton', 'nan', 'shaa', 'pei')[tile - 1]}") == 1
    assert yaku("123m456p789s1p333z1p") == {}, "a guest wind"


def test_round_wind():
    assert yaku("123m456p1p1p", melds=["pong 111z", "chow 789s"]) == {"bakaze ton": 1}
    assert yaku("123m456p1p1p", melds=["pong 222z", "chow 789s"], round_wind="South", seat_wind="North") == {
        "bakaze nan": 1
    }
    assert yaku("123m456p1p1p", melds=["pong 333z", "chow 789s"], round_wind="West") == {"bakaze shaa": 1}
    assert yaku("123m456p1p1p", melds=["pong 444z", "chow 789s"], round_wind="North") == {"bakaze pei": 1}


def test_double_wind():
    assert yaku("123m456p1p1p", melds=["pong 111z", "chow 789s"], seat_wind="East") == {
        "jikaze ton": 1,
        "bakaze ton": 1,
    }


def test_dragons():
    assert yaku("123m456p1p1p", melds=["pong 555z", "chow 789s"]) == {"haku": 1}
    assert yaku("123m456p1p1p", melds=["pong 666z", "chow 789s"]) == {"hatsu": 1}
    assert yaku("123m456p1p1p", melds=["open kong 7777z", "chow 789s"]) == {"chun": 1}
    assert yaku("123m456p345s5z5z", melds=["chow 789s"]) == {}, "a pair only"


def test_seven_pairs():
    assert yaku("1133m5577p2299s3z3z") == {"chiitoitsu": 2}
    assert score("1133m5577p2299s3z3z").fu == 25
    with pytest.raises(HandError, match="complete"):
        yaku("1111m5577p2299s3z3z")  # four of a kind are not two pairs


def test_chanta():
    assert yaku("123m789m123p11z79s8s") == {"chanta": 2}
    assert yaku("123m123p11z79s8s", melds="pong 999m") == {"chanta": 1}
    assert yaku("123m789m123p11z68s7s") == {}, "678s has no terminal"
    assert yaku("123m789m123p99p79s8s").get("chanta") is None, "without honors it is junchan"


def test_junchan():
    assert yaku("123m789m123p99p79s8s") == {"junchan": 3}
    assert yaku("123m123p99p79s8s", melds="pong 111s") == {"junchan": 2}
    assert yaku("123m789m123p22p79s8s") == {}, "the pair is no terminal"


def test_honroutou():
    melds = ["pong 333z", "pong 444z"]
    assert yaku("11m999p99s9s", melds=melds) == {"toitoi": 2, "honroutou": 2}
    assert yaku("22m999p99s9s", melds=melds) == {"toitoi": 2}
    assert yaku("1199m1199p99s33z4z4z") == {"chiitoitsu": 2, "honroutou": 2}


def test_ittsu():
    assert yaku("123456m79m11z456p8m") == {"ittsu": 2}
    assert yaku("123m79m11z456p8m", melds="chow 456m") == {"ittsu": 1}
    assert yaku("123m79m11z456p8m", melds="chow 456s") == {}, "across suits"
    assert yaku("123m345m79m11z456p8m") == {}, "345m for 456m"


def test_sanshoku():
    assert yaku("123m123p13s11z456p2s") == {"sanshoku doujun": 2}
    assert yaku("123m13s11z456p2s", melds="chow 123p") == {"sanshoku doujun": 1}
    assert yaku("123m13s11z456p2s", melds="chow 234p") == {}


def test_sanshoku_doukou():
    assert yaku("222m22s11z789p2s", melds="pong 222p") == {"sanshoku doukou": 2}
    assert yaku("222m22s11z789p2s", melds="pong 333p") == {}


def test_sankantsu():
    melds = ["open kong 2222m", "closed kong 7777p", "added kong 9999s"]
    assert yaku("13s11z2s", melds=melds) == {"sankantsu": 2}
    assert yaku("13s11z2s", melds=[*melds[:2], "pong 999s"]) == {}


def test_toitoi():
    assert yaku("44m55p0p", melds=["pong 222m", "pong 777p", "pong 999s"]) == {"toitoi": 2, "akadora": 1}
    assert yaku("44m55p0p", melds=["pong 222m", "pong 777p", "chow 789s"]) == {}


def test_sanankou():
    assert yaku("222m777p999s13s11z2s") == {"sanankou": 2}
    assert yaku("222m777p99s345s11z9s") == {}, "the third is claimed"
    assert yaku("222m777p99s345s11z9s", tsumo=True) == {"menzen tsumo": 1, "sanankou": 2}
    assert yaku("777p999s13s11z2s", melds="closed kong 2222m") == {"sanankou": 2}
    assert yaku("222m777p999s11z", melds="chow 123s", win="1z") == {"sanankou": 2}, "an open run does no harm"
    assert yaku("222m777p999978s11z", win="9s") == {"sanankou": 2}, "the claimed tile may go to the run"


def test_shousangen():
    melds = ["pong 555z", "pong 666z"]
    assert yaku("123m456s77z", melds=melds, win="4s") == {"haku": 1, "hatsu": 1, "shousangen": 2}
    assert yaku("123m456s11z", melds=melds, win="4s") == {"haku": 1, "hatsu": 1}


def test_honitsu():
    assert yaku("123444m88m234m333z", win="8m") == {"honitsu": 3}
    assert yaku("123m88m234m333z", melds="pong 444m", win="8m") == {"honitsu": 2}
    assert yaku("123m88m234m333z", melds="pong 444p", win="8m") == {}
    assert yaku("1133m5577m99m33z4z4z", rules=Rules(red_fives=False)) == {"chiitoitsu": 2, "honitsu": 3}


def test_chinitsu():
    assert yaku("123444m88m234m678m", win="8m") == {"chinitsu": 6}
    assert yaku("123m88m234m678m", melds="pong 444m", win="8m") == {"chinitsu": 5}
    assert yaku("123444m88m234m678p", win="8m") == {}


def test_dora_is_no_yaku():
    scored = score("123m456p1199p9p", melds="chow 789s", indicators="8p")
    assert (scored.yaku, scored.points) == ({}, 0)


def test_dora_counts_beside_yaku():
    assert yaku("123m406p789s1199p9p", riichi=True, indicators="8p3z", ura_indicators="9s2s") == {
        "riichi": 1, "dora": 3, "akadora": 1,
    }  # fmt: skip
    assert yaku("123m406p789s1199p9p", riichi=True, indicators="8p8p", ura_indicators="9m") == {
        "riichi": 1, "dora": 6, "ura dora": 1, "akadora": 1,
    }  # fmt: skip
