"""Costs of each part of self-play: measured by `suphx bench selfplay` and `learner`, derived from the code, or assumed.

Times are in seconds, sizes in bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from suphx.bench.collector import MODEL
from suphx.bench.learner import operations
from suphx.errors import InputError
from suphx.learning.replay import Lesson
from suphx.networks.policy import PolicyNetwork
from suphx.networks.sizes import MODEL_PLANES, OUTPUTS, NetworkSize, size_named
from suphx.selfplay.pace import QUESTIONS_A_GAME
from suphx.selfplay.questions import Questions
from suphx.selfplay.scaling.play import PlayCosts

#: Standard deviation of the number of discards in a round, relative to the mean; `sl` against itself in 200 hanchan.
ROUND_SPREAD = 0.33
#: The order in which a simulator asks the networks in a step.
ASKED_IN_TURN = ("chow", "pong", "kong", "riichi", "discard")

#: Assumed for a GPU that could not be measured: the peak of an H100 in bfloat16, and the share of it that is reached.
ASSUMED_PEAK, ASSUMED_SHARE = 989e12, 0.4
#: Also assumed: minimum time of a batch on a GPU, per block of the network. Answering starts about six operations per
#: block, a learning step about thirty, each of about 8 us.
ASSUMED_BLOCK_ANSWER, ASSUMED_BLOCK_STEP = 50e-6, 250e-6
#: Assumed: round-trip time between machines.
ASSUMED_LATENCY = 1e-4

#: The layout of roles from which the costs of requests are taken.
_LAYOUT = "play_two_cores"


@dataclass(frozen=True)
class Card:
    """Times of a network on a GPU, in seconds."""

    answer: float
    """Per position of a large batch."""
    learn: float
    """Per pair of a large step."""
    batch: float
    """Per batch that is answered, besides."""
    step: float
    """Per step, besides."""


def assumed_card(size: NetworkSize) -> Card:
    """Return what networks of a size are assumed to take on a GPU that could not be measured."""
    each, reached = operations(size), ASSUMED_PEAK * ASSUMED_SHARE
    return Card(
        answer=each["forward"] / reached,
        learn=each["training"] / reached,
        batch=size.blocks * ASSUMED_BLOCK_ANSWER,
        step=size.blocks * ASSUMED_BLOCK_STEP,
    )


@dataclass(frozen=True)
class Sizes:
    """Sizes in bytes of what is sent, from the layouts of planes and columns."""

    question: float
    """A question to an engine and its answer, averaged over the questions of a game."""
    pair: int
    """A question to learn from, with all its columns."""
    weights: int
    """A publication of weights."""


def sizes_of(size: str) -> Sizes:
    """Return sizes for networks of a named size, if the discard network learns."""
    total = sum(QUESTIONS_A_GAME.values())
    question = sum(n * (MODEL_PLANES[model] * 8 + OUTPUTS[model] * 4) for model, n in QUESTIONS_A_GAME.items()) / total
    with torch.device("meta"):
        network = PolicyNetwork(MODEL, size_named(size))
    return Sizes(question, _pair_bytes(), network.n_parameters() * 4)


def _pair_bytes() -> int:
    """Return the size of a lesson's row in bytes."""
    nothing = Questions(MODEL_PLANES[MODEL], 0, 0).take(np.full(1, -1))
    none, versions = np.empty(0, np.float32), np.empty(0, np.uint32)
    columns = Lesson(nothing, none, none, versions).columns().values()
    return sum(column.itemsize * int(np.prod(column.shape[1:])) for column in columns)


@dataclass(frozen=True)
class Costs:
    """Times that one process of each role takes."""

    network: str
    """Name of the networks' size."""
    on_gpu: bool
    play: PlayCosts
    """Costs of play, without the connection between machines (`link`, `latency`)."""
    host_row: float
    """Engine: time per row, besides the network's computation."""
    take_in: float
    """Buffer: time per incoming pair."""
    hand_out: float
    """Buffer: time per pair of a lesson."""
    receive: float
    """Process of the parameter server: time to receive a pair of its part of a lesson."""
    learn: float
    """Process of the parameter server: time to learn from a pair."""
    step: float
    """Process of the parameter server: additional time per step."""
    poll: float
    """Parameter server: time per request of an engine for newer weights."""
    questions_per_step: float
    """Mean number of questions per table and step of its simulator."""
    weights_delay: float
    """Time from a publication to its use on the same machine."""
    sizes: Sizes


@dataclass(frozen=True)
class HostCosts:
    """Costs that do not depend on the networks; the fields are those of `Costs` and `PlayCosts`."""

    question: float
    request: float
    answer: float
    host_row: float
    take_in: float
    hand_out: float
    receive: float
    questions_per_step: float


#: Of the shipped measurements with `base` networks, for forecasts on machines where nothing was measured.
HOST = HostCosts(
    question=20.4e-6,
    request=1134e-6,
    answer=2227e-6,
    host_row=3.9e-6,
    take_in=1.6e-6,
    hand_out=8.4e-6,
    receive=5.6e-6,
    questions_per_step=1.03,
)


def _figure(found: Mapping[str, Any], *names: str) -> float:
    value: Any = found
    for name in names:
        if not isinstance(value, Mapping) or name not in value:
            raise InputError(f"the measurements have no {' / '.join(names)}; measure with suphx bench again")
        value = value[name]
    return float(value)


def cpu_costs(selfplay: Mapping[str, Any], learner: Mapping[str, Any], network: str) -> Costs:
    """Return costs if everything is computed on CPUs like the measured one, with a core for each process.

    selfplay, learner: output of the two benchmarks. Raises InputError if figures are missing.
    """
    row = _figure(selfplay, network, "request", "row_us") * 1e-6 / 2  # half of it on either side
    bare = 1 / _figure(selfplay, network, "collector", "bare_large_questions_per_s")
    question = _figure(selfplay, network, "collector", "play_us") * 1e-6
    batch = _figure(selfplay, network, _LAYOUT, "engine_batch")  # about one request, or slightly more
    asking = _figure(selfplay, network, _LAYOUT, "simulator_us") * 1e-6 - question - row
    inside = _figure(selfplay, network, _LAYOUT, "network_us") * 1e-6
    answering = _figure(selfplay, network, _LAYOUT, "engine_us") * 1e-6 - inside - row
    play = PlayCosts(
        question=question + row,
        request=max(asking, 0.0) * batch,
        answer=max(answering, 0.0) * batch,
        batch=max(inside - bare, 0.0) * batch,
        row=bare + row,
    )
    a_step = _figure(selfplay, network, "collector", "questions_per_step")
    return Costs(
        network=network,
        on_gpu=False,
        play=play,
        host_row=row,
        take_in=_figure(selfplay, network, "buffer", "take_in_us") * 1e-6,
        hand_out=_figure(selfplay, network, "buffer", "hand_out_us") * 1e-6,
        receive=_figure(selfplay, network, _LAYOUT, "server_us") * 1e-6,
        learn=1 / _figure(learner, network, "learner", "pairs_per_core_s"),
        step=0.0,
        poll=_figure(selfplay, network, "request", "request_us") * 1e-6 / 2,
        questions_per_step=a_step / _figure(selfplay, network, "collector", "games"),
        weights_delay=_figure(selfplay, network, _LAYOUT, "weights_delay_s"),
        sizes=sizes_of(network),
    )


def gpu_costs(cpu: Costs, network: str, card: Mapping[str, float] | None = None) -> Costs:
    """Return costs if networks of a named size run on GPUs and everything else on cores like the measured ones.

    card: the learner benchmark's measurement of a GPU; without it, assumed values are used. An engine's host and GPU
    work alternate: the core's time per request and row is added to the network's time.
    """
    found = assumed_card(size_named(network))
    if card is not None:
        found = replace(found, answer=1 / card["inference_per_s"], learn=1 / card["pairs_per_s"])
    return replace(
        cpu,
        network=network,
        on_gpu=True,
        play=replace(cpu.play, batch=found.batch, row=cpu.host_row + found.answer),
        learn=found.learn,
        step=found.step,
        sizes=sizes_of(network),
    )
