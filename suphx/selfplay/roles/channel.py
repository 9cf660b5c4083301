"""A channel between a simulator and an engine on the same machine: arrays in shared memory, few bytes on a socket.

A request names its parts on the socket, after their planes have been written to the memory; the logits are written
behind them before the answer is sent. Whoever dies closes the socket, which the other notices. The memory has no name,
so that nothing is left of it.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle

import numpy as np

from suphx.networks.models import CRITIC, MODELS, OUTPUTS
from suphx.selfplay.collect import PlayerModel

_MODELS = (*MODELS, CRITIC)
_OUTPUTS = OUTPUTS | {CRITIC: 4}
#: The first byte of a message.
_MEMORY, _REQUEST, _ANSWER, _ERROR = b"m", b"r", b"a", b"e"
#: A network's part of a request.
_PART = np.dtype([("player", "u4"), ("model", "u4"), ("rows", "u4"), ("planes", "u4")])
_ANSWERED = np.dtype([("version", "i8"), ("gamma", "f8")])


def _memory(size: int) -> int:
    """Return a descriptor of shared memory without a name."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("suphx")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    os.ftruncate(descriptor, size)
    return descriptor


@dataclass(frozen=True)
class Answer:
    """The networks' answer to a request, all by the same version of the weights."""

    logits: dict[PlayerModel, np.ndarray]
    """f32[n, 34 or 2] (of the critic: f32[n, 4])"""
    version: int
    gamma: float


class RequestChannel:
    """One end of it. At most one request is under way."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._memory: mmap.mmap | None = None
        self._planes: dict[PlayerModel, np.ndarray] = {}
        self._logits: dict[PlayerModel, np.ndarray] = {}

    def send(self, request: Mapping[PlayerModel, np.ndarray]) -> None:
        """Send what is to be computed: packed planes uint64[n, planes]; raises OSError if the engine is gone."""
        parts = np.array(
            [(player, _MODELS.index(model), *planes.shape) for (player, model), planes in request.items()], _PART
        )
        size = sum(planes.nbytes + 4 * len(planes) * _OUTPUTS[model] for (_, model), planes in request.items())
        if self._memory is None or size > len(self._memory):
            self._grow(max(2 * size, mmap.PAGESIZE))
        self._lay_out(parts)
        for key, planes in request.items():
            self._planes[key][:] = planes
        self.connection.send_bytes(_REQUEST + parts.tobytes())

    def answer(self) -> Answer:
        """Wait for the answer.

        Raises EOFError or OSError if the engine is gone, and RuntimeError if it could not compute the networks.
        """
        message = self.connection.recv_bytes()
        if message[:1] == _ERROR:
            raise RuntimeError(message[1:].decode())
        (header,) = np.frombuffer(message, _ANSWERED, offset=1)
        logits = {key: each.copy() for key, each in self._logits.items()}  # the memory is used again
        return Answer(logits, int(header["version"]), float(header["gamma"]))

    def _grow(self, size: int) -> None:
        descriptor = _memory(size)
        try:
            self.connection.send_bytes(_MEMORY)
            send_handle(self.connection, descriptor, None)
            self._memory = mmap.mmap(descriptor, size)
        finally:
            os.close(descriptor)

    def request(self) -> dict[PlayerModel, np.ndarray] | None:
        """Receive a request, whose planes are valid until it is answered, or None for other messages.

        Raises EOFError or OSError if the simulator is gone.
        """
        message = self.connection.recv_bytes()
        if message[:1] == _MEMORY:
            descriptor = recv_handle(self.connection)
            self._memory = mmap.mmap(descriptor, os.fstat(descriptor).st_size)
            os.close(descriptor)
            return None
        self._lay_out(np.frombuffer(message, _PART, offset=1))
        return self._planes

    def reply(self, answer: Future[Answer]) -> None:
        """Send the answer to the last request, or its error, once it is there, unless the simulator is gone."""
        if error := answer.exception():
            message = _ERROR + repr(error).encode()
        else:
            for key, each in answer.result().logits.items():
                self._logits[key][:] = each
            header = np.array([(answer.result().version, answer.result().gamma)], _ANSWERED)
            message = _ANSWER + header.tobytes()
        with suppress(OSError):
            self.connection.send_bytes(message)

    def _lay_out(self, parts: np.ndarray) -> None:
        """Find the planes and logits of a request's parts in the memory: all planes first."""
        assert self._memory is not None
        at, self._planes, self._logits = 0, {}, {}
        for player, model, rows, planes in parts.tolist():
            array = np.frombuffer(self._memory, np.uint64, rows * planes, at)
            self._planes[player, _MODELS[model]] = array.reshape(rows, planes)
            at += array.nbytes
        for player, model, rows, _ in parts.tolist():
            outputs = _OUTPUTS[_MODELS[model]]
            array = np.frombuffer(self._memory, np.float32, rows * outputs, at)
            self._logits[player, _MODELS[model]] = array.reshape(rows, outputs)
            at += array.nbytes
