"""The paper's decision flow (section 2.1, Figure 1), over a batch of decisions at once.

On a seat's own turn: win? kong? riichi? then a discard. On another seat's discard or kong: win? then chow, pong or
kong, whichever network says yes with the highest confidence. The flow is evaluated step by step for the whole batch:
each network gets one call per step with all decisions that need it. Forced discards need no network.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from simulator import record as r
from simulator.tables import Decisions
from suphx.agent.interface import AgentOutput, ModelOutput
from suphx.agent.model_decisions import DISCARD, SEES_CALL, discard_actions, model_decisions
from suphx.agent.sampling import choose, uniform
from suphx.errors import InputError
from suphx.features.encode import encode_batch, encode_call_batch
from suphx.networks.models import CALL_MODELS, MODELS, NO, TURN_MODELS, YES

#: A network: packed planes uint64[n, planes] -> logits f32[n, 34 or 2].
Network = Callable[[np.ndarray], np.ndarray]


class PlaneEncoder:
    """Encodes what the networks see: a position, or a position with a proposed call, as packed planes."""

    def positions(self, games: np.ndarray, index: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return the planes uint64[n, 838] for seats u8[n] of games[index[n]]."""
        return encode_batch(games, index, seats)

    def proposals(self, games: np.ndarray, index: np.ndarray, seats: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Return the planes uint64[n, 958], each with a proposed chow, pong or kong, actions i64[n]."""
        return encode_call_batch(games, index, seats, actions)


@dataclass(frozen=True)
class Sampling:
    """How an action is chosen from a network's logits."""

    temperature: float | None = None
    """Temperature of the softmax to sample from, above 0; None takes the likeliest action."""
    seed: int = 0
    """Random seed, 0 to 2^64 - 1; a decision gets the same random numbers whatever batch it is in."""

    def __post_init__(self) -> None:
        if self.temperature is not None and not self.temperature > 0:
            raise InputError(f"a temperature is above 0, not {self.temperature}; omit it to take the likeliest action")


class Flow:
    """An agent that plays by the decision flow: the five networks and the order in which they decide."""

    def __init__(
        self,
        networks: Mapping[str, Network],
        encoder: PlaneEncoder,
        sampling: Sampling,
        sampling_of: Mapping[str, Sampling] | None = None,
        name: str = "",
    ) -> None:
        """networks: by model name. sampling_of: exceptions to `sampling`, by model name. name: of the agent."""
        self.name = name
        self.networks = networks
        self.encoder = encoder
        self.sampling_of = dict.fromkeys(networks, sampling) | dict(sampling_of or {})

    def act(self, games: np.ndarray, decisions: Decisions) -> AgentOutput:
        """Choose an action for each decision of a batch; games GAME[...]."""
        batch = _Batch(self, games, decisions)
        batch.propose()
        batch.discard()
        return batch.output()


class _Batch:
    """A batch of decisions passing through the flow: each has NO_ACTION until a step decides it."""

    def __init__(self, flow: Flow, games: np.ndarray, decisions: Decisions) -> None:
        self._flow = flow
        self._games = games
        self._index, self._seats = decisions.game, decisions.seat
        models = model_decisions(games, decisions)
        self._actions, self._kinds, self._rows = models.by_rules, models.kinds, models.rows
        self._outputs: list[ModelOutput] = []

    def output(self) -> AgentOutput:
        """Return the chosen actions and all outputs."""
        return AgentOutput(self._actions, self._outputs)

    def propose(self) -> None:
        """Decide about every legal chow, pong and kong: make the most confident one, else pass if legal.

        Each option is a model decision of its own, even the same chow with and without the red five. Among equally
        confident options the higher action wins: the one with the red five, which then cannot be lost by a discard.
        """
        rows = self._rows[SEES_CALL[self._rows["model"]]]
        decision, option = rows["position"].astype(np.int64), rows["option"].astype(np.int64)
        planes = self._flow.encoder.proposals(self._games, self._index[decision], self._seats[decision], option)
        confidence = np.full(len(decision), -np.inf)
        for model in CALL_MODELS:
            at = np.flatnonzero(rows["model"] == MODELS.index(model))
            output = self._decide(model, decision[at], option[at], planes[at])
            if output is not None:
                confidence[at] = np.where(output.action == YES, output.logits[:, YES] - output.logits[:, NO], -np.inf)
        order = np.lexsort((option, confidence))  # ascending: for each decision the last one written wins
        order = order[np.isfinite(confidence[order])]
        self._actions[decision[order]] = option[order]
        self._actions[self._open() & ~self._kinds.any(axis=1)] = r.PASS

    def discard(self) -> None:
        """Decide about riichi (`TURN_MODELS`), then about which kind to discard."""
        rows = self._rows[~SEES_CALL[self._rows["model"]]]
        rows = rows[self._open()[rows["position"]]]
        encoded, row = np.unique(rows["position"].astype(np.int64), return_inverse=True)
        planes = self._flow.encoder.positions(self._games, self._index[encoded], self._seats[encoded])

        for model in TURN_MODELS:
            of_model = (rows["model"] == MODELS.index(model)) & self._open()[rows["position"]]
            at, option = row[of_model], rows["option"][of_model].astype(np.int64)
            output = self._decide(model, encoded[at], option, planes[at])
            if output is not None:
                self._actions[output.decision[output.action == YES]] = option[output.action == YES]

        at = row[rows["model"] == DISCARD]
        at = at[self._open()[encoded[at]]]
        which = encoded[at]
        kinds = self._kinds.argmax(axis=1)  # right where only one kind may be discarded
        output = self._decide("discard", which, np.full(len(at), r.NO_ACTION), planes[at], self._kinds[which])
        if output is not None:
            kinds[which] = output.action
        rows = np.flatnonzero(self._open())
        self._actions[rows] = discard_actions(self._games, self._index[rows], self._seats[rows], kinds[rows])

    def _open(self) -> np.ndarray:
        """Return bool[n]: which decisions nothing has decided yet."""
        return self._actions == r.NO_ACTION

    def _decide(
        self,
        model: str,
        decision: np.ndarray,
        option: np.ndarray,
        planes: np.ndarray,
        legal: np.ndarray | None = None,
    ) -> ModelOutput | None:
        """Let one network decide for some rows; record and return its output, None without rows."""
        if not len(decision):
            return None
        logits = self._flow.networks[model](planes)
        if legal is None:
            legal = np.ones(logits.shape, np.bool_)
        sampling = self._flow.sampling_of[model]
        draws = uniform(self._games, self._index[decision], self._seats[decision], option, sampling.seed)
        action, log_probability = choose(logits, legal, sampling.temperature, draws)
        output = ModelOutput(model, decision, option, planes, logits, legal, action, log_probability)
        self._outputs.append(output)
        return output
