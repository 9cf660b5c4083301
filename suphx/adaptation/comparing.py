"""Compare copies with the original on the same deals: both rounds of a pair start alike; only answers differ."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from suphx.adaptation.players import Copy, Original
from suphx.adaptation.positions import Position
from suphx.adaptation.rewards import Rewards
from suphx.adaptation.rollouts import Rolled, roll_out, rollouts_of
from suphx.agent.flow import Network
from suphx.learning.policy_gradient import legal_answers


@dataclass(frozen=True)
class Played:
    """Deals of some positions, played by the original."""

    positions: Sequence[Position]
    rolled: Rolled
    rewards: np.ndarray
    """f64[positions, deals]: the reward of each deal."""


class Deals:
    """Plays deals of positions: the seat with some copy, the other three with the original's likeliest answers."""

    def __init__(self, original: Original, rewards: Rewards, seed: int) -> None:
        """seed: random seed that, with the position, determines the deals."""
        self.original, self.rewards, self.seed = original, rewards, seed

    def play(self, positions: Sequence[Position], deals: int, first: int) -> Played:
        """Play `deals` deals of each position, from number `first` on, with the original."""
        rollouts = rollouts_of(len(positions), deals, first)
        rolled = self._roll(positions, rollouts, [self.original.itself] * len(positions), keep=True)
        rewards = self.rewards.of(positions, rollouts["position"].astype(np.int64), rolled.ended)
        return Played(positions, rolled, rewards.reshape(len(positions), deals))

    def _roll(
        self, positions: Sequence[Position], rollouts: np.ndarray, copies: Sequence[Copy], keep: bool = False
    ) -> Rolled:
        playing = self.original.playing
        own = [playing if copy is self.original.itself else self.original.player(copy) for copy in copies]
        return roll_out(positions, rollouts, own, playing, self.seed, keep)

    def gains(self, played: Played, copies: Sequence[Copy]) -> np.ndarray:
        """Return f64[positions, deals]: the gain of each position's copy over the original, deal by deal.

        A round in which the copy would give the same answer to every question is unchanged, so it is not replayed.
        """
        rollouts = played.rolled.rollouts
        differs = np.zeros(len(rollouts), np.bool_)
        for number, copy in enumerate(copies):
            asked = played.rolled.questions(number)
            differs[asked["path"][answers(copy.evaluator.logits, asked) != asked["answer"]]] = True
        again = np.flatnonzero(differs)
        rolled = self._roll(played.positions, rollouts[again], copies)
        found = np.zeros(len(rollouts))
        which = rollouts["position"][again].astype(np.int64)
        found[again] = self.rewards.of(played.positions, which, rolled.ended) - played.rewards.reshape(-1)[again]
        return found.reshape(played.rewards.shape)


def answers(network: Network, experience: np.ndarray) -> np.ndarray:
    """Return i64[n]: a network's likeliest answers to questions."""
    logits = network(np.ascontiguousarray(experience["planes"]))
    return np.where(legal_answers(experience["legal"], logits.shape[1]), logits, -np.inf).argmax(axis=1)
