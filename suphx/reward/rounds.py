"""What a round was worth to each seat: the reward that self-play learns from, of one of two kinds.

- `round` (RL-basic): the points that the seat gained in the round, riichi bets included.
- `phi` (RL-1): Phi after the round minus Phi before it (paper, formula 4), in units of the predictor's target.

With both, the four rewards of a round add up to zero, and the rewards of a game's rounds add up to the worth of the
finished game minus the worth at its start.
"""

from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from simulator.rules import Rules
from simulator.tables import Ended
from suphx.config import Config
from suphx.hashes import hash_of_file
from suphx.reward.games import START, Games
from suphx.reward.predictor import RewardPredictor

#: The reward predictor that comes with the package for self-play: what it predicts is ranks, 1.5 for the first place to
#: -1.5 for the last. Reviews show ranking points.
SHIPPED_PREDICTOR = Path(__file__).parents[1] / "weights" / "reward-rank.safetensors"
#: Initial capacity in rounds per game; it grows if a game is longer.
_ROUNDS = 16


class RoundReward(Config):
    """Reward: the points gained in the round (RL-basic)."""

    kind: Literal["round"] = "round"
    """Which reward this is."""
    unit: float = Field(default=10_000, gt=0, allow_inf_nan=False)
    """Points that count as a reward of 1."""


class PhiReward(Config):
    """Reward: the change in the expected reward of the whole game (RL-1)."""

    kind: Literal["phi"] = "phi"
    """Which reward this is."""
    predictor: Path | None = None
    """File of the reward predictor, as made by `suphx reward`; by default one of ranks that comes with the package."""
    unit: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """What counts as a reward of 1, in units of the predictor's target; by default the spread of its prizes."""


RewardConfig = Annotated[RoundReward | PhiReward, Field(discriminator="kind")]


class Rewards:
    """Computes the rewards of each round at a batch of tables, in the order in which the rounds end."""

    unit: float
    """What counts as a reward of 1."""
    units: str
    """The unit of measurement of `unit`."""

    def of(self, ended: Ended) -> np.ndarray:
        """Return f32[n, 4]: the reward of each seat for the rounds that ended in a step. Call it once per step."""
        raise NotImplementedError

    def take_errors(self) -> tuple[float, int]:
        """Return the sum of squared errors of predictions in the games that have ended since, and their number.

        What was expected at the start of each round, against the game's result, in the predictor's units.
        """
        return 0.0, 0

    def state(self) -> dict[str, np.ndarray]:
        """Return the state that games in progress need, as plain arrays; empty if a round's record is enough."""
        return {}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Resume from what `state` returned."""


def load_predictor(config: RewardConfig, rules: Rules) -> RewardPredictor | None:
    """Return the reward predictor of a configuration, or None if it needs none.

    Raises InputError if the predictor cannot be used or was trained for games with other rules.
    """
    if isinstance(config, RoundReward):
        return None
    predictor = RewardPredictor.load(config.predictor or SHIPPED_PREDICTOR)
    predictor.check_rules(rules)
    return predictor


def predictor_hash(config: RewardConfig) -> dict[str, str]:
    """Return the hash of the reward predictor, by name, if one is used; raises InputError if it cannot be read."""
    if isinstance(config, RoundReward):
        return {}
    return {"predictor": hash_of_file(config.predictor or SHIPPED_PREDICTOR)}


def make_rewards(config: RewardConfig, slots: int, predictor: RewardPredictor | None) -> Rewards:
    """Return the rewards of a configuration. slots: number of tables. predictor: what `load_predictor` returned."""
    if predictor is None:
        assert isinstance(config, RoundReward)
        return RoundRewards(config.unit)
    return PhiRewards(predictor, slots, config.unit)


class RoundRewards(Rewards):
    """Points gained minus the mean over the four seats, since bets may be left on the table or taken from it."""

    units = "points"

    def __init__(self, unit: float) -> None:
        self.unit = unit

    def of(self, ended: Ended) -> np.ndarray:
        """Return f32[n, 4]: points after each round (with leftover bets at a game's end) minus points before it."""
        gained = ended.results["scores"].astype(np.float64) - ended.records["start_scores"]
        gained -= gained.mean(axis=1, keepdims=True)
        return (gained / self.unit).astype(np.float32)


class PhiRewards(Rewards):
    """Differences of Phi. Keeps the start of every round of each game in progress, which is all the predictor reads."""

    def __init__(self, predictor: RewardPredictor, slots: int, unit: float | None = None) -> None:
        """slots: number of tables. unit: what counts as a reward of 1; by default the spread of the prizes."""
        self.predictor = predictor
        self.unit = predictor.description.scale if unit is None else unit
        self.units = predictor.description.target.units
        self._starts = np.zeros((slots, _ROUNDS), START)
        self._errors = 0.0, 0

    def of(self, ended: Ended) -> np.ndarray:
        """Return f32[n, 4]: Phi after each round minus Phi before it."""
        played = ended.records["deals"].astype(np.int64)
        if int(played.max(initial=0)) >= self._starts.shape[1]:
            more = np.zeros_like(self._starts)
            self._starts = np.concatenate([self._starts, more], axis=1)
        self._note(ended, played)
        starts = self._starts[ended.game]
        starts[np.arange(starts.shape[1]) > played[:, None]] = np.zeros((), START)  # left by a longer game before
        scores = ended.results["scores"]
        games = Games(starts, np.where(ended.finished, played, played + 1), ended.finished, scores)
        phi = self.predictor.phi(games)
        self._note_errors(phi, played, ended.finished)
        rows = np.arange(len(played))
        return ((phi[rows, played] - phi[rows, played - 1]) / self.unit).astype(np.float32)

    def _note(self, ended: Ended, played: np.ndarray) -> None:
        """Store how the rounds that ended had started, and how the next rounds start."""
        records, before, after = ended.records, np.zeros(len(ended), START), np.zeros(len(ended), START)
        before["scores"], before["bets"] = records["start_scores"], records["start_bets"]
        after["scores"], after["bets"] = records["scores"], records["bets"]
        for name in ("round", "repeat_counter"):
            before[name], after[name] = ended.results[name], records[name]
        self._starts[ended.game, played - 1] = before
        self._starts[ended.game, played] = after

    def _note_errors(self, phi: np.ndarray, played: np.ndarray, finished: np.ndarray) -> None:
        """Compare Phi before each round of finished games with the games' results; phi is [n, rounds, 4]."""
        before = np.arange(phi.shape[1]) < played[:, None]
        came = phi[np.arange(len(phi)), played][:, None]
        missed = np.asarray(phi - came, np.float64)[before & finished[:, None]]
        self._errors = self._errors[0] + float((missed**2).sum()), self._errors[1] + missed.size

    def take_errors(self) -> tuple[float, int]:
        """Return the errors of Phi in the games that have ended, and reset them; they are not part of the state."""
        found, self._errors = self._errors, (0.0, 0)
        return found

    def state(self) -> dict[str, np.ndarray]:
        """Return how the rounds of the games in progress started: u8[slots, rounds x START]."""
        return {"starts": self._starts.copy().view(np.uint8)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Resume from what `state` returned."""
        self._starts = state["starts"].copy().view(START)
