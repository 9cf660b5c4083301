"""What changes with the steps: the weight of the entropy, which holds a target (formula 3), and the learning rate."""

from suphx.config import StrictModel
from suphx.learning.config import AnnealConfig, EntropyConfig


class ControllerState(StrictModel):
    """Everything that changes, as plain numbers, so that a checkpoint stores it exactly."""

    coefficient: float
    steps: int = 0
    recent: float = 0.0
    """Moving average of the entropy; 0 before the first step."""
    first: float = 0.0
    """The moving average when it first covered its full number of steps: the value at the start of training."""


class EntropyController:
    """Formula 3: alpha <- alpha + beta (H_target - H_recent), with alpha kept within bounds (not in the paper)."""

    def __init__(self, config: EntropyConfig, recent_steps: int) -> None:
        self.state = ControllerState(coefficient=config.start)
        self._config, self._recent_steps = config, recent_steps

    @property
    def coefficient(self) -> float:
        """Alpha for the next step."""
        return self.state.coefficient

    @property
    def settled(self) -> bool:
        """Whether the moving average covers its full number of steps."""
        return self.state.steps >= self._recent_steps

    @property
    def target(self) -> float:
        """The target in nats; if it is a share of the entropy at the start, it is only valid once `settled`."""
        return self._config.share * self.state.first if self._config.target is None else self._config.target

    def update(self, entropy: float) -> None:
        """Record the mean entropy of a step's decisions, in nats, and adjust alpha once the target is known."""
        state, config = self.state, self._config
        state.steps += 1
        state.recent += (entropy - state.recent) / min(state.steps, self._recent_steps)
        if state.steps <= self._recent_steps:
            state.first = state.recent
        if self.settled or config.target is not None:
            changed = state.coefficient + config.beta * (self.target - state.recent)
            state.coefficient = min(config.highest, max(config.lowest, changed))


def rate_share(config: AnnealConfig | None, games: int) -> float:
    """Return the share of the full learning rate after a number of games: 1 at first, then falling linearly."""
    if config is None:
        return 1.0
    fallen = min(max(games - config.after_games, 0) / config.games, 1.0)
    return 1 - (1 - config.lowest) * fallen
