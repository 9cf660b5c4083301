"""What a bot replies to which line, in each of the styles in use; and how it ends where its input is wrong."""

from __future__ import annotations

import io
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator

import numpy as np
import pytest
from typer.testing import CliRunner

from simulator.game import Game
from simulator.logs.mjai_words import Event
from simulator.logs.mjai_writer import player_view
from simulator.tables import Decisions
from suphx.agent.interface import Agent, AgentOutput
from suphx.agent.registry import load_agent
from suphx.cli import app
from suphx.errors import InputError
from suphx.mjai.bot.bot import MAX_LINE, Bot, Server, converse, play_at
from suphx.mjai.bot.seat import EventError, Seat

HAND = ["2m", "3m", "4m", "6p", "7p", "8p", "5s", "5s", "6s", "9s", "E", "P", "P"]
HIDDEN = ["?"] * 13
START_GAME: Event = {"type": "start_game", "id": 1, "names": ["a", "b", "c", "d"]}
START: Event = {
    "type": "start_kyoku", "bakaze": "E", "kyoku": 1, "honba": 0, "kyotaku": 0, "oya": 0, "dora_marker": "1m",
    "scores": [25000] * 4, "tehais": [HIDDEN, HAND, HIDDEN, HIDDEN],
}  # fmt: skip
DRAW_0: Event = {"type": "tsumo", "actor": 0, "pai": "?"}
WHITE_0: Event = {"type": "dahai", "actor": 0, "pai": "P", "tsumogiri": False}
NORTH_0: Event = {"type": "dahai", "actor": 0, "pai": "N", "tsumogiri": True}
DRAW_1: Event = {"type": "tsumo", "actor": 1, "pai": "1p"}
PONG: Event = {"type": "pon", "actor": 1, "target": 0, "pai": "P", "consumed": ["P", "P"]}
NONE: Event = {"type": "none"}


class Caller:
    """Calls and kongs whatever it can; otherwise discards the highest kind. Counts how often it is asked."""

    name = "caller"

    def __init__(self) -> None:
        self.asked = 0

    def act(self, games: np.ndarray, decisions: Decisions) -> AgentOutput:
        self.asked += 1
        legal = np.flatnonzero(decisions.legal[0])
        calls = legal[legal > 38]
        chosen = calls[:1] if len(calls) else legal[-1:]
        return AgentOutput(chosen)


def bot(**options: object) -> Bot:
    return Bot(Caller(), Seat(), **options)  # type: ignore[arg-type]


def talk(ours: Bot, *events: Event) -> list[Event | None]:
    return [ours.react(event) for event in events]


def test_an_array_of_events_gets_one_reply() -> None:
    ours = bot()
    assert ours.react([START_GAME]) == NONE
    assert ours.react([START, DRAW_0, WHITE_0]) == PONG
    assert ours.react([PONG])["type"] == "dahai"  # type: ignore[index]


def test_every_event_gets_a_reply() -> None:
    said = talk(bot(), START_GAME, START, DRAW_0, WHITE_0, PONG)
    assert said[:4] == [NONE, NONE, NONE, PONG]
    assert said[4] == {"type": "dahai", "actor": 1, "pai": "E", "tsumogiri": False}


def test_a_field_that_is_null_is_as_good_as_absent() -> None:
    start_game = START_GAME | {"kyoku_first": None, "aka_flag": None, "names": None}
    start = START | {"oya": None, "kyotaku": None, "scores": None}
    plain = talk(bot(), START_GAME, START, DRAW_0, WHITE_0, PONG)
    nulls = [event | {"can_act": None, "cans": None} for event in (DRAW_0, WHITE_0, PONG)]
    assert talk(bot(), start_game, start, *nulls) == plain


def test_only_events_on_which_the_seat_can_act_get_a_reply() -> None:
    said = talk(bot(replies="acting"), START_GAME, START, DRAW_0, NORTH_0, DRAW_1)
    assert said[:4] == [None] * 4
    assert said[4] is not None and said[4]["type"] == "dahai"
    assert talk(bot(replies="acting"), START_GAME, START, DRAW_0, WHITE_0) == [None, None, None, PONG]


def test_without_can_act_nobody_thinks() -> None:
    ours = bot()
    assert talk(ours, START_GAME, START, DRAW_0, WHITE_0 | {"can_act": False})[-1] == NONE
    assert ours.agent.asked == 0  # type: ignore[attr-defined]
    assert ours.react({"type": "dora", "dora_marker": "9p", "can_act": True}) == PONG


def test_where_one_cannot_act_can_act_changes_nothing() -> None:
    assert talk(bot(), START_GAME, START, DRAW_0 | {"can_act": True})[-1] == NONE
    assert talk(bot(replies="acting"), START_GAME, START | {"can_act": False})[-1] is None


def test_a_question_is_answered_once() -> None:
    ours = bot()
    talk(ours, START_GAME, START, DRAW_0, WHITE_0)
    assert ours.react({"type": "dora", "dora_marker": "9p"}) == NONE


def test_the_host_may_move_for_the_bot() -> None:
    """A host that has lost patience goes on as it likes; what counts is what its events say."""
    ours = bot()
    other = DRAW_0 | {"actor": 2}
    talk(ours, START_GAME, START, DRAW_0, WHITE_0, DRAW_1)
    assert ours.react({"type": "dahai", "actor": 1, "pai": "9s", "tsumogiri": False}) == NONE
    assert ours.react(other) == NONE


def test_after_riichi_the_discard_is_asked_for() -> None:
    ready = ["1m", "1m", "1m", "2m", "3m", "4m", "6p", "7p", "8p", "5s", "6s", "E", "E"]
    ours = Bot(load_agent("tsumogiri"), Seat())
    start = START | {"tehais": [HIDDEN, ready, HIDDEN, HIDDEN], "dora_marker": "9m"}
    talk(ours, START_GAME, start, DRAW_0, NORTH_0, DRAW_1)
    said = ours.react({"type": "reach", "actor": 1})
    assert said == {"type": "dahai", "actor": 1, "pai": "1p", "tsumogiri": True}


def test_the_seat_is_the_one_that_start_game_names_or_whose_hand_is_shown() -> None:
    unnamed = {"type": "start_game", "names": ["a", "b", "c", "d"]}
    assert talk(bot(), unnamed, START, DRAW_0, WHITE_0)[-1] == PONG
    assert talk(bot(), START, DRAW_0, WHITE_0)[-1] == PONG
    with pytest.raises(EventError, match="--seat"):
        talk(bot(), unnamed, START | {"tehais": [HAND, HAND, HIDDEN, HIDDEN]})


def test_red_fives_are_the_hosts_to_say() -> None:
    plain = HAND[:6] + ["5s"] * 4 + HAND[10:]
    start = START | {"tehais": [HIDDEN, plain, HIDDEN, HIDDEN]}
    assert talk(bot(), START_GAME | {"aka_flag": False}, start) == [NONE, NONE]
    with pytest.raises(EventError, match="more 5s than there are"):
        talk(bot(), START_GAME, start)


def test_points_follow_from_payments_where_the_host_does_not_say_them() -> None:
    """The original has no `scores` in start_kyoku."""
    ours = bot()
    unsaid = {key: value for key, value in START.items() if key != "scores"}
    talk(ours, START_GAME, unsaid, DRAW_0, WHITE_0)
    talk(
        ours,
        {"type": "hora", "actor": 2, "target": 0, "pai": "P", "deltas": [-8000, 0, 8000, 0]},
        {"type": "end_kyoku"},
    )
    talk(ours, unsaid | {"kyoku": 2, "oya": 1})
    assert ours.seat.record["scores"].tolist() == [17000, 25000, 33000, 25000]


def test_meta_tells_what_the_networks_said() -> None:
    ours = Bot(load_agent("untrained", seed=1), Seat(), meta=True)
    said = talk(ours, START_GAME, START, DRAW_0, WHITE_0)[-1]
    assert said is not None
    (question,) = said["meta"]["questions"]
    assert question["model"] == "pong" and question["action"] == PONG
    assert 0 <= question["probabilities"]["yes"] <= 1
    said = talk(ours, {"type": "tsumo", "actor": 1, "pai": "1p"})[-1]
    assert said is not None
    discard = said["meta"]["questions"][-1]
    assert discard["model"] == "discard" and sum(discard["probabilities"].values()) == pytest.approx(1, abs=1e-3)
    assert set(discard["probabilities"]) == {*HAND, "1p"}


def test_a_host_that_says_hello_is_told_who_we_are() -> None:
    assert bot(name="me", room="here").react({"type": "hello"}) == {"type": "join", "name": "me", "room": "here"}


def test_unknown_events_are_told_once_and_ignored(capsys: pytest.CaptureFixture[str]) -> None:
    ours = Bot(Caller(), Seat())
    assert talk(ours, START_GAME, {"type": "weather"}, {"type": "weather"}, START) == [NONE] * 4
    assert capsys.readouterr() == ("", "suphx bot: unknown event 'weather' is ignored\n")


def conversation(text: bytes) -> list[Event]:
    replies = io.BytesIO()
    converse(bot(), io.BytesIO(text), replies)
    return [json.loads(line) for line in replies.getvalue().splitlines()]


def line(*events: Event) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


@pytest.mark.faults
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"{bad\n", "line 1 is not JSON"),
        (line(START_GAME) + b"\n\xff\xfe\n", "line 3 is not JSON"),
        (b"[" * 100_000 + b"\n", "line 1 is not JSON"),
        (b" " * (MAX_LINE + 1), "line 1 is longer than 1,048,576 bytes"),
        (b"5\n", "line 1: an event is a JSON object with a `type`"),
        (b"[]\n", "line 1: an array without events"),
        (line(START), "line 1, in the middle of a round"),
        (line(START_GAME | {"id": 4}), "line 1: start_game: id is '4', not 0 to 3"),
        (line(START_GAME, DRAW_0), "line 2: tsumo outside of a round"),
        (line(START_GAME, START | {"oya": 1}), "line 2: start_kyoku: oya is 1"),
        (line(START_GAME, START, WHITE_0), "line 3: dahai: it is not seat 0's to do that now"),
        (line(START_GAME, START, DRAW_0, WHITE_0 | {"pai": "7z"}), "line 4: dahai: '7z' is not a tile"),
        (line(START_GAME, START, DRAW_0 | {"actor": 2}), "line 3: tsumo: seat 2 is not to draw"),
        (line(START_GAME, START, DRAW_0, NORTH_0, DRAW_1, NORTH_0 | {"actor": 1}), "line 6: dahai: .* no legal action"),
        (line(START_GAME, START, DRAW_0, {"type": "dahai", "actor": 0}), "line 4: dahai has no 'pai'"),
        (line(START_GAME, {"type": []}), "line 2: an event is a JSON object with a `type`"),
        (line({"type": "error", "message": "illegal move"}), "the host reports an error: illegal move"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_the_input_is_said_with_its_line(text: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        conversation(text)


@pytest.mark.faults
def test_a_host_may_send_anything_and_the_bot_ends_with_an_error_or_goes_on() -> None:
    """Real games with events left out, repeated, exchanged, or with one field from elsewhere."""
    rng = np.random.default_rng(5)
    game = Game(seed=4)
    while not game.over:
        game.step({seat: int(rng.choice(np.flatnonzero(game.mask(seat)))) for seat in game.seats_to_act})
    events = player_view(game.events, 2)
    refused = 0
    for _ in range(300):
        first = int(rng.integers(len(events) - 60))
        wild = [events[0], *(dict(event) for event in events[first : first + 200])]
        starts = [place for place, event in enumerate(wild) if event["type"] == "start_kyoku"]
        wild = wild[:1] + wild[starts[0] :] if starts else wild
        for _ in range(int(rng.integers(1, 6))):
            one, other = (int(place) for place in rng.integers(1, len(wild), 2)) if len(wild) > 1 else (0, 0)
            how = rng.integers(4)
            if how == 0:
                wild[one], wild[other] = wild[other], wild[one]
            elif how == 1:
                wild.insert(one, wild[other])
            elif how == 2:
                wild[one] = {**wild[one], **{key: wild[other][key] for key in wild[other] if key != "type"}}
            else:
                del wild[one]
        try:
            Bot(Caller(), Seat()).react(wild)
        except EventError:
            refused += 1
    assert refused > 100


def test_the_command_ends_well_only_with_good_input() -> None:
    command = ["bot", "--agent", "random"]
    good, process = line(START_GAME, {"type": "end_game"}), [sys.executable, "-m", "suphx", *command]
    done = subprocess.run(process, input=good, capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, 2 * b'{"type":"none"}\n')
    bad = CliRunner().invoke(app, command, input=b"{bad\n")
    assert isinstance(bad.exception, InputError) and bad.stdout == "" and "line 1 is not JSON" in str(bad.exception)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30)
        yield server


def serve(listener: socket.socket, events: list[Event], said: list[Event]) -> threading.Thread:
    """Speak the original protocol to one client: an event, a reply; hang up at the end."""

    def run() -> None:
        client, _ = listener.accept()
        with client, client.makefile("rb") as replies:
            for event in events:
                client.sendall(line(event))
                said.append(json.loads(replies.readline()))

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def address(listener: socket.socket) -> str:
    return f"127.0.0.1:{listener.getsockname()[1]}"


HELLO: Event = {"type": "hello", "protocol": "mjsonp", "protocol_version": 3}


def test_a_client_of_an_mjai_server(listener: socket.socket) -> None:
    said: list[Event] = []
    end = [{"type": "end_kyoku"}, {"type": "end_game"}]
    thread = serve(listener, [HELLO, START_GAME, START, DRAW_0, WHITE_0, *end], said)
    server = Server.parse(f"mjsonp://{address(listener)}/tea")
    play_at(server, bot(name="me", room=server.room))
    thread.join()
    assert said == [{"type": "join", "name": "me", "room": "tea"}, NONE, NONE, NONE, PONG, NONE, NONE]


@pytest.mark.faults
def test_a_server_that_hangs_up_or_is_not_there(listener: socket.socket) -> None:
    thread = serve(listener, [HELLO, START_GAME], [])
    with pytest.raises(InputError, match="hung up before the game was over"):
        play_at(Server.parse(address(listener)), bot())
    thread.join()
    nobody = address(listener)
    listener.close()
    with pytest.raises(InputError, match="Connection refused"):
        play_at(Server.parse(nobody), bot())


@pytest.mark.parametrize(
    "text", ["", "host", "host:x", "http://host:80/room", "mjsonp://:80", "host:99999999", "[::1", "a..b:80"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="no mjai server"):
        Server.parse(text)


def test_agents_are_those_of_every_command() -> None:
    agent: Agent = load_agent("sensible")
    assert Bot(agent, Seat()).react([START_GAME, START, DRAW_0, NORTH_0, DRAW_1])["type"] == "dahai"  # type: ignore[index]
