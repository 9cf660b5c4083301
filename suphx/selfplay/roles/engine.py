"""The inference engine role: the networks of every policy in play, for several simulators at a time.

A simulator asks for all networks of a step at once. While one batch is computed, further requests gather and form the
next one, which is on its way to the GPU before the first has come back. Batches therefore grow with the load, and
nobody waits for a timeout.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import nullcontext, suppress
from itertools import cycle
from multiprocessing import AuthenticationError, Pipe
from multiprocessing.connection import Connection, Listener, wait
from typing import TypeAlias

import numpy as np
import ray
import torch

from suphx.errors import InputError
from suphx.networks.precision import keep_memory
from suphx.selfplay.collect import PlayerModel
from suphx.selfplay.policy import fitting
from suphx.selfplay.roles.channel import Answer, RequestChannel
from suphx.selfplay.roles.inference_client import PlayingNetworks, Snapshot
from suphx.selfplay.roles.role import Message, Role, precision_for
from suphx.selfplay.roles.run_inputs import RunInputs
from suphx.threads import start_thread

#: Batches on their way to a GPU at a time: while the networks of one are computed, the planes of the next are copied.
_GPU_BATCHES = 2


#: Packed planes uint64[n, planes], and the future of their answer.
_Request: TypeAlias = tuple[Mapping[PlayerModel, np.ndarray], Future[Answer]]


class NetworkServer:
    """Two threads of this process: one accepts channels, one serves them and the requests of this process."""

    def __init__(self, networks: Callable[[], Snapshot], device: torch.device, batches: int | None = None) -> None:
        """networks: those that answer now; device: where they are. batches: most on their way at a time."""
        self._networks = networks
        self.key = secrets.token_bytes(32)
        """What whoever connects to `address` must know."""
        # On Linux a name that is no file, of which nothing is left when this process is killed.
        address = f"\0suphx-{secrets.token_hex(16)}" if sys.platform == "linux" else None
        self._listener = Listener(address, "AF_UNIX", authkey=self.key)
        self.address = address or str(self._listener.address)
        """What a simulator on this machine connects to."""
        self._wakes, self._wake = Pipe(duplex=False)
        self._new: deque[Connection | _Request] = deque()  # what other threads hand to the one that serves
        self._channels: dict[object, RequestChannel] = {}  # by their connections
        is_gpu = device.type == "cuda"
        self._most_batches = batches or (_GPU_BATCHES if is_gpu else 1)
        self._streams = cycle([torch.cuda.Stream(device) if is_gpu else None for _ in range(self._most_batches)])
        self.batches: list[int] = []
        """Positions of each batch since somebody took them."""
        self.longest_queue = 0
        """Most requests that were there at once."""
        self.busy = 0.0
        """Seconds spent on batches."""
        self.threads = [start_thread(self._accept), start_thread(self._serve)]
        """Futures that receive the error of a thread; otherwise they never end."""

    def submit(self, planes: Mapping[PlayerModel, np.ndarray]) -> Future[Answer]:
        """Return the future answer to a request: packed planes uint64[n, planes]."""
        answer: Future[Answer] = Future()
        self._hand_over((planes, answer))
        return answer

    def _hand_over(self, new: Connection | _Request) -> None:
        self._new.append(new)
        self._wake.send_bytes(b"")

    def _accept(self) -> None:
        while True:
            with suppress(OSError, EOFError, AuthenticationError):  # whoever called is gone, or none of the run's
                self._hand_over(self._listener.accept())

    def _serve(self) -> None:
        batches: deque[Iterator[None]] = deque()
        while True:
            requests = self._take(wait_for_one=not batches)
            began = time.perf_counter()
            if requests:
                self.longest_queue = max(self.longest_queue, len(requests))
                batches.append(self._compute(requests))
                next(batches[-1], None)
            if batches and (not requests or len(batches) == self._most_batches):
                next(batches.popleft(), None)
            self.busy += time.perf_counter() - began

    def _take(self, wait_for_one: bool) -> list[_Request]:
        """Return the requests that are there."""
        requests = []
        there = [self._wakes, *(channel.connection for channel in self._channels.values())]
        for connection in wait(there, None if wait_for_one else 0):
            if connection is self._wakes:
                self._wakes.recv_bytes()
                new = self._new.popleft()
                if isinstance(new, Connection):
                    self._channels[new] = RequestChannel(new)
                else:
                    requests.append(new)
                continue
            channel = self._channels[connection]
            try:
                planes = channel.request()
            except (EOFError, OSError):  # the simulator is gone
                del self._channels[connection]
                continue
            if planes is not None:
                answer: Future[Answer] = Future()
                answer.add_done_callback(channel.reply)
                requests.append((planes, answer))
        return requests

    def _compute(self, requests: list[_Request]) -> Iterator[None]:
        """Begin to compute requests together, then wait for the networks and answer."""
        now, accepted = self._networks(), []
        parts: dict[PlayerModel, list[np.ndarray]] = defaultdict(list)
        for request, answer in requests:
            if not answer.set_running_or_notify_cancel():
                continue
            if unknown := [key for key in request if key not in now.networks]:
                answer.set_exception(InputError("no network of player {}, model {}".format(*unknown[0])))
                continue
            accepted.append((request, answer))
            for key, planes in request.items():
                parts[key].append(fitting(planes, now.networks[key].planes))
        self.batches.append(sum(len(planes) for each in parts.values() for planes in each))
        try:
            with torch.cuda.stream(stream) if (stream := next(self._streams)) else nullcontext():
                pending = {key: now.networks[key].start(each) for key, each in parts.items()}
            yield
            logits = {key: wait_for() for key, wait_for in pending.items()}
        except Exception as error:  # any error must reach the callers, and serving goes on
            for _, answer in accepted:
                answer.set_exception(error)
            return
        at: dict[PlayerModel, int] = defaultdict(int)
        for request, answer in accepted:
            own = {}
            for key, planes in request.items():
                own[key] = logits[key][at[key] : at[key] + len(planes)]
                at[key] += len(planes)
            answer.set_result(Answer(own, now.version, now.gamma))


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
