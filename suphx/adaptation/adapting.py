"""`Adapter`: adapts copies of the policy to positions, keeps them near the original, and tests them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch

from suphx.adaptation.clock import Clock, Pace
from suphx.adaptation.comparing import Deals, Played
from suphx.adaptation.config import AdaptationConfig, StepsConfig
from suphx.adaptation.learned_part import Stems
from suphx.adaptation.objective import advantages
from suphx.adaptation.players import Copy, Original
from suphx.adaptation.positions import Position
from suphx.adaptation.rollouts import SIDE_BY_SIDE, Rolled, roll_out, rollouts_of
from suphx.adaptation.steps import between, step
from suphx.adaptation.worth import Worth
from suphx.learning.experience import PATH, Batch, join
from suphx.learning.policy_gradient import divergence, legal_answers, log_probabilities
from suphx.networks.sizes import OUTPUTS

#: First numbers of a position's held-out deals and of the test deals of experiments; training deals start at 0.
CHECK_DEALS, TEST_DEALS = 1 << 32, 1 << 33
#: With a time limit: the share of it for rollouts, and the deals of the first part, which measures how long they take.
_ROLLOUT_SHARE, _FEWEST_DEALS = 0.5, 8
#: With fewer held-out deals a check would be meaningless.
_LEAST_CHECKED = 16
#: Most times that the change from the original is halved to respect the bound; beyond that the original is used.
_HALVINGS = 12


@dataclass(frozen=True)
class Adapted:
    """The result of adapting to one position."""

    copy: Copy
    """The copy to play with: the adapted one, or the previous one if that was dropped."""
    proposed: Copy
    """The copy that the gradient steps produced, within the bound, before the check."""
    distance: float
    """KL(original, proposed) in nats, averaged over held-out questions; the maximum over the models that adapt;
    NaN if there was no time for it."""
    gain: float
    """Mean reward of the proposed copy minus that of the previous one on held-out deals; NaN without a check."""
    error: float
    """Standard error of the gain."""
    kept: bool
    rollouts: int
    """Number of rollouts learned from."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Time of each part of the work, divided evenly among the positions adapted to together."""


@dataclass(frozen=True)
class Lessons:
    """Rollouts to learn from, with their rewards."""

    rolled: Rolled
    rewards: np.ndarray
    """f64[rollouts]"""

    def of(self, position: int) -> tuple[Batch, np.ndarray]:
        """Return a position's questions, with one path per rollout, and the deal of each path u64[paths]."""
        mine = np.flatnonzero(self.rolled.rollouts["position"] == position)
        number = np.full(len(self.rewards), -1)
        number[mine] = np.arange(len(mine))
        experience = {}
        for model, each in self.rolled.experience.items():
            rows = each[number[each["path"]] >= 0]
            rows["path"] = number[rows["path"]]
            experience[model] = rows
        paths = np.zeros(len(mine), PATH)
        paths["reward"] = self.rewards[mine]
        return Batch(paths, experience), self.rolled.rollouts["deal"][mine]


@dataclass(frozen=True)
class Taught:
    """The training data of one position, shared by all ways of learning that are compared."""

    batch: Batch
    """Its questions, with one path per rollout."""
    deals: np.ndarray
    """u64[paths]: the deal of each path."""
    before: Copy
    """The copy that its seat plays with so far, from which the steps start."""
    stems: dict[str, Stems]
    """By model."""


class Adapter:
    """Adapts an agent's policy to positions."""

    def __init__(
        self,
        original: Original,
        config: AdaptationConfig,
        worth: Worth,
        seed: int,
        side_by_side: int = SIDE_BY_SIDE,
    ) -> None:
        """seed: random seed of deals and of sampling in rollouts; it makes adaptation to a position reproducible."""
        self.original, self.config, self.worth, self.seed = original, config, worth, seed
        self.deals = Deals(original, worth, seed, side_by_side)
        self._pace = Pace()

    def adapt(
        self, positions: Sequence[Position], before: Sequence[Copy] | None = None, seconds: float | None = None
    ) -> list[Adapted]:
        """Return an adapted copy of the policy for each position; positions share the networks' passes.

        before: the copy that each seat plays with so far, if any: it plays the rollouts, and steps start from it.
        seconds: approximate time limit per position; if it is too short for all deals, fewer are played, and if there
        is no time for a check, nothing is changed. The result then depends on the machine's speed.
        """
        before = before or [self.original.itself] * len(positions)
        clock = Clock(len(positions), seconds)
        lessons = self._lessons(positions, before, clock)
        clock.note("rollouts")
        learned = [self.learn(self.taught(lessons, place, each)) for place, each in enumerate(before)]
        clock.note("steps")
        rollouts = sum(len(each.rewards) for each in lessons) // len(positions)
        # Each held-out deal is played by the previous copy, and again by the new one where that answers differently.
        checks = self._pace.affordable(self.config.check_deals, clock.left() / 2, len(positions))
        if checks < min(_LEAST_CHECKED, self.config.check_deals):
            return [Adapted(each, each, np.nan, np.nan, np.nan, False, rollouts, clock.seconds) for each in before]
        played = self.held_out(positions, before, checks)
        found = self.try_out(played, before, learned, rollouts)
        clock.note("check")
        return [replace(each, seconds=clock.seconds) for each in found]

    def _lessons(self, positions: Sequence[Position], before: Sequence[Copy], clock: Clock) -> list[Lessons]:
        """Return all configured rollouts, or as many as there is time for; each of them is played to its end.

        They are started in parts, because stopping unfinished ones would bias the sample towards short rounds.
        """
        parts: list[Lessons] = []
        done, each = 0, self.config.copies * len(positions)
        while done < self.config.deals:
            wanted = self.config.deals - done
            more = self._pace.affordable(wanted, clock.left(_ROLLOUT_SHARE), each)
            if more < _FEWEST_DEALS and parts:
                break
            more = min(max(more, _FEWEST_DEALS), wanted)
            started = time.perf_counter()
            parts.append(self.roll(positions, before, done, more))
            self._pace.note(more * each, time.perf_counter() - started)
            done += more
        return parts

    def roll(self, positions: Sequence[Position], before: Sequence[Copy], first: int, deals: int) -> Lessons:
        """Play rollouts to learn from: `deals` deals of each position, from number `first` on."""
        config = self.config
        drawing = [self.original.player(copy, config.models, config.temperature) for copy in _shared(before)]
        own = [drawing[place] for place in _places(before)]
        rollouts = rollouts_of(len(positions), deals, first, config.copies)
        rolled = roll_out(
            positions, rollouts, own, self.original.playing, self.seed, config.models, config.certain,
            self.deals.side_by_side,
        )  # fmt: skip
        return Lessons(rolled, self.worth.of(positions, rollouts["position"].astype(np.int64), rolled.ended))

    def taught(self, lessons: Sequence[Lessons], position: int, before: Copy) -> Taught:
        """Collect a position's training data; lessons: parts with different deals. before: the copy its seat plays."""
        batches, deals = zip(*(each.of(position) for each in lessons), strict=True)
        batch = join(batches)
        return Taught(batch, np.concatenate(deals), before, {model: Stems() for model in batch.experience})

    def learn(self, taught: Taught, shuffled: bool = False, steps: StepsConfig | None = None) -> Copy:
        """Return the copy that gradient steps on formula 6 produce from the one a seat plays with so far.

        shuffled: permute the rewards at random among the rollouts, a control from which nothing can be learned.
        steps: used instead of those of the configuration.
        """
        config, precision = steps or self.config.steps, self.original.precision
        rewards = taught.batch.paths["reward"].astype(np.float64)
        if shuffled:
            rewards = np.random.default_rng([self.seed, len(rewards)]).permutation(rewards)
        advantage = advantages(rewards, taught.deals if config.baseline == "deal" else np.zeros(len(rewards)))
        networks, temperature = self.original.networks | taught.before.networks, self.config.temperature
        learned = {}
        for model, each in taught.batch.experience.items():
            network, stems = networks[model], taught.stems[model]
            mine = advantage[each["path"]]
            learned[model] = step(network, each, mine, config, temperature, precision, self.seed, stems)
        return self.original.copy(learned)

    def held_out(self, positions: Sequence[Position], before: Sequence[Copy], deals: int) -> Played:
        """Play held-out deals with the previous copies; even without a check some are needed to measure distances."""
        return self.deals.play(positions, before, deals or _LEAST_CHECKED, CHECK_DEALS, self.config.models)

    def try_out(self, played: Played, before: Sequence[Copy], learned: Sequence[Copy], rollouts: int) -> list[Adapted]:
        """Bring copies within the bound, test them on held-out deals, and drop those outside the margin."""
        config = self.config
        proposed, distances = [], []
        for place, copy in enumerate(learned):
            near, distance = self._bounded(played, place, copy)
            proposed.append(near)
            distances.append(distance)
        if not config.check_deals:
            return [
                Adapted(copy, copy, distance, np.nan, np.nan, True, rollouts)
                for copy, distance in zip(proposed, distances, strict=True)
            ]
        gains = self.deals.gains(played, proposed)
        found = []
        for place, row in enumerate(gains):
            mean, error = float(row.mean()), float(row.std(ddof=1) / len(row) ** 0.5)
            kept = mean >= config.check_margin * error  # also if no held-out deal went differently
            copy = proposed[place] if kept else before[place]
            found.append(Adapted(copy, proposed[place], distances[place], mean, error, kept, rollouts))
        return found

    def _bounded(self, played: Played, position: int, copy: Copy) -> tuple[Copy, float]:
        """Return a copy within the bound from the original, and its distance."""
        networks, share, original = copy.networks, 1.0, self.original
        for _ in range(_HALVINGS):
            near = {model: between(original.networks[model], each, share) for model, each in networks.items()}
            found = original.copy(near) if share < 1 else copy
            distance = max(self._distance(played.questions(position, model), model, found) for model in networks)
            if distance <= self.config.bound:
                return found, distance
            share /= 2
        return original.itself, 0.0

    def _distance(self, asked: np.ndarray, model: str, copy: Copy) -> float:
        """Return the mean of KL(original, copy) over questions, in nats; 0 without questions."""
        if not len(asked):
            return 0.0
        legal = torch.from_numpy(legal_answers(asked["legal"], OUTPUTS[model]))
        planes = np.ascontiguousarray(asked["planes"])
        first, second = (
            log_probabilities(torch.from_numpy(logits / self.config.temperature), legal)
            for logits in (self.original.logits(model, planes), copy.calls[model](planes))
        )
        return float(divergence(first, second).mean())


def _shared(copies: Sequence[Copy]) -> list[Copy]:
    """Return the distinct copies, each once."""
    return list({id(copy): copy for copy in copies}.values())


def _places(copies: Sequence[Copy]) -> list[int]:
    """Return the index of each copy in `_shared`."""
    place = {id(copy): number for number, copy in enumerate(_shared(copies))}
    return [place[id(copy)] for copy in copies]
