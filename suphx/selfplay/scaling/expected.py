"""The speed to expect of a configuration's roles: networks from a short probe, everything else as it was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import torch

from simulator.record import SEATS
from suphx.agent.named_networks import weights_folder
from suphx.bench.networks import made_up_planes, measure
from suphx.features.layout import ORACLE_PLANES, PLANES
from suphx.networks.inference import CPU_CHUNK, GPU_CHUNK, Evaluator
from suphx.networks.policy import PolicyNetwork, ValueNetwork
from suphx.networks.precision import Precision, choose_precision
from suphx.networks.sizes import CRITIC
from suphx.networks.weights import load_agent
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.pace import DECISIONS_A_GAME, QUESTIONS_A_GAME
from suphx.selfplay.roles.plan import Node
from suphx.selfplay.roles.resources import RoleConfig
from suphx.selfplay.scaling.costs import ASSUMED_LATENCY, HOST, assumed_card
from suphx.selfplay.scaling.forecast import rows_of_a_step
from suphx.selfplay.scaling.play import PlayCosts, PlayFigures, simulate_play
from suphx.selfplay.seating import learning_seats

#: Seconds of each measurement of the probe.
_PROBE_SECONDS = 0.1
#: The large batch of the probe is a chunk, the small one this part of it.
_SMALL = 1 / 8

_Network = PolicyNetwork | ValueNetwork


@dataclass(frozen=True)
class ExpectedRate:
    """The expected speed of a run."""

    games_per_s: float
    decisions_per_s: float
    limit: str
    """What the rest waits for: a role, or `cores` if the roles share them."""
    assumed: bool
    """Whether the speed of GPUs is assumed, because there is none here to measure."""


@dataclass(frozen=True)
class _Speed:
    """Times of a network in a process of a role, in seconds."""

    row: float
    """Per position."""
    batch: float = 0.0
    """Per batch besides."""


def expected_rate(config: TrainConfig, nodes: Sequence[Node]) -> ExpectedRate:
    """Return the expected speed of a run by roles on machines whose cores and GPUs are like those of this one.

    A probe of a few seconds measures how fast the networks of the start answer and learn. GPUs are assumed as in
    docs/scaling.md if there are none here. Nothing is counted for experience that gets too old, for measurements of the
    agent, or for what Ray itself needs. Questions that `learning.certain` leaves out depend on the policy: they count
    as learned from. Raises InputError if the weights to start from are missing.
    """
    roles, learning = config.roles, config.learning
    networks: dict[str, _Network] = dict(load_agent(weights_folder(config.start)))
    asked: dict[str, float] = dict(QUESTIONS_A_GAME)
    share = learning_seats(config.table) / SEATS
    learned: dict[str, float] = {model: share * asked[model] for model in learning.models}
    if learning.has_critic:
        networks[CRITIC] = ValueNetwork(learning.critic.network_size(), PLANES + ORACLE_PLANES)
        asked[CRITIC] = learned[CRITIC] = sum(learned.values())

    play = _play(config, networks, asked, is_far=len(nodes) > 1)
    playing = _groups(config) * play.questions_per_s / sum(QUESTIONS_A_GAME.values())
    pairs = {model: n * learning.replay.reuse for model, n in learned.items()}
    teaching = sum(n * _seconds_a_pair(networks[model], model, config) for model, n in pairs.items())
    handing = sum(pairs.values()) * HOST.hand_out + sum(learned.values()) * HOST.take_in
    busy = _groups(config) * play.engine_busy * _cores(roles.engines) + roles.simulators.count * play.simulator_busy
    work = busy / playing + teaching * _cores(roles.servers) + handing
    rates = {
        "engines" if play.engine_busy > play.simulator_busy else "simulators": playing,
        "servers": roles.servers.count / teaching,
        "cores": sum(node.cpus for node in nodes) / work,
    }
    limit = min(rates, key=rates.__getitem__)
    assumed = any(_is_assumed(role) for role in (roles.engines, roles.servers))
    return ExpectedRate(rates[limit], rates[limit] * DECISIONS_A_GAME, limit, assumed)


def _groups(config: TrainConfig) -> int:
    """Return the number of engines that have a simulator to answer; of simulators, where these answer themselves."""
    return min(config.roles.engines.count or config.roles.simulators.count, config.roles.simulators.count)


def _play(
    config: TrainConfig, networks: Mapping[str, _Network], asked: Mapping[str, float], is_far: bool
) -> PlayFigures:
    """Return the figures of an engine and its simulators. asked: questions to each network per game."""
    roles = config.roles
    answers = roles.engines if roles.engines.count else roles.simulators
    speeds = {model: _answering(network, answers) for model, network in networks.items()}
    row = sum(n * speeds[model].row for model, n in asked.items()) / sum(QUESTIONS_A_GAME.values())
    if not roles.engines.count:
        rate = 1 / (HOST.question + row)
        return PlayFigures(
            rate, simulator_busy=1.0, engine_busy=0.0, link_busy=0.0, batch=0.0, steps_per_s=0.0, step_s=0.0
        )
    costs = PlayCosts(
        question=HOST.question,
        request=HOST.request,
        answer=HOST.answer,
        batch=float(np.mean([speed.batch for speed in speeds.values()])),
        row=HOST.host_row + row,
        latency=ASSUMED_LATENCY if is_far else 0.0,
    )
    simulators = round(config.roles.simulators.count / _groups(config))
    return simulate_play(costs, simulators, rows_of_a_step(HOST.questions_per_step, config.side_by_side))


def _is_assumed(role: RoleConfig) -> bool:
    return role.gpus > 0 and not torch.cuda.is_available()


@cache
def _precision(on_gpu: bool) -> Precision:
    return choose_precision("cuda" if on_gpu else "cpu", None, 1)


def _share(role: RoleConfig) -> float:
    """Return how much faster a process of a role computes than one core, or what part of a GPU it has."""
    return min(role.gpus, 1.0) if role.gpus else role.threads


def _cores(role: RoleConfig) -> int:
    """Return the cores that a process of a role keeps busy while it computes, or waits for its GPU."""
    return 1 if role.gpus else role.threads


def _answering(network: _Network, role: RoleConfig) -> _Speed:
    if _is_assumed(role):
        card = assumed_card(network.size)
        return _Speed(card.answer / _share(role), card.batch / _share(role))
    precision = _precision(role.gpus > 0)
    evaluator = Evaluator(network, precision)
    many = GPU_CHUNK if role.gpus else CPU_CHUNK
    seconds = {
        n: measure(partial(evaluator.logits, made_up_planes(n, network.planes)), _PROBE_SECONDS, precision.device)
        for n in (int(many * _SMALL), many)
    }
    few = min(seconds)
    row = max(seconds[many] - seconds[few], 0.0) / (many - few)
    return _Speed(row / _share(role), max(seconds[many] - many * row, 0.0) / _share(role))


def _seconds_a_pair(network: _Network, model: str, config: TrainConfig) -> float:
    """Return the seconds of a process of the parameter server for a pair."""
    role, learning = config.roles.servers, config.learning
    if _is_assumed(role):
        card = assumed_card(network.size)
        own = learning.batch_for(model) / role.count
        return HOST.receive + (card.learn + card.step / own) / _share(role)
    precision = _precision(role.gpus > 0)
    network = network.to(precision.device)
    many = GPU_CHUNK if role.gpus else CPU_CHUNK
    packed = made_up_planes(many, network.planes)

    def learn() -> None:
        network.of_packed(packed, precision).logsumexp(1).sum().backward()

    return HOST.receive + measure(learn, _PROBE_SECONDS, precision.device) / many / _share(role)
