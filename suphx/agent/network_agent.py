"""The agent that plays with the five networks, and networks by name: included, fresh, and folders of weights."""

import hashlib
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import torch

from suphx.agent.flow import Flow, PlaneEncoder, Sampling
from suphx.errors import InputError
from suphx.networks.inference import Evaluator
from suphx.networks.models import MODELS
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.networks.sizes import NetworkSize, size_named
from suphx.networks.weights import load_agent as load_weights
from suphx.networks.weights import load_card

UNTRAINED = "untrained"
#: The folders of the included weights, by name.
INCLUDED = {name: Path(__file__).parents[1] / "weights" / name for name in ("tuned", "sl", "sl-weak")}


class NetworkAgent(Flow):
    """An agent that plays with five networks; it copies their weights."""

    def __init__(
        self,
        name: str,
        networks: Mapping[str, PolicyNetwork],
        encoder: PlaneEncoder,
        precision: Precision,
        sampling: Sampling | None = None,
        batch_invariant: bool = False,
    ) -> None:
        """networks: by model name, all of `MODELS`. sampling: by default each network's likeliest action.

        batch_invariant: as in `Evaluator`; with it logits do not depend on the other decisions of their batch.
        """
        evaluators = {model: Evaluator(networks[model], precision, batch_invariant) for model in MODELS}
        calls = {model: evaluator.logits for model, evaluator in evaluators.items()}
        super().__init__(calls, encoder, sampling or Sampling(), name=name)


def untrained_networks(size: NetworkSize, seed: int = 0) -> dict[str, PolicyNetwork]:
    """Return the five networks with fresh weights, determined by the seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return {model: PolicyNetwork(model, size) for model in MODELS}


def weights_folder(name: str) -> Path:
    """Return the folder of weights for a name or path; raises InputError if there is none."""
    folder = INCLUDED.get(name, Path(name))
    if not folder.is_dir():
        known = ", ".join(INCLUDED)
        raise InputError(f"{name!r} names no networks of ours: it is neither one of {known}, nor a folder of weights")
    return folder


def fingerprint_of_networks(name: str) -> str:
    """Return a string that changes with the networks behind a name: a hash of their files, for fresh ones the version.

    Raises InputError for unusable weights.
    """
    if name.partition(":")[0] == UNTRAINED:
        return f"{name}, {version('suphx')}"
    card = load_card(weights_folder(name))
    return hashlib.sha256(repr(sorted(card.sha256.items())).encode()).hexdigest()[:16]


def load_networks(name: str, seed: int = 0) -> tuple[str, dict[str, PolicyNetwork]]:
    """Return the title (the name of included weights, or the one on the folder's card) and the five networks, by model.

    name: one of `INCLUDED`, `untrained` or `untrained:SIZE` for fresh weights (by default `small`), otherwise a folder
    of weights. seed: random seed for fresh weights. Raises InputError for other names and unusable weights.
    """
    kind, _, size = name.partition(":")
    if kind == UNTRAINED:
        return name, untrained_networks(size_named(size or "small"), seed)
    folder = weights_folder(name)
    return name if name in INCLUDED else load_card(folder).name, load_weights(folder)
