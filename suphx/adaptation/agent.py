"""`AdaptedAgent`: plays each round with a copy of its policy adapted to that round, then starts over for the next."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from threading import Event

import numpy as np
from pydantic import Field, field_validator

from simulator.record import PHASE_STOP
from simulator.rules import Rules
from simulator.tables import Decisions
from simulator.walls import DORA_INDICATORS
from suphx.adaptation.adapting import Adapter
from suphx.adaptation.config import AdaptationConfig
from suphx.adaptation.players import Copy, Original
from suphx.adaptation.positions import Position, start_of
from suphx.adaptation.worth import Worth
from suphx.agent.interface import Agent, Choice
from suphx.config import Config
from suphx.reward.games import START

#: Most rollouts of all positions adapted to together: their questions are held in memory, about 70 KB per rollout.
_MOST_ROLLOUTS = 8_000
#: A round whose adaptations take so many times as long as they may counts as late.
_LATE = 1.1
_SOUTH_4 = 7


class AdaptedConfig(Config):
    """How an agent adapts while it plays."""

    adaptation: AdaptationConfig = Field(default_factory=AdaptationConfig)
    """How it adapts to a position."""
    turns: tuple[int, ...] = (0,)
    """After how many own discards of a round it adapts; 0 is its first decision. With several, each adaptation starts
    from the result of the one before, redeals what is hidden by then, and gets its share of `deals`, `check_deals` and
    time."""
    first_round: int = Field(default=0, ge=0, le=_SOUTH_4)
    """The first round of a game in which it adapts, from 0 (East 1) to 7 (South 4); before it, the original plays, and
    no time is spent."""
    seconds_per_round: float | None = Field(default=None, gt=0)
    """Approximate time for adaptation per round, beyond its usual answers; by default as long as the deals take."""

    @field_validator("turns")
    @classmethod
    def _in_order(cls, turns: tuple[int, ...]) -> tuple[int, ...]:
        if not turns or list(turns) != sorted(set(turns)) or turns[0] < 0:
            raise ValueError("turns: numbers from 0 on are needed, each once and in ascending order")
        return turns

    def share(self) -> AdaptationConfig:
        """Return the configuration of each single adaptation, its deals divided among those of a round."""
        times, whole = len(self.turns), self.adaptation
        checks = whole.check_deals and max(2, whole.check_deals // times)
        return whole.model_copy(update={"deals": max(1, whole.deals // times), "check_deals": checks})


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
    copy: Copy
    """The copy that it plays with."""
    decisions: int = 0
    """Decisions of its seat in this round, as of the last call."""
    done: int = 0
    """Number of configured turns that have been reached."""
    has_adapted: bool = False
    seconds: float = 0.0
    """Time spent on adaptations."""
    is_late: bool = False


@dataclass
class Counts:
    """Statistics of an agent's adaptations."""

    rounds: int = 0
    """Rounds of a seat in which it adapted at least once."""
    adaptations: int = 0
    kept: int = 0
    """Adaptations whose copy was kept."""
    rollouts: int = 0
    seconds: float = 0.0
    late: int = 0
    """Rounds in which its adaptations took over a tenth longer than they may."""


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
        self._worth = Worth(config.adaptation.reward, Rules.tenhou())
        self._adapter = Adapter(original, config.share(), self._worth, seed)
        self._seconds = config.seconds_per_round and config.seconds_per_round / len(config.turns)
        self._memory: dict[tuple[int, int], _Memory] = {}

    def act(self, games: np.ndarray, asked: Decisions) -> Choice:
        """Choose an action for each decision, adapting first where an adaptation is due."""
        due = [row for row in range(len(asked)) if self._is_due(games[asked.game[row]], *_place(asked, row))]
        size = max(1, _MOST_ROLLOUTS // self._adapter.config.rollouts)
        for first in range(0, len(due), size):
            self._adapt(games, asked, due[first : first + size])
        actions, consultations = np.empty(len(asked), np.int64), []
        for copy, rows in self._by_copy(asked):
            part = Decisions(asked.game[rows], asked.seat[rows], asked.situation[rows], asked.legal[rows])
            choice = self._player(copy).act(games, part)
            actions[rows] = choice.actions
            consultations += [replace(said, decision=rows[said.decision]) for said in choice.consultations]
        return Choice(actions, consultations)

    def _player(self, copy: Copy) -> Agent:
        return self._adapter.deals.player_of(copy)

    def _is_due(self, game: np.void, table: int, seat: int) -> bool:
        """Record that a seat has a decision; return whether an adaptation is due."""
        if game["phase"] == PHASE_STOP:
            return False
        memory = self._remember(game, table, seat)
        memory.decisions = int(game["decisions"][seat])
        reached = sum(int(game["n_river"][seat]) >= turn for turn in self._config.turns)
        due = reached > memory.done and not game["riichi"][seat] and game["round"] >= self._config.first_round
        memory.done = reached
        return due

    def _remember(self, game: np.void, table: int, seat: int) -> _Memory:
        """Return the memory of this round, or a fresh one if the round is not the same as last time."""
        name, deal = (int(game["seed"]), int(game["number"])), int(game["deals"])
        last = self._memory.get((table, seat))
        same_game = last is not None and last.game == name
        signs = _signs(game)
        if last is not None and same_game and last.deal == deal and last.signs == signs:
            if last.decisions <= game["decisions"][seat]:
                return last
        self._worth.check(game)
        before = last.history if last is not None and same_game and last.deal < deal else np.zeros(0, START)
        memory = _Memory(name, deal, signs, np.concatenate([before, start_of(game)]), self._original.itself)
        self._memory[table, seat] = memory
        return memory

    def _adapt(self, games: np.ndarray, asked: Decisions, rows: Sequence[int]) -> None:
        memories = [self._memory[_place(asked, row)] for row in rows]
        positions = [
            Position(games[asked.game[row]].copy(), int(asked.seat[row]), memory.history)
            for row, memory in zip(rows, memories, strict=True)
        ]
        found = self._adapter.adapt(positions, [memory.copy for memory in memories], self._seconds)
        each_counts = [self.counts[int(asked.game[row])] for row in rows]
        for memory, counts, adapted in zip(memories, each_counts, found, strict=True):
            memory.copy = adapted.copy
            counts.rounds += not memory.has_adapted
            counts.adaptations += 1
            counts.kept += adapted.kept
            counts.rollouts += adapted.rollouts
            counts.seconds += sum(adapted.seconds.values())
            memory.seconds += sum(adapted.seconds.values())
            late = self._config.seconds_per_round and memory.seconds > _LATE * self._config.seconds_per_round
            if late and not memory.is_late:
                memory.is_late = True
                counts.late += 1
            memory.has_adapted = True

    def watch(self, stop: Event) -> None:
        """Raise Stopped from `act`, also in the middle of an adaptation, while this event is set."""
        self._original.stop = stop

    def take_counts(self, table: int) -> dict[str, float]:
        """Return the `Counts` of a table since the last call, as a dictionary."""
        return asdict(self.counts.pop(table, Counts()))

    def _by_copy(self, asked: Decisions) -> list[tuple[Copy, np.ndarray]]:
        """Return each copy in use and the rows of its decisions, i64[m]."""
        copies: dict[int, tuple[Copy, list[int]]] = {}
        for row in range(len(asked)):
            memory = self._memory.get(_place(asked, row))
            copy = memory.copy if memory else self._original.itself
            copies.setdefault(id(copy), (copy, []))[1].append(row)
        return [(copy, np.array(rows)) for copy, rows in copies.values()]


def _signs(game: np.void) -> tuple[int, ...]:
    indicator = game["wall"][DORA_INDICATORS[0]]
    return (*(int(game[name]) for name in ("round", "repeat_counter", "dealer", "start_bets")), int(indicator),
            *game["start_scores"].tolist())  # fmt: skip


def _place(asked: Decisions, row: int) -> tuple[int, int]:
    return int(asked.game[row]), int(asked.seat[row])
