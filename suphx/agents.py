"""Load agents by name: rule-based players, networks, networks with run-time adaptation, and external bots."""

from dataclasses import replace
from importlib.metadata import version

from simulator.players import PLAYERS, player
from suphx.adaptation.agent import ADAPTED, adapted_agent, parse
from suphx.agent.encoder import PlaneEncoder
from suphx.agent.flow import Sampling
from suphx.agent.in_turns import TURNS, InTurns
from suphx.agent.interface import Agent, RuleAgent
from suphx.agent.named_networks import SHIPPED, UNTRAINED, fingerprint_of_networks, load_networks, names_networks
from suphx.agent.network_agent import NetworkAgent
from suphx.errors import InputError
from suphx.mjai.host.specs import external_agent, is_external, usual_limits
from suphx.networks.precision import Precision, choose_precision


def load_agent(
    name: str,
    seed: int = 0,
    temperature: float | None = None,
    precision: Precision | None = None,
    batch_invariant: bool = False,
    timeout: float | None = None,
) -> Agent:
    """Load the agent with the given name.

    name: one of `simulator.players.PLAYERS`; networks (`agent.named_networks`); `adapted:AGENT` for an agent with
    run-time adaptation (`adaptation.agent`); an external bot (`mjai.host.specs`); or several of these, except bots,
    joined by `|`, which take turns by game number (`agent.in_turns`). seed: random seed for the agent's choices (and
    for untrained weights). temperature, precision, batch_invariant (see `Evaluator`): settings of networks; by default
    they answer greedily, and use the precision that a probe finds fastest. timeout: seconds an external bot has for a
    decision. Raises InputError for an unknown name or unusable weights.
    """
    if name in PLAYERS:
        return RuleAgent(player(name, seed))
    if is_external(name):
        limits = usual_limits(name)
        return external_agent(name, limits if timeout is None else replace(limits, decision=timeout))
    precision = precision or choose_precision()
    if TURNS in name:
        parts = [load_agent(each, seed, temperature, precision, batch_invariant) for each in in_turn(name)]
        return InTurns(name, parts)
    if name.startswith(ADAPTED):
        return adapted_agent(name, seed, temperature, precision, batch_invariant)
    if not names_agent(name):
        known = ", ".join((*PLAYERS, *SHIPPED, UNTRAINED, f"{ADAPTED}AGENT", "majiang", "bot:COMMAND"))
        raise InputError(f"no agent {name!r}: neither one of {known}, nor a folder of weights")
    title, networks = load_networks(name, seed)
    return NetworkAgent(title, networks, PlaneEncoder(), precision, Sampling(temperature, seed), batch_invariant)


def names_agent(name: str) -> bool:
    """Return whether `load_agent` accepts a name; the weights it refers to may still be unusable."""
    if name in PLAYERS or is_external(name):
        return True
    if TURNS in name:
        return all(map(names_agent, name.split(TURNS)))
    return name.startswith(ADAPTED) or names_networks(name)


def in_turn(name: str) -> list[str]:
    """Return the names of the agents that take turns under a name (usually just one).

    Raises InputError if a bot is among several.
    """
    if is_external(name) or TURNS not in name:
        return [name]
    names = name.split(TURNS)
    if any(map(is_external, names)):
        raise InputError(f"{name}: a bot that lives outside this program cannot take turns with other agents")
    return names


def has_networks(name: str) -> bool:
    """Return whether the agent with this name decides with this project's own networks."""
    return any(each not in PLAYERS and not is_external(each) for each in in_turn(name))


def fingerprint(name: str) -> str:
    """Return a string that changes when the agent behind a name changes.

    For weights it is a hash of their files, for other agents the name and the program's version. Raises InputError for
    unusable weights.
    """
    if len(names := in_turn(name)) > 1:
        return TURNS.join(map(fingerprint, names))
    if name.startswith(ADAPTED):
        agent, config = parse(name)
        return ", ".join(
            [fingerprint(agent), config.model_dump_json(), *config.adaptation.reward.fingerprints().values()]
        )
    return fingerprint_of_networks(name) if names_networks(name) else f"{name}, {version('suphx')}"
