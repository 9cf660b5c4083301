"""Reports of a training's progress, and the exceptions with which it can end early."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from suphx.errors import InputError
from suphx.learning.diverged import ANOTHER_RUN
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.evaluation import Strength


class SelfPlayInterrupted(Exception):
    """The training was stopped; it can be resumed from its checkpoint."""


class Collapsed(InputError):
    """The policy lost its entropy, diverged from the policies that played, or plays worse than the start."""


@dataclass(frozen=True)
class TrainingReport:
    """Progress of a training, reported at every version and measurement."""

    games: int
    total: int
    version: int
    games_per_s: float
    decisions_per_s: float
    metrics: Mapping[str, float] = field(default_factory=dict)
    """As written to TensorBoard (`metrics.py`)."""
    strength: Strength | None = None
    """Result of a measurement, if this report is about one."""
    warning: str = ""
    """What is wrong, if this report is about that."""


def check_rank(config: TrainConfig, strength: Strength) -> None:
    """Raise Collapsed if the agent's average rank is too far above the start's."""
    bound, (low, high) = config.learning.collapse.rank, strength.less_start_interval
    if low > bound:
        alarm = f"average rank {strength.less_start:+.3f} ({low:+.3f} to {high:+.3f}) to the start is above {bound:g}"
        raise collapsed([alarm], strength.games)


def collapsed(alarms: Sequence[str], games: int) -> Collapsed:
    """Return the error of a collapse after `games` games; to its message belongs where the last good agent is."""
    return Collapsed(
        f"after {games:,} games: {'; '.join(alarms)}. The policy has collapsed. {ANOTHER_RUN}, with a lower "
        "learning rate or a higher entropy target."
    )
