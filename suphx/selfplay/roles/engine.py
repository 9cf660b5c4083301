"""The inference engine role: computes the networks of every policy in play, batching requests of several simulators.

While one batch is computed, further requests gather; those to the same network form the next batch. Batches therefore
grow with the load, and nobody waits for a timeout. The queue is bounded by the number of callers, since each half of a
simulator waits for its answer.
"""

import asyncio
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from ray.exceptions import RayError

from suphx.networks.inference import Evaluator
from suphx.networks.memory import keep_memory
from suphx.selfplay.policy import fitting
from suphx.selfplay.roles.inference_client import PlayingNetworks, seconds_between_requests
from suphx.selfplay.roles.resources import RoleConfig, precision_for
from suphx.selfplay.roles.role import Role, find

#: Seconds between two reports.
_REPORT_SECONDS = 2.0
#: Maximum positions per batch; on a GPU more are no faster, and on a CPU passes are smaller anyway.
_LARGEST = 8192
#: Seconds between two requests to a parameter server that is not there yet.
_AGAIN_SECONDS = 0.2


@dataclass
class _Request:
    planes: np.ndarray
    answer: asyncio.Future
    """Resolves to (logits, version, gamma)."""


class InferenceEngine(Role):
    """Computes networks by (player, model). An asynchronous Ray actor."""

    def __init__(self, role: RoleConfig) -> None:
        """Start with the networks of opponents and those that the learner starts from."""
        keep_memory()
        self._monitor = find("monitor")
        self._networks = PlayingNetworks(precision_for(role))
        self._pause = seconds_between_requests(role.count)
        self._coming_up = asyncio.Lock()
        self._waiting: dict[tuple[int, str], list[_Request]] = defaultdict(list)
        self._something = asyncio.Event()
        self._compute = ThreadPoolExecutor(1, thread_name_prefix="engine")
        self._prepare = ThreadPoolExecutor(1, thread_name_prefix="weights")
        self._tasks: list[asyncio.Task] = []
        self._batches: list[int] = []
        self._longest_queue = 0
        self._busy = 0.0

    async def ready(self) -> None:
        """Return once it has the current weights; wait until the server is there.

        Raises the error of a background task that failed, so that the run, which calls this regularly, ends with that
        error.
        """
        super().ready()
        async with self._coming_up:
            if not self._tasks:
                while True:
                    await self._pull()
                    if self._networks.is_there:
                        break
                    await asyncio.sleep(_AGAIN_SECONDS)
                self._tasks = [asyncio.create_task(each()) for each in (self._serve, self._follow, self._report)]
        for task in self._tasks:
            if task.done():
                task.result()

    async def current(self) -> tuple[int, float]:
        """Return the version of the learner's weights and their gamma."""
        await self.ready()
        return self._networks.now.version, self._networks.now.gamma

    async def answer(self, player: int, model: str, planes: np.ndarray) -> tuple[np.ndarray, int, float]:
        """Return logits f32[n, 34 or 2] (of the critic: f32[n, 4]), the version of the weights, and its gamma.

        planes: uint64[n, planes]; surplus planes at the end are ignored, and missing ones are filled with zeros.
        """
        if not self._tasks:
            await self.ready()
        request = _Request(planes, asyncio.get_running_loop().create_future())
        self._waiting[player, model].append(request)
        self._longest_queue = max(self._longest_queue, sum(map(len, self._waiting.values())))
        self._something.set()
        return await request.answer

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._something.wait()
            key = next(iter(self._waiting), None)  # the network that has waited longest
            if key is None:
                self._something.clear()
                continue
            requests, rows = self._waiting.pop(key), 0
            for taken, request in enumerate(requests):
                rows += len(request.planes)
                if rows >= _LARGEST and taken + 1 < len(requests):
                    self._waiting[key] = requests[taken + 1 :]
                    requests = requests[: taken + 1]
                    break
            now = self._networks.now
            try:
                logits = await loop.run_in_executor(self._compute, self._evaluate, now.networks[key], requests)
            except Exception as error:  # any error must reach the callers, and the engine goes on
                for request in requests:
                    if not request.answer.done():  # the caller may be gone
                        request.answer.set_exception(error)
                continue
            for request, part in zip(requests, logits, strict=True):
                if not request.answer.done():
                    request.answer.set_result((part, now.version, now.gamma))

    def _evaluate(self, evaluator: Evaluator, requests: list[_Request]) -> list[np.ndarray]:
        began = time.perf_counter()
        packed = np.concatenate([fitting(request.planes, evaluator.planes) for request in requests])
        logits = np.split(evaluator.logits(packed), np.cumsum([len(request.planes) for request in requests])[:-1])
        self._batches.append(len(packed))
        self._busy += time.perf_counter() - began
        return logits

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(self._pause)
            await self._pull()

    async def _pull(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._prepare, self._networks.pull, True)

    async def _report(self) -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(_REPORT_SECONDS)
            batches, self._batches = self._batches, []
            metrics = {"queue": float(self._longest_queue), "busy": self._busy / (time.perf_counter() - began)}
            self._longest_queue, self._busy = 0, 0.0
            if batches:
                metrics |= {"batch": float(np.mean(batches)), "positions_per_s": sum(batches) / _REPORT_SECONDS}
            if self._networks.delay is not None:
                metrics["weights_delay_s"], self._networks.delay = self._networks.delay, None
            try:
                await self._monitor.note.remote("engine", metrics)
            except RayError:
                continue  # the monitor is restarted; curves have a gap
