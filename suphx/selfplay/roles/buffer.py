"""The replay buffer role: receives experience, makes simulators wait when there is enough, hands out lessons."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import numpy as np
import ray

from suphx.selfplay.advantage import Advantages, Moments
from suphx.selfplay.learning_config import LearningConfig
from suphx.selfplay.replay import ReplayBuffer
from suphx.selfplay.roles.parcels import Counts, LessonParts, Shipment

#: Seconds after which a request for a lesson is answered with none.
_PATIENCE_SECONDS = 1.0


class Buffer:
    """One of the replay buffers. An asynchronous Ray actor, which needs room for all calls of `add` that wait."""

    def __init__(self, number: int, config: LearningConfig, seed: int, ahead: int, moments: Moments | None) -> None:
        """ahead: minibatches of every model from which on simulators must wait. moments: those of a resumed run."""
        self._config = config
        self._replay = ReplayBuffer(config.replay, seed + number)
        self._advantages = Advantages(config)
        self._advantages.moments = moments.model_copy() if moments else Moments()
        self._ahead = ahead
        self._counts = Counts()
        self._next = 0
        self._room, self._arrival = asyncio.Event(), asyncio.Event()

    async def ready(self) -> None:
        """Return once the buffer has started."""

    async def add(self, shipment: Shipment) -> None:
        """Add experience; return once there is room for more."""
        advantages = self._advantages.of(shipment.batch, shipment.raw)
        self._replay.add(shipment.batch, advantages)
        self._counts += shipment.counts
        self._arrival.set()
        self._look_for_room()
        await self._room.wait()

    def _look_for_room(self) -> None:
        """Let simulators that wait go on if some model has fewer questions than it should have ahead."""
        if all(self._has_enough(model) for model in self._config.models):
            self._room.clear()
        else:
            self._room.set()

    def _has_enough(self, model: str) -> bool:
        return self._replay.available(model) >= self._ahead * self._config.batch_for(model)

    async def advance(self, version: int) -> None:
        """Set the version that plays now."""
        self._replay.advance(version)
        self._look_for_room()

    async def lesson(self, parts: int) -> LessonParts:
        """Return a minibatch of the next model, in turn, with enough questions, as references to `parts` parts."""
        until = time.monotonic() + _PATIENCE_SECONDS
        while True:
            self._arrival.clear()
            models: Sequence[str] = self._config.models
            for turn in range(len(models)):
                model = models[(self._next + turn) % len(models)]
                lesson = self._replay.sample(model, self._config.batch_for(model))
                if lesson is not None:
                    self._next = (self._next + turn + 1) % len(models)
                    self._look_for_room()
                    rows = np.array_split(np.arange(len(lesson)), parts)
                    return self._reply(model, [ray.put(lesson.rows(each)) for each in rows])
            try:
                await asyncio.wait_for(self._arrival.wait(), until - time.monotonic())
            except TimeoutError:
                return self._reply(None, [])

    def _reply(self, model: str | None, parts: list[object]) -> LessonParts:
        counts, self._counts = self._counts, Counts()
        return LessonParts(model, parts, counts, self._replay.figures(), self._advantages.moments.model_copy())
