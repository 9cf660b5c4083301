"""Configuration of `suphx outlook train`."""

from typing import Literal

from pydantic import Field

from suphx.config import Config
from suphx.networks.sizes import NetworkSize
from suphx.supervised.config import GeneratedGames


class OutlookConfig(Config):
    """Configuration of a training of the outlook network."""

    name: str = Field(default="outlook", pattern=r"^[\w-][\w.-]*$")
    """Name of the run and of its folder."""
    seed: int = Field(default=0, ge=0)
    """Random seed of fresh weights, the order of decisions and the ura indicators."""
    size: NetworkSize = NetworkSize(name="outlook", filters=48, blocks=3)
    """Size of the network."""
    decisions: int = Field(default=500_000, ge=1)
    """Discard decisions to train on, counting repeats."""
    batch: int = Field(default=512, ge=1)
    """Decisions per step."""
    optimizer: Literal["muon", "adamw"] = "muon"
    """Muon for convolutions and AdamW for the rest, or AdamW for everything."""
    learning_rate: float = Field(default=1.5e-3, gt=0)
    """Peak learning rate of convolutions; a step changes the weights by about as much as one of AdamW would."""
    other_learning_rate: float = Field(default=1e-3, gt=0)
    """Peak learning rate of heads and biases."""
    weight_decay: float = Field(default=0.01, ge=0)
    """Each step shrinks the convolutions by the learning rate times this value."""
    warmup: float = Field(default=0.02, ge=0, lt=1)
    """Share of the decisions over which the learning rate rises from 0."""
    decay: float = Field(default=0.5, gt=0, le=1)
    """Share of the decisions, at the end, over which the learning rate falls to 0."""
    average_steps: int = Field(default=300, ge=1)
    """The weights that are kept are a moving average over about this many steps."""
    validations: int = Field(default=5, ge=1)
    """How often the averaged weights are evaluated on validation decisions."""
    validation_decisions: int = Field(default=5_000, ge=1)
    """Decisions per validation."""
    generated: GeneratedGames = GeneratedGames()
    """The games to learn from if no logs are given."""
