"""The replay buffer role: receives experience, makes simulators wait when there is enough, hands out minibatches.

Every minibatch is drawn from all buffers, so that more of them prepare larger ones in the same time. The parameter
server asks one of them, in turn, which asks the others for their shares.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import ray
from ray.exceptions import RayError, RayTaskError

from suphx.learning.advantages import Advantages, Moments
from suphx.learning.config import LearningConfig
from suphx.learning.experience import Batch
from suphx.learning.replay import ReplayBuffer
from suphx.selfplay.play import PlayCounts
from suphx.selfplay.roles.resources import RolesConfig
from suphx.selfplay.roles.role import Role, find

#: Seconds after which a request for a minibatch is answered with none.
_PATIENCE_SECONDS = 1.0
#: Seconds to wait if other buffers are gone, or have no decisions of the same models.
_AGAIN_SECONDS = 0.05


def bounds(total: int, parts: int) -> list[int]:
    """Return where equal parts of `total` rows begin, and the end of the last one: parts + 1 indices."""
    return [total * part // parts for part in range(parts + 1)]


@dataclass
class Minibatch:
    """A minibatch of one model, or a buffer's share of it, with a part for each process of the parameter server."""

    model: str | None
    """None: some buffer had too few decisions of every model."""
    parts: list[list[Any]]
    """Ray references to rows of experience, by process; all empty without a model."""
    counts: PlayCounts
    """PlayCounts of what the buffers received since they last told."""
    metrics: list[dict[str, float]]
    """Those of each buffer that has reported (`ReplayBuffer.metrics`)."""
    moments: Moments
    """Those of the buffer that gathered it."""

    def add(self, other: Minibatch) -> None:
        """Add another buffer's share; without its rows there is no minibatch."""
        self.model = self.model if other.model else None
        self.parts = [own + more for own, more in zip(self.parts, other.parts, strict=True)]
        self.counts += other.counts
        self.metrics += other.metrics


class Buffer(Role):
    """One of the replay buffers. An asynchronous Ray actor, which needs room for all calls of `add` that wait."""

    def __init__(
        self, number: int, config: LearningConfig, seed: int, roles: RolesConfig, moments: Moments | None
    ) -> None:
        """Start empty; number: of this buffer. moments: those of a resumed run."""
        self._number, self._config, self._roles = number, config, roles
        self._models: list[str] = list(config.models)
        self._replay = ReplayBuffer(config.replay, seed + number)
        self._advantages = Advantages(config)
        self._advantages.moments = moments.model_copy() if moments else Moments()
        self._counts = PlayCounts()
        self._next = 0
        self._room, self._arrival = asyncio.Event(), asyncio.Event()
        self._handles: list[Any] | None = None

    async def add(self, batch: Batch, raw: dict[str, np.ndarray], counts: PlayCounts) -> None:
        """Add experience; return once there is room for more.

        raw: f64[n] by model, advantages from `raw_advantages`. counts: of what was played for it.
        """
        self._replay.add(batch, self._advantages.of(batch, raw))
        self._counts += counts
        self._arrival.set()
        self._look_for_room()
        await self._room.wait()

    def _look_for_room(self) -> None:
        """Let simulators that wait go on if some model has fewer decisions than it should have ahead."""
        if all(self._has(model, self._roles.ahead) for model in self._models):
            self._room.clear()
        else:
            self._room.set()

    def _has(self, model: str, shares: int) -> bool:
        start, end = self._rows(model)
        return self._replay.available(model) >= shares * (end - start)

    def _rows(self, model: str) -> tuple[int, int]:
        """Return which rows of a model's minibatch come from this buffer: the first one, and the one after the last."""
        of_all = bounds(self._config.batch_for(model), self._roles.buffers.count)
        return of_all[self._number], of_all[self._number + 1]

    async def advance(self, version: int) -> None:
        """Set the version that plays now."""
        self._replay.advance(version)
        self._look_for_room()

    async def ready_models(self, models: Sequence[str], patience: float, lacks: bool) -> list[str]:
        """Wait until there are enough decisions for a share of some of the models' minibatches; return which models.

        patience: seconds after which no model is returned. lacks: whether some buffer lacks decisions; then simulators
        that wait here go on, since they may have some for it.
        """
        if lacks:
            self._room.set()
        until = time.monotonic() + patience
        while True:
            self._arrival.clear()
            ready = [model for model in models if self._has(model, 1)]
            if ready or time.monotonic() >= until:
                return ready
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._arrival.wait(), until - time.monotonic())

    async def draw(self, model: str | None, parts: int) -> Minibatch:
        """Return this buffer's share of a model's minibatch, in `parts` parts; None: only what is new here."""
        rows: list[list[Any]] = [[] for _ in range(parts)]
        if model is not None:
            start, end = self._rows(model)
            cuts = bounds(self._config.batch_for(model), parts)
            drawn = self._replay.sample(model, end - start)
            for part, (first, last) in enumerate(itertools.pairwise(cuts)):
                mine = None if drawn is None else drawn[max(first - start, 0) : max(last - start, 0)]
                if mine is not None and len(mine):
                    rows[part].append(ray.put(mine))
            model = None if drawn is None else model
            self._look_for_room()
        counts, self._counts = self._counts, PlayCounts()
        return Minibatch(model, rows, counts, [self._replay.metrics()], self._advantages.moments.model_copy())

    async def minibatch(self, parts: int) -> Minibatch:
        """Return a minibatch, in `parts` parts, of the next model, in turn, with enough decisions in all buffers."""
        models = self._models[self._next :] + self._models[: self._next]
        until, lacks = time.monotonic() + _PATIENCE_SECONDS, False
        while time.monotonic() < until:
            words = (models, _PATIENCE_SECONDS / 2, lacks)
            requests = [self.ready_models(*words), *(each.ready_models.remote(*words) for each in self._others())]
            try:
                ready = await asyncio.gather(*requests)
            except RayTaskError:
                raise
            except RayError:  # another buffer is gone, and is being restarted
                await asyncio.sleep(_AGAIN_SECONDS)
                continue
            common = [model for model in models if all(model in each for each in ready)]
            if common:
                return await self._gather(common[0], parts)
            lacks = True
            await asyncio.sleep(_AGAIN_SECONDS)  # if each has decisions, but of different models
        return await self.draw(None, parts)

    async def _gather(self, model: str, parts: int) -> Minibatch:
        """Return a minibatch, or none if a buffer has died or dropped decisions since; then what was drawn is lost."""
        self._next = (self._models.index(model) + 1) % len(self._models)
        requests = [each.draw.remote(model, parts) for each in self._others()]
        minibatch = await self.draw(model, parts)
        for share in await asyncio.gather(*requests, return_exceptions=True):
            if isinstance(share, Minibatch):
                minibatch.add(share)
            elif isinstance(share, RayTaskError) or not isinstance(share, RayError):
                raise share
            else:
                minibatch.model = None
        return minibatch

    def _others(self) -> list[Any]:
        if self._handles is None:
            numbers = range(self._roles.buffers.count)
            self._handles = [find("buffers", number) for number in numbers if number != self._number]
        return self._handles
