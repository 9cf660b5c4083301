"""Registers external bots as agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suphx.agent import AGENTS, AgentKind, AgentSettings

if TYPE_CHECKING:
    from suphx.agent.interface import Agent


def _load(name: str, settings: AgentSettings) -> Agent:
    from suphx.mjai.host.specs import external_agent, limits_of

    return external_agent(name, limits_of(name, settings.timeout))


_BOT = AgentKind(_load, is_external=True)
for each, description in {
    "majiang": "the player of majiang-ai; majiang:FOLDER for one that is installed elsewhere",
    "bot": "bot:COMMAND, any mjai bot that reads arrays of events",
    "bot-array": "the same as bot:COMMAND",
    "bot-every": "bot-every:COMMAND, an mjai bot that replies to every event",
    "bot-acting": "bot-acting:COMMAND, an mjai bot that replies where it can act",
}.items():
    AGENTS.register(each, description, lambda: _BOT)
