"""Rollouts: redeal the hidden tiles of positions and play the rounds out, many positions and deals side by side.

A rollout is determined by (seed, position, deal, copy): the first three give the deal, all four the random numbers for
sampling actions. So a rollout does not depend on what is played beside it, and agents that are compared on the same
deals meet the same tiles; as long as they act alike, they play the same round.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator.record import GAME, PHASE_TURN
from simulator.redeal.hidden import redeal_hidden
from simulator.tables import Decisions, Ended, Tables
from simulator.walls import decision_key, mix2
from suphx.adaptation.players import DISCARD
from suphx.adaptation.steps import advantages
from suphx.agent.interface import Agent, ModelOutput, act_each
from suphx.agent.registry import load_agent
from suphx.agent.sampling import highest_probability
from suphx.learning.experience import experience_dtype
from suphx.networks.models import MODEL_PLANES, OUTPUTS
from suphx.reward.games import START
from suphx.reward.kinds import RoundRewards, games_after, start_of_rounds
from suphx.reward.rounds import PointRewards

#: Rollouts played side by side; affects speed and memory, not the results.
SIDE_BY_SIDE = 2048

ROLLOUT = np.dtype([
    ("deal", "u8"),  # which deal of the position
    ("position", "u4"),  # index among the positions
    ("copy", "u4"),  # which rollout of that deal
])  # fmt: skip

_IDLE = -1
_OTHERS = 0


@dataclass(frozen=True)
class RolloutPosition:
    """A round in play, seen from one seat."""

    game: np.void
    """GAME: the table. Whatever the seat cannot see in it has no influence on the results."""
    seat: int
    """The seat that adapts, 0 to 3."""
    history: np.ndarray
    """START[k]: how the game's rounds started, this one last; rounds that were not recorded are missing."""

    def __post_init__(self) -> None:
        has_decision = int(self.game["pending"]) >> self.seat & 1
        is_beginning = self.game["phase"] == PHASE_TURN and self.game["n_events"] == 1
        if not has_decision and not is_beginning:
            raise ValueError("a position must be a decision of its seat or the beginning of a round")


def rollouts_of(positions: int, deals: int, first: int = 0, copies: int = 1) -> np.ndarray:
    """Return ROLLOUT[positions x deals x copies] in that order; deals are numbered from `first` on."""
    rollouts = np.zeros((positions, deals, copies), ROLLOUT)
    rollouts["position"] = np.arange(positions)[:, None, None]
    rollouts["deal"] = first + np.arange(deals, dtype=np.uint64)[:, None]
    rollouts["copy"] = np.arange(copies)
    return rollouts.reshape(-1)


@dataclass(frozen=True)
class FinishedRollouts:
    """Rollouts that were played to the end of their round."""

    positions: Sequence[RolloutPosition]
    rollouts: np.ndarray
    """ROLLOUT[n]"""
    rewards: np.ndarray
    """f64[n]: the reward of each round for the seat of its position."""
    ended: np.ndarray
    """GAME[n]: each table after the payments of its round, as in `Ended.records`."""
    experience: np.ndarray
    """The recorded decisions of the seats that adapt, ordered by rollout and time; `trajectory` is the rollout."""

    def decisions(self, position: int) -> np.ndarray:
        """Return the recorded decisions of one position."""
        return self.experience[self.rollouts["position"][self.experience["trajectory"]] == position]

    def advantages(self, position: int, shuffle_seed: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return a position's decisions and their advantages f64[n]; shuffle_seed: permutes the rollouts' rewards."""
        rows = np.flatnonzero(self.rollouts["position"] == position)
        rewards = self.rewards[rows]
        if shuffle_seed is not None:
            rewards = np.random.default_rng([shuffle_seed, len(rewards)]).permutation(rewards)
        by_rollout = np.zeros(len(self.rollouts))
        by_rollout[rows] = advantages(rewards, self.rollouts["deal"][rows])
        decisions = self.decisions(position)
        return decisions, by_rollout[decisions["trajectory"]]


def rewards_of(
    rewards: RoundRewards, positions: Sequence[RolloutPosition], which: np.ndarray, records: np.ndarray
) -> np.ndarray:
    """Return f64[n]: rounds' rewards to the seats of positions; which: i64[n], positions; records: GAME[n], ended."""
    seats = np.array([position.seat for position in positions])[which]
    lengths = np.array([len(position.history) for position in positions])
    starts = np.zeros((len(positions), lengths.max() + 1), START)
    for row, position in zip(starts, positions, strict=True):
        row[: len(position.history)] = position.history
    ended = Ended(which, records)
    by_seat = rewards.of(ended, games_after(starts[which], lengths[which], ended))
    return by_seat[np.arange(len(which)), seats].astype(np.float64)


def roll_out(
    positions: Sequence[RolloutPosition],
    rollouts: np.ndarray,
    own: Sequence[Agent],
    others: Agent,
    rewards: RoundRewards,
    seed: int,
    record: bool = False,
    max_confidence: float = 1.0,
) -> FinishedRollouts:
    """Play rollouts, ROLLOUT[n].

    own: the player of each position's seat; the same object is called once for all its positions. others: the player of
    the other three seats. seed: random seed, which makes a rollout reproducible. record: whether the seat's discard
    decisions are returned. max_confidence: those whose most likely action is more probable are left out.
    """
    tables = _RolloutTables(positions, rollouts, own, others, seed, max_confidence if record else None)
    while tables.step():
        pass
    experience = np.concatenate(tables.experience)
    tables.experience.clear()  # takes much memory
    ordered = experience[np.argsort(experience["trajectory"], kind="stable")]
    worth = rewards_of(rewards, positions, rollouts["position"].astype(np.int64), tables.ended)
    return FinishedRollouts(positions, rollouts, worth, tables.ended, ordered)


class _RolloutTables:
    """Tables on which rollouts are played; when one ends, the next takes its place."""

    def __init__(
        self,
        positions: Sequence[RolloutPosition],
        rollouts: np.ndarray,
        own: Sequence[Agent],
        others: Agent,
        seed: int,
        max_confidence: float | None,
    ) -> None:
        """max_confidence: as for `roll_out`; None if no decisions are recorded."""
        self._rollouts, self._max_confidence = rollouts, max_confidence
        self._dtype = experience_dtype(MODEL_PLANES[DISCARD], OUTPUTS[DISCARD])
        self.experience = [np.empty(0, self._dtype)]
        """The discard decisions of the seats that adapt, in order of arrival."""
        tables = min(SIDE_BY_SIDE, len(rollouts))
        self._records = np.array([position.game for position in positions], GAME)
        self._seats = np.array([position.seat for position in positions], np.int64)
        keys = [decision_key(np.uint64(seed), position.game, position.seat) for position in positions]
        self._keys = np.array(keys, np.uint64)  # of each position's deals
        self._agents = list({id(agent): agent for agent in (others, *own)}.values())
        numbers = {id(agent): number for number, agent in enumerate(self._agents)}
        self._own = np.array([numbers[id(agent)] for agent in own])
        self._next = 0
        self.ended = np.zeros(len(rollouts), GAME)
        self._at = np.full(tables, _IDLE)  # index of the rollout at each table
        self._tables = Tables(max(tables, 1), restart=False)
        self._fill(np.arange(tables))
        if not tables:
            self._tables.games["pending"] = 0

    def _fill(self, tables: np.ndarray) -> None:
        """Start the next rollouts at free tables; tables for which none is left become idle."""
        count = min(len(tables), len(self._rollouts) - self._next)
        chosen = np.arange(self._next, self._next + count)
        self._next += count
        self._at[tables] = _IDLE
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
            raise ValueError("a redealt position has no pending decision")
        self._tables.games[tables[:count]] = games

    def step(self) -> bool:
        """Act on every pending decision; return False if there is none left."""
        decisions = self._tables.decisions()
        if not len(decisions):
            return False
        ended = self._tables.step(self._act(decisions))
        if len(ended):
            self.ended[self._at[ended.game]] = ended.records
            self._fill(ended.game.astype(np.int64))
        return True

    def _act(self, decisions: Decisions) -> np.ndarray:
        rollout = self._at[decisions.game]
        position = self._rollouts["position"][rollout]
        is_own = decisions.seat == self._seats[position]
        who = np.where(is_own, self._own[position], _OTHERS)
        actions, outputs = act_each(self._agents, who, self._tables.games, decisions)
        if self._max_confidence is not None:
            for output in (each for agent_output in outputs for each in agent_output.outputs):
                if output.model == DISCARD:
                    self._record(output, rollout, is_own, self._max_confidence)
        return actions

    def _record(self, output: ModelOutput, rollout: np.ndarray, is_own: np.ndarray, max_confidence: float) -> None:
        """Record decisions of seats that adapt; rollout, is_own: [decisions]."""
        recorded = is_own[output.decision]
        if max_confidence < 1:
            recorded &= highest_probability(output.logits, output.legal) <= max_confidence
        rows = np.flatnonzero(recorded)
        experience = np.zeros(len(rows), self._dtype)
        experience["trajectory"], experience["planes"] = rollout[output.decision[rows]], output.planes[rows]
        experience["legal"] = output.legal[rows]
        experience["action"], experience["log_probability"] = output.action[rows], output.log_probability[rows]
        self.experience.append(experience)


def warm_up() -> None:
    """Compile what rollouts need, by one of rule-based players."""
    games, player = Tables(1).games, load_agent("sensible")
    position = RolloutPosition(games[0].copy(), 0, start_of_rounds(games))
    roll_out([position], rollouts_of(1, 1), [player], player, PointRewards(10_000), 0)
