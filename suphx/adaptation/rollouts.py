"""Rollouts: redeal the hidden tiles of positions and play the rounds out, many positions and deals side by side.

A rollout is determined by (seed, position, deal, copy): the first three give the deal, all four the random numbers for
sampling answers. So a rollout does not depend on what is played beside it, and agents that are compared on the same
deals meet the same tiles; as long as they answer alike, they play the same round.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator.record import GAME
from simulator.redeal.hidden import redeal_hidden
from simulator.tables import Decisions, Tables
from simulator.walls import mix2
from suphx.adaptation.players import DISCARD
from suphx.adaptation.positions import Position
from suphx.agent.interface import Agent, AgentOutput, act_each
from suphx.agent.sampling import highest_probability
from suphx.learning.experience import experience_dtype
from suphx.learning.policy_gradient import legal_bits
from suphx.networks.models import MODEL_PLANES

#: Rollouts played side by side; affects speed and memory, not the results.
SIDE_BY_SIDE = 2048

ROLLOUT = np.dtype([
    ("deal", "u8"),  # which deal of the position
    ("position", "u4"),  # index among the positions
    ("copy", "u4"),  # which rollout of that deal
])  # fmt: skip

_NOTHING = -1
_OTHERS = 0


def rollouts_of(positions: int, deals: int, first: int = 0, copies: int = 1) -> np.ndarray:
    """Return ROLLOUT[positions x deals x copies] in that order; deals are numbered from `first` on."""
    found = np.zeros((positions, deals, copies), ROLLOUT)
    found["position"] = np.arange(positions)[:, None, None]
    found["deal"] = first + np.arange(deals, dtype=np.uint64)[:, None]
    found["copy"] = np.arange(copies)
    return found.reshape(-1)


@dataclass(frozen=True)
class Rolled:
    """Rollouts that were played to the end of their round."""

    rollouts: np.ndarray
    """ROLLOUT[n]"""
    ended: np.ndarray
    """GAME[n]: each table after the payments of its round, as in `Ended.records`."""
    experience: np.ndarray
    """Decisions of the seats that adapt, if wanted, by rollout and time; `trajectory` is the rollout."""

    def questions(self, position: int) -> np.ndarray:
        """Return the questions of one position."""
        return self.experience[self.rollouts["position"][self.experience["trajectory"]] == position]


def roll_out(
    positions: Sequence[Position],
    rollouts: np.ndarray,
    own: Sequence[Agent],
    others: Agent,
    seed: int,
    keep: bool = False,
    max_confidence: float = 1.0,
) -> Rolled:
    """Play rollouts, ROLLOUT[n].

    own: the player of each position's seat; the same object is called once for all its positions. others: the player of
    the other three seats. seed: random seed, which makes a rollout reproducible. keep: whether the questions to the
    seat about discards are returned. max_confidence: those whose likeliest answer is more probable are left out.
    """
    playing = _Playing(positions, rollouts, own, others, seed, max_confidence if keep else None)
    while playing.step():
        pass
    experience = np.concatenate(playing.asked)
    playing.asked.clear()  # they take much memory
    return Rolled(rollouts, playing.ended, experience[np.argsort(experience["trajectory"], kind="stable")])


class _Playing:
    """Tables on which rollouts are played; when one ends, the next takes its place."""

    def __init__(
        self,
        positions: Sequence[Position],
        rollouts: np.ndarray,
        own: Sequence[Agent],
        others: Agent,
        seed: int,
        max_confidence: float | None,
    ) -> None:
        """max_confidence: as for `roll_out`; None if no questions are kept."""
        self._rollouts, self._max_confidence = rollouts, max_confidence
        self._dtype = experience_dtype(MODEL_PLANES[DISCARD])
        self.asked = [np.empty(0, self._dtype)]
        """The questions about discards to the seats that adapt, in order of arrival."""
        tables = min(SIDE_BY_SIDE, len(rollouts))
        self._records = np.array([position.game for position in positions], GAME)
        self._seats = np.array([position.seat for position in positions], np.int64)
        self._keys = np.array([position.key(seed) for position in positions], np.uint64)
        self._agents = list({id(agent): agent for agent in (others, *own)}.values())
        place = {id(agent): number for number, agent in enumerate(self._agents)}
        self._own = np.array([place[id(agent)] for agent in own])
        self._next = 0
        self.ended = np.zeros(len(rollouts), GAME)
        self._at = np.full(tables, _NOTHING)  # index of the rollout at each table
        self._tables = Tables(max(tables, 1), restart=False)
        self._fill(np.arange(tables))
        if not tables:
            self._tables.games["pending"] = 0

    def _fill(self, tables: np.ndarray) -> None:
        """Start the next rollouts at free tables; tables for which none is left become idle."""
        count = min(len(tables), len(self._rollouts) - self._next)
        chosen = np.arange(self._next, self._next + count)
        self._next += count
        self._at[tables] = _NOTHING
        self._tables.games["pending"][tables] = 0
        if not count:
            return
        self._at[tables[:count]] = chosen
        which = self._rollouts[chosen]
        games = self._records[which["position"]]
        keys = self._keys[which["position"]]
        deals = np.array([mix2(key, deal) for key, deal in zip(keys, which["deal"], strict=True)], np.uint64)
        redeal_hidden(games, self._seats[which["position"]], deals, wins_taken=True)
        games["seed"] = [mix2(deal, np.uint64(copy + 1)) for deal, copy in zip(deals, which["copy"], strict=True)]
        if not games["pending"].all():
            raise ValueError("nobody has anything to decide in a redealt position")
        self._tables.games[tables[:count]] = games

    def step(self) -> bool:
        """Answer every pending decision; return False if there is none left."""
        decisions = self._tables.decisions()
        if not len(decisions):
            return False
        ended = self._tables.step(self._answers(decisions))
        if len(ended):
            self.ended[self._at[ended.game]] = ended.records
            self._fill(ended.game.astype(np.int64))
        return True

    def _answers(self, decisions: Decisions) -> np.ndarray:
        rollout = self._at[decisions.game]
        position = self._rollouts["position"][rollout]
        seat = self._seats[position]
        who = np.where(decisions.seat == seat, self._own[position], _OTHERS)
        actions, choices = act_each(self._agents, who, self._tables.games, decisions)
        if self._max_confidence is not None:
            for choice in choices:
                self._keep(decisions, choice, rollout, seat, self._max_confidence)
        return actions

    def _keep(
        self, decisions: Decisions, choice: AgentOutput, rollout: np.ndarray, seat: np.ndarray, max_confidence: float
    ) -> None:
        """Record questions; rollout, seat: i64[decisions], the rollout of each and the seat that adapts there."""
        for output in choice.outputs:
            if output.model != DISCARD:
                continue
            wanted = decisions.seat[output.decision] == seat[output.decision]
            if max_confidence < 1:
                wanted &= highest_probability(output.logits, output.legal) <= max_confidence
            rows = np.flatnonzero(wanted)
            found = np.zeros(len(rows), self._dtype)
            found["trajectory"], found["planes"] = rollout[output.decision[rows]], output.planes[rows]
            found["legal"] = legal_bits(output.legal[rows])
            found["action"], found["log_probability"] = output.action[rows], output.log_probability[rows]
            self.asked.append(found)
