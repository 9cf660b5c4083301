"""Games with bots for the tests of the host."""

from __future__ import annotations

import contextlib
import json
import socket
import sys
import threading
import time
from pathlib import Path

from simulator.players import player
from simulator.rules import Rules
from suphx.agent.interface import RuleAgent
from suphx.mjai.host.agent import ExternalAgent
from suphx.mjai.host.limits import Limits
from suphx.mjai.host.match import Contestant, MatchGame, play_match
from suphx.mjai.host.seat import Style
from suphx.mjai.host.specs import process_agent

BOTS = Path(__file__).parent / "bots"
#: Enough for an interpreter to start on a busy machine; short for whoever is to be late.
LIMITS = Limits(decision=5.0, start=30.0, exit=0.5)


def bot(script: str, *words: str, style: Style = "array", limits: Limits = LIMITS) -> ExternalAgent:
    """Return the agent of one of the bots here."""
    return process_agent([sys.executable, "-S", str(BOTS / script), *words], style, limits)


def play(agent: ExternalAgent, games: int = 1, seed: int = 0) -> list[MatchGame]:
    """Play East-only games of one bot, which begins on seat 0, against three rule-based players."""
    four = [Contestant(agent), *(Contestant(RuleAgent(player("sensible"))) for _ in range(3))]
    try:
        return list(play_match(four, games, seed, Rules.tenhou_east()))
    finally:
        agent.close()


class Client(threading.Thread):
    """Joins under a name and plays some games, discarding what it draws; hangs up after so many lines."""

    def __init__(self, port: int, name: str, games: int = 1, hangs_up_after: int = 10**9) -> None:
        super().__init__(daemon=True)
        self.port, self.called, self.games, self.left = port, name, games, hangs_up_after
        self.heard: list[dict] = []
        self.start()

    def run(self) -> None:
        with contextlib.suppress(ConnectionResetError):
            self.come()

    def come(self) -> None:
        for _ in range(self.games):
            with self.connected() as server, server.makefile("rw") as lines:
                self.play(lines)

    def connected(self) -> socket.socket:
        """Return a connection, once somebody listens."""
        deadline = time.monotonic() + 20
        while True:
            try:
                return socket.create_connection(("127.0.0.1", self.port), timeout=30)
            except ConnectionRefusedError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def play(self, lines) -> None:
        seat = None
        for line in lines:
            event = json.loads(line)
            self.heard.append(event)
            self.left -= 1
            if event["type"] in ("end_game", "error") or self.left < 0:
                return
            reply: dict = {"type": "none"}
            if event["type"] == "hello":
                reply = {"type": "join", "name": self.called, "room": "default"}
            elif event["type"] == "start_game":
                seat = event["id"]
            elif event["type"] == "tsumo" and event["actor"] == seat:
                reply = {"type": "dahai", "actor": seat, "pai": event["pai"], "tsumogiri": True}
            lines.write(json.dumps(reply) + "\n")
            lines.flush()
