"""A critic's values in rollouts for the seat that adapts, at the questions of all seats.

The critic sees all hands and the wall, so it separates luck from the effect of an answer, the better the nearer the end
of the round. Advantages follow the questions of all seats, as in self-play.
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

#: A critic: the round's value for each seat, starting with the asked one, f32[n, 4] for planes uint64[n, planes].
Critic = Callable[[np.ndarray], np.ndarray]
#: Marks a question that is not learned from.
_NOT_LEARNED = -1


@dataclass(frozen=True)
class Outlook:
    """Values for the seat that adapts, at the questions of all seats, ordered by rollout and time."""

    rollout: np.ndarray
    """i64[n]"""
    value: np.ndarray
    """f32[n]"""
    question: np.ndarray
    """i64[n]: index among the questions that are learned from, or -1"""

    def advantages(self, rewards: np.ndarray, gae_lambda: float, questions: int) -> np.ndarray:
        """Return generalised advantages f64[questions] of the questions learned from; rewards: f64[rollouts]."""
        rollout, value = self.rollout, self.value.astype(np.float64)
        followed = follow_advantages(rollout, value[:, None], rewards[rollout][:, None], gae_lambda)
        found = np.zeros(questions)
        is_learned = self.question != _NOT_LEARNED
        found[self.question[is_learned]] = followed[is_learned, 0]
        return found


class OutlookNotes:
    """Records the critic's values while questions come in."""

    def __init__(self, critic: Critic) -> None:
        self._critic = critic
        self._parts: list[tuple[np.ndarray, ...]] = [
            (np.empty(0, np.int64), np.empty(0, np.float32), np.empty(0, np.int64))
        ]

    def add(
        self, games: np.ndarray, asked: Decisions, said: Consultation, rows: np.ndarray, rollout: np.ndarray,
        seat: np.ndarray, question: np.ndarray,
    ) -> None:  # fmt: skip
        """Record the values of some of a consultation's questions, at the current state of the tables.

        rows: i64[n], which questions. rollout, seat: i64[n], the rollout of each and the seat that adapts there.
        question: i64[n], as in `Outlook`.
        """
        if not len(rows):
            return
        decision = said.decision[rows]
        hidden = encode_oracle_batch(games, asked.game[decision], asked.seat[decision])
        values = self._critic(np.concatenate([said.planes[rows, :PLANES], hidden], axis=1))
        own = values[np.arange(len(rows)), (seat - asked.seat[decision]) & 3]
        self._parts.append((rollout, own, question))

    def take(self, order: np.ndarray) -> Outlook:
        """Return all recorded values; order: i64[questions], by which those learned from have been sorted since."""
        rollout, value, question = (np.concatenate(each) for each in zip(*self._parts, strict=True))
        place = np.empty(len(order) + 1, np.int64)
        place[order], place[-1] = np.arange(len(order)), _NOT_LEARNED  # -1 stays -1
        by_rollout = np.argsort(rollout, kind="stable")
        return Outlook(rollout[by_rollout], value[by_rollout], place[question[by_rollout]])
