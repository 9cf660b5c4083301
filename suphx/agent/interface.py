"""The common interface of everything that plays: a batch of decisions in, actions and networks' outputs out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Event
from typing import Protocol, runtime_checkable

import numpy as np

from simulator.players import Player
from simulator.players.play import PlayedGame, Seating, shares
from simulator.record import SEATS
from simulator.tables import Decisions


@dataclass(frozen=True)
class ModelOutput:
    """The decisions of one network in a batch, one per row: everything that learning needs."""

    model: str
    """Which of the five networks."""
    decision: np.ndarray
    """i64[m]: which decision of the batch each row belongs to; a decision may have several."""
    option: np.ndarray
    """i64[m]: the action in question (riichi, a chow, pong or kong), or NO_ACTION for a discard."""
    planes: np.ndarray
    """uint64[m, planes]: the input."""
    logits: np.ndarray
    """f32[m, 34 or 2]."""
    legal: np.ndarray
    """bool[m, 34 or 2]: which of them may be taken."""
    action: np.ndarray
    """i64[m]: the index of the logit taken: a kind, or 0 for no and 1 for yes."""
    log_probability: np.ndarray
    """f32[m]: log-probability of that action under the policy that was played."""


@dataclass(frozen=True)
class AgentOutput:
    """What an agent returns for a batch of decisions."""

    actions: np.ndarray
    """i64[n]: an action for each decision."""
    outputs: list[ModelOutput] = field(default_factory=list)
    """By network; empty for players without networks."""


class Agent(Protocol):
    """Anything that plays.

    It keeps no state between calls that affects its actions: decisions may come in any order, from any tables.
    """

    name: str

    def act(self, games: np.ndarray, decisions: Decisions) -> AgentOutput:
        """Choose an action for each decision; games: GAME[...], indexed by `decisions.game`, not modified."""


def act_each(
    agents: Sequence[Agent], who: np.ndarray, games: np.ndarray, decisions: Decisions
) -> tuple[np.ndarray, list[AgentOutput]]:
    """Let several agents each choose for their own decisions of a batch; who: i64[n], the number of each one's agent.

    Returns actions i64[n], and the outputs of the agents that had any; rows name decisions of the whole batch.
    """
    actions, outputs = np.empty(len(decisions), np.int64), []
    for agent, rows, part in shares(agents, who, decisions):
        output = agent.act(games, part)
        of_batch = [replace(each, decision=rows[each.decision]) for each in output.outputs]
        actions[rows] = output.actions
        outputs.append(replace(output, outputs=of_batch))
    return actions, outputs


@runtime_checkable
class Follower(Protocol):
    """Additional methods of an agent that must follow its games from start to end, such as a bot in another process.

    table: index of the table in the batch, as in `decisions.game`; reused for another game after `game_over`.
    """

    def game_started(self, table: int, game: np.void, seats: Sequence[int], names: Sequence[str]) -> None:
        """Receive a new game: GAME at its first decision, the agent's seats, and all names, or none to hide them."""

    def round_over(self, table: int, record: np.void) -> None:
        """Receive the end of a round: GAME as in `Ended.records`."""

    def game_over(self, table: int) -> list[str]:
        """End the game at a table, after its last round; return descriptions of what the agent did wrong in it."""

    def close(self) -> None:
        """Release all external resources."""


@runtime_checkable
class Counting(Protocol):
    """Additional method of an agent that keeps statistics of its work, such as one with run-time adaptation."""

    def take_counts(self, table: int) -> dict[str, float]:
        """Return the counts at a table since the last call, by name: numbers that add up over games."""


#: Faults in a game, and counts of it: each with the index of the agent.
Notes = tuple[list[tuple[int, str]], list[tuple[int, dict[str, float]]]]


class Followers:
    """Passes events to `Follower` agents, as an `Audience`; collects their faults, and counts of `Counting` agents."""

    def __init__(self, agents: Sequence[Agent], named: bool = False) -> None:
        """named: whether followers receive the names of all four agents."""
        self._agents, self._named = agents, named
        self._followers = {number: agent for number, agent in enumerate(agents) if isinstance(agent, Follower)}
        self._counting = {number: agent for number, agent in enumerate(agents) if isinstance(agent, Counting)}
        self._seated: dict[int, Seating] = {}
        self._notes: dict[Seating, Notes] = {}

    def __bool__(self) -> bool:
        return bool(self._followers or self._counting)

    def _here(self, table: int) -> Iterator[tuple[int, Follower]]:
        for number in sorted(set(self._seated[table].players)):
            if number in self._followers:
                yield number, self._followers[number]

    def game_started(self, table: int, game: np.void, seating: Seating) -> None:
        """Pass on the start of a game."""
        self._seated[table] = seating
        names = [self._agents[number].name for number in seating.players]
        for number, agent in self._here(table):
            seats = [seat for seat in range(SEATS) if seating.players[seat] == number]
            agent.game_started(table, game, seats, names if self._named else ())

    def round_over(self, table: int, record: np.void) -> None:
        """Pass on the end of a round, and of the game if it is over."""
        for _, agent in self._here(table):
            agent.round_over(table, record)
        if record["result"]["game_over"]:
            seating = self._seated[table]
            faults = [(number, words) for number, agent in self._here(table) for words in agent.game_over(table)]
            counting = [(number, agent) for number, agent in self._counting.items() if number in seating.players]
            self._notes[seating] = faults, [(number, agent.take_counts(table)) for number, agent in counting]

    def take(self, game: PlayedGame) -> Notes:
        """Return the faults in a finished game, and its counts."""
        return self._notes.pop(game.seating, ([], []))

    def close(self) -> None:
        """Close all followers."""
        for agent in self._followers.values():
            agent.close()


@runtime_checkable
class Interruptible(Protocol):
    """Additional method of an agent that may think for long, such as one with run-time adaptation."""

    def watch(self, stop: Event) -> None:
        """Raise `suphx.threads.Stopped` from `act`, also in the middle of it, while this event is set."""


class RuleAgent:
    """Adapter that makes a rule-based player of `simulator.players` an agent."""

    def __init__(self, player: Player) -> None:
        self.name = player.name
        self._player = player

    def act(self, games: np.ndarray, decisions: Decisions) -> AgentOutput:
        """Choose an action for each decision."""
        actions = np.empty(len(decisions), np.int64)
        self._player.choose(games, decisions, actions)
        return AgentOutput(actions)


class AgentPlayer:
    """Adapter that makes an agent a player of `simulator.check.run`; each process loads the agent when it is needed."""

    def __init__(self, load: Callable[[], Agent]) -> None:
        self._load = load

    def __getstate__(self) -> dict:
        return {key: value for key, value in self.__dict__.items() if key != "agent"}

    @cached_property
    def agent(self) -> Agent:
        """The agent, loaded on first use; raises whatever loading it raises."""
        return self._load()

    def __call__(
        self, games: np.ndarray, index: np.ndarray, seats: np.ndarray, legal: np.ndarray, seed: int, actions: np.ndarray
    ) -> None:
        """Write an action for each decision into actions i64[n]; `seed` is ignored in favor of the agent's own."""
        actions[:] = self.agent.act(games, Decisions(index, seats, games["phase"][index], legal)).actions
