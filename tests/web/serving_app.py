"""The page served as `suphx web` serves it, for the tests: a real server on a free port of the loopback address."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import requests

from suphx.web.app import create_app
from suphx.web.early import listen
from suphx.web.live_table import Walls
from suphx.web.serving import PageServer


@contextlib.contextmanager
def serving(
    agent: str = "sl",
    logs: Path | None = None,
    games: Path | None = None,
    walls: Walls | None = None,
    shelf: Path | None = None,
) -> Iterator[str]:
    """Yield the address of a running page."""
    listening, address = listen("127.0.0.1", 0)
    server = PageServer(create_app(agent, logs, games=games, walls=walls, shelf=shelf))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield address.rstrip("/")
    finally:
        server.should_exit = True
        thread.join()


def ended(address: str, review: str) -> list[dict]:
    """Follow a review until it has ended; return all that was told of it."""
    with requests.get(f"{address}/api/reviews/{review}/progress", stream=True, timeout=60) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = [line for line in answer.iter_lines(decode_unicode=True) if line]
    return [json.loads(line.removeprefix("data: ")) for line in lines]


def send(address: str, data: bytes, name: str = "game.mjlog") -> str:
    """Send a log; return the id of its review."""
    answer = requests.post(f"{address}/api/reviews", files={"log": (name, data)}, timeout=60)
    assert answer.status_code == 202, answer.text
    return answer.json()["id"]
