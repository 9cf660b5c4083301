"""What each part of self-play costs: measured by `suphx bench selfplay` and `learner`, sizes from the code, or assumed.

Times are in seconds, sizes in bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from suphx.errors import InputError
from suphx.networks.policy import PolicyNetwork
from suphx.networks.sizes import MODEL_PLANES, OUTPUTS, size_named
from suphx.selfplay.bench_learner import operations
from suphx.selfplay.benchmark import MODEL
from suphx.selfplay.pace import QUESTIONS_A_GAME
from suphx.selfplay.questions import Questions
from suphx.selfplay.replay import Lesson
from suphx.selfplay.scaling.play import PlayCosts

#: Standard deviation of the number of discards in a round, as a share of the mean: `sl` against itself in 200 hanchan.
ROUND_SPREAD = 0.33
#: Which networks are asked after which, in a step of a simulator.
ASKED_IN_TURN = ("chow", "pong", "kong", "riichi", "discard")

#: Assumed of a GPU that could not be measured: the peak of an H100 in bfloat16, and which share of it is reached.
ASSUMED_PEAK, ASSUMED_SHARE = 989e12, 0.4
#: Assumed likewise: what a batch takes at least on a GPU, for each block of the network. A batch to be answered starts
#: some six operations in a block, a step of learning some thirty, each of about 8 us.
ASSUMED_BLOCK_ANSWER, ASSUMED_BLOCK_STEP = 50e-6, 250e-6
#: Assumed: from machine to machine and back.
ASSUMED_LATENCY = 1e-4


#: Of which layout of roles the costs of requests are taken.
_LAYOUT = "play_two_cores"


@dataclass(frozen=True)
class Sizes:
    """Bytes of what is sent, as the layouts have it."""

    question: float
    """A question to an engine and its answer, on average over the questions of a game."""
    pair: int
    """A question to learn from, with all that goes with it."""
    weights: int
    """A publication."""


def sizes_of(size: str) -> Sizes:
    """Return sizes for networks of a size by name, where the discard network learns."""
    total = sum(QUESTIONS_A_GAME.values())
    question = sum(n * (MODEL_PLANES[model] * 8 + OUTPUTS[model] * 4) for model, n in QUESTIONS_A_GAME.items()) / total
    with torch.device("meta"):
        network = PolicyNetwork(MODEL, size_named(size))
    return Sizes(question, _pair_bytes(), network.n_parameters() * 4)


def _pair_bytes() -> int:
    """Return the bytes of a row of a lesson."""
    nothing = Questions(MODEL_PLANES[MODEL], 0, 0).take(np.full(1, -1))
    none, versions = np.empty(0, np.float32), np.empty(0, np.uint32)
    columns = Lesson(nothing, none, none, versions).columns().values()
    return sum(column.itemsize * int(np.prod(column.shape[1:])) for column in columns)


@dataclass(frozen=True)
class Costs:
    """What one process of each role takes."""

    network: str
    """Size by name."""
    on_gpu: bool
    play: PlayCosts
    """Without network and latency."""
    host_row: float
    """An engine's, for each row, besides what the network computes."""
    take_in: float
    """A buffer's, for a pair that comes in."""
    hand_out: float
    """... for a pair of a lesson."""
    receive: float
    """A parameter server's process's, for each pair of its part of a lesson: to get it."""
    learn: float
    """... to learn from it."""
    step: float
    """... for each step, besides."""
    poll: float
    """The parameter server's, for each time that an engine asks for newer weights."""
    questions_per_step: float
    """Of a table in a step of its simulator."""
    weights_delay: float
    """From a publication to its use on the same machine."""
    sizes: Sizes


def _figure(found: Mapping[str, Any], *names: str) -> float:
    value: Any = found
    for name in names:
        if not isinstance(value, Mapping) or name not in value:
            raise InputError(f"the measurements have no {' / '.join(names)}; measure with suphx bench again")
        value = value[name]
    return float(value)


def cpu_costs(selfplay: Mapping[str, Any], learner: Mapping[str, Any], network: str) -> Costs:
    """Return costs where all is computed on CPUs as the one that was measured; each process has a core.

    selfplay, learner: what the two benchmarks printed. Raises InputError for figures that are not there.
    """
    row = _figure(selfplay, network, "request", "row_us") * 1e-6 / 2  # half of it on either side
    bare = 1 / _figure(selfplay, network, "collector", "bare_large_questions_per_s")
    question = _figure(selfplay, network, "collector", "play_us") * 1e-6
    batch = _figure(selfplay, network, _LAYOUT, "engine_batch")  # that is one request or a little more
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
    """Return costs where networks of a size are on GPUs and the rest on cores as they were measured.

    card: what the benchmark of the learner measured of one; without it, what is assumed. Host and GPU take turns in an
    engine: what its core does for a request and for a row comes on top of what the network takes.
    """
    each, reached = operations(size_named(network)), ASSUMED_PEAK * ASSUMED_SHARE
    answer, learn = each["forward"] / reached, each["training"] / reached
    if card is not None:
        answer, learn = 1 / card["inference_per_s"], 1 / card["pairs_per_s"]
    blocks = size_named(network).blocks
    return replace(
        cpu,
        network=network,
        on_gpu=True,
        play=replace(cpu.play, batch=blocks * ASSUMED_BLOCK_ANSWER, row=cpu.host_row + answer),
        learn=learn,
        step=blocks * ASSUMED_BLOCK_STEP,
        sizes=sizes_of(network),
    )
