"""The paper's experiment (section 4.3): adapt to each of many hands, and play other deals of it with and without.

Several ways of adapting learn from the same rollouts of a hand and are measured on the same deals: another step, and
a control with shuffled rewards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing

import numpy as np
from pydantic import Field, model_validator

from simulator.rules import PRESETS, Rules
from simulator.walls import mix2
from suphx.adaptation.adapting import TEST_DEALS, Adapted, Adapter, Clock
from suphx.adaptation.config import AdaptationConfig, StepsConfig
from suphx.adaptation.hands import Hand, HandsConfig, find_hands
from suphx.adaptation.notebook import HandResult, Notebook, Trial
from suphx.adaptation.players import Copy, Original
from suphx.agent import DEFAULT_AGENT
from suphx.agent.network_agent import fingerprint_of_networks
from suphx.config import Config
from suphx.threads import Shared, in_threads

#: Name of the way of adapting that the configuration itself describes.
ADAPTED = "adapted"
#: Test deals played at a time, whose questions are kept in memory until they are compared.
_TESTED = 4_000


class Variant(Config):
    """Another way to learn from the same rollouts."""

    shuffled: bool = False
    """Learn from rewards permuted at random among the rollouts: a control that cannot help."""
    steps: StepsConfig | None = None
    """Its own step; null for that of the configuration."""


class ExperimentConfig(Config):
    """Configuration of `suphx adapt`."""

    name: str = Field(default="adapt", pattern=r"^[\w-][\w.-]*$")
    """Name of the folder of results."""
    seed: int = Field(default=0, ge=0)
    """Random seed of the hands, of their deals and of sampled answers."""
    agent: str = DEFAULT_AGENT
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

    @model_validator(mode="after")
    def _fits(self) -> ExperimentConfig:
        if self.rules not in PRESETS:
            raise ValueError(f"rules: no preset {self.rules!r}; the presets are {', '.join(PRESETS)}")
        if ADAPTED in self.variants:
            raise ValueError(f"variants: the name {ADAPTED!r} is reserved for the configuration itself")
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
        return self.model_dump(mode="json", exclude={"name"})

    def fingerprints(self) -> dict[str, str]:
        """Return hashes that show whether the files behind the names (weights, predictor) have changed.

        Raises InputError if one cannot be read.
        """
        return {"weights": fingerprint_of_networks(self.agent)} | self.adaptation.reward.fingerprints()


class Experiment:
    """Runs an experiment: finds the hands, adapts to each and measures the result."""

    def __init__(self, config: ExperimentConfig, original: Original) -> None:
        self.config, self.original = config, original
        self._rules = Rules.preset(config.rules)
        self.rewards = config.adaptation.reward.load(self._rules)
        self.adapter = Adapter(original, config.adaptation, self.rewards, config.seed)
        self._ways = {ADAPTED: Variant(), **config.variants}

    def hands(self) -> list[Hand]:
        """Return all hands, one situation after the other."""
        found: list[Hand] = []
        for number, each in enumerate(self.config.hands):  # different games for each
            seed = int(mix2(np.uint64(self.config.seed), np.uint64(number)))
            found += find_hands(each, self.original.playing, self._rules, seed)
        return found

    def run(self, hands: Sequence[Hand], notebook: Notebook, watch: Callable[[], None], threads: int = 1) -> None:
        """Process all hands that are not in the notebook yet.

        watch: called after each. threads: number of hands that are processed at the same time; it affects only
        speed and memory.
        """
        missing = Shared(number for number in range(len(hands)) if number not in notebook.done)

        def adapt(number: int) -> HandResult:
            return self._adapt(hands[number], number, self.config.deals_of(number, len(hands)))

        with closing(in_threads(lambda: map(adapt, missing), threads, self.original.stop)) as found:
            for result in found:
                notebook.add_hand(result)
                watch()

    def _adapt(self, hand: Hand, number: int, deals: int) -> HandResult:
        adapter, adaptation, clock = self.adapter, self.config.adaptation, Clock()
        rewarded, rollout_seconds = adapter.roll([hand.position], 0, adaptation.deals), clock.seconds
        played = adapter.held_out([hand.position], adaptation.check_deals)
        held_out_seconds = clock.seconds - rollout_seconds
        found: dict[str, Adapted] = {}
        steps_seconds, check_seconds = dict[str, float](), dict[str, float]()
        for name, way in self._ways.items():
            clock = Clock()
            learned = adapter.learn([rewarded], 0, way.shuffled, way.steps)
            steps = clock.seconds
            (found[name],) = adapter.try_out(played, [learned], adaptation.rollouts)
            steps_seconds[name] = round(steps, 2)
            check_seconds[name] = round(held_out_seconds + clock.seconds - steps, 2)
        rewards, gains = self._measure(hand, {name: each.proposed for name, each in found.items()}, deals)
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
            deals=len(rewards),
            reward=float(rewards.mean()),
            spread=float(rewards.std(ddof=1)),
            rollouts=adaptation.rollouts,
            rollout_seconds=round(rollout_seconds, 2),
            trials={
                name: Trial(
                    gain=float(gains[name].mean()),
                    error=float(gains[name].std(ddof=1) / len(gains[name]) ** 0.5),
                    differing=float((gains[name] != 0).mean()),
                    distance=each.distance,
                    kept=each.kept,
                    steps_seconds=steps_seconds[name],
                    check_seconds=check_seconds[name],
                )
                for name, each in found.items()
            },
        )

    def _measure(self, hand: Hand, copies: dict[str, Copy], deals: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the rewards of the original f64[deals], and the gains of each copy f64[deals]."""
        rewards: list[np.ndarray] = []
        gains: dict[str, list[np.ndarray]] = {name: [] for name in copies}
        for first in range(0, deals, _TESTED):
            played = self.adapter.play([hand.position], min(_TESTED, deals - first), TEST_DEALS + first)
            rewards.append(played.rewards[0])
            for name, copy in copies.items():
                gains[name].append(self.adapter.gains(played, [copy])[0])
        return np.concatenate(rewards), {name: np.concatenate(each) for name, each in gains.items()}
