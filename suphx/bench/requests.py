"""Benchmarks of a single request to an inference engine, and of a buffer's work per question learned from."""

import statistics
import time
from typing import Any

import numpy as np
import ray

from suphx.bench.clocked import Clocked, ClockedBuffer
from suphx.bench.collector import MODEL, made_up_questions
from suphx.learning.config import LearningConfig
from suphx.learning.experience import PATH, Batch
from suphx.networks.models import MODEL_PLANES, OUTPUTS
from suphx.networks.timing import made_up_planes
from suphx.selfplay.play import Counts
from suphx.selfplay.roles.messages import Minibatch
from suphx.selfplay.roles.resources import RolesConfig

#: Batches sent to a buffer before each minibatch is requested, and number of minibatches.
_BATCHES, _MINIBATCHES = 2, 12
#: Rows of the larger of the two requests that are timed, and how often both are made.
_LARGE_REQUEST, _REQUESTS = 256, 40


class _Answerer(Clocked):
    """An engine whose networks take no time."""

    async def answer(self, player: int, model: str, planes: np.ndarray) -> tuple[np.ndarray, int, float]:
        """Return zeros, in the form of `InferenceEngine.answer`."""
        return np.zeros((len(planes), OUTPUTS[model]), np.float32), player, 0.0


def bench_requests() -> dict[str, float]:
    """Measure single requests to an engine that answers at once, on the running Ray cluster.

    `request_s`: time from question to answer, for one row. `request_us`: CPU time of both processes together, for one
    row; `row_us`: the same for each additional row.
    """
    answerer: Any = ray.remote(_Answerer).options(num_cpus=0).remote()
    costs, times = {}, {}
    for rows in (1, _LARGE_REQUEST):
        planes = made_up_planes(rows, MODEL_PLANES[MODEL])
        for _ in range(_REQUESTS // 4):  # not counted
            ray.get(answerer.answer.remote(0, MODEL, planes))
        cpu, took = time.process_time() + ray.get(answerer.cpu_seconds.remote()), []
        for _ in range(_REQUESTS):
            began = time.perf_counter()
            ray.get(answerer.answer.remote(0, MODEL, planes))
            took.append(time.perf_counter() - began)
        costs[rows] = (time.process_time() + ray.get(answerer.cpu_seconds.remote()) - cpu) / _REQUESTS
        times[rows] = statistics.median(took)
    ray.kill(answerer)
    return {
        "request_s": times[1],
        "request_us": 1e6 * costs[1],
        "row_us": 1e6 * max(costs[_LARGE_REQUEST] - costs[1], 0.0) / (_LARGE_REQUEST - 1),
    }


def bench_buffer(config: LearningConfig) -> dict[str, float]:
    """Measure a buffer on the running Ray cluster, which receives batches and hands out minibatches.

    `take_in_us`, `hand_out_us`: its CPU time per incoming and per outgoing pair. `minibatch_s`: time from the
    request for a minibatch to its arrival.
    """
    remote: Any = ray.remote(ClockedBuffer)
    buffer = remote.options(num_cpus=0).remote(0, config, 0, RolesConfig(ahead=1_000_000), None)
    n = config.batch
    batch = ray.put(Batch(np.zeros(n, PATH), {MODEL: made_up_questions(n, hidden=0)}))
    taking, handing, times = 0.0, 0.0, []
    for number in range(_MINIBATCHES + 1):
        at = [ray.get(buffer.cpu_seconds.remote())]
        for _ in range(_BATCHES):
            ray.get(buffer.add.remote(batch, {MODEL: np.zeros(n)}, Counts()))
        at.append(ray.get(buffer.cpu_seconds.remote()))
        began = time.perf_counter()
        found: Minibatch = ray.get(buffer.minibatch.remote(1))
        np.concatenate(ray.get(found.parts[0]))
        took = time.perf_counter() - began
        at.append(ray.get(buffer.cpu_seconds.remote()))
        if number:  # the first one is not counted
            taking, handing = taking + at[1] - at[0], handing + at[2] - at[1]
            times.append(took)
    ray.kill(buffer)
    return {
        "take_in_us": 1e6 * taking / (_MINIBATCHES * _BATCHES * n),
        "hand_out_us": 1e6 * handing / (_MINIBATCHES * n),
        "minibatch_s": statistics.median(times),
    }
