"""The replay buffer role: receives experience, makes simulators wait when there is enough, hands out lessons."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import ray

from suphx.selfplay.advantage import Advantages, Moments
from suphx.selfplay.learning_config import LearningConfig
from suphx.selfplay.replay import ReplayBuffer
from suphx.selfplay.roles.parcels import Counts, LessonParts, Shipment

#: Seconds between two checks for room or for a lesson.
_LOOK_SECONDS = 0.01
#: Seconds after which a request for a lesson is answered with none.
_PATIENCE_SECONDS = 1.0


class Buffer:
    """One of the replay buffers. An asynchronous Ray actor."""

    def __init__(self, number: int, config: LearningConfig, seed: int, ahead: int, moments: Moments | None) -> None:
        """ahead: minibatches of every model from which on simulators must wait. moments: those of a resumed run."""
        self._config = config
        self._replay = ReplayBuffer(config.replay, seed + number)
        self._advantages = Advantages(config)
        self._advantages.moments = moments.model_copy() if moments else Moments()
        self._ahead = ahead
        self._counts = Counts()
        self._next = 0

    async def ready(self) -> None:
        """Return once the buffer has started."""

    async def add(self, shipment: Shipment) -> None:
        """Add experience; return once there is room for more."""
        advantages = self._advantages.of(shipment.batch, shipment.raw)
        self._replay.add(shipment.batch, advantages)
        self._counts += shipment.counts
        while all(self._has_enough(model) for model in self._config.models):
            await asyncio.sleep(_LOOK_SECONDS)

    def _has_enough(self, model: str) -> bool:
        return self._replay.available(model) >= self._ahead * self._config.batch_for(model)

    async def advance(self, version: int) -> None:
        """Set the version that plays now."""
        self._replay.advance(version)

    async def lesson(self, parts: int) -> LessonParts:
        """Return a minibatch of the next model, in turn, with enough questions, as references to `parts` parts."""
        waited = 0.0
        while True:
            models: Sequence[str] = self._config.models
            for turn in range(len(models)):
                model = models[(self._next + turn) % len(models)]
                lesson = self._replay.sample(model, self._config.batch_for(model))
                if lesson is not None:
                    self._next = (self._next + turn + 1) % len(models)
                    rows = np.array_split(np.arange(len(lesson)), parts)
                    return self._reply(model, [ray.put(lesson.rows(each)) for each in rows])
            if waited >= _PATIENCE_SECONDS:
                return self._reply(None, [])
            await asyncio.sleep(_LOOK_SECONDS)
            waited += _LOOK_SECONDS

    def _reply(self, model: str | None, parts: list[object]) -> LessonParts:
        counts, self._counts = self._counts, Counts()
        return LessonParts(model, parts, counts, self._replay.figures(), self._advantages.moments.model_copy())
