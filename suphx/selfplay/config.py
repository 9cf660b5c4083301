"""Configuration of `suphx train`: every field with its meaning, and defaults that suit a laptop; who sits where."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from simulator.record import SEATS
from simulator.rules import PRESETS
from suphx.config import Config
from suphx.features.layout import ORACLE_VERSION, VERSION
from suphx.learning.config import LearningConfig, OracleConfig
from suphx.reward.kinds import AnyReward, default_reward

#: Number of the learning policy among the players; opponents are numbered from 1 on.
LEARNER = 0
#: Groups of a simulator's tables, where engines compute: while one waits, another plays.
GROUPS = 2
#: Most batches of each group that no server has taken in yet, and the decisions after which one is sent.
IN_FLIGHT, SENT_DECISIONS = 2, 1024


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


class RoleConfig(Config):
    """The processes of one role."""

    count: int = Field(default=1, ge=1)
    """Number of processes."""
    cpus: float = Field(default=1.0, ge=0)
    """Cores that each process claims. On a small machine all roles share the cores, so each claims part of one."""
    gpus: float = Field(default=0.0, ge=0)
    """GPUs that each process claims; with a fraction, several processes share one GPU."""
    threads: int = Field(default=1, ge=1)
    """Threads that each process computes with on a CPU."""


class EnginesConfig(RoleConfig):
    """The inference engines."""

    count: int = Field(default=0, ge=0)
    """Number of processes; 0: every simulator computes its networks itself, which is faster without a GPU."""


class RolesConfig(Config):
    """The processes of a distributed training."""

    renamed: ClassVar[dict[str, str]] = {"buffers": "servers", "monitor": "monitor_threads"}
    simulators: RoleConfig = Field(default_factory=lambda: RoleConfig(cpus=0.5))
    """Simulators play `side_by_side` games each; with engines in two groups: while one waits, the other plays."""
    engines: EnginesConfig = Field(default_factory=lambda: EnginesConfig(cpus=0.5))
    """Inference engines compute the answers of the networks at the tables, for machines with GPUs."""
    servers: RoleConfig = Field(default_factory=lambda: RoleConfig(cpus=0.5))
    """The parameter server learns. Each of its processes keeps experience, up to `learning.replay.bytes` of memory, for
    its share of every minibatch; they add up their gradients."""
    monitor_threads: int = Field(default=1, ge=1)
    """Threads with which the process that starts the run measures the agent."""
    ahead: int = Field(default=3, ge=1)
    """Minibatches of every model that the servers hold together before simulators must wait. This keeps experience
    fresh if learning is slower than play."""
    start_seconds: float = Field(default=300, gt=0)
    """Seconds that roles have to start; after that, the run ends with an error that names those missing."""
    restarts: int = Field(default=20, ge=-1)
    """How often each process may die and be restarted before the run ends; -1: any number of times."""
    object_store_gib: float = Field(default=1.0, gt=0)
    """Memory of Ray's object store, if Ray is started on this machine."""

    @model_validator(mode="after")
    def _fits(self) -> RolesConfig:
        if self.simulators.gpus:
            raise ValueError("simulators.gpus: this role does not compute on a GPU")
        if self.simulators.threads > 1:
            raise ValueError("simulators.threads: this role uses one thread; use more processes")
        if self.engines.gpus and not self.engines.count:
            raise ValueError("engines.gpus: engines.count is 0, so that simulators compute, on CPUs")
        return self

    @property
    def groups(self) -> int:
        """Groups of a simulator's tables."""
        return GROUPS if self.engines.count else 1


class TrainConfig(Config):
    """A training run by self-play."""

    name: str = Field(default="laptop", pattern=r"^[\w-][\w.-]*$")
    """Name of the run and of its agent."""
    seed: int = Field(default=0, ge=0)
    """Random seed of the walls, of the actions sampled in play, and of what is drawn from the replay buffer."""
    start: str = "tuned"
    """Weights that all five networks start from: `tuned`, `sl`, or a folder. Larger ones play fewer games."""
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
            batch, servers = self.learning.batch_for(model), self.roles.servers.count
            if batch // servers < (self.learning.critic.steps if self.learning.has_critic else 1):
                raise ValueError(
                    f"learning: a batch of {batch} decisions of {model} is too small for {servers} servers, which "
                    "share it, and the critic's steps"
                )
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
        if not learning["start_temperature_of"]:
            learning.pop("start_temperature_of")  # as before there was one
        if learning["reference"] and not learning["reference"]["renew"]:
            learning["reference"].pop("renew")  # as before there was one
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
