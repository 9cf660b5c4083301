"""Each block on hand-made tables, written in notation."""

from __future__ import annotations

import pytest
from played import see

from simulator.game import Game
from simulator.record import (
    CHOW_LOW,
    CLOSED_KONG,
    DECLARE_RIICHI,
    DISCARD_DRAWN,
    DISCARD_RED,
    PASS,
    PHASE_CLAIM,
)
from simulator.rules import Rules
from simulator.tiles import parse_kinds
from suphx.features import layout

SELF, RIGHT, ACROSS, LEFT = range(4)


def discard(text: str) -> int:
    kind, red = parse_kinds(text)[0]
    return DISCARD_RED + kind // 9 if red else kind


def pass_claims(game: Game) -> None:
    while game.record["phase"] == PHASE_CLAIM:
        game.step(dict.fromkeys(game.seats_to_act, PASS))


def play(game: Game, *actions: int | str) -> Game:
    """Play actions of the seat at turn, claims let go in between; a tile is its discard, `-` that of the drawn tile."""
    for action in actions:
        pass_claims(game)
        game.step(action if isinstance(action, int) else DISCARD_DRAWN if action == "-" else discard(action))
    return game


#: Seat 0 deals and draws 6z.
HANDS = ["1110m234p56789s5z", "2479m1479p147s12z", "2479m2258p258s34z", "369m369p369s1234z"]


def deal(**fields) -> Game:
    return Game.from_hands(HANDS, "6z", "4s", **fields)


def test_own_hand_red_fives_and_drawn_tile() -> None:
    planes = see(deal(), 0)
    assert planes["hand.count"] == ["15m234p56789s56z", "1m", "1m", ""]
    assert planes["hand.red"] == ["5m"]
    assert planes["hand.drawn"] == ["6z"]
    assert planes.flags("hand.drawn_red") == [False]
    assert see(deal(), 1)["hand.drawn"] == [""]


def test_dora_and_what_is_left() -> None:
    planes = see(deal(), 0)
    assert planes["dora.indicator"] == ["4s", "", "", "", ""]
    assert planes["dora.count"] == ["5s", "", ""]
    assert planes.reached("dora.own") == 2  # 5s and the red 5m
    assert planes.reached("dora.unseen") == 3
    assert planes["dora.unseen_red"] == ["5p5s"]
    assert planes["tiles.open"] == ["4s", "", "", ""]
    left = planes["tiles.left"]
    assert "1m" not in left[1] and left[0].startswith("123456789m")
    assert left[3] == "2346789m156789p123s12347z"


def test_rivers_in_order_with_marks() -> None:
    game = play(deal(), "5z", "2z", "-")  # seat 2's draw is discarded as drawn
    planes = see(game, 3)
    order = planes["rivers.order"]
    places = layout.RIVER_PLACES
    assert order[RIGHT * places] == "5z" and order[ACROSS * places] == "2z"
    assert order[LEFT * places] and not order[SELF * places]
    hand = planes["rivers.from_hand"]
    assert hand[RIGHT * 3] == "5z" and hand[LEFT * 3] == ""
    assert planes["rivers.last"][RIGHT] == "5z"
    assert planes["rivers.last_from_hand"] == ["", "5z", "2z", ""]
    assert planes.flags("reading.streak") == [False] * 6 + [True, False, False]


def test_a_second_discard_of_a_kind_has_its_own_mark() -> None:
    game = deal()
    for _ in range(9):  # everyone discards what is drawn, but for seat 0's pair of white dragons
        if game.seats_to_act and game.record["turn"] == 0 and game.record["hand"][0][31]:
            play(game, "5z")
        play(game, "-")
    marks = see(game, 0)["rivers.from_hand"][:3]
    assert marks[0].endswith("5z") and marks[1:] == ["", ""]


def test_a_called_tile_and_the_meld_it_made() -> None:
    game = Game.from_hands(["2m19p19s1234567z1p", "34m0m406p119s1234z", "", ""], "9m", "9s", seed=3)
    play(game, "2m")
    game.step({1: CHOW_LOW, **{seat: PASS for seat in game.seats_to_act if seat != 1}})
    planes = see(game, 1)
    assert planes["melds.kinds"][0] == "234m" and planes["melds.red"][0] == ""
    assert planes["melds.from"][:3] == ["", "", "2m"]  # from right, across, left
    assert planes.flags("melds.open")[:4] == [True, False, False, False]
    assert planes["rivers.called"] == ["", "", "", "2m"]
    assert planes["legal.forbidden"] == ["25m"]
    assert planes.flags("legal.situation") == [False, False, True, False, False, False]
    assert planes["efficiency.waits"] == [""]
    other = see(game, 0)
    assert other["melds.kinds"][4 * RIGHT] == "234m"
    assert other["melds.from"][12 * RIGHT : 12 * RIGHT + 3] == ["2m", "", ""]  # from self, across, left
    assert other["reading.flush"] == ["123456789m1234567z", "", ""]
    assert other.flags("reading.simples") == [True, False, False]
    assert other.flags("reading.triplets") == [False] * 3
    assert not any(other.flags("legal.situation"))


def test_a_closed_kong_comes_from_nobody() -> None:
    game = Game.from_hands(["1111m234p567s9s12z", "", "", ""], "3z", "4s", replacements="5p", seed=5)
    play(game, CLOSED_KONG)
    planes = see(game, 0)
    assert planes["melds.kinds"][0] == planes["melds.kong"][0] == "1m"
    assert planes["melds.from"][:3] == ["", "", ""]
    assert not any(planes.flags("melds.open"))
    assert planes.flags("hand.replacement") == [True]
    assert planes.reached("wall.kongs") == 1 and planes.flags("wall.untouched") == [False]
    assert see(game, 1)["tiles.open"][3] == "1m"


def test_the_round_and_its_winds() -> None:
    game = Game.from_hands(HANDS, "6z", "4s", round=5, repeat_counter=2, bets=1, scores=[24000, 26000, 30000, 19000])
    planes = see(game, 0)  # seat 1 deals
    assert planes.flags("game.wind") == [False, True, False]
    assert planes.flags("game.number") == [False, True, False, False]
    assert planes.flags("game.dealer") == [False, True, False, False]
    assert planes["game.round_wind"] == ["2z"] and planes["game.seat_wind"] == ["4z"]
    assert planes["game.valued"] == ["24567z", "12567z", "2567z", "23567z"]
    assert planes.reached("game.repeat") == 2 and planes.reached("game.bets") == 1
    assert planes.reached("game.rounds_left") == 2
    assert planes.flags("game.target") == [True] and planes.flags("game.extra") == [False]
    east = see(Game.from_hands(HANDS, "6z", "4s", round=3, rules=Rules.tenhou_east()), 0)
    assert east.flags("game.east_only") == [True] and east.reached("game.rounds_left") == 0


def test_points_ranks_and_gaps() -> None:
    game = Game.from_hands(HANDS, "6z", "4s", scores=[25000, 37000, 25000, 13000])
    planes = see(game, 2)
    ranks = planes.flags("points.rank")
    assert [ranks[4 * seat : 4 * seat + 4].index(True) for seat in range(4)] == [2, 3, 1, 0]
    steps = len(layout.GAP_STEPS)
    gaps = planes.flags("points.gap")
    for rival, gap in enumerate((12000, 0, -12000)):
        assert gaps[rival * steps : (rival + 1) * steps] == [gap >= step for step in layout.GAP_STEPS]
    assert sum(planes.flags("points.of")[:10]) == sum(25000 >= step for step in layout.POINT_STEPS)


def test_what_a_win_overtakes() -> None:
    """7,800 behind the right; of equal points the seat nearer to the first dealer is ahead."""
    game = Game.from_hands(HANDS, "6z", "4s", round=2, scores=[25000, 32800, 17200, 25000])
    planes = see(game, 0)  # seat 2, across, deals
    wins = list(layout.WINS)

    def least(rival: int, way: int) -> str:
        first = (3 * rival + way) * len(wins)
        flags = planes.flags("points.pass")[first : first + len(wins)]
        return wins[flags.index(True)]

    assert least(0, 1) == "3 han 30 fu"  # 3,900 each way: equal, and seat 0 comes first
    assert least(0, 2) == "a mangan"
    assert least(0, 0) == "a mangan"  # 2,000 + 2,000 + 4,000 and 2,000 paid by the right: 10,000
    assert least(1, 0) == "1 han 30 fu"
    right = see(game, 1).flags("points.passed")[-len(layout.RIVAL_WINS) :]  # by the left, off self
    assert right == [False, True, True, True]


def test_riichi_ippatsu_and_where_it_was_declared() -> None:
    game = Game.from_hands(["123m456p789s1122z", "147m147p147s2567z", "", ""], "3z", "4s", seed=2)
    play(game, DECLARE_RIICHI, "-")
    pass_claims(game)
    planes = see(game, 1)
    assert planes.flags("riichi.declared") == [False, False, False, True]
    assert planes.flags("riichi.double") == [False, False, False, True]
    assert planes.flags("riichi.ippatsu") == [False, False, False, True]
    assert planes["rivers.riichi"] == ["", "", "", "3z"]
    assert "3z" in planes["safety.safe"][2]
    assert planes.reached("game.bets") == 1


def test_the_wall_and_who_draws_last() -> None:
    planes = see(deal(), 0)
    assert planes.reached("wall.left") == len(layout.WALL_STEPS)
    assert planes.flags("wall.last") == [False, True, False, False]  # 69 tiles: the right draws the first and the last


def test_efficiency_of_a_hand_to_discard_from() -> None:
    game = Game.from_hands(["123m456p78s1122z3z", "", "", ""], "9s", "4s", seed=2)
    planes = see(game, 0)
    assert planes.reached("efficiency.shanten") == len(layout.SHANTEN_STEPS)  # tenpai
    assert planes["efficiency.keep"] == ["3z"]
    assert planes["efficiency.accepted"] == ["12z"]
    assert planes["efficiency.best"] == ["3z", "", ""]
    assert planes["efficiency.best_accepted"] == ["12z", "", ""]
    assert planes["legal.riichi"] == ["3z"]
    assert sum(planes.flags("efficiency.tiles")) == 2  # four tiles
    assert planes["efficiency.yaku_discard"] == [""]  # a double wind for the dealer, but south is no yaku


@pytest.mark.parametrize(("wait", "worth"), [("1z", 4), ("2z", 0)])
def test_what_waits_are_worth_without_riichi(wait: str, worth: int) -> None:
    game = Game.from_hands(["123m456p78s1122z3z", "", "", ""], "9s", "7s", seed=2)
    values = see(game, 0)["efficiency.value_wait"]
    assert sum(wait[0] in value for value in values) == worth


def test_furiten_by_an_own_discard() -> None:
    game = Game.from_hands(["23m456p789s11222z", "", "", ""], "1m", "4s", seed=2)
    assert see(game, 0).flags("efficiency.complete") == [True]
    assert see(game, 0)["efficiency.furiten_discards"] == ["123m456p789s12z"]  # each is its own wait
    play(game, "-")
    planes = see(game, 0)
    assert planes["efficiency.waits"] == ["14m"]
    assert planes.flags("efficiency.furiten") == [True, False, False]


def test_legal_actions_of_a_claim() -> None:
    game = Game.from_hands(["2m19p19s1234567z1p", "34m0m406p119s1234z", "22m", ""], "9m", "9s", seed=3)
    play(game, "2m")
    planes = see(game, 1)
    assert planes.flags("legal.situation")[3]
    assert planes["legal.open_tile"] == ["2m"] and planes.flags("legal.open_from") == [False, False, True]
    assert planes.flags("legal.chow") == [True, False, False]
    assert planes.flags("legal.pong") == [False]
    other = see(game, 2)
    assert other.flags("legal.pong") == [True] and other.flags("legal.open_from") == [False, True, False]
