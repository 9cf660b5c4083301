"""The page served as `suphx web` serves it, for the tests: a real server on a free port of the loopback address."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import requests

from suphx.web.app import create_app
from suphx.web.host import Walls
from suphx.web.serving import PageServer, listen


@contextlib.contextmanager
def serving(
    agent: str = "sl",
    logs: Path | None = None,
    games: Path | None = None,
    walls: Walls | None = None,
    shelf: Path | None = None,
) -> Iterator[str]:
    """Yield the address of a running page."""
    listener, address = listen("127.0.0.1", 0)
    app = create_app(agent, logs, games=games, walls=walls, shelf=shelf)
    app.state.warm_up = int  # it takes time, and these tests may wait
    server = PageServer(lambda: app)
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
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
