"""The two simplest players: any legal action, and always the drawn tile."""

from simulator.jit import jit
from simulator.record import ACTIONS, DISCARD_DRAWN, PASS, RON, TSUMO
from simulator.walls import below, decision_key


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
