"""What a training writes to TensorBoard, under names that stay: means over the time between two versions.

- `rate/games_per_s`, `rate/decisions_per_s`, `rate/learning` (share of the time that is spent on learning)
- `play/reward_mean`, `play/reward_spread`, `play/rounds`, `play/version`, `play/gamma`
- with Phi `play/phi_error`: how far it was off, as rounds began, from what games came to (root mean square, in the
  predictor's units)
- `MODEL/...`: what every step says of itself (`Learner.step`): loss, importance weights (`weight_mean`, `weight_max`,
  `rejected`, `clipped`), `entropy`, `entropy_target`, `alpha`, divergences (`kl_...`), `gradient_norm`,
  `gradient_signal`, `staleness`
- `critic/...`, `replay/...` (`ReplayBuffer.figures`)
- `evaluation/average_rank`, `evaluation/less_start` and their intervals' ends (`..._low`, `..._high`); of an oracle
  that sees all, `evaluation/oracle_less_start`
- of a run by roles, `simulator/waiting`, `simulator/held` (shares of its time) and `engine/...`

The step of every curve is the number of games of self-play.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from torch.utils.tensorboard import SummaryWriter

from suphx.selfplay.evaluation import Strength


class Averages:
    """Collects figures by name until they are asked for."""

    def __init__(self) -> None:
        self._values: dict[str, list[float]] = {}

    def add(self, group: str, figures: Mapping[str, float]) -> None:
        """Note figures of a group."""
        for name, value in figures.items():
            self._values.setdefault(f"{group}/{name}", []).append(value)

    def take(self) -> dict[str, float]:
        """Return the mean of each figure, and begin anew."""
        found = {name: float(np.mean(values)) for name, values in self._values.items()}
        self._values = {}
        return found


class Board:
    """The TensorBoard folder of a run."""

    def __init__(self, folder: Path, games: int) -> None:
        """games: where the run goes on; what was written of later ones, before a kill, is hidden."""
        self._writer = SummaryWriter(folder, purge_step=games)

    def write(self, figures: Mapping[str, float], games: int) -> None:
        """Write figures by name after so many games."""
        for name, value in figures.items():
            self._writer.add_scalar(name, value, games)

    def write_strength(self, strength: Strength) -> None:
        """Write a measurement."""
        rank, against = strength.interval, strength.less_start_interval
        figures = {"average_rank": strength.average_rank, "less_start": strength.less_start}
        figures |= {"average_rank_low": rank[0], "average_rank_high": rank[1]}
        figures |= {"less_start_low": against[0], "less_start_high": against[1]}
        if strength.oracle_less_start is not None and strength.oracle_less_start_interval is not None:
            low, high = strength.oracle_less_start_interval
            figures |= {"oracle_less_start": strength.oracle_less_start}
            figures |= {"oracle_less_start_low": low, "oracle_less_start_high": high}
        self.write({f"evaluation/{name}": value for name, value in figures.items()}, strength.games)

    def close(self) -> None:
        """Write what is still held."""
        self._writer.close()
