"""The paper's experiment (section 4.3): adapt to each of many hands, and play other deals of it with and without.

Several ways of adapting learn from the same rollouts of a hand and are measured on the same deals: different steps, and
a control with shuffled rewards.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import torch
from pydantic import Field, ValidationError, model_validator

from simulator.rules import PRESETS, Rules
from simulator.walls import mix2
from suphx.adaptation.adapting import TEST_DEALS, Adapted, Adapter, Lessons
from suphx.adaptation.config import AdaptationConfig, StepsConfig
from suphx.adaptation.differences import Moment, find_differences
from suphx.adaptation.hands import Hand, HandsConfig, find_hands
from suphx.adaptation.learned_part import LearnedPart, Stems
from suphx.adaptation.notebook import HandResult, Notebook, Trial
from suphx.adaptation.players import Copy, Original
from suphx.adaptation.styles import compare_styles
from suphx.adaptation.worth import Worth
from suphx.agent.named_networks import fingerprint_of_networks
from suphx.config import Config
from suphx.threads import Shared, in_threads

#: Name of the way of adapting that the configuration itself describes.
ADAPTED = "adapted"
#: Test deals played at a time, whose questions are kept in memory until they are compared.
_TESTED = 4_000
#: Most deals of a hand on which two players are compared decision by decision.
_SHOWN = 200


class _TimedStems(Stems):
    """Stems that measure the time they save, so that each compared way can be charged what it would cost alone."""

    def __init__(self) -> None:
        super().__init__()
        self.saved = 0.0
        """Seconds that it would have taken to recompute the stems each time they were reused."""
        self._seconds: dict[int | None, float] = {}

    def inputs(self, part: LearnedPart, packed: np.ndarray) -> np.ndarray | torch.Tensor:
        """Return `part.inputs`, as in `Stems`."""
        started = time.perf_counter()
        found = super().inputs(part, packed)
        taken = time.perf_counter() - started
        longest = self._seconds[part.blocks] = max(self._seconds.get(part.blocks, 0.0), taken)
        self.saved += longest - taken
        return found


class Variant(Config):
    """Another way to learn from the same rollouts."""

    shuffled: bool = False
    """Learn from rewards permuted at random among the rollouts: a control that cannot help."""
    steps: StepsConfig | None = None
    """Its own steps; null for those of the configuration."""


class ExperimentConfig(Config):
    """Configuration of `suphx adapt`."""

    name: str = Field(default="adapt", pattern=r"^[\w.-]+$")
    """Name of the folder of results."""
    seed: int = Field(default=0, ge=0)
    """Random seed of the hands, of their deals and of sampled answers."""
    agent: str = "sl"
    """The agent that adapts, and that plays the other seats unchanged: a folder of weights, or a name."""
    rules: str = "tenhou"
    """Name of a preset of rules."""
    hands: list[HandsConfig] = Field(default=[HandsConfig()], min_length=1)
    """Which hands to adapt to."""
    adaptation: AdaptationConfig = Field(default_factory=AdaptationConfig)
    """How the agent adapts to each."""
    variants: dict[str, Variant] = Field(default={"shuffled": Variant(shuffled=True)})
    """Other ways of learning from the same rollouts, by name."""
    deals: int = Field(default=2_000, ge=2)
    """Number of test deals per hand."""
    more_hands: int = Field(default=0, ge=0)
    """Number of hands, evenly spread, that get more test deals."""
    more_deals: int = Field(default=10_000, ge=2)
    """Number of test deals for these hands."""
    together: int = Field(default=2, ge=1)
    """Hands processed together by a thread, sharing the networks' passes; affects only speed and memory."""

    @model_validator(mode="after")
    def _fits(self) -> ExperimentConfig:
        if self.rules not in PRESETS:
            raise ValueError(f"rules: no preset {self.rules!r}; the presets are {', '.join(PRESETS)}")
        if ADAPTED in self.variants:
            raise ValueError(f"variants: the name {ADAPTED!r} is reserved for the configuration itself")
        for name, variant in self.variants.items():
            try:
                self.adaptation.with_steps(variant.steps)
            except ValidationError as error:
                raise ValueError(f"variants.{name}: {error.errors()[0]['msg']}") from error
        return self

    def deals_of(self, number: int, hands: int) -> int:
        """Return the number of test deals of a hand; number: of the hand, hands: of all hands."""
        every = max(1, hands // self.more_hands) if self.more_hands else 0
        more = every and number % every == 0 and number // every < self.more_hands
        return self.more_deals if more else self.deals

    def controls(self) -> dict[str, str]:
        """Return the control with shuffled rewards that each other way is compared with, by name, if there is one.

        It is the first control with the same steps, or else the first of all.
        """
        ways = {ADAPTED: Variant(), **self.variants}
        shuffled = [name for name, way in ways.items() if way.shuffled]
        alike = {name: [each for each in shuffled if ways[each].steps == way.steps] for name, way in ways.items()}
        return {name: (alike[name] + shuffled)[0] for name in ways if shuffled and name not in shuffled}

    def settings(self) -> dict[str, object]:
        """Return everything that determines the numbers of every hand, as JSON values."""
        return self.model_dump(mode="json", exclude={"name", "together"})

    def fingerprints(self) -> dict[str, str]:
        """Return hashes that show whether the files behind the names (weights, predictor) have changed.

        Raises InputError if one cannot be read.
        """
        return {"weights": fingerprint_of_networks(self.agent)} | self.adaptation.fingerprints()


class Experiment:
    """Runs an experiment: finds the hands, adapts to each and measures the result."""

    def __init__(self, config: ExperimentConfig, original: Original) -> None:
        self.config, self.original = config, original
        self._rules = Rules.preset(config.rules)
        self.worth = Worth(config.adaptation.reward, self._rules)
        self._adapter = Adapter(original, config.adaptation, self.worth, config.seed)
        self._ways = {ADAPTED: Variant(), **config.variants}

    def hands(self) -> list[Hand]:
        """Return all hands, one situation after the other."""
        found: list[Hand] = []
        for number, each in enumerate(self.config.hands):  # different games for each
            seed = int(mix2(np.uint64(self.config.seed), np.uint64(number)))
            found += find_hands(each, self.original.playing, self._rules, seed)
        return found

    def run(
        self, hands: Sequence[Hand], notebook: Notebook, watch: Callable[[HandResult], None], threads: int = 1
    ) -> None:
        """Process all hands that are not in the notebook yet.

        watch: called with each result. threads: number of groups of `together` hands that are processed at the same
        time; it affects only speed and memory.
        """
        missing = [number for number in range(len(hands)) if number not in notebook.done]
        together = self.config.together
        groups = Shared(missing[first : first + together] for first in range(0, len(missing), together))

        def adapt(numbers: list[int]) -> list[HandResult]:
            return self._adapt([hands[number] for number in numbers], numbers, len(hands))

        with closing(in_threads(lambda: map(adapt, groups), threads, self.original.stop)) as found:
            for result in chain.from_iterable(found):
                notebook.add(result)
                watch(result)

    def changes(self, hand: Hand) -> list[Moment]:
        """Return where a hand's adapted copy decides differently from the original on test deals, clearest first."""
        adaptation, itself = self.config.adaptation, self.original.itself
        lessons = self._adapter.roll([hand.position], [itself], 0, adaptation.deals)
        learned = self._adapter.learn(self._adapter.taught([lessons], 0, itself))
        played = self._adapter.held_out([hand.position], [itself], adaptation.check_deals)
        (adapted,) = self._adapter.try_out(played, [itself], [learned], adaptation.rollouts)
        before, after = self.original.playing, self.original.player(adapted.proposed)
        deals = min(self.config.deals, _SHOWN)
        return find_differences([hand.position], before, [after], before, deals, self.config.seed, TEST_DEALS)

    def beside(self, other: Original) -> tuple[dict[str, Any], list[Moment]]:
        """Return how another agent plays the same hands, and where it decides differently, clearest first."""
        return compare_styles(self.hands(), self.original, other, self._adapter.deals, min(self.config.deals, _SHOWN))

    def _adapt(self, hands: Sequence[Hand], numbers: Sequence[int], of: int) -> list[HandResult]:
        adapter, adaptation = self._adapter, self.config.adaptation
        positions, before = [hand.position for hand in hands], [self.original.itself] * len(hands)
        started = time.perf_counter()
        lessons = adapter.roll(positions, before, 0, adaptation.deals)
        rollout_seconds = (time.perf_counter() - started) / len(hands)
        started = time.perf_counter()
        played = adapter.held_out(positions, before, adaptation.check_deals)
        held_out_seconds = (time.perf_counter() - started) / len(hands)
        learned, steps_seconds = self._learn(lessons, len(hands))
        found: dict[str, list[Adapted]] = {}
        check_seconds: dict[str, float] = {}
        for name, proposed in learned.items():
            started = time.perf_counter()
            found[name] = adapter.try_out(played, before, proposed, adaptation.rollouts)
            check_seconds[name] = held_out_seconds + (time.perf_counter() - started) / len(hands)
        results = []
        for place, (hand, number) in enumerate(zip(hands, numbers, strict=True)):
            deals = self.config.deals_of(number, of)
            copies = {name: each[place].proposed for name, each in found.items()}
            worth, gains = self._measure(hand, copies, deals)
            trials = {
                name: _trial(gains[name], each[place], steps_seconds[name], check_seconds[name])
                for name, each in found.items()
            }
            results.append(_result(number, hand, worth, adaptation.rollouts, rollout_seconds, trials))
        return results

    def _learn(self, lessons: Lessons, hands: int) -> tuple[dict[str, list[Copy]], dict[str, float]]:
        """Return each way's copy for each hand, and the seconds per hand that each way would take alone."""
        learned: dict[str, list[Copy]] = {name: [] for name in self._ways}
        seconds = dict.fromkeys(self._ways, 0.0)
        for place in range(hands):
            started = time.perf_counter()
            taught = self._adapter.taught([lessons], place, self.original.itself)
            stems = {model: _TimedStems() for model in taught.stems}
            taught = replace(taught, stems=dict(stems))
            shared = time.perf_counter() - started
            for name, way in self._ways.items():
                started, saved = time.perf_counter(), sum(each.saved for each in stems.values())
                learned[name].append(self._adapter.learn(taught, way.shuffled, way.steps))
                saved = sum(each.saved for each in stems.values()) - saved
                seconds[name] += (shared + time.perf_counter() - started + saved) / hands
        return learned, seconds

    def _measure(self, hand: Hand, copies: dict[str, Copy], deals: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the rewards of the original f64[deals], and the gains of each copy f64[deals]."""
        adapter, positions = self._adapter.deals, [hand.position]
        worth: list[np.ndarray] = []
        gains: dict[str, list[np.ndarray]] = {name: [] for name in copies}
        for first in range(0, deals, _TESTED):
            count = min(_TESTED, deals - first)
            played = adapter.play(
                positions, [self.original.itself], count, TEST_DEALS + first, self.config.adaptation.models
            )
            worth.append(played.worth[0])
            for name, copy in copies.items():
                gains[name].append(adapter.gains(played, [copy])[0])
        return np.concatenate(worth), {name: np.concatenate(each) for name, each in gains.items()}


def _trial(gains: np.ndarray, adapted: Adapted, steps_seconds: float, check_seconds: float) -> Trial:
    return Trial(
        gain=float(gains.mean()),
        error=float(gains.std(ddof=1) / len(gains) ** 0.5),
        differing=float((gains != 0).mean()),
        distance=adapted.distance,
        held_out=float(np.nan_to_num(adapted.gain)),
        held_out_error=float(np.nan_to_num(adapted.error)),
        kept=adapted.kept,
        steps_seconds=round(steps_seconds, 2),
        check_seconds=round(check_seconds, 2),
    )


def _result(
    number: int, hand: Hand, worth: np.ndarray, rollouts: int, rollout_seconds: float, trials: dict[str, Trial]
) -> HandResult:
    position = hand.position
    return HandResult(
        number=number,
        situation=hand.situation,
        kind=hand.kind,
        shanten=hand.shanten,
        round=int(position.game["round"]),
        seat=position.seat,
        dealer=bool(position.game["dealer"] == position.seat),
        scores=position.game["start_scores"].tolist(),
        deals=len(worth),
        worth=float(worth.mean()),
        spread=float(worth.std(ddof=1)),
        rollouts=rollouts,
        rollout_seconds=round(rollout_seconds, 2),
        trials=trials,
    )
