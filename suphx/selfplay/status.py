"""What a training tells whoever watches it, and how it can end early."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Protocol

from suphx.errors import InputError
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.diverged import ANOTHER_RUN
from suphx.selfplay.evaluation import Strength
from suphx.selfplay.folder import RunFolder
from suphx.selfplay.learner import Alarm


class Interrupted(Exception):
    """The training was told to stop; it goes on from its checkpoint."""


class Collapsed(InputError):
    """The policy has lost its entropy, has run away from what played, or plays worse than the start: says which."""


@dataclass(frozen=True)
class Report:
    """How a training stands, for whoever watches; told at every version."""

    games: int
    total: int
    version: int
    games_per_s: float
    decisions_per_s: float
    figures: Mapping[str, float] = field(default_factory=dict)
    """As written to TensorBoard (`board.py`)."""
    strength: Strength | None = None
    """If the agent has just been measured."""


class Training(Protocol):
    """A training in its folder, by whatever processes."""

    folder: RunFolder

    def run(self, watch: Callable[[Report], None], stop: Event) -> None:
        """Train until the configuration's games are over; `stop` ends it early, with Interrupted."""
        ...


def words_of_lost_rank(config: TrainConfig, strength: Strength) -> str | None:
    """Return what to say of an agent whose average rank is too far above the start's, None of another one."""
    bound, (low, high) = config.learning.collapse.rank, strength.less_start_interval
    if low <= bound:
        return None
    alarm = f"average rank {strength.less_start:+.3f} ({low:+.3f} to {high:+.3f}) to the start is above {bound:g}"
    return words_of_collapse([alarm], strength.games)


def words_of_collapse(alarms: Sequence[Alarm | str], games: int) -> str:
    """Return what to say of a collapse after so many games; where the last good agent is comes after it."""
    return (
        f"after {games:,} games: {'; '.join(map(str, alarms))}. The policy has collapsed. {ANOTHER_RUN}, with a lower "
        "learning rate or a higher entropy target."
    )
