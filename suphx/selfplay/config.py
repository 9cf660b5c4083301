"""Configuration of `suphx train`: every field with its meaning, and defaults that suit a laptop; who sits where."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from simulator.record import SEATS
from simulator.rules import PRESETS
from suphx.agent import DEFAULT_AGENT
from suphx.config import Config
from suphx.features.layout import ORACLE_VERSION, VERSION
from suphx.learning.config import LearningConfig, OracleConfig
from suphx.reward.kinds import AnyReward, default_reward
from suphx.selfplay.roles.resources import RolesConfig

#: Number of the learning policy among the players; opponents are numbered from 1 on.
LEARNER = 0


class FourLearners(Config):
    """The latest policy in all four seats, which all give data."""

    kind: Literal["selfplay"] = "selfplay"
    """Which table this is."""
    opponents: ClassVar[tuple[str, ...]] = ()
    learning_seats: ClassVar[int] = SEATS
    """How many of the four seats give data."""


class OneAgainstThree(Config):
    """The latest policy in one seat, which alone gives data, against three opponents; its seat changes every game."""

    kind: Literal["one-against-three"] = "one-against-three"
    """Which table this is."""
    opponents: tuple[str, ...] = Field(min_length=1)
    """Agents: `sl`, `sl-weak`, rule-based players, folders of weights. They take their likeliest actions. If there are
    several opponents, each game takes three in turn, starting with the next one after every four games."""
    learning_seats: ClassVar[int] = 1


TableConfig = Annotated[FourLearners | OneAgainstThree, Field(discriminator="kind")]


def seated(table: TableConfig, numbers: np.ndarray) -> np.ndarray:
    """Return i64[n, 4]: the player in each seat, LEARNER or an opponent's number, for games with numbers integer[n]."""
    game = numbers.astype(np.int64)
    players = np.full((len(game), SEATS), LEARNER)
    if isinstance(table, OneAgainstThree):
        others = np.arange(1, SEATS)
        seats = (game[:, None] + others) % SEATS  # seat `game % 4` is left to the learner
        which = (game[:, None] // SEATS + others - 1) % len(table.opponents)
        np.put_along_axis(players, seats, LEARNER + 1 + which, axis=1)
    return players


class EvaluationConfig(Config):
    """How often the agent is measured while it learns, and against whom.

    The agent and the weights that the run started from each play the same deals, from all four seats, against three
    copies of the opponent. All of them take their likeliest actions.
    """

    every: int = Field(default=10_000, ge=1)
    """Games of self-play between measurements."""
    deals: int = Field(default=250, ge=2)
    """Deals of each measurement, four hanchan each."""
    opponent: str = "sl-weak"
    """Who sits in the other three seats: `sl-weak`, `sl`, a rule-based player or a folder of weights."""
    seed: int = Field(default=1_000_003, ge=0)
    """Random seed of the deals, which are the same in each measurement and are never learned from."""


class TrainConfig(Config):
    """A training run by self-play."""

    name: str = Field(default="laptop", pattern=r"^[\w-][\w.-]*$")
    """Name of the run and of its agent."""
    seed: int = Field(default=0, ge=0)
    """Random seed of the walls, of the actions sampled in play, and of what is drawn from the replay buffer."""
    start: str = DEFAULT_AGENT
    """Weights that all five networks start from: `tuned`, `sl`, or a folder."""
    rules: str = "tenhou"
    """Preset of rules: tenhou, tenhou_east, mahjong_soul or m_league."""
    reward: AnyReward = Field(default_factory=default_reward)
    """What a round is worth: `{kind: round}` (RL-basic), `{kind: phi}` (RL-1), or a kind of your own."""
    table: TableConfig = Field(default_factory=FourLearners)
    """Who plays: `{kind: selfplay}`, or `{kind: one-against-three, opponents: [sl]}`."""
    games: int = Field(default=50_000, ge=1)
    """Total number of self-play games."""
    side_by_side: int = Field(default=512, ge=1)
    """Games that each simulator plays side by side. More games are faster, up to about 1,000, but take memory (0.2 MB
    each for every model that learns) and make experience older."""
    learning: LearningConfig = Field(default_factory=LearningConfig)
    """What is learned from the games, and how."""
    publish_steps: int = Field(default=8, ge=1)
    """Learning steps, over all models together, after which the new weights are used for play, as a new version."""
    checkpoint_seconds: float = Field(default=300, ge=0)
    """Seconds between checkpoints, which are written between two versions; 0 writes one at each version."""
    evaluation: EvaluationConfig | None = Field(default_factory=EvaluationConfig)
    """How the agent is measured while it learns; null: not at all."""
    sample_games: int = Field(default=1_000, ge=0)
    """One game in this many is kept as a log (mjlog); 0 keeps none."""
    roles: RolesConfig = Field(default_factory=RolesConfig)
    """The processes of a distributed training, and what each may use; not used with `--local`."""

    @model_validator(mode="after")
    def _fits(self) -> TrainConfig:
        if self.rules not in PRESETS:
            raise ValueError(f"rules: no preset {self.rules!r}; there are {', '.join(PRESETS)}")
        if self.evaluation is not None and self.evaluation.seed == self.seed:
            raise ValueError("evaluation.seed: the deals of `seed` are learned from; measure on other deals")
        for model in self.learning.models:
            batch, servers, buffers = self.learning.batch_for(model), self.roles.servers.count, self.roles.buffers.count
            small = f"learning: a batch of {batch} decisions of {model} is too small for"
            if batch // servers < (self.learning.critic.steps if self.learning.has_critic else 1):
                raise ValueError(f"{small} {servers} servers, which share it, and the critic's steps")
            if batch < buffers:
                raise ValueError(f"{small} {buffers} buffers, each of which gives some of them")
        return self

    @property
    def hidden_planes(self) -> dict[str, bool]:
        """Which hidden planes a decision's row has: `oracle`, those that a learning oracle is shown; `hidden`, all."""
        return {"oracle": self.learning.oracle is not None, "hidden": self.learning.has_critic}

    def purpose(self) -> dict[str, object]:
        """Return the settings that decide the course of a training: a checkpoint fits only a training with the same.

        They have the names and the order of earlier versions, whose checkpoints therefore fit.
        """
        settings = self.model_dump(
            exclude={"name", "games", "checkpoint_seconds", "evaluation", "sample_games", "roles"}
        )
        learning = settings["learning"]
        learning.pop("collapse")  # only decides when the training ends
        algorithm = {name: learning.pop(name) for name in ("algorithm", "clip")}
        if learning["oracle"]:
            learning["oracle"] = _former(learning["oracle"], OracleConfig)
        settings["learning"] = _former(learning, LearningConfig, reference="teacher")
        if settings["table"]["kind"] == "one-against-three":
            settings["table"]["earlier"] = None
        layouts = [VERSION, ORACLE_VERSION] if any(self.hidden_planes.values()) else [VERSION]
        other = {} if algorithm["algorithm"] == "policy_gradient" else algorithm
        return _former(settings, TrainConfig, start="teacher") | {"layouts": layouts} | other


def _former(settings: dict[str, Any], config: type[Config], **removed: str) -> dict[str, Any]:
    """Return settings under the names that earlier versions gave them; removed: a field that followed another one."""
    names = {new: old for old, new in config.renamed.items()}
    former: dict[str, Any] = {}
    for name, value in settings.items():
        former[names.get(name, name)] = value
        if name in removed:
            former[removed[name]] = None
    return former
