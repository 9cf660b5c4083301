"""Self-play in one file: a small network learns which tile to discard, from nothing but the points of each round.

It is the loop of `suphx train`, without its processes, checkpoints and options, to be read from top to bottom:
settings, play, a learning step, a measurement, and the loop around them. The table, the planes, the decision flow and
the learner's functions are the real ones.

    python examples/one_file.py --seconds 600
"""

import argparse
import time
from dataclasses import dataclass, field

import numpy as np
import torch

from simulator import Rules, Tables
from simulator.record import SEATS
from simulator.tables import Ended
from suphx import Agent, load_agent
from suphx.agent.flow import Flow, PlaneEncoder, Sampling
from suphx.learning.advantages import Advantages, raw_advantages
from suphx.learning.algorithms import policy_gradient
from suphx.learning.config import EntropyConfig, LearningConfig
from suphx.learning.distributions import entropy, log_probabilities, log_weights
from suphx.learning.experience import TRAJECTORY, Batch, microbatches
from suphx.learning.model_learner import EntropyController
from suphx.learning.optimizer import Optimizer
from suphx.learning.peers import Peers
from suphx.networks.inference import Evaluator
from suphx.networks.models import MODEL_PLANES, MODELS, NO, OUTPUTS, YES
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision, choose_precision
from suphx.networks.sizes import NetworkSize
from suphx.selfplay.collect import PendingExperience

MODEL = "discard"


@dataclass(frozen=True)
class Settings:
    """What the training depends on."""

    seed: int = 0
    """Random seed of the weights, the walls, the sampled discards and the minibatches."""
    rules: Rules = field(default_factory=Rules.tenhou_east)
    size: NetworkSize = field(default_factory=lambda: NetworkSize(filters=32, blocks=1))
    tables: int = 128
    """Games side by side."""
    decisions: int = 8192
    """Decisions of finished rounds that the network learns from before it plays with its new weights."""
    unit: float = 3000
    """Points that count as a reward of 1."""
    learning: LearningConfig = field(
        default_factory=lambda: LearningConfig(
            batch=1024, learning_rate=1e-3, max_importance_weight=3.0, entropy=EntropyConfig(start=0.03, share=0.7)
        )
    )
    """The learner's settings, as under `learning` in a configuration of `suphx train`."""
    measured_games: int = 64
    """Games of each measurement."""


def player_of(network: PolicyNetwork, precision: Precision, sampling: Sampling) -> Flow:
    """Return an agent that discards by a copy of the network, always declares riichi, and makes no calls.

    Wins are taken by rule. sampling: how it chooses discards.
    """

    def always(answer: int) -> np.ndarray:
        return np.eye(2, dtype=np.float32)[answer]

    networks = {model: lambda planes: np.tile(always(NO), (len(planes), 1)) for model in MODELS}
    networks["riichi"] = lambda planes: np.tile(always(YES), (len(planes), 1))
    networks[MODEL] = Evaluator(network, precision).logits
    return Flow(networks, PlaneEncoder(), Sampling(), {MODEL: sampling}, "one file")


def points_of(ended: Ended) -> np.ndarray:
    """Return f64[n, 4]: the points that each seat gained in the rounds that ended; they add up to zero."""
    gained = ended.results["scores"].astype(np.float64) - ended.records["start_scores"]
    return gained - gained.mean(axis=1, keepdims=True)


class Actor:
    """Plays games against itself, and collects what the network decided with the rewards of the rounds."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.tables = Tables(settings.tables, settings.rules, settings.seed)
        self.pending = PendingExperience(MODEL_PLANES[MODEL], OUTPUTS[MODEL], 0)  # of rounds that are still played
        self.steps = np.zeros(settings.tables, np.uint16)  # of the network at each table, in the round so far
        self.games = 0

    def play(self, player: Flow) -> list[Batch]:
        """Play until rounds with enough decisions have ended; return one batch for each time that rounds ended."""
        batches: list[Batch] = []
        while sum(len(batch.experience[MODEL]) for batch in batches) < self.settings.decisions:
            decisions = self.tables.decisions()
            choice = player.act(self.tables.games, decisions)
            for output in choice.outputs:
                if output.model == MODEL:
                    table, seat = decisions.game[output.decision], decisions.seat[output.decision]
                    columns = {name: getattr(output, name) for name in ("planes", "legal", "action", "log_probability")}
                    self.pending.add(table.astype(np.int64) * SEATS + seat, columns | {"step": self.steps[table]})
                    self.steps[table] += 1  # one seat at a table discards at a time
            ended = self.tables.step(choice.actions)
            if len(ended):
                batches.append(self.finish(ended))
        return batches

    def finish(self, ended: Ended) -> Batch:
        """Return the rounds that ended: four trajectories each, one per seat, and the decisions in them."""
        n, seats = len(ended), np.arange(SEATS)
        trajectories = np.zeros((n, SEATS), TRAJECTORY)
        trajectories["game"], trajectories["seat"] = ended.records["number"][:, None], seats
        rewards = points_of(ended) / self.settings.unit
        trajectories["rewards"] = rewards[:, (seats[:, None] + seats) % SEATS]  # each seat's own first
        number = np.full((len(self.tables), SEATS), -1)  # of each seat's trajectory
        number[ended.game] = np.arange(n * SEATS).reshape(n, SEATS)
        experience = self.pending.take(number.reshape(-1))
        self.steps[ended.game] = 0
        self.games += int(ended.finished.sum())
        return Batch(trajectories.reshape(-1), {MODEL: experience}).fill()


class OneFileLearner:
    """Steps of the network: importance-weighted policy gradient, with its entropy held at a target."""

    def __init__(self, network: PolicyNetwork, config: LearningConfig, precision: Precision, seed: int) -> None:
        self.network, self.config, self.precision = network, config, precision
        self.optimizer = Optimizer(
            network, config.learning_rate, config.weight_decay, muon=False, max_grad_norm=config.max_grad_norm
        )
        self.entropy = EntropyController(config.entropy, config.recent_steps)
        self.advantages = Advantages(config)
        self.generator = np.random.default_rng(seed)

    def learn(self, batches: list[Batch]) -> dict[str, float]:
        """Learn once from every decision, in minibatches in random order; return mean metrics of the steps."""
        parts = []
        for batch in batches:
            rows = batch.experience[MODEL]
            rows["advantage"] = self.advantages.of(batch, raw_advantages(self.config, batch))[MODEL]
            parts.append(rows)
        rows = self.generator.permutation(np.concatenate(parts))
        size = self.config.batch
        metrics = [self.step(rows[first : first + size]) for first in range(0, len(rows) - size + 1, size)]
        return {name: float(np.mean([each[name] for each in metrics])) for name in metrics[0]}

    def step(self, minibatch: np.ndarray) -> dict[str, float]:
        """Take one step on decisions with advantages; return metrics of it."""
        metrics = {"entropy": 0.0, "kl": 0.0, "accepted": 0.0}
        for part in microbatches(len(minibatch), self.precision):
            rows = minibatch[part]
            action = torch.from_numpy(rows["action"].astype(np.int64))[:, None].to(self.precision.device)
            behavior, advantage, legal = (
                torch.from_numpy(rows[name].copy()).to(self.precision.device)
                for name in ("log_probability", "advantage", "legal")
            )
            log_policy = log_probabilities(self.network.of_packed(rows["planes"].copy(), self.precision), legal)
            log_probability = log_policy.gather(1, action).squeeze(1)
            objective = policy_gradient(log_probability, behavior, advantage, self.config)
            policy_entropy = entropy(log_policy)
            gain = objective.gain + self.entropy.coefficient * policy_entropy
            (-gain[objective.accepted].sum()).backward()
            log_weight = log_weights(log_probability.detach(), behavior)
            metrics["entropy"] += float(policy_entropy.detach().sum()) / len(minibatch)
            metrics["kl"] += float((log_weight.exp() - 1 - log_weight).sum()) / len(minibatch)
            metrics["accepted"] += float(objective.accepted.sum())
        self.optimizer.divide_gradients(max(metrics["accepted"], 1), Peers())
        self.optimizer.step()
        self.entropy.update(metrics["entropy"])
        return metrics


def measure(player: Agent, opponent: Agent, settings: Settings) -> tuple[float, float]:
    """Return the mean points per round of the player against three copies of an opponent, and its standard error.

    The deals are the same in every measurement, and are not learned from.
    """
    games = settings.measured_games
    tables = Tables(games, settings.rules, settings.seed + 1_000_003, restart=False)
    seat = np.arange(games) % SEATS  # of the player
    points: list[float] = []
    while len(decisions := tables.decisions()):
        mine = decisions.seat == seat[decisions.game]
        actions = (agent.act(tables.games, decisions).actions for agent in (player, opponent))
        ended = tables.step(np.where(mine, *actions))
        points += points_of(ended)[np.arange(len(ended)), seat[ended.game]].tolist()
    return float(np.mean(points)), float(np.std(points) / len(points) ** 0.5)


def train(settings: Settings, seconds: float) -> tuple[float, float]:
    """Train for a time, and print progress; return the mean points per round before and after."""
    torch.manual_seed(settings.seed)
    precision = choose_precision(None, None, None)
    network = PolicyNetwork(MODEL, settings.size).to(precision.device)
    actor = Actor(settings)
    learner = OneFileLearner(network, settings.learning, precision, settings.seed)
    opponent, likeliest = load_agent("tsumogiri"), Sampling()
    before, error = measure(player_of(network, precision, likeliest), opponent, settings)
    print(f"before: {before:+.0f} +- {error:.0f} points per round against three tsumogiri")
    started, decisions, version = time.monotonic(), 0, 0
    while (elapsed := time.monotonic() - started) < seconds:
        batches = actor.play(player_of(network, precision, Sampling(1.0, settings.seed)))
        metrics = learner.learn(batches)
        version, decisions = version + 1, decisions + sum(len(batch.experience[MODEL]) for batch in batches)
        elapsed = time.monotonic() - started
        print(
            f"{elapsed:5.0f} s  version {version}  {actor.games} games  {decisions / elapsed:,.0f} decisions/s  "
            f"entropy {metrics['entropy']:.3f}  alpha {learner.entropy.coefficient:.4f}  KL {metrics['kl']:.4f}",
            flush=True,
        )
    after, error = measure(player_of(network, precision, likeliest), opponent, settings)
    print(f"after: {after:+.0f} +- {error:.0f} points per round against three tsumogiri")
    return before, after


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600, help="time to train; by default 600")
    parser.add_argument("--seed", type=int, default=0, help="random seed; by default 0")
    arguments = parser.parse_args()
    train(Settings(seed=arguments.seed), arguments.seconds)


if __name__ == "__main__":
    main()
