"""`AdaptedAgent`: plays each round with a copy of its policy adapted to that round, then starts over for the next."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import numpy as np
from pydantic import Field

from simulator.record import GAME, PHASE_STOP
from simulator.rules import Rules
from simulator.tables import Decisions
from simulator.walls import DORA_INDICATORS
from suphx.adaptation.adapting import AdaptationConfig, Adapter
from suphx.adaptation.players import OriginalAgent, StoppableFlow
from suphx.adaptation.rollouts import RolloutPosition
from suphx.agent import AgentKind, AgentSettings
from suphx.agent.interface import AgentOutput, act_each
from suphx.agent.registry import fingerprint, load_networks
from suphx.config import Config, load_config, make_config
from suphx.errors import InputError
from suphx.networks.precision import choose_precision
from suphx.reward.games import START
from suphx.reward.kinds import start_of_rounds

#: Most rollouts of all positions adapted to together: their decisions are held in memory, about 70 KB per rollout.
_MAX_ROLLOUTS = 8_000
#: A round whose adaptation takes more than this many times its limit counts as late.
_LATE = 1.1
_SOUTH_4 = 7
#: The rules that rewards are loaded for.
_RULES = Rules.tenhou()


class AdaptedConfig(Config):
    """How an agent adapts while it plays."""

    adaptation: AdaptationConfig = Field(default_factory=AdaptationConfig)
    """How it adapts to a position."""
    first_round: int = Field(default=0, ge=0, le=_SOUTH_4)
    """The first round of a game in which it adapts, from 0 (East 1) to 7 (South 4); before it, the original plays, and
    no time is spent."""
    seconds_per_round: float | None = Field(default=None, gt=0)
    """Approximate time for adaptation per round, beyond its usual decisions; by default as long as the deals take."""


@dataclass
class _RoundMemory:
    """What the agent remembers of the round that a seat is playing at a table."""

    game: tuple[int, int]
    """Seed and number of the game."""
    deal: int
    """Number of rounds dealt in the game."""
    signature: tuple[int, ...]
    """Other values that identify a round, because the games of bots all share a few seeds."""
    history: np.ndarray
    """START[k] of the rounds in which it had decisions."""
    player: StoppableFlow
    """The original, or the copy that it plays with."""
    decisions: int | None = None
    """Decisions of its seat in this round, as of the last call; None before the first."""


class AdaptedAgent:
    """An agent with run-time adaptation.

    At its first decision of a round it adapts to what it sees. For this it remembers, by table and seat, the current
    round and how the game's rounds started; if it joins in the middle of a round, it adapts to that position.
    """

    def __init__(self, original: OriginalAgent, config: AdaptedConfig, seed: int = 0) -> None:
        """seed: random seed of the simulated deals and of sampling in them."""
        self.name = f"{original.name}, adapted"
        self.counts: defaultdict[int, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
        """By table: `rounds` of a seat in which it adapted, `kept`: those whose copy passed the check, `rollouts`,
        `seconds`, and `late`: rounds that took over a tenth longer than the limit."""
        self._original, self._config = original, config
        rewards = config.adaptation.reward.load(_RULES)
        self._rules = {name: _RULES.to_record()[name] for name in rewards.rules_used}
        self._adapter = Adapter(original, config.adaptation, rewards, seed)
        self._memory: dict[tuple[int, int], _RoundMemory] = {}

    def act(self, games: np.ndarray, decisions: Decisions) -> AgentOutput:
        """Choose an action for each decision, adapting first where an adaptation is due."""
        keys = list(zip(decisions.game.tolist(), decisions.seat.tolist(), strict=True))
        due = [key for key in keys if self._is_due(games[key[0]], *key)]
        size = max(1, _MAX_ROLLOUTS // self._adapter.config.rollouts)
        for first in range(0, len(due), size):
            self._adapt(games, due[first : first + size])
        memories = [self._memory.get(key) for key in keys]
        players = [memory.player if memory else self._original.greedy for memory in memories]
        different = list(dict.fromkeys(players))
        who = np.array([different.index(player) for player in players], np.int64)
        actions, outputs = act_each(different, who, games, decisions)
        return AgentOutput(actions, [output for each in outputs for output in each.outputs])

    def _is_due(self, game: np.void, table: int, seat: int) -> bool:
        """Record that a seat has a decision; return whether an adaptation is due."""
        if game["phase"] == PHASE_STOP:
            return False
        memory = self._remember(game, table, seat)
        due = memory.decisions is None and not game["riichi"][seat] and game["round"] >= self._config.first_round
        memory.decisions = int(game["decisions"][seat])
        return bool(due)

    def _remember(self, game: np.void, table: int, seat: int) -> _RoundMemory:
        """Return the memory of this round, or a fresh one if the round is not the same as last time."""
        name, deal = (int(game["seed"]), int(game["number"])), int(game["deals"])
        start = *(game[each] for each in ("round", "repeat_counter", "dealer", "start_bets")), *game["start_scores"]
        signature = *map(int, start), int(game["wall"][DORA_INDICATORS[0]])
        last = self._memory.get((table, seat))
        if last is not None and last.game != name:
            last = None
        if last and last.deal == deal and last.signature == signature and last.decisions <= game["decisions"][seat]:
            return last
        for rule, value in self._rules.items():
            if game["rules"][rule] != value:
                raise InputError(f"rules: {rule} is not that of the games which the reward is for")
        before = last.history if last and last.deal < deal else np.zeros(0, START)
        history = np.concatenate([before, start_of_rounds(np.array([game], GAME))])
        memory = _RoundMemory(name, deal, signature, history, self._original.greedy)
        self._memory[table, seat] = memory
        return memory

    def _adapt(self, games: np.ndarray, keys: Sequence[tuple[int, int]]) -> None:
        """Adapt to the rounds of these tables and seats."""
        positions = [RolloutPosition(games[key[0]].copy(), key[1], self._memory[key].history) for key in keys]
        limit = self._config.seconds_per_round
        for (table, seat), result in zip(keys, self._adapter.adapt(positions, limit), strict=True):
            if result.passed:
                self._memory[table, seat].player = self._original.player(result.copy)
            counts = self.counts[table]
            counts["rounds"] += 1
            counts["kept"] += result.passed
            counts["rollouts"] += result.rollouts
            counts["seconds"] += result.seconds
            counts["late"] += limit is not None and result.seconds > _LATE * limit

    def watch(self, stop: Event) -> None:
        """Raise Stopped from `act`, also in the middle of an adaptation, while this event is set."""
        self._original.stop = stop

    def take_counts(self, table: int) -> dict[str, float]:
        """Return the `counts` of a table since the last call."""
        return dict(self.counts.pop(table, {}))


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


def load_adapted(name: str, settings: AgentSettings) -> AdaptedAgent:
    """Load the agent with a name; raises InputError if there is none, or if a temperature is given."""
    agent, config = parse(name)
    if settings.temperature is not None:
        raise InputError(f"{name}: an agent that adapts always takes its most likely actions; omit the temperature")
    precision = settings.precision or choose_precision()
    original = OriginalAgent(*load_networks(agent), precision, settings.batch_invariant)
    return AdaptedAgent(original, config, settings.seed)


def fingerprint_of_adapted(name: str) -> str:
    """Return a string that changes when the agent behind a name, or how it adapts, changes."""
    agent, config = parse(name)
    return ", ".join([fingerprint(agent), config.model_dump_json(), *config.adaptation.reward.fingerprints().values()])


ADAPTED_AGENTS = AgentKind(load_adapted, fingerprint_of_adapted, has_networks=True)
