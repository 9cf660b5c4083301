"""The metrics that a training writes to TensorBoard, under stable names: means over the time between two versions.

- `rate/games_per_s`, `rate/decisions_per_s`, `rate/learning` (share of the time spent on learning)
- `play/reward_mean`, `play/reward_std`, `play/rounds`, `play/version`, `play/gamma`
- with Phi, `play/phi_error`: root mean square error of Phi at the start of rounds against the game's result, in the
  predictor's units
- `MODEL/...`: metrics of every step (`Learner.step`): loss, importance weights (`weight_mean`, `weight_max`,
  `rejected`), `entropy`, `entropy_target`, `alpha`, divergences (`kl_...`), `grad_norm`,
  `gradient_signal`, `staleness`
- `critic/...`, `replay/...` (`ReplayBuffer.metrics`)
- `evaluation/average_rank`, `evaluation/less_start` and the bounds of their intervals (`..._low`, `..._high`); for an
  oracle, `evaluation/oracle_less_start`
- in a distributed run, `simulator/waiting`, `simulator/held` (shares of its time) and `engine/...`

The step of every curve is the number of self-play games.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from torch.utils.tensorboard import SummaryWriter

from suphx.selfplay.evaluation import Strength


class MetricAverages:
    """Collects metrics by name and averages them."""

    def __init__(self) -> None:
        self._values: dict[str, list[float]] = {}

    def add(self, groups: Mapping[str, Mapping[str, float]]) -> None:
        """Add metrics, by group and name."""
        for group, metrics in groups.items():
            for name, value in metrics.items():
                self._values.setdefault(f"{group}/{name}", []).append(value)

    def take(self) -> dict[str, float]:
        """Return the mean of each metric since the last call."""
        means = {name: float(np.mean(values)) for name, values in self._values.items()}
        self._values = {}
        return means


class MetricWriter:
    """The TensorBoard folder of a run."""

    def __init__(self, folder: Path, games: int) -> None:
        """games: number at which the run resumes; metrics written for later games before it was killed are hidden."""
        self._writer = SummaryWriter(folder, purge_step=games)

    def write(self, metrics: Mapping[str, float], games: int) -> None:
        """Write metrics by name, at step `games`."""
        for name, value in metrics.items():
            self._writer.add_scalar(name, value, games)

    def write_strength(self, strength: Strength) -> None:
        """Write a measurement."""
        for name, value, ends in (
            ("average_rank", strength.average_rank, strength.interval),
            ("less_start", strength.less_start, strength.less_start_interval),
            ("oracle_less_start", strength.oracle_less_start, strength.oracle_less_start_interval),
        ):
            if value is not None and ends is not None:
                bounds = {name: value, f"{name}_low": ends[0], f"{name}_high": ends[1]}
                self.write({f"evaluation/{each}": bound for each, bound in bounds.items()}, strength.games)

    def close(self) -> None:
        """Write buffered metrics and close the file."""
        self._writer.close()
