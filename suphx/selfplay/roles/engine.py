"""The inference engine role: computes the networks of every policy in play, batching requests of several simulators.

While one batch is computed, further requests gather; those to the same network form the next batch. Batches therefore
grow with the load, and nobody waits for a timeout. The queue is bounded by the number of callers, since each half of a
simulator waits for its answer.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import ray
from ray.exceptions import RayError

from suphx.networks.inference import Evaluator
from suphx.networks.memory import keep_memory
from suphx.networks.sizes import MODELS
from suphx.selfplay.roles.beginning import beginning_with_networks
from suphx.selfplay.roles.names import find
from suphx.selfplay.roles.parcels import LEARNING_PLAYER, Parcel, Published, unpack
from suphx.selfplay.roles.resources import RoleConfig, precision_for

#: Seconds between two reports.
_REPORT_SECONDS = 2.0
#: Seconds between two requests of an engine for newer weights: at least so many, and so many for each engine of the
#: run, since one thread of the parameter server answers them all.
_WEIGHTS_SECONDS, _SECONDS_AN_ENGINE = 0.2, 0.004
#: Maximum positions per batch; on a GPU more are no faster, and on a CPU passes are smaller anyway.
_LARGEST = 8192


def seconds_between_requests(engines: int) -> float:
    """Return the seconds between two requests of each of so many engines for newer weights."""
    return max(_WEIGHTS_SECONDS, engines * _SECONDS_AN_ENGINE)


@dataclass
class _Request:
    planes: np.ndarray
    answer: asyncio.Future
    """Resolves to (logits, version, gamma)."""


class InferenceEngine:
    """Computes networks by (player, model). An asynchronous Ray actor."""

    def __init__(self, role: RoleConfig) -> None:
        """Start with the networks of opponents and those that the learner starts from."""
        keep_memory()
        self._server, self._monitor = find("servers"), find("monitor")
        self._precision = precision_for(role)
        self._pause = seconds_between_requests(role.count)
        beginning, kept = beginning_with_networks()
        of_all: dict[int, Mapping[str, Parcel]] = {LEARNING_PLAYER: kept.start}
        for name, networks in kept.opponents.items():
            of_all[beginning.number_of(name)] = networks
        self._evaluators = self._evaluators_of(of_all)
        self._earlier_players = [beginning.number_of_earlier(place) for place in range(beginning.earlier)]
        for number in self._earlier_players:  # their learning networks come with the learner's
            self._evaluators |= {(number, model): self._evaluators[LEARNING_PLAYER, model] for model in MODELS}
        self._earlier: dict[int, int] = {}  # what identifies the weights in use, by place
        self._known: int | None = None  # number of the publication in use; None before the first
        self._version, self._gamma = 0, 0.0
        self._coming_up = asyncio.Lock()
        self._waiting: dict[tuple[int, str], list[_Request]] = defaultdict(list)
        self._something = asyncio.Event()
        self._compute = ThreadPoolExecutor(1, thread_name_prefix="engine")
        self._prepare = ThreadPoolExecutor(1, thread_name_prefix="weights")
        self._tasks: list[asyncio.Task] = []
        self._batches: list[int] = []
        self._longest_queue = 0
        self._busy = 0.0
        self._delay: float | None = None

    async def ready(self) -> str:
        """Return where it computes, once it has the current weights; wait until the server is there.

        No request is answered before that: what the start's weights played would count as a later version's
        experience. Raises the error of a background task that failed, so that the run, which calls this regularly, ends
        with that error.
        """
        async with self._coming_up:
            if not self._tasks:
                await self._ask_for_weights()
                while self._known is None:
                    await asyncio.sleep(_WEIGHTS_SECONDS)
                    await self._ask_for_weights()
                self._tasks = [asyncio.create_task(each()) for each in (self._serve, self._follow, self._report)]
        for task in self._tasks:
            if task.done():
                task.result()
        return str(self._precision)

    async def current(self) -> tuple[int, float]:
        """Return the version of the learner's weights and their gamma."""
        await self.ready()
        return self._version, self._gamma

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
            version, gamma = self._version, self._gamma
            try:
                evaluator = self._evaluators[key]
                found = await loop.run_in_executor(self._compute, self._evaluate, evaluator, requests)
            except Exception as error:  # any error must reach the callers, and the engine goes on
                for request in requests:
                    if not request.answer.done():  # the caller may be gone
                        request.answer.set_exception(error)
                continue
            for request, part in zip(requests, found, strict=True):
                if not request.answer.done():
                    request.answer.set_result((part, version, gamma))

    def _evaluate(self, evaluator: Evaluator, requests: list[_Request]) -> list[np.ndarray]:
        began = time.perf_counter()
        ends = np.cumsum([len(request.planes) for request in requests])
        packed = np.zeros((int(ends[-1]), evaluator.planes), np.uint64)
        for request, end in zip(requests, ends, strict=True):
            shared = min(evaluator.planes, request.planes.shape[1])
            packed[end - len(request.planes) : end, :shared] = request.planes[:, :shared]
        found = np.split(evaluator.logits(packed), ends[:-1])
        self._batches.append(len(packed))
        self._busy += time.perf_counter() - began
        return found

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(self._pause)
            await self._ask_for_weights()

    async def _ask_for_weights(self) -> None:
        """Load the latest weights, if there are newer ones and the parameter server can be reached."""
        try:
            found = await self._server.latest.remote(self._known)
            if found is None:
                return
            known, (reference,) = found
            published: Published = await reference
            changed = {
                place: (identity, await networks)
                for place, (identity, networks) in enumerate(published.earlier)
                if self._earlier.get(place) != identity
            }
        except RayError:
            return  # the server is restarted; meanwhile, the current weights play on
        loop = asyncio.get_running_loop()
        new = {LEARNING_PLAYER: published.networks}
        new |= {self._earlier_players[place]: networks for place, (_, networks) in changed.items()}
        self._evaluators |= await loop.run_in_executor(self._prepare, self._evaluators_of, new)
        self._earlier |= {place: identity for place, (identity, _) in changed.items()}
        self._known, self._version, self._gamma = known, published.version, published.gamma
        self._delay = max(time.time() - published.at, 0.0)

    def _evaluators_of(self, players: Mapping[int, Mapping[str, Parcel]]) -> dict[tuple[int, str], Evaluator]:
        return {
            (player, model): Evaluator(unpack(parcel), self._precision)
            for player, networks in players.items()
            for model, parcel in networks.items()
        }

    async def _report(self) -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(_REPORT_SECONDS)
            batches, self._batches = self._batches, []
            figures = {"queue": float(self._longest_queue), "busy": self._busy / (time.perf_counter() - began)}
            self._longest_queue, self._busy = 0, 0.0
            if batches:
                figures |= {"batch": float(np.mean(batches)), "positions_per_s": sum(batches) / _REPORT_SECONDS}
            if self._delay is not None:
                figures["weights_delay_s"] = self._delay
                self._delay = None
            try:
                await self._monitor.note.remote("engine", figures)
            except RayError:
                continue  # the monitor is restarted; curves have a gap


class Engines:
    """A simulator's access to the inference engines: one of them, or another one if that is gone."""

    def __init__(self, engines: list[Any], first: int) -> None:
        """engines: handles of the actors. first: number of the engine to ask first."""
        self._engines = engines
        self._first = first % len(engines)
        self.waiting = 0.0
        """Seconds spent waiting for answers."""

    def current(self) -> tuple[int, float]:
        """Return the result of `InferenceEngine.current`."""
        return self._call("current")

    def ask(self, player: int, model: str, planes: np.ndarray) -> tuple[np.ndarray, int, float]:
        """Return the result of `InferenceEngine.answer`; wait while no engine is available."""
        began = time.perf_counter()
        found = self._call("answer", player, model, planes)
        self.waiting += time.perf_counter() - began
        return found

    def _call(self, method: str, *arguments: object) -> Any:
        tries = 0
        while True:
            engine = self._engines[(self._first + tries) % len(self._engines)]
            try:
                return ray.get(getattr(engine, method).remote(*arguments))
            except ray.exceptions.RayTaskError:
                raise
            except RayError:
                tries += 1
                if tries % len(self._engines) == 0:
                    time.sleep(0.5)
