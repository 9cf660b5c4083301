"""Registers agents with run-time adaptation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suphx.agent import AGENTS, AgentKind, AgentSettings

if TYPE_CHECKING:
    from suphx.agent.interface import Agent


def _load(name: str, settings: AgentSettings) -> Agent:
    from suphx.adaptation.agent import adapted_agent
    from suphx.networks.precision import choose_precision

    precision = settings.precision or choose_precision()
    return adapted_agent(name, settings.seed, settings.temperature, precision, settings.batch_invariant)


def _fingerprint(name: str) -> str:
    from suphx.adaptation.agent import parse
    from suphx.agent.registry import fingerprint

    agent, config = parse(name)
    return ", ".join([fingerprint(agent), config.model_dump_json(), *config.adaptation.reward.fingerprints().values()])


AGENTS.register(
    "adapted",
    "adapted:AGENT, which adapts to each round",
    lambda: AgentKind(_load, _fingerprint, has_networks=True),
)
