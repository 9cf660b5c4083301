"""The one interface of everything that plays: a batch of decisions in, actions and their log-probabilities out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from simulator.players import Player
from simulator.tables import Decisions


@dataclass(frozen=True)
class Consultation:
    """What one network was asked during a batch of decisions, one row a question: all that learning needs."""

    model: str
    """Which of the five."""
    decision: np.ndarray
    """i64[m]: which decision of the batch it was asked for; a decision may ask several questions."""
    option: np.ndarray
    """i64[m]: the action in question (riichi, a chow, pong or kong), or NO_ACTION for a discard."""
    planes: np.ndarray
    """uint64[m, planes]: what the network saw."""
    logits: np.ndarray
    """f32[m, 34 or 2]: what it said."""
    legal: np.ndarray
    """bool[m, 34 or 2]: which answers were possible."""
    answer: np.ndarray
    """i64[m]: the answer taken: a kind, or 0 for no and 1 for yes."""
    log_probability: np.ndarray
    """f32[m]: of that answer, under the policy that was played."""


@dataclass(frozen=True)
class Choice:
    """The answers to a batch of decisions."""

    actions: np.ndarray
    """i64[n]: an action for each decision."""
    log_probability: np.ndarray
    """f32[n]: of all answers of the networks behind it together; 0 where no network was asked."""
    consultations: list[Consultation] = field(default_factory=list)
    """Which networks were asked what; empty for players that have none."""


class Agent(Protocol):
    """Anything that plays.

    An agent may keep no state between calls that changes its actions: what it does follows from the games, so that
    decisions may come in any order and from any number of tables.
    """

    name: str

    def act(self, games: np.ndarray, asked: Decisions) -> Choice:
        """Choose for each decision; games: GAME[...], which `asked.game` indexes. It changes nothing in them."""
        ...


@runtime_checkable
class Follower(Protocol):
    """What an agent has besides `act` if it must be told of its games from start to end, as a bot in a process is.

    table: which of the tables of a batch, as in `asked.game`; a place that is taken again after `game_over`.
    """

    def game_started(self, table: int, game: np.void, seats: Sequence[int]) -> None:
        """Hear of a new game at a table, GAME as it stands at the first decision, and on which seats the agent sits."""
        ...

    def round_over(self, table: int, record: np.void) -> None:
        """Hear how a round ended: GAME as in `Ended.records`."""
        ...

    def game_over(self, table: int) -> list[str]:
        """Hear that the game is over, after its last round; return what the agent did wrong in it, in words."""
        ...

    def close(self) -> None:
        """Let go of all that is held outside."""
        ...


@runtime_checkable
class Counting(Protocol):
    """What an agent has besides `act` if it counts what it does, such as one that adapts."""

    def take_counts(self, table: int) -> dict[str, float]:
        """Return what it did at a table since it was last asked, by name: numbers that add up over games."""
        ...


class RuleAgent:
    """A rule-based player of `simulator.players` as an agent."""

    def __init__(self, player: Player) -> None:
        self.name = player.name
        self._player = player

    def act(self, games: np.ndarray, asked: Decisions) -> Choice:
        """Choose for each decision."""
        actions = np.empty(len(asked), np.int64)
        self._player.choose(games, asked, actions)
        return Choice(actions, np.zeros(len(asked), np.float32))
