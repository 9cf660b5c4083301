"""The speed to expect of a plan, in closed form: what every role takes for a game, and which one the others wait for.

Roles work side by side, so the slowest bounds the rest. Networks take what a short probe finds here; GPUs that are not
here, and the host, take what docs/scaling.md says.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from suphx.features.layout import ORACLE_PLANES, PLANES
from suphx.networks.models import CRITIC, MODELS
from suphx.networks.policy import PolicyNetwork, ValueNetwork
from suphx.networks.precision import choose_precision
from suphx.networks.timing import Seconds, answering_seconds, assumed_seconds, learning_seconds
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.pace import DECISIONS_A_GAME, MODEL_DECISIONS_A_GAME, learned_of
from suphx.selfplay.roles.plan import Node
from suphx.selfplay.roles.resources import HALVES, RoleConfig
from suphx.selfplay.sources import load_start

#: Seconds of a core. Simulator: for a question, and for a request to an engine. Engine: for a request, and for a row of
#: it. Buffer: for a pair that comes in, for one of a minibatch, for a call to another. Server: to receive a pair.
QUESTION, REQUEST, ANSWER, ROW = 20.4e-6, 1134e-6, 2227e-6, 3.9e-6
TAKE_IN, HAND_OUT, CALL, RECEIVE = 1.6e-6, 8.4e-6, 588e-6, 5.6e-6
QUESTIONS_A_STEP = 1.03  # of a table, in a step of its simulator
_PROBE_SECONDS = 0.1


@dataclass(frozen=True)
class Times:
    """Seconds that networks take, on one process of a role."""

    answer: float
    """For all questions of a game, in large batches."""
    batch: float
    """For a batch besides."""
    learn: float
    """For everything that is learned from a game."""
    step: float
    """For a step besides, which servers cannot share."""


@dataclass(frozen=True)
class ExpectedRate:
    """The expected speed of a run."""

    games_per_s: float
    decisions_per_s: float
    limit: str
    """What the rest waits for: a role, `minibatches` that buffers gather, or `cores` if the roles share them."""
    assumed: bool
    """Whether the speed of GPUs is assumed."""


def expected_rate(config: TrainConfig, nodes: Sequence[Node]) -> ExpectedRate:
    """Return the expected speed of a run by roles on machines whose cores and GPUs are like those of this one.

    Raises InputError if the weights to start from are missing.
    """
    roles, rates = config.roles, bounds(config, times_of(config), sum(node.cpus for node in nodes))
    limit = min(rates, key=rates.__getitem__)
    assumed = any(role.gpus > 0 and not torch.cuda.is_available() for role in (roles.engines, roles.servers))
    return ExpectedRate(rates[limit], rates[limit] * DECISIONS_A_GAME, limit, assumed)


def bounds(config: TrainConfig, times: Times, cores: float) -> dict[str, float]:
    """Return the games a second that each role allows, the gathering of minibatches, and all cores together."""
    roles, learning, asked = config.roles, config.learning, sum(MODEL_DECISIONS_A_GAME.values())
    learned, reuse = learned_of(config), learning.replay.reuse
    pairs, steps = sum(learned.values()), sum(reuse * n / learning.batch_for(model) for model, n in learned.items())
    requests = len(MODELS) * asked / (config.side_by_side / HALVES * QUESTIONS_A_STEP)
    simulator, engine = asked * QUESTION + times.answer, 0.0  # simulators have networks of their own
    if roles.engines.count:
        together = max(roles.simulators.count / roles.engines.count, 1)  # requests that an engine finds waiting
        simulator = asked * QUESTION + requests * REQUEST
        engine = times.answer + asked * ROW + requests * (ANSWER + times.batch / together)
    buffer, server = pairs * (TAKE_IN + reuse * HAND_OUT), times.learn + reuse * pairs * RECEIVE
    # One minibatch at a time is gathered: two calls to every other buffer, then each hands out its share.
    gathering = steps * 2 * (roles.buffers.count - 1) * CALL + reuse * pairs * HAND_OUT / roles.buffers.count
    threads = [1 if role.gpus else role.threads for role in (roles.engines, roles.servers)]
    return {
        "simulators": roles.simulators.count / simulator,
        "engines": min(roles.engines.count, roles.simulators.count) / engine if engine else math.inf,
        "buffers": roles.buffers.count / buffer,
        "minibatches": 1 / gathering,
        "servers": 1 / (server / roles.servers.count + steps * times.step),
        "cores": cores / (simulator + engine * threads[0] + server * threads[1] + buffer),
    }


def times_of(config: TrainConfig) -> Times:
    """Return what the networks of the start and the critic take on this machine."""
    roles, learned, asked = config.roles, learned_of(config), dict[str, float](MODEL_DECISIONS_A_GAME)
    networks: dict[str, PolicyNetwork | ValueNetwork] = dict(load_start(config))
    if config.learning.has_critic:
        networks[CRITIC] = ValueNetwork(config.learning.critic.network_size(), PLANES + ORACLE_PLANES)
        asked[CRITIC] = learned[CRITIC] = sum(learned.values())
    plays = roles.engines if roles.engines.count else roles.simulators
    answers = {model: _seconds(network, plays, False) for model, network in networks.items()}
    steps = {model: _seconds(networks[model], roles.servers, True) for model in learned}
    return Times(
        answer=sum(n * answers[model].row for model, n in asked.items()),
        batch=sum(each.batch for each in answers.values()) / len(answers),
        learn=config.learning.replay.reuse * sum(n * steps[model].row for model, n in learned.items()),
        step=sum(each.batch for each in steps.values()) / len(config.learning.models),
    )


def _seconds(network: PolicyNetwork | ValueNetwork, role: RoleConfig, learns: bool) -> Seconds:
    share = min(role.gpus, 1.0) or role.threads
    if role.gpus and not torch.cuda.is_available():
        found = assumed_seconds(network.size, learns)
    else:
        precision = choose_precision("cuda" if role.gpus else "cpu", None, 1)
        found = (learning_seconds if learns else answering_seconds)(network, precision, _PROBE_SECONDS)
    return Seconds(found.row / share, found.batch / share)
