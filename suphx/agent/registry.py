"""Load agents by name: rule-based players, networks, and what plugins register (run-time adaptation, external bots)."""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

import torch

from simulator.players import PLAYERS, player
from suphx.agent import AGENTS, AgentKind, AgentSettings, name_and_version
from suphx.agent.flow import Flow, PlaneEncoder, Sampling
from suphx.agent.interface import Agent, RuleAgent
from suphx.errors import InputError
from suphx.networks.inference import Evaluator
from suphx.networks.models import MODELS
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision, choose_precision
from suphx.networks.sizes import NetworkSize, size_named
from suphx.networks.weights import load_agent as load_weights
from suphx.networks.weights import load_card

UNTRAINED = "untrained"
_PLAYERS = {
    "random": "any legal action",
    "tsumogiri": "discards what it draws",
    "sensible": "rule-based: builds its hand, calls and folds",
    "never_folds": "`sensible` without folding",
    "never_calls": "`sensible` without calls",
}
_NETWORKS = {
    "tuned-large": "the included weights",
    "tuned": "`tuned-large` with smaller discards",
    "sl-large": "`tuned-large` before it was tuned to play as the strongest AIs",
    "sl": "`sl-large` with smaller discards",
    "sl-weak": "`sl` with under-trained discards",
}
#: The folders of the included weights, by name.
INCLUDED = {name: Path(__file__).parents[1] / "weights" / name for name in _NETWORKS}


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
        """networks: by model. sampling: by default the likeliest actions. batch_invariant: as in `Evaluator`."""
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
    """Return a hash of the files behind a name, the version for fresh networks; raises InputError for unusable ones."""
    if name.partition(":")[0] == UNTRAINED:
        return name_and_version(name)
    card = load_card(weights_folder(name))
    files = sorted(card.sha256.items())
    return hashlib.sha256(repr((files, card.sums) if card.sums else files).encode()).hexdigest()[:16]


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


def _load_networks(name: str, settings: AgentSettings) -> Agent:
    title, networks = load_networks(name, settings.seed)
    precision = settings.precision or choose_precision()
    sampling = Sampling(settings.temperature, settings.seed)
    return NetworkAgent(title, networks, PlaneEncoder(), precision, sampling, settings.batch_invariant)


_RULE_PLAYER = AgentKind(lambda name, settings: RuleAgent(player(name, settings.seed)))
_WEIGHTS = AgentKind(_load_networks, fingerprint_of_networks, has_networks=True)
for each in PLAYERS:
    AGENTS.register(each, _PLAYERS[each], lambda: _RULE_PLAYER)
for each, words in {**_NETWORKS, UNTRAINED: "untrained:SIZE, fresh weights"}.items():
    AGENTS.register(each, words, lambda: _WEIGHTS)


def kind_of(name: str) -> AgentKind | None:
    """Return the kind of agent with a name, which may still be unusable; None if there is none."""
    for key in (name, name.partition(":")[0]):
        if key in AGENTS:
            return AGENTS[key]
    return _WEIGHTS if os.path.isdir(name) else None


def _known(name: str) -> AgentKind:
    kind = kind_of(name)
    if kind is None:
        names = ", ".join(entry.name for entry in AGENTS)
        raise InputError(f"no agent {name!r}: neither one of {names}, nor a folder of weights")
    return kind


def load_agent(
    name: str,
    seed: int = 0,
    temperature: float | None = None,
    precision: Precision | None = None,
    batch_invariant: bool = False,
    timeout: float | None = None,
) -> Agent:
    """Load an agent of `AGENTS` or a folder of weights, by `AgentSettings`; raises InputError for an unusable one."""
    return _known(name).load(name, AgentSettings(seed, temperature, precision, batch_invariant, timeout))


def has_networks(name: str) -> bool:
    """Return whether the agent with a name decides with this project's own networks."""
    return bool((kind := kind_of(name)) and kind.has_networks)


def is_external(name: str) -> bool:
    """Return whether a name stands for an external bot."""
    return bool((kind := kind_of(name)) and kind.is_external)


def fingerprint(name: str) -> str:
    """Return a string that changes when the agent behind a name changes; raises InputError as `load_agent`."""
    return _known(name).fingerprint(name)
