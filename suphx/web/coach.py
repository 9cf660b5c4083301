"""The coach of a person at the table: what an agent thinks of the question, and of the answers given in a round."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from simulator.record import GAME
from simulator.rules import Rules
from suphx.agent.registry import NetworkAgent
from suphx.errors import InputError
from suphx.outlook.predictor import Outlook, included_outlook
from suphx.review.choices import Assessment, DecisionPoint
from suphx.review.document import Decision, Document
from suphx.review.frames import frame_of

#: Number of decisions shown after a round.
SHOWN = 2


@dataclass(frozen=True)
class AnsweredQuestion:
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


def advice(agent: NetworkAgent, question: AnsweredQuestion) -> Decision | None:
    """Return an agent's view of a question, as if it had answered, by nothing hidden; None if there is no choice."""
    decisions = _decisions(agent, [question])
    if not decisions:
        return None
    own = {"taken": decisions[0].preferred, "agrees": True, "difference": 0.0, "lost": None, "mistake": ""}
    return decisions[0].model_copy(update=own)


def costly(agent: NetworkAgent, answered: Sequence[AnsweredQuestion]) -> list[Costly]:
    """Return the decisions among the answers that cost most, the costliest first."""
    rows = []
    for decision in costliest(_decisions(agent, answered))[:SHOWN]:
        question = answered[decision.frame]
        own = frame_of(question.game, [], {question.seat})["seats"][question.seat]
        rows.append(Costly(hand=own["hand"], drawn=own["drawn"], decision=decision))
    return rows


def costliest(decisions: Sequence[Decision]) -> list[Decision]:
    """Return the decisions that cost something, the costliest first.

    Mistakes come first, by the points lost, then the others by their difference. A decision that lost nothing by the
    outlook cost nothing, however confident the agent was in another.
    """
    return sorted((each for each in decisions if any(_cost(each))), key=_cost, reverse=True)


def _cost(decision: Decision) -> tuple[float, float]:
    """Return the points that a mistake lost, and the difference from the agent; 0 where there is none."""
    if decision.lost is None:
        return 0.0, decision.difference
    return (decision.lost if decision.mistake else 0.0, decision.difference if decision.lost > 0 else 0.0)


def _decisions(agent: NetworkAgent, answered: Sequence[AnsweredQuestion]) -> list[Decision]:
    """Return the agent's view of each answer, with the outlook if there is one; `frame` is its place among them."""
    if not answered:
        return []
    rules = answered[0].rules
    outlook: Outlook | None = None
    with suppress(InputError):  # the review of the game says why there is none
        outlook = included_outlook(rules)
    points = [DecisionPoint(n, 0, n, each.seat, each.action, each.legal) for n, each in enumerate(answered)]
    return Assessment(np.array([each.game for each in answered], GAME), points, agent, rules, outlook).decisions()
