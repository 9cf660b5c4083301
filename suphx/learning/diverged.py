"""The error for learning that has diverged and must be stopped."""

from collections.abc import Mapping

#: Advice: a checkpoint can only be resumed with its own configuration, so another learning rate needs another run.
ANOTHER_RUN = "Start another run from the last good agent (--set start=FOLDER, another name)"


class LearningDiverged(RuntimeError):
    """A step gave metrics that are not finite. It was not taken, so the weights are those of the step before."""

    def __init__(self, model: str, step: int, metrics: Mapping[str, float]) -> None:
        """metrics: those of the step, some of which are not finite."""
        super().__init__(model, step, dict(metrics))  # what another process makes it from again

    def __str__(self) -> str:
        model, step, metrics = self.args
        bad = ", ".join(f"{name} {value}" for name, value in metrics.items() if not abs(value) < float("inf"))
        return (
            f"{model}: step {step + 1} was not taken: {bad}. {ANOTHER_RUN}, with a lower learning rate, or look for "
            "rewards and log-probabilities that are no numbers."
        )
