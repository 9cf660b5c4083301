"""What a round was worth to each seat: the reward that self-play learns from, by switch.

- `round` (RL-basic): the points that the seat gained in the round, riichi bets included.
- `phi` (RL-1): Phi after the round less Phi before it (paper, formula 4), in units of the predictor's target.

Either way the four rewards of a round add up to zero, and those of a game's rounds to what the game was worth less
what its start was worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Protocol

import numpy as np
from pydantic import Field

from simulator.rules import Rules
from simulator.tables import Ended
from suphx.config import Config
from suphx.hashes import hash_of_file
from suphx.reward.games import START, Games
from suphx.reward.predictor import RewardPredictor

#: The reward predictor that comes with the package.
SHIPPED_PREDICTOR = Path(__file__).parents[1] / "weights" / "reward.safetensors"
#: Rounds of a game that there is room for at first; a longer game makes more.
_ROUNDS = 16


class RoundReward(Config):
    """The points gained in the round (RL-basic)."""

    kind: Literal["round"] = "round"
    """Which reward this is."""
    unit: float = Field(default=10_000, gt=0, allow_inf_nan=False)
    """Points of the table that count as a reward of 1."""


class PhiReward(Config):
    """The change of the expected reward of the whole game (RL-1)."""

    kind: Literal["phi"] = "phi"
    """Which reward this is."""
    predictor: Path | None = None
    """File of the reward predictor, as `suphx reward` makes it; by default the one that comes with the package."""
    unit: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """What counts as a reward of 1, in units of the predictor's target; by default the spread of its prizes."""


RewardConfig = Annotated[RoundReward | PhiReward, Field(discriminator="kind")]


def worth_of(config: RewardConfig) -> str:
    """Return what rewards are, in words that a critic's file carries: its values are no others."""
    return f"{config.kind}, unit {'of the predictor' if config.unit is None else format(config.unit, 'g')}"


@dataclass(frozen=True)
class Errors:
    """What was expected of games as their rounds began, against what they came to; in the predictor's units."""

    square: float = 0.0
    """Sum of squared differences over rounds and seats."""
    count: int = 0
    """How many there are: none where rewards expect nothing."""

    def figures(self) -> dict[str, float]:
        """Return the root of their mean by name; nothing without any."""
        return {"phi_error": (self.square / self.count) ** 0.5} if self.count else {}


class Rewards(Protocol):
    """Gives each round of a batch of tables its rewards, in the order in which the rounds end."""

    unit: float
    """What counts as a reward of 1."""
    units: str
    """What `unit` is counted in."""

    def of(self, ended: Ended) -> np.ndarray:
        """Return f32[n, 4]: the reward of each seat for the rounds that ended in a step. To be asked once a step."""
        ...

    def take_errors(self) -> Errors:
        """Return by how much games came to something else than was expected, since this was last asked."""
        ...

    def state(self) -> dict[str, np.ndarray]:
        """Return what must be kept of games in progress, as plain arrays."""
        ...

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Go on from what `state` returned."""
        ...


def load_predictor(config: RewardConfig, rules: Rules) -> RewardPredictor | None:
    """Return the reward predictor of a configuration, None if it needs none.

    Raises InputError for one that cannot be used, or was trained for games of other rules.
    """
    if isinstance(config, RoundReward):
        return None
    predictor = RewardPredictor.load(config.predictor or SHIPPED_PREDICTOR)
    predictor.check_rules(rules)
    return predictor


def predictor_hash(config: RewardConfig) -> dict[str, str]:
    """Return the hash of the reward predictor, by name, if one is used; raises InputError where it cannot be read."""
    if isinstance(config, RoundReward):
        return {}
    return {"predictor": hash_of_file(config.predictor or SHIPPED_PREDICTOR)}


def make_rewards(config: RewardConfig, slots: int, predictor: RewardPredictor | None) -> Rewards:
    """Return the rewards of a configuration, for a batch of so many tables; predictor: as `load_predictor` returned."""
    if predictor is None:
        assert isinstance(config, RoundReward)
        return RoundRewards(config.unit)
    return PhiRewards(predictor, slots, config.unit)


class RoundRewards:
    """Points gained, the mean of the four subtracted: bets may be left on the table, or be taken from it."""

    units = "points"

    def __init__(self, unit: float) -> None:
        self.unit = unit

    def of(self, ended: Ended) -> np.ndarray:
        """Return f32[n, 4]: points after each round, leftover bets included at a game's end, less those before it."""
        gained = ended.results["scores"].astype(np.float64) - ended.records["start_scores"]
        gained -= gained.mean(axis=1, keepdims=True)
        return (gained / self.unit).astype(np.float32)

    def take_errors(self) -> Errors:
        """Return none: nothing is expected."""
        return Errors()

    def state(self) -> dict[str, np.ndarray]:
        """Return nothing: a round's record says all."""
        return {}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take nothing."""


class PhiRewards:
    """Differences of Phi. Of each game in progress it keeps how its rounds started: all that the predictor reads."""

    def __init__(self, predictor: RewardPredictor, slots: int, unit: float | None = None) -> None:
        """slots: tables of the batch. unit: what counts as 1; by default the spread of the prizes."""
        self.predictor = predictor
        self.unit = predictor.description.scale if unit is None else unit
        self.units = predictor.description.target.units
        self._starts = np.zeros((slots, _ROUNDS), START)
        self._errors = Errors()

    def of(self, ended: Ended) -> np.ndarray:
        """Return f32[n, 4]: Phi after each round less Phi before it."""
        played = ended.records["deals"].astype(np.int64)
        if int(played.max(initial=0)) >= self._starts.shape[1]:
            more = np.zeros_like(self._starts)
            self._starts = np.concatenate([self._starts, more], axis=1)
        self._note(ended, played)
        starts = self._starts[ended.game]
        starts[np.arange(starts.shape[1]) > played[:, None]] = np.zeros((), START)  # of the slot's longer game before
        scores = ended.results["scores"]
        games = Games(starts, np.where(ended.finished, played, played + 1), ended.finished, scores)
        phi = self.predictor.phi(games)
        self._note_errors(phi, played, ended.finished)
        rows = np.arange(len(played))
        return ((phi[rows, played] - phi[rows, played - 1]) / self.unit).astype(np.float32)

    def _note(self, ended: Ended, played: np.ndarray) -> None:
        """Note how the rounds that ended had started, and how those after them start."""
        records, before, after = ended.records, np.zeros(len(ended), START), np.zeros(len(ended), START)
        before["scores"], before["bets"] = records["start_scores"], records["start_bets"]
        after["scores"], after["bets"] = records["scores"], records["bets"]
        for name in ("round", "repeat_counter"):
            before[name], after[name] = ended.results[name], records[name]
        self._starts[ended.game, played - 1] = before
        self._starts[ended.game, played] = after

    def _note_errors(self, phi: np.ndarray, played: np.ndarray, finished: np.ndarray) -> None:
        """Hold Phi before each round of the games that are over against what they came to; phi [n, rounds, 4]."""
        before = np.arange(phi.shape[1]) < played[:, None]
        came = phi[np.arange(len(phi)), played][:, None]
        missed = np.asarray(phi - came, np.float64)[before & finished[:, None]]
        self._errors = Errors(self._errors.square + float((missed**2).sum()), self._errors.count + missed.size)

    def take_errors(self) -> Errors:
        """Return by how much Phi was off in the games that have ended; forgotten here, and not part of the state."""
        found, self._errors = self._errors, Errors()
        return found

    def state(self) -> dict[str, np.ndarray]:
        """Return how the rounds of the games in progress started: u8[slots, rounds x START]."""
        return {"starts": self._starts.copy().view(np.uint8)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Go on from what `state` returned."""
        self._starts = state["starts"].copy().view(START)
