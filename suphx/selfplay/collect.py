"""`Collector`: plays games endlessly, and collects the decisions and rewards of the rounds that end.

It is the core of the simulator role: tables, the policies that play at them, and rewards. Its results depend only on
its configuration, its random seed and the weights it is given, not on timing; its state is plain arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from simulator.players.play import shares
from simulator.record import GAME, SEATS
from simulator.rules import Rules
from simulator.tables import Decisions, Ended, Tables
from suphx.agent.flow import Flow, FlowBatch
from suphx.agent.interface import Agent, AgentOutput, ModelOutput
from suphx.agent.sampling import highest_probability
from suphx.checkpoint import joined, tensors_below
from suphx.features.encode import encode_oracle_batch
from suphx.features.layout import ORACLE_PLANES
from suphx.learning.experience import TRAJECTORY, Batch, experience_dtype, join, rows_of
from suphx.networks.models import MODEL_PLANES, OUTPUTS
from suphx.reward.games import Games
from suphx.reward.kinds import TableRewards
from suphx.selfplay.config import LEARNER, TableConfig, seated
from suphx.selfplay.policy import fitting

_COUNTERS = ("games", "begun", "rounds", "decisions", "model_decisions", "version")

#: A network at the tables: the number of a player, and the model.
PlayerModel: TypeAlias = tuple[int, str]

#: The table whose rounds are kept as sample games.
SAMPLED_TABLE = 0


@dataclass(frozen=True)
class BegunStep:
    """A step of the tables whose networks are computed elsewhere."""

    decisions: Decisions
    parts: list[tuple[int, np.ndarray, FlowBatch | AgentOutput]]
    """The number of each player, its rows of the decisions, and what it waits for, or has chosen."""

    @property
    def requests(self) -> dict[PlayerModel, np.ndarray]:
        """What is to be computed: packed planes uint64[m, planes]."""
        waiting = [(player, part) for player, _, part in self.parts if isinstance(part, FlowBatch)]
        return {(player, model): planes for player, part in waiting for model, planes in part.planes.items()}


@dataclass(frozen=True)
class _Rounds:
    """The rounds that ended in a step."""

    ended: Ended
    games: Games
    """Of each round, up to its end."""
    rows: np.ndarray
    """i64[m]: to which round each trajectory belongs."""
    batch: Batch
    """What is learned from, without rewards."""


class Collector:
    """A batch of tables at which the latest policy plays.

    Weights change in the middle of rounds: every decision is made by the current weights, and the probability under
    them is logged. A trajectory's version is that of the weights when its round was dealt: the oldest that
    took part in it.
    """

    def __init__(
        self,
        table: TableConfig,
        rules: Rules,
        rewards: TableRewards,
        slots: int,
        seed: int,
        models: Sequence[str],
        opponents: Sequence[Agent] = (),
        oracle: bool = False,
        hidden: bool = False,
        max_confidence: float = 1.0,
    ) -> None:
        """Deal the first rounds; `set_policy` must follow.

        slots: number of games side by side, which `rewards` must be made for. seed: random seed of the walls. models:
        those that learn, whose decisions are kept. opponents: the other players, by number: those that the table names
        (`play.load_opponents`). oracle: whether the policy may be shown hidden planes. hidden: keep all hidden
        planes, for a critic. max_confidence: decisions whose likeliest action is more probable are not kept.
        """
        self.table = table
        self.tables = Tables(slots, rules, seed, restart=False)
        self.rewards = rewards
        self.counters = dict.fromkeys(_COUNTERS, 0) | {"begun": slots}
        """Finished games, games begun, finished rounds, decisions of all seats, decisions of the policy's
        networks, and version of the weights."""
        self._max_confidence = max_confidence
        self._has_hidden = hidden
        self._pending = {
            model: PendingExperience(
                MODEL_PLANES[model] + ORACLE_PLANES * oracle, OUTPUTS[model], ORACLE_PLANES * hidden
            )
            for model in models
        }
        self._policy: Agent | None = None
        self._opponents = list(opponents)
        self.seated = seated(table, self.tables.games["number"])
        """i64[slots, 4]: the player in each seat, LEARNER or an opponent's number from 1 on."""
        self._steps = np.zeros(slots, np.uint16)  # decisions of any network in the round so far
        self._version_dealt = np.zeros(slots, np.uint32)
        self._rounds: list[_Rounds] = []
        self.learnable = 0
        """Decisions of networks that learn in the rounds that have not been taken yet."""

    @property
    def has_rounds(self) -> bool:
        """Whether any round has ended since they were last taken."""
        return bool(self._rounds)

    def set_policy(self, version: int, policy: Agent) -> None:
        """Set the agent that plays the learner's seats from now on, and its version."""
        if self._policy is None and not self.counters["decisions"]:
            self._version_dealt[:] = version
        self._policy = policy
        self.counters["version"] = version

    def step(self) -> Ended | None:
        """Answer every pending decision; return the rounds that this ended, if any."""
        return self.finish(self.begin(), {})

    def begin(self) -> BegunStep:
        """Begin a step: encode what networks elsewhere are to compute; players with their own choose at once."""
        assert self._policy is not None, "a collector needs a policy"
        decisions = self.tables.decisions()
        who = self.seated[decisions.game, decisions.seat]
        parts: list[tuple[int, np.ndarray, FlowBatch | AgentOutput]] = []
        for (number, agent), rows, part in shares(list(enumerate((self._policy, *self._opponents))), who, decisions):
            if isinstance(agent, Flow) and not agent.networks:
                parts.append((number, rows, agent.begin(self.tables.games, part)))
            else:
                parts.append((number, rows, agent.act(self.tables.games, part)))
        return BegunStep(decisions, parts)

    def finish(self, begun: BegunStep, logits: Mapping[PlayerModel, np.ndarray]) -> Ended | None:
        """Finish the step that was begun last; returns as `step`. logits: f32[m, 34 or 2] for each of its requests."""
        actions = np.empty(len(begun.decisions), np.int64)
        for player, rows, part in begun.parts:
            if isinstance(part, FlowBatch):
                part = part.finish({model: logits[player, model] for model in part.planes})
            actions[rows] = part.actions
            if player == LEARNER:
                outputs = [replace(each, decision=rows[each.decision]) for each in part.outputs]
                if outputs:
                    self._keep(begun.decisions, outputs)
        ended = self.tables.step(actions)
        self.counters["decisions"] += len(begun.decisions)
        if not len(ended):
            return None
        if ended.finished.any():  # the next games begin there, so that consecutive ones begin at about the same time
            free = ended.game[ended.finished]
            self.tables.restart(free, self.counters["begun"] + np.arange(len(free)))
            self.counters["begun"] += len(free)
        self._finish(ended)
        return ended

    def take(self) -> Batch:
        """Return the experience of the rounds that have ended since this was last called, at least one."""
        rounds, self._rounds, self.learnable = self._rounds, [], 0
        batch = join([each.batch for each in rounds])
        rewards = self.rewards.of_several([(each.ended, each.games) for each in rounds])
        first = np.cumsum([0, *(len(each.ended) for each in rounds)])
        rows = np.concatenate([at + each.rows for at, each in zip(first[:-1], rounds, strict=True)])
        seats = batch.trajectories["seat"][:, None].astype(np.int64) + np.arange(SEATS)
        batch.trajectories["rewards"] = rewards[rows[:, None], seats % SEATS]
        return batch.fill()

    def _keep(self, decisions: Decisions, outputs: Sequence[ModelOutput]) -> None:
        """Keep the decisions of the policy's networks in one step."""
        owner = decisions.game.astype(np.int64) * SEATS + decisions.seat
        steps = _steps(outputs, decisions.game, self._steps)
        for output, step in zip(outputs, steps, strict=True):
            owners = owner[output.decision]
            np.add.at(self._steps, decisions.game[output.decision], 1)
            self.counters["model_decisions"] += len(owners)
            if output.model in self._pending:
                rows: slice | np.ndarray = slice(None)  # whose planes are not copied
                if self._max_confidence < 1:
                    rows = np.flatnonzero(highest_probability(output.logits, output.legal) <= self._max_confidence)
                columns = {
                    "step": step[rows],
                    "planes": output.planes[rows],
                    "legal": output.legal[rows],
                    "action": output.action[rows],
                    "log_probability": output.log_probability[rows],
                }
                if self._has_hidden:
                    index, seats = decisions.game[output.decision[rows]], decisions.seat[output.decision[rows]]
                    columns["hidden"] = encode_oracle_batch(self.tables.games, index, seats)
                self._pending[output.model].add(owners[rows], columns)

    def _finish(self, ended: Ended) -> None:
        rows, seats = np.nonzero(self.seated[ended.game] == LEARNER)
        slots = ended.game[rows]
        trajectories = np.zeros(len(rows), TRAJECTORY)
        trajectories["game"], trajectories["round"] = ended.records["number"][rows], ended.records["deals"][rows] - 1
        trajectories["seat"], trajectories["last"] = seats, ended.finished[rows]
        trajectories["version"] = self._version_dealt[slots]
        number = np.full(len(self.tables) * SEATS, -1)  # of each seat's trajectory
        number[slots.astype(np.int64) * SEATS + seats] = np.arange(len(trajectories))
        experience = {model: pending.take(number) for model, pending in self._pending.items()}
        self._rounds.append(_Rounds(ended, self.rewards.note(ended), rows, Batch(trajectories, experience)))
        self.learnable += sum(map(len, experience.values()))
        self._steps[ended.game] = 0
        self._version_dealt[ended.game] = self.counters["version"]
        self.seated[ended.game] = seated(self.table, self.tables.games["number"][ended.game])
        self.counters["rounds"] += len(ended)
        self.counters["games"] += int(ended.finished.sum())

    def state(self) -> dict[str, np.ndarray]:
        """Return everything except the policy, as plain arrays: a restored copy with the same policy plays the same.

        Rounds that have ended must have been taken.
        """
        assert not self._rounds
        arrays = {
            "games": as_bytes(self.tables.games),
            "asked": self._steps.copy(),
            "version_dealt": self._version_dealt.copy(),
            "counters": np.array([self.counters[name] for name in _COUNTERS], np.int64),
        }
        pending = {f"questions.{model}": each.state() for model, each in self._pending.items()}
        return arrays | joined({"rewards": self.rewards.state()} | pending)

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Restore what `state` returned; the policy must be set separately."""
        self.tables.restore(from_bytes(state["games"]))
        self._steps[:] = state["asked"]
        self._version_dealt[:] = state["version_dealt"]
        self.counters = dict(zip(_COUNTERS, state["counters"].tolist(), strict=True))
        self.seated = seated(self.table, self.tables.games["number"])
        self.rewards.restore(tensors_below(state, "rewards."))
        for model, pending in self._pending.items():
            pending.restore(tensors_below(state, f"questions.{model}."))


def _steps(outputs: Sequence[ModelOutput], tables: np.ndarray, before: np.ndarray) -> list[np.ndarray]:
    """Return, for each output, u16[m]: how many decisions came before each one in its round.

    tables: i32[n], the table of each decision. before: u16[slots], number of decisions at each table before.
    A table's decisions are in the order of its seats' turns, and those of one turn in the order of outputs.
    """
    decision = np.concatenate([output.decision for output in outputs])
    table = tables[decision]
    order = np.lexsort((decision, table))
    ordered = table[order]
    within = np.empty(len(decision), np.int64)
    within[order] = np.arange(len(decision)) - np.searchsorted(ordered, ordered)
    steps = (before[table] + within).astype(np.uint16)
    return np.split(steps, np.cumsum([len(output.decision) for output in outputs])[:-1])


def as_bytes(games: np.ndarray) -> np.ndarray:
    """Return GAME[n] as u8[n, bytes of a record], with zeros in the gaps between a record's fields."""
    clean = np.zeros(games.shape, np.dtype((np.void, GAME.itemsize))).view(GAME)
    _copy_fields(games, clean)
    return clean.view(np.uint8).reshape(len(games), GAME.itemsize)


def _copy_fields(source: np.ndarray, target: np.ndarray) -> None:
    for name in target.dtype.names or ():
        if target[name].dtype.names:
            _copy_fields(source[name], target[name])
        else:
            target[name] = source[name]


def from_bytes(data: np.ndarray) -> np.ndarray:
    """Return GAME[n] from the u8[n, bytes] that `as_bytes` returned."""
    return data.copy().view(GAME).reshape(-1)


#: Initial number of rows.
_FIRST_ROWS = 1024
_FREE = -1


class PendingExperience:
    """Decisions of one model, by table and seat."""

    def __init__(self, planes: int, outputs: int, hidden: int) -> None:
        """planes, outputs, hidden: as for `experience_dtype`."""
        self._owner = np.full(_FIRST_ROWS, _FREE, np.int32)  # table x 4 + seat, or _FREE
        self._rows = np.zeros(_FIRST_ROWS, experience_dtype(planes, outputs, hidden))

    def add(self, owner: np.ndarray, columns: dict[str, np.ndarray]) -> None:
        """Add decisions; owner: i64[n], table x 4 + seat. columns: fields of a decision by name.

        Planes may be fewer than a row has: then the network was shown nothing that is hidden, and zeros follow.
        """
        while len(free := np.flatnonzero(self._owner == _FREE)) < len(owner):
            self._owner = np.concatenate([self._owner, np.full_like(self._owner, _FREE)])
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
        rows = free[: len(owner)]
        self._owner[rows] = owner
        for name, column in columns.items():
            self._rows[name][rows] = fitting(column, self._rows[name].shape[1]) if name == "planes" else column

    def take(self, trajectory: np.ndarray) -> np.ndarray:
        """Remove and return the decisions of finished rounds, sorted by trajectory and in the order of play.

        trajectory: i64[tables x 4], that of each seat; -1 if its round has not ended.
        """
        ended = trajectory[self._owner]
        ended[self._owner == _FREE] = -1
        rows = np.flatnonzero(ended >= 0)
        rows = rows[np.lexsort((self._rows["step"][rows], ended[rows]))]
        taken = self._rows[rows]
        taken["trajectory"] = ended[rows]
        self._owner[rows] = _FREE
        return taken

    def state(self) -> dict[str, np.ndarray]:
        """Return all decisions as plain arrays, sorted by owner and step, so that the rows they used do not matter."""
        rows = np.flatnonzero(self._owner != _FREE)
        rows = rows[np.lexsort((self._rows["step"][rows], self._owner[rows]))]
        pending = self._rows[rows]
        return {"owner": self._owner[rows], "rows": pending.view(np.uint8).reshape(len(rows), pending.itemsize)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Replace the contents by what `state` returned."""
        self._owner[:] = _FREE
        rows = rows_of(state["rows"], self._rows.dtype)
        self.add(state["owner"], {name: rows[name] for name in self._rows.dtype.names or ()})
