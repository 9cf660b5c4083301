"""Kinds of reward: what a round was worth to each seat, for self-play and for run-time adaptation.

A kind is a configuration class, registered by name in `REWARDS`; `load` makes it ready for a set of rules. A reward is
computed from the rounds that ended and from the starts of their games' rounds, so it needs no state of its own.
`docs/extending.md` adds one from a user's file.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import PlainValidator, SerializeAsAny
from pydantic_core import PydanticCustomError

from simulator.rules import Rules
from simulator.tables import Ended
from suphx.config import Config
from suphx.reward import REWARDS
from suphx.reward.games import START, Games, joined_games

#: Initial capacity in rounds per game; it grows if a game is longer.
_ROUNDS = 16


class RoundRewards(ABC):
    """Computes the rewards of rounds."""

    unit = 1.0
    """What counts as a reward of 1, in `units`."""
    units = "rewards"
    rules_used: ClassVar[tuple[str, ...]] = ()
    """Fields of `Rules` that a game must share with the rules that the reward was loaded for."""

    @abstractmethod
    def of(self, ended: Ended, games: Games) -> np.ndarray:
        """Return f[n, 4]: the seats' rewards for n rounds that ended; games: up to the next start if one goes on."""

    def take_errors(self) -> tuple[float, int]:
        """Return the sum of squared errors, in `units`, of predictions in games that ended since, and their number."""
        return 0.0, 0


class RewardKind(Config):
    """Base class of the configurations of rewards."""

    kind: str
    """Which reward this is."""

    def load(self, rules: Rules) -> RoundRewards:
        """Return the reward for some rules, picklable; raises InputError if something is missing or does not fit."""
        raise NotImplementedError

    def fingerprints(self) -> dict[str, str]:
        """Return the hashes of the files that it reads, by name; raises InputError if one cannot be read."""
        return {}


def default_reward() -> RewardKind:
    """Return the reward that is used unless a configuration chooses another: the change of Phi."""
    return REWARDS["phi"](kind="phi")


def _validate(value: Any) -> RewardKind:
    if isinstance(value, RewardKind):
        return value
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str):
        names = ", ".join(each.name for each in REWARDS)
        raise PydanticCustomError("reward", f"must be a mapping with `kind`, one of {names}")
    return REWARDS[kind].model_validate(value)


#: A configuration's field for a reward of any registered kind.
AnyReward = Annotated[SerializeAsAny[RewardKind], PlainValidator(_validate)]


def start_of_rounds(games: np.ndarray) -> np.ndarray:
    """Return START[n]: how rounds in play at tables, GAME[n], started."""
    starts = np.zeros(len(games), START)
    starts["scores"], starts["bets"] = games["start_scores"], games["start_bets"]
    starts["round"], starts["repeat_counter"] = games["round"], games["repeat_counter"]
    return starts


def games_after(starts: np.ndarray, played: np.ndarray, ended: Ended) -> Games:
    """Return the games of n rounds that ended.

    starts: START[n, k], how the rounds of each game started. played: i64[n], their numbers, below k, the ended round
    included.
    """
    starts = starts.copy()
    starts[np.arange(starts.shape[1]) >= played[:, None]] = np.zeros((), START)
    records, going_on = ended.records, ~ended.finished
    next_starts = np.zeros(len(ended), START)
    next_starts["scores"], next_starts["bets"] = records["scores"], records["bets"]
    next_starts["round"], next_starts["repeat_counter"] = records["round"], records["repeat_counter"]
    starts[np.flatnonzero(going_on), played[going_on]] = next_starts[going_on]
    return Games(starts, played + going_on, ended.finished, ended.results["scores"])


class TableRewards:
    """The rewards of rounds at a batch of tables: remembers how the rounds of each game in progress started."""

    def __init__(self, rewards: RoundRewards, slots: int) -> None:
        """slots: number of tables."""
        self._rewards = rewards
        self._starts = np.zeros((slots, _ROUNDS), START)

    def of(self, ended: Ended) -> np.ndarray:
        """Return f32[n, 4]: the reward of each seat for the rounds that ended in a step. Call it once per step."""
        return self.of_several([(ended, self.note(ended))])

    def of_several(self, steps: Sequence[tuple[Ended, Games]]) -> np.ndarray:
        """Return the rewards of the rounds that ended in some steps, with what `note` returned of each.

        A predictor takes hardly longer for the rounds of fifty steps than for those of one.
        """
        ended = Ended(*(np.concatenate(each) for each in zip(*((e.game, e.records) for e, _ in steps), strict=True)))
        return self._rewards.of(ended, joined_games([games for _, games in steps])).astype(np.float32)

    def note(self, ended: Ended) -> Games:
        """Return the games of the rounds that ended in a step, so far. Call it once per step."""
        played = ended.records["deals"].astype(np.int64)
        if int(played.max(initial=0)) >= self._starts.shape[1]:
            self._starts = np.concatenate([self._starts, np.zeros_like(self._starts)], axis=1)
        before = start_of_rounds(ended.records)
        for name in ("round", "repeat_counter"):  # the record has those of the next round
            before[name] = ended.results[name]
        self._starts[ended.game, played - 1] = before
        return games_after(self._starts[ended.game], played, ended)

    def take_errors(self) -> tuple[float, int]:
        """Return the errors of predictions, as `RoundRewards.take_errors`."""
        return self._rewards.take_errors()

    def state(self) -> dict[str, np.ndarray]:
        """Return how the rounds of the games in progress started: u8[slots, rounds x START]."""
        return {"starts": self._starts.copy().view(np.uint8)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Resume from what `state` returned; earlier checkpoints of round points, which need no starts, have none."""
        if state:
            self._starts = state["starts"].copy().view(START)
