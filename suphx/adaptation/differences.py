"""Find decisions that two players would make differently, with each player's view of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator.record import ACTION_NAMES, DISCARD_DRAWN
from simulator.tables import Decisions
from simulator.tiles import tile_name
from suphx.adaptation.players import FlowAgent
from suphx.adaptation.positions import Position
from suphx.adaptation.rollouts import roll_out, rollouts_of
from suphx.agent.interface import Agent, Choice
from suphx.agent.opinions import opinions_of


@dataclass(frozen=True)
class Moment:
    """A decision that two players would make differently."""

    game: np.void
    """GAME at the time of the decision."""
    seat: int
    position: int
    """Index of the position that the round was played from."""
    first: np.ndarray
    """f64[ACTIONS]: the first player's probability of each action if it sampled its answers."""
    second: np.ndarray
    """f64[ACTIONS]: the same for the second player."""
    first_action: int
    """The action that the first player prefers."""
    second_action: int

    @property
    def margin(self) -> float:
        """How clearly they differ: the smaller of the two probability gaps by which each prefers its own action."""
        one, other = self.first_action, self.second_action
        return float(min(self.first[one] - self.first[other], self.second[other] - self.second[one]))

    def name(self, action: int) -> str:
        """Return the name of an action, with the drawn tile for its discard."""
        if action == DISCARD_DRAWN:
            return f"discard {tile_name(int(self.game['drawn']))}"
        return ACTION_NAMES[action]


class _Recorder:
    """Plays as the first player and records the first decision of each round that the second would make differently."""

    name = "recorder"

    def __init__(self, first: FlowAgent, second: FlowAgent, position: int) -> None:
        self._first, self._second, self._position = first, second, position
        self._seen: set[int] = set()
        self.moments: list[Moment] = []

    def act(self, games: np.ndarray, asked: Decisions) -> Choice:
        """Choose as the first player does."""
        one, other = (opinions_of(each.flow, games, asked) for each in (self._first, self._second))
        for row in np.flatnonzero(one.preferred != other.preferred):
            game, seed = games[asked.game[row]], int(games["seed"][asked.game[row]])
            if seed not in self._seen:
                self._seen.add(seed)
                preferred = int(one.preferred[row]), int(other.preferred[row])
                found = one.probability[row], other.probability[row]
                self.moments.append(Moment(game.copy(), int(asked.seat[row]), self._position, *found, *preferred))
        return self._first.act(games, asked)


def find_differences(
    positions: Sequence[Position], first: FlowAgent, second: Sequence[FlowAgent], others: Agent, deals: int, seed: int,
    start: int = 0,
) -> list[Moment]:  # fmt: skip
    """Return the first difference of each round that has one, the clearest first.

    second: one player per position. others: the player of the other seats. deals: number of deals of each position,
    from number `start` on.
    """
    recorders = [_Recorder(first, each, number) for number, each in enumerate(second)]
    roll_out(positions, rollouts_of(len(positions), deals, start), recorders, others, seed)
    moments = [moment for recorder in recorders for moment in recorder.moments]
    return sorted(moments, key=lambda moment: -moment.margin)
