"""The paper's decision flow (section 2.1, Figure 1), over a batch of decisions at once.

On a seat's own turn: win? kong? riichi? then a discard. On another seat's discard or kong: win? then chow, pong or
kong, whichever network says yes with the highest confidence. Every network gets one call per batch, with all decisions
that may need it, so that a batch is one request wherever the networks are: the discard network also sees positions in
which a kong or riichi is then declared instead, one in fifty. Forced discards need no network.
"""

from __future__ import annotations

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


@dataclass(frozen=True)
class ModelRows:
    """What one network is to decide in a batch of decisions, one model decision per row."""

    decision: np.ndarray
    """i64[m]: which decision of the batch each row belongs to."""
    option: np.ndarray
    """i64[m]: the action in question, or NO_ACTION for a discard."""
    planes: np.ndarray
    """uint64[m, planes]: the input."""


def encode_model_rows(
    encoder: PlaneEncoder, games: np.ndarray, decisions: Decisions, rows: np.ndarray
) -> dict[str, ModelRows]:
    """Return the inputs of the networks that have something to decide, by model.

    Each chow, pong and kong is encoded as a proposal, also the same chow with and without the red five; each position
    of a turn is encoded once, for all networks. rows: MODEL_DECISION[m], as `model_decisions` returns them.
    """
    calls = SEES_CALL[rows["model"]]
    proposed, turns = rows[calls], rows[~calls]
    decision, option = proposed["position"].astype(np.int64), proposed["option"].astype(np.int64)
    planes = encoder.proposals(games, decisions.game[decision], decisions.seat[decision], option)
    inputs = {}
    for model in CALL_MODELS:
        at = np.flatnonzero(proposed["model"] == MODELS.index(model))
        inputs[model] = ModelRows(decision[at], option[at], planes[at])
    encoded, row = np.unique(turns["position"].astype(np.int64), return_inverse=True)
    planes = encoder.positions(games, decisions.game[encoded], decisions.seat[encoded])
    for model in (*TURN_MODELS, MODELS[DISCARD]):
        at = np.flatnonzero(turns["model"] == MODELS.index(model))
        own = planes if np.array_equal(row[at], np.arange(len(planes))) else planes[row[at]]
        inputs[model] = ModelRows(encoded[row[at]], turns["option"][at].astype(np.int64), own)
    return {model: each for model, each in inputs.items() if len(each.decision)}


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
        """networks: by model, or none if computed elsewhere (`begin`). sampling_of: exceptions, by model."""
        self.name = name
        self.networks = networks
        self.encoder = encoder
        self.sampling_of = dict.fromkeys(MODELS, sampling) | dict(sampling_of or {})

    def act(self, games: np.ndarray, decisions: Decisions) -> AgentOutput:
        """Choose an action for each decision of a batch; games GAME[...]."""
        batch = self.begin(games, decisions)
        return batch.finish(self.logits(batch.planes))

    def begin(self, games: np.ndarray, decisions: Decisions) -> FlowBatch:
        """Return the batch, whose `finish` chooses the actions once its `planes` have been computed."""
        return FlowBatch(self, games, decisions)

    def logits(self, planes: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return the networks' logits f32[m, 34 or 2] for packed planes uint64[m, planes], by model."""
        return {model: self.networks[model](each) for model, each in planes.items()}


class FlowBatch:
    """A batch of decisions passing through the flow: each has NO_ACTION until a step decides it."""

    def __init__(self, flow: Flow, games: np.ndarray, decisions: Decisions) -> None:
        self._flow, self._games = flow, games
        self._index, self._seats = decisions.game, decisions.seat
        models = model_decisions(games, decisions)
        self._actions, self._kinds = models.by_rules, models.kinds
        self._inputs = encode_model_rows(flow.encoder, games, decisions, models.rows)
        self._outputs: list[ModelOutput] = []

    @property
    def planes(self) -> dict[str, np.ndarray]:
        """uint64[m, planes] by model: what the networks are to compute."""
        return {model: each.planes for model, each in self._inputs.items()}

    def finish(self, logits: Mapping[str, np.ndarray]) -> AgentOutput:
        """Return the chosen actions and all outputs; logits: f32[m, 34 or 2] for each of `planes`, by model."""
        self._propose(logits)
        self._discard(logits)
        return AgentOutput(self._actions, self._outputs)

    def _propose(self, logits: Mapping[str, np.ndarray]) -> None:
        """Decide about every legal chow, pong and kong: make the most confident one, else pass if legal.

        Of equally confident ones the higher action wins: the red five's, which then cannot be lost by a discard.
        """
        outputs = [output for model in CALL_MODELS if (output := self._decide(model, logits))]
        if outputs:
            columns = ((each.decision, each.option, _confidence(each)) for each in outputs)
            decision, option, confidence = map(np.concatenate, zip(*columns, strict=True))
            order = np.lexsort((option, confidence))  # ascending: for each decision the last one written wins
            order = order[np.isfinite(confidence[order])]
            self._actions[decision[order]] = option[order]
        self._actions[self._open() & ~self._kinds.any(axis=1)] = r.PASS

    def _discard(self, logits: Mapping[str, np.ndarray]) -> None:
        """Decide about riichi (`TURN_MODELS`), then about which kind to discard."""
        for model in TURN_MODELS:
            output = self._decide(model, logits)
            if output:
                yes = output.action == YES
                self._actions[output.decision[yes]] = output.option[yes]
        kinds = self._kinds.argmax(axis=1)  # right where only one kind may be discarded
        output = self._decide(MODELS[DISCARD], logits, self._kinds)
        if output:
            kinds[output.decision] = output.action
        rows = np.flatnonzero(self._open())
        self._actions[rows] = discard_actions(self._games, self._index[rows], self._seats[rows], kinds[rows])

    def _open(self) -> np.ndarray:
        """Return bool[n]: which decisions nothing has decided yet."""
        return self._actions == r.NO_ACTION

    def _decide(
        self, model: str, logits: Mapping[str, np.ndarray], legal: np.ndarray | None = None
    ) -> ModelOutput | None:
        """Let a network decide what is open; return its output, None without rows. legal: bool[n, 34], None: all."""
        inputs = self._inputs.get(model)
        if inputs is None:
            return None
        rows = np.flatnonzero(self._open()[inputs.decision])
        if not len(rows):
            return None
        decision, option, planes, scores = inputs.decision, inputs.option, inputs.planes, logits[model]
        if len(rows) < len(decision):
            decision, option, planes, scores = decision[rows], option[rows], planes[rows], scores[rows]
        allowed = np.ones(scores.shape, np.bool_) if legal is None else legal[decision]
        sampling = self._flow.sampling_of[model]
        draws = uniform(self._games, self._index[decision], self._seats[decision], option, sampling.seed)
        action, log_probability = choose(scores, allowed, sampling.temperature, draws)
        output = ModelOutput(model, decision, option, planes, scores, allowed, action, log_probability)
        self._outputs.append(output)
        return output


def _confidence(output: ModelOutput) -> np.ndarray:
    """Return f32[m]: by how much the logit of yes exceeds that of no where the action is yes, -inf elsewhere."""
    return np.where(output.action == YES, output.logits[:, YES] - output.logits[:, NO], -np.inf)
