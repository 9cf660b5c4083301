"""Games as they go on: hosted by us, with a person at one seat or nobody, or read from a log.

A game with a person advances until the person must choose, and reports every position as the person's seat sees it
(`seat_view`): when everyone can see that a seat has to act, when the person must choose, and at the end of a round;
never because another seat may claim something. A game without a person, and one from a log, reports whole rounds as in
a review (`suphx.review.game`). After each round a game asks whether to go on.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from fastapi import HTTPException

from simulator import record as r
from simulator.actions import legal_mask
from simulator.asking import answer
from simulator.engine import advance
from simulator.legal import is_legal
from simulator.logs.from_record import game_log, round_log
from simulator.logs.model import GameLog
from simulator.lookup import get_lookup
from simulator.rounds import deal, finish_round, resolve_stop, start_game
from simulator.rules import Rules
from simulator.tables import Decisions, IllegalAction, Tables
from simulator.views.table import round_name
from suphx.agent.interface import Agent, act_each
from suphx.review.analysis import clean
from suphx.review.document import Document, Result
from suphx.review.game import played, replay, result_of, round_of, standing_of
from suphx.web.coach import AnsweredQuestion
from suphx.web.game_status import Options, RoundEnd
from suphx.web.seat_view import (
    NEXT_ROUND,
    ROUND_OVER,
    SeatQuestion,
    is_public,
    moves_since,
    next_round_question,
    position_of,
    question_of,
)
from suphx.web.uploads import game_of_upload

#: Prescribed walls: (seed, rounds dealt so far) -> u8[136], or None for the wall of the seed.
Walls = Callable[[int, int], np.ndarray | None]
#: Reports something to the pages: its number, which increases, and a `TablePosition` or `Round`.
Tell = Callable[[int, Document], None]


class GameSession(ABC):
    """A game that goes on from question to question; for one thread at a time."""

    def __init__(self, tell: Tell, names: list[str]) -> None:
        """names: of the seats."""
        self.names = names
        self.question: SeatQuestion | None = None
        """The pending question; None once the game is over."""
        self.rounds: list[RoundEnd] = []
        self.standing: dict[str, Any] = {}
        """After the last finished round, as from `standing_of`."""
        self.options = Options()
        self.answered: list[AnsweredQuestion] = []
        """The answers of the person in the round, by hand or by the options."""
        self._tell = tell
        self._questions = 0

    def begin(self) -> None:
        """Go on to the first question."""
        self._carry_out(NEXT_ROUND)

    @abstractmethod
    def log(self) -> GameLog:
        """Return the log of the finished rounds."""

    @abstractmethod
    def _carry_out(self, action: int) -> None:
        """Go on from an answer to the next question; NEXT_ROUND begins a round."""

    def answer(self, number: int, action: int) -> None:
        """Answer the question with this number and advance to the next; raises HTTPException as `check`."""
        self.check(number, action)
        self.question = None
        self._carry_out(action)

    def check(self, number: int, action: int) -> None:
        """Raise HTTPException: 409 unless this question is pending; 422 if the action is none of its choices."""
        question = self.question
        if question is None or question.number != number:
            raise HTTPException(409, f"question {number} is not pending: it has been answered already")
        if action not in {choice.action for choice in question.choices}:
            raise HTTPException(422, f"action {action} is not one of the choices now")

    def question_at(self, number: int) -> AnsweredQuestion | None:
        """Return a pending question at the table by its number; None if there is none."""
        return None

    def automatic(self, question: SeatQuestion) -> int | None:
        """Return the answer that is given automatically to a question; None if somebody must answer."""
        if question.situation == ROUND_OVER:
            return None
        legal = [choice.action for choice in question.choices]
        if len(legal) == 1:
            return legal[0]
        wins = [action for action in (r.TSUMO, r.RON) if action in legal]
        if wins:
            return wins[0] if self.options.win_at_once else None
        if question.situation == "claim" and self.options.no_calls:
            return r.PASS
        return r.DISCARD_DRAWN if question.situation == "turn" and self.options.discard_drawn else None

    def default(self) -> int:
        """Return the action for a person who does not answer in time: discard the drawn tile, and claim nothing."""
        if self.question is None:
            raise HTTPException(409, "no question is pending")
        legal = [choice.action for choice in self.question.choices]
        for action in (r.DISCARD_DRAWN, r.PASS):
            if action in legal:
                return action
        plain = [action for action in legal if action < r.DISCARD_RED]
        return max(plain) if plain else legal[-1]  # after a call: the last tile of the hand

    def _ask(self, question: SeatQuestion | None) -> None:
        self._questions += question is not None
        self.question = question

    def _ended(self, round_number: int, repeat_counter: int, result: Result, end: np.void) -> None:
        """Note how a round ended; end: GAME as in `Replayed.ends`."""
        self.rounds.append(RoundEnd(name=round_name(round_number), repeat_counter=repeat_counter, result=result))
        self.standing = standing_of(end)


class LiveTable:
    """A single table, step by step: it stops whenever a seat must act, even for a forced move, and between rounds.

    `Tables` plays forced moves by itself and deals the next round at once; a person at the table wants to see both.
    """

    def __init__(self, rules: Rules, seed: int, walls: Walls | None = None) -> None:
        """Start a game whose first round waits for `deal`; walls: by default those of `Tables` with this seed."""
        self._seed, self._walls = seed, walls
        self._lookup = get_lookup()
        self.games = Tables(1, rules, seed, restart=False).snapshot()
        """GAME[1]: the current state of the table."""
        start_game(self.game)
        self.shown = self.game.copy()
        """The record to display: the current state, or between rounds the last round's end before payments."""
        self.ends: list[np.void] = []
        """The finished rounds, each after its payments, as in `Ended.records`."""

    @property
    def game(self) -> np.void:
        """The record of the table."""
        return self.games[0]

    @property
    def is_playing(self) -> bool:
        """Whether a round is being played."""
        return bool(r.PHASE_DEAL < self.game["phase"] < r.PHASE_STOP)

    def decisions(self) -> Decisions:
        """Return the pending decisions, in order of seat; none between rounds and when the game is over."""
        seats = [seat for seat in range(r.SEATS) if self.game["pending"] >> seat & 1]
        legal = [legal_mask(self.game, seat) for seat in seats]
        n = len(seats)
        situation = np.full(n, self.game["phase"], np.uint8)
        return Decisions(np.zeros(n, np.int32), np.array(seats, np.uint8), situation, np.array(legal))

    def deal(self) -> None:
        """Deal the next round."""
        wall = self._walls(self._seed, int(self.game["deals"])) if self._walls else None
        if wall is not None:
            self.game["wall"], self.game["wall_given"] = wall, 1
        deal(self._lookup, self.game)
        self._run()

    def step(self, actions: Mapping[int, int]) -> None:
        """Carry out an action for each seat that must act; raises IllegalAction without changing anything."""
        for seat, action in actions.items():
            if not is_legal(self.game, seat, action):
                raise IllegalAction(0, seat, action, legal_mask(self.game, seat))
        for seat, action in actions.items():
            answer(self.game, seat, action)
        if self.game["phase"] == r.PHASE_STOP:
            resolve_stop(self.game)
            self.ends.append(self.game.copy())
        else:
            self._run()

    def _run(self) -> None:
        advance(self._lookup, self.game, False, r.NO_TILE, r.NO_TILE)
        self.shown = self.game.copy()
        if self.game["phase"] == r.PHASE_ROUND_OVER:
            finish_round(self.game)
            if self.game["phase"] != r.PHASE_STOP:  # otherwise the round ends after the dealer's choice
                self.ends.append(self.game.copy())


class Host(GameSession):
    """A game at our table."""

    def __init__(
        self, rules: Rules, seed: int, agents: Mapping[int, Agent], names: list[str], source: str, tell: Tell,
        seat: int | None = None, walls: Walls | None = None,
    ) -> None:  # fmt: skip
        """agents: by seat. source: name of the log. seat: the person's; None for nobody's. walls: as in `LiveTable`."""
        super().__init__(tell, names)
        self._rules, self._agents, self._source, self._seat = rules, agents, source, seat
        self._table = LiveTable(rules, seed, walls)
        self._positions = self._updates = 0
        self._result: Result | None = None

    def question_at(self, number: int) -> AnsweredQuestion | None:
        """Return a pending question by its number, with one of its legal actions."""
        question = self.question
        if question is None or question.number != number or question.situation == ROUND_OVER:
            return None
        return self._answer(question.choices[0].action)

    def _answer(self, action: int) -> AnsweredQuestion:
        decisions, seat = self._table.decisions(), self._seat
        assert seat is not None  # there is a person
        legal = decisions.legal[decisions.seat.tolist().index(seat)]
        return AnsweredQuestion(self._table.game.copy(), self._rules, seat, legal, action)

    def log(self) -> GameLog:
        """Return the log of the finished rounds."""
        return game_log(np.array(self._table.ends, r.GAME), self._rules, self.names, self._source)

    def _carry_out(self, action: int) -> None:
        if action == NEXT_ROUND:
            self._result, self._updates = None, 0
            self.answered.clear()
            self._table.deal()
        else:
            self._step(action)
        while True:
            decisions = self._table.decisions()
            seats, seat = decisions.seat.tolist(), self._seat
            if seat is not None and seat in seats:
                legal = decisions.legal[seats.index(seat)]
                question = question_of(self._table.game, seat, legal, self._questions + 1)
                automatic = self.automatic(question)
                if automatic is None:
                    self._ask(question)
                    return
                self._show(None)
                self._step(automatic)
            elif seats:
                if is_public(self._table.game):
                    self._show(None)
                self._step(None)
            else:
                is_over = self._table.game["phase"] == r.PHASE_GAME_OVER
                self._ask(None if is_over else next_round_question(self._questions + 1))
                return

    def _step(self, action: int | None) -> None:
        """Carry out the person's action, if any, together with the agents' choices."""
        decisions = self._table.decisions()
        forced = decisions.legal.sum(1) == 1
        actions = dict(zip(decisions.seat[forced].tolist(), decisions.legal[forced].argmax(1).tolist(), strict=True))
        if action is not None and self._seat is not None:
            self.answered.append(self._answer(action))
            actions[self._seat] = action
        rest = ~np.isin(decisions.seat, list(actions))
        theirs = Decisions(decisions.game[rest], decisions.seat[rest], decisions.situation[rest], decisions.legal[rest])
        agents = list(dict.fromkeys(self._agents.values()))  # one that has several seats chooses for all at once
        who = np.array([agents.index(self._agents[seat]) for seat in theirs.seat.tolist()], np.int64)
        chosen, _ = act_each(agents, who, self._table.games, theirs)
        actions.update(zip(theirs.seat.tolist(), chosen.tolist(), strict=True))
        was_playing = self._table.is_playing
        self._table.step(actions)
        if was_playing and not self._table.is_playing:
            self._result = result_of(self._table.game, self._rules)

    def _ask(self, question: SeatQuestion | None) -> None:
        super()._ask(question)
        if self._result and (question is None or question.situation == ROUND_OVER):
            shown, end = self._table.shown, self._table.ends[-1]
            self._ended(int(shown["round"]), int(shown["repeat_counter"]), self._result, end)
            if self._seat is None:
                rules = self._rules
                log = GameLog(rules, [round_log(end, rules)], names=self.names, source=self._source)
                self._tell(len(self.rounds) - 1, round_of(played(log, np.array([end], r.GAME)), 0))
        self._show(question)

    def _show(self, question: SeatQuestion | None) -> None:
        """Report the current position to the person."""
        if self._seat is None:
            return
        shown = self._table.shown
        events = self._table.game if self._result else shown  # only the record after the payments has the outcome
        self._positions += 1
        moves = moves_since(events, self._updates)
        self._updates = int(events["n_events"])
        position = position_of(shown, self._seat, self._positions, moves, question, self._result)
        self._tell(self._positions, position)


class Recorded(GameSession):
    """The first game of a log."""

    def __init__(self, data: bytes, source: str, tell: Tell) -> None:
        """data: a log or an archive; source: its name. Raises LogError, with the place, if it cannot be played."""
        self._game = replay(game_of_upload(data, source))
        super().__init__(tell, [clean(name) for name in self._game.log.names])

    def log(self) -> GameLog:
        """Return the whole log."""
        return self._game.log

    def _carry_out(self, action: int) -> None:
        number, end = len(self.rounds), self._game.ends[len(self.rounds)]
        logged = self._game.log.played[number]
        self._ended(logged.round, logged.repeat_counter, result_of(end, self._game.log.rules), end)
        self._tell(number, round_of(self._game, number))
        is_over = number + 1 == len(self._game.ends)
        self._ask(None if is_over else next_round_question(self._questions + 1))
