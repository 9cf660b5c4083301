"""The layout of the planes: each plane has an index, a name, a meaning and a range; the layout has a version.

A plane is a set of kinds (bit k: kind k) in a uint64. Anything that is not a set of kinds is encoded with planes of all
ones or all zeros: one plane for a yes or no, one per step ("at least 4") for a number.

The encoders look up the indices they write to here (`start`), so that they are defined only once; the page
about features is generated from this module, and weights carry `VERSION`. Seats are always relative to the
position's: self, right (the next in turn), across, left.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence

from suphx.features.layout_calls import CALL_GROUPS, ORACLE_GROUPS, VALUED_STEPS
from suphx.features.layout_groups import COUNTS, FLAG, ONE, RIVALS, SEATS, SET, Group, Plane, group, steps

#: Change it (add 1) when an encoder sets other bits, or a plane means something else, while keys and numbers of planes
#: stay the same. With the present value the first layout keeps the version by which all weights so far name it.
REVISION = 0x6AD03B65F522
#: The same for the oracle's own block.
ORACLE_REVISION = 0x5369C779BE90

#: The numbers of planes in the paper's Table 2: for discard and riichi; for chow, pong and kong.
PLANES, CALL_PLANES = 838, 958

# The steps of numbers. A plane is set where the number is at least the step, unless its name says otherwise.
RIVER_PLACES = 22  # the last place also holds all later discards
MELD_PLACES = 4
OWN_DORA_STEPS = steps(1, 2, 3, 4, 5, 6, 8)
UNSEEN_DORA_STEPS = steps(1, 2, 3, 4, 6)
REPEAT_STEPS = steps(1, 2, 3, 4, 6)
BET_STEPS = steps(1, 2, 3, 4)
ROUNDS_LEFT_STEPS = steps(1, 2, 3, 4, 5, 6, 7)
WALL_STEPS = steps(1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 36, 40, 48, 56, 64)
POINT_STEPS = steps(1_000, 5_000, 10_000, 15_000, 20_000, 25_000, 30_000, 35_000, 40_000, 50_000)
GAP_STEPS = steps(
    -24_000, -16_000, -12_000, -8_000, -4_000, -2_000, -1_000, 0,
    1_000, 2_000, 4_000, 8_000, 12_000, 16_000, 24_000,
)  # fmt: skip
#: The sizes of win considered for overtaking, as (han, fu); limit hands by their han.
WINS = {
    "1 han 30 fu": (1, 30), "2 han 30 fu": (2, 30), "3 han 30 fu": (3, 30),
    "a mangan": (5, 30), "a haneman": (6, 30), "a baiman": (8, 30), "a yakuman": (13, 30),
}  # fmt: skip
RIVAL_WINS = ("2 han 30 fu", "3 han 30 fu", "a mangan", "a haneman")
RIICHI_PLACE_STEPS = steps(5, 9, 13)
SHANTEN_STEPS = steps(0, 1, 2, 3, 4, 5)
FORM_SHANTEN_STEPS = steps(0, 1, 2, 3)
ACCEPTED_STEPS = steps(1, 4, 8, 12, 16, 20, 24, 32, 40, 56)
BACK_STEPS = steps(8, 16, 24, 32, 48, 64)
BEST_DISCARDS = 3
VALUE_STEPS = steps(1_000, 2_000, 3_900, 7_700, 12_000, 16_000)
LINE_STEPS = steps(5, 9, 13)
SAFE_STEPS = steps(1, 2, 3, 5)
VISIBLE_HAN_STEPS = steps(1, 2, 3, 4, 5)
STREAK_STEPS = steps(1, 3, 5)

# The look-ahead's axes (see `lookahead.py`).
LOOKAHEAD_TILES = (1, 2, 3)
LOOKAHEAD_POINTS = (1_000, 2_000, 3_900, 5_200, 8_000, 12_000, 16_000, 24_000, 32_000)
LOOKAHEAD_ANSWERS = ("can be", "is 1/16 likely", "is 1/4 likely", "is 1/2 likely")

_HAND = [
    group("hand.count", SET, "own >= {n}", "kinds held at least {n} times, concealed", n=COUNTS),
    group("hand.red", SET, "own red fives", "fives whose red tile is held concealed"),
    group("hand.drawn", ONE, "drawn", "the tile just drawn"),
    group("hand.drawn_red", FLAG, "drawn is red", "the tile just drawn is a red five"),
    group("hand.replacement", FLAG, "drawn is a replacement", "the tile just drawn came after a kong"),
]

_MELDS = [
    group("melds.kinds", SET, "{seat} meld {n}", "kinds in the {n}. meld of {seat}: three of a chow, one of another",
          seat=SEATS, n=COUNTS),
    group("melds.kong", ONE, "{seat} meld {n} kong", "its kind, if it is a kong", seat=SEATS, n=COUNTS),
    group("melds.red", ONE, "{seat} meld {n} red", "the five that is red in it", seat=SEATS, n=COUNTS),
    group("melds.from", ONE, "{seat} meld {n} from {source}", "the called kind, if {source} gave it",
          seat=SEATS, n=COUNTS, source=SEATS),
    group("melds.added", SET, "{seat} added kongs", "kinds of kongs that were a pong before", seat=SEATS),
    group("melds.open", FLAG, "{seat} open melds >= {n}", "melds that open the hand: all but closed kongs",
          seat=SEATS, n=COUNTS),
]  # fmt: skip

_RIVERS = [
    group("rivers.order", SET, "{seat} discard {n}", "the {n}. discard of {seat}, called ones included (the last of "
          "these planes: and all later ones)", seat=SEATS, n=range(1, RIVER_PLACES + 1)),
    group("rivers.from_hand", SET, "{seat} {copy} from hand",
          "kinds of which the {copy} discard of {seat} was from the hand, not the tile just drawn",
          seat=SEATS, copy=("first", "second", "third or fourth")),
    group("rivers.riichi", ONE, "{seat} riichi discard", "the kind discarded with the declaration", seat=SEATS),
    group("rivers.called", SET, "{seat} called away", "kinds of discards that others called", seat=SEATS),
    group("rivers.red", SET, "{seat} red discards", "fives whose red tile was discarded", seat=SEATS),
    group("rivers.last", ONE, "{seat} last discard", "the kind discarded last", seat=SEATS),
    group("rivers.last_from_hand", ONE, "{seat} last from hand", "the kind discarded last from the hand", seat=SEATS),
]  # fmt: skip

_DORA = [
    group("dora.indicator", ONE, "indicator {n}", "the {n}. dora indicator", n=range(1, 6)),
    group("dora.count", SET, "dora >= {n}", "kinds that count as dora at least {n} times", n=(1, 2, 3)),
    group("dora.own", FLAG, "own dora >= {n}", "han of dora and red fives in the own hand and melds", n=OWN_DORA_STEPS),
    group("dora.unseen", FLAG, "unseen dora >= {n}", "tiles not seen that are dora by an indicator",
          n=UNSEEN_DORA_STEPS),
    group("dora.unseen_red", SET, "unseen red fives", "fives whose red tile has not been seen"),
]  # fmt: skip

_TILES = [
    group("tiles.left", SET, "left >= {n}", "kinds of which at least {n} tiles have not been seen", n=COUNTS),
    group("tiles.open", SET, "open >= {n}", "kinds of which at least {n} lie open to all: rivers, melds, indicators",
          n=COUNTS),
]  # fmt: skip

_GAME = [
    group("game.east_only", FLAG, "East only", "the game is over after East, not South"),
    group("game.red_fives", FLAG, "red fives", "there is a red five in each suit"),
    group("game.open_tanyao", FLAG, "open tanyao", "all simples counts with an open hand"),
    group("game.wind", FLAG, "{wind} round", "the wind of the round", wind=("East", "South", "West")),
    group("game.number", FLAG, "round {n} of its wind", "the number of the round within its wind", n=COUNTS),
    group("game.dealer", FLAG, "dealer {seat}", "who deals; with it all seats' winds", seat=SEATS),
    group("game.round_wind", ONE, "round wind", "the wind of the round, as a tile"),
    group("game.seat_wind", ONE, "own wind", "the own wind, as a tile"),
    group("game.valued", SET, "valued for {seat}", "kinds whose triplet is a yaku for {seat}", seat=SEATS),
    group("game.repeat", FLAG, "repeat counter >= {n}", "honba", n=REPEAT_STEPS),
    group("game.bets", FLAG, "bets >= {n}", "riichi bets on the table", n=BET_STEPS),
    group("game.rounds_left", FLAG, "rounds left >= {n}", "rounds to come by the plan, repeats not counted; none set: "
          "the last one, or extra time", n=ROUNDS_LEFT_STEPS),
    group("game.target", FLAG, "target reached", "someone has the points that the game can end on time with"),
    group("game.extra", FLAG, "extra time", "a wind after those of the plan, since nobody reached the target"),
]  # fmt: skip

_POINTS = [
    group("points.of", FLAG, "{seat} points >= {n:,}", "points of {seat}", seat=SEATS, n=POINT_STEPS),
    group("points.rank", FLAG, "{seat} is rank {n}", "rank now; of equals the nearer to the first dealer is ahead",
          seat=SEATS, n=COUNTS),
    group("points.gap", FLAG, "gap to {rival} >= {n:,}", "own points less those of {rival}", rival=RIVALS,
          n=GAP_STEPS),
    group("points.pass", FLAG, "{win} {way} is ahead of {rival}",
          "after an own win of that size {way}, bets and repeat counter included, self ranks before {rival}",
          rival=RIVALS, way=("by tsumo", "off them", "off another"), win=WINS),
    group("points.passed", FLAG, "{rival} with {win} {way} is ahead",
          "after a win of {rival} of that size {way}, bets and repeat counter included, {rival} ranks before self",
          rival=RIVALS, way=("by tsumo", "off self"), win=RIVAL_WINS),
]  # fmt: skip

_RIICHI = [
    group("riichi.declared", FLAG, "{seat} riichi", "has declared riichi", seat=SEATS),
    group("riichi.double", FLAG, "{seat} double riichi", "... in the uninterrupted first turn", seat=SEATS),
    group("riichi.ippatsu", FLAG, "{seat} ippatsu", "a win of {seat} now would be ippatsu", seat=SEATS),
    group("riichi.place", FLAG, "{seat} riichi on discard >= {n}", "which of the discards declared it",
          seat=RIVALS, n=RIICHI_PLACE_STEPS),
]  # fmt: skip

_WALL = [
    group("wall.left", FLAG, "wall >= {n}", "tiles that can still be drawn from the live wall", n=WALL_STEPS),
    group("wall.last", FLAG, "{seat} draws last", "who draws the last tile, if nobody calls from now on", seat=SEATS),
    group("wall.kongs", FLAG, "kongs >= {n}", "kongs made by all", n=COUNTS),
    group("wall.untouched", FLAG, "uninterrupted", "no call or kong has been made in this round"),
]

_HAND_VALUE = "points of a ron, without riichi unless already declared, dora counted"
_EFFICIENCY = [
    group("efficiency.shanten", FLAG, "shanten <= {n}", "shanten of the hand (with a tile to discard: at best)",
          n=SHANTEN_STEPS),
    group("efficiency.complete", FLAG, "complete", "the drawn or the open tile completes the hand, yaku or not"),
    group("efficiency.pairs", FLAG, "seven pairs shanten <= {n}", "shanten of seven pairs alone", n=FORM_SHANTEN_STEPS),
    group("efficiency.orphans", FLAG, "thirteen orphans shanten <= {n}", "shanten of thirteen orphans alone",
          n=FORM_SHANTEN_STEPS),
    group("efficiency.waits", SET, "waits", "kinds that complete the hand without its drawn tile, if it is tenpai"),
    group("efficiency.accepted", SET, "accepted", "kinds that lower the shanten (with a tile to discard: after any "
          "discard that keeps it)"),
    group("efficiency.tiles", FLAG, "accepted tiles >= {n}", "unseen tiles that lower the shanten (with a tile to "
          "discard: after the discard that leaves most)", n=ACCEPTED_STEPS),
    group("efficiency.keep", SET, "keeps shanten", "kinds whose discard keeps the shanten"),
    group("efficiency.back", SET, "one back", "kinds whose discard costs one shanten"),
    group("efficiency.keep_tiles", SET, "keeps shanten, accepts >= {n}",
          "... of which the hand then accepts at least {n} unseen tiles", n=ACCEPTED_STEPS),
    group("efficiency.back_tiles", SET, "one back, accepts >= {n}", "discards that cost one shanten, after which the "
          "hand accepts at least {n} unseen tiles", n=BACK_STEPS),
    group("efficiency.best", ONE, "best discard {n}", "of those that keep the shanten the one that accepts the {n}. "
          "most tiles; of equals the higher kind", n=range(1, BEST_DISCARDS + 1)),
    group("efficiency.best_accepted", SET, "accepted after best discard {n}", "kinds that lower the shanten then",
          n=range(1, BEST_DISCARDS + 1)),
    group("efficiency.furiten_discards", SET, "leaves furiten", "discards that leave the hand tenpai and furiten"),
    group("efficiency.furiten", FLAG, "furiten by {cause}", "no ron: {cause}",
          cause=("an own discard", "a win let go this turn", "a win let go in riichi")),
    group("efficiency.value_discard", SET, "tenpai discard worth >= {n:,}",
          f"discards that leave the hand tenpai, by its best wait: {_HAND_VALUE}", n=VALUE_STEPS),
    group("efficiency.yaku_discard", SET, "tenpai discard with a yaku on each wait",
          "discards that leave the hand tenpai such that a ron on every wait is possible without riichi"),
    group("efficiency.value_wait", SET, "wait worth >= {n:,}",
          f"waits of the hand (with a tile to discard: after best discard 1): {_HAND_VALUE}", n=VALUE_STEPS),
]  # fmt: skip

_SAFETY = [
    group("safety.safe", SET, "safe from {rival}", "kinds that {rival} cannot claim a win on: own discards, and what "
          "others discarded since its riichi or its last discard", rival=RIVALS),
    group("safety.suji", SET, "suji of {rival}", "kinds that no two-sided wait of {rival} can hold, by the kinds safe "
          "from it", rival=RIVALS),
    group("safety.half_suji", SET, "half suji of {rival}", "4, 5, 6 of which one of two two-sided waits is ruled out "
          "so", rival=RIVALS),
    group("safety.below", SET, "two-sided from below by {rival}", "kinds that the two kinds below may wait for, by "
          "safe kinds and tiles left", rival=RIVALS),
    group("safety.above", SET, "two-sided from above by {rival}", "... the two kinds above", rival=RIVALS),
    group("safety.outside", SET, "outside early of {rival}", "suit tiles on the outer side of the first five "
          "discards 2-4 and 6-8", rival=RIVALS),
    group("safety.lines", FLAG, "{rival} open lines >= {n}", "of the 18 lines 1-4 to 6-9 those without a kind safe "
          "from {rival}", rival=RIVALS, n=LINE_STEPS),
    group("safety.own", FLAG, "own safe tiles from {rival} >= {n}", "concealed tiles that are safe from {rival}",
          rival=RIVALS, n=SAFE_STEPS),
    group("safety.no_chance", SET, "no chance", "suit kinds that no two-sided wait can hold, by tiles left"),
    group("safety.one_chance", SET, "one chance", "... only one that takes the last unseen tile of a kind"),
    group("safety.no_wait", SET, "no wait", "kinds that no ordinary wait can hold, by tiles left"),
    group("safety.all", SET, "safe from all", "kinds safe from all three"),
    group("safety.riichi", SET, "safe from riichi", "kinds safe from everyone in riichi; none without a riichi"),
    group("safety.riichi_own", FLAG, "own tiles safe from riichi >= {n}", "concealed tiles among those", n=SAFE_STEPS),
]  # fmt: skip

_READING = [
    group("reading.flush", SET, "{rival} flush", "kinds of the flushes that the open melds of {rival} still allow; "
          "none without an open meld", rival=RIVALS),
    group("reading.yaku", FLAG, "{rival} valued melds >= {n}", "han of triplets that are a yaku by themselves",
          rival=RIVALS, n=VALUED_STEPS),
    group("reading.triplets", FLAG, "{rival} all triplets", "open, and no chow among the melds", rival=RIVALS),
    group("reading.simples", FLAG, "{rival} all simples", "open, and no terminal or honor in the melds",
          rival=RIVALS),
    group("reading.outside", FLAG, "{rival} outside hand", "open, and a terminal or honor in every meld",
          rival=RIVALS),
    group("reading.han", FLAG, "{rival} visible han >= {n}", "dora, red fives and valued triplets in the melds",
          rival=RIVALS, n=VISIBLE_HAN_STEPS),
    group("reading.streak", FLAG, "{rival} drawn discards in a row >= {n}", "since the last discard from the hand",
          rival=RIVALS, n=STREAK_STEPS),
]  # fmt: skip

_LEGAL = [
    group("legal.situation", FLAG, "asked: {what}", "the decision that is due for self; none set: none",
          what=("turn", "riichi discard", "discard after a call", "claim", "claim of a kong", "stop")),
    group("legal.discard", SET, "may discard", "kinds that may be discarded, in whatever way"),
    group("legal.red", SET, "may discard red", "fives whose red tile may be discarded (unless it was just drawn)"),
    group("legal.forbidden", SET, "forbidden", "kinds that may not be discarded now (swap-calling)"),
    group("legal.riichi", SET, "riichi discards", "kinds that may be discarded with a riichi declared now"),
    group("legal.chow", FLAG, "may chow {place}", "with the open tile {place} in the run",
          place=("low", "middle", "high")),
    group("legal.pong", FLAG, "may pong", "the open tile"),
    group("legal.open_kong", FLAG, "may open kong", "the open tile"),
    group("legal.closed_kong", SET, "may closed kong", "kinds"),
    group("legal.added_kong", SET, "may added kong", "kinds"),
    group("legal.draw_win", FLAG, "may tsumo", "win on the tile just drawn"),
    group("legal.claim_win", FLAG, "may ron", "win on the open tile"),
    group("legal.nine_terminals", FLAG, "may abort", "by nine terminals"),
    group("legal.open_tile", ONE, "open tile", "the discard or kong tile that may be claimed"),
    group("legal.open_red", FLAG, "open tile is red", "it is a red five"),
    group("legal.open_from", FLAG, "open tile from {seat}", "who has discarded it", seat=RIVALS),
]  # fmt: skip

_LOOKAHEAD = [
    group("lookahead.points", SET, "{n:,} in {tiles} {answer}",
          "discards after which a win of at least {n:,} points {answer} with {tiles} tiles drawn, exactly (without a "
          "discard to come: which of the tiles drawn lead to it); with a proposed call: after it",
          tiles=LOOKAHEAD_TILES, n=LOOKAHEAD_POINTS, answer=LOOKAHEAD_ANSWERS),
]  # fmt: skip

GROUPS: list[Group] = [
    *_HAND, *_MELDS, *_RIVERS, *_DORA, *_TILES, *_GAME, *_POINTS, *_RIICHI, *_WALL, *_EFFICIENCY, *_SAFETY, *_READING,
    *_LEGAL, *_LOOKAHEAD,
]  # fmt: skip


def _planes(groups: Sequence[Group]) -> tuple[Plane, ...]:
    return tuple(plane for each in groups for plane in each.planes)


#: The planes of a position, of a position with a proposed call, and of the oracle's separate block.
LAYOUT = _planes(GROUPS)
CALL_LAYOUT = LAYOUT + _planes(CALL_GROUPS)
ORACLE_LAYOUT = _planes(ORACLE_GROUPS)
ORACLE_PLANES = len(ORACLE_LAYOUT)
assert (len(LAYOUT), len(CALL_LAYOUT)) == (PLANES, CALL_PLANES)


def _starts() -> dict[str, int]:
    places: dict[str, int] = {}
    for groups in (GROUPS + CALL_GROUPS, ORACLE_GROUPS):
        place = 0
        for each in groups:
            places[each.key] = place
            place += len(each.planes)
    return places


_STARTS = _starts()


def start(key: str) -> int:
    """Return the index of the first plane of a group; raise KeyError for an unknown key.

    Indices of the oracle's groups count from the first plane of its own block.
    """
    return _STARTS[key]


def places_of(names: Iterable[str]) -> list[int]:
    """Return the indices of the planes of groups (`rivers.order`) or blocks (`rivers`); raise KeyError for others."""
    places: list[int] = []
    for name in names:
        groups = [each for each in GROUPS + CALL_GROUPS if name in (each.key, each.block)]
        if not groups:
            raise KeyError(name)
        places += [start(each.key) + n for each in groups for n in range(len(each.planes))]
    return places


def version_of(groups: Iterable[Group], revision: int) -> str:
    """Return the version of a layout: the keys and sizes of its groups, in order, hashed to 48 bits, XOR the revision.

    The words about planes have no part in it, so that they can be corrected.
    """
    sizes = json.dumps([[each.key, len(each.planes)] for each in groups])
    return f"{int(hashlib.sha256(sizes.encode()).hexdigest()[:12], 16) ^ revision:012x}"


#: The version stored with weights, naming the layout they were trained on. The oracle's block has its own.
VERSION = version_of(GROUPS + CALL_GROUPS, REVISION)
ORACLE_VERSION = version_of(ORACLE_GROUPS, ORACLE_REVISION)
