"""Configuration of run-time adaptation; where the paper leaves details open, the choices are this project's."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from suphx.adaptation.objective import Form
from suphx.config import Config
from suphx.networks.sizes import Model
from suphx.reward.rounds import PhiReward, RewardConfig, predictor_hash


class StepsConfig(Config):
    """The gradient steps on formula 6."""

    blocks: int | None = Field(default=1, ge=0)
    """Adapt the head and this many of the last residual blocks; null for the whole network."""
    baseline: Literal["mean", "deal"] = "deal"
    """What is subtracted from a rollout's reward: the mean of all other rollouts, or of the others of the same deal."""
    form: Form = "decision"
    """Formula 6 with the ratio of each single answer, or (`rollout`) of all answers of a rollout, as in the paper."""
    first_answers: int | None = Field(default=None, ge=1)
    """Learn only from this many first answers of each rollout; null for all. The first ones answer the same few
    questions in all rollouts, later ones a different question in each."""
    optimizer: Literal["gradient", "adam"] = "gradient"
    """Direction of a step: the gradient's or Adam's. The length follows from `distance`."""
    steps: int = Field(default=1, ge=1)
    """Number of steps, each over all rollouts."""
    distance: float = Field(default=0.01, gt=0)
    """KL(policy before the steps, policy after them) in nats, averaged over the questions learned from."""

    @model_validator(mode="after")
    def _fits(self) -> StepsConfig:
        if self.form == "rollout" and self.first_answers is not None:
            raise ValueError("first_answers: form rollout needs every question of a rollout")
        return self


class AdaptationConfig(Config):
    """How a policy is adapted to a hand."""

    models: list[Model] = Field(default=["discard"], min_length=1)
    """Which of the five models adapt (the paper does not say; its self-play trains only the discard model)."""
    deals: int = Field(default=250, ge=1)
    """Number of random deals of the hidden tiles to learn from."""
    copies: int = Field(default=4, ge=1)
    """Rollouts per deal, with different random numbers: the paper's number of trajectories is deals x copies."""
    temperature: float = Field(default=1.0, gt=0)
    """Sampling temperature in rollouts; the policy at this temperature is the one that adapts. The paper samples from
    the policy itself (1); below 1 rollouts are more like play, which takes the likeliest answers. For networks trained
    only on human games, such as `sl`, 0.5 is better: at 1 rollouts mostly teach to be more confident. If a training
    used 0.5 as its `start_temperature`, 1 has the same effect."""
    certain: float = Field(default=1.0, gt=0, le=1)
    """Skip questions whose likeliest answer has a higher probability than this (at temperature 1); form `rollout` needs
    all questions."""
    steps: StepsConfig = Field(default_factory=StepsConfig)
    """The gradient steps on the rollouts."""
    bound: float = Field(default=0.03, gt=0)
    """Upper bound of KL(original, adapted) in nats, averaged over held-out questions: weights that are farther away are
    moved back towards the original's."""
    check_deals: int = Field(default=250, ge=0)
    """Held-out deals on which the adapted copy is compared with the previous policy and dropped by `check_margin`; 0
    for no check."""
    check_margin: float = -1.0
    """Drop the copy if its mean gain in the check is below this many standard errors. -1 drops only what is clearly
    worse: with 50 to 250 deals one standard error is several times a copy's gain, so a margin of 0 would decide nearly
    by chance, and a positive one would discard most of the gain."""
    reward: RewardConfig = Field(default_factory=PhiReward)
    """The reward of a rollout: `{kind: phi}` or `{kind: round}`."""

    @model_validator(mode="after")
    def _fits(self) -> AdaptationConfig:
        if len(set(self.models)) < len(self.models):
            raise ValueError("models: a model is named twice")
        if self.steps.form == "rollout" and self.certain < 1:
            raise ValueError("certain: form rollout needs every question of a rollout")
        if self.steps.form == "rollout" and len(self.models) > 1:
            raise ValueError("models: form rollout, the product of all ratios, is for one model")
        if self.check_deals == 1:
            raise ValueError("check_deals: one deal has no standard error; 0 is for no check")
        if self.steps.baseline == "deal" and self.copies < 2:
            raise ValueError("copies: a baseline by deal needs two rollouts of each deal")
        return self

    def with_steps(self, steps: StepsConfig | None) -> AdaptationConfig:
        """Return a copy with other steps, or itself for None; raises ValueError if they do not fit the rollouts."""
        return self if steps is None else AdaptationConfig(**{**dict(self), "steps": steps})

    def fingerprints(self) -> dict[str, str]:
        """Return the hash of the predictor's file, if there is one, by name; raises InputError if it cannot be read."""
        return predictor_hash(self.reward)

    @property
    def rollouts(self) -> int:
        """Number of rollouts to learn from."""
        return self.deals * self.copies
