"""Forecast the speed of a cluster with a given number of machines, and its bottleneck."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache

from suphx.bench.collector import MODEL
from suphx.learning.config import LearningConfig
from suphx.selfplay.pace import LONG_ROUND, QUESTIONS_A_GAME, ROUNDS_A_GAME
from suphx.selfplay.roles.engine import seconds_between_requests
from suphx.selfplay.roles.resources import HALVES, SHIPMENT_QUESTIONS, UNDERWAY, RolesConfig
from suphx.selfplay.scaling.costs import ASKED_IN_TURN, ASSUMED_LATENCY, ROUND_SPREAD, Costs
from suphx.selfplay.scaling.learning import LearningFigures, LearningFlow, simulate_learning
from suphx.selfplay.scaling.play import PlayFigures, simulate_play

#: Planned load of a buffer, as a share of its time.
_BUFFER_LOAD = 0.6
#: Calls of one buffer to each other one for a lesson: what it offers, and its share.
_CALLS_A_SHARE = 2
#: Another simulator is worthwhile if it raises an engine's rate of answers by this share.
_WORTH = 0.05
#: Share of time or of pairs above which something counts as the bottleneck.
_MUCH = 0.1


@dataclass(frozen=True)
class Machine:
    """A machine of a cluster; all are alike."""

    cores: int
    gpus: int
    bandwidth: float
    """Bytes per second to and from the other machines."""


#: The machines assumed for clusters. Their cores are like the measured one.
CPU_MACHINE = Machine(cores=32, gpus=0, bandwidth=10e9 / 8)
GPU_MACHINE = Machine(cores=128, gpus=8, bandwidth=100e9 / 8)


@dataclass(frozen=True)
class Policy:
    """How a run is configured for a cluster."""

    tables: int
    """Games that each simulator plays side by side."""
    batch: int
    """Pairs per step, over all processes of the parameter server."""
    publish_steps: int
    batch_a_server: int = 0
    """Minimum pairs per step and process of the parameter server; raises `batch` if there are many processes."""
    keeps_fresh: bool = False
    """Whether versions get more steps if rounds would otherwise outlast the bound on staleness."""


@dataclass(frozen=True)
class Forecast:
    """The forecast for a cluster."""

    machines: int
    simulators: int
    engines: int
    buffers: int
    servers: int
    """Processes of the parameter server."""
    batch: int
    publish_steps: int
    games_per_s: float
    """Games played per second."""
    pairs_per_s: float
    """Pairs learned from per second."""
    efficiency: float
    """Pairs learned from, relative to the same number of single machines."""
    limit: str
    """The bottleneck, for which everything else waits."""
    staleness: float
    """Mean age of pairs learned from, in versions."""
    staleness_s: float
    """The same in seconds."""
    dropped: float
    """Share of pairs that are dropped as too stale."""
    held: float
    """Share of the time that simulators wait because buffers have enough."""
    engine_busy: float
    server_busy: float
    handing: float
    """Share of the time that the parameter server waits for a lesson in transit."""
    buffer_busy: float
    network: float
    """Share of the bandwidth in use, at the busiest point."""
    polls: float
    """Share of the parameter server's first core used to answer requests for newer weights."""
    feeding_cores: float
    """Simulator cores that each engine keeps busy."""


def rows_of_a_step(questions_per_step: float, tables: int) -> dict[str, float]:
    """Return the questions of a step of half a simulator's tables, by model, in the order in which they are asked.

    questions_per_step: mean number per table.
    """
    questions = tables / HALVES * questions_per_step
    total = sum(QUESTIONS_A_GAME.values())
    return {model: questions * QUESTIONS_A_GAME[model] / total for model in ASKED_IN_TURN}


@cache
def engine_group(costs: Costs, tables: int, machine: Machine) -> tuple[int, PlayFigures]:
    """Return the number of simulators that is worthwhile for an engine, and the figures of the group."""
    rows = rows_of_a_step(costs.questions_per_step, tables)
    play, most = costs.play, 1
    if costs.on_gpu:  # simulators are on the same machine or on others; the network's time is counted for all
        link = costs.sizes.question * machine.gpus / machine.bandwidth
        play, most = replace(play, link=link, latency=ASSUMED_LATENCY), machine.cores // machine.gpus - 2
    number, found = 1, simulate_play(play, 1, rows)
    while number < most:
        more = simulate_play(play, number + 1, rows)
        if more.questions_per_s < (1 + _WORTH) * found.questions_per_s:
            break
        number, found = number + 1, more
    return number, found


def _learning_servers(costs: Costs, machine: Machine, machines: int, policy: Policy, playing: float) -> int:
    """Return the number of places (cores or GPUs) for learning that best balances play and learning.

    playing: pairs per second of each place that plays.
    """
    places = machines * (machine.gpus if costs.on_gpu else machine.cores)

    def rate(servers: int) -> float:
        batch, step = _step(costs, machine, policy, servers)
        return min((places - servers) * playing, batch / step)

    return max(range(1, places), key=rate)


def _step(costs: Costs, machine: Machine, policy: Policy, servers: int) -> tuple[int, float]:
    """Return the pairs of a step of a number of processes, and its time in seconds.

    Gradients are added up in a ring over all machines or along a tree, whichever takes longer.
    """
    batch = max(policy.batch, policy.batch_a_server * servers)
    ring = 2 * (servers - 1) / servers * costs.sizes.weights / machine.bandwidth
    tree = 2 * math.ceil(math.log2(servers)) * ASSUMED_LATENCY
    return batch, batch / servers * (costs.learn + costs.receive) + costs.step + max(ring, tree)


def forecast(costs: Costs, machine: Machine, machines: int, policy: Policy) -> Forecast:
    """Return the forecast for a number of machines, with as many places for learning as needed to keep up with play.

    A place is a GPU if there are any: an engine and a process of the parameter server take one each. Otherwise it is a
    core: an engine takes one, and a simulator takes the share that it keeps busy.
    """
    learned = QUESTIONS_A_GAME[MODEL] / sum(QUESTIONS_A_GAME.values())
    simulators_each, play = engine_group(costs, policy.tables, machine)
    takes = 1.0 if costs.on_gpu else 1 + simulators_each * play.simulator_busy
    servers = _learning_servers(costs, machine, machines, policy, play.questions_per_s * learned / takes)
    engines = max(int((machines * (machine.gpus if costs.on_gpu else machine.cores) - servers) / takes), 1)
    simulators = engines * simulators_each
    batch, step = _step(costs, machine, policy, servers)
    play_rate = engines * play.questions_per_s * learned
    buffers = max(math.ceil(min(play_rate, batch / step) * (costs.take_in + costs.hand_out) / _BUFFER_LOAD), 1)
    round_pairs = simulators * policy.tables * QUESTIONS_A_GAME[MODEL] / ROUNDS_A_GAME
    staleness = LearningConfig().replay.staleness
    publish_steps = policy.publish_steps
    if policy.keeps_fresh:
        publish_steps = max(publish_steps, math.ceil(LONG_ROUND * round_pairs / (staleness * batch)))
    link = costs.sizes.pair / (machine.bandwidth * min(machines, buffers)) if machines > 1 else 0.0
    away = costs.sizes.weights * (machines - 1) / machine.bandwidth  # all machines get weights from the first one
    late = (seconds_between_requests(engines) - seconds_between_requests(1)) / 2
    found = simulate_learning(
        LearningFlow(
            play_rate=play_rate,
            round_pairs=round_pairs,
            underway=simulators * HALVES * UNDERWAY * SHIPMENT_QUESTIONS,
            take_in=costs.take_in / buffers,
            gather=_CALLS_A_SHARE * (buffers - 1) * costs.poll,
            hand_out=costs.hand_out / buffers,
            link=link,
            batch=batch,
            step=step,
            publish_steps=publish_steps,
            ahead=RolesConfig().ahead,
            staleness=staleness,
            weights_delay=costs.weights_delay + away + late,
            round_spread=ROUND_SPREAD,
        )
    )
    single = found.pairs_per_s if machines == 1 else forecast(costs, machine, 1, policy).pairs_per_s
    return Forecast(
        machines=machines,
        simulators=simulators,
        engines=engines,
        buffers=buffers,
        servers=servers,
        batch=batch,
        publish_steps=publish_steps,
        games_per_s=found.played_per_s / QUESTIONS_A_GAME[MODEL],
        pairs_per_s=found.pairs_per_s,
        efficiency=found.pairs_per_s / (machines * single),
        limit=_limit(found, play),
        staleness=found.staleness,
        staleness_s=found.staleness * found.version_s,
        dropped=found.dropped,
        held=found.held,
        engine_busy=play.engine_busy * (1 - found.held),
        server_busy=found.server_busy,
        handing=found.handing,
        buffer_busy=found.buffer_busy,
        network=max(found.link_busy, play.link_busy * (1 - found.held)),
        polls=engines / seconds_between_requests(engines) * costs.poll,
        feeding_cores=simulators_each * play.simulator_busy,
    )


def _limit(found: LearningFigures, play: PlayFigures) -> str:
    """Return the bottleneck, for which everything else waits."""
    if found.dropped > _MUCH:
        return "staleness"
    if found.handing > _MUCH:
        return "lessons"
    if found.server_busy > 1 - _MUCH:
        return "learning"
    busy = {
        "buffers": found.buffer_busy,
        "network": max(found.link_busy, play.link_busy),
        "engines": play.engine_busy,
        "simulators": play.simulator_busy,
    }
    return max(busy, key=lambda name: busy[name])
