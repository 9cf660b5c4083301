"""The coach of a person at the table: what an agent thinks of the question, and of the answers given in a round."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator.record import GAME
from simulator.rules import Rules
from suphx.agent.network_agent import NetworkAgent
from suphx.errors import InputError
from suphx.outlook.predictor import Outlook, shipped_outlook
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
    own = {"taken": found[0].preferred, "agrees": True, "difference": 0.0, "lost": None, "mistake": ""}
    return found[0].model_copy(update=own)


def costly(agent: NetworkAgent, answered: Sequence[Answered]) -> list[Costly]:
    """Return the decisions among the answers that cost most, the costliest first."""
    found = []
    for decision in costliest(_decisions(agent, answered))[:SHOWN]:
        asked = answered[decision.frame]
        own = frame_of(asked.game, [], {asked.seat})["seats"][asked.seat]
        found.append(Costly(hand=own["hand"], drawn=own["drawn"], decision=decision))
    return found


def costliest(decisions: Sequence[Decision]) -> list[Decision]:
    """Return the decisions that cost something, the costliest first.

    Mistakes come first, by the points that they lost, then the others by their difference. What lost nothing by the
    outlook cost nothing, however sure the agent was of something else.
    """
    return sorted((each for each in decisions if any(_cost(each))), key=_cost, reverse=True)


def _cost(decision: Decision) -> tuple[float, float]:
    """Return the points that a mistake lost, and the difference from the agent; 0 where there is none."""
    if decision.lost is None:
        return 0.0, decision.difference
    return (decision.lost if decision.mistake else 0.0, decision.difference if decision.lost > 0 else 0.0)


def _decisions(agent: NetworkAgent, answered: Sequence[Answered]) -> list[Decision]:
    """Return the agent's view of each answer, with the outlook if there is one; `frame` is its place among them."""
    if not answered:
        return []
    rules = answered[0].rules
    outlook: Outlook | None = None
    try:
        outlook = shipped_outlook(rules)
    except InputError:
        pass  # advice goes without it; why there is none, the review of the game says
    asked = [Asked(n, 0, n, each.seat, each.action) for n, each in enumerate(answered)]
    legal = np.array([each.legal for each in answered])
    return decisions_of(np.array([each.game for each in answered], GAME), asked, legal, agent, rules, outlook)
