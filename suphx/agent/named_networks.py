"""Load networks by name: untrained ones, those that come with the package, and folders of weights."""

import hashlib
import os
from importlib.metadata import version
from pathlib import Path

from suphx.agent.network_agent import untrained_networks
from suphx.errors import InputError
from suphx.networks.policy import PolicyNetwork
from suphx.networks.sizes import size_named
from suphx.networks.weights import load_agent as load_weights
from suphx.networks.weights import load_card

UNTRAINED = "untrained"
#: Weights that come with the package, by name.
SHIPPED = {name: Path(__file__).parents[1] / "weights" / name for name in ("tuned", "sl", "sl-weak")}


def weights_folder(name: str) -> Path:
    """Return the folder of weights for a name or path; raises InputError if there is none."""
    folder = SHIPPED.get(name, Path(name))
    if not folder.is_dir():
        known = ", ".join(SHIPPED)
        raise InputError(f"no weights {name!r}: neither {known}, which come with the package, nor a folder of weights")
    return folder


def names_networks(name: str) -> bool:
    """Return whether a name refers to networks."""
    return name.partition(":")[0] == UNTRAINED or name in SHIPPED or os.path.isdir(name)


def fingerprint_of_networks(name: str) -> str:
    """Return a string that changes with the networks behind a name: a hash of their files, for fresh ones the version.

    Raises InputError for unusable weights.
    """
    if name.partition(":")[0] == UNTRAINED:
        return f"{name}, {version('suphx')}"
    card = load_card(weights_folder(name))
    return hashlib.sha256(repr(sorted(card.sha256.items())).encode()).hexdigest()[:16]


def load_networks(name: str, seed: int = 0) -> tuple[str, dict[str, PolicyNetwork]]:
    """Return the title (the name of shipped weights, or the one on the folder's card) and the five networks, by model.

    name: one of `SHIPPED`, `untrained` or `untrained:SIZE` for fresh weights (by default `small`), otherwise a folder
    of weights. seed: random seed for fresh weights. Raises InputError for other names and unusable weights.
    """
    if not names_networks(name):
        known = ", ".join((*SHIPPED, UNTRAINED))
        raise InputError(f"{name!r} names no networks of ours: it is neither one of {known}, nor a folder of weights")
    kind, _, size = name.partition(":")
    if kind == UNTRAINED:
        return name, untrained_networks(size_named(size or "small"), seed)
    folder = weights_folder(name)
    return name if name in SHIPPED else load_card(folder).name, load_weights(folder)
