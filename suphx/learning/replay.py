"""The replay buffer: decisions to learn from, by the version that played, with bounds on bytes, staleness and reuse."""

from dataclasses import dataclass

import numpy as np
import torch
from pydantic import Field

from suphx.checkpoint import tensors_below
from suphx.config import StrictModel
from suphx.learning.config import ReplayConfig
from suphx.learning.experience import Batch, experience_dtype, rows_of
from suphx.networks.models import MODELS, OUTPUTS

#: Used-up rows are removed from a part once less than this share of its rows can still be used.
_COMPACT_BELOW = 0.5


@dataclass
class _Part:
    """The decisions of one batch that belong to one version and one model."""

    model: str
    version: int
    rows: np.ndarray
    """`experience_dtype`[n]"""
    uses: np.ndarray
    """u1[n]: how often each decision was used"""

    @property
    def size(self) -> int:
        return int(self.uses.nbytes + self.rows.nbytes)


class _PartState(StrictModel):
    model: str
    version: int
    planes: tuple[int, ...]
    """Numbers of planes of the rows: of the input (by earlier versions in two parts), and hidden ones."""


class ReplayState(StrictModel):
    """The state of a buffer, except its arrays."""

    newest: int = 0
    """Version of the policy that is learning now."""
    draws: dict[str, int] = Field(default_factory=dict)
    """Number of minibatches drawn, by model."""
    added: int = 0
    used: int = 0
    """Number of uses of decisions."""
    stale: int = 0
    """Number of decisions dropped because of their age before they were ever used."""
    crowded: int = 0
    """Number of decisions dropped for lack of room before they were ever used."""
    parts: list[_PartState] = Field(default_factory=list)


class ReplayBuffer:
    """Stores experience and draws minibatches from it; draws depend only on the random seed and on earlier calls."""

    def __init__(self, config: ReplayConfig, seed: int = 0) -> None:
        self._config = config
        self._seed = seed
        self._state = ReplayState()
        self._parts: list[_Part] = []
        """In order of arrival, oldest first."""

    def add(self, batch: Batch, advantages: dict[str, np.ndarray]) -> None:
        """Add the decisions of finished rounds, with their advantages f32[n] by model.

        Decisions that are too old are left out, and the oldest arrivals are dropped if there is no room. Raises
        ValueError for a batch that is larger than the whole buffer.
        """
        if batch.size() > self._config.bytes:
            raise ValueError(f"replay.bytes: {self._config.bytes} is no room for one batch of {batch.size()} bytes")
        for model, experience in batch.experience.items():
            whole = experience.copy()  # what Ray passes is read-only
            whole["advantage"] = advantages[model]
            versions = np.unique(whole["version"])
            for each in versions:
                rows = whole if len(versions) == 1 else whole[whole["version"] == each]
                self._parts.append(_Part(model, int(each), rows, np.zeros(len(rows), np.uint8)))
        self._state.added += sum(len(each) for each in batch.experience.values())
        self._drop_stale()
        while self.size() > self._config.bytes:
            self._state.crowded += int((self._parts.pop(0).uses == 0).sum())

    def advance(self, version: int) -> None:
        """Set the version that is learning now, and drop decisions that have become too stale."""
        self._state.newest = version
        self._drop_stale()

    def available(self, model: str) -> int:
        """Return how many of a model's decisions can still be used."""
        return sum(int(self._usable(part).sum()) for part in self._parts if part.model == model)

    def sample(self, model: str, n: int) -> np.ndarray | None:
        """Draw a minibatch: n different decisions, uniformly from all that can be used; None if there are fewer."""
        parts = [part for part in self._parts if part.model == model]
        usable = [np.flatnonzero(self._usable(part)) for part in parts]
        ends = np.cumsum([0, *map(len, usable)])
        if not n or ends[-1] < n:
            return None
        draws = self._state.draws.get(model, 0)
        generator = np.random.default_rng([self._seed, MODELS.index(model), draws])
        chosen = generator.choice(ends[-1], n, replace=False)
        self._state.draws[model] = draws + 1
        self._state.used += n
        drawn = []
        for part, rows, start, end in zip(parts, usable, ends[:-1], ends[1:], strict=True):
            taken = rows[chosen[(chosen >= start) & (chosen < end)] - start]
            part.uses[taken] += 1
            drawn.append(part.rows[taken])
        self._compact()
        return np.concatenate(drawn)

    def metrics(self) -> dict[str, float]:
        """Return metrics about the contents, by name; ages are in versions."""
        rows = np.array([len(part.uses) for part in self._parts], np.int64)
        ages = np.array([self._state.newest - part.version for part in self._parts], np.int64)
        total = int(rows.sum())
        return {
            "decisions": total,
            "bytes": self.size(),
            "age_mean": float((ages * rows).sum() / total) if total else 0.0,
            "age_max": float(ages.max()) if total else 0.0,
            "uses_mean": self._state.used / self._state.added if self._state.added else 0.0,
            "dropped_stale": self._state.stale,
            "dropped_for_room": self._state.crowded,
        }

    def size(self) -> int:
        """Return the size of the contents in bytes."""
        return sum(part.size for part in self._parts)

    def state(self) -> tuple[ReplayState, dict[str, torch.Tensor]]:
        """Return everything that a resumed run needs: plain values, and tensors by name, which are not copied."""
        tensors: dict[str, torch.Tensor] = {}
        parts = []
        for number, part in enumerate(self._parts):
            data = np.ascontiguousarray(part.rows).view(np.uint8).reshape(len(part.rows), part.rows.itemsize)
            tensors |= {f"{number}.rows": torch.from_numpy(data), f"{number}.uses": torch.from_numpy(part.uses)}
            planes = tuple(part.rows[name].shape[1] for name in ("planes", "hidden"))
            parts.append(_PartState(model=part.model, version=part.version, planes=planes))
        return self._state.model_copy(update={"parts": parts}, deep=True), tensors

    def load(self, state: ReplayState, tensors: dict[str, torch.Tensor]) -> None:
        """Resume from what `state` returned; raises KeyError if something is missing."""
        self._parts = []
        for number, part in enumerate(state.parts):
            arrays = {name: each.numpy() for name, each in tensors_below(tensors, f"{number}.").items()}
            *planes, hidden = part.planes
            rows = rows_of(arrays["rows"], experience_dtype(sum(planes), OUTPUTS[part.model], hidden))
            self._parts.append(_Part(part.model, part.version, rows, arrays["uses"].copy()))
        self._state = state.model_copy(update={"parts": []}, deep=True)

    def _usable(self, part: _Part) -> np.ndarray:
        return part.uses < self._config.reuse

    def _drop_stale(self) -> None:
        oldest = self._state.newest - self._config.staleness
        for part in self._parts:
            if part.version < oldest:
                self._state.stale += int((part.uses == 0).sum())
        self._parts = [part for part in self._parts if part.version >= oldest and len(part.uses)]

    def _compact(self) -> None:
        parts = []
        for part in self._parts:
            usable = self._usable(part)
            left = int(usable.sum())
            if left < _COMPACT_BELOW * len(usable):
                part = _Part(part.model, part.version, part.rows[usable], part.uses[usable])
            if left:
                parts.append(part)
        self._parts = parts
