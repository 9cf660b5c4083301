"""What a critic expects of rollouts for the seat that adapts, from question to question, whoever is asked.

It sees all hands and the wall, so it tells some of the luck in what a round comes to from what an answer changed: the
more, the nearer the round's end is. Advantages follow the questions of all seats, as in self-play.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simulator.tables import Decisions
from suphx.agent.interface import Consultation
from suphx.features.encode import encode_oracle_batch
from suphx.features.layout import PLANES
from suphx.selfplay.advantage import follow_advantages

#: A critic: what a round is worth to each seat, from the one that is asked on, f32[n, 4] for planes uint64[n, planes].
Critic = Callable[[np.ndarray], np.ndarray]
#: Stands for a question that is not learned from.
_NOT_LEARNED = -1


@dataclass(frozen=True)
class Outlook:
    """Values of the seat that adapts at questions of all seats, in the order of rollouts and of time."""

    rollout: np.ndarray
    """i64[n]"""
    value: np.ndarray
    """f32[n]"""
    question: np.ndarray
    """i64[n]: which of the questions that are learned from, or -1"""

    def advantages(self, rewards: np.ndarray, gae_lambda: float, questions: int) -> np.ndarray:
        """Return generalised advantages f64[questions]; rewards: f64[rollouts]."""
        rollout, value = self.rollout, self.value.astype(np.float64)
        followed = follow_advantages(rollout, value[:, None], rewards[rollout][:, None], gae_lambda)
        found = np.zeros(questions)
        is_learned = self.question != _NOT_LEARNED
        found[self.question[is_learned]] = followed[is_learned, 0]
        return found


class OutlookNotes:
    """Notes what a critic expects, as questions come."""

    def __init__(self, critic: Critic) -> None:
        self._critic = critic
        self._parts: list[tuple[np.ndarray, ...]] = [
            (np.empty(0, np.int64), np.empty(0, np.float32), np.empty(0, np.int64))
        ]

    def add(
        self, games: np.ndarray, asked: Decisions, said: Consultation, rows: np.ndarray, rollout: np.ndarray,
        seat: np.ndarray, question: np.ndarray,
    ) -> None:  # fmt: skip
        """Note some of a consultation's questions, i64[n], by the tables as they are.

        rollout, seat: i64[n], which rollout each is of and who adapts there. question: i64[n], as of `Outlook`.
        """
        if not len(rows):
            return
        decision = said.decision[rows]
        hidden = encode_oracle_batch(games, asked.game[decision], asked.seat[decision])
        values = self._critic(np.concatenate([said.planes[rows, :PLANES], hidden], axis=1))
        own = values[np.arange(len(rows)), (seat - asked.seat[decision]) & 3]
        self._parts.append((rollout, own, question))

    def take(self, order: np.ndarray) -> Outlook:
        """Return all that was noted; order: i64[questions], how those that are learned from have been sorted since."""
        rollout, value, question = (np.concatenate(each) for each in zip(*self._parts, strict=True))
        place = np.empty(len(order) + 1, np.int64)
        place[order], place[-1] = np.arange(len(order)), _NOT_LEARNED  # a question -1 stays so
        by_rollout = np.argsort(rollout, kind="stable")
        return Outlook(rollout[by_rollout], value[by_rollout], place[question[by_rollout]])
