"""Oracle guiding (paper, section 3.3; formula 5): a network sees perfect information, which is gradually dropped out.

The network's input is [x_normal, delta x x_perfect], where each element of delta is 1 with probability gamma. Dropout
happens in play, whose rows contain what is left, so that learning sees what play saw.
"""

import torch

from suphx.features.layout import ORACLE_PLANES
from suphx.learning.config import OracleConfig
from suphx.networks.models import MODEL_PLANES
from suphx.networks.policy import PolicyNetwork


def widen(network: PolicyNetwork, planes: int = ORACLE_PLANES) -> PolicyNetwork:
    """Return a network with additional planes whose weights are zero: the same function, whatever they contain."""
    return _resized(network, network.planes + planes)


def narrow(network: PolicyNetwork, planes: int = ORACLE_PLANES) -> PolicyNetwork:
    """Return a network without the last planes: the same function as if they were all zero."""
    return _resized(network, network.planes - planes)


def without_hidden(network: PolicyNetwork) -> PolicyNetwork:
    """Return a copy of a network without any planes of hidden information."""
    return narrow(network, network.planes - MODEL_PLANES[network.model])


@torch.no_grad()
def _resized(network: PolicyNetwork, planes: int) -> PolicyNetwork:
    with torch.device("meta"):
        resized = PolicyNetwork(network.model, network.size, planes)
    resized.to_empty(device=network.first.weight.device)
    weights = network.state_dict()
    common = min(planes, network.planes)
    first = torch.zeros_like(resized.first.weight)
    first[:, :common] = weights["first.weight"][:, :common]
    resized.load_state_dict(weights | {"first.weight": first})
    return resized


def gamma_at(config: OracleConfig | None, games: int) -> float:
    """Return gamma after a number of games: 1 at first, then falling linearly, then 0; always 0 without an oracle."""
    if config is None:
        return 0.0
    decayed = games - config.full_games
    if decayed < 0:
        return 1.0
    return max(0.0, 1 - decayed / config.decay_games) if config.decay_games else 0.0
