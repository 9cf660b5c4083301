"""The configuration of `suphx pretrain`: every field with its meaning, and defaults that suit a laptop."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from suphx.config import Config
from suphx.dataset.logs import GeneratedGames
from suphx.dataset.selection import Filters
from suphx.features.layout import places_of
from suphx.networks.models import MODEL_PLANES, Model
from suphx.networks.sizes import SIZES, AnySize, Size


class ModelPlan(Config):
    """The settings of one of the five models; unset fields take the value common to all models."""

    pairs: int = Field(ge=1)
    """Total number of pairs to train on, counting repeats."""
    size: AnySize | None = None
    """Size of the network, if different from `PretrainConfig.size`."""
    shuffle_suits: bool = False
    """Permute the suits of each pair at random: for models whose pairs are seen many times."""
    learning_rate: float | None = Field(None, gt=0)
    """Learning rate, if different from `PretrainConfig.learning_rate`."""
    start_model: Model | None = None
    """With `start`: start from the network of that model instead of this model's own. Both must see the same planes
    (chow, pong and kong do; discard and riichi do). Weights of another shape (the last layers) are initialized anew."""


class Schedule(Config):
    """How an optimizer goes through a training; see `training.AveragingOptimizer`."""

    optimizer: Literal["muon", "adamw"] = "muon"
    """Muon for convolutions and AdamW for the rest, or AdamW for everything."""
    learning_rate: float = Field(1.5e-3, gt=0)
    """Peak learning rate of convolutions; a step changes the weights by about as much as one of AdamW would."""
    other_learning_rate: float = Field(1e-3, gt=0)
    """Peak learning rate of heads and biases."""
    weight_decay: float = Field(0.01, ge=0)
    """Each step shrinks the convolutions by the learning rate times this value."""
    warmup: float = Field(0.02, ge=0, lt=1)
    """Share of the training over which the learning rate rises from 0."""
    decay: float = Field(0.5, gt=0, le=1)
    """Share of the training, at its end, over which the learning rate falls to 0."""
    average_steps: int = Field(1000, ge=1)
    """The weights that are kept are a moving average over about this many steps."""


class PretrainConfig(Schedule):
    """A supervised training."""

    name: str = Field("pretrain", pattern=r"^[\w-][\w.-]*$")
    """Name of the run and of its agent."""
    seed: int = Field(0, ge=0)
    """Random seed of the initial weights and of the order of pairs."""
    size: AnySize = "small"
    """`small`, `base`, `paper`, {filters: ..., blocks: ...}, or {kind: ARCHITECTURE, ...} of another architecture."""
    models: dict[Model, ModelPlan] = Field(min_length=1)
    """Which of the five models to train, and for how long."""
    batch: int = Field(256, ge=1)
    """Pairs per step."""
    validations: int = Field(20, ge=1)
    """How often the averaged weights are evaluated on validation pairs during a run."""
    validation_pairs: int = Field(10_000, ge=1)
    """Pairs per validation."""
    patience: int = Field(5, ge=1)
    """Stop training a model after this many validations without a lower loss; its best weights are kept."""
    weak: float = Field(0.05, gt=0, lt=1)
    """Share of the pairs after which an under-trained copy is kept (SL-weak)."""
    test_pairs: int = Field(100_000, ge=1)
    """Maximum number of pairs in the final test of each model; whole rounds in random order."""
    checkpoint_seconds: float = Field(60, gt=0)
    """Time between checkpoints, in seconds."""
    hide: list[str] = Field(default_factory=list)
    """Groups or blocks of planes hidden from the networks, to measure what they are worth; no agent is written then."""
    start: str | None = None
    """Weights to start from instead of fresh ones: `sl` or a folder. A larger network grows from them: at first it
    answers as they do."""
    filters: Filters = Field(default_factory=Filters)
    """Whose decisions are trained on and validated with; the test at the end uses all decisions."""
    generated: GeneratedGames = Field(default_factory=GeneratedGames)
    """The games to learn from when no logs are given."""

    @model_validator(mode="after")
    def _known_names(self) -> PretrainConfig:
        for size in (self.size, *(plan.size for plan in self.models.values())):
            if isinstance(size, str) and size not in SIZES:
                raise ValueError(f"size: no network size {size!r}; there are {', '.join(SIZES)}")
        try:
            places_of(self.hide)
        except KeyError as error:
            raise ValueError(f"hide: no group or block of planes {error}; the page on features names them") from error
        return self

    @model_validator(mode="after")
    def _start_models_fit(self) -> PretrainConfig:
        for model, plan in self.models.items():
            if plan.start_model is None:
                continue
            if self.start is None:
                raise ValueError(f"models.{model}.start_model: needs `start`, the weights to take that network from")
            if MODEL_PLANES[plan.start_model] != MODEL_PLANES[model]:
                raise ValueError(f"models.{model}.start_model: {plan.start_model} sees other planes")
        return self

    def size_of(self, model: Model) -> Size:
        """Return the size of a model's network."""
        size = self.models[model].size or self.size
        return SIZES[size] if isinstance(size, str) else size
