"""Decisions made by rules, not networks: wins, nine terminals, and which tile of a kind is discarded.

The win rule (paper, section 2.1): win, unless that ends the game with this seat in fourth place.
"""

from __future__ import annotations

import numpy as np

from simulator.jit import jit
from simulator.lookup import get_lookup
from simulator.record import (
    DISCARD_DRAWN,
    DISCARD_RED,
    GAME,
    PHASE_GAME_OVER,
    PHASE_ROUND_OVER,
    PHASE_TURN,
    RESULT_CLAIM_WIN,
    RESULT_DRAW_WIN,
    SEATS,
)
from simulator.rounds import finish_round
from simulator.shanten import shanten
from simulator.tiles import KINDS, RED_FIVE_KINDS, RED_FIVES

#: A hand with nine terminals and honours is played on, not aborted, up to this shanten number.
PLAYABLE_SHANTEN = 2


@jit
def ends_fourth(game, seat, trial):
    """Return whether a win now ends the game with the seat in fourth place; `trial`: a scratch copy, overwritten."""
    result = trial["result"]
    win = result["wins"][0]
    by_draw = trial["phase"] == PHASE_TURN
    result["type"] = RESULT_DRAW_WIN if by_draw else RESULT_CLAIM_WIN
    result["n_wins"] = 1
    win["seat"] = seat
    win["source"] = trial["turn"]
    win["tile"] = trial["drawn"] if by_draw else trial["claim_tile"]
    trial["rules"]["ura_dora"] = 0
    trial["phase"] = PHASE_ROUND_OVER
    finish_round(trial)
    return trial["phase"] == PHASE_GAME_OVER and result["ranks"][seat] == SEATS - 1


@jit
def _fill_ends_fourth(games, index, seats, trials, out):
    for n in range(len(index)):
        trials[0] = games[index[n]]
        out[n] = ends_fourth(games[index[n]], np.int64(seats[n]), trials[0])


def win_ends_in_fourth_place(games: np.ndarray, index: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Return bool[n]: whether the win that each seat could take now would end the game with it in fourth place.

    games: GAME[...], index i32[n], seats u8[n]. The round is paid and the game settled on a copy, with bets, repeat
    counters and liability. Only what the seat can see is counted: no ura dora, and no other seat winning on the same
    tile. Either may happen, but neither is likely enough to change the decision.
    """
    out = np.zeros(len(index), np.bool_)
    if len(index):
        _fill_ends_fourth(games, index, seats, np.zeros(1, GAME), out)
    return out


@jit
def _fill_shanten(lookup, games, index, seats, out):
    for n in range(len(index)):
        game = games[index[n]]
        out[n] = shanten(lookup, game["hand"][seats[n]], np.int64(game["n_melds"][seats[n]]))


def abort_for_nine_terminals(games: np.ndarray, index: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Return bool[n]: whether each seat that may declare nine terminals does so.

    It does if the hand is three or more tiles away from tenpai in every form, thirteen orphans included.
    """
    out = np.zeros(len(index), np.int64)
    if len(index):
        _fill_shanten(get_lookup(), games, index, seats, out)
    return out > PLAYABLE_SHANTEN


def drawn_tiles(games: np.ndarray, index: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """Return i64[n]: the tile just drawn if it may be discarded, else -1."""
    return np.where(legal[:, DISCARD_DRAWN], games["drawn"][index].astype(np.int64), -1)


def legal_kinds(legal: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Return bool[n, 34]: the kinds that may be discarded; legal bool[n, ACTIONS], drawn as from `drawn_tiles`."""
    kinds = legal[:, :KINDS].copy()
    kinds[:, list(RED_FIVE_KINDS)] |= legal[:, DISCARD_RED:DISCARD_DRAWN]
    rows = np.flatnonzero(drawn >= 0)
    kinds[rows, drawn[rows] >> 2] = True
    return kinds


def discard_actions(legal: np.ndarray, drawn: np.ndarray, red_fives: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """Return i64[n]: the action that discards a tile of the chosen kinds i64[n].

    A red five is kept if a plain one can be discarded instead. Of equal tiles the one just drawn is discarded, which
    shows that the hand has not changed, as most players at Tenhou do. red_fives: bool[n], whether the game has any.
    """
    rows = np.arange(len(kinds))
    is_drawn = (drawn >= 0) & (drawn >> 2 == kinds)
    drawn_is_red = is_drawn & red_fives & np.isin(drawn, RED_FIVES)
    red = DISCARD_RED + kinds // 9
    from_hand = np.where(legal[rows, kinds], kinds, red)
    return np.where(is_drawn & ~(drawn_is_red & legal[rows, kinds]), DISCARD_DRAWN, from_hand)
