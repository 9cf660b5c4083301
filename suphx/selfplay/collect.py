"""`Collector`: plays games endlessly and returns, as rounds end, their questions and rewards.

It is the core of the simulator role: tables, the policies that play at them, and rewards. Its results depend only on
its configuration, its random seed and the weights it is given, not on timing; its state is plain arrays.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from simulator.record import SEATS
from simulator.rules import Rules
from simulator.tables import Decisions, Ended, Tables
from suphx.agent.interface import Agent, ModelOutput, act_each
from suphx.agent.sampling import highest_probability
from suphx.checkpoint import joined, tensors_below
from suphx.features.encode import encode_oracle_batch
from suphx.features.layout import ORACLE_PLANES
from suphx.learning.experience import PATH, Batch
from suphx.learning.policy_gradient import legal_bits
from suphx.networks.models import MODEL_PLANES
from suphx.reward.kinds import TableRewards
from suphx.selfplay.pending import PendingExperience
from suphx.selfplay.records import as_bytes, from_bytes
from suphx.selfplay.seating import LEARNER, TableConfig, seated

_COUNTERS = ("games", "begun", "rounds", "decisions", "questions", "version")


class Collector:
    """A batch of tables at which the latest policy plays.

    Weights change in the middle of rounds: every question is answered by the current weights, and the probability under
    them is logged. A path's version is that of the weights when its round was dealt: the oldest that took part in it.
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
        those that learn, whose questions are kept. opponents: the other players, by number: those that the table names
        (`sources.load_opponents`), and earlier versions.
        oracle: keep the hidden tiles that a learning oracle saw. hidden: keep all hidden tiles, for a critic or a
        teacher. max_confidence: questions whose likeliest answer is more probable are not kept.
        """
        self.table = table
        self.tables = Tables(slots, rules, seed, restart=False)
        self.rewards = rewards
        self.counters = dict.fromkeys(_COUNTERS, 0) | {"begun": slots}
        """Finished games, games begun, finished rounds, decisions of all seats, questions to the policy, and version
        of the weights."""
        self._max_confidence = max_confidence
        self._widths = ORACLE_PLANES * oracle, ORACLE_PLANES * hidden
        self._questions = {model: PendingExperience(MODEL_PLANES[model], *self._widths) for model in models}
        self._policy: Agent | None = None
        self._opponents = list(opponents)
        self.seated = seated(table, self.tables.games["number"])
        """i64[slots, 4]: the player in each seat, LEARNER or an opponent's number from 1 on."""
        self._asked = np.zeros(slots, np.uint16)  # questions to any network in the round so far
        self._version_dealt = np.zeros(slots, np.uint32)

    def set_policy(self, version: int, policy: Agent) -> None:
        """Set the agent that plays the learner's seats from now on, and its version."""
        if self._policy is None and not self.counters["decisions"]:
            self._version_dealt[:] = version
        self._policy = policy
        self.counters["version"] = version

    def set_opponent(self, player: int, agent: Agent) -> None:
        """Set the agent that plays as an opponent from now on, by its number from 1 on."""
        self._opponents[player - 1] = agent

    def step(self) -> tuple[Batch, Ended] | None:
        """Answer every pending decision; return experience and records of the rounds that this ended, if any."""
        decisions = self.tables.decisions()
        ended = self.tables.step(self._answers(decisions))
        self.counters["decisions"] += len(decisions)
        if not len(ended):
            return None
        if ended.finished.any():  # the next games begin there, so that consecutive ones begin at about the same time
            free = ended.game[ended.finished]
            self.tables.restart(free, self.counters["begun"] + np.arange(len(free)))
            self.counters["begun"] += len(free)
        return self._finish(ended)

    def _answers(self, decisions: Decisions) -> np.ndarray:
        """Return each decision's action, i64[n], chosen by the player in that seat; keep the policy's questions."""
        assert self._policy is not None, "a collector needs a policy"
        who = self.seated[decisions.game, decisions.seat]
        actions, choices = act_each((self._policy, *self._opponents), who, self.tables.games, decisions)
        if (who == LEARNER).any() and choices[0].outputs:  # the learner's, whose number is the first
            self._keep(decisions, choices[0].outputs)
        return actions

    def _keep(self, decisions: Decisions, outputs: Sequence[ModelOutput]) -> None:
        """Keep the questions that the policy was asked in one step."""
        owner = decisions.game.astype(np.int64) * SEATS + decisions.seat
        places = _places(outputs, decisions.game, self._asked)
        for output, place in zip(outputs, places, strict=True):
            owners = owner[output.decision]
            np.add.at(self._asked, decisions.game[output.decision], 1)
            self.counters["questions"] += len(owners)
            if output.model in self._questions:
                own = MODEL_PLANES[output.model]
                columns = {
                    "place": place,
                    "planes": output.planes[:, :own],
                    "oracle": self._shown(output, own),
                    "hidden": self._hidden(decisions, output),
                    "legal": legal_bits(output.legal),
                    "answer": output.action,
                    "log_probability": output.log_probability,
                }
                if self._max_confidence < 1:
                    kept = highest_probability(output.logits, output.legal) <= self._max_confidence
                    owners, columns = owners[kept], {name: each[kept] for name, each in columns.items()}
                self._questions[output.model].add(owners, columns)

    def _shown(self, output: ModelOutput, own: int) -> np.ndarray:
        """Return the oracle planes that the network saw: zeros once it sees none; [n, 0] if none are kept."""
        width = self._widths[0]
        if width and output.planes.shape[1] == own:
            return np.zeros((len(output.planes), width), np.uint64)
        return output.planes[:, own : own + width]

    def _hidden(self, decisions: Decisions, output: ModelOutput) -> np.ndarray:
        """Return all oracle planes of the questions; [n, 0] if none are kept."""
        if not self._widths[1]:
            return np.empty((len(output.planes), 0), np.uint64)
        return encode_oracle_batch(self.tables.games, decisions.game[output.decision], decisions.seat[output.decision])

    def _finish(self, ended: Ended) -> tuple[Batch, Ended]:
        rewards = self.rewards.of(ended)
        rows, seats = np.nonzero(self.seated[ended.game] == LEARNER)
        slots = ended.game[rows]
        paths = np.zeros(len(rows), PATH)
        paths["game"], paths["round"] = ended.records["number"][rows], ended.records["deals"][rows] - 1
        paths["seat"], paths["last"] = seats, ended.finished[rows]
        paths["version"], paths["reward"] = self._version_dealt[slots], rewards[rows, seats]
        paths["others"] = rewards[rows[:, None], (seats[:, None] + np.arange(1, SEATS)) % SEATS]
        number = np.full(len(self.tables) * SEATS, -1)  # of each seat's path
        number[slots.astype(np.int64) * SEATS + seats] = np.arange(len(paths))
        batch = Batch(paths, {model: questions.take(number) for model, questions in self._questions.items()}).fill()

        self._asked[ended.game] = 0
        self._version_dealt[ended.game] = self.counters["version"]
        self.seated[ended.game] = seated(self.table, self.tables.games["number"][ended.game])
        self.counters["rounds"] += len(ended)
        self.counters["games"] += int(ended.finished.sum())
        return batch, ended

    def state(self) -> dict[str, np.ndarray]:
        """Return everything except the policy, as plain arrays: a restored copy with the same policy plays the same."""
        found = {
            "games": as_bytes(self.tables.games),
            "asked": self._asked.copy(),
            "version_dealt": self._version_dealt.copy(),
            "counters": np.array([self.counters[name] for name in _COUNTERS], np.int64),
        }
        questions = {f"questions.{model}": each.state() for model, each in self._questions.items()}
        return found | joined({"rewards": self.rewards.state()} | questions)

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Restore what `state` returned; the policy must be set separately."""
        self.tables.restore(from_bytes(state["games"]))
        self._asked[:] = state["asked"]
        self._version_dealt[:] = state["version_dealt"]
        self.counters = dict(zip(_COUNTERS, state["counters"].tolist(), strict=True))
        self.seated = seated(self.table, self.tables.games["number"])
        self.rewards.restore(tensors_below(state, "rewards."))
        for model, questions in self._questions.items():
            questions.restore(tensors_below(state, f"questions.{model}."))


def _places(outputs: Sequence[ModelOutput], tables: np.ndarray, before: np.ndarray) -> list[np.ndarray]:
    """Return, for each output, u16[m]: how many questions came before each one in its round.

    tables: i32[n], the table of each decision. before: u16[slots], number of questions at each table before this step.
    A table's questions are in the order of its decisions, and a decision's in the order of outputs.
    """
    decision = np.concatenate([output.decision for output in outputs])
    table = tables[decision]
    order = np.lexsort((decision, table))
    ordered = table[order]
    within = np.empty(len(decision), np.int64)
    within[order] = np.arange(len(decision)) - np.searchsorted(ordered, ordered)
    place = (before[table] + within).astype(np.uint16)
    return np.split(place, np.cumsum([len(output.decision) for output in outputs])[:-1])
