"""The inference engine role: the networks of every policy in play, with the newest weights, for all simulators."""

import asyncio
import time
from collections.abc import Mapping

import numpy as np
import ray

from suphx.networks.precision import keep_memory
from suphx.selfplay.collect import PlayerModel
from suphx.selfplay.roles.channel import Answer
from suphx.selfplay.roles.inference_client import PlayingNetworks
from suphx.selfplay.roles.role import Message, Role, precision_for
from suphx.selfplay.roles.run_inputs import RunInputs
from suphx.selfplay.roles.serving import NetworkServer


class InferenceEngine(Role):
    """Computes networks by (player, model), through channels and `compute`. An asynchronous Ray actor."""

    def __init__(self, inputs: RunInputs) -> None:
        """Wait for the current weights."""
        keep_memory()
        role = inputs.config.roles.engines
        precision = precision_for(role)
        self._networks = PlayingNetworks(inputs, precision, role.count)
        self._server = NetworkServer(lambda: self._networks.now, precision.device)
        self._reported = time.perf_counter()

    async def pulse(self) -> list[Message]:
        """Return what there is to tell since the last call; raises the error of a thread that failed."""
        for thread in (self._networks.follows, *self._server.threads):
            if thread.done():
                thread.result()
        self.tell("note", "engine", self._metrics())
        return super().pulse()

    def _metrics(self) -> dict[str, float]:
        server, now = self._server, time.perf_counter()
        seconds, self._reported = now - self._reported, now
        batches, server.batches = server.batches, []
        metrics = {"queue": float(server.longest_queue), "busy": server.busy / seconds}
        server.longest_queue, server.busy = 0, 0.0
        if batches:
            metrics |= {"batch": float(np.mean(batches)), "positions_per_s": sum(batches) / seconds}
        if self._networks.delay is not None:
            metrics["weights_delay_s"], self._networks.delay = self._networks.delay, None
        return metrics

    async def current(self) -> tuple[int, float, str, str, bytes]:
        """Return version and gamma of the learner's weights, and node, address and key for a channel."""
        now, server = self._networks.now, self._server
        return now.version, now.gamma, ray.get_runtime_context().get_node_id(), server.address, server.key

    async def compute(self, planes: Mapping[PlayerModel, np.ndarray]) -> Answer:
        """Return the answer to a request of another machine.

        planes: uint64[n, planes]; surplus planes at the end are ignored, and missing ones are filled with zeros.
        """
        return await asyncio.wrap_future(self._server.submit(planes))
