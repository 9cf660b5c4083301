"""Clients of the original protocol: they come to a port, join, and answer every event."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import socket
import struct
import threading

import pytest
from hosted import LIMITS, Client, play

from suphx.errors import InputError
from suphx.mjai.host.connections import Door
from suphx.mjai.host.specs import TcpAgent


@pytest.fixture
def door():
    opened = Door("127.0.0.1", 0, dataclasses.replace(LIMITS, start=10.0))
    yield opened
    opened.close()


def test_a_client_plays_a_game(door):
    agent = TcpAgent(door, LIMITS)
    client = Client(door.port, "anna")
    (game,) = play(agent)
    client.join(10)
    assert agent.name == "anna" and agent.verdict.faults == {}
    told = [event["type"] for event in client.heard]
    assert told[:3] == ["hello", "start_game", "start_kyoku"] and told[-2:] == ["end_kyoku", "end_game"]
    assert told.count("start_kyoku") == len(game.rounds)
    assert client.heard[0] == {"type": "hello", "protocol": "mjsonp", "protocol_version": 3}


def test_it_comes_again_for_the_next_game(door):
    agent = TcpAgent(door, LIMITS)
    client = Client(door.port, "anna", games=2)
    assert len(play(agent, 2)) == 2
    client.join(10)
    assert [event["type"] for event in client.heard].count("start_game") == 2
    assert agent.verdict.faults == {}


def test_each_bot_gets_its_own_clients_back(door):
    Client(door.port, "anna")
    assert door.take().name == "anna"
    Client(door.port, "berta")
    Client(door.port, "anna")
    assert door.take("anna").name == "anna"
    assert door.take("berta").name == "berta"


@pytest.mark.faults
def test_one_who_hangs_up_is_played_for(door):
    agent = TcpAgent(door, LIMITS)
    Client(door.port, "anna", hangs_up_after=30)
    (game,) = play(agent)
    assert agent.verdict.faults == {"gone": 1} and "it closed the connection" in game.faults[0][0]


@pytest.mark.faults
@pytest.mark.parametrize("line", ["hello\n", '{"type":"none"}\n', "[" * 10_000 + "\n", '{"type":"join","name":5}\n'])
def test_who_does_not_join_is_told_so_and_sent_away(door, line):
    with socket.create_connection(("127.0.0.1", door.port), timeout=10) as stranger, stranger.makefile("rw") as lines:
        lines.write(line)
        lines.flush()
        Client(door.port, "anna")
        assert door.take("anna").name == "anna"
        assert json.loads(lines.readline())["type"] == "hello"
        assert json.loads(lines.readline())["type"] == "error"
        assert lines.readline() == ""


@pytest.mark.faults
@pytest.mark.parametrize(
    "rubbish",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)),  # the first bytes of TLS
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"\xff\xfe" * 1000 + b"\n",
        b'{"type":"join","name":"\xff","room":"default"}\n',
        b'{"type":"join","name":"anna"' + b"\0" * 200_000,  # a line without an end
        b"\n" * 100_000,
    ],
)
def test_who_sends_rubbish_keeps_nobody_out(door, rubbish):
    """What is no mjai is sent away, whether it waits, hangs up or resets the connection."""
    strangers = [socket.create_connection(("127.0.0.1", door.port), timeout=30) for _ in range(3)]
    for stranger in strangers:
        with contextlib.suppress(ConnectionError):
            stranger.sendall(rubbish)
    strangers[0].shutdown(socket.SHUT_WR)
    strangers[1].setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    strangers[1].close()
    Client(door.port, "berta")
    assert door.take("berta").name == "berta"
    for stranger in (strangers[0], strangers[2]):
        stranger.close()


@pytest.mark.faults
def test_who_has_joined_and_writes_before_its_game_is_sent_away(door):
    with socket.create_connection(("127.0.0.1", door.port), timeout=10) as eager, eager.makefile("rw") as lines:
        lines.write('{"type":"join","name":"anna","room":"default"}\n{"type":"none"}\n')
        lines.flush()
        Client(door.port, "berta")
        assert door.take("berta").name == "berta"
        assert json.loads(lines.readline())["type"] == "hello"
        assert "before its game begins" in json.loads(lines.readline())["message"]
        assert lines.readline() == ""


@pytest.mark.faults
def test_who_has_joined_and_writes_without_end_fills_nothing():
    door = Door("127.0.0.1", 0, dataclasses.replace(LIMITS, start=2.0))

    def flood():
        with socket.create_connection(("127.0.0.1", door.port), timeout=30) as endless:
            endless.sendall(b'{"type":"join","name":"anna","room":"default"}\n')
            with contextlib.suppress(ConnectionError):
                while True:
                    endless.sendall(b"{}\n" * 20_000)

    flooding = threading.Thread(target=flood, daemon=True)
    flooding.start()
    with pytest.raises(InputError, match="no client named 'berta'"):
        door.take("berta")
    flooding.join(10)
    assert not flooding.is_alive()
    door.close()


@pytest.mark.faults
def test_a_crowd_at_the_door_is_not_let_in(door):
    crowd = [socket.create_connection(("127.0.0.1", door.port), timeout=10) for _ in range(40)]
    Client(door.port, "anna")
    try:
        for each in crowd[:30]:
            each.close()
        assert door.take("anna").name == "anna"
    finally:
        for each in crowd:
            each.close()


@pytest.mark.faults
def test_nobody_comes():
    door = Door("127.0.0.1", 0, dataclasses.replace(LIMITS, start=0.05))
    with pytest.raises(InputError, match=r"no client has joined at port \d+ within 0\.05 s"):
        play(TcpAgent(door, LIMITS))
    door.close()


@pytest.mark.faults
def test_a_port_that_is_taken_is_said(door):
    with pytest.raises(InputError, match=f"127.0.0.1:{door.port} cannot be listened on"):
        Door("127.0.0.1", door.port, LIMITS)


@pytest.mark.faults
def test_what_is_no_host_is_said():
    with pytest.raises(InputError, match=r"a\.\.b:0 cannot be listened on"):
        Door("a..b", 0, LIMITS)
