"""Encode the tiles of the own hand, dora, tiles seen and left, the round, riichi, the wall, and the legal actions."""

import numpy as np

from simulator import record as r
from simulator.jit import jit
from simulator.moves import is_red_tile, tiles_left
from simulator.players.sight import yakuhai_kinds
from simulator.rules import EAST_ONLY
from simulator.scoring.blocks import bit_count
from simulator.tiles import ALL_KINDS, DORA_OF, EAST, RED_FIVE_KINDS
from simulator.walls import DORA_INDICATORS
from suphx.features import at, layout
from suphx.features.encode_rivers import dora_han
from suphx.features.layout_groups import COUNTS
from suphx.features.planes import add_one, at_least, complement, count_in, flag, merge, write_nested

_WINDS = 3  # possible round winds
_LAST_EAST, _LAST_SOUTH = 3, 7
_FIVES = sum(1 << kind for kind in RED_FIVE_KINDS)
_FIVE_M, _FIVE_P, _FIVE_S = RED_FIVE_KINDS
_PAIR = np.int64(3)  # an action and the same action with a red five
_CLOSED_KONGS_IN_LOW = r.WORD_BITS - r.CLOSED_KONG


@jit
def own_reds(game, seat):
    """Return the fives whose red tile is in a seat's concealed hand, as a set of kinds."""
    if not game["rules"]["red_fives"]:
        return np.int64(0)
    copies = game["copies"][seat]
    reds = (np.int64(copies[_FIVE_M]) & 1) << _FIVE_M | (np.int64(copies[_FIVE_P]) & 1) << _FIVE_P
    return reds | (np.int64(copies[_FIVE_S]) & 1) << _FIVE_S


@jit
def has_drawn(game, seat):
    """Return whether a seat holds a tile that it has just drawn."""
    return game["turn"] == seat and game["drawn"] != r.NO_TILE


@jit
def encode_hand(game, seat, held, out):
    """Write the own hand; held: its nested sets."""
    write_nested(out, at.hand_count, held)
    out[at.hand_red] = own_reds(game, seat)
    if has_drawn(game, seat):
        drawn = np.int64(game["drawn"])
        out[at.hand_drawn] = np.int64(1) << (drawn >> 2)
        out[at.hand_drawn_red] = flag(is_red_tile(game, drawn))
        out[at.hand_replacement] = flag(game["replacement"] != 0)


@jit
def encode_indicators(game, out):
    """Write the indicators and dora kinds; return both as nested sets."""
    none = (np.int64(0), np.int64(0), np.int64(0), np.int64(0))
    shown, dora = none, none
    for n in range(np.int64(game["indicators"])):
        kind = np.int64(game["wall"][DORA_INDICATORS[n]]) >> 2
        out[at.dora_indicator + n] = np.int64(1) << kind
        shown = add_one(shown, np.int64(1) << kind)
        dora = add_one(dora, np.int64(1) << np.int64(DORA_OF[kind]))
    out[at.dora_count], out[at.dora_count + 1], out[at.dora_count + 2] = dora[0], dora[1], dora[2]
    return shown, dora


@jit
def encode_seen(game, seat, held, opened, dora, out):
    """Write the open and the remaining tiles, and how much dora self has and how much is unseen."""
    left = complement(merge(opened, held))
    write_nested(out, at.tiles_open, opened)
    write_nested(out, at.tiles_left, left)
    reds = own_reds(game, seat)
    own = bit_count(reds)
    for kinds in dora:
        own += count_in(held, kinds)
    for n in range(np.int64(game["n_melds"][seat])):
        own += dora_han(game, game["melds"][seat, n], dora)
    seen_red = reds
    for n in range(r.SEATS):
        seen_red |= out[at.rivers_red + n]
    for n in range(r.SEATS * r.SEATS):
        seen_red |= out[at.melds_red + n]
    out[at.dora_unseen_red] = _FIVES & ~seen_red if game["rules"]["red_fives"] else 0
    at_least(out, at.dora_own, layout.OWN_DORA_STEPS, own)
    at_least(out, at.dora_unseen, layout.UNSEEN_DORA_STEPS, count_in(left, dora[0]))


@jit
def encode_game(game, seat, out):
    """Write the stage of the game and its rules: wind, round, dealer, counters."""
    rules = game["rules"]
    number = np.int64(game["round"])
    east_only = rules["length"] == EAST_ONLY
    out[at.game_east_only] = flag(east_only)
    out[at.game_red_fives] = flag(rules["red_fives"] != 0)
    out[at.game_open_tanyao] = flag(rules["open_tanyao"] != 0)
    out[at.game_wind + min(number >> 2, _WINDS - 1)] = ALL_KINDS
    out[at.game_number + (number & 3)] = ALL_KINDS
    dealer = (np.int64(game["dealer"]) - seat) & 3
    out[at.game_dealer + dealer] = ALL_KINDS
    out[at.game_round_wind] = np.int64(1) << (EAST + (number >> 2))
    out[at.game_seat_wind] = np.int64(1) << (EAST + ((4 - dealer) & 3))
    target = False
    for relative in range(r.SEATS):
        other = (seat + relative) & 3
        out[at.game_valued + relative] = yakuhai_kinds(game, other)
        target = target or game["scores"][other] >= rules["target_points"]
    at_least(out, at.game_repeat, layout.REPEAT_STEPS, np.int64(game["repeat_counter"]))
    at_least(out, at.game_bets, layout.BET_STEPS, np.int64(game["bets"]))
    last = _LAST_EAST if east_only else _LAST_SOUTH
    at_least(out, at.game_rounds_left, layout.ROUNDS_LEFT_STEPS, last - number)
    out[at.game_target] = flag(target)
    out[at.game_extra] = flag(number > last)


@jit
def encode_riichi(game, seat, out):
    """Write which seats are in riichi, in double riichi, and may still win by ippatsu."""
    for relative in range(r.SEATS):
        other = (seat + relative) & 3
        out[at.riichi_declared + relative] = flag(game["riichi"][other] != 0)
        out[at.riichi_double + relative] = flag(game["riichi"][other] != 0 and game["double_riichi"][other] != 0)
        out[at.riichi_ippatsu + relative] = flag(game["ippatsu"][other] != 0)


@jit
def last_drawer(next_drawer, left):
    """Return the seat that draws the last of `left` tiles if `next_drawer` draws next and nobody calls."""
    return (next_drawer + left - 1) & 3


@jit
def encode_wall(game, seat, out):
    """Write the number of tiles left in the wall, who draws the last one, the kongs, and if nobody has called yet."""
    left = tiles_left(game)
    at_least(out, at.wall_left, layout.WALL_STEPS, left)
    if left > 0:
        out[at.wall_last + (last_drawer(np.int64(game["turn"]) + 1, left) - seat & 3)] = ALL_KINDS
    at_least(out, at.wall_kongs, COUNTS, np.int64(game["kongs"]))
    out[at.wall_untouched] = flag(game["interrupted"] == 0)


@jit
def _encode_discards(low, drawn, out):
    """Write which kinds may be discarded, according to the first word of legal actions."""
    reds = low >> r.DISCARD_RED
    red_kinds = (reds & 1) << _FIVE_M | (reds >> 1 & 1) << _FIVE_P | (reds >> 2 & 1) << _FIVE_S
    kinds = low & ALL_KINDS | red_kinds
    if low >> r.DISCARD_DRAWN & 1:
        kinds |= np.int64(1) << (drawn >> 2)
    out[at.legal_discard] = kinds
    out[at.legal_red] = red_kinds


@jit
def encode_legal(game, seat, out):
    """Write the legal actions of a seat that is to act; nothing if it is not."""
    phase = np.int64(game["phase"])
    if not game["asked"] >> seat & 1 or not r.PHASE_TURN <= phase <= r.PHASE_STOP:
        return
    low, high = game["legal"][seat, 0], game["legal"][seat, 1]
    out[at.legal_situation + phase - r.PHASE_TURN] = ALL_KINDS
    _encode_discards(low, np.int64(game["drawn"]), out)
    if game["turn"] == seat:
        out[at.legal_forbidden] = game["forbidden"]
    out[at.legal_chow] = flag(low >> r.CHOW_LOW & _PAIR)
    out[at.legal_chow + 1] = flag(low >> r.CHOW_MIDDLE & _PAIR)
    out[at.legal_chow + 2] = flag(low >> r.CHOW_HIGH & _PAIR)
    out[at.legal_pong] = flag(low >> r.PONG & _PAIR)
    out[at.legal_open_kong] = flag(low >> r.OPEN_KONG & 1)
    out[at.legal_closed_kong] = (low >> r.CLOSED_KONG | high << _CLOSED_KONGS_IN_LOW) & ALL_KINDS
    out[at.legal_added_kong] = high >> (r.ADDED_KONG - r.WORD_BITS) & ALL_KINDS
    out[at.legal_draw_win] = flag(high >> (r.TSUMO - r.WORD_BITS) & 1)
    out[at.legal_claim_win] = flag(high >> (r.RON - r.WORD_BITS) & 1)
    out[at.legal_nine_terminals] = flag(high >> (r.NINE_TERMINALS - r.WORD_BITS) & 1)
    if phase == r.PHASE_CLAIM or phase == r.PHASE_KONG_CLAIM:
        tile = np.int64(game["claim_tile"])
        out[at.legal_open_tile] = np.int64(1) << (tile >> 2)
        out[at.legal_open_red] = flag(is_red_tile(game, tile))
        out[at.legal_open_from + ((np.int64(game["turn"]) - seat) & 3) - 1] = ALL_KINDS


@jit
def may_riichi(game, seat):
    """Return whether a seat is to act and may declare riichi."""
    return game["asked"] >> seat & 1 == 1 and game["legal"][seat, 0] >> r.DECLARE_RIICHI & 1 == 1
