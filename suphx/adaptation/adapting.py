"""`Adapter`: adapts copies of the policy to positions, keeps them near the original, and tests them."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from suphx.adaptation.config import AdaptationConfig, StepsConfig
from suphx.adaptation.players import DISCARD, Copy, Original
from suphx.adaptation.positions import Position
from suphx.adaptation.rewards import rewards_of
from suphx.adaptation.rollouts import Rolled, roll_out, rollouts_of
from suphx.adaptation.steps import advantages, between, step
from suphx.agent.flow import Network
from suphx.learning.policy_gradient import divergence, legal_answers, log_probabilities
from suphx.networks.models import OUTPUTS
from suphx.reward.kinds import RoundRewards

#: Assumption until measured: doubling the rollouts side by side takes 2^0.6 times as long, as passes are fuller.
_GROWTH = 0.6


class Clock:
    """A stopwatch that starts when created."""

    def __init__(self, share: int = 1, limit: float | None = None) -> None:
        """share: number of positions that share the work. limit: seconds available for each of them, or None."""
        self._share, self._limit = share, limit
        self._begun = time.perf_counter()

    @property
    def seconds(self) -> float:
        """The time so far, divided evenly among the positions."""
        return (time.perf_counter() - self._begun) / self._share

    def left(self, part: float = 1.0) -> float:
        """Return the total seconds left until a fraction `part` of the limit; infinite without a limit."""
        if self._limit is None:
            return float("inf")
        return self._share * (part * self._limit - self.seconds)


class Pace:
    """Predicts how long rollouts take, from the last measured time for each number of rollouts."""

    def __init__(self) -> None:
        self._seen: dict[int, float] = {}

    def note(self, rollouts: int, seconds: float) -> None:
        """Record how long a number of rollouts took."""
        self._seen[rollouts] = seconds

    def predicted(self, rollouts: int) -> float:
        """Predict the seconds for a number of rollouts from the nearest measured one; infinite without any."""
        if not self._seen:
            return float("inf")
        near = min(self._seen, key=lambda seen: max(seen, rollouts) / min(seen, rollouts))
        return self._seen[near] * (rollouts / near) ** _GROWTH

    def affordable(self, wanted: int, seconds: float, each: int) -> int:
        """Return how many of the wanted deals there is time for: all, or a power of two, or 0.

        each: rollouts per deal.
        """
        if not wanted or seconds == float("inf") or self.predicted(wanted * each) <= seconds:
            return wanted
        fitting = [1 << n for n in range(wanted.bit_length()) if self.predicted((1 << n) * each) <= seconds]
        return min(fitting[-1], wanted) if fitting else 0


#: First numbers of a position's held-out deals and of the test deals of experiments; training deals start at 0.
CHECK_DEALS, TEST_DEALS = 1 << 32, 1 << 33
#: With a time limit: the share of it for rollouts, and the deals of the first part, which measures how long they take.
_ROLLOUT_SHARE, _FEWEST_DEALS = 0.5, 8
#: With fewer held-out deals a check would be meaningless.
_LEAST_CHECKED = 16
#: A copy is dropped if its mean gain in the check is below this many standard errors: with 50 to 250 deals one of them
#: is several times a copy's gain, so 0 would decide nearly by chance, and more would discard most of the gain.
_CHECK_MARGIN = -1.0
#: Most times that the change from the original is halved to respect the bound; beyond that the original is used.
_HALVINGS = 12


@dataclass(frozen=True)
class Adapted:
    """The result of adapting to one position."""

    proposed: Copy
    """The copy that the gradient step produced, within the bound."""
    distance: float
    """KL(original, proposed) in nats, averaged over held-out questions; NaN if there was no time for it."""
    gain: float
    """Mean reward of the proposed copy minus that of the original on held-out deals; NaN without a check."""
    error: float
    """Standard error of the gain."""
    kept: bool
    """Whether the copy passed the check and is to be played."""
    rollouts: int
    """Number of rollouts learned from."""
    seconds: float = 0.0
    """Time of all of it, divided evenly among the positions adapted to together."""


@dataclass(frozen=True)
class Rewarded:
    """Rollouts to learn from, with their rewards."""

    rolled: Rolled
    rewards: np.ndarray
    """f32[rollouts]"""

    def of(self, position: int, shuffled_by: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return a position's questions, and the advantage of each answer f64[questions].

        shuffled_by: random seed by which the rewards are permuted among the position's rollouts.
        """
        rollouts = self.rolled.rollouts
        mine = np.flatnonzero(rollouts["position"] == position)
        rewards = self.rewards[mine]
        if shuffled_by is not None:
            rewards = np.random.default_rng([shuffled_by, len(rewards)]).permutation(rewards)
        advantage = np.zeros(len(rollouts))
        advantage[mine] = advantages(rewards, rollouts["deal"][mine])
        asked = self.rolled.questions(position)
        return asked, advantage[asked["trajectory"]]


@dataclass(frozen=True)
class Played:
    """Deals of some positions, played by the original."""

    positions: Sequence[Position]
    rolled: Rolled
    rewards: np.ndarray
    """f64[positions, deals]: the reward of each deal."""


class Adapter:
    """Adapts an agent's policy to positions, and compares copies with the original on the same deals."""

    def __init__(self, original: Original, config: AdaptationConfig, rewards: RoundRewards, seed: int) -> None:
        """seed: random seed of deals and of sampling in rollouts; it makes adaptation to a position reproducible."""
        self.original, self.config, self.rewards, self.seed = original, config, rewards, seed
        self._pace = Pace()

    def adapt(self, positions: Sequence[Position], seconds: float | None = None) -> list[Adapted]:
        """Return an adapted copy of the policy for each position; positions share the networks' passes.

        seconds: approximate time limit per position; if it is too short for all deals, fewer are played, and if there
        is no time for a check, nothing is changed. The result then depends on the machine's speed.
        """
        clock = Clock(len(positions), seconds)
        rewarded = self._rewarded(positions, clock)
        learned = [self.learn(rewarded, place) for place in range(len(positions))]
        rollouts = sum(len(each.rewards) for each in rewarded) // len(positions)
        # Each held-out deal is played by the original, and again by the copy where that answers differently.
        checks = self._pace.affordable(self.config.check_deals, clock.left() / 2, len(positions))
        if checks < min(_LEAST_CHECKED, self.config.check_deals):
            itself = self.original.itself
            return [Adapted(itself, np.nan, np.nan, np.nan, False, rollouts, clock.seconds)] * len(positions)
        found = self.try_out(self.held_out(positions, checks), learned, rollouts)
        seconds = clock.seconds
        return [replace(each, seconds=seconds) for each in found]

    def _rewarded(self, positions: Sequence[Position], clock: Clock) -> list[Rewarded]:
        """Return all configured rollouts, or as many as there is time for; each of them is played to its end.

        They are started in parts, because stopping unfinished ones would bias the sample towards short rounds.
        """
        parts: list[Rewarded] = []
        done, each = 0, self.config.copies * len(positions)
        while done < self.config.deals:
            wanted = self.config.deals - done
            more = self._pace.affordable(wanted, clock.left(_ROLLOUT_SHARE), each)
            if more < _FEWEST_DEALS and parts:
                break
            more = min(max(more, _FEWEST_DEALS), wanted)
            started = time.perf_counter()
            parts.append(self.roll(positions, done, more))
            self._pace.note(more * each, time.perf_counter() - started)
            done += more
        return parts

    def roll(self, positions: Sequence[Position], first: int, deals: int) -> Rewarded:
        """Play rollouts to learn from: `deals` deals of each position, from number `first` on."""
        config = self.config
        own = [self.original.drawing(config.temperature)] * len(positions)
        rollouts = rollouts_of(len(positions), deals, first, config.copies)
        rolled = roll_out(positions, rollouts, own, self.original.playing, self.seed, True, config.max_confidence)
        rewards = rewards_of(self.rewards, positions, rolled)
        return Rewarded(rolled, rewards.astype(np.float32))

    def learn(
        self,
        rewarded: Sequence[Rewarded],
        position: int,
        shuffled: bool = False,
        steps: StepsConfig | None = None,
    ) -> Copy:
        """Return the copy that a gradient step on formula 6 produces from the original.

        rewarded: parts with different deals. shuffled: permute the rewards at random among the rollouts, a control from
        which nothing can be learned. steps: used instead of those of the configuration.
        """
        parts = [each.of(position, self.seed if shuffled else None) for each in rewarded]
        asked, advantage = (np.concatenate(each) for each in zip(*parts, strict=True))
        network = self.original.itself.network
        config, precision = self.config, self.original.precision
        return self.original.copy(
            step(network, asked, advantage, steps or config.steps, config.temperature, precision, self.seed)
        )

    def held_out(self, positions: Sequence[Position], deals: int) -> Played:
        """Play held-out deals with the original; even without a check some are needed to measure distances."""
        return self.play(positions, deals or _LEAST_CHECKED, CHECK_DEALS)

    def play(self, positions: Sequence[Position], deals: int, first: int) -> Played:
        """Play `deals` deals of each position, from number `first` on, with the original's likeliest answers."""
        rollouts = rollouts_of(len(positions), deals, first)
        playing = self.original.playing
        rolled = roll_out(positions, rollouts, [playing] * len(positions), playing, self.seed, keep=True)
        rewards = rewards_of(self.rewards, positions, rolled)
        return Played(positions, rolled, rewards.reshape(len(positions), deals))

    def gains(self, played: Played, copies: Sequence[Copy]) -> np.ndarray:
        """Return f64[positions, deals]: the gain of each position's copy over the original, deal by deal.

        The other three seats are played by the original. A round in which the copy would give the same answer to every
        question is unchanged, so it is not replayed.
        """
        rollouts = played.rolled.rollouts
        differs = np.zeros(len(rollouts), np.bool_)
        for number, copy in enumerate(copies):
            asked = played.rolled.questions(number)
            differs[asked["trajectory"][answers(copy.evaluator.logits, asked) != asked["action"]]] = True
        again = np.flatnonzero(differs)
        own = [self.original.player(copy) for copy in copies]
        rolled = roll_out(played.positions, rollouts[again], own, self.original.playing, self.seed)
        found = np.zeros(len(rollouts))
        found[again] = rewards_of(self.rewards, played.positions, rolled) - played.rewards.reshape(-1)[again]
        return found.reshape(played.rewards.shape)

    def try_out(self, played: Played, learned: Sequence[Copy], rollouts: int) -> list[Adapted]:
        """Bring copies within the bound, test them on held-out deals, and drop those outside the margin."""
        near = [self._bounded(played.rolled.questions(place), copy) for place, copy in enumerate(learned)]
        if not self.config.check_deals:
            return [Adapted(copy, distance, np.nan, np.nan, True, rollouts) for copy, distance in near]
        gains = self.gains(played, [copy for copy, _ in near])
        found = []
        for (copy, distance), row in zip(near, gains, strict=True):
            mean, error = float(row.mean()), float(row.std(ddof=1) / len(row) ** 0.5)
            kept = mean >= _CHECK_MARGIN * error  # also if no held-out deal went differently
            found.append(Adapted(copy, distance, mean, error, kept, rollouts))
        return found

    def _bounded(self, asked: np.ndarray, copy: Copy) -> tuple[Copy, float]:
        """Return a copy within the bound from the original, and its distance."""
        itself, near, share = self.original.itself, copy, 1.0
        for _ in range(_HALVINGS):
            distance = self._distance(asked, near)
            if distance <= self.config.bound:
                return near, distance
            share /= 2
            near = self.original.copy(between(itself.network, copy.network, share))
        return itself, 0.0

    def _distance(self, asked: np.ndarray, copy: Copy) -> float:
        """Return the mean of KL(original, copy) over questions, in nats; 0 without questions."""
        if not len(asked):
            return 0.0
        legal = torch.from_numpy(legal_answers(asked["legal"], OUTPUTS[DISCARD]))
        planes = np.ascontiguousarray(asked["planes"])
        first, second = (
            log_probabilities(torch.from_numpy(each.evaluator.logits(planes) / self.config.temperature), legal)
            for each in (self.original.itself, copy)
        )
        return float(divergence(first, second).mean())


def answers(network: Network, experience: np.ndarray) -> np.ndarray:
    """Return i64[n]: a network's likeliest answers to questions."""
    logits = network(np.ascontiguousarray(experience["planes"]))
    return np.where(legal_answers(experience["legal"], logits.shape[1]), logits, -np.inf).argmax(axis=1)
