"""What the tests of games that are watched share: starting one, and what is told of it."""

from __future__ import annotations

import json
from typing import Any

import requests

SENSIBLE = ["sensible"] * 4


def begin(address: str, agents: list[str] = SENSIBLE, seed: int = 1) -> str:
    """Start a game of agents; return its id."""
    answer = requests.post(f"{address}/api/games/live", data={"agent": agents, "seed": seed}, timeout=60)
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def told(address: str, game: str, after: int = -1, **headers: str) -> list[tuple[str, int | None, Any]]:
    """Return the events (name, id, data) of a game's rounds after one, to the end of the stream."""
    path = f"{address}/api/games/{game}/events"
    answer = requests.get(path, params={"after": after}, headers=headers, timeout=120)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    found = []
    for event in answer.text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in event.split("\n"))
        if "event" not in fields:  # a sign of life
            continue
        found.append((fields["event"], int(fields["id"]) if "id" in fields else None, json.loads(fields["data"])))
    return found


def to_the_end(address: str, game: str) -> tuple[list[dict], dict]:
    """Follow a game to its end; return its rounds and its last status."""
    rounds: list[dict] = []
    while True:
        *new, (last, _, status) = told(address, game, len(rounds) - 1)
        rounds += [data for _, _, data in new]
        if last != "more":
            return rounds, status
