"""Networks by name: untrained ones, those that come with the package, and folders of weights."""

from __future__ import annotations

import os
from pathlib import Path

from suphx.agent.network_agent import untrained_networks
from suphx.errors import InputError
from suphx.networks.policy import PolicyNetwork
from suphx.networks.sizes import size_named
from suphx.networks.weights import load_agent as load_weights
from suphx.networks.weights import load_card

UNTRAINED = "untrained"
#: Weights that come with the package, by name; the first is meant where no agent is named.
SHIPPED = {name: Path(__file__).parents[1] / "weights" / name for name in ("sl", "sl-weak")}


def weights_folder(name: str) -> Path:
    """Return the folder of weights that a name or path means; raises InputError if there is none."""
    folder = SHIPPED.get(name, Path(name))
    if not folder.is_dir():
        known = ", ".join(SHIPPED)
        raise InputError(f"no weights {name!r}: neither {known}, which come with the package, nor a folder of weights")
    return folder


def names_networks(name: str) -> bool:
    """Return whether a name means networks."""
    return name.partition(":")[0] == UNTRAINED or name in SHIPPED or os.path.isdir(name)


def load_networks(name: str, seed: int = 0) -> tuple[str, dict[str, PolicyNetwork]]:
    """Return the title (a shipped one's name, or what the folder's card says) and the five networks, by model.

    name: one of `SHIPPED`, `untrained` or `untrained:SIZE` for fresh ones (by default `small`), otherwise a folder of
    weights. seed: of fresh weights. Raises InputError for other names and weights that cannot be used.
    """
    if not names_networks(name):
        known = ", ".join((*SHIPPED, UNTRAINED))
        raise InputError(f"{name!r} names no networks of ours: neither one of {known}, nor a folder of weights")
    kind, _, size = name.partition(":")
    if kind == UNTRAINED:
        return name, untrained_networks(size_named(size or "small"), seed)
    folder = weights_folder(name)
    return name if name in SHIPPED else load_card(folder).name, load_weights(folder)
