"""When learning can only be stopped."""

from __future__ import annotations

from collections.abc import Mapping


class LearningDiverged(RuntimeError):
    """A step came to numbers that are none; it was not taken, and the weights are those of the step before."""

    def __init__(self, model: str, step: int, figures: Mapping[str, float]) -> None:
        """figures: those of the step, among them what is no number."""
        bad = ", ".join(f"{name} {value}" for name, value in figures.items() if not abs(value) < float("inf"))
        super().__init__(
            f"{model}: step {step + 1} was not taken: {bad}. Go on from the last checkpoint with a lower "
            "learning_rate, or look for rewards and log-probabilities that are no numbers"
        )
        self.model = model
        self._found = (model, step, dict(figures))

    def __reduce__(self) -> tuple[type[LearningDiverged], tuple[str, int, dict[str, float]]]:
        """Travel between processes."""
        return type(self), self._found
