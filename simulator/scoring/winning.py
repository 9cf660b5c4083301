"""The value of a winning hand: its readings, yaku, fu and yakuman (compiled).

A *reading* divides the concealed tiles into runs, triplets and a pair. Going up from the lowest tile and taking a
triplet wherever there is one finds a reading if there is any; every other reading with the same pair follows from it by
turning three consecutive triplets into three equal runs. Only three kinds of a suit can be the pair: runs and triplets
add up to a multiple of three, so the sum of the suit's numbers determines the pair's number modulo 3.

Within a reading, the best place for the winning tile needs no search. Pinfu beats the two fu of a narrow wait; a narrow
wait beats a two-sided one; a triplet, which would no longer count as concealed when won by ron, comes last.
"""

from typing import NamedTuple

import numpy as np

from simulator.jit import jit
from simulator.scoring import yaku as y
from simulator.scoring.blocks import bit_count, count_tiles, meld_facts, split_suit, winning_runs
from simulator.scoring.payments import base_points
from simulator.tiles import DRAGONS, EAST, HONORS, TERMINALS, TERMINALS_AND_HONORS, WHITE, WINDS

# How the hand was won: the flags of `situation`.
TSUMO = 1  # self-draw; otherwise ron
RIICHI = 2
DOUBLE_RIICHI = 4  # counts instead of RIICHI
IPPATSU = 8
LAST_TILE = 16  # the last tile of the live wall (haitei), or the discard after it (houtei)
REPLACEMENT = 32  # a kong's replacement (rinshan); it is never also the last tile of the live wall
ROBBED_KONG = 64
FIRST_TURN = 128  # the winner's uninterrupted first draw: blessing of heaven for the dealer, of earth for others

_SUIT = 0b111111111
_GREEN = sum(1 << kind for kind in (19, 20, 21, 23, 25, 32))  # 23468s and the green dragon
_RUN_STARTS = sum(0b1111111 << 9 * suit for suit in range(3))
_OUTSIDE_STARTS = sum(0b1000001 << 9 * suit for suit in range(3))
_NINE_GATES = 0x311111113  # a nibble for each number


class Facts(NamedTuple):
    """The facts that all readings of a hand share."""

    kinds: int  # mask of all kinds in the hand and its melds
    triplets: int  # mask of melded triplets and kongs
    runs: int  # mask of melded runs by their lowest kind
    closed: int  # 1: no open meld
    closed_kongs: int
    fu: int  # before triplets, pair, wait and draw
    yaku: int  # those that do not depend on the reading
    yakuman: int  # those that do not depend on the reading
    is_tsumo: int
    win_kind: int
    wide: int  # mask of runs that the winning tile would complete from a two-sided wait
    narrow: int  # ... from an edge or closed wait
    seat_wind: int  # as a kind
    round_wind: int


@jit
def _situation_yaku(situation, closed):
    """Return the yaku that depend on how the hand was won."""
    if situation & TSUMO:
        yaku = closed << y.MENZEN_TSUMO
        if situation & REPLACEMENT:
            yaku |= 1 << y.RINSHAN
        elif situation & LAST_TILE:
            yaku |= 1 << y.HAITEI
    else:
        yaku = ((situation & LAST_TILE) // LAST_TILE) << y.HOUTEI
        yaku |= ((situation & ROBBED_KONG) // ROBBED_KONG) << y.CHANKAN
    if situation & DOUBLE_RIICHI:
        yaku |= 1 << y.DOUBLE_RIICHI
    elif situation & RIICHI:
        yaku |= 1 << y.RIICHI
    if situation & IPPATSU:
        yaku |= 1 << y.IPPATSU
    return yaku


@jit
def tile_yaku(kinds, closed, kongs, open_tanyao):
    """Return the yaku that depend only on which tiles the hand and its melds contain."""
    yaku = 0
    suits = (1 if kinds & _SUIT else 0) + (1 if kinds >> 9 & _SUIT else 0) + (1 if kinds >> 18 & _SUIT else 0)
    if suits == 1:
        yaku |= 1 << (y.HONITSU if kinds & HONORS else y.CHINITSU)
    if kinds & TERMINALS_AND_HONORS == 0 and (closed or open_tanyao):
        yaku |= 1 << y.TANYAO
    if kinds & ~TERMINALS_AND_HONORS == 0:
        yaku |= 1 << y.HONROUTOU
    if kongs == 3:
        yaku |= 1 << y.SANKANTSU
    return yaku


@jit
def tile_yakuman(kinds, kongs, situation, seat_wind):
    """Return the yakuman that depend on the tiles or the first turn, except nine gates and thirteen orphans."""
    yakuman = 0
    if situation & FIRST_TURN and situation & TSUMO:
        yakuman |= 1 << (y.CHIIHOU if seat_wind else y.TENHOU)
    if kinds & ~HONORS == 0:
        yakuman |= 1 << y.TSUUIISOU
    if kinds & ~TERMINALS == 0:
        yakuman |= 1 << y.CHINROUTOU
    if kinds & ~_GREEN == 0:
        yakuman |= 1 << y.RYUUIISOU
    if kongs == 4:
        yakuman |= 1 << y.SUUKANTSU
    return yakuman


@jit
def nine_gates(suit, win_number):
    """Return nine gates as a mask, or 0; for a closed hand without kongs, given the counts of one suit as nibbles."""
    extra = suit - _NINE_GATES  # a missing tile causes a borrow, and the result is not a power of 16
    for number in range(9):
        if extra == 1 << 4 * number:
            return 1 << (y.JUNSEI_CHUUREN if number == win_number else y.CHUUREN)
    return 0


@jit
def _reading_yaku(facts, triplets, runs, twins, pair, concealed, pinfu):
    """Return the ordinary yaku of a reading; `triplets` and `runs` include the melds."""
    yaku = facts.yaku | pinfu << y.PINFU
    yaku |= (triplets >> facts.seat_wind & 1) << (y.SEAT_WIND + facts.seat_wind - EAST)
    yaku |= (triplets >> facts.round_wind & 1) << (y.ROUND_WIND + facts.round_wind - EAST)
    yaku |= (triplets >> WHITE) << y.DRAGON
    if twins and facts.closed:
        yaku |= 1 << (y.IIPEIKO if twins == 1 else y.RYANPEIKO)
    if runs == 0:
        yaku |= 1 << y.TOITOI
    elif runs & ~_OUTSIDE_STARTS == 0 and triplets & ~TERMINALS_AND_HONORS == 0 and TERMINALS_AND_HONORS >> pair & 1:
        yaku |= 1 << (y.CHANTA if facts.kinds & HONORS else y.JUNCHAN)
    straight = runs & runs >> 3 & runs >> 6  # only a suit's 123 has runs three and six above it in its suit
    if straight & (1 | 1 << 9 | 1 << 18):
        yaku |= 1 << y.ITTSU
    if runs & runs >> 9 & runs >> 18 & _SUIT:
        yaku |= 1 << y.SANSHOKU
    if triplets & triplets >> 9 & triplets >> 18 & _SUIT:
        yaku |= 1 << y.SANSHOKU_DOUKOU
    if concealed == 3:
        yaku |= 1 << y.SANANKOU
    if DRAGONS >> pair & 1 and bit_count(triplets & DRAGONS) == 2:
        yaku |= 1 << y.SHOUSANGEN
    return yaku


@jit
def _reading_yakuman(facts, triplets, pair, concealed):
    """Return the yakuman of a reading; `triplets` include the melds."""
    yakuman = facts.yakuman
    if triplets & DRAGONS == DRAGONS:
        yakuman |= 1 << y.DAISANGEN
    if concealed == 4:
        yakuman |= 1 << (y.SUUANKOU_TANKI if pair == facts.win_kind else y.SUUANKOU)
    if triplets & WINDS == WINDS:
        yakuman |= 1 << y.DAISUUSHII
    elif WINDS >> pair & 1 and (triplets | 1 << pair) & WINDS == WINDS:
        yakuman |= 1 << y.SHOUSUUSHII
    return yakuman


@jit
def _pair_fu(facts, pair, double_wind_fu):
    if pair >= WHITE:
        return 2
    if pair == facts.seat_wind == facts.round_wind:
        return double_wind_fu
    return 2 if pair == facts.seat_wind or pair == facts.round_wind else 0


@jit
def _read(facts, triplets, runs, twins, pair, double_wind_fu):
    """Return (yaku, fu) of one reading of the concealed tiles, with the winning tile in its best place.

    triplets, runs: masks of the concealed ones; twins: number of pairs of equal runs; pair: its kind.
    """
    fu = _pair_fu(facts, pair, double_wind_fu)
    all_triplets = triplets | facts.triplets
    wide = runs & facts.wide != 0
    narrow = pair == facts.win_kind or runs & facts.narrow != 0
    pinfu = facts.closed and wide and all_triplets == 0 and fu == 0
    concealed = bit_count(triplets) + facts.closed_kongs
    fu += facts.fu + 4 * bit_count(triplets) + 4 * bit_count(triplets & TERMINALS_AND_HONORS)
    if not (facts.is_tsumo or wide or narrow):  # a triplet completed by ron
        concealed -= 1
        fu -= 4 if TERMINALS_AND_HONORS >> facts.win_kind & 1 else 2
    if not pinfu:
        fu += 2 * narrow + 2 * facts.is_tsumo
        fu = max((fu + 9) // 10 * 10, 30)  # an open hand without any fu counts 30
    yakuman = _reading_yakuman(facts, all_triplets, pair, concealed)
    if yakuman:
        return yakuman, fu
    pinfu_bit = 1 if pinfu else 0
    return _reading_yaku(facts, all_triplets, runs | facts.runs, twins, pair, concealed, pinfu_bit), fu


@jit
def yakuman_value(number, rules):
    """Return how many yakuman the one with Tenhou's number `number` counts as under a RULES record: 1 or 2."""
    return 2 if rules["double_yakuman"] and y.DOUBLE_YAKUMAN >> number & 1 else 1


@jit
def _count_yakuman(mask, rules):
    """Return (mask of the yakuman that count, how many yakuman they count as)."""
    doubled = mask & y.DOUBLE_YAKUMAN if rules["double_yakuman"] else 0
    if rules["multiple_yakuman"]:
        return mask, bit_count(mask) + bit_count(doubled)
    if doubled:
        return doubled & -doubled, 2
    return mask & -mask, 1


@jit
def keep_best(best, yaku, fu, closed, rules, win):
    """Write a reading into `win` if it is worth more than `best`, and return the greater worth.

    Worth is ordered by base points, then the number of yakuman (so that a yakuman beats a counted one), then han, then
    fu; 0 means no yaku.
    """
    if yaku == 0:
        return best
    yakuman, han = 0, 0
    if yaku >> y.TENHOU:
        yaku, yakuman = _count_yakuman(yaku, rules)
    else:
        if closed:
            han = bit_count(yaku & y.HAN_1) + 2 * bit_count(yaku & y.HAN_2) + 4 * bit_count(yaku & y.HAN_4)
        else:
            han = bit_count(yaku & y.OPEN_HAN_1) + 2 * bit_count(yaku & y.OPEN_HAN_2)
            han += 4 * bit_count(yaku & y.OPEN_HAN_4)
        han += np.int64(win["dora"]) + np.int64(win["ura"]) + np.int64(win["red"])
    worth = base_points(han, fu, yakuman, rules) << 24 | yakuman << 16 | han << 8 | fu
    if worth > best:
        win["yaku"], win["han"], win["fu"], win["yakuman"] = yaku, han, fu, yakuman
        return worth
    return best


@jit
def _best_reading(facts, once, twice, thrice, four, suits, rules, win):
    """Write the best reading as runs, triplets and a pair into `win`; return its worth, 0 if there is none."""
    if (once & ~twice | four) & HONORS:
        return 0
    triplets, runs, doubled = thrice & HONORS, 0, 0
    pairs = bit_count(twice & ~thrice & HONORS)
    pair_suit = -1
    for suit in range(3):
        spare = suits[suit] % 15 % 3  # modulo 15 gives the sum of the nibbles, the number of tiles
        if spare == 0:
            sets = split_suit(suits[suit])
            if sets < 0:
                return 0
            triplets |= (sets & _SUIT) << 9 * suit
            runs |= (sets >> 9 & _SUIT) << 9 * suit
            doubled |= sets >> 18 << 9 * suit
        elif spare == 2:
            pair_suit = suit
            pairs += 1
        else:
            return 0
    if pairs != 1:
        return 0
    if pair_suit < 0:
        first = EAST
        while not (twice & ~thrice) >> first & 1:
            first += 1
        return try_pair(facts, triplets, runs, doubled, first, 0, rules, win)
    # Nibble n has the weight 16 ** n, which is 1 + 6 n modulo 9. So the excess over the number of tiles is 6 times the
    # sum of the numbers; modulo 9 that is 12 times, i.e. 3 times, the pair's number, as sets contribute nothing.
    tiles = suits[pair_suit] % 15
    best = 0
    for number in range((suits[pair_suit] - tiles) % 9 // 3, 9, 3):
        if twice >> (9 * pair_suit + number) & 1:
            sets = split_suit(suits[pair_suit] - (2 << 4 * number))
            if sets >= 0:
                pair_triplets = triplets | (sets & _SUIT) << 9 * pair_suit
                pair_runs = runs | (sets >> 9 & _SUIT) << 9 * pair_suit
                pair_doubled = doubled | sets >> 18 << 9 * pair_suit
                pair = 9 * pair_suit + number
                best = try_pair(facts, pair_triplets, pair_runs, pair_doubled, pair, best, rules, win)
    return best


@jit
def try_pair(facts, triplets, runs, doubled, pair, best, rules, win):
    """Write the best of the readings with this pair into `win` if it is worth more than `best`."""
    double_wind_fu = np.int64(rules["double_wind_fu"])
    twins = bit_count(doubled)
    yaku, fu = _read(facts, triplets, runs, twins, pair, double_wind_fu)
    best = keep_best(best, yaku, fu, facts.closed, rules, win)
    rows = triplets & triplets >> 1 & triplets >> 2 & _RUN_STARTS
    while rows:
        start = rows & -rows
        rows ^= start
        more_twins = 2 if runs & start else 1  # three equal runs, or four
        yaku, fu = _read(facts, triplets & ~(7 * start), runs | start, twins + more_twins, pair, double_wind_fu)
        best = keep_best(best, yaku, fu, facts.closed, rules, win)
    return best


@jit
def score_hand(hand, melds, n_melds, win_kind, situation, seat_wind, round_wind, rules, win):
    """Write the value of a hand into `win`, and return whether the hand is complete and has a yaku.

    hand: u8[34], the concealed tiles including the winning one; melds: MELD records, of which the first n_melds count;
    win_kind: 0..33; situation: the flags above; seat_wind, round_wind: 0..3, East to North; rules: a RULES record.
    win: a WIN record in which `dora`, `ura` and `red` are set. Sets `closed`, `han`, `fu`, `yakuman` and `yaku`; dora
    does not count in a yakuman hand, where the three are set to 0. Of all readings, the one with the most base points
    counts (a yakuman before a counted one), then the one with the most han, then the most fu. If the hand is not a win,
    nothing is written.
    """
    once, twice, thrice, four, tiles, suits = count_tiles(hand)
    if tiles + 3 * n_melds != 14:
        return False
    win_kind, situation, seat_wind = np.int64(win_kind), np.int64(situation), np.int64(seat_wind)
    meld_kinds, meld_triplets, meld_runs, kongs, closed_kongs, meld_fu = meld_facts(melds, n_melds)
    kinds = once | meld_kinds
    closed = 1 if closed_kongs == n_melds else 0
    is_tsumo = situation & TSUMO
    wide, narrow = winning_runs(win_kind)
    yaku = _situation_yaku(situation, closed) | tile_yaku(kinds, closed, kongs, rules["open_tanyao"])
    yakuman = tile_yakuman(kinds, kongs, situation, seat_wind)
    if n_melds == 0 and win_kind < EAST:
        yakuman |= nine_gates(suits[win_kind // 9], win_kind % 9)
    fu = 20 + meld_fu + (10 if closed and not is_tsumo else 0)
    facts = Facts(
        kinds, meld_triplets, meld_runs, closed, closed_kongs, fu, yaku, yakuman, is_tsumo, win_kind, wide, narrow,
        EAST + seat_wind, EAST + np.int64(round_wind),
    )  # fmt: skip
    if n_melds == 0 and kinds == TERMINALS_AND_HONORS:
        yakuman |= 1 << (y.KOKUSHI_13 if twice >> win_kind & 1 else y.KOKUSHI)
        best = keep_best(0, yakuman, 0, 1, rules, win)
    else:
        best = _best_reading(facts, once, twice, thrice, four, suits, rules, win)
        if best == 0 and n_melds == 0 and once == twice and thrice == 0:
            best = keep_best(0, yakuman if yakuman else yaku | 1 << y.SEVEN_PAIRS, 25, 1, rules, win)
    if best == 0:
        return False
    win["closed"] = closed
    if win["yakuman"]:
        win["dora"], win["ura"], win["red"] = 0, 0, 0
    return True
