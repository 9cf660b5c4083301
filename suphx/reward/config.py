"""What `suphx reward` can be told: every field with its meaning, and defaults."""

from __future__ import annotations

from pydantic import Field

from suphx.config import Config
from suphx.reward.target import Length, RankingPoints, Target


class GeneratedGames(Config):
    """Games to learn from where no logs are given; they are played by `sensible`."""

    games: int = Field(default=2000, ge=20)
    """How many."""
    seed: int = Field(default=0, ge=0)
    """Random seed of the games."""


class RewardConfig(Config):
    """A training of the global reward predictor."""

    name: str = Field(default="reward", pattern=r"^[\w-][\w.-]*$")
    """Name of the run: of its folder."""
    seed: int = Field(default=0, ge=0)
    """Of fresh weights, of the order of games, of dropout, and of the bootstrap."""
    games: Length = "east_south"
    """Games to learn from: East-South or East-only."""
    target: Target = RankingPoints()
    """What a game is worth at its end, and in which units."""
    hidden: int = Field(default=32, ge=1, le=1024)
    """Width of both layers of the GRU and of the first fully connected layer."""
    dropout: float = Field(default=0.1, ge=0, lt=1)
    """Share of the values dropped between the layers while training."""
    batch: int = Field(default=64, ge=1)
    """Games of a step, four sequences each."""
    learning_rate: float = Field(default=1e-3, gt=0)
    """Of AdamW; falls to 0 along half a cosine over `epochs`."""
    weight_decay: float = Field(default=0.01, ge=0)
    """Of AdamW."""
    epochs: int = Field(default=30, ge=1)
    """Passes over the training games, at most."""
    patience: int = Field(default=6, ge=1)
    """Passes without a lower validation loss after which training stops; the best pass's weights are kept."""
    bootstrap: int = Field(default=1000, ge=20)
    """Times that the test games are drawn anew for the intervals of the evaluation."""
    plotted_rounds: int = Field(default=10, ge=1)
    """The plot of a game shows the first test game with at least so many rounds."""
    generated: GeneratedGames = GeneratedGames()
    """What is learned from without logs."""
