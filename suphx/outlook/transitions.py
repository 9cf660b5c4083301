"""Positions after a pass, a call or a kong, as the seat sees them before anything else is known. Compiled.

The network knows them by the decision that is due, as the planes show it: after a pass the claim with nothing left to
choose but the pass; after a kong, whose replacement is still to be drawn, a turn in which nothing can be chosen.
"""

import numpy as np

from simulator import record as r
from simulator.asking import MISSED_NOW, answer, ask
from simulator.calls import call, declare_kong
from simulator.engine import advance
from simulator.jit import jit
from simulator.legal import HIGH_PASS
from simulator.lookup import get_lookup
from simulator.shanten import waits


@jit
def _pass(games, seats):
    for n in range(len(seats)):
        game, seat = games[n], seats[n]
        game["asked"] = 0
        game["pending"] = 0
        if game["waits"][seat] >> (np.int64(game["claim_tile"]) >> 2) & 1:
            game["missed"][seat] |= MISSED_NOW  # the tile would win if the hand had a yaku
        ask(game, seat, np.int64(0), HIGH_PASS)


def after_passes(games: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Return GAME[n]: copies of positions in which each seat has let a discard pass; others may still claim it.

    games GAME[n], at claims of seats u8[n].
    """
    after = games.copy()
    _pass(after, seats.astype(np.int64))
    return after


@jit
def _call(lookup, games, seats, actions):
    for n in range(len(seats)):
        game = games[n]
        for seat in range(r.SEATS):
            if game["asked"] >> seat & 1:
                answer(game, seat, actions[n] if seat == seats[n] else r.PASS)
        advance(lookup, game, False, r.NO_TILE, r.NO_TILE)


def after_calls(games: np.ndarray, seats: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """Return GAME[n]: copies of positions in which each seat has made a chow or pong and is to discard.

    games GAME[n], at claims of seats u8[n]; actions i64[n]: legal chows and pongs, which nobody else contests.
    """
    after = games.copy()
    _call(get_lookup(), after, seats.astype(np.int64), actions.astype(np.int64))
    return after


@jit
def _kong(lookup, games, seats, actions):
    for n in range(len(seats)):
        game, seat, action = games[n], seats[n], actions[n]
        if action == r.OPEN_KONG:
            call(game, seat, action, r.NO_TILE, r.NO_TILE)
        else:
            declare_kong(game, action, r.NO_TILE)
        game["claim_tile"] = r.NO_TILE
        game["robbing"] = 0
        game["interrupted"] = 1
        game["ippatsu"][:] = 0
        if not game["riichi"][seat]:
            game["waits"][seat] = waits(lookup, game["hand"][seat], np.int64(game["n_melds"][seat]))
        game["phase"] = r.PHASE_TURN
        game["asked"] = 0
        game["pending"] = 0
        ask(game, seat, np.int64(0), np.int64(0))


def after_kongs(games: np.ndarray, seats: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """Return GAME[n]: copies of positions in which each seat has made a kong and not yet drawn its replacement.

    games GAME[n], at a claim or turn of seats u8[n]; actions i64[n]: legal open, closed and added kongs. A new dora
    indicator is not shown yet, and an added kong may still be robbed.
    """
    after = games.copy()
    _kong(get_lookup(), after, seats.astype(np.int64), actions.astype(np.int64))
    return after
