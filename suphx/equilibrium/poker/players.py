"""Players of hold'em, by name: probabilities of their actions for many hands at once."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from simulator.jit import jit
from suphx.equilibrium.poker.equity import by_thresholds, chances
from suphx.equilibrium.poker.holdem import legal
from suphx.errors import InputError

#: A player: hands that are not over, and a seed -> f32[n, 6], probabilities of the mover's actions.
PokerPlayer = Callable[[np.ndarray, int], np.ndarray]
#: Random deals of one estimate of the chance to win.
DEALS = 60
#: Deviation of the rule agent's actions about five times its chance to win.
DEVIATION = 1.0


@jit
def legal_actions(hands, out):
    """Write to out bool[n, 6] the legal actions of each hand's mover."""
    for k in range(len(hands)):
        legal(hands[k], out[k])


def _chances(hands: np.ndarray, seed: int) -> np.ndarray:
    out = np.empty(len(hands), np.float32)
    chances(hands, seed, DEALS, out)
    return out


def _legal(hands: np.ndarray) -> np.ndarray:
    out = np.empty((len(hands), 6), np.bool_)
    legal_actions(hands, out)
    return out


def random_player(hands: np.ndarray, seed: int) -> np.ndarray:
    """Any legal action."""
    can = _legal(hands)
    return (can / can.sum(1, keepdims=True)).astype(np.float32)


def fold_player(hands: np.ndarray, seed: int) -> np.ndarray:
    """Folds whatever there is to fold to, and checks otherwise; pays blinds only."""
    return np.eye(6, dtype=np.float32)[np.where(_legal(hands)[:, 0], 0, 1)]


def rule_player(hands: np.ndarray, seed: int) -> np.ndarray:
    """DeepFool's rule: a normal distribution about five times the chance to win, over the six actions by boldness."""
    bold = np.exp(-((np.arange(6) - 5 * _chances(hands, seed)[:, None]) ** 2) / (2 * DEVIATION**2))
    bold[:, 1] += np.where(_legal(hands)[:, 0], 0, bold[:, 0])  # who need not fold checks
    bold = bold * _legal(hands)
    return (bold / bold.sum(1, keepdims=True)).astype(np.float32)


@jit
def _all_by_thresholds(hands, won, call, bet, out):
    can = np.empty(6, np.bool_)
    for k in range(len(hands)):
        legal(hands[k], can)
        out[k] = by_thresholds(can, won[k], call, bet)


def equity_player(call: float, bet: float) -> PokerPlayer:
    """Return neuron_poker's player by thresholds: bets from one chance to win on, calls from another."""

    def player(hands: np.ndarray, seed: int) -> np.ndarray:
        chosen = np.empty(len(hands), np.int64)
        _all_by_thresholds(hands, _chances(hands, seed), call, bet, chosen)
        return np.eye(6, dtype=np.float32)[chosen]

    return player


def player_named(name: str) -> PokerPlayer:
    """Return `blueprint`, `fold`, `random`, `rule`, `equity:CALL/BET` (in %, as 50/80), or a policy from a file."""
    named = {"fold": fold_player, "random": random_player, "rule": rule_player}
    if name in named:
        return named[name]
    if name.startswith("equity:"):
        try:
            call, bet = (float(word) / 100 for word in name.removeprefix("equity:").split("/"))
        except ValueError:
            raise InputError(f"player {name!r}: thresholds are written like equity:50/80") from None
        return equity_player(call, bet)
    if name == "blueprint" or name.endswith(".npz"):
        from suphx.equilibrium.poker.blueprint import INCLUDED, BlueprintPlayer, load_blueprint

        return BlueprintPlayer(load_blueprint(INCLUDED if name == "blueprint" else Path(name)))
    from suphx.equilibrium.poker.policy_net import load_policy, probabilities

    network, _ = load_policy(Path(name))
    return lambda hands, seed: probabilities(network, hands)
