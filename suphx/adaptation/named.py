"""Agents that adapt, by name: `adapted:AGENT`, with changes to the configuration after commas.

`adapted:sl,adaptation.deals=100,turns=[0,6]` is the agent `sl`; a change is as in a configuration, and `config=FILE`
begins with those of a file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from suphx.adaptation.agent import AdaptedAgent, AdaptedConfig
from suphx.adaptation.players import load_original
from suphx.agent.in_turns import TURNS
from suphx.config import load_config, make_config
from suphx.errors import InputError
from suphx.mjai.host.specs import is_external
from suphx.networks.precision import Precision

#: How the name of an agent that adapts begins.
ADAPTED = "adapted:"
_CHANGE = re.compile(r",(?=[\w.]+=)")
_FILE = "config="


def parse(name: str) -> tuple[str, AdaptedConfig]:
    """Return the agent that adapts and how, of a name; raises InputError for what cannot be read."""
    agent, *changes = _CHANGE.split(name.removeprefix(ADAPTED))
    if not agent:
        raise InputError(f"{name!r} names no agent; write {ADAPTED}sl")
    files = [change.removeprefix(_FILE) for change in changes if change.startswith(_FILE)]
    changes = [change for change in changes if not change.startswith(_FILE)]
    if len(files) > 1:
        raise InputError(f"{name!r} names two configurations")
    if files:
        return agent, load_config(Path(files[0]), AdaptedConfig, changes)
    return agent, make_config({}, AdaptedConfig, changes, name)


def with_budgets(names: Sequence[str], rollouts: int | None, seconds: float | None) -> list[str]:
    """Return names, those of agents that adapt with so many rollouts or seconds a round; None for what they have.

    Agents that take turns under a name are changed one by one. Raises InputError if there is something to set and none
    of them adapts.
    """
    if rollouts is None and seconds is None:
        return list(names)
    changed = [_with_budget(name, rollouts, seconds) for name in names]
    if changed == list(names):
        raise InputError(f"{', '.join(names)}: rollouts and seconds are for an agent that adapts, such as {ADAPTED}sl")
    return changed


def _with_budget(name: str, rollouts: int | None, seconds: float | None) -> str:
    if is_external(name):
        return name
    if TURNS in name:
        return TURNS.join(_with_budget(each, rollouts, seconds) for each in name.split(TURNS))
    if not name.startswith(ADAPTED):
        return name
    if rollouts is not None:
        copies = parse(name)[1].adaptation.copies
        name += f",adaptation.deals={-(-rollouts // copies)}"
    return name if seconds is None else f"{name},seconds_per_round={seconds}"


def adapted_agent(
    name: str, seed: int, temperature: float | None, precision: Precision, fixed_passes: bool
) -> AdaptedAgent:
    """Return the agent of a name; raises InputError where there is none, or answers should be drawn."""
    agent, config = parse(name)
    if temperature is not None:
        raise InputError(f"{name}: an agent that adapts gives its likeliest answers; leave the temperature out")
    return AdaptedAgent(load_original(agent, precision, fixed_passes), config, seed)
