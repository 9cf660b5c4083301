"""The inference engine role: the networks of every policy in play, with the newest weights, for all simulators."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import ray
from ray.exceptions import RayError

from suphx.networks.precision import keep_memory
from suphx.selfplay.collect import PlayerModel
from suphx.selfplay.roles.channel import Answer
from suphx.selfplay.roles.inference_client import PlayingNetworks, seconds_between_requests
from suphx.selfplay.roles.resources import RoleConfig, precision_for
from suphx.selfplay.roles.role import Role, find
from suphx.selfplay.roles.serving import NetworkServer

#: Seconds between two reports.
_REPORT_SECONDS = 2.0
#: Seconds between two requests to a parameter server that is not there yet.
_AGAIN_SECONDS = 0.2


class InferenceEngine(Role):
    """Computes networks by (player, model), through channels and `compute`. An asynchronous Ray actor."""

    def __init__(self, role: RoleConfig) -> None:
        """Start with the networks of opponents and those that the learner starts from."""
        keep_memory()
        self._monitor = find("monitor")
        precision = precision_for(role)
        self._networks = PlayingNetworks(precision)
        self._server = NetworkServer(lambda: self._networks.now, precision.device)
        self._pause = seconds_between_requests(role.count)
        self._coming_up = asyncio.Lock()
        self._tasks: list[asyncio.Task] = []

    async def ready(self) -> None:
        """Return once it has the current weights; wait until the server is there.

        Raises the error of a background task that failed, so that the run, which calls this regularly, ends with that
        error.
        """
        super().ready()
        async with self._coming_up:
            if not self._tasks:
                while True:
                    await asyncio.to_thread(self._networks.pull, True)
                    if self._networks.is_there:
                        break
                    await asyncio.sleep(_AGAIN_SECONDS)
                self._tasks = [asyncio.create_task(each()) for each in (self._follow, self._report)]
        background: tuple[Any, ...] = (*self._tasks, *self._server.threads)
        for task in background:
            if task.done():
                task.result()

    async def current(self) -> tuple[int, float, str, Any, bytes]:
        """Return version and gamma of the learner's weights, and node, address and key for a channel."""
        await self.ready()
        now, server = self._networks.now, self._server
        return now.version, now.gamma, ray.get_runtime_context().get_node_id(), server.address, server.key

    async def compute(self, planes: Mapping[PlayerModel, np.ndarray]) -> Answer:
        """Return the answer to a request of another machine.

        planes: uint64[n, planes]; surplus planes at the end are ignored, and missing ones are filled with zeros.
        """
        if not self._tasks:
            await self.ready()
        return await asyncio.wrap_future(self._server.submit(planes))

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(self._pause)
            await asyncio.to_thread(self._networks.pull, True)

    async def _report(self) -> None:
        server = self._server
        while True:
            began = time.perf_counter()
            await asyncio.sleep(_REPORT_SECONDS)
            batches, server.batches = server.batches, []
            metrics = {"queue": float(server.longest_queue), "busy": server.busy / (time.perf_counter() - began)}
            server.longest_queue, server.busy = 0, 0.0
            if batches:
                metrics |= {"batch": float(np.mean(batches)), "positions_per_s": sum(batches) / _REPORT_SECONDS}
            if self._networks.delay is not None:
                metrics["weights_delay_s"], self._networks.delay = self._networks.delay, None
            try:
                await self._monitor.note.remote("engine", metrics)
            except RayError:
                continue  # the monitor is restarted; curves have a gap
