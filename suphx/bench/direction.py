"""Estimate what an agent gains over a training's start, from games of the start alone: faster than by a match.

To first order, a policy pi gains over pi_0 the mean, over games of pi_0, of the sum over questions of
(pi / pi_0 - 1) x the reward of the question's round. No critic is involved, and so no critic's error. How different
answers change later questions is left out, so the estimate is valid near the start; the distance is reported with it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from simulator.record import SEATS
from simulator.rules import Rules
from suphx.agent.named_networks import weights_folder
from suphx.bench.effects import Effect, Effects
from suphx.intervals import half_width
from suphx.learning.experience import Batch, join, with_hidden
from suphx.learning.policy_gradient import legal_answers, log_probabilities, terms_of
from suphx.networks.inference import Evaluator
from suphx.networks.models import MODEL_PLANES
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.networks.weights import load_agent_network, load_network
from suphx.reward.kinds import TableRewards
from suphx.selfplay.collect import Collector
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.folder import ORACLE_FOLDER
from suphx.selfplay.policy import Policy
from suphx.selfplay.seating import FourLearners
from suphx.selfplay.sources import load_start

#: Games side by side; those begun beyond the wanted number are played in vain.
_SIDE_BY_SIDE = 256
#: Questions that are evaluated together.
_AT_ONCE = 4096
#: The model whose answers are compared with the start's, and the interval between compared questions.
_DISCARD, _EVERY = "discard", 16


@dataclass(frozen=True)
class Direction:
    """The estimated gain of one agent over the start."""

    agent: str
    worth: float
    """Gain of a seat per game, to first order, in the reward's units."""
    interval: tuple[float, float]
    """95 % confidence interval, over games."""
    distance: float
    """KL(start, agent) in nats, the mean over questions to the learning models."""
    effects: list[Effect]
    """Planes that best explain how its discards differ from the start's, strongest first, as many as requested."""


@dataclass(frozen=True)
class Directions:
    """The estimated gains of several agents, from the same games."""

    start: str
    games: int
    rounds: int
    questions: int
    seed: int
    units: str
    agents: list[Direction]


def directions(
    config: TrainConfig,
    agents: Sequence[str],
    games: int,
    seed: int,
    precision: Precision,
    watch: Callable[[int], None],
    effects: int = 0,
    side_by_side: int = _SIDE_BY_SIDE,
) -> Directions:
    """Play games with a training's start in all four seats, and return the agents' estimated gains over it.

    config: the training, of which start, `learning.start_temperature`, rules, reward and models are used. agents:
    folders of weights, `sl`, or a training's folder `oracle`. seed: random seed of the games. watch: called with the
    number of finished games. effects: number of planes to return for each agent. The games are the same for any
    `side_by_side`. Raises InputError for weights that cannot be used.
    """
    models, rules = config.learning.models, Rules.preset(config.rules)
    networks = load_start(config)
    start = Evaluator(networks[_DISCARD], precision, batch_invariant=True) if effects and _DISCARD in models else None
    tallies = [_Tally(agent, models, games, precision, start) for agent in agents]
    slots = min(games, side_by_side)
    rewards = config.reward.load(rules)
    hidden = any(tally.sees_hidden for tally in tallies)
    collector = Collector(FourLearners(), rules, TableRewards(rewards, slots), slots, seed, models, hidden=hidden)
    collector.set_policy(0, Policy(0, networks, precision, seed, learning=models))
    over, rounds, questions = 0, 0, 0
    held: list[Batch] = []
    while over < games:
        finished = collector.step()
        if finished is None:
            continue
        counted = finished[0].paths[finished[0].paths["game"] < games]
        over, rounds = over + int(counted["last"].sum()) // SEATS, rounds + len(counted) // SEATS
        held.append(finished[0])
        if over == games or _questions(held) >= _AT_ONCE:
            batch, held = join(held), []
            for learning, asked in batch.experience.items():
                kept = asked[batch.paths["game"][asked["path"]] < games]
                questions += len(kept)
                for tally in tallies:
                    tally.add(learning, kept, batch.paths)
            watch(over)
    units = rewards.unit
    return Directions(
        config.start,
        games,
        rounds,
        questions,
        seed,
        rewards.units,
        [tally.direction(units, effects) for tally in tallies],
    )


def _questions(batches: Sequence[Batch]) -> int:
    return sum(len(asked) for batch in batches for asked in batch.experience.values())


class _Tally:
    """Accumulates what one agent would have gained in each game."""

    def __init__(
        self, agent: str, models: Sequence[str], games: int, precision: Precision, start: Evaluator | None
    ) -> None:
        """start: network whose discards the agent's are compared with; None for no comparison."""
        self._agent, self._start = agent, start
        self._evaluators = {model: Evaluator(_load(agent, model), precision, batch_invariant=True) for model in models}
        self.sees_hidden = any(each.planes > MODEL_PLANES[model] for model, each in self._evaluators.items())
        self._gains = np.zeros(games)
        self._distance, self._questions, self._effects = 0.0, 0, Effects(self.sees_hidden)

    def add(self, model: str, asked: np.ndarray, paths: np.ndarray) -> None:
        """Add questions to a model; paths: PATH[m] of their batch."""
        if not len(asked):
            return
        log_policy = _log_policy(self._evaluators[model], asked)
        if self._start is not None and model == _DISCARD:
            some = asked[::_EVERY]
            planes = np.concatenate([some["planes"], some["hidden"]], axis=1) if self.sees_hidden else some["planes"]
            self._effects.add(planes, _log_policy(self._start, some), log_policy[::_EVERY])
        answer, played = (
            torch.from_numpy(asked["answer"].astype(np.int64)),
            torch.from_numpy(asked["log_probability"].copy()),
        )
        reward = torch.from_numpy(paths["reward"][asked["path"]])
        terms = terms_of(log_policy, answer, played, reward, max_importance_weight=np.inf)
        np.add.at(self._gains, paths["game"][asked["path"]].astype(np.int64), (terms.gain - reward).numpy())
        self._distance += float(terms.behaviour_kl.sum())
        self._questions += len(asked)

    def direction(self, unit: float, effects: int) -> Direction:
        """Return the result; unit: what counts as a reward of 1. effects: number of planes to return."""
        gains = self._gains / SEATS * unit
        worth, half = float(gains.mean()), half_width(gains)
        distance = self._distance / max(self._questions, 1)
        return Direction(self._agent, worth, (worth - half, worth + half), distance, self._effects.strongest(effects))


def _load(agent: str, model: str) -> PolicyNetwork:
    folder = weights_folder(agent)
    if Path(agent).name == ORACLE_FOLDER:
        return load_network(folder / f"{model}.safetensors", model)
    return load_agent_network(folder, model)


def _log_policy(network: Evaluator, asked: np.ndarray) -> torch.Tensor:
    """Return a network's log-probabilities f32[n, answers]; it is shown what is hidden if it can see it."""
    logits = torch.from_numpy(network.logits(with_hidden(asked["planes"], asked["hidden"], network.planes)))
    return log_probabilities(logits, torch.from_numpy(legal_answers(asked["legal"], logits.shape[1])))
