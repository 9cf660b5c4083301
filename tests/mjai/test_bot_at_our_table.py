"""Our bot at our own host, as processes: in all three styles, and by TCP; the host finds no fault."""

from __future__ import annotations

import json
import shlex
import socket
import subprocess
import sys
import time

import pytest

SUPHX = [sys.executable, "-m", "suphx"]
BOT = [*SUPHX, "bot", "--agent", "sensible", "--threads", "1"]
PATIENCE = ["--timeout", "60", "--start-timeout", "120", "--strict", "--json"]


def match(*arguments: str) -> list[str]:
    return [*SUPHX, "match", *arguments, *PATIENCE]


@pytest.mark.full
def test_every_style_of_replies() -> None:
    bot = shlex.join(BOT)
    done = subprocess.run(
        match(f"bot-every:{bot}", f"bot-acting:{bot} --replies acting", f"bot:{bot}", "sensible", "--games", "1"),
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)


def test_by_tcp() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    command = match("tcp", "sensible", "sensible", "sensible", "--games", "1", "--port", port)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as host:
        until = time.monotonic() + 60
        bot = None
        while host.poll() is None and time.monotonic() < until:  # the host listens once it has started
            bot = subprocess.run([*BOT, "--connect", f"127.0.0.1:{port}"], capture_output=True, text=True, check=False)
            if "refused" not in bot.stderr:
                break
        output, errors = host.communicate(timeout=120)
    assert bot is not None and bot.returncode == 0, bot
    assert host.returncode == 0, output + errors
