"""Names of agents with run-time adaptation: `adapted:AGENT`, followed by changes to the configuration, with commas.

For example, `adapted:sl,adaptation.deals=100,turns=[0,6]` adapts the agent `sl`. A change has the form of `--set`;
`config=FILE` takes the configuration from a file, to which the other changes are applied.
"""

import re
from pathlib import Path

from suphx.adaptation.agent import AdaptedAgent, AdaptedConfig
from suphx.adaptation.players import load_original
from suphx.config import load_config, make_config
from suphx.errors import InputError
from suphx.networks.precision import Precision

#: Prefix of the name of an agent with run-time adaptation.
ADAPTED = "adapted:"
_CHANGE = re.compile(r",(?=[\w.]+=)")
_FILE = "config="


def parse(name: str) -> tuple[str, AdaptedConfig]:
    """Parse a name into the agent that adapts and its configuration; raises InputError for a malformed name."""
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


def adapted_agent(
    name: str, seed: int, temperature: float | None, precision: Precision, batch_invariant: bool
) -> AdaptedAgent:
    """Load the agent with a name; raises InputError if there is none, or if a temperature is given."""
    agent, config = parse(name)
    if temperature is not None:
        raise InputError(f"{name}: an agent that adapts always gives its likeliest answers; omit the temperature")
    return AdaptedAgent(load_original(agent, precision, batch_invariant), config, seed)
