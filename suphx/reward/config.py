"""Configuration of `suphx reward`."""

import numpy as np
from pydantic import Field

from suphx.config import Config
from suphx.dataset.logs import GeneratedGames
from suphx.reward.target import Length, RankingPoints, Target, centered


class RewardConfig(Config):
    """Configuration of a training of the global reward predictor."""

    name: str = Field(default="reward", pattern=r"^[\w-][\w.-]*$")
    """Name of the run and of its folder."""
    seed: int = Field(default=0, ge=0)
    """Random seed of fresh weights, the order of games, dropout and the bootstrap."""
    games: Length = "east_south"
    """Games to learn from: East-South or East-only."""
    target: Target = RankingPoints()
    """The reward of a finished game by rank, and its units."""
    hidden: int = Field(default=32, ge=1, le=1024)
    """Width of both layers of the GRU and of the first fully connected layer."""
    dropout: float = Field(default=0.1, ge=0, lt=1)
    """Dropout rate between the layers during training."""
    batch: int = Field(default=64, ge=1)
    """Games per step, four sequences each."""
    learning_rate: float = Field(default=1e-3, gt=0)
    """Initial learning rate of AdamW; decays to 0 along a half cosine over `epochs`."""
    weight_decay: float = Field(default=0.01, ge=0)
    """Weight decay of AdamW."""
    epochs: int = Field(default=30, ge=1)
    """Maximum number of epochs: of passes over the training games."""
    patience: int = Field(default=6, ge=1)
    """Stop after this many epochs without a lower validation loss; the weights of the best epoch are kept."""
    bootstrap: int = Field(default=1000, ge=20)
    """Number of bootstrap samples of the test games for the intervals of the evaluation."""
    plotted_rounds: int = Field(default=10, ge=1)
    """The plot of a game shows the first test game with at least this many rounds."""
    generated: GeneratedGames = GeneratedGames()
    """The games to learn from if no logs are given."""

    @property
    def prizes(self) -> np.ndarray:
        """The reward of each rank: f64[4], with the mean subtracted, in units of the target."""
        return centered(self.target.by_rank(self.games))

    @property
    def scale(self) -> float:
        """The standard deviation of the prizes, or 1 if all are equal."""
        return float(np.sqrt((self.prizes**2).mean())) or 1.0
