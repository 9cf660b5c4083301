"""The two simplest players: any legal action, and always the drawn tile."""

import numpy as np

from simulator.jit import jit
from simulator.record import ACTIONS, DISCARD_DRAWN, PASS, RON, TSUMO
from simulator.walls import below, mix2


@jit
def decision_key(seed, game, seat):
    """Return a decision's random number key, which depends only on (seed, game, deal, seat, decision number)."""
    place = np.int64(game["deals"]) << 32 | np.int64(seat) << 16 | np.int64(game["decisions"][seat])
    return mix2(mix2(np.uint64(seed), game["seed"]), place)


@jit
def choose_random(games, index, seats, legal, seed, actions):
    """Write a uniformly random legal action for each decision into `actions` i64[n]."""
    for n in range(len(index)):
        row = legal[n]
        count = 0
        for action in range(ACTIONS):
            count += row[action]
        chosen = below(decision_key(seed, games[index[n]], seats[n]), 0, count)
        for action in range(ACTIONS):
            if row[action]:
                if chosen == 0:
                    actions[n] = action
                    break
                chosen -= 1


@jit
def choose_tsumogiri(games, index, seats, legal, seed, actions):
    """Win if possible, never call, never declare riichi, and always discard the drawn tile."""
    for n in range(len(index)):
        row = legal[n]
        if row[TSUMO]:
            actions[n] = TSUMO
        elif row[RON]:
            actions[n] = RON
        elif row[PASS]:
            actions[n] = PASS
        else:
            actions[n] = DISCARD_DRAWN
