"""Abortive draws: each of them, when not, and with its switch off. The triple ron is in test_several_wins.py."""

import pytest
from table import Scene

from simulator.rules import Rules

CALLER = "55z147m28p147s123z"
NINE = "19m19p19s123z46m46p"


@pytest.mark.parametrize(
    ("hand", "drawn", "may"),
    [
        (NINE, "5s", True),
        ("19m19p19s12z46m46p5s", "3z", True),  # the ninth with the first draw
        ("1199m19p19s12z46m5s", "6s", False),  # eight kinds
        ("119m1999p119s112z", "2z", False),  # thirteen tiles of eight kinds
    ],
)
def test_nine_kinds_of_terminals_and_honors(hand, drawn, may):
    assert ("abort" in Scene({1: hand}, {1: drawn}).to_turn(1).options(1)) == may


def test_nine_terminals_end_the_round_and_the_dealer_deals_again():
    scene = Scene({1: NINE}, bets=1, repeat_counter=2).play("1 abort")
    assert (scene.how, scene.deltas) == ("nine terminals", [0, 0, 0, 0])
    assert (scene.bets, scene.next_round) == (1, (0, 3))


def test_nine_terminals_not_after_the_own_first_discard():
    assert "abort" not in Scene({1: NINE}).play("1 discard 4m").to_turn(1).options(1)


def test_nine_terminals_not_after_a_call_or_kong():
    scene = Scene({2: NINE, 1: CALLER}, {0: "5z"}).play("0 discard 5z", "1 pong", "1 discard 7s")
    assert "abort" not in scene.to_turn(2).options(2)
    scene = Scene({1: NINE, 0: "2222m68m28p147s67z"}).play("0 closed kong 2m")
    assert "abort" not in scene.to_turn(1).options(1)


def test_nine_terminals_off():
    assert "abort" not in Scene({1: NINE}, rules=Rules(abort_nine_terminals=False)).to_turn(1).options(1)


def winds(*tiles, hands=None, **scene):
    """Return a scene in which each seat has discarded the tile it drew first."""
    draws = dict(enumerate(tiles))
    return Scene(hands, draws, **scene).play(*(f"{seat} discard {tile}" for seat, tile in draws.items()))


def test_four_first_discards_of_the_same_wind():
    scene = winds("3z", "3z", "3z", "3z", bets=1)
    assert (scene.how, scene.bets, scene.next_round) == ("four winds", 1, (0, 1))


@pytest.mark.parametrize("tiles", [("3z", "3z", "3z", "4z"), ("5z", "5z", "5z", "5z"), ("1m", "1m", "1m", "1m")])
def test_four_other_first_discards_do_not(tiles):
    assert winds(*tiles).ended is None


def test_four_winds_only_in_the_first_turn():
    draws = dict.fromkeys(range(4), "2m 3z")
    scene = Scene(None, draws).play(*(f"{seat} discard 2m" for seat in range(4)))
    assert scene.play(*(f"{seat} discard 3z" for seat in range(4))).ended is None


def test_four_winds_not_after_a_kong():
    hands = {0: "2222m68m28p147s67z"}
    scene = Scene(hands, {0: "4m", 1: "3z", 2: "3z", 3: "3z"}, replacements="3z").play("0 closed kong 2m")
    assert scene.play("0 discard 3z", "1 discard 3z", "2 discard 3z", "3 discard 3z").ended is None


def test_four_winds_keep_the_bet_of_a_riichi_on_the_last_of_them():
    hands = {3: "234m567p55p23467s"}
    scene = Scene(hands, dict.fromkeys(range(4), "3z")).play("0 discard 3z", "1 discard 3z", "2 discard 3z")
    scene.play("3 riichi 3z")
    assert (scene.how, scene.bets, scene.scores[3]) == ("four winds", 1, 24000)


def test_four_winds_off():
    assert winds("3z", "3z", "3z", "3z", rules=Rules(abort_four_winds=False)).ended is None


#: Everybody waits for 6s.
RIICHI = {0: "123m456m789m11p57s", 1: "123p456p789p44z57s", 2: "123m456m789m22z57s", 3: "123p456p789p33z07s"}
RIICHI_DRAWS = {0: "5z", 1: "6z", 2: "7z", 3: "5z"}
RIICHI_STEPS = ("0 riichi 5z", "1 riichi 6z", "2 riichi 7z")


def test_fourth_riichi_ends_the_round_once_its_discard_has_passed():
    scene = Scene(RIICHI, RIICHI_DRAWS, bets=1).play(*RIICHI_STEPS)
    assert scene.ended is None
    scene.play("3 riichi 5z")
    assert (scene.how, scene.bets, scene.next_round) == ("four riichi", 5, (0, 1))
    assert scene.scores == [24000] * 4


def test_fourth_riichi_may_be_won_on():
    scene = Scene(RIICHI, {**RIICHI_DRAWS, 3: "6s"}).play(*RIICHI_STEPS, "3 riichi 6s", "0 pass", "1 ron", "2 pass")
    assert scene.winners == [1]
    assert scene.won(1).deltas[1] == scene.won(1).points + 3000  # three bets: the fourth was not paid


def test_four_riichi_off():
    scene = Scene(RIICHI, RIICHI_DRAWS, rules=Rules(abort_four_riichi=False)).play(*RIICHI_STEPS, "3 riichi 5z")
    assert (scene.how, scene.bets) == ("exhaustive draw", 4)  # all went on to discard what they drew


FOUR_KONGS = {0: "1111m2222m14p258s", 1: "3333m7777m14p258s"}
KONGS = ("0 closed kong 1m", "0 closed kong 2m", "0 discard 8s", "1 closed kong 3m", "1 closed kong 7m")


def test_fourth_kong_ends_the_round_once_the_next_discard_has_passed():
    scene = Scene(FOUR_KONGS, bets=1).play(*KONGS)
    assert scene.ended is None
    scene.play("1 discard 4p")
    assert (scene.how, scene.bets, scene.next_round) == ("four kongs", 1, (0, 1))


def test_discard_after_the_fourth_kong_may_be_won_on_but_not_called():
    hands = {**FOUR_KONGS, 2: "456m23p567p34566s", 3: "44p588m369s12356z"}
    scene = Scene(hands).play(*KONGS, "1 discard 4p")
    assert scene.options(2) == {"ron", "pass"}  # no chow
    assert scene.options(3) == set()  # no pong
    assert scene.play("2 ron").winners == [2]


def test_replacement_of_the_fourth_kong_may_win():
    hands = {**FOUR_KONGS, 1: "3333m7777m44p23s5z"}
    scene = Scene(hands, {1: "5z"}, replacements="9s 9s 5z 4s").play(*KONGS, "1 tsumo")
    assert scene.winners == [1]


def test_four_kongs_of_one_seat_do_not_end_the_round():
    hands = {1: "111m333m777m444p5s", 2: "5555z69m69p69s123z"}
    scene = Scene(hands, {1: "1m"}, replacements="3m 7m 4p 9s")
    scene.play("1 closed kong 1m", "1 closed kong 3m", "1 closed kong 7m", "1 closed kong 4p", "1 discard 9s")
    assert scene.ended is None
    assert "closed kong 5z" not in scene.to_turn(2).options(2)  # a fifth kong there is not


def test_four_kongs_off_still_allow_no_fifth():
    hands = {**FOUR_KONGS, 2: "5555z69m69p69s123z"}
    scene = Scene(hands, rules=Rules(abort_four_kongs=False)).play(*KONGS, "1 discard 4p")
    assert scene.ended is None
    assert "closed kong 5z" not in scene.to_turn(2).options(2)
