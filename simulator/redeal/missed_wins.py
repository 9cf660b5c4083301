"""Wins that a seat has missed, from its waits and the tiles that have passed: for furiten and for riichi hands."""

import numpy as np

from simulator import record as r
from simulator.asking import MISSED_IN_RIICHI, MISSED_NOW, may_rob
from simulator.jit import jit


@jit
def _lies_open(game):
    """Return the number of the event whose tile may be claimed now, so that nobody has passed on it yet; -1 if none."""
    if game["phase"] != r.PHASE_CLAIM and game["phase"] != r.PHASE_KONG_CLAIM:
        return np.int64(-1)
    number = np.int64(game["n_events"]) - 1
    while game["events"][number] & 15 == r.EVENT_DORA:
        number -= 1
    return number


@jit
def _could_be_won_on(game, seat, event):
    """Return whether another seat's event showed a tile that a seat waits for and could have won on."""
    what, kind = event & 15, event >> 10
    shown = what == r.EVENT_DISCARD or what == r.EVENT_ADDED_KONG or what == r.EVENT_CLOSED_KONG
    return shown and game["waits"][seat] >> kind & 1 != 0 and may_rob(game, seat, event >> 4 & 3, kind)


@jit
def set_missed(game, seat):
    """Write a seat's furiten by missed wins, from the tiles that have passed and the waits that it has now."""
    lies_open = _lies_open(game)
    missed = 0
    in_riichi = False
    for n in range(np.int64(game["n_events"])):
        event = np.int64(game["events"][n])
        if event >> 4 & 3 == seat:
            in_riichi = in_riichi or event & 15 == r.EVENT_RIICHI
            if event & 15 == r.EVENT_DISCARD:
                missed &= MISSED_IN_RIICHI
        elif n != lies_open and _could_be_won_on(game, seat, event):
            missed |= MISSED_NOW | MISSED_IN_RIICHI if in_riichi else MISSED_NOW
    game["missed"][seat] = missed


@jit
def has_let_a_win_go(game, seat):
    """Return whether a seat in riichi has missed a win since it declared, given its current hand and waits.

    Riichi is a yaku, so every tile that it waits for would have won: each such tile that it has drawn and, unless it is
    furiten (waits for one of its own discards), each that another seat has shown.
    """
    lies_open = _lies_open(game)
    waited = np.int64(game["waits"][seat])
    river = np.int64(0)
    declared, in_riichi = False, False  # in riichi from the declaring discard on
    for n in range(np.int64(game["n_events"])):
        event = np.int64(game["events"][n])
        what, kind = event & 15, event >> 10
        if event >> 4 & 3 == seat:
            if what == r.EVENT_RIICHI:
                declared = True
            elif what == r.EVENT_DISCARD:
                if in_riichi and waited >> kind & 1:
                    return True
                river |= np.int64(1) << kind
                in_riichi = declared
        elif in_riichi and n != lies_open and waited & river == 0 and _could_be_won_on(game, seat, event):
            return True
    return False
