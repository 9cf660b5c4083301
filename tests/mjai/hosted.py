"""Games with bots for the tests of the host."""

from __future__ import annotations

import sys
from pathlib import Path

from simulator.players import player
from simulator.rules import Rules
from suphx.agent.interface import RuleAgent
from suphx.mjai.host.agent import ExternalAgent
from suphx.mjai.host.limits import Limits
from suphx.mjai.host.match import Contestant, MatchGame, play_match
from suphx.mjai.host.specs import process_agent
from suphx.mjai.host.styles import Style

BOTS = Path(__file__).parent / "bots"
#: Enough for an interpreter to start on a busy machine; short for whoever is to be late.
LIMITS = Limits(decision=5.0, start=30.0, exit=0.5)


def bot(script: str, *words: str, style: Style = "array", limits: Limits = LIMITS) -> ExternalAgent:
    """Return the agent of one of the bots here."""
    return process_agent([sys.executable, "-S", str(BOTS / script), *words], style, limits)


def play(agent: ExternalAgent, games: int = 1, seed: int = 0) -> list[MatchGame]:
    """Play East-only games of one bot, which begins on seat 0, against three rule-based players."""
    four = [Contestant(agent), *(Contestant(RuleAgent(player("sensible"))) for _ in range(3))]
    try:
        return list(play_match(four, games, seed, Rules.tenhou_east()))
    finally:
        agent.close()
