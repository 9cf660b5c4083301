"""Compare two policies on the same deals: both rounds of a pair start alike, and only the answers differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from suphx.adaptation.players import Copy, Original
from suphx.adaptation.positions import Position
from suphx.adaptation.rollouts import SIDE_BY_SIDE, Rolled, roll_out, rollouts_of
from suphx.adaptation.worth import Worth
from suphx.agent.flow import Network
from suphx.agent.interface import Agent
from suphx.agent.questions import CALL_MODELS
from suphx.learning.policy_gradient import legal_answers
from suphx.networks.sizes import YES


@dataclass(frozen=True)
class Played:
    """Deals of some positions, played before the adaptation."""

    positions: Sequence[Position]
    rolled: Rolled
    worth: np.ndarray
    """f64[positions, deals]: the reward of each deal."""

    def questions(self, position: int, model: str) -> np.ndarray:
        """Return the questions to the seat of a position; `path` is the rollout among those of all positions."""
        experience = self.rolled.experience[model]
        return experience[self.rolled.rollouts["position"][experience["path"]] == position]


class Deals:
    """Plays deals of positions: the seat with some policy, the other three with the original's likeliest answers."""

    def __init__(self, original: Original, worth: Worth, seed: int, side_by_side: int = SIDE_BY_SIDE) -> None:
        """seed: random seed that, with the position, determines the deals."""
        self.original, self.worth, self.seed, self.side_by_side = original, worth, seed, side_by_side

    def player_of(self, copy: Copy) -> Agent:
        """Return a copy as a player, which takes its likeliest answers."""
        return self.original.player(copy) if copy else self.original.playing

    def play(
        self,
        positions: Sequence[Position],
        before: Sequence[Copy],
        deals: int,
        first: int,
        models: Sequence[str],
    ) -> Played:
        """Play `deals` deals of each position, from number `first` on, the seat with its previous copy.

        models: models whose questions are kept, to find out later where other copies answer differently.
        """
        rollouts = rollouts_of(len(positions), deals, first)
        rolled = self._roll(positions, rollouts, before, models)
        worth = self.worth.of(positions, rollouts["position"].astype(np.int64), rolled.ended)
        return Played(positions, rolled, worth.reshape(len(positions), deals))

    def _roll(
        self, positions: Sequence[Position], rollouts: np.ndarray, copies: Sequence[Copy], models: Sequence[str] = ()
    ) -> Rolled:
        own = [self.player_of(copy) for copy in copies]
        others = self.original.playing
        return roll_out(positions, rollouts, own, others, self.seed, models, side_by_side=self.side_by_side)

    def gains(self, played: Played, copies: Sequence[Copy]) -> np.ndarray:
        """Return f64[positions, deals]: the gain of each position's copy over the previous one, deal by deal.

        A round in which the copy would give the same answer to every question is unchanged, so it is not replayed. Of
        several calls that are answered yes the surest is made, so rounds with such an answer are always replayed.
        """
        rollouts = played.rolled.rollouts
        differs = np.zeros(len(rollouts), np.bool_)
        for number, copy in enumerate(copies):
            for model, network in copy.calls.items():
                asked = played.questions(number, model)
                changed = answers(network, asked) != asked["answer"]
                if model in CALL_MODELS:
                    changed |= asked["answer"] == YES
                differs[asked["path"][changed]] = True
        again = np.flatnonzero(differs)
        rolled = self._roll(played.positions, rollouts[again], copies)
        found = np.zeros(len(rollouts))
        which = rollouts["position"][again].astype(np.int64)
        found[again] = self.worth.of(played.positions, which, rolled.ended) - played.worth.reshape(-1)[again]
        return found.reshape(played.worth.shape)


def answers(network: Network, experience: np.ndarray) -> np.ndarray:
    """Return i64[n]: a network's likeliest answers to questions."""
    logits = network(np.ascontiguousarray(experience["planes"]))
    return np.where(legal_answers(experience["legal"], logits.shape[1]), logits, -np.inf).argmax(axis=1)
