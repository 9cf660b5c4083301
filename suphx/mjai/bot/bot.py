"""`Bot`: an agent at one seat behind the mjai protocol: events in, replies out.

Hosts differ in when they want a reply: one for an array of events, one for each event, or one only when the seat can
act. `converse` conducts the whole conversation over any two streams, `play_at` as the client of an mjai server over
TCP: the original form of mjai, `mjsonp://host:port/room`.
"""

import json
import random
import socket
import sys
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal, Self
from urllib.parse import urlsplit

import numpy as np

from simulator.actions import Action, legal_actions
from simulator.game import Game
from simulator.logs.mjai_words import TILE_NAMES, Event
from simulator.logs.mjai_writer import player_view
from simulator.record import NO_ACTION
from simulator.rules import Rules
from simulator.tiles import KINDS
from suphx.agent.interface import Agent, AgentOutput, ModelOutput
from suphx.agent.sampling import softmax
from suphx.errors import InputError
from suphx.mjai.bot.seat import EventError, Seat
from suphx.networks.models import YES

#: Which events outside of arrays get a reply: every event, or only those on which the seat can act.
Replies = Literal["every", "acting"]

#: Maximum length of a line in bytes. A whole hanchan as one array of events has some 50,000.
MAX_LINE = 1 << 20
DEFAULT_ROOM = "default"
#: Moves that are played ahead of the first game.
_WARM_UP = 60
SCHEME = "mjsonp"
_CONNECT_SECONDS = 10.0
_NONE: Event = {"type": "none"}
#: Events that change nothing; a tuple rather than a set, because `type` may be any value, even an unhashable one.
_SILENT = ("none", "join", "hello")


class Bot:
    """An agent at a seat."""

    def __init__(
        self, agent: Agent, seat: Seat, replies: Replies = "every", meta: bool = False, *, name: str = "",
        room: str = DEFAULT_ROOM,
    ) -> None:  # fmt: skip
        """meta: add the networks' outputs to replies. name, room: for hosts that ask who we are (`hello`)."""
        self.agent, self.seat = agent, seat
        self._replies, self._meta = replies, meta
        self._join = {"type": "join", "name": name or agent.name, "room": room}
        self._ignored: set[str] = set()
        self._games = 0
        self._answered = (0, 0, 0)
        self.game_over = False
        """Whether the last event was the end of a game."""

    def react(self, message: Any) -> Event | None:
        """Take an event, or a list of events, and return the reply, or None if none is due.

        `can_act: false` in the (last) event means that no decision is wanted now. Raises EventError for an event that
        cannot be read or cannot happen at this point, and InputError if the host reports an error.
        """
        events = message if isinstance(message, list) else [message]
        if not events:
            raise EventError("an array without events")
        for number, event in enumerate(events, 1):
            try:
                self._take(event)
            except EventError as error:
                raise EventError(f"event {number}: {error}" if len(events) > 1 else str(error)) from error
        last = events[-1]
        if last["type"] == "hello":
            return self._join
        if self.seat.must_act and last.get("can_act") is not False and self._answered != self._decision():
            self._answered = self._decision()
            return self._decide()
        return _NONE if isinstance(message, list) or self._replies == "every" else None

    def _take(self, event: Any) -> None:
        if isinstance(event, dict) and event.get("type") == "error":
            raise InputError(f"the host reports an error: {str(event.get('message', event))[:500]}")
        if isinstance(event, dict) and event.get("type") in _SILENT:
            return
        known = self.seat.take(event)
        kind = event["type"]
        self._games += kind == "start_game"
        self.game_over = kind == "end_game"
        if not known and kind not in self._ignored:
            self._ignored.add(kind)
            words = f"suphx bot: unknown event {kind[:40]!r} is ignored"
            print(words, file=sys.stderr, flush=True)  # stdout belongs to the host

    def _decision(self) -> tuple[int, int, int]:
        """Return an identifier of the pending decision: later events may leave it pending, but it is answered once."""
        record = self.seat.record
        return self._games, int(record["deals"]), int(record["decisions"][self.seat.seat])

    def _decide(self) -> Event:
        choice = self.agent.act(self.seat.games, self.seat.question())
        legal = self.seat.legal()
        reply = next(action.mjai for action in legal if action == choice.actions[0])
        return reply | {"meta": _meta(choice, legal)} if self._meta else reply


def _meta(choice: AgentOutput, legal: list[Action]) -> dict[str, Any]:
    """Return the networks' outputs: for each question its model, the action in question, and the probabilities."""
    by_number = {int(action): action for action in legal}
    questions = []
    for output in choice.outputs:
        for row in range(len(output.decision)):
            option = int(output.option[row])
            question: dict[str, Any] = {"model": output.model}
            if option != NO_ACTION and option in by_number:
                question["action"] = by_number[option].mjai
            questions.append(question | {"probabilities": _probabilities(output, row)})
    return {"questions": questions}


def _probabilities(output: ModelOutput, row: int) -> dict[str, float]:
    """Return the softmax of a question's logits over its legal answers: by kind of tile, or for `yes` alone."""
    logits = np.where(output.legal[row], output.logits[row].astype(np.float64), -np.inf)
    shares = softmax(logits[None])[0].round(5).tolist()
    if len(shares) != KINDS:
        return {"yes": shares[YES]}
    return {TILE_NAMES[kind]: shares[kind] for kind in range(KINDS) if output.legal[row, kind]}


def warm_up(agent: Agent, rules: Rules) -> None:
    """Let an agent play the first moves of a made-up South 4, so that nothing has to be compiled or loaded in a game.

    All seats move at random there, so that calls and kongs occur too. An agent that adapts does so in that round,
    whatever its `first_round` is.
    """
    game, view = Game.from_hands(round=7, rules=rules), Seat(rules)
    player = random.Random(0)
    n_seen = 0
    for _ in range(_WARM_UP):
        for event in player_view(game.events[n_seen:], seat=0):
            view.take(event)
        n_seen = len(game.events)
        if view.must_act:
            agent.act(view.games, view.question())
        seats = game.seats_to_act
        game.step({seat: player.choice(legal_actions(game.record, seat, game.mask(seat))) for seat in seats})


def converse(bot: Bot, lines: BinaryIO, replies: BinaryIO, until_game_over: bool = False) -> None:
    """Answer JSON lines until they end, or until a game is over.

    Raises InputError, with the line number, for a line that is too long or not JSON, for impossible events, and for
    input that ends in the middle of a round.
    """
    number = 0
    while line := lines.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise InputError(f"line {number} is longer than {MAX_LINE:,} bytes")
        if not line.strip():
            continue
        try:
            message = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"line {number} is not JSON: {error or 'nested too deeply'}: {_start(line)}") from error
        try:
            reply = bot.react(message)
        except EventError as error:
            raise InputError(f"line {number}: {error}: {_start(line)}") from error
        if reply is not None:
            replies.write(json.dumps(reply, separators=(",", ":")).encode() + b"\n")
            replies.flush()
        if until_game_over and bot.game_over:
            return
    if bot.seat.in_round:
        raise InputError(f"the input ended after line {number}, in the middle of a round")


def _start(line: bytes) -> str:
    """Return the beginning of a line, for an error message."""
    return repr(line[:200].decode("utf-8", "replace").rstrip()) + ("..." if len(line) > 200 else "")


@dataclass(frozen=True)
class Server:
    """The address of an mjai server and the name of a room there."""

    host: str
    port: int
    room: str = DEFAULT_ROOM

    @classmethod
    def parse(cls, address: str) -> Self:
        """Read `mjsonp://host:port/room`, or `host:port` alone; raises InputError."""
        wrong = InputError(f"no mjai server {address!r}: write {SCHEME}://HOST:PORT/ROOM or HOST:PORT")
        try:
            parts = urlsplit(address if "://" in address else f"{SCHEME}://{address}")
            host, port = parts.hostname or "", parts.port
            host.encode("idna")  # report an invalid name here rather than when it is looked up
        except ValueError:
            raise wrong from None
        if parts.scheme != SCHEME or not host or not port:
            raise wrong
        return cls(host, port, parts.path.strip("/") or DEFAULT_ROOM)


def play_at(server: Server, bot: Bot) -> None:
    """Play a game at a server, replying to every event; raises InputError if it fails, hangs up or is invalid."""
    where = f"{server.host}:{server.port}"
    try:
        with socket.create_connection((server.host, server.port), _CONNECT_SECONDS) as connection:
            connection.settimeout(None)  # other players may think, or stay away, for any length of time
            with connection.makefile("rb") as lines, connection.makefile("wb") as replies:
                converse(bot, lines, replies, until_game_over=True)
    except OSError as error:
        if not bot.game_over:  # after the game, nobody waits for the last reply
            raise InputError(f"the mjai server {where}: {error.strerror or error}") from error
    if not bot.game_over:
        raise InputError(f"the mjai server {where} hung up before the game was over")
