"""What adaptation can be told: every field with its meaning; what the paper leaves open is ours."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from suphx.adaptation.objective import Form
from suphx.config import Config
from suphx.hashes import hash_of_file
from suphx.selfplay.rewards import PhiReward, RewardConfig, predictor_hash
from suphx.supervised.config import Model


class StepsConfig(Config):
    """The gradient steps on formula 6."""

    blocks: int | None = Field(default=1, ge=0)
    """Adapt the head and so many of the last residual blocks; null for the whole network."""
    offsets: bool = False
    """Adapt an offset of each kind's logit besides (discards only): what to keep with this hand, which a head that
    judges all kinds alike cannot learn."""
    baseline: Literal["mean", "deal", "critic"] = "deal"
    """What is taken off a rollout's reward: the mean of all others, or of the others of the same deal; or what the
    critic expects, from question to question."""
    form: Form = "decision"
    """Formula 6 with the ratio of each answer, or (`rollout`) of all answers of a rollout together, as it stands."""
    first_answers: int | None = Field(default=None, ge=1)
    """Learn from so many first answers of each rollout; null for all. The first ones answer the same few questions in
    all rollouts, the later ones a different question in each."""
    optimizer: Literal["gradient", "adam", "natural"] = "gradient"
    """Direction of a step: the gradient, Adam's, or the natural gradient, for the discard network's head alone
    (`blocks: 0`). Its length follows from `distance`."""
    steps: int = Field(default=1, ge=1)
    """How many, each over all rollouts."""
    distance: float = Field(default=0.01, gt=0)
    """KL(what the steps start from, what they lead to) in nats, as a mean over the questions that are learned from."""

    @model_validator(mode="after")
    def _fits(self) -> StepsConfig:
        if self.optimizer == "natural" and self.blocks != 0:
            raise ValueError("optimizer: natural is for the head alone, blocks: 0")
        if self.form == "rollout" and self.first_answers is not None:
            raise ValueError("first_answers: form rollout needs every question of a rollout")
        return self


class AdaptationConfig(Config):
    """How a policy is adapted to a hand."""

    models: list[Model] = Field(default=["discard"], min_length=1)
    """Which of the five adapt (the paper does not say; its self-play learns the discard model alone)."""
    deals: int = Field(default=250, ge=1)
    """Deals of the hidden tiles that are learned from."""
    copies: int = Field(default=4, ge=1)
    """Rollouts of each deal, with other random numbers: deals x copies are what the paper calls trajectories."""
    temperature: float = Field(default=1.0, gt=0)
    """At which answers are drawn in rollouts; it is the policy of this temperature that adapts. The paper draws from
    the policy as it is (1); below 1 rollouts are more like play, which takes the likeliest answers. For networks that
    learned from people alone, such as `sl`, 0.5 is better: at 1 most of what rollouts teach is to be surer. Where a
    training had that as its `start_temperature`, 1 is the same."""
    critic: Path | None = None
    """File of a critic, as `suphx train` leaves it where `learning.baseline` is critic, for the same reward; it costs
    some time in every rollout."""
    gae_lambda: float = Field(default=0.9, ge=0, le=1)
    """Lambda of its generalised advantages (`learning.critic.gae_lambda`)."""
    certain: float = Field(default=1.0, gt=0, le=1)
    """Questions whose likeliest answer was more probable are not learned from; form `rollout` needs all of them."""
    steps: StepsConfig = Field(default_factory=StepsConfig)
    """What is learned from them."""
    bound: float = Field(default=0.03, gt=0)
    """KL(original, adapted) in nats, as a mean over held-out questions, that is never exceeded: weights that are
    farther away are brought back towards the original's."""
    check_deals: int = Field(default=250, ge=0)
    """Held-out deals on which the copy plays against what it came from, to be dropped by `check_margin`; 0 for none."""
    check_margin: float = -1.0
    """It is dropped if its mean gain there is below so many standard errors of it. -1 drops what is clearly worse: from
    50 to 250 deals one standard error is several times what a copy gains, so that a margin of 0 would keep and drop
    nearly by chance, and a positive one take away most of what is gained."""
    reward: RewardConfig = Field(default_factory=PhiReward)
    """What a rollout is worth: `{kind: phi}`, or `{kind: round}`."""

    @model_validator(mode="after")
    def _fits(self) -> AdaptationConfig:
        if len(set(self.models)) < len(self.models):
            raise ValueError("models: one is named twice")
        if self.steps.optimizer == "natural" and self.models != ["discard"]:
            raise ValueError("optimizer: natural is for the discard model alone")
        if self.steps.offsets and self.models != ["discard"]:
            raise ValueError("offsets: kinds are what the discard model alone answers with")
        if self.steps.form == "rollout" and self.certain < 1:
            raise ValueError("certain: form rollout needs every question of a rollout")
        if self.steps.baseline == "critic" and self.critic is None:
            raise ValueError("critic: steps.baseline critic needs its file")
        if self.critic is not None and len(self.models) > 1:
            raise ValueError("critic: it follows the questions to one model; models has more")
        if self.steps.baseline == "critic" and self.steps.form == "rollout":
            raise ValueError("steps: form rollout has an advantage for each rollout, a critic one for each answer")
        if self.steps.baseline == "deal" and self.copies < 2:
            raise ValueError("copies: a baseline by deal needs two rollouts of each deal")
        return self

    def with_steps(self, steps: StepsConfig | None) -> AdaptationConfig:
        """Return the same with other steps, or itself; raises ValueError where they do not fit the rollouts."""
        return self if steps is None else AdaptationConfig(**{**dict(self), "steps": steps})

    def fingerprints(self) -> dict[str, str]:
        """Return hashes of the critic and the predictor by name; raises InputError for one that cannot be read."""
        critic = {} if self.critic is None else {"critic": hash_of_file(self.critic)}
        return critic | predictor_hash(self.reward)

    @property
    def rollouts(self) -> int:
        """How many rollouts are learned from."""
        return self.deals * self.copies
