"""Configuration of run-time adaptation; where the paper leaves details open, the choices are this project's."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, model_validator

from suphx.config import Config
from suphx.reward.kinds import AnyReward, default_reward


class StepsConfig(Config):
    """The gradient steps on formula 6."""

    blocks: int | None = Field(default=1, ge=0)
    """Adapt the head and this many of the last residual blocks; null for the whole network."""
    steps: int = Field(default=1, ge=1)
    """Number of steps, each over all rollouts."""
    distance: float = Field(default=0.01, gt=0)
    """KL(policy before the steps, policy after them) in nats, averaged over the decisions learned from."""


class AdaptationConfig(Config):
    """How a policy is adapted to a hand. The discard network adapts, as in the paper's self-play."""

    renamed: ClassVar[dict[str, str]] = {"certain": "max_confidence"}

    deals: int = Field(default=250, ge=1)
    """Number of random deals of the hidden tiles to learn from."""
    copies: int = Field(default=4, ge=2)
    """Rollouts per deal, with different random numbers: the paper's number of trajectories is deals x copies. The mean
    of the others of a deal is the baseline of each."""
    temperature: float = Field(default=1.0, gt=0)
    """Sampling temperature in rollouts; the policy at this temperature is the one that adapts. The paper samples from
    the policy itself (1); below 1 rollouts are more like play, which takes the most likely actions. For networks
    trained only on human games, such as `sl`, 0.5 is better: at 1 rollouts mostly teach to be more confident. If a
    training used 0.5 as its `start_temperature`, 1 has the same effect."""
    max_confidence: float = Field(default=1.0, gt=0, le=1)
    """Skip decisions whose most likely action has a higher probability than this (at temperature 1)."""
    steps: StepsConfig = Field(default_factory=StepsConfig)
    """The gradient steps on the rollouts."""
    bound: float = Field(default=0.03, gt=0)
    """Upper bound of KL(original, adapted) in nats, averaged over held-out decisions: weights that are farther away are
    moved back towards the original's."""
    check_deals: int = Field(default=250, ge=0)
    """Held-out deals on which the adapted copy is compared with the original, and dropped if its mean gain is more than
    a standard error below 0: what is clearly worse. 0 for no check."""
    reward: AnyReward = Field(default_factory=default_reward)
    """The reward of a rollout, as in self-play: `{kind: phi}`, `{kind: round}`, or a kind of your own."""

    @model_validator(mode="after")
    def _fits(self) -> AdaptationConfig:
        if self.check_deals == 1:
            raise ValueError("check_deals: one deal has no standard error; 0 is for no check")
        return self

    @property
    def rollouts(self) -> int:
        """Number of rollouts to learn from."""
        return self.deals * self.copies
