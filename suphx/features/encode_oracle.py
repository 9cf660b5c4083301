"""Encode the oracle's block: what is hidden from the seat. Appended to a position's planes only in oracle training."""

import numpy as np

from simulator.jit import jit
from simulator.legal import is_furiten
from simulator.lookup import KEY_STEP
from simulator.moves import is_red_tile, tiles_left
from simulator.record import SEATS
from simulator.shanten import COMPLETE, TENPAI, shanten_of_keys
from simulator.tiles import DORA_OF, KINDS
from simulator.walls import DORA_INDICATORS, REPLACEMENTS, URA_INDICATORS
from suphx.features import at
from suphx.features.encode_table import own_reds
from suphx.features.layout import ORACLE_PLANES
from suphx.features.layout_calls import ORACLE_DRAWS, ORACLE_SHANTEN_STEPS
from suphx.features.layout_groups import COUNTS
from suphx.features.planes import add_one, at_most, flag, nest, write_nested

_STAGES = 4  # of the race: one from tenpai, tenpai, completed by any tile, completed by an own draw


@jit
def _encode_hands(lookup, game, seat, out):
    """Write the hands of the other three seats."""
    for rival in range(SEATS - 1):
        other = (seat + 1 + rival) & 3
        write_nested(out, at.oracle_count + len(COUNTS) * rival, nest(game["hand"][other]))
        out[at.oracle_red + rival] = own_reds(game, other)
        distance = shanten_of_keys(lookup, game["suit_keys"][other], np.int64(game["n_melds"][other]))
        first = at.oracle_shanten + rival * len(ORACLE_SHANTEN_STEPS)
        at_most(out, first, ORACLE_SHANTEN_STEPS, distance)
        out[at.oracle_waits + rival] = game["waits"][other]
        out[at.oracle_furiten + rival] = flag(is_furiten(game, other))


@jit
def _encode_draws(game, out):
    """Write what is still to be drawn from the live wall."""
    rest = (np.int64(0), np.int64(0), np.int64(0), np.int64(0))
    red = np.int64(0)
    for n in range(tiles_left(game)):
        tile = np.int64(game["wall"][np.int64(game["next_draw"]) - n])
        kind = np.int64(1) << (tile >> 2)
        if n < ORACLE_DRAWS:
            out[at.oracle_draw + n] = kind
            if is_red_tile(game, tile):
                red |= kind
        else:
            rest = add_one(rest, kind)
    out[at.oracle_draw_red] = red
    write_nested(out, at.oracle_rest, rest)


@jit
def _reach(out, first, distance, draws):
    """Write when stages are reached, if they were not before: a bar of length 34 minus the draws until now.

    distance: the shanten reached (COMPLETE - 1: complete by an own draw), which includes all earlier stages.
    """
    bar = (np.int64(1) << (KINDS - draws)) - 1
    for stage in range(1 - distance + 1):
        if out[first + stage] == 0:
            out[first + stage] = bar


@jit
def _encode_race(lookup, game, seat, out):
    """Write how soon each seat reaches tenpai and a win with the tiles still to be drawn, discarding with foresight.

    The shanten of a set of tiles is that of the best hand within it, so no discards need be chosen: the tiles that a
    seat draws are just added to its hand, except in riichi.
    """
    draws = min(tiles_left(game), KINDS - 1)
    for n in range(SEATS):
        other = (seat + n) & 3
        first = at.oracle_race + _STAGES * n
        melds, is_fixed = np.int64(game["n_melds"][other]), game["riichi"][other] != 0
        keys = game["suit_keys"][other].copy()
        distance = shanten_of_keys(lookup, keys, melds)
        _reach(out, first, min(max(distance, TENPAI), 2), 0)
        for draw in range(draws):
            is_own = (np.int64(game["turn"]) + 1 + draw) & 3 == other
            if not is_own and distance > TENPAI:
                continue
            kind = np.int64(game["wall"][np.int64(game["next_draw"]) - draw]) >> 2
            keys[kind // 9] += KEY_STEP[kind]
            after = shanten_of_keys(lookup, keys, melds)
            if after == COMPLETE:
                _reach(out, first, COMPLETE, draw + 1)
                if is_own:
                    _reach(out, first, COMPLETE - 1, draw + 1)
                    break
            if is_own and not is_fixed:
                distance = min(distance, after)
                _reach(out, first, min(distance, 2), draw + 1)
            else:
                keys[kind // 9] -= KEY_STEP[kind]


@jit
def encode_oracle(lookup, game, seat, out):
    """Write the oracle's planes of a position into `out` i64[ORACLE_PLANES]."""
    for n in range(ORACLE_PLANES):
        out[n] = 0
    _encode_hands(lookup, game, seat, out)
    _encode_draws(game, out)
    wall = game["wall"]
    kongs, shown = np.int64(game["kongs"]), np.int64(game["indicators"])
    for n in range(kongs, len(REPLACEMENTS)):
        out[at.oracle_replacement + n - kongs] = np.int64(1) << (np.int64(wall[REPLACEMENTS[n]]) >> 2)
    for n in range(shown, len(DORA_INDICATORS)):
        out[at.oracle_indicator + n - shown] = np.int64(1) << np.int64(DORA_OF[np.int64(wall[DORA_INDICATORS[n]]) >> 2])
    for n in range(len(URA_INDICATORS)):
        out[at.oracle_ura + n] = np.int64(1) << np.int64(DORA_OF[np.int64(wall[URA_INDICATORS[n]]) >> 2])
    _encode_race(lookup, game, seat, out)


@jit
def encode_oracle_all(lookup, games, index, seats, out):
    """Write the oracle's planes of many positions into the rows of `out` i64[n, ORACLE_PLANES]."""
    for n in range(len(index)):
        encode_oracle(lookup, games[index[n]], np.int64(seats[n]), out[n])
