"""DeepFool's training: learn the rule agent first, then improve by straight sampling and by MCCFR."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from pydantic import Field

from suphx.config import Config
from suphx.equilibrium.poker.holdem import OVER, checked_stacks
from suphx.equilibrium.poker.match import act_all, deal_hands
from suphx.equilibrium.poker.mccfr import explore, improved
from suphx.equilibrium.poker.players import rule_player
from suphx.equilibrium.poker.policy_net import PokerPolicyNetwork, divergence, load_policy, save_policy, tensors
from suphx.errors import InputError

_RULE_HANDS = 1000  # of the rule agent, of a part of its phase


class DeepFoolConfig(Config):
    """The table and the training."""

    seed: int = Field(0, ge=0)
    """Random seed of the weights, the deals and the play."""
    seats: int = Field(6, ge=2, le=6)
    """Players at the table."""
    stack: int = Field(500, ge=2, le=1_000_000)
    """Chips of each seat; blinds are 1 and 2."""
    raises: int = Field(2, ge=1, le=6)
    """Bets and raises on each street at most."""
    pretraining: int = Field(300_000, ge=0)
    """Decisions of the rule agent to learn from, before anything else."""
    straight: int = Field(10, ge=0)
    """Iterations with straight sampling: the others act at random."""
    iterations: int = Field(200, ge=0)
    """Iterations of MCCFR after these."""
    trees: int = Field(1500, ge=1)
    """Trees of an iteration; the exploring seat goes round."""
    floor: float = Field(0.1, gt=0, le=1)
    """Least probability that a seat explores a decision, however rarely its own actions lead there; 1 explores all."""
    runouts: int = Field(20, ge=1, le=1000)
    """Boards over which an all-in before the river is averaged."""
    step: float = Field(0.003, gt=0)
    """By how much of itself a regret of one big blind changes an action's probability."""
    batch: int = Field(512, ge=1)
    """Decisions per step of Adam."""
    learning_rate: float = Field(0.001, gt=0, le=1)
    """Of Adam; falls to nothing, in a straight line, over the iterations of MCCFR."""


class PhaseReport(NamedTuple):
    """What a part of a phase did."""

    divergence: float
    """KL of what was to be learned from the network, before it was learned."""
    nodes: int
    """Nodes explored, or decisions of the rule agent."""


def rule_decisions(config: DeepFoolConfig, hands: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return decisions HAND[n] of the rule agent against itself, and its probabilities f32[n, 6]."""
    random = np.random.default_rng([config.seed, 0, seed])
    stacks = checked_stacks([config.stack] * config.seats)
    seeds = random.integers(1 << 62, size=hands).astype(np.uint64)
    going = deal_hands(stacks, np.arange(hands) % config.seats, config.raises, seeds)
    seen, policies = list[np.ndarray](), list[np.ndarray]()
    while len(going := going[going["street"] != OVER]):
        policy = rule_player(going, int(random.integers(1 << 62)))
        seen.append(going.copy())
        policies.append(policy)
        act_all(going, policy, random.random(len(going)))
    return np.concatenate(seen), np.concatenate(policies)


def noise_floor(hands: np.ndarray, seed: int) -> float:
    """Return the KL that a perfect network would still have: the rule agent's chances to win are estimates.

    Two independent estimates diverge twice as much as one from its mean, to second order.
    """
    one, other = (torch.from_numpy(rule_player(hands, seed + k)) for k in range(2))
    return float(divergence(other.clamp(min=1e-30).log(), one)) / 2


class DeepFoolTraining:
    """A training in a folder; its weights carry how far it has come, and the same call goes on from there."""

    def __init__(self, config: DeepFoolConfig, folder: Path) -> None:
        """Open the folder; InputError if its weights are of another configuration, or no weights of ours."""
        self.config, self.path = config, folder / "policy.safetensors"
        folder.mkdir(parents=True, exist_ok=True)
        torch.manual_seed(config.seed)
        self.network, settings = PokerPolicyNetwork(), config.model_dump()
        self.totals = {"rule": config.pretraining, "straight": config.straight, "mccfr": config.iterations}
        self.done = dict.fromkeys(self.totals, 0)
        if self.path.exists():
            self.network, state = load_policy(self.path)
            if state.get("config") != settings:
                raise InputError(f"{self.path}: of another configuration; take another folder")
            self.done = {name: int(state["done"][name]) for name in self.done}
        self._optimizer = torch.optim.Adam(self.network.parameters(), config.learning_rate)

    def run(self, phase: str) -> Iterator[PhaseReport]:
        """Train on to the end of a phase: `rule`, `straight`, `mccfr`, in this order.

        Yields a report after each part, when the weights are written.
        """
        while self.done[phase] < self.totals[phase]:
            random = np.random.default_rng([self.config.seed, 1 + list(self.totals).index(phase), self.done[phase]])
            if phase == "rule":
                hands, policy = rule_decisions(self.config, _RULE_HANDS, self.done[phase])
                done = nodes = len(hands)
            else:
                hands, policy, nodes = self._explored(phase, random)
                done = 1
            divergence = self._learn(hands, policy, random)
            self.done[phase] = min(self.done[phase] + done, self.totals[phase])
            save_policy(self.path, self.network, {"config": self.config.model_dump(), "done": self.done})
            yield PhaseReport(divergence, nodes)

    def _explored(self, phase: str, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, int]:
        """Return decisions HAND[n] of an iteration of MCCFR, improved probabilities f32[n, 6], and nodes explored."""
        config = self.config
        seeds = random.integers(1 << 62, size=config.trees).astype(np.uint64)
        buttons = random.integers(config.seats, size=config.trees)
        roots = deal_hands(checked_stacks([config.stack] * config.seats), buttons, config.raises, seeds)
        explorer, seed = np.arange(config.trees) % config.seats, int(random.integers(1 << 62))
        explored = explore(self.network, roots, explorer, seed, phase == "straight", config.runouts, config.floor)
        if phase == "mccfr":
            rate = config.learning_rate * (1 - self.done[phase] / self.totals[phase])
            self._optimizer.param_groups[0]["lr"] = rate
        return explored.hands, improved(explored, config.step), explored.nodes

    def _learn(self, hands: np.ndarray, wanted: np.ndarray, random: np.random.Generator) -> float:
        """Go once through decisions; returns the mean KL on the way, before each minibatch was learned."""
        self.network.train()
        torch.manual_seed(int(random.integers(1 << 62)))
        total, order = 0.0, random.permutation(len(hands))
        for at in range(0, len(order), self.config.batch):
            rows = order[at : at + self.config.batch]
            loss = divergence(self.network(*tensors(hands[rows])), torch.from_numpy(wanted[rows]))
            self._optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self._optimizer.step()
            total += float(loss.detach()) * len(rows)
        return total / max(len(order), 1)
