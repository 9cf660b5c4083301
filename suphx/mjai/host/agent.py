"""An agent whose decisions are made by another program: one mjai bot for each seat of each table."""

import os
import time
from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from simulator.actions import legal_actions
from simulator.logs.mjai_writer import start_game
from simulator.record import DISCARD_DRAWN, PASS, PHASE_STOP, SEATS, STOP
from simulator.rules import EAST_ONLY
from simulator.tables import Decisions
from simulator.views.mjai_events import Event, EventFeed
from simulator.views.table import round_name
from suphx.agent.interface import AgentOutput
from suphx.mjai.host.channel import wait_for
from suphx.mjai.host.connections import Connection
from suphx.mjai.host.limits import NO_EXIT, Limits, Verdict
from suphx.mjai.host.seat import HostedSeat, Style

#: Bots that think at the same time, at the most.
_PARALLEL = os.cpu_count() or 1
Connect = Callable[[int], Connection]


def stand_in(legal: np.ndarray) -> int:
    """Return the action of legal bool[ACTIONS] for a bot without an answer: pass, discard the draw, or the first."""
    for action in (PASS, DISCARD_DRAWN):
        if legal[action]:
            return action
    return int(np.flatnonzero(legal)[0])


def in_mjai_order(events: list[Event]) -> list[Event]:
    """Return events in the original mjai's order: a kong's indicator comes before the discard that reveals it."""
    ordered: list[Event] = []
    for event in events:
        shown = event["type"] == "dora" and ordered and ordered[-1]["type"] == "dahai"
        ordered.insert(len(ordered) - 1 if shown else len(ordered), event)
    return ordered


class ExternalAgent:
    """Bots, each behind its own connection: an `Agent` and a `Follower`. It always stops, as mjai cannot ask."""

    def __init__(self, name: str, connect: Connect, style: Style, limits: Limits, reusable: bool = False) -> None:
        """Make an agent; no bot is started yet. reusable: whether one that has played a game may be given another."""
        self.name = name
        self.verdict = Verdict()
        """The verdict over all finished games."""
        self._connect, self._style, self._limits = connect, style, limits
        self._reusable = reusable
        self._tables: dict[int, dict[int, HostedSeat]] = {}
        """By table and seat."""
        self._feeds: dict[int, EventFeed] = {}
        self._idle: list[tuple[Connection, bool]] = []

    def game_started(self, table: int, game: np.void, seats: Sequence[int], names: Sequence[str] = ()) -> None:
        """Start or reuse bots for a new game and send them its start; names: of all four seats, shown to the bots."""
        names = names or [self.name if seat in seats else "" for seat in range(SEATS)]
        self._feeds[table], hosted = EventFeed(), self._tables.setdefault(table, {})
        for seat in seats:
            connection, owes = self._idle.pop() if self._idle else (self._connect(seat), None)
            hosted[seat] = HostedSeat(seat, connection, self._style, self._limits, owes)
        rules = game["rules"]
        self._tell(table, [start_game(names, rules["length"] == EAST_ONLY, bool(rules["red_fives"]))])
        for each in hosted.values():
            each.send()

    def act(self, games: np.ndarray, decisions: Decisions) -> AgentOutput:
        """Ask the bots for their actions; as many as there are cores think at the same time.

        A bot's time starts when it is asked, not while it waits for others.
        """
        actions = np.array([stand_in(legal) for legal in decisions.legal], np.int64)
        waiting: deque[tuple[int, HostedSeat]] = deque()
        for n, (table, seat) in enumerate(zip(decisions.game.tolist(), decisions.seat.tolist(), strict=True)):
            if decisions.situation[n] == PHASE_STOP:
                actions[n] = STOP
                continue
            self._tell(table, self._feeds[table].new(games[table]))
            waiting.append((n, self._tables[table][seat]))
        thinking: list[tuple[int, HostedSeat]] = []
        while waiting or thinking:
            while waiting and len(thinking) < _PARALLEL:
                n, bot = waiting.popleft()
                game = games[decisions.game[n]]
                bot.ask(legal_actions(game, bot.seat, decisions.legal[n]), _place(game))
                thinking.append((n, bot))
            for n, bot in thinking:
                if not bot.answered:
                    bot.poll()
                if bot.answered and bot.answer is not None:
                    actions[n] = int(bot.answer)
            thinking = [(n, bot) for n, bot in thinking if not bot.answered]
            if len(thinking) == _PARALLEL or (thinking and not waiting):
                soonest = min(bot.deadline for _, bot in thinking)
                wait_for([bot.connection.channel for _, bot in thinking], soonest - time.monotonic())
        return AgentOutput(actions)

    def round_over(self, table: int, record: np.void) -> None:
        """Queue the end of a round for the bots."""
        self._tell(table, self._feeds[table].end_round(record))

    def _tell(self, table: int, events: list[Event]) -> None:
        for bot in self._tables[table].values():
            bot.tell(in_mjai_order(events))

    def game_over(self, table: int) -> list[str]:
        """Tell the bots that the game is over; return messages about their faults."""
        seats = self._tables.pop(table)
        self._tell_out(list(seats.values()))
        playing = [bot for bot in seats.values() if not bot.dismissed]
        if self._reusable:
            self._idle += [(bot.connection, bot.owes) for bot in playing]
        else:
            self._end([bot.connection for bot in playing], [bot.verdict for bot in playing])
        words = []
        for seat, bot in seats.items():
            self.verdict.include(bot.verdict)
            words += [f"seat {seat}: {each}" for each in bot.verdict.fault_words()]
        return words

    def _tell_out(self, bots: Sequence[HostedSeat]) -> None:
        """Send the bots everything still queued, within the time limit of a decision."""
        for bot in bots:
            bot.send()
        deadline = time.monotonic() + self._limits.decision
        while behind := [bot for bot in bots if not bot.has_heard_all]:
            if time.monotonic() >= deadline:
                for bot in behind:
                    bot.give_up_telling()
                return
            wait_for([bot.connection.channel for bot in behind], deadline - time.monotonic())
            for bot in behind:
                bot.poll()

    def close(self) -> None:
        """End all bots, including those of unfinished games."""
        for hosted in self._tables.values():
            for bot in hosted.values():
                if not bot.dismissed:
                    bot.connection.kill()
        self._tables.clear()
        self._end([connection for connection, _ in self._idle], [self.verdict] * len(self._idle))
        self._idle.clear()

    def _end(self, connections: Sequence[Connection], verdicts: Sequence[Verdict]) -> None:
        """Give bots time to exit by themselves; verdicts: where to record for each that it did not."""
        for connection in connections:
            connection.close_input()
        deadline = time.monotonic() + self._limits.exit
        for connection, noted in zip(connections, verdicts, strict=True):
            if words := connection.finish(deadline):
                noted.add_fault(NO_EXIT, words)


def _place(game: np.void) -> str:
    """Return the moment of a decision in its game, as text."""
    return f"{round_name(int(game['round']), int(game['repeat_counter']))}, event {game['n_events']}"
