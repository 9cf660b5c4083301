"""`GAME`: the complete state of one table as a fixed-size record, and the names of the numbers in it.

A batch of games is a one-dimensional array of GAME: `games[i] = games[j]` copies a game, `np.save` stores a checkpoint.
Every field is documented in the `..._FIELDS` tuples below; `docs/record.md` is generated from them.
"""

import numpy as np

from simulator.rules import RULES
from simulator.tiles import KINDS, NO_TILE, TILES

SEATS = 4
NO_SEAT = 255

# Actions: one small integer each. Where an action has a kind, its number is the first of its range plus the kind.
DISCARD = 0  # + kind 0..33: a plain tile of that kind from the hand, not the one just drawn
DISCARD_RED = 34  # + suit 0..2: the red five from the hand
DISCARD_DRAWN = 37  # the tile just drawn
DECLARE_RIICHI = 38  # a discard decision follows
CHOW_LOW, CHOW_LOW_RED = 39, 40  # the called tile is the lowest of the three; ..._RED uses the red five of the hand
CHOW_MIDDLE, CHOW_MIDDLE_RED = 41, 42
CHOW_HIGH, CHOW_HIGH_RED = 43, 44
PONG, PONG_RED = 45, 46
OPEN_KONG = 47
CLOSED_KONG = 48  # + kind
ADDED_KONG = 82  # + kind
TSUMO = 116  # tsumo
RON = 117  # ron
NINE_TERMINALS = 118
PASS = 119  # make no claim; or, as the dealer who may end the game, play on
STOP = 120  # the dealer ends the game
ACTIONS = 121
NO_ACTION = -1
#: A legal mask is two int64 words of 61 actions each.
WORD_BITS = 61

ACTION_NAMES = (
    [f"discard {kind % 9 + 1}{'mpsz'[kind // 9]}" for kind in range(KINDS)]
    + ["discard 0m", "discard 0p", "discard 0s", "discard drawn", "riichi"]
    + ["chow low", "chow low red", "chow middle", "chow middle red", "chow high", "chow high red"]
    + ["pong", "pong red", "open kong"]
    + [f"closed kong {kind % 9 + 1}{'mpsz'[kind // 9]}" for kind in range(KINDS)]
    + [f"added kong {kind % 9 + 1}{'mpsz'[kind // 9]}" for kind in range(KINDS)]
    + ["tsumo", "ron", "nine terminals", "pass", "stop"]
)

# Phases of a game; the phase is also the situation in which a seat is asked.
PHASE_DEAL = 0  # the next round is to be dealt
PHASE_TURN = 1  # `turn` has drawn and chooses: win, kong, riichi, nine terminals or discard
PHASE_RIICHI_DISCARD = 2  # `turn` has declared riichi and discards
PHASE_CALL_DISCARD = 3  # `turn` has made a chow or pong and discards
PHASE_CLAIM = 4  # others may claim the discard
PHASE_KONG_CLAIM = 5  # others may rob the kong
PHASE_STOP = 6  # the dealer may end the game
PHASE_ROUND_OVER = 7  # the outcome is in `result`; payments follow
PHASE_GAME_OVER = 8  # the final points are in `result`
PHASE_NAMES = (
    "deal", "turn", "riichi discard", "call discard", "claim", "kong claim", "stop", "round over", "game over",
)  # fmt: skip

# Events of a round, 16 bits each: type | seat << 4 | extra << 6 | tile << 8.
EVENT_DRAW = 1  # tile from the live wall; extra 1: a kong's replacement
EVENT_DISCARD = 2  # tile; extra bit 0: it was the tile just drawn
EVENT_RIICHI = 3  # declared; the discard follows
EVENT_RIICHI_ACCEPTED = 4  # the bet is paid
EVENT_CHOW = 5  # tile: the called one; extra: index of the meld
EVENT_PONG = 6
EVENT_OPEN_KONG = 7
EVENT_CLOSED_KONG = 8  # tile: the lowest of the four
EVENT_ADDED_KONG = 9  # tile: the added one
EVENT_DORA = 10  # tile: the indicator shown after the first one
EVENT_WIN = 11  # tile: the winning one; extra: seat it came from
EVENT_NO_WINNER = 12  # tile: the kind of result
MAX_EVENTS = 224
MAX_RIVER = 32

# Kinds of meld.
MELD_NONE, MELD_CHOW, MELD_PONG, MELD_OPEN_KONG, MELD_CLOSED_KONG, MELD_ADDED_KONG = range(6)
MELD_NAMES = ("none", "chow", "pong", "open kong", "closed kong", "added kong")

MELD_FIELDS = (
    ("type", "u1", (), "MELD_*"),
    ("kind", "u1", (), "lowest kind of the meld, 0..33"),
    ("tiles", "u1", (4,), "physical tiles: the called one, own ones ascending, an added one; closed kong: ascending"),
    ("source", "u1", (), "seat the called tile came from; own seat for a closed kong"),
)

# River entries, 16 bits: tile | flags << 8.
RIVER_DRAWN = 1 << 8  # it was the tile just drawn
RIVER_RIICHI = 1 << 9  # discarded sideways
RIVER_CALLED = 1 << 10  # a chow, pong or open kong took it (who: bits 11-12)
RIVER_CALLER_SHIFT = 11

# How a round ended.
RESULT_NONE = 0
RESULT_TSUMO = 1  # tsumo
RESULT_RON = 2  # ron, by one seat or more
RESULT_EXHAUSTIVE = 3
RESULT_NAGASHI = 4  # exhaustive draw with nagashi mangan
RESULT_NINE_TERMINALS = 5
RESULT_FOUR_WINDS = 6
RESULT_FOUR_RIICHI = 7
RESULT_FOUR_KONGS = 8
RESULT_TRIPLE_RON = 9
RESULT_NAMES = (
    "none", "tsumo", "ron", "exhaustive draw", "nagashi mangan", "nine terminals",
    "four winds", "four riichi", "four kongs", "triple ron",
)  # fmt: skip

WIN_FIELDS = (
    ("seat", "u1", (), "the winner"),
    ("source", "u1", (), "seat that the winning tile came from; the winner for a tsumo"),
    ("tile", "u1", (), "winning tile"),
    ("closed", "u1", (), "1: the hand was closed (closed kongs allowed)"),
    ("han", "u1", (), "han with dora; 0 for a yakuman hand"),
    ("fu", "u1", (), "fu, rounded up; for a yakuman hand as counted for the ordinary yaku (Tenhou prints it)"),
    ("yakuman", "u1", (), "how many yakuman; 0 for ordinary and counted hands"),
    ("dora", "u1", (), "han of shown indicators"),
    ("ura", "u1", (), "han of ura indicators"),
    ("red", "u1", (), "han of red fives"),
    ("liable", "u1", (), "seat that pays by liability (pao), or NO_SEAT"),
    ("liable_yakuman", "u1", (), "how many of the yakuman the liability is for"),
    ("yaku", "i8", (), "bit y: the yaku with Tenhou's number y (0..51); without dora"),
    ("points", "i4", (), "points of the hand, all payers together, without bets and repeat counters"),
    ("deltas", "i4", (4,), "points each seat gains by this win, bets and repeat counters included"),
)

RESULT_FIELDS = (
    ("type", "u1", (), "RESULT_*"),
    ("n_wins", "u1", (), "winners, 0..3"),
    ("tenpai", "u1", (), "exhaustive draw: bit s: seat s is tenpai"),
    ("nagashi", "u1", (), "exhaustive draw: bit s: seat s has nagashi mangan"),
    ("round", "u1", (), "the round that ended, 0 = East 1"),
    ("repeat_counter", "u1", (), "its repeat counter"),
    ("bets", "u1", (), "riichi bets on the table when it ended, before the payments"),
    ("game_over", "u1", (), "1: the game ended with it"),
    ("ranks", "u1", (4,), "at the end of the game: rank of each seat, 0..3"),
    ("wins", None, (3,), "WIN records, in turn order from the discarder"),
    ("deltas", "i4", (4,), "points each seat gained in all by the end of the round (riichi bets paid before excluded)"),
    ("scores", "i4", (4,), "points of each seat afterwards, leftover bets included at the end of the game"),
    ("final_points", "i4", (4,), "at the end of the game: final points in tenths of a thousand (479 = +47.9)"),
)

GAME_FIELDS = (
    ("rules", None, (), "RULES record of this game"),
    ("seed", "u8", (), "seed of this game; with round and repeat counter it names each wall"),
    ("number", "u4", (), "which game of the batch's sequence this is"),
    ("phase", "u1", (), "PHASE_*"),
    ("wall_given", "u1", (), "1: the next deal uses `wall` as it stands instead of the seed"),
    ("round", "u1", (), "0 = East 1 .. 11 = West 4"),
    ("repeat_counter", "u1", (), "honba"),
    ("bets", "u1", (), "riichi bets (1,000 points each) on the table"),
    ("dealer", "u1", (), "seat of the dealer"),
    ("turn", "u1", (), "seat that is to act or has acted last"),
    ("scores", "i4", (4,), "points of each seat, riichi bets already taken off"),
    ("start_scores", "i4", (4,), "points of each seat when the round was dealt"),
    ("start_bets", "u1", (), "riichi bets on the table when the round was dealt"),
    ("deals", "u1", (), "rounds dealt in this game so far, repeats counted"),
    ("wall", "u1", (TILES,), "tiles: dealt from 135 down, drawn from 83 down to 14, dead wall 0..13 (see walls.py)"),
    ("next_draw", "u1", (), "index in `wall` of the next live draw"),
    ("kongs", "u1", (), "kongs made by all = replacement tiles taken; the live wall ends at 14 + kongs"),
    ("indicators", "u1", (), "dora indicators shown, 1..5"),
    ("pending_indicators", "u1", (), "indicators that open or added kongs have yet to show"),
    ("hand", "u1", (4, KINDS), "concealed tiles of each seat by kind, 0..4, the drawn one included"),
    ("copies", "u1", (4, KINDS), "bit c: copy c of that kind is in the hand"),
    ("suit_keys", "i4", (4, 4), "key of each suit's counts of each hand (see `suit_key` in shanten.py)"),
    ("drawn", "u1", (), "tile that `turn` has just drawn, or NO_TILE"),
    ("replacement", "u1", (), "1: it is a kong's replacement"),
    ("melds", None, (4, 4), "MELD records of each seat, in the order they were made"),
    ("n_melds", "u1", (4,), "how many"),
    ("n_open", "u1", (4,), "how many that open the hand (all but closed kongs)"),
    ("river", "u2", (4, MAX_RIVER), "discards: tile | RIVER_* flags"),
    ("n_river", "u1", (4,), "how many, called ones included"),
    ("waits", "i8", (4,), "kinds that complete the hand of each seat when it holds 3n + 1 tiles; 0 if not tenpai"),
    ("discarded", "i8", (4,), "kinds each seat has discarded in this round, called ones included"),
    ("missed", "u1", (4,), "furiten by a win let go: bit 0 until the own next discard, bit 1 for good (in riichi)"),
    ("riichi", "u1", (4,), "0 none, 1 declared, 2 accepted (bet paid)"),
    ("double_riichi", "u1", (4,), "1: it was declared in the uninterrupted first turn"),
    ("ippatsu", "u1", (4,), "1: a win now is ippatsu"),
    ("interrupted", "u1", (), "1: a call or kong has been made: no more heavenly hands, double riichi, nine terminals"),
    ("robbing", "u1", (), "1: that tile is a kong's, and a win on it robs the kong"),
    ("claim_tile", "u1", (), "tile that others may claim (discard, added kong, closed kong), or NO_TILE"),
    ("forbidden", "i8", (), "kinds that `turn` may not discard now (swap-calling)"),
    ("pending", "u1", (), "bit s: seat s is asked for a decision and has not answered"),
    ("asked", "u1", (), "bit s: seat s was asked for this decision"),
    ("answers", "i2", (4,), "action each asked seat has given, NO_ACTION before"),
    ("legal", "i8", (4, 2), "legal actions of each asked seat, WORD_BITS to a word"),
    ("decisions", "u2", (4,), "decisions each seat was asked for in this round so far"),
    ("trial", None, (), "WIN record used while a hand is judged; means nothing between steps"),
    ("liable_dragons", "u1", (4,), "seat liable for this seat's big three dragons, or NO_SEAT"),
    ("liable_winds", "u1", (4,), "... for its big four winds"),
    ("liable_kongs", "u1", (4,), "... for its four kongs"),
    ("n_events", "u1", (), "events of this round so far"),
    ("events", "u2", (MAX_EVENTS,), "the events: type | seat << 4 | extra << 6 | tile << 8"),
    ("result", None, (), "RESULT record of the last round that ended"),
)


def _dtype(fields: tuple, **nested: np.dtype) -> np.dtype:
    return np.dtype([(name, nested.get(name, code), shape) if shape else (name, nested.get(name, code))
                     for name, code, shape, _ in fields], align=True)  # fmt: skip


MELD = _dtype(MELD_FIELDS)
WIN = _dtype(WIN_FIELDS)
RESULT = _dtype(RESULT_FIELDS, wins=WIN)
GAME = _dtype(GAME_FIELDS, rules=RULES, melds=MELD, trial=WIN, result=RESULT)

__all__ = [name for name in dir() if name.isupper()] + ["NO_TILE"]
