"""What the steps of the main job leave in the folder of a run, as far as the report tells of it."""

from __future__ import annotations

from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from suphx.report.curves import Curves
from suphx.reward.run import Results as RewardResults
from suphx.selfplay.config import TrainConfig
from suphx.supervised.config import Model, PretrainConfig

STEPS_NAME = "steps.tsv"
PRETRAIN_FOLDER, REWARD_FOLDER, TRAIN_FOLDER, EVALUATE_FOLDER = "pretrain", "reward", "train", "evaluate"
#: The folder of each part of a run.
PARTS = {
    "supervised": PRETRAIN_FOLDER,
    "reward": REWARD_FOLDER,
    "selfplay": TRAIN_FOLDER,
    "evaluation": EVALUATE_FOLDER,
}
RESULT_NAME = "result.json"


class Part(BaseModel):
    """A file holds more than the report tells of."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Step(Part):
    """One call of a command: a line of `steps.tsv`, fields apart by tabs, in this order."""

    name: str
    seconds: float = Field(ge=0)
    status: int
    """Its exit status; 0 is success."""
    command: str
    """As it can be given to a shell again, in the folder of the run; empty for what was not done there."""


class Accuracy(Part):
    """How often one of the five networks answers as the players did, on games held out."""

    accuracy: float | None
    interval: tuple[float, float] | None
    pairs: int
    """It was asked about."""
    games: int
    commoner_answer: float | None = None
    """Accuracy of always giving the commonest answer."""
    training_pairs: int | None = None
    """Different ones in the training games."""


class Supervised(Part):
    """What `suphx pretrain` came to."""

    data: str
    """Words for the games learned from."""
    config: PretrainConfig
    models: dict[Model, Accuracy]
    validation: dict[Model, Curves]
    """By model: curves over pairs."""


class Number(Part):
    """A measured number with its 95 % interval; None where it would divide by zero."""

    value: float | None
    interval: tuple[float | None, float | None]


class Gap(Number):
    """A difference of two agents on the same deals."""

    smallest_difference: float | None
    """A true difference of this size would be told from none in four such runs out of five."""


N = TypeVar("N", bound=Number)


class Measured(Part, Generic[N]):
    """The measures that the report shows, in the order of its table; `suphx.evaluation.measures` defines them."""

    average_rank: N
    stable_rank_expert: N
    stable_rank_phoenix: N
    first: N
    second: N
    third: N
    fourth: N
    win_rate: N
    deal_in_rate: N


#: Their names.
MEASURE_NAMES = tuple(Measured.model_fields)


class Player(Measured[Number]):
    """An agent at the table."""

    games: int
    deals: int


class Difference(Measured[Gap]):
    """One agent less another."""

    agent: str
    against: str
    deals: int


class Evaluation(Part):
    """What `suphx evaluate` came to."""

    field: list[str]
    rules: str
    seed: int
    games: int
    """Of all challengers together."""
    deals: int
    interrupted: bool
    agents: dict[str, Player]
    differences: list[Difference]

    @model_validator(mode="after")
    def _differences_of_agents(self) -> Evaluation:
        for each in self.differences:
            if not {each.agent, each.against} <= self.agents.keys():
                raise ValueError(f"differences: of {each.agent} and {each.against}, which are not among the agents")
        return self


class Measurement(Part):
    """How strong the agent was during self-play."""

    games: int
    """Behind it."""
    average_rank: Number
    less_start: Number
    """Its average rank less that of the weights it started from, on the same deals."""


class SelfPlay(Part):
    """What `suphx train` came to."""

    config: TrainConfig
    games: int
    """Behind the agent."""
    curves: Curves
    """Over games."""
    measurements: list[Measurement]


class Run(Part):
    """All that is there of a run."""

    folder: Path
    steps: list[Step]
    supervised: Supervised | None
    reward: RewardResults | None
    selfplay: SelfPlay | None
    evaluation: Evaluation | None

    @property
    def missing(self) -> list[str]:
        """Names of the parts that are not there."""
        return [name for name in PARTS if getattr(self, name) is None]
