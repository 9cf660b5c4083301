"""The paper's experiment (section 4.3): adapt to each of many hands, and play other deals of it with and without.

A control learns from the same rollouts with shuffled rewards, and is measured on the same deals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing

import numpy as np
from pydantic import Field

from simulator.rules import Rules
from simulator.walls import mix2
from suphx.adaptation.adapting import TEST_DEALS, AdaptationConfig, Adapter, Stopwatch
from suphx.adaptation.hands import ExperimentHand, HandsConfig, find_hands
from suphx.adaptation.players import OriginalAgent, PolicyCopy
from suphx.adaptation.results import ADAPTED, SHUFFLED, HandResult, HandResults, Trial
from suphx.agent import DEFAULT_AGENT
from suphx.agent.registry import fingerprint_of_networks
from suphx.config import Config
from suphx.threads import Shared, in_threads

#: Test deals played at a time, whose decisions are kept in memory until they are compared.
_DEALS_AT_ONCE = 4_000


class ExperimentConfig(Config):
    """Configuration of `suphx adapt`."""

    name: str = Field(default="adapt", pattern=r"^[\w-][\w.-]*$")
    """Name of the folder of results."""
    seed: int = Field(default=0, ge=0)
    """Random seed of the hands, of their deals and of sampled actions."""
    agent: str = DEFAULT_AGENT
    """The agent that adapts, and that plays the other seats unchanged: a folder of weights, or a name."""
    rules: str = "tenhou"
    """Name of a preset of rules."""
    hands: list[HandsConfig] = Field(default=[HandsConfig()], min_length=1)
    """Which hands to adapt to."""
    adaptation: AdaptationConfig = Field(default_factory=AdaptationConfig)
    """How the agent adapts to each."""
    deals: int = Field(default=2_000, ge=2)
    """Number of test deals per hand."""
    more_hands: int = Field(default=0, ge=0)
    """Number of hands, evenly spaced, that get more test deals."""
    more_deals: int = Field(default=10_000, ge=2)
    """Number of test deals for these hands."""

    def deals_of(self, number: int, hands: int) -> int:
        """Return the number of test deals of a hand; number: of the hand, hands: of all hands."""
        every = max(1, hands // self.more_hands) if self.more_hands else 0
        more = every and number % every == 0 and number // every < self.more_hands
        return self.more_deals if more else self.deals

    def settings(self) -> dict[str, object]:
        """Return everything that determines the numbers of every hand, as JSON values."""
        return self.model_dump(mode="json", exclude={"name"})

    def fingerprints(self) -> dict[str, str]:
        """Return hashes of the files behind names (weights, predictor); raises InputError if one cannot be read."""
        return {"weights": fingerprint_of_networks(self.agent)} | self.adaptation.reward.fingerprints()


class Experiment:
    """Runs an experiment: finds the hands, adapts to each and measures the result."""

    def __init__(self, config: ExperimentConfig, original: OriginalAgent) -> None:
        self.config, self.original = config, original
        self._rules = Rules.preset(config.rules)
        self.rewards = config.adaptation.reward.load(self._rules)
        self.adapter = Adapter(original, config.adaptation, self.rewards, config.seed)

    def hands(self) -> list[ExperimentHand]:
        """Return all hands, one situation after the other, each from different games."""
        seeds = [int(mix2(np.uint64(self.config.seed), np.uint64(number))) for number in range(len(self.config.hands))]
        return [
            hand
            for config, seed in zip(self.config.hands, seeds, strict=True)
            for hand in find_hands(config, self.original.greedy, self._rules, seed)
        ]

    def run(
        self, hands: Sequence[ExperimentHand], results: HandResults, watch: Callable[[], None], threads: int = 1
    ) -> None:
        """Process the hands without results, `threads` at a time; watch: called after each."""
        missing = Shared(number for number in range(len(hands)) if number not in results.done)

        def adapt(number: int) -> HandResult:
            return self._adapt(hands[number], number, self.config.deals_of(number, len(hands)))

        with closing(in_threads(lambda: map(adapt, missing), threads, self.original.stop)) as finished:
            for result in finished:
                results.add_hand(result)
                watch()

    def _adapt(self, hand: ExperimentHand, number: int, deals: int) -> HandResult:
        adapter, config, stopwatch = self.adapter, self.config.adaptation, Stopwatch()
        rollouts, rollout_seconds = adapter.roll([hand.position], 0, config.deals), stopwatch.seconds
        held_out = adapter.held_out([hand.position], config.check_deals)
        held_out_seconds = stopwatch.seconds - rollout_seconds
        adaptations, seconds = {}, {}
        for way in (ADAPTED, SHUFFLED):
            stopwatch = Stopwatch()
            copy, steps_seconds = adapter.learn([rollouts], 0, shuffled=way == SHUFFLED), stopwatch.seconds
            (adaptations[way],) = adapter.check(held_out, [copy], config.rollouts)
            check_seconds = held_out_seconds + stopwatch.seconds - steps_seconds
            seconds[way] = {"steps_seconds": round(steps_seconds, 2), "check_seconds": round(check_seconds, 2)}
        rewards, gains = self._measure(hand, {way: each.copy for way, each in adaptations.items()}, deals)
        game, seat = hand.position.game, hand.position.seat
        return HandResult(
            number=number,
            situation=hand.situation,
            kind=hand.kind,
            shanten=hand.shanten,
            round=int(game["round"]),
            seat=seat,
            dealer=bool(game["dealer"] == seat),
            scores=game["start_scores"].tolist(),
            deals=len(rewards),
            reward=float(rewards.mean()),
            spread=float(rewards.std(ddof=1)),
            rollouts=config.rollouts,
            rollout_seconds=round(rollout_seconds, 2),
            trials={
                way: Trial(
                    gain=float(gains[way].mean()),
                    error=float(gains[way].std(ddof=1) / len(gains[way]) ** 0.5),
                    differing=float((gains[way] != 0).mean()),
                    distance=each.distance,
                    kept=each.passed,
                    **seconds[way],
                )
                for way, each in adaptations.items()
            },
        )

    def _measure(
        self, hand: ExperimentHand, copies: dict[str, PolicyCopy], deals: int
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the rewards of the original f64[deals], and the gains of each copy f64[deals]."""
        rewards: list[np.ndarray] = []
        gains: dict[str, list[np.ndarray]] = {way: [] for way in copies}
        for first in range(0, deals, _DEALS_AT_ONCE):
            play = self.adapter.play([hand.position], min(_DEALS_AT_ONCE, deals - first), TEST_DEALS + first)
            rewards.append(play.rewards[0])
            for way, copy in copies.items():
                gains[way].append(self.adapter.gains(play, [copy])[0])
        return np.concatenate(rewards), {way: np.concatenate(each) for way, each in gains.items()}
