"""A person's game against three agents: it advances until the person must choose, and reports every position.

A position is reported as the person's seat sees it (`seat_view`). Positions are reported when everyone can see that a
seat has to act, when the person is asked, and at the end of a round; never because another seat may claim something.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from simulator.logs.from_record import game_log
from simulator.logs.model import GameLog
from simulator.record import DISCARD_DRAWN, DISCARD_RED, PASS, WIN_BY_CLAIM, WIN_BY_DRAW
from simulator.rules import Rules
from simulator.tables import Decisions
from suphx.agent.interface import Agent
from suphx.review.document import Document, Result
from suphx.review.rounds import Standing, result_of, standing_of
from suphx.web.agents import choose
from suphx.web.live_table import LiveTable, Walls
from suphx.web.moves import moves_since
from suphx.web.seat_view import (
    NEXT_ROUND,
    ROUND_OVER,
    Position,
    Question,
    is_public,
    next_round_question,
    position_of,
    question_of,
)


class Options(Document):
    """Options that answer questions automatically for the person."""

    no_calls: bool = False
    """Pass on chows, pongs and open kongs of others' discards, unless a win could be claimed as well."""
    win_at_once: bool = False
    """Take every win."""
    discard_drawn: bool = False
    """Discard the tile just drawn, unless it wins."""


class NotAsked(Exception):
    """The answer is to a question that is not being asked, or no longer."""


class NotLegal(Exception):
    """The answer is not among the choices of the question."""


@dataclass(frozen=True)
class Seating:
    """The setup of a game: rules, seed, and who sits where."""

    rules: Rules
    seed: int
    seat: int
    """The person's seat."""
    agents: Mapping[int, Agent]
    """The three agents, by seat."""


class Host:
    """One game of a person against three agents; for one thread at a time."""

    def __init__(self, seating: Seating, tell: Callable[[Position], None], walls: Walls | None = None) -> None:
        """tell: called with every position. walls: as in `LiveTable`."""
        self.options = Options()
        self.question: Question | None = None
        """The question that the person is asked now."""
        self.results: list[tuple[Position, Result]] = []
        """For each finished round its last position and its result."""
        self._seating, self._tell = seating, tell
        self._table = LiveTable(seating.rules, seating.seed, walls)
        self._positions = self._questions = self._told = 0
        self._result: Result | None = None

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self._table.is_over

    def begin(self) -> None:
        """Deal the first round and advance to the first question."""
        self._deal()
        self._go_on()

    def answer(self, number: int, action: int) -> None:
        """Answer the question with this number and advance to the next; raises NotAsked and NotLegal."""
        self.check(number, action)
        self.question = None
        if action == NEXT_ROUND:
            self._deal()
        else:
            self._step(action)
        self._go_on()

    def check(self, number: int, action: int) -> None:
        """Raise NotAsked or NotLegal if `answer` would."""
        question = self.question
        if question is None or question.number != number:
            raise NotAsked(f"question {number} is not asked, or no longer: it has been answered already")
        if action not in {choice.action for choice in question.choices}:
            raise NotLegal(f"action {action} is not one of the choices now")

    def automatic(self) -> int | None:
        """Return the answer that the current options give to the current question; None if the person must answer."""
        question = self.question
        return None if question is None or question.situation == ROUND_OVER else self._automatic(question)

    def default(self) -> int:
        """Return the action for a person who does not answer in time: discard the drawn tile, and claim nothing."""
        if self.question is None:
            raise NotAsked("nothing is asked")
        legal = [choice.action for choice in self.question.choices]
        for action in (DISCARD_DRAWN, PASS):
            if action in legal:
                return action
        plain = [action for action in legal if action < DISCARD_RED]
        return max(plain) if plain else legal[-1]  # after a call: the last tile of the hand

    def _deal(self) -> None:
        self._result, self._told = None, 0
        self._table.deal()

    def _go_on(self) -> None:
        """Advance the game until the person is asked something or the game is over."""
        while True:
            asked = self._table.asked()
            mine = np.flatnonzero(asked.seat == self._seating.seat)
            if len(mine):
                question = question_of(self._table.game, self._seating.seat, asked.legal[mine[0]], self._questions + 1)
                action = self._automatic(question)
                if action is None:
                    self._ask(question)
                    return
                self._show(None)
                self._step(action)
            elif len(asked):
                if is_public(self._table.game):
                    self._show(None)
                self._step(None)
            else:
                self._ask(None if self.is_over else next_round_question(self._questions + 1))
                return

    def _automatic(self, question: Question) -> int | None:
        """Return the answer that is given automatically, or None if the person must answer."""
        legal = [choice.action for choice in question.choices]
        if len(legal) == 1:
            return legal[0]
        wins = [action for action in (WIN_BY_DRAW, WIN_BY_CLAIM) if action in legal]
        if wins:
            return wins[0] if self.options.win_at_once else None
        if question.situation == "claim" and self.options.no_calls:
            return PASS
        return DISCARD_DRAWN if question.situation == "turn" and self.options.discard_drawn else None

    def _step(self, action: int | None) -> None:
        """Carry out the person's action, if any, together with the agents' choices."""
        asked = self._table.asked()
        others = asked.seat != self._seating.seat
        theirs = Decisions(asked.game[others], asked.seat[others], asked.situation[others], asked.legal[others])
        chosen = choose(self._seating.agents, self._table.games, theirs)
        actions = dict(zip(theirs.seat.tolist(), chosen.tolist(), strict=True))
        if action is not None:
            actions[self._seating.seat] = action
        was_playing = self._table.is_playing
        self._table.step(actions)
        if was_playing and not self._table.is_playing:
            self._result = result_of(self._table.game, self._seating.rules)

    def _ask(self, question: Question | None) -> None:
        """Ask the person; None: the game is over."""
        self._questions += question is not None
        self.question = question
        self._show(question)

    def _show(self, question: Question | None) -> None:
        """Report the current position."""
        shown = self._table.shown[0]
        events = self._table.game if self._result else shown  # only the record after the payments has the outcome
        self._positions += 1
        moves = moves_since(events, self._told)
        self._told = int(events["n_events"])
        position = position_of(shown, self._seating.seat, self._positions, moves, question, self._result)
        if self._result and (question is None or question.situation == ROUND_OVER):
            self.results.append((position, self._result))
        self._tell(position)

    def standing(self) -> Standing:
        """Return the standing of the game after the last finished round."""
        return standing_of(self._table.ends()[-1])

    def log(self, names: list[str], source: str) -> GameLog:
        """Return the log of the finished rounds. names: of the seats. source: name of the log."""
        return game_log(self._table.ends(), self._seating.rules, names, source)
