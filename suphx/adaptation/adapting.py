"""`Adapter`: adapts copies of the policy to positions, keeps them near the original, and checks them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import torch
from pydantic import Field, model_validator

from suphx.adaptation.players import OriginalAgent, PolicyCopy
from suphx.adaptation.rollouts import FinishedRollouts, RolloutPosition, roll_out, rollouts_of
from suphx.adaptation.steps import StepsConfig, interpolate, step
from suphx.config import Config
from suphx.learning.distributions import divergence, log_probabilities
from suphx.reward.kinds import AnyReward, RoundRewards, default_reward

#: Assumption until measured: doubling the rollouts side by side takes 2^0.6 times as long, as passes are fuller.
_GROWTH = 0.6


class AdaptationConfig(Config):
    """How a policy is adapted to a hand. The discard network adapts, as in the paper's self-play."""

    renamed: ClassVar[dict[str, str]] = {"certain": "max_confidence"}

    deals: int = Field(default=250, ge=1)
    """Number of random deals of the hidden tiles to learn from."""
    copies: int = Field(default=4, ge=2)
    """Rollouts per deal, with different random numbers: the paper's number of trajectories is deals x copies. The mean
    of the others of a deal is the baseline of each."""
    temperature: float = Field(default=1.0, gt=0)
    """Sampling temperature in rollouts; the policy at this temperature is the one that adapts. The paper samples from
    the policy itself (1); below 1 rollouts are more like play, which takes the most likely actions. For networks
    trained only on human games, such as `sl`, 0.5 is better: at 1 rollouts mostly teach to be more confident. If a
    training used 0.5 as its `start_temperature`, 1 has the same effect."""
    max_confidence: float = Field(default=1.0, gt=0, le=1)
    """Skip decisions whose most likely action has a higher probability than this (at temperature 1)."""
    steps: StepsConfig = Field(default_factory=StepsConfig)
    """The gradient steps on the rollouts."""
    bound: float = Field(default=0.03, gt=0)
    """Upper bound of KL(original, adapted) in nats, averaged over held-out decisions: weights that are farther away are
    moved back towards the original's."""
    check_deals: int = Field(default=250, ge=0)
    """Held-out deals on which the adapted copy is compared with the original, and dropped if its mean gain is more than
    a standard error below 0: what is clearly worse. 0 for no check."""
    reward: AnyReward = Field(default_factory=default_reward)
    """The reward of a rollout, as in self-play: `{kind: phi}`, `{kind: round}`, or a kind of your own."""

    @model_validator(mode="after")
    def _fits(self) -> AdaptationConfig:
        if self.check_deals == 1:
            raise ValueError("check_deals: one deal has no standard error; 0 is for no check")
        return self

    @property
    def rollouts(self) -> int:
        """Number of rollouts to learn from."""
        return self.deals * self.copies


class Stopwatch:
    """A stopwatch that starts when created."""

    def __init__(self, positions: int = 1, limit: float | None = None) -> None:
        """positions: number of positions that share the work. limit: seconds available for each of them, or None."""
        self._positions, self._limit = positions, limit
        self._start = time.perf_counter()

    @property
    def seconds(self) -> float:
        """The time so far, divided evenly among the positions."""
        return (time.perf_counter() - self._start) / self._positions

    def left(self, share: float = 1.0) -> float:
        """Return the total seconds left until this share of the limit; infinite without a limit."""
        return float("inf") if self._limit is None else self._positions * (share * self._limit - self.seconds)


class RolloutPace:
    """Predicts how long rollouts take, from the last measured time for each number of rollouts."""

    def __init__(self) -> None:
        self._seconds: dict[int, float] = {}

    def note(self, rollouts: int, seconds: float) -> None:
        """Record how long a number of rollouts took."""
        self._seconds[rollouts] = seconds

    def predicted(self, rollouts: int) -> float:
        """Predict the seconds for a number of rollouts from the nearest measured one; infinite without any."""
        if not self._seconds:
            return float("inf")
        near = min(self._seconds, key=lambda measured: max(measured, rollouts) / min(measured, rollouts))
        return self._seconds[near] * (rollouts / near) ** _GROWTH

    def affordable(self, wanted: int, seconds: float, each: int) -> int:
        """Return how many of the wanted deals, of `each` rollouts, there is time for: all, or a power of two, or 0."""
        if not wanted or seconds == float("inf") or self.predicted(wanted * each) <= seconds:
            return wanted
        fitting = [1 << n for n in range(wanted.bit_length()) if self.predicted((1 << n) * each) <= seconds]
        return min(fitting[-1], wanted) if fitting else 0


#: First numbers of a position's held-out deals and of the test deals of experiments; training deals start at 0.
CHECK_DEALS, TEST_DEALS = 1 << 32, 1 << 33
#: With a time limit: the share of it for rollouts, and the deals of the first part, which measures how long they take.
_ROLLOUT_SHARE, _MIN_DEALS = 0.5, 8
#: With fewer held-out deals a check would be meaningless.
_MIN_CHECK_DEALS = 16
#: A copy is dropped if its mean gain in the check is below this many standard errors: with 50 to 250 deals one of them
#: is several times a copy's gain, so 0 would decide nearly by chance, and more would discard most of the gain.
_CHECK_MARGIN = -1.0
#: Most times that the change from the original is halved to respect the bound; beyond that the original is used.
_HALVINGS = 12


@dataclass(frozen=True)
class Adaptation:
    """The result of adapting to one position."""

    copy: PolicyCopy
    """The copy after the gradient steps, within the bound."""
    distance: float
    """KL(original, copy) in nats, averaged over held-out decisions; NaN if there was no time for it."""
    gain: float
    """Mean reward of the copy minus that of the original on held-out deals; NaN without a check."""
    error: float
    passed: bool
    """Whether the copy passed the check and is to be played."""
    rollouts: int
    seconds: float = 0.0
    """Time of all of it, divided evenly among the positions adapted to together."""


class Adapter:
    """Adapts an agent's policy to positions, and compares copies with the original on the same deals."""

    def __init__(self, original: OriginalAgent, config: AdaptationConfig, rewards: RoundRewards, seed: int) -> None:
        """seed: random seed of deals and of sampling in rollouts; it makes adaptation to a position reproducible."""
        self.original, self.config, self.rewards, self.seed = original, config, rewards, seed
        self._pace = RolloutPace()

    def adapt(self, positions: Sequence[RolloutPosition], seconds: float | None = None) -> list[Adaptation]:
        """Return an adapted copy of the policy for each position; positions share the networks' passes.

        seconds: approximate time limit per position; if it is too short for all deals, fewer are played, and if there
        is no time for a check, nothing is changed. The result then depends on the machine's speed.
        """
        stopwatch = Stopwatch(len(positions), seconds)
        parts = self._roll_in_time(positions, stopwatch)
        copies = [self.learn(parts, number) for number in range(len(positions))]
        rollouts = sum(len(part.rewards) for part in parts) // len(positions)
        # Each held-out deal is played by the original, and again by the copy where that acts differently.
        checks = self._pace.affordable(self.config.check_deals, stopwatch.left() / 2, len(positions))
        if checks < min(_MIN_CHECK_DEALS, self.config.check_deals):
            unchanged = Adaptation(self.original.policy, np.nan, np.nan, np.nan, False, rollouts, stopwatch.seconds)
            return [unchanged] * len(positions)
        checked = self.check(self.held_out(positions, checks), copies, rollouts)
        seconds = stopwatch.seconds
        return [replace(each, seconds=seconds) for each in checked]

    def _roll_in_time(self, positions: Sequence[RolloutPosition], stopwatch: Stopwatch) -> list[FinishedRollouts]:
        """Return all configured rollouts, or as many as there is time for; each of them is played to its end.

        They are started in parts, because stopping unfinished ones would bias the sample towards short rounds.
        """
        parts: list[FinishedRollouts] = []
        done, each = 0, self.config.copies * len(positions)
        while done < self.config.deals:
            wanted = self.config.deals - done
            deals = self._pace.affordable(wanted, stopwatch.left(_ROLLOUT_SHARE), each)
            if deals < _MIN_DEALS and parts:
                break
            deals = min(max(deals, _MIN_DEALS), wanted)
            start = time.perf_counter()
            parts.append(self.roll(positions, done, deals))
            self._pace.note(deals * each, time.perf_counter() - start)
            done += deals
        return parts

    def roll(self, positions: Sequence[RolloutPosition], first: int, deals: int) -> FinishedRollouts:
        """Play rollouts to learn from: `deals` deals of each position, from number `first` on."""
        config, greedy = self.config, self.original.greedy
        own = [self.original.sampling(config.temperature)] * len(positions)
        rollouts = rollouts_of(len(positions), deals, first, config.copies)
        return roll_out(positions, rollouts, own, greedy, self.rewards, self.seed, True, config.max_confidence)

    def learn(self, parts: Sequence[FinishedRollouts], position: int, shuffled: bool = False) -> PolicyCopy:
        """Return the copy that gradient steps on formula 6 produce from the original.

        parts: rollouts of different deals. shuffled: permute the rewards among them: a control that learns nothing.
        """
        pairs = [part.advantages(position, self.seed if shuffled else None) for part in parts]
        decisions, advantage = (np.concatenate(each) for each in zip(*pairs, strict=True))
        original, config = self.original, self.config
        network, precision = original.policy.network, original.precision
        return original.copy(
            step(network, decisions, advantage, config.steps, config.temperature, precision, self.seed)
        )

    def held_out(self, positions: Sequence[RolloutPosition], deals: int) -> FinishedRollouts:
        """Play held-out deals with the original; even without a check some are needed to measure distances."""
        return self.play(positions, deals or _MIN_CHECK_DEALS, CHECK_DEALS)

    def play(self, positions: Sequence[RolloutPosition], deals: int, first: int) -> FinishedRollouts:
        """Play `deals` deals of each position greedily with the original, from number `first` on."""
        rollouts, greedy = rollouts_of(len(positions), deals, first), self.original.greedy
        return roll_out(positions, rollouts, [greedy] * len(positions), greedy, self.rewards, self.seed, record=True)

    def gains(self, play: FinishedRollouts, copies: Sequence[PolicyCopy]) -> np.ndarray:
        """Return f64[positions, deals]: the gain of each position's copy over the original, deal by deal.

        The original plays the other seats. A round in which the copy would act alike throughout is not replayed.
        """
        differs = np.zeros(len(play.rollouts), np.bool_)
        for number, copy in enumerate(copies):
            decisions = play.decisions(number)
            logits = copy.evaluator.logits(np.ascontiguousarray(decisions["planes"]))
            greedy = np.where(decisions["legal"], logits, -np.inf).argmax(axis=1)
            differs[decisions["trajectory"][greedy != decisions["action"]]] = True
        rows = np.flatnonzero(differs)
        own = [self.original.player(copy) for copy in copies]
        replayed = roll_out(play.positions, play.rollouts[rows], own, self.original.greedy, self.rewards, self.seed)
        gains = np.zeros(len(play.rollouts))
        gains[rows] = replayed.rewards - play.rewards[rows]
        return gains.reshape(len(copies), -1)

    def check(self, play: FinishedRollouts, copies: Sequence[PolicyCopy], rollouts: int) -> list[Adaptation]:
        """Bring copies within the bound, and drop those that lose on held-out deals; rollouts: number learned from."""
        bounded = [self._bounded(play.decisions(number), copy) for number, copy in enumerate(copies)]
        if not self.config.check_deals:
            return [Adaptation(copy, distance, np.nan, np.nan, True, rollouts) for copy, distance in bounded]
        results = []
        for (copy, distance), gains in zip(bounded, self.gains(play, [copy for copy, _ in bounded]), strict=True):
            mean, error = float(gains.mean()), float(gains.std(ddof=1) / len(gains) ** 0.5)
            passed = mean >= _CHECK_MARGIN * error  # also if no held-out deal went differently
            results.append(Adaptation(copy, distance, mean, error, passed, rollouts))
        return results

    def _bounded(self, decisions: np.ndarray, copy: PolicyCopy) -> tuple[PolicyCopy, float]:
        """Return a copy within the bound from the original, and its distance."""
        policy, near = self.original.policy, copy
        for halvings in range(1, _HALVINGS + 1):
            distance = self._distance(decisions, near)
            if distance <= self.config.bound:
                return near, distance
            near = self.original.copy(interpolate(policy.network, copy.network, 0.5**halvings))
        return policy, 0.0

    def _distance(self, decisions: np.ndarray, copy: PolicyCopy) -> float:
        """Return the mean of KL(original, copy) over decisions, in nats; 0 without decisions."""
        if not len(decisions):
            return 0.0
        legal = torch.from_numpy(np.array(decisions["legal"]))
        planes = np.ascontiguousarray(decisions["planes"])
        first, second = (
            log_probabilities(torch.from_numpy(each.evaluator.logits(planes) / self.config.temperature), legal)
            for each in (self.original.policy, copy)
        )
        return float(divergence(first, second).mean())
