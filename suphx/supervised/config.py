"""What `suphx pretrain` can be told: every field with its meaning, and defaults that suit a laptop."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field, model_validator

from suphx.config import Config
from suphx.features.layout import places_of
from suphx.networks.sizes import MODEL_PLANES, MODELS, SIZES, NetworkSize
from suphx.supervised.selection import Filters

Model = Literal["discard", "riichi", "chow", "pong", "kong"]


class GeneratedGames(Config):
    """Games to learn from where no logs are given."""

    games: int = Field(default=1000, ge=1)
    """How many."""
    player: str = "sensible"
    """The rule-based player that plays them."""
    seed: int = Field(default=0, ge=0)
    """Random seed of the games."""


class ModelPlan(Config):
    """What one of the five models gets; what is not set is as for all."""

    pairs: int = Field(ge=1)
    """Pairs to train on in all, repeats counted."""
    size: str | NetworkSize | None = None
    """Size of the network, if another than `PretrainConfig.size`."""
    shuffle_suits: bool = False
    """Show each pair with its suits in a random order: for models whose pairs are seen many times."""
    replicas: int = Field(default=1, ge=1, le=64)
    """Copies that learn side by side, one thread each, and are averaged after every chunk: for cores left over."""
    learning_rate: float | None = Field(None, gt=0)
    """If another than `PretrainConfig.learning_rate`."""
    start_model: Model | None = None
    """With `start`: begin as that model's network instead of this one's own, where both see the same planes (chow, pong
    and kong do; discard and riichi do). What does not fit (the last layers, of another shape) begins fresh."""


class PretrainConfig(Config):
    """A supervised training."""

    name: str = Field("pretrain", pattern=r"^[\w.-]+$")
    """Name of the run and of its agent."""
    seed: int = Field(0, ge=0)
    """Of fresh weights and of the order of pairs."""
    size: str | NetworkSize = "small"
    """`small`, `base`, `paper`, or {filters: ..., blocks: ...}."""
    models: dict[Model, ModelPlan] = Field(min_length=1)
    """Which of the five to train, and how long."""
    batch: int = Field(256, ge=1)
    """Pairs of a step."""
    optimizer: Literal["muon", "adamw"] = "muon"
    """Muon for convolutions with AdamW for the rest, or AdamW for all."""
    learning_rate: float = Field(1.5e-3, gt=0)
    """Highest rate, of convolutions; a step changes weights by about as much as AdamW's would."""
    other_learning_rate: float = Field(1e-3, gt=0)
    """Highest rate of heads and biases."""
    weight_decay: float = Field(0.01, ge=0)
    """Shrinks convolutions by rate x this at each step."""
    warmup: float = Field(0.02, ge=0, lt=1)
    """Share of the pairs over which the rate rises from 0."""
    decay: float = Field(0.5, gt=0, le=1)
    """Share of the pairs, at the end, over which it falls to 0."""
    average_steps: int = Field(1000, ge=1)
    """The weights that are kept are a moving average over about so many steps."""
    validations: int = Field(20, ge=1)
    """How often the average is held against validation pairs during a run."""
    validation_pairs: int = Field(10_000, ge=1)
    """Pairs of a validation."""
    patience: int = Field(5, ge=1)
    """Validations without a lower loss after which a model is done; the best one's weights are kept."""
    weak: float = Field(0.05, gt=0, lt=1)
    """Share of the pairs after which an under-trained copy is kept (SL-weak)."""
    test_pairs: int = Field(100_000, ge=1)
    """Pairs of the final test, at most, of each model; whole rounds in random order."""
    checkpoint_seconds: float = Field(60, gt=0)
    """Time between checkpoints."""
    hide: list[str] = Field(default_factory=list)
    """Groups or blocks of planes that the networks do not see, to learn what they are worth; no agent comes of that."""
    start: str | None = None
    """Weights to go on from, `sl` or a folder, instead of fresh ones; sizes must be theirs."""
    filters: Filters = Field(default_factory=Filters)
    """Whose decisions are trained on; tests take all."""
    generated: GeneratedGames = Field(default_factory=GeneratedGames)
    """What is learned from without logs."""

    @model_validator(mode="after")
    def _known_names(self) -> PretrainConfig:
        for size in (self.size, *(plan.size for plan in self.models.values())):
            if isinstance(size, str) and size not in SIZES:
                raise ValueError(f"size: no network size {size!r}; there are {', '.join(SIZES)}")
        try:
            places_of(self.hide)
        except KeyError as error:
            raise ValueError(f"hide: no group or block of planes {error}; docs/features.md names them") from error
        return self

    @model_validator(mode="after")
    def _start_models_fit(self) -> PretrainConfig:
        for model, plan in self.models.items():
            if plan.start_model is None:
                continue
            if self.start is None:
                raise ValueError(f"models.{model}.start_model: needs `start`, the weights it is taken from")
            if MODEL_PLANES[plan.start_model] != MODEL_PLANES[model]:
                raise ValueError(f"models.{model}.start_model: {plan.start_model} sees other planes")
        return self

    def size_of(self, model: Model) -> NetworkSize:
        """Return the size of a model's network."""
        size = self.models[model].size or self.size
        return SIZES[size] if isinstance(size, str) else size


assert set(MODELS) == set(get_args(Model))
