"""The coach of a person at the table: what an agent thinks of the question, and of the answers given in a round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator.record import GAME
from simulator.rules import Rules
from suphx.agent.network_agent import NetworkAgent
from suphx.review.choices import Asked, decisions_of
from suphx.review.document import Decision, Document
from suphx.review.frames import frame_of

#: Number of decisions that are told after a round.
SHOWN = 2


@dataclass(frozen=True)
class Answered:
    """A question to a person, and the answer."""

    game: np.void
    """The table at the time, GAME."""
    rules: Rules
    seat: int
    legal: np.ndarray
    """bool[ACTIONS]."""
    action: int


class Costly(Document):
    """A decision of a round that mattered, with the hand as it was."""

    hand: list[str]
    drawn: str
    decision: Decision


def advice(agent: NetworkAgent, asked: Answered) -> Decision | None:
    """Return what an agent thinks of a question, with its own choice as the one taken; None if it sees no choice in it.

    Like its choices as a player, this depends on nothing that is hidden from the seat. asked: with any legal action.
    """
    found = _decisions(agent, [asked])
    if not found:
        return None
    own = {"taken": found[0].preferred, "agrees": True, "difference": 0.0}
    return found[0].model_copy(update=own)


def costly(agent: NetworkAgent, answered: Sequence[Answered]) -> list[Costly]:
    """Return the decisions among the answers that cost most by their difference, the largest first."""
    wrong = [each for each in _decisions(agent, answered) if each.difference > 0]
    found = []
    for decision in sorted(wrong, key=lambda each: -each.difference)[:SHOWN]:
        asked = answered[decision.frame]
        own = frame_of(asked.game, [], {asked.seat})["seats"][asked.seat]
        found.append(Costly(hand=own["hand"], drawn=own["drawn"], decision=decision))
    return found


def _decisions(agent: NetworkAgent, answered: Sequence[Answered]) -> list[Decision]:
    """Return the agent's view of each answer; `frame` is its place among them."""
    if not answered:
        return []
    asked = [Asked(n, 0, n, each.seat, each.action) for n, each in enumerate(answered)]
    legal = np.array([each.legal for each in answered])
    return decisions_of(np.array([each.game for each in answered], GAME), asked, legal, agent, answered[0].rules)
