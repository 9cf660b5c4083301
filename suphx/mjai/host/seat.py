"""One bot in one seat of one game: the lines it is sent, the replies it owes, which may be anything, and its faults."""

import json
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from simulator.actions import Action, IllegalReply, read_reply
from simulator.logs.mjai_writer import player_view
from simulator.views.mjai_events import Event
from suphx.mjai.host.channel import Overlong
from suphx.mjai.host.connections import Connection, shown
from suphx.mjai.host.limits import ILLEGAL, LATE, LOST, TOO_MUCH, UNASKED, UNMATCHED, UNREADABLE, Limits, Verdict

#: `array`: a line is a JSON array of all events since the last one, and each line gets a reply (mjai.app).
#: `every`: a line is one event, and each line gets a reply, `none` where there is nothing to do (the original).
#: `acting`: a line is one event, and only an event on which the bot may act gets a reply (Mortal); `can_act` marks it.
Style = Literal["array", "every", "acting"]
STYLES: tuple[Style, ...] = get_args(Style)
_NONE: Event = {"type": "none"}
#: The fields that are read, with their types.
_FIELDS: dict[str, type] = {"type": str, "actor": int, "target": int, "pai": str, "tsumogiri": bool, "consumed": list}


def lines(style: Style, events: Sequence[Event], may_act: bool) -> list[tuple[bytes, int | None]]:
    """Return lines for events, each with the index of the event that a reply answers; may_act: on the last event."""
    if not events:
        return []
    last = len(events) - 1
    if style == "array":
        return [(_line(list(events)), last)]
    if style == "every":
        return [(_line(event), index) for index, event in enumerate(events)]
    answered = [may_act and index == last for index in range(len(events))]
    parts = (_line(event | {"can_act": may}) for event, may in zip(events, answered, strict=True))
    return [(line, last if may else None) for line, may in zip(parts, answered, strict=True)]


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class BadReply(ValueError):
    """A line that is not an mjai action."""


def read_action(line: bytes) -> Event:
    """Return the action in a line, with only the fields that matter; raises BadReply."""
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        raise BadReply(f"not JSON: {shown(line)}") from None
    if reply is None:
        return _NONE
    if not isinstance(reply, dict) or not isinstance(reply.get("type"), str):
        raise BadReply(f"not an mjai action: {shown(line)}")
    action = {name: reply[name] for name in _FIELDS if reply.get(name) is not None}
    for name, value in action.items():
        fits = isinstance(value, _FIELDS[name])
        if not fits or (name == "consumed" and not (value and all(isinstance(each, str) for each in value))):
            raise BadReply(f"{name!r} of this action cannot be read: {shown(line)}")
    return action


@dataclass(frozen=True)
class _Due:
    """A reply that is due."""

    is_answer: bool
    """Whether it answers a question; otherwise the seat has no choice at this event."""
    played: Event | None = None
    """The forced move that the table played for the seat at this event, which the bot may also reply with."""


class HostedSeat:
    """A bot in its seat for one game: `ask` it, then `poll` until it is `answered`; `answer` is None if not valid."""

    def __init__(
        self, seat: int, connection: Connection, style: Style, limits: Limits, owes: bool | None = None
    ) -> None:
        """Begin a game; owes: for a bot reused from another game, whether it still owes a reply; None for a new bot."""
        self.seat = seat
        self.connection = connection
        self.dismissed = False
        """Whether it is not asked again in this game."""
        self.started = owes is not None
        """Whether it has answered a question, so that it needs no more time to start."""
        self.verdict = Verdict(games=1)
        self.answered = True
        self.answer: Action | None = None
        self.deadline = 0.0
        """The time by which it must answer (time.monotonic)."""
        self._style, self._limits = style, limits
        self._waiting: list[Event] = []
        self._unsent: deque[tuple[bytes, _Due | None]] = deque()
        """Lines that wait for the reply to the previous one, each with the reply that will be due to it."""
        self._due = _Due(is_answer=False) if owes else None
        self._legal: Sequence[Action] = ()
        self._asked_at = 0.0
        self._place = ""

    def tell(self, events: Sequence[Event]) -> None:
        """Queue events, to be sent with the next `send` or `ask`."""
        if not self.dismissed:
            self._waiting += player_view(events, self.seat)

    def send(self, may_act: bool = False) -> None:
        """Send the queued events; may_act: whether the last of them is a question."""
        if self.dismissed:
            return
        events, self._waiting = self._waiting, []
        for line, on in lines(self._style, events, may_act):
            due = None
            if on is not None:
                is_last = on + 1 == len(events)
                played = None if is_last or events[on + 1].get("actor") != self.seat else events[on + 1]
                due = _Due(may_act and is_last, played)
            self._unsent.append((line, due))
        self._send_on()

    def ask(self, legal: Sequence[Action], place: str) -> None:
        """Send the queued events and ask for an action; place: the moment of the game as text, for fault messages."""
        self._receive()  # lines that came before the question do not answer it
        self.answer, self.answered = None, self.dismissed
        if self.dismissed:
            return
        self._legal, self._place = legal, place
        self._asked_at = time.monotonic()
        self.deadline = self._asked_at + (self._limits.decision if self.started else self._limits.start)
        self.verdict.decisions += 1
        self.send(may_act=True)
        self.poll()

    def poll(self) -> None:
        """Read what has arrived; the question is `answered` by an answer, a fault, or a timeout."""
        self._receive()
        if not self.answered and time.monotonic() >= self.deadline:
            self.answered = True
            limit = self.deadline - self._asked_at
            self._add(LATE, f"no answer within {limit:g} s{self.connection.last_words()}")
            if not self.started or self.verdict.faults[LATE] >= self._limits.late:
                self.dismiss()

    def dismiss(self) -> None:
        """Kill the bot; it is not asked again in this game."""
        self.dismissed = self.answered = True
        self._waiting.clear()
        self.connection.kill()

    @property
    def owes(self) -> bool:
        """Whether a reply is due that has not come yet."""
        return self._due is not None

    @property
    def has_heard_all(self) -> bool:
        """Whether everything queued has been sent."""
        return self.dismissed or not (self._unsent or self.connection.channel.sending)

    def give_up_telling(self) -> None:
        """Record as a fault that it did not read the end of the game in time, and dismiss it."""
        self._add(LATE, f"it did not hear the game out{self.connection.last_words()}")
        self.dismiss()

    def _add(self, kind: str, words: str) -> None:
        self.verdict.add_fault(kind, f"{self._place}: {words}" if self._place else words)

    def _send_on(self) -> None:
        """Send lines up to and including the next one that needs a reply; like the original server, wait there."""
        while self._unsent and not self._due:
            line, self._due = self._unsent.popleft()
            self.connection.channel.send(line)

    def _receive(self) -> None:
        if self.dismissed:
            return
        channel = self.connection.channel
        try:
            channel.pump()
        except Overlong as error:
            self._add(TOO_MUCH, str(error))
            self.dismiss()
            return
        while channel.lines and not self.dismissed:
            self._take(channel.lines.popleft())
        if (channel.ended or channel.refused) and not self.dismissed:
            self._add(LOST, self.connection.ending())
            self.dismiss()

    def _take(self, line: bytes) -> None:
        due, self._due = self._due, None
        if due is None:
            self._add(UNASKED, f"a line that nobody asked for: {shown(line)}")
            if self.verdict.faults[UNASKED] > self._limits.unasked:
                self.dismiss()
            return
        is_now = due.is_answer and not self._unsent and not self.answered
        self._send_on()
        if due.is_answer and not is_now:
            return  # too late: a substitute was played
        try:
            action = read_action(line)
        except BadReply as error:
            self._add(UNREADABLE, str(error))
            self.answered = self.answered or is_now
            return
        if is_now:
            seconds = time.monotonic() - self._asked_at
            self.verdict.seconds += seconds
            if self.started:
                self.verdict.slowest = max(self.verdict.slowest, seconds)
            self.started = True
            self._decide(action, line)
        elif action["type"] != "none" and (due.played is None or action["type"] != due.played["type"]):
            self._add(UNMATCHED, f"{shown(line)}, where it had no choice")

    def _decide(self, action: Event, line: bytes) -> None:
        self.answered = True
        try:
            self.answer = read_reply(action, self.seat, self._legal)
        except IllegalReply:
            legal = ", ".join(action.to_mjai() for action in self._legal)
            self._add(ILLEGAL, f"{shown(line)}; legal: {legal}")
