"""Coefficients adjusted to hold a target (formula 3): of the entropy, or of the distance to another policy."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from suphx.learning.config import DistanceConfig, EntropyConfig


class ControllerState(BaseModel):
    """Everything that changes, as plain numbers, so that a checkpoint stores it exactly."""

    model_config = ConfigDict(extra="forbid")

    coefficient: float
    steps: int = 0
    recent: float = 0.0
    """Moving average of the controlled quantity; 0 before the first step."""
    first: float = 0.0
    """The moving average when it first covered its full number of steps: the value at the start of training."""


class Controller:
    """Base of both controllers: the moving average, and the coefficient within its bounds."""

    def __init__(self, start: float, lowest: float, highest: float, recent_steps: int) -> None:
        self.state = ControllerState(coefficient=start)
        self._lowest, self._highest = lowest, highest
        self._recent_steps = recent_steps

    @property
    def coefficient(self) -> float:
        """The coefficient for the next step."""
        return self.state.coefficient

    @property
    def settled(self) -> bool:
        """Whether the moving average covers its full number of steps."""
        return self.state.steps >= self._recent_steps

    def _measure(self, value: float) -> None:
        state = self.state
        state.steps += 1
        state.recent += (value - state.recent) / min(state.steps, self._recent_steps)
        if state.steps <= self._recent_steps:
            state.first = state.recent

    def _move(self, change: float) -> None:
        self.state.coefficient = min(self._highest, max(self._lowest, self.state.coefficient + change))


class EntropyController(Controller):
    """Formula 3: alpha <- alpha + beta (H_target - H_recent), with alpha kept within bounds (not in the paper)."""

    def __init__(self, config: EntropyConfig, recent_steps: int) -> None:
        super().__init__(config.start, config.lowest, config.highest, recent_steps)
        self._config = config

    @property
    def target(self) -> float:
        """The target in nats; if it is a share of the entropy at the start, it is only valid once `settled`."""
        config, state = self._config, self.state
        start = config.share * state.first if config.target is None else config.target
        return start if config.half_life is None else start * 0.5 ** (state.steps / config.half_life)

    def update(self, entropy: float) -> None:
        """Record the mean entropy of a step's questions, in nats, and adjust alpha once the target is known."""
        self._measure(entropy)
        if self.settled or self._config.target is not None:
            self._move(self._config.beta * (self.target - self.state.recent))


class DistanceController(Controller):
    """Controls a divergence: the coefficient rises while the recent divergence is above its bound."""

    def __init__(self, config: DistanceConfig, recent_steps: int) -> None:
        super().__init__(config.coefficient, 0.0, config.highest, recent_steps)
        self._config = config

    def update(self, divergence: float) -> None:
        """Record the mean divergence of a step's questions, in nats; adjust the coefficient if there is a bound."""
        self._measure(divergence)
        if self._config.bound is not None:
            self._move(self._config.beta * (self.state.recent - self._config.bound))
