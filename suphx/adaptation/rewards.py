"""The reward of a round for the seat that adapts: Phi after it minus Phi before it, or the points gained."""

from collections.abc import Sequence

import numpy as np

from simulator.rules import Rules
from suphx.adaptation.positions import Position
from suphx.errors import InputError
from suphx.reward.games import RULES_OF_REWARD, START, Games
from suphx.reward.predictor import RewardPredictor
from suphx.reward.rounds import RewardConfig, load_predictor, make_rewards


class Rewards:
    """Computes the rewards of rounds by a configuration, as in self-play (`reward.rounds`)."""

    def __init__(self, config: RewardConfig, rules: Rules) -> None:
        """Raises InputError for a predictor that is unusable or was trained for other rules."""
        self.predictor = load_predictor(config, rules)
        self._rules = rules.to_record()
        rewards = make_rewards(config, 1, self.predictor)
        self.unit, self.units = rewards.unit, rewards.units

    def check(self, game: np.void) -> None:
        """Raise InputError if a game, GAME, is played by rules other than those the predictor was trained for."""
        for name in RULES_OF_REWARD if self.predictor is not None else ():
            if game["rules"][name] != self._rules[name]:
                raise InputError(f"rules: {name} is another here than in the reward predictor's training games")

    def of(self, positions: Sequence[Position], which: np.ndarray, ended: np.ndarray) -> np.ndarray:
        """Return f64[n]: the reward of each round for the seat of its position.

        which: i64[n], the index of each round's position. ended: GAME[n] after the payments, as in `Ended.records`.
        """
        seats = np.array([position.seat for position in positions])[which]
        rows = np.arange(len(which))
        if self.predictor is None:
            gained = ended["result"]["scores"].astype(np.float64) - ended["start_scores"]
            return (gained - gained.mean(axis=1, keepdims=True))[rows, seats] / self.unit
        return _phi_gained(self.predictor, positions, which, ended)[rows, seats] / self.unit


def _phi_gained(
    predictor: RewardPredictor, positions: Sequence[Position], which: np.ndarray, ended: np.ndarray
) -> np.ndarray:
    """Return f64[n, 4]: Phi after each round minus Phi before it."""
    lengths = np.array([len(position.history) for position in positions])
    before = np.zeros((len(positions), lengths.max() + 1), START)
    for row, position in zip(before, positions, strict=True):
        row[: len(position.history)] = position.history
    rows, played = np.arange(len(which)), lengths[which]
    starts = before[which]
    after = np.zeros(len(which), START)
    after["scores"], after["bets"] = ended["scores"], ended["bets"]
    after["round"], after["repeat_counter"] = ended["round"], ended["repeat_counter"]
    finished = ended["result"]["game_over"] == 1
    starts[rows, played] = after
    starts[rows[finished], played[finished]] = np.zeros((), START)
    games = Games(starts, np.where(finished, played, played + 1), finished, ended["result"]["scores"])
    phi = predictor.phi(games)
    return phi[rows, played] - phi[rows, played - 1]
