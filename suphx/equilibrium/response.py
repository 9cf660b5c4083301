"""What a policy is worth, and what best responses gain against it: exactly, over the whole game.

NashConv is the sum over players of what a best response gains; exploitability is NashConv divided by the number of
players (both as in OpenSpiel). In a two-player zero-sum game both are 0 for an equilibrium and nothing else.
"""

import numpy as np

from simulator.jit import jit
from suphx.equilibrium.flat_game import FlatGame
from suphx.equilibrium.kernels import follow, values


@jit
def _climb(arrays, player, best, policy, q):
    """Carry values up from the ends, by best actions or by the policy; best actions are written into policy."""
    for k in range(arrays.begin[player + 1] - 1, arrays.begin[player] - 1, -1):
        a, b = arrays.first[k], arrays.first[k + 1]
        if best:
            top = a
            for s in range(a + 1, b):
                if q[s] > q[top]:
                    top = s
            policy[a:b] = 0.0
            policy[top] = 1.0
            value = q[top]
        else:
            value = 0.0
            for s in range(a, b):
                value += q[s] * policy[s]
        q[arrays.parent[k]] += value


def reach_of(game: FlatGame, policy: np.ndarray) -> np.ndarray:
    """Return the probability of each sequence by its owner's decisions, f64[S]; policy f64[S]."""
    reach = np.ones(game.sequences)
    for player in range(game.players):
        follow(game.arrays, player, policy, reach, np.zeros(game.sequences), 0.0)
    return reach


def action_values(game: FlatGame, policy: np.ndarray, player: int, best: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return counterfactual values of a player's actions, f64[S], and the player's policy after them, f64[S].

    Everyone plays `policy`; with `best` the player responds best from each information set on. The value of the
    game to the player is entry `player` (the empty sequence).
    """
    q, own = np.zeros(game.sequences), policy.copy()
    values(game.arrays, player, reach_of(game, policy), q)
    _climb(game.arrays, player, best, own, q)
    return q, own


def game_values(game: FlatGame, policy: np.ndarray) -> list[float]:
    """Return what each player wins on average."""
    return [float(action_values(game, policy, player)[0][player]) for player in range(game.players)]


def gains(game: FlatGame, policy: np.ndarray) -> list[float]:
    """Return what a best response gains each player over `policy`."""
    best = [float(action_values(game, policy, player, best=True)[0][player]) for player in range(game.players)]
    return [won - value for won, value in zip(best, game_values(game, policy), strict=True)]


def nash_conv(game: FlatGame, policy: np.ndarray) -> float:
    """Return the sum of what best responses gain."""
    return sum(gains(game, policy))
