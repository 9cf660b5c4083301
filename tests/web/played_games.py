"""What the tests of games that persons play share: laid walls, a person who talks to the server, and an eager agent."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import requests

from simulator.record import CLOSED_KONG, DISCARD_DRAWN, PASS, PONG, PONG_RED, RON, TSUMO
from simulator.walls import build_wall
from suphx.agent.interface import AgentOutput

#: They win if they can, never call, and discard what they have drawn: what they do is written in the wall.
PLAIN = ["tsumogiri"] * 3

#: A game of four rounds against `PLAIN`, the person at seat 0: a closed kong, a pong, a chow and a tsumo; four
#: winds; riichi and two wins on one discard; thirteen orphans that leave another seat with less than nothing.
WHOLE = 1000
_ORPHANS = "19m19p19s1234567z"
_TANYAO_5S = "234567m234p66s34s"
_ROUNDS = [
    build_wall(["34m67p99p17777s55z"], "1m 5z 9m 1p 5m 9s 1p 9m 8p", indicators="8s 8s", replacements="2z"),
    build_wall(["28m147p369s12345z"], "9m 1z 1z 1z", indicators="5m"),
    build_wall([_TANYAO_5S, "", "345678m345p88s67s"], "9m 5s", indicators="1p", ura="2p"),
    build_wall([_ORPHANS], "5m 1z", indicators="8p"),
]

CHOWS, PONGS, NINE_TERMINALS, ROBBERY, SWAP, LET_GO, ADDED, OWN_WAIT = range(1001, 1009)
_SCENES = {
    CHOWS: build_wall(["", "23506m18p159s124z"], "4m", indicators="9p"),  # the person sits right of the dealer
    PONGS: build_wall(["", "", "550p147m258s1234z"], "5p", indicators="9p"),
    NINE_TERMINALS: build_wall([_ORPHANS], "1m", indicators="8p"),
    ROBBERY: build_wall(  # against `Eager`: seat 1 pongs the dealer's 5s and later adds the red one
        ["147m258p369s1234z", "19m19p1559s12345z", "345678m3459p466s", "258m147p147s1234z"], "5s 6s 8s 8s 0s"
    ),
    SWAP: build_wall(["", "45677m159p19s123z"], "4m", indicators="9p"),
    LET_GO: build_wall([_TANYAO_5S], "9m 5s 9p 9p 9p", indicators="1p"),
    ADDED: build_wall(["147m258p369s1255z"], "9m 5z 9s 9s 9s 5z", indicators="8p"),
    OWN_WAIT: build_wall([_TANYAO_5S], "5s", indicators="1p"),
}


def walls(seed: int, deals: int) -> np.ndarray | None:
    """Return the wall that is laid for a game, by its seed, and a round of it."""
    if seed == WHOLE and deals < len(_ROUNDS):
        return _ROUNDS[deals]
    return _SCENES.get(seed) if deals == 0 else None


class Eager:
    """Takes every win, pong and kong of its own, and discards what it has drawn, or else the first that it may."""

    name = "eager"

    def act(self, games: np.ndarray, asked: Any) -> AgentOutput:
        actions = [self._choose(np.flatnonzero(row).tolist()) for row in asked.legal]
        return AgentOutput(np.array(actions, np.int64))

    def _choose(self, legal: list[int]) -> int:
        kongs = [action for action in legal if CLOSED_KONG <= action < TSUMO]
        for action in (TSUMO, RON, *kongs, PONG, PONG_RED, PASS, DISCARD_DRAWN):
            if action in legal:
                return action
        return legal[0]


class Person:
    """Somebody at the table, who hears and answers as the page does."""

    def __init__(self, address: str, agents: list[str] = PLAIN, game: str = "", **form: Any) -> None:
        """Begin a game, or come to the one that is named."""
        self.address = address
        if not game:
            answer = requests.post(f"{address}/api/play", data={"agent": agents, **form}, timeout=60)
            assert answer.status_code == 201, answer.text
            game = answer.json()["id"]
        self.game = game
        self.told: list[dict] = []
        """All positions."""
        self.clocks: list[dict] = []
        self.last_event = ""
        self._events = self._listen()

    @property
    def url(self) -> str:
        return f"{self.address}/api/play/{self.game}"

    def _listen(self) -> Iterator[tuple[str, Any]]:
        headers = {"Last-Event-ID": self.last_event} if self.last_event else {}
        with requests.get(f"{self.url}/events", headers=headers, stream=True, timeout=60) as answer:
            assert answer.status_code == 200, answer.text
            fields: dict[str, str] = {}
            for line in answer.iter_lines(chunk_size=1, decode_unicode=True):
                if line and not line.startswith(":"):
                    name, _, value = line.partition(": ")
                    fields[name] = value
                elif fields:
                    self.last_event = fields.get("id", self.last_event)
                    yield fields["event"], json.loads(fields["data"])
                    fields = {}

    def hang_up(self) -> None:
        """Close the connection."""
        self._events.close()

    def come_back(self) -> None:
        """Connect again, as a browser does that has heard everything up to the last event."""
        self.hang_up()
        self._events = self._listen()

    def hear(self, until: Callable[[str, Any], bool]) -> Any:
        """Listen until an event (name, data); return its data."""
        for name, data in self._events:
            if name == "position":
                self.told.append(data)
            if name == "clock":
                self.clocks.append(data)
            if until(name, data):
                return data
        raise AssertionError("the server has ended the stream")

    def asked(self) -> dict:
        """Listen until something is asked; return the position."""
        return self.hear(lambda name, data: name == "position" and data["question"] is not None)

    def over(self) -> dict:
        """Listen until the game is over; return its status."""
        return self.hear(lambda name, _: name == "over")

    def post(self, question: int, action: int) -> requests.Response:
        return requests.post(f"{self.url}/answer", data={"question": question, "action": action}, timeout=60)

    def do(self, words: str) -> None:
        """Answer the last question by the words of a choice, `discard 5m`, `chow 4m with 5m6m`."""
        question = self.told[-1]["question"]
        assert self.post(question["number"], self.choices()[words]).status_code == 204

    def play(self, words: str) -> dict:
        """Answer, and listen until something is asked again; return the position."""
        self.do(words)
        return self.asked()

    def choices(self) -> dict[str, int]:
        """Return what can be chosen: words -> action; where a drawn tile is like one of the hand, the drawn one."""
        found = {}
        for each in self.told[-1]["question"]["choices"]:
            words = f"{each['type']} {each['tile']}".strip()
            found[words + (f" with {''.join(each['own'])}" if each["own"] else "")] = each["action"]
        return found

    def last_number(self) -> int:
        return self.told[-1]["number"]

    def own(self) -> dict:
        return self.told[-1]["own"]
