"""Configuration of `suphx outlook train`."""

from pydantic import Field

from suphx.dataset.logs import GeneratedGames
from suphx.networks.sizes import NetworkSize
from suphx.supervised.config import Schedule


class OutlookConfig(Schedule):
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
    average_steps: int = Field(default=300, ge=1)
    """The weights that are kept are a moving average over about this many steps."""
    validations: int = Field(default=5, ge=1)
    """How often the averaged weights are evaluated on validation decisions."""
    validation_decisions: int = Field(default=5_000, ge=1)
    """Decisions per validation."""
    generated: GeneratedGames = GeneratedGames()
    """The games to learn from if no logs are given."""
