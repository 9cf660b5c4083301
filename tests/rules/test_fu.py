"""Fu: what the parts of a hand are worth, rounded up to tens."""

import pytest

from simulator.rules import Rules
from simulator.scoring.hands import score


def fu(hand, **how):
    return score(hand, **how).fu


def test_pinfu_by_draw_is_20():
    assert fu("123m456p789s22p34s5s", tsumo=True) == 20


def test_pinfu_by_claim_is_30():
    assert fu("123m456p789s22p34s5s") == 30


def test_open_hand_without_fu_is_30():
    assert fu("234m456p22p34s5s", melds="chow 678s") == 30
    assert fu("234m456p22p34s5s", melds="chow 678s", tsumo=True) == 30


def test_seven_pairs_is_25():
    assert fu("1133m5577p2299s3z3z") == 25
    assert fu("1133m5577p2299s3z3z", tsumo=True) == 25


def test_closed_hand_by_claim_adds_10():
    assert fu("123m456p789s22p35s4s", riichi=True) == 40  # 20 + 10 + 2
    assert fu("234m456p22p35s4s", melds="chow 678s") == 30  # 20 + 2


def test_draw_adds_2():
    assert fu("123m456p789s22p35s4s", tsumo=True) == 30  # 20 + 2 + 2


def test_narrow_waits_are_worth_2():
    # 20, a claimed pong of honors 4, a closed kong of simples 16: 40 with nothing else, 50 with anything more.
    melds = ["pong 555z", "closed kong 2222m"]
    assert fu("22p456m67s8s", melds=melds) == 40
    assert fu("22p456m68s7s", melds=melds) == 50
    assert fu("22p456m12s3s", melds=melds) == 50
    assert fu("22p456m89s7s", melds=melds) == 50
    assert fu("2p456m678s2p", melds=melds) == 50


@pytest.mark.parametrize(
    ("meld", "worth"),
    [
        ("pong 222m", 2), ("pong 999m", 4), ("pong 333z", 4), ("open kong 2222m", 8), ("added kong 2222m", 8),
        ("open kong 9999m", 16), ("added kong 3333z", 16), ("closed kong 2222m", 16), ("closed kong 9999m", 32),
        ("closed kong 3333z", 32),
    ],
)  # fmt: skip
def test_melds(meld, worth):
    # 20 and a pong of dragons 4; a pair wait adds 2 where that tells more apart.
    for hand, rest in (("22p456m67s8s", 24), ("2p456m678s2p", 26)):
        assert fu(hand, melds=["pong 555z", meld]) == -(-(rest + worth) // 10) * 10


@pytest.mark.parametrize(("triplet", "worth"), [("222m", 4), ("999m", 8), ("333z", 8)])
def test_concealed_triplets(triplet, worth):
    for melds, rest in ((["pong 555z", "chow 123s"], 24), (["open kong 5555z", "chow 123s"], 36)):
        assert fu(f"22p{triplet}67s8s", melds=melds, win="8s") == -(-(rest + worth) // 10) * 10


def test_triplet_completed_by_claim_counts_open():
    melds = ["pong 555z", "chow 123s"]  # 24, the triplet of terminals 4 by ron, 8 and tsumo 2
    assert fu("22p456s99m9m", melds=melds) == 30
    assert fu("22p456s99m9m", melds=melds, tsumo=True) == 40


@pytest.mark.parametrize(
    ("pair", "worth"), [("5z", 2), ("6z", 2), ("7z", 2), ("2z", 2), ("1z", 2), ("3z", 0), ("4z", 0), ("9m", 0)]
)
def test_pairs(pair, worth):
    # Seat South, round East. 20, a closed kong of simples 16, a pong of terminals 4: 40 with nothing else.
    melds = ["closed kong 2222m", "pong 999p", "chow 678s"]
    assert fu(f"{pair}{pair}67m8m", melds=melds, last_tile=True) == (50 if worth else 40)


def test_double_wind_pair():
    how = {"melds": ["closed kong 2222m", "pong 333p", "chow 678s"], "seat_wind": "East", "last_tile": True}
    assert fu("11z67m8m", **how) == 50  # 20 + 16 + 2 + 4
    assert fu("11z67m8m", **how, rules=Rules(double_wind_fu=2)) == 40


def test_three_closed_kongs():
    melds = ["closed kong 1111m", "closed kong 9999p", "closed kong 3333z"]
    assert fu("23s55z4s", melds=melds) == 130  # 30 + 3 * 32 + 2


def test_yakuman_hands_keep_their_fu():
    assert fu("222m777p99s33344z9s", tsumo=True) == 50  # 20 + 2 + 4 + 4 + 8 + 8, as Tenhou prints it
    assert fu("1122334455667z7z") == 25
    assert fu("19m19p19s12345677z", tsumo=True) == 0
