"""The rewards that come with the package: the points gained in a round, and the change of Phi.

With both, the four rewards of a round add up to zero, and the rewards of a game's rounds add up to the worth of the
finished game minus the worth at its start.
"""

import hashlib
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field

from simulator.rules import Rules
from simulator.tables import Ended
from suphx.errors import InputError
from suphx.reward.games import RULES_OF_REWARD, Games
from suphx.reward.kinds import RewardKind, RoundRewards
from suphx.reward.predictor import RewardPredictor

#: The reward predictor that comes with the package for self-play: what it predicts is ranks, 1.5 for the first place to
#: -1.5 for the last. Reviews show ranking points.
SHIPPED_PREDICTOR = Path(__file__).parents[1] / "weights" / "reward-rank.safetensors"


class RoundReward(RewardKind):
    """Reward: the points gained in the round, riichi bets included (RL-basic)."""

    kind: Literal["round"] = "round"
    """Which reward this is."""
    unit: float = Field(default=10_000, gt=0, allow_inf_nan=False)
    """Points that count as a reward of 1."""

    def load(self, rules: Rules) -> RoundRewards:
        """Return the reward, which is for all rules."""
        del rules
        return PointRewards(self.unit)


class PhiReward(RewardKind):
    """Reward: the change in the expected reward of the whole game (RL-1)."""

    kind: Literal["phi"] = "phi"
    """Which reward this is."""
    predictor: Path | None = None
    """File of the reward predictor, as made by `suphx reward`; by default one of ranks that comes with the package."""
    unit: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """What counts as a reward of 1, in units of the predictor's target; by default the standard deviation of its
    prizes."""

    def load(self, rules: Rules) -> RoundRewards:
        """Return the reward; raises InputError if its predictor cannot be used or was trained with other rules."""
        predictor = RewardPredictor.load(self.predictor or SHIPPED_PREDICTOR)
        predictor.check_rules(rules)
        return PhiRewards(predictor, self.unit)

    def fingerprints(self) -> dict[str, str]:
        """Return the hash of the predictor; raises InputError if it cannot be read."""
        path = self.predictor or SHIPPED_PREDICTOR
        try:
            return {"predictor": hashlib.sha256(path.read_bytes()).hexdigest()[:16]}
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror})") from error


class PointRewards(RoundRewards):
    """Points gained minus the mean over the four seats, since bets may be left on the table or taken from it."""

    units = "points"

    def __init__(self, unit: float) -> None:
        self.unit = unit

    def of(self, ended: Ended, games: Games) -> np.ndarray:
        """Return f64[n, 4]: points after each round (with leftover bets at a game's end) minus points before it."""
        del games
        gained = ended.results["scores"].astype(np.float64) - ended.records["start_scores"]
        return (gained - gained.mean(axis=1, keepdims=True)) / self.unit


class PhiRewards(RoundRewards):
    """Phi after the round minus Phi before it (paper, formula 4), in units of the predictor's target."""

    rules_used = RULES_OF_REWARD

    def __init__(self, predictor: RewardPredictor, unit: float | None = None) -> None:
        """unit: what counts as a reward of 1; by default the standard deviation of the prizes."""
        self.predictor = predictor
        self.unit = predictor.description.scale if unit is None else unit
        self.units = predictor.description.target.units
        self._errors = 0.0, 0

    def of(self, ended: Ended, games: Games) -> np.ndarray:
        """Return f64[n, 4]: Phi after each round minus Phi before it."""
        phi, rows = self.predictor.phi(games), np.arange(len(games))
        played = games.n_starts - ~games.ended
        before = np.arange(phi.shape[1]) < played[:, None]
        errors = (phi - phi[rows, played][:, None])[before & games.ended[:, None]]
        self._errors = self._errors[0] + float((errors**2).sum()), self._errors[1] + errors.size
        return (phi[rows, played] - phi[rows, played - 1]) / self.unit

    def take_errors(self) -> tuple[float, int]:
        """Return the errors of Phi in the games that have ended, and reset them; they are not part of the state."""
        errors, self._errors = self._errors, (0.0, 0)
        return errors
