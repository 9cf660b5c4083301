"""The latest policy as it plays: five networks, some of which may see hidden information."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from simulator.record import NO_ACTION
from simulator.tables import Decisions
from suphx.agent.encoder import PlaneEncoder
from suphx.agent.flow import Encoder, Flow, Network, Sampling
from suphx.agent.interface import Choice
from suphx.features.encode import encode_oracle_batch
from suphx.networks.inference import Evaluator
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.networks.sizes import MODEL_PLANES, MODELS
from suphx.selfplay.dropout import drop, dropout_keys

#: The learning policy plays at temperature 1: the probabilities it logs are those of its own softmax.
TEMPERATURE = 1.0


class OracleEncoder:
    """Encodes a position's planes followed by those of hidden information, each element kept with probability gamma."""

    def __init__(self, gamma: float, seed: int) -> None:
        """gamma: 0 to 1. seed: random seed of the dropout."""
        self._gamma, self._seed = gamma, seed
        self._seen = PlaneEncoder()

    def positions(self, games: np.ndarray, index: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return uint64[n, 838 + ORACLE_PLANES] for seats u8[n] of games[index[n]]."""
        seen = self._seen.positions(games, index, seats)
        return self._with_hidden(seen, games, index, seats, np.full(len(index), NO_ACTION))

    def proposals(self, games: np.ndarray, index: np.ndarray, seats: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Return uint64[n, 958 + ORACLE_PLANES]: each position with a proposed chow, pong or kong, actions i64[n]."""
        return self._with_hidden(self._seen.proposals(games, index, seats, actions), games, index, seats, actions)

    def _with_hidden(
        self, seen: np.ndarray, games: np.ndarray, index: np.ndarray, seats: np.ndarray, options: np.ndarray
    ) -> np.ndarray:
        keys = dropout_keys(games, index, seats, options, self._seed)
        return np.concatenate([seen, drop(encode_oracle_batch(games, index, seats), self._gamma, keys)], axis=1)


def policy_flow(
    networks: Mapping[str, Network], encoder: Encoder, seed: int, learning: Collection[str], others: float | None
) -> Flow:
    """Return the flow of a learning policy: the answers of models in `learning` are drawn at temperature 1.

    others: temperature of the other models; None takes their likeliest answers.
    """
    return Flow(networks, encoder, Sampling(others, seed), dict.fromkeys(learning, Sampling(TEMPERATURE, seed)))


class Policy:
    """The networks of one version, which plays with a copy of their weights."""

    def __init__(
        self,
        version: int,
        networks: Mapping[str, PolicyNetwork],
        precision: Precision,
        seed: int,
        gamma: float = 1.0,
        learning: Collection[str] = MODELS,
        others: float | None = None,
    ) -> None:
        """networks: by model; a network with more planes than its model has also sees hidden planes, after its own.

        seed: random seed of the drawn answers. gamma: share of the hidden information that is shown. learning: models
        whose answers are drawn; none for a policy that is measured. others: temperature of the other models.
        """
        self.name = f"version {version}"
        evaluators = {model: Evaluator(network, precision, fixed_passes=True) for model, network in networks.items()}
        wide = any(network.planes > MODEL_PLANES[model] for model, network in networks.items())
        encoder: Encoder = OracleEncoder(gamma, seed) if wide else PlaneEncoder()
        calls = {model: _own_planes(evaluator) for model, evaluator in evaluators.items()}
        self._flow = policy_flow(calls, encoder, seed, learning, others)

    def act(self, games: np.ndarray, asked: Decisions) -> Choice:
        """Choose for each decision."""
        return self._flow.decide(games, asked)


def _own_planes(evaluator: Evaluator) -> Network:
    """Return a network that also accepts more planes than it has, and ignores the surplus ones at the end."""

    def logits(planes: np.ndarray) -> np.ndarray:
        return evaluator.logits(np.ascontiguousarray(planes[:, : evaluator.planes]))

    return logits
