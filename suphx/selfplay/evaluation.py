"""Measure the agent's strength: it and the run's start play the same deals against the same three opponents."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import torch
from pydantic import TypeAdapter, ValidationError

from simulator.files import write_json
from suphx.agent.interface import Agent, Follower
from suphx.agent.registry import load_agent
from suphx.checkpoint import purpose_of
from suphx.errors import InputError
from suphx.evaluation.arena import MatchTerms, load_agents
from suphx.evaluation.match import Means, play_match, settings
from suphx.evaluation.protocol import MatchPlan, one_against_three
from suphx.evaluation.statistics import difference, summary
from suphx.evaluation.tally import COLUMNS
from suphx.networks.precision import Precision
from suphx.selfplay.config import EvaluationConfig

RANK = "average_rank"
#: Name of an oracle in a plan.
_ORACLE = "oracle"


@dataclass(frozen=True)
class Strength:
    """The result of a measurement; intervals are 95 % confidence intervals."""

    games: int
    """Games of self-play that the agent had learned from."""
    average_rank: float
    """1 to 4; 2.5 is as good as the opponents."""
    interval: tuple[float, float]
    less_start: float
    """Average rank minus that of the weights that the run started from: below 0 is better."""
    less_start_interval: tuple[float, float]
    oracle_less_start: float | None = None
    """The same for an oracle that sees as much hidden information as in learning; None without an oracle."""
    oracle_less_start_interval: tuple[float, float] | None = None
    """None without an oracle."""

    @property
    def is_worse(self) -> bool:
        """Whether the agent is worse than the start: the whole interval is above 0."""
        return self.less_start_interval[0] > 0


_STRENGTH = TypeAdapter(Strength)


def write_strength(path: Path, strength: Strength) -> None:
    """Write a measurement to a file, as JSON."""
    write_json(path, asdict(strength))


def read_strength(path: Path) -> Strength | None:
    """Return the measurement in a file, or None if there is no file; raises InputError if it is not a measurement."""
    if not path.exists():
        return None
    try:
        return _STRENGTH.validate_json(path.read_bytes())
    except ValidationError as error:
        raise InputError(f"{path}: no measurement of ours: {error.errors()[0]['msg']}") from error


def check_opponent(config: EvaluationConfig | None) -> None:
    """Raise InputError if the opponent cannot be loaded: at the start of a run, not thousands of games later."""
    if config is None:
        return
    precision = Precision(torch.device("cpu"), torch.float32, 1, "plays nothing")
    try:
        agent = load_agent(config.opponent, precision=precision)
    except InputError as error:
        raise InputError(f"evaluation.opponent: {error}") from error
    if isinstance(agent, Follower):
        agent.close()


class StrengthEvaluation:
    """Plays the evaluation matches of a run; the start's is kept, and played once per opponent, seed and so on."""

    def __init__(self, config: EvaluationConfig, rules: str, start: str, folder: Path, precision: Precision) -> None:
        self._config, self._start, self._folder = config, start, folder
        self._terms = MatchTerms(
            config.seed, rules, None, str(precision.device), str(precision.dtype).removeprefix("torch.")
        )
        self._means = Means(threads=precision.threads)

    def measure(self, agent: Path, games: int, stop: Event, oracle: Agent | None = None) -> Strength | None:
        """Return the strength of the agent in a folder; None if the measurement was stopped.

        games: that the agent has learned from. oracle: measured as well, to see what hidden tiles are worth to it.
        """
        started = self._units(self._start, stop, keep=True)
        trained = None if started is None else self._units(str(agent), stop)
        if started is None or trained is None:
            return None
        alone, together = summary(trained), difference(trained, started)
        numbers = (alone[RANK]["value"], _ends(alone), together[RANK]["value"], _ends(together))
        if oracle is None:
            return Strength(games, *numbers)
        seeing = self._units(_ORACLE, stop, loaded=oracle)
        if seeing is None:
            return None
        gain = difference(seeing, started)
        return Strength(games, *numbers, gain[RANK]["value"], _ends(gain))

    def _units(self, agent: str, stop: Event, keep: bool = False, loaded: Agent | None = None) -> np.ndarray | None:
        def load(plan: MatchPlan, terms: MatchTerms) -> list[Agent]:
            if loaded is None:
                return load_agents(plan, terms)
            return [loaded, *load_agents(replace(plan, agents=plan.agents[1:]), terms)]

        plan = one_against_three([agent], [self._config.opponent])
        folder = None
        if keep:  # the start's match, named by its settings, which may change between measurements
            folder = self._folder / f"start-{purpose_of(settings(plan, self._terms), COLUMNS)[:8]}"
        outcome = play_match(plan, self._terms, self._config.deals, self._means, folder, load=load, stop=stop)
        return None if outcome.interrupted else outcome.results.units(0)


def _ends(measures: dict[str, Any]) -> tuple[float, float]:
    low, high = measures[RANK]["interval"]
    return low, high
