"""Serving networks to several simulators at a time, in the process that has them.

A simulator asks for all networks of a step at once. While one batch is computed, further requests gather and form the
next one, which is on its way to the GPU before the first has come back. Batches therefore grow with the load, and
nobody waits for a timeout.
"""

from __future__ import annotations

import secrets
import sys
import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from itertools import cycle
from multiprocessing import AuthenticationError, Pipe
from multiprocessing.connection import Connection, Listener, wait

import numpy as np
import torch

from suphx.errors import InputError
from suphx.selfplay.collect import PlayerModel
from suphx.selfplay.policy import fitting
from suphx.selfplay.roles.channel import Answer, RequestChannel
from suphx.selfplay.roles.inference_client import Snapshot
from suphx.threads import start_thread

#: Batches on their way to a GPU at a time: while the networks of one are computed, the planes of the next are copied.
_GPU_BATCHES = 2


@dataclass(frozen=True)
class _Request:
    planes: Mapping[PlayerModel, np.ndarray]
    answer: Callable[[Answer], None]
    fail: Callable[[Exception], None]

    def reply(self, reply: Answer | Exception) -> None:
        """Answer it, or say why that is impossible, unless whoever made it is gone."""
        with suppress(OSError, InvalidStateError):
            if isinstance(reply, Exception):
                self.fail(reply)
            else:
                self.answer(reply)


@dataclass(frozen=True)
class _Batch:
    """Requests that are computed together."""

    requests: list[_Request]
    pending: dict[PlayerModel, Callable[[], np.ndarray]]
    now: Snapshot


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
        self._hand_over(_Request(planes, answer.set_result, answer.set_exception))
        return answer

    def _hand_over(self, new: Connection | _Request) -> None:
        self._new.append(new)
        self._wake.send_bytes(b"")

    def _accept(self) -> None:
        while True:
            with suppress(OSError, EOFError, AuthenticationError):  # whoever called is gone, or none of the run's
                self._hand_over(self._listener.accept())

    def _serve(self) -> None:
        batches: deque[_Batch] = deque()
        while True:
            requests = self._take(wait_for_one=not batches)
            if requests:
                self.longest_queue = max(self.longest_queue, len(requests))
                batches.append(self._begin(requests))
            if batches and (not requests or len(batches) == self._most_batches):
                self._finish(batches.popleft())

    def _take(self, wait_for_one: bool) -> list[_Request]:
        """Return the requests that are there."""
        requests = []
        there = [self._wakes, *(channel.connection for channel in self._channels.values())]
        for connection in wait(there, None if wait_for_one else 0):
            if connection is self._wakes:
                self._wakes.recv_bytes()
                new = self._new.popleft()
                if isinstance(new, _Request):
                    requests.append(new)
                else:
                    self._channels[new] = RequestChannel(new)
                continue
            channel = self._channels[connection]
            try:
                planes = channel.request()
            except (EOFError, OSError):  # the simulator is gone
                del self._channels[connection]
                continue
            if planes is not None:
                requests.append(_Request(planes, channel.send_answer, channel.send_error))
        return requests

    def _begin(self, requests: list[_Request]) -> _Batch:
        began, now = time.perf_counter(), self._networks()
        parts: dict[PlayerModel, list[np.ndarray]] = defaultdict(list)
        batch = _Batch([], {}, now)
        for request in requests:
            if unknown := [key for key in request.planes if key not in now.networks]:
                request.reply(InputError("no network of player {}, model {}".format(*unknown[0])))
                continue
            batch.requests.append(request)
            for key, planes in request.planes.items():
                parts[key].append(fitting(planes, now.networks[key].planes))
        try:
            with torch.cuda.stream(stream) if (stream := next(self._streams)) else nullcontext():
                batch.pending.update((key, now.networks[key].start(each)) for key, each in parts.items())
        except Exception as error:  # any error must reach the callers, and serving goes on
            self._fail(batch, error)
        self.batches.append(sum(len(planes) for each in parts.values() for planes in each))
        self.busy += time.perf_counter() - began
        return batch

    def _finish(self, batch: _Batch) -> None:
        began = time.perf_counter()
        try:
            logits = {key: wait_for() for key, wait_for in batch.pending.items()}
        except Exception as error:  # as above
            self._fail(batch, error)
        self.busy += time.perf_counter() - began
        at: dict[PlayerModel, int] = defaultdict(int)
        for request in batch.requests:
            own = {}
            for key, planes in request.planes.items():
                own[key] = logits[key][at[key] : at[key] + len(planes)]
                at[key] += len(planes)
            request.reply(Answer(own, batch.now.version, batch.now.gamma))

    def _fail(self, batch: _Batch, error: Exception) -> None:
        for request in batch.requests:
            request.reply(error)
        batch.requests.clear()
        batch.pending.clear()
