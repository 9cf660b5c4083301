"""`AdaptedAgent`: plays each round with a copy of its policy adapted to that round, then starts over for the next."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event

import numpy as np
from pydantic import Field

from simulator.record import PHASE_STOP
from simulator.rules import Rules
from simulator.tables import Decisions
from simulator.walls import DORA_INDICATORS
from suphx.adaptation.adapting import Adapter
from suphx.adaptation.config import AdaptationConfig
from suphx.adaptation.players import FlowAgent, Original, load_original
from suphx.adaptation.positions import Position, start_of
from suphx.agent.interface import AgentOutput, act_each
from suphx.config import Config, load_config, make_config
from suphx.errors import InputError
from suphx.networks.precision import Precision
from suphx.reward.games import START

#: Most rollouts of all positions adapted to together: their questions are held in memory, about 70 KB per rollout.
_MOST_ROLLOUTS = 8_000
#: A round whose adaptation takes so many times as long as it may counts as late.
_LATE = 1.1
_SOUTH_4 = 7
_RULES = Rules.tenhou()


class AdaptedConfig(Config):
    """How an agent adapts while it plays."""

    adaptation: AdaptationConfig = Field(default_factory=AdaptationConfig)
    """How it adapts to a position."""
    first_round: int = Field(default=0, ge=0, le=_SOUTH_4)
    """The first round of a game in which it adapts, from 0 (East 1) to 7 (South 4); before it, the original plays, and
    no time is spent."""
    seconds_per_round: float | None = Field(default=None, gt=0)
    """Approximate time for adaptation per round, beyond its usual answers; by default as long as the deals take."""


@dataclass
class _Memory:
    """What the agent remembers of the round that a seat is playing at a table."""

    game: tuple[int, int]
    """Seed and number of the game."""
    deal: int
    """Number of rounds dealt in the game."""
    signs: tuple[int, ...]
    """Other values that identify a round, because the games of bots all share a few seeds."""
    history: np.ndarray
    """START[k] of the rounds in which it had decisions."""
    player: FlowAgent
    """The original, or the copy that it plays with."""
    decisions: int = 0
    """Decisions of its seat in this round, as of the last call."""
    known: bool = False
    """Whether it was asked in this round before."""


@dataclass
class Counts:
    """Statistics of an agent's adaptations."""

    rounds: int = 0
    """Rounds of a seat in which it adapted."""
    kept: int = 0
    """Those whose copy was kept."""
    rollouts: int = 0
    seconds: float = 0.0
    late: int = 0
    """Rounds in which it took over a tenth longer than it may."""


class AdaptedAgent:
    """An agent with run-time adaptation.

    At its first decision of a round it adapts to what it sees. For this it remembers, by table and seat, the current
    round and how the game's rounds started; if it joins in the middle of a round, it adapts to that position.
    """

    def __init__(self, original: Original, config: AdaptedConfig, seed: int = 0) -> None:
        """seed: random seed of the simulated deals and of sampling in them."""
        self.name = f"{original.name}, adapted"
        self.counts: defaultdict[int, Counts] = defaultdict(Counts)
        """By table."""
        self._original, self._config = original, config
        rewards = config.adaptation.reward.load(_RULES)
        self._rules_used = rewards.rules_used
        self._adapter = Adapter(original, config.adaptation, rewards, seed)
        self._memory: dict[tuple[int, int], _Memory] = {}

    def act(self, games: np.ndarray, decisions: Decisions) -> AgentOutput:
        """Choose an action for each decision, adapting first where an adaptation is due."""
        due = [
            row for row in range(len(decisions)) if self._is_due(games[decisions.game[row]], *_place(decisions, row))
        ]
        size = max(1, _MOST_ROLLOUTS // self._adapter.config.rollouts)
        for first in range(0, len(due), size):
            self._adapt(games, decisions, due[first : first + size])
        memories = [self._memory.get(_place(decisions, row)) for row in range(len(decisions))]
        players = [memory.player if memory else self._original.playing for memory in memories]
        different = list(dict.fromkeys(players))
        who = np.array([different.index(player) for player in players], np.int64)
        actions, choices = act_each(different, who, games, decisions)
        return AgentOutput(actions, [output for choice in choices for output in choice.outputs])

    def _is_due(self, game: np.void, table: int, seat: int) -> bool:
        """Record that a seat has a decision; return whether an adaptation is due."""
        if game["phase"] == PHASE_STOP:
            return False
        memory = self._remember(game, table, seat)
        memory.decisions = int(game["decisions"][seat])
        due = not memory.known and not game["riichi"][seat] and game["round"] >= self._config.first_round
        memory.known = True
        return bool(due)

    def _remember(self, game: np.void, table: int, seat: int) -> _Memory:
        """Return the memory of this round, or a fresh one if the round is not the same as last time."""
        name, deal = (int(game["seed"]), int(game["number"])), int(game["deals"])
        signs, last = _signs(game), self._memory.get((table, seat))
        if last is not None and last.game != name:
            last = None
        if last and last.deal == deal and last.signs == signs and last.decisions <= game["decisions"][seat]:
            return last
        self._check_rules(game)
        before = last.history if last and last.deal < deal else np.zeros(0, START)
        memory = _Memory(name, deal, signs, np.concatenate([before, start_of(game)]), self._original.playing)
        self._memory[table, seat] = memory
        return memory

    def _check_rules(self, game: np.void) -> None:
        """Raise InputError if a game, GAME, is played by rules other than those the reward was loaded for."""
        record = _RULES.to_record()
        for name in self._rules_used:
            if game["rules"][name] != record[name]:
                raise InputError(f"rules: {name} is another here than in the games that the reward is for")

    def _adapt(self, games: np.ndarray, decisions: Decisions, rows: Sequence[int]) -> None:
        memories = [self._memory[_place(decisions, row)] for row in rows]
        positions = [
            Position(games[decisions.game[row]].copy(), int(decisions.seat[row]), memory.history)
            for row, memory in zip(rows, memories, strict=True)
        ]
        limit = self._config.seconds_per_round
        found = self._adapter.adapt(positions, limit)
        for row, memory, adapted in zip(rows, memories, found, strict=True):
            if adapted.kept:
                memory.player = self._original.player(adapted.proposed)
            counts = self.counts[int(decisions.game[row])]
            counts.rounds += 1
            counts.kept += adapted.kept
            counts.rollouts += adapted.rollouts
            counts.seconds += adapted.seconds
            counts.late += limit is not None and adapted.seconds > _LATE * limit

    def watch(self, stop: Event) -> None:
        """Raise Stopped from `act`, also in the middle of an adaptation, while this event is set."""
        self._original.stop = stop

    def take_counts(self, table: int) -> dict[str, float]:
        """Return the `Counts` of a table since the last call, as a dictionary."""
        return asdict(self.counts.pop(table, Counts()))


def _signs(game: np.void) -> tuple[int, ...]:
    indicator = game["wall"][DORA_INDICATORS[0]]
    return (*(int(game[name]) for name in ("round", "repeat_counter", "dealer", "start_bets")), int(indicator),
            *game["start_scores"].tolist())  # fmt: skip


def _place(decisions: Decisions, row: int) -> tuple[int, int]:
    return int(decisions.game[row]), int(decisions.seat[row])


#: Prefix of the name of an agent with run-time adaptation.
ADAPTED = "adapted:"
_CHANGE = re.compile(r",(?=[\w.]+=)")
_FILE = "config="


def parse(name: str) -> tuple[str, AdaptedConfig]:
    """Parse a name into the agent that adapts and its configuration; raises InputError for a malformed name."""
    agent, *changes = _CHANGE.split(name.removeprefix(ADAPTED))
    if not agent:
        raise InputError(f"{name!r} names no agent; write {ADAPTED}sl")
    files = [change.removeprefix(_FILE) for change in changes if change.startswith(_FILE)]
    changes = [change for change in changes if not change.startswith(_FILE)]
    if len(files) > 1:
        raise InputError(f"{name!r} names two configurations")
    if files:
        return agent, load_config(Path(files[0]), AdaptedConfig, changes)
    return agent, make_config({}, AdaptedConfig, changes, name)


def adapted_agent(
    name: str, seed: int, temperature: float | None, precision: Precision, batch_invariant: bool
) -> AdaptedAgent:
    """Load the agent with a name; raises InputError if there is none, or if a temperature is given."""
    agent, config = parse(name)
    if temperature is not None:
        raise InputError(f"{name}: an agent that adapts always takes the likeliest actions; omit the temperature")
    return AdaptedAgent(load_original(agent, precision, batch_invariant), config, seed)
