"""Score a hand in notation: `score("123m456p789s1133z 1z", riichi=True)`; or many at once as arrays: `score_batch`."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from simulator import record as r
from simulator.jit import jit
from simulator.rules import Rules
from simulator.scoring import winning
from simulator.scoring.payments import BAIMAN, HANEMAN, MANGAN, SANBAIMAN, YAKUMAN, base_points, payments
from simulator.scoring.winning import score_hand
from simulator.scoring.yaku import YAKU, yaku_with_han
from simulator.tiles import DORA_OF, KINDS, WIND_NAMES, NotationError, is_red, parse_kinds, parse_tiles

_MELD_WORDS = {name: kind for kind, name in enumerate(r.MELD_NAMES) if kind != r.MELD_NONE}
_LIMITS = {MANGAN: "mangan", HANEMAN: "haneman", BAIMAN: "baiman", SANBAIMAN: "sanbaiman", YAKUMAN: "counted yakuman"}
_MULTIPLES = ("", "", "double ", "triple ", "quadruple ", "quintuple ", "sextuple ")


class HandError(ValueError):
    """A hand that can be read but is not a possible win; the message says why."""


@dataclass(frozen=True)
class Score:
    """The value of a hand. A complete hand without yaku scores nothing: no `yaku`, 0 han, 0 points."""

    yaku: dict[str, int]
    """The han of each yaku by its English name, dora last; in a yakuman hand, how many yakuman each counts as."""
    han: int
    """Han with dora; 0 for a yakuman hand."""
    fu: int
    """Fu, rounded up."""
    yakuman: int
    """Number of yakuman; 0 for ordinary hands and counted yakuman."""
    limit: str
    """`"mangan"`, `"haneman"`, ... `"counted yakuman"`, `"yakuman"`, `"double yakuman"`; empty below mangan."""
    points: int
    """Points that all payers together pay for the hand, without repeat counters and bets."""
    payments: dict[str, int]
    """What each seat pays, with repeat counters: by wind for a tsumo, else `"discarder"` (and `"liable"`)."""
    received: int
    """Points that the winner receives: the payments and the bets."""

    def __str__(self) -> str:
        """Return e.g. `riichi 1, dora 2: 3 han 40 fu, 5200 points (discarder pays 5200)`."""
        if not self.yaku:
            return "no yaku: 0 points"
        names = ", ".join(f"{name} {value}" for name, value in self.yaku.items())
        count = self.limit if self.yakuman else f"{self.han} han {self.fu} fu" + (f", {self.limit}" * bool(self.limit))
        paid = ", ".join(f"{payer} pays {points}" for payer, points in self.payments.items())
        return f"{names}: {count}, {self.points} points ({paid})"


@jit
def _score_all(hands, melds, n_melds, win_kinds, situations, seat_winds, round_winds, counters, bets, rules, wins):
    """Do the work of `score_batch`, checking all indices, since compiled code would write out of bounds."""
    scored = np.zeros(len(hands), np.bool_)
    for i in range(len(hands)):
        win = wins[i]
        if not (0 <= n_melds[i] <= 4 and 0 <= win_kinds[i] < KINDS and hands[i, win_kinds[i]] > 0):
            raise ValueError("n_melds must be 0..4, and win_kinds kinds 0..33 that the hands hold")
        if not (0 <= seat_winds[i] < 4 and 0 <= round_winds[i] < 4):
            raise ValueError("seat_winds and round_winds must be 0..3")
        if win["seat"] > 3 or win["source"] > 3 or (win["liable"] > 3 and win["liable"] != r.NO_SEAT):
            raise ValueError("wins must have seat and source 0..3, and liable 0..3 or NO_SEAT")
        scored[i] = score_hand(
            hands[i], melds[i], n_melds[i], win_kinds[i], situations[i], seat_winds[i], round_winds[i], rules[0], win
        )
        if scored[i]:
            dealer = (np.int64(win["seat"]) - seat_winds[i]) % 4
            payments(win, dealer, counters[i], bets[i], rules[0])
    return scored


@cache
def _rules_record(rules: Rules | None) -> np.ndarray:
    return (rules or Rules.tenhou()).to_record().reshape(1)


def score_batch(
    hands: np.ndarray, melds: np.ndarray, n_melds: ArrayLike, win_kinds: ArrayLike, situations: ArrayLike,
    seat_winds: ArrayLike, round_winds: ArrayLike, wins: np.ndarray, rules: Rules | None = None,
    repeat_counters: ArrayLike = 0, bets: ArrayLike = 0,
) -> np.ndarray:  # fmt: skip
    """Score n hands and write the results into `wins`; return bool[n], whether each is complete and has a yaku.

    Args:
        hands: u8[n, 34], the concealed tiles by kind, winning tile included.
        melds: MELD[n, 4], of which the first `n_melds` count.
        n_melds: int[n], 0..4; this and all the following numbers may be one number for all hands.
        win_kinds: int[n], 0..33.
        situations: int[n], flags of `simulator.scoring.winning` (`TSUMO`, `RIICHI`, ...).
        seat_winds: int[n], 0..3, East to North; the dealer is the seat that many places before the winner.
        round_winds: int[n], 0..3.
        wins: WIN[n]; `seat`, `source`, `dora`, `ura`, `red`, `liable` and `liable_yakuman` are read, the rest written.
        rules: the rules for all hands; Tenhou's by default.
        repeat_counters: int[n].
        bets: int[n].

    Raises:
        ValueError: if the arrays' shapes or dtypes do not fit, a seat, wind or kind is out of range, or a winning tile
            is not in its hand.
    """
    n = len(hands)
    if hands.shape != (n, KINDS) or melds.shape != (n, 4) or wins.shape != (n,):
        raise ValueError(f"hands {hands.shape}, melds {melds.shape}, wins {wins.shape} must be (n, 34), (n, 4), (n,)")
    if hands.dtype != np.uint8 or melds.dtype != r.MELD or wins.dtype != r.WIN:
        raise ValueError("hands must be uint8, melds MELD records and wins WIN records")
    columns = {
        "n_melds": n_melds, "win_kinds": win_kinds, "situations": situations, "seat_winds": seat_winds,
        "round_winds": round_winds, "counters": repeat_counters, "bets": bets,
    }  # fmt: skip
    for name, values in columns.items():
        columns[name] = np.array(np.broadcast_to(np.asarray(values, np.int64), (n,)), order="C")  # writable
    rules_record = _rules_record(rules)
    hands, melds = np.ascontiguousarray(hands), np.ascontiguousarray(melds)
    return _score_all(hands=hands, melds=melds, rules=rules_record, wins=wins, **columns)


def _parse_meld(text: str, red_fives: bool, used: list[int]) -> tuple[int, int]:
    """Return (type, lowest kind) of a meld in notation, e.g. `"pong 777z"`, and add its tiles to `used`."""
    words, _, tiles_text = text.strip().rpartition(" ")
    meld_type = _MELD_WORDS.get(words.strip())
    if meld_type is None:
        raise NotationError(f"meld {text!r}: write one of {', '.join(_MELD_WORDS)} and its tiles, e.g. 'pong 777z'")
    tiles = parse_tiles(tiles_text, red_fives, used)
    kinds = sorted(tile >> 2 for tile in tiles)
    low = kinds[0] if kinds else 0
    if meld_type == r.MELD_CHOW:
        good = kinds == [low, low + 1, low + 2] and low < 27 and low % 9 < 7
    else:
        good = kinds == [low] * (3 if meld_type == r.MELD_PONG else 4)
    if not good:
        raise HandError(f"meld {text!r}: {tiles_text} is no {words.strip()}")
    used.extend(tiles)
    return meld_type, low


def _wind(name: str, what: str) -> int:
    if name not in WIND_NAMES:
        raise HandError(f"{what} is {name!r}; it must be one of {', '.join(WIND_NAMES)}")
    return WIND_NAMES.index(name)


def _check_situation(flags: dict[str, bool], is_open: bool, has_kong: bool, has_melds: bool) -> None:
    """Raise HandError for circumstances of a win that exclude each other."""
    in_riichi = flags["riichi"] or flags["double_riichi"]
    before_all = flags["tsumo"] and not has_melds and not in_riichi
    refused = (
        (in_riichi and is_open, "riichi needs a closed hand"),
        (flags["ippatsu"] and not in_riichi, "ippatsu needs riichi"),
        (flags["replacement"] and not (flags["tsumo"] and has_kong), "a replacement tile is drawn, and after a kong"),
        (flags["robbed_kong"] and flags["tsumo"], "robbing a kong is no tsumo"),
        (flags["robbed_kong"] and flags["last_tile"], "no kong can be made with the last tile"),
        (flags["replacement"] and flags["last_tile"], "a replacement tile is not the last tile of the live wall"),
        (flags["first_turn"] and not before_all, "a win in the first turn is by tsumo, before any meld or riichi"),
    )
    for wrong, why in refused:
        if wrong:
            raise HandError(why)


def _indicated(indicators: list[int], tiles: list[int]) -> int:
    """Return how many dora the indicators make of the tiles."""
    return sum(tile >> 2 == DORA_OF[indicator >> 2] for indicator in indicators for tile in tiles)


def _winning_kind(win: str | None, tiles: list[int]) -> int:
    if win is None:
        return tiles[-1] >> 2
    kinds = parse_kinds(win)
    if len(kinds) != 1 or kinds[0][0] not in [tile >> 2 for tile in tiles]:
        raise HandError(f"the winning tile {win!r} must be one of the concealed tiles")
    return kinds[0][0]


def _win_record(
    seat: int, tsumo: bool, tiles: list[int], indicators: list[int], ura_indicators: list[int], red_fives: bool
) -> np.ndarray:
    """Return WIN[1] with the fields set that `score_batch` reads; tiles: the whole hand, melds included."""
    wins = np.zeros(1, r.WIN)
    wins["seat"] = seat
    wins["source"] = seat if tsumo else (seat + 1) % 4
    wins["liable"] = r.NO_SEAT
    wins["dora"] = _indicated(indicators, tiles)
    wins["ura"] = _indicated(ura_indicators, tiles)
    wins["red"] = sum(is_red(tile, red_fives) for tile in tiles)
    return wins


def score(
    hand: str, *, melds: Iterable[str] = (), win: str | None = None, tsumo: bool = False, riichi: bool = False,
    double_riichi: bool = False, ippatsu: bool = False, last_tile: bool = False, replacement: bool = False,
    robbed_kong: bool = False, first_turn: bool = False, indicators: str = "", ura_indicators: str = "",
    seat_wind: str = "South", round_wind: str = "East", repeat_counter: int = 0, bets: int = 0,
    rules: Rules | None = None,
) -> Score:  # fmt: skip
    """Score a winning hand in notation.

    Args:
        hand: the concealed tiles, ending with the winning one unless `win` names it: `"234m406p77z 7z"`.
        melds: the melds, each a word and its tiles: `["chow 123m", "pong 777z", "open kong 1111z",
            "closed kong 0555p", "added kong 9999s"]`, or one string with commas between them.
        win: the winning tile, if it is not the last of `hand`.
        tsumo: won by self-draw; otherwise by ron (on a discard).
        riichi: in riichi.
        double_riichi: in riichi declared in the first turn (replaces `riichi`).
        ippatsu: within the uninterrupted turn after the riichi.
        last_tile: on the last draw (haitei) or the last discard (houtei).
        replacement: on a kong's replacement tile (rinshan).
        robbed_kong: on a tile that another seat added to a pong (chankan).
        first_turn: on the winner's uninterrupted first draw (tenhou for the dealer, chiihou for others).
        indicators: the dora indicators shown, e.g. `"3m1z"`, which make 4m and 2z dora.
        ura_indicators: those under them; only with riichi.
        seat_wind: `"East"` is the dealer.
        round_wind: the wind of the round.
        repeat_counter: repeat counters (honba).
        bets: riichi bets on the table.
        rules: Tenhou's by default.

    Returns:
        The score; a complete hand without yaku gets 0 points.

    Raises:
        NotationError: for text that cannot be read, and for more tiles of a kind than exist.
        HandError: for a wrong number of tiles, tiles that do not form a winning hand, and circumstances that exclude
            each other.
    """
    rules = rules or Rules.tenhou()
    tiles = parse_tiles(hand, rules.red_fives)
    used = list(tiles)
    written = [text for text in (melds.split(",") if isinstance(melds, str) else melds) if text.strip()]
    parsed = [_parse_meld(text, rules.red_fives, used) for text in written]
    if len(parsed) > 4 or len(tiles) + 3 * len(parsed) != 14:
        wanted = f"{14 - 3 * len(parsed)} concealed tiles" if len(parsed) < 5 else "at most 4 melds"
        raise HandError(f"{hand!r}: {len(tiles)} concealed tiles and {len(parsed)} melds; a win must have {wanted}")
    types = [meld_type for meld_type, _ in parsed]
    flags = {
        "tsumo": tsumo, "riichi": riichi, "double_riichi": double_riichi, "ippatsu": ippatsu, "last_tile": last_tile,
        "replacement": replacement, "robbed_kong": robbed_kong, "first_turn": first_turn,
    }  # fmt: skip
    has_kong = any(meld_type in (r.MELD_OPEN_KONG, r.MELD_CLOSED_KONG, r.MELD_ADDED_KONG) for meld_type in types)
    is_open = any(meld_type != r.MELD_CLOSED_KONG for meld_type in types)
    _check_situation(flags, is_open, has_kong, bool(types))
    win_kind = _winning_kind(win, tiles)
    if robbed_kong and [tile >> 2 for tile in used].count(win_kind) > 1:
        raise HandError(f"the robbed tile is the fourth of its kind; {hand!r} cannot hold others")
    if ura_indicators and not (riichi or double_riichi):
        raise HandError("ura dora needs riichi")
    if not (0 <= repeat_counter < 1 << 16 and 0 <= bets < 1 << 16):
        raise HandError(f"repeat_counter {repeat_counter} and bets {bets} must not be negative, nor above 65,535")
    everything = list(used)
    shown = parse_tiles(indicators, rules.red_fives, used)
    ura = parse_tiles(ura_indicators, rules.red_fives, used + shown)
    if max(len(shown), len(ura)) > 5:
        raise HandError("there are at most 5 dora indicators")

    seat = _wind(seat_wind, "seat_wind")  # seats here are the winds: the dealer is seat 0
    wins = _win_record(seat, tsumo, everything, shown, ura, rules.red_fives)
    hands = np.bincount([tile >> 2 for tile in tiles], minlength=KINDS).astype(np.uint8).reshape(1, KINDS)
    meld_records = np.zeros((1, 4), r.MELD)
    meld_records["type"][0, : len(parsed)] = types
    meld_records["kind"][0, : len(parsed)] = [low for _, low in parsed]
    situation = sum(getattr(winning, name.upper()) for name in flags if flags[name])
    round_number = _wind(round_wind, "round_wind")

    def is_win(more: int) -> bool:
        where = len(parsed), win_kind, situation | more, seat, round_number
        return bool(score_batch(hands, meld_records, *where, wins, rules, repeat_counter, bets)[0])

    if is_win(0):
        return score_of_win(wins[0], 0, rules)
    if not is_win(winning.LAST_TILE):  # which is a yaku in itself
        raise HandError(f"{hand!r}{' with ' if written else ''}{', '.join(written)} is not complete")
    return Score({}, 0, 0, 0, "", 0, {}, 0)


def score_of_win(win: np.void, dealer: int, rules: Rules) -> Score:
    """Return the Score that a scored and paid WIN record describes; `dealer` is the dealer's seat."""
    record = _rules_record(rules)[0]
    yakuman, han, fu = int(win["yakuman"]), int(win["han"]), int(win["fu"])
    names = {
        YAKU[number].label: int(winning.yakuman_value(number, record)) if yakuman else worth
        for number, worth in yaku_with_han(win)
        if worth
    }
    if yakuman:
        limit = (_MULTIPLES[yakuman] if yakuman < len(_MULTIPLES) else f"{yakuman}-fold ") + "yakuman"
    else:
        limit = _LIMITS.get(int(base_points(han, fu, 0, record)), "")
    seat, source = int(win["seat"]), int(win["source"])
    deltas = win["deltas"].tolist()

    def payer_name(payer: int) -> str:
        if seat == source:
            return WIND_NAMES[(payer - dealer) % 4]
        return "discarder" if payer == source else "liable"

    paid = {payer_name(payer): -deltas[payer] for payer in range(4) if payer != seat and deltas[payer]}
    return Score(names, han, fu, yakuman, limit, int(win["points"]), paid, deltas[seat])
