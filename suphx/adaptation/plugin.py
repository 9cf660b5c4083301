"""Registers agents with run-time adaptation."""

from suphx.agent import AGENTS
from suphx.plugins import WARMUPS, lazy

AGENTS.register(
    "adapted", "adapted:AGENT, which adapts to each round", lazy("suphx.adaptation.agent", "ADAPTED_AGENTS")
)
WARMUPS.register("adaptation", "", lazy("suphx.adaptation.rollouts", "warm_up"))
