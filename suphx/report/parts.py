"""Data models of what the steps of the main job leave in the folder of a run, as far as the report uses it."""

from __future__ import annotations

from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from suphx.networks.models import Model
from suphx.report.curves import Curves
from suphx.reward.run import Results as RewardResults
from suphx.selfplay.config import TrainConfig
from suphx.supervised.config import PretrainConfig

STEPS_NAME = "steps.tsv"
PRETRAIN_FOLDER, REWARD_FOLDER, TRAIN_FOLDER, EVALUATE_FOLDER = "pretrain", "reward", "train", "evaluate"
#: The folder of each part of a run, and what the part is.
PARTS = {
    "supervised": (PRETRAIN_FOLDER, "supervised training"),
    "reward": (REWARD_FOLDER, "the reward predictor"),
    "selfplay": (TRAIN_FOLDER, "self-play"),
    "evaluation": (EVALUATE_FOLDER, "the measurement before and after"),
}
RESULT_NAME = "result.json"


class Part(BaseModel):
    """Base class of the models; it ignores other fields, as files contain more than the report uses."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Step(Part):
    """One call of a command: a line of `steps.tsv`, with these fields in this order, separated by tabs."""

    name: str
    seconds: float = Field(ge=0)
    status: int
    """Exit status of the command; 0 is success."""
    command: str
    """The command, ready for a shell in the folder of the run; empty for steps that did not run there."""


class Accuracy(Part):
    """How often one of the five networks answers as the players did, on held-out games."""

    accuracy: float | None
    interval: tuple[float, float] | None
    pairs: int
    """Number of test pairs."""
    games: int
    commoner_answer: float | None = None
    """Accuracy of always giving the most common answer."""
    training_pairs: int | None = None
    """Number of distinct pairs in the training games."""


class Supervised(Part):
    """Results of `suphx pretrain`."""

    data: str
    """Description of the games learned from."""
    config: PretrainConfig
    models: dict[Model, Accuracy]
    validation: dict[Model, Curves]
    """By model: curves over pairs."""


class Number(Part):
    """A measured number with its 95 % interval; None on division by zero."""

    value: float | None
    interval: tuple[float | None, float | None]


class Gap(Number):
    """A difference of two agents on the same deals."""

    smallest_difference: float | None
    """A true difference of this size would be detected in four such runs out of five."""


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


#: Names of the measures.
MEASURE_NAMES = tuple(Measured.model_fields)


class Player(Measured[Number]):
    """The measures of one agent."""

    games: int
    deals: int


class Difference(Measured[Gap]):
    """The measures of one agent minus those of another."""

    agent: str
    against: str
    deals: int


class Evaluation(Part):
    """Results of `suphx evaluate`."""

    field: list[str]
    rules: str
    seed: int
    games: int
    """Number of games of all challengers together."""
    deals: int
    interrupted: bool
    agents: dict[str, Player]
    differences: list[Difference]

    @model_validator(mode="after")
    def _differences_of_agents(self) -> Evaluation:
        for each in self.differences:
            if not {each.agent, each.against} <= self.agents.keys():
                raise ValueError(f"differences: {each.agent} and {each.against} are not both among the agents")
        return self


class Measurement(Part):
    """A measurement of the agent's strength during self-play."""

    games: int
    """Games of self-play up to the measurement."""
    average_rank: Number
    less_start: Number
    """Its average rank minus that of the weights it started from, on the same deals."""


class SelfPlay(Part):
    """Results of `suphx train`."""

    config: TrainConfig
    games: int
    """Games that the agent was trained on."""
    curves: Curves
    """Curves over games."""
    measurements: list[Measurement]


class Run(Part):
    """All parts of a run that were found."""

    folder: Path
    steps: list[Step]
    supervised: Supervised | None
    reward: RewardResults | None
    selfplay: SelfPlay | None
    evaluation: Evaluation | None

    @property
    def missing(self) -> list[str]:
        """Names of the missing parts."""
        return [name for name in PARTS if getattr(self, name) is None]
