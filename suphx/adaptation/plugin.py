"""Registers agents with run-time adaptation."""

from suphx.agent import AGENTS
from suphx.plugins import lazy

AGENTS.register(
    "adapted", "adapted:AGENT, which adapts to each round", lazy("suphx.adaptation.agent", "ADAPTED_AGENTS")
)
