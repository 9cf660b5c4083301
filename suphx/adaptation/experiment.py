"""The paper's experiment (section 4.3): adapt to each of many hands, and play other deals of it with and without.

The hands are rounds of the agent's own games, or constructed ones. A control learns from the same rollouts with
shuffled rewards, and is measured on the same deals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from simulator.efficiency import shanten_batch
from simulator.record import GAME, PHASE_DEAL, SEATS
from simulator.rules import Rules
from simulator.tables import Tables
from simulator.walls import mix2
from suphx.adaptation.adapting import TEST_DEALS, AdaptationConfig, Adapter, Stopwatch
from suphx.adaptation.players import OriginalAgent, PolicyCopy
from suphx.adaptation.results import ADAPTED, SHUFFLED, HandResult, HandResults, Trial
from suphx.adaptation.rollouts import RolloutPosition
from suphx.agent.interface import Agent
from suphx.agent.registry import fingerprint_of_networks
from suphx.config import Config
from suphx.errors import InputError
from suphx.reward.kinds import start_of_rounds
from suphx.threads import in_threads

Situation = Literal["any", "last", "behind", "lead"]


class LastRoundScores(NamedTuple):
    """Points before a constructed South 4.

    The leader is the dealer, with enough points that the game ends with this round: if the dealer would deal again,
    it is first with the target reached and stops; otherwise somebody has reached the target, whatever was won.
    (Exceptions are abortive draws, nagashi mangan, some wins of two seats on one tile, and rules with other targets or
    `dealer_stop`.)
    """

    own: int
    dealer: int | None
    """Points of the dealer; None if the seat itself is the dealer."""
    others: int


#: Points in constructed last rounds, by situation.
#: `behind`: 11,000 behind the next two. Without bets a mangan (8,000), by tsumo or from the dealer, is too little
#: for a better place, while 12,000 pass both; a direct hit counts double: 6,400 from one of the two pass that one.
#: `lead`: 28,000 ahead of all. The dealer pays half of another seat's tsumo, and keeps the lead unless it deals
#: into 16,000 or another seat wins 24,000 by tsumo.
CONSTRUCTED = {
    "behind": LastRoundScores(10_000, 48_000, 21_000),
    "lead": LastRoundScores(46_000, None, 18_000),
}
#: Number of the round South 4, and its dealer.
_LAST_ROUND, _LAST_DEALER = 7, 3
#: A dealt hand is called good up to the first shanten number, and poor from the second on.
GOOD, POOR = 2, 4
#: Games played side by side to find rounds, and most games per requested hand.
_GAMES, _GAMES_PER_HAND = 64, 20


class HandsConfig(Config):
    """Which hands of one situation to adapt to."""

    situation: Situation = "any"
    """`any`: a random round of a game. `last`: South 4 or later. `behind`, `lead`: a
    constructed South 4 that ends the game, in which the seat needs 12,000 points (or 6,400 by a direct hit) to leave
    last place, or is the dealer and 28,000 points ahead of all (`LastRoundScores`, `CONSTRUCTED`)."""
    count: int = Field(default=200, ge=1)
    """Number of hands, each from a different game."""


@dataclass(frozen=True)
class ExperimentHand:
    """A hand of an experiment."""

    situation: str
    position: RolloutPosition

    @property
    def shanten(self) -> int:
        """Shanten of the hand as dealt, including the dealer's first tile."""
        return int(shanten_batch(self.position.game["hand"][self.position.seat][None])[0])

    @property
    def kind(self) -> str:
        """`good`, `poor` or `middle`, by shanten."""
        return "good" if self.shanten <= GOOD else "poor" if self.shanten >= POOR else "middle"


def find_hands(config: HandsConfig, agent: Agent, rules: Rules, seed: int) -> list[ExperimentHand]:
    """Find hands in games that `agent` plays, the same ones for a seed; raises InputError if there are too few."""
    if config.situation in CONSTRUCTED:
        positions = _construct(config, rules, seed)
    else:
        positions = _choose(_play_games(agent, rules, seed, config.count), config, seed)
    if len(positions) < config.count:
        raise InputError(f"{len(positions)} hands of situation {config.situation!r}, not {config.count}")
    return [ExperimentHand(config.situation, position) for position in positions]


def _construct(config: HandsConfig, rules: Rules, seed: int) -> list[RolloutPosition]:
    points = CONSTRUCTED[config.situation]
    tables = Tables(config.count, rules, seed, restart=False)
    games = np.zeros(config.count, GAME)
    for name in ("rules", "seed", "number"):
        games[name] = tables.games[name]
    games["phase"], games["round"], games["dealer"] = PHASE_DEAL, _LAST_ROUND, _LAST_DEALER
    games["deals"] = _LAST_ROUND
    games["scores"] = points.others
    seats = np.full(config.count, _LAST_DEALER)
    if points.dealer is not None:
        games["scores"][:, _LAST_DEALER] = points.dealer
        seats[:] = [np.random.default_rng([seed, number]).integers(_LAST_DEALER) for number in range(config.count)]
    games["scores"][np.arange(config.count), seats] = points.own
    starts = start_of_rounds(tables.games)
    tables.restore(games)
    return [
        RolloutPosition(game.copy(), int(seat), np.array([start, last]))
        for game, seat, start, last in zip(tables.games, seats, starts, start_of_rounds(tables.games), strict=True)
    ]


def _choose(games: Iterator[np.ndarray], config: HandsConfig, seed: int) -> list[RolloutPosition]:
    """Pick one round from each game, GAME[rounds] as dealt, that has one of the situation, until there are enough."""
    positions: list[RolloutPosition] = []
    for number, rounds in enumerate(games):
        fitting = np.flatnonzero(rounds["round"] >= (_LAST_ROUND if config.situation == "last" else 0))
        if len(fitting):
            random = np.random.default_rng([seed, number])
            which, seat = int(random.choice(fitting)), int(random.integers(SEATS))
            positions.append(RolloutPosition(rounds[which].copy(), seat, start_of_rounds(rounds[: which + 1])))
        if len(positions) == config.count:
            break
    return positions


def _play_games(agent: Agent, rules: Rules, seed: int, count: int) -> Iterator[np.ndarray]:
    for first in range(0, _GAMES_PER_HAND * count, _GAMES):
        tables = Tables(_GAMES, rules, seed, restart=False)
        tables.restart(range(_GAMES), range(first, first + _GAMES))
        rounds = [[game.copy()] for game in tables.games]
        while len(decisions := tables.decisions()):
            ended = tables.step(agent.act(tables.games, decisions).actions)
            for place in ended.game[~ended.finished].tolist():
                rounds[place].append(tables.games[place].copy())
        yield from (np.array(each, GAME) for each in rounds)


#: Test deals played at a time, whose decisions are kept in memory until they are compared.
_DEALS_AT_ONCE = 4_000


class ExperimentConfig(Config):
    """Configuration of `suphx adapt`."""

    name: str = Field(default="adapt", pattern=r"^[\w-][\w.-]*$")
    """Name of the folder of results."""
    seed: int = Field(default=0, ge=0)
    """Random seed of the hands, of their deals and of sampled actions."""
    agent: str = "tuned"
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
        missing = iter([number for number in range(len(hands)) if number not in results.done])  # threads can share it

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
            rewards.append(play.rewards)
            for way, copy in copies.items():
                gains[way].append(self.adapter.gains(play, [copy])[0])
        return np.concatenate(rewards), {way: np.concatenate(each) for way, each in gains.items()}
