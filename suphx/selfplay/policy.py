"""Policies as they play: five networks, some of which may see hidden information."""

from collections.abc import Collection, Mapping
from functools import partial

import numpy as np

from simulator.record import NO_ACTION
from suphx.agent.flow import Flow, PlaneEncoder, Sampling
from suphx.features.encode import encode_oracle_batch
from suphx.networks.inference import Evaluator
from suphx.networks.models import MODEL_PLANES, MODELS
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.selfplay.dropout import drop, dropout_keys

#: The learning policy plays at temperature 1: the probabilities it logs are those of its own softmax.
TEMPERATURE = 1.0


class OracleEncoder(PlaneEncoder):
    """Encodes a position's planes followed by those of hidden information, each element kept with probability gamma.

    With gamma 0 the hidden planes are left out.
    """

    def __init__(self, gamma: float, seed: int) -> None:
        """gamma: 0 to 1, which may be set anew. seed: random seed of the dropout."""
        self.gamma, self._seed = gamma, seed

    def positions(self, games: np.ndarray, index: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return uint64[n, 838 (+ ORACLE_PLANES)] for seats u8[n] of games[index[n]]."""
        seen = super().positions(games, index, seats)
        return self._with_hidden(seen, games, index, seats, np.full(len(index), NO_ACTION))

    def proposals(self, games: np.ndarray, index: np.ndarray, seats: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Return uint64[n, 958 (+ ORACLE_PLANES)]: each position with a proposed chow, pong or kong, actions i64[n]."""
        return self._with_hidden(super().proposals(games, index, seats, actions), games, index, seats, actions)

    def _with_hidden(
        self, seen: np.ndarray, games: np.ndarray, index: np.ndarray, seats: np.ndarray, options: np.ndarray
    ) -> np.ndarray:
        if not self.gamma:
            return seen
        keys = dropout_keys(games, index, seats, options, self._seed)
        return np.concatenate([seen, drop(encode_oracle_batch(games, index, seats), self.gamma, keys)], axis=1)


def sampling_of(learning: Collection[str], seed: int) -> dict[str, Sampling]:
    """Return how a policy that learns chooses its actions, by model, where they are not the likeliest ones."""
    return dict.fromkeys(learning, Sampling(TEMPERATURE, seed))


class SelfPlayPolicy(Flow):
    """The networks of one version, which plays with a copy of their weights."""

    def __init__(
        self,
        version: int,
        networks: Mapping[str, PolicyNetwork],
        precision: Precision,
        seed: int,
        gamma: float = 1.0,
        learning: Collection[str] = MODELS,
    ) -> None:
        """networks: by model; a network with more planes than its model has also sees hidden planes, after its own.

        seed: random seed of the sampled actions. gamma: share of the hidden information that is shown. learning: models
        whose actions are sampled; none for a policy that is measured.
        """
        evaluators = {model: Evaluator(network, precision, batch_invariant=True) for model, network in networks.items()}
        wide = any(network.planes > MODEL_PLANES[model] for model, network in networks.items())
        calls = {model: partial(fitted_logits, evaluator) for model, evaluator in evaluators.items()}
        encoder = OracleEncoder(gamma * wide, seed)
        super().__init__(calls, encoder, Sampling(), sampling_of(learning, seed), f"version {version}")


def fitted_logits(evaluator: Evaluator, planes: np.ndarray) -> np.ndarray:
    """Return the logits of a network for any number of planes (`fitting`)."""
    return evaluator.logits(fitting(planes, evaluator.planes))


def fitting(planes: np.ndarray, wanted: int) -> np.ndarray:
    """Return packed planes uint64[n, wanted]: surplus ones at the end are left out, missing ones are zeros."""
    if planes.shape[1] == wanted:
        return planes
    fitted = np.zeros((len(planes), wanted), np.uint64)
    shared = min(wanted, planes.shape[1])
    fitted[:, :shared] = planes[:, :shared]
    return fitted
