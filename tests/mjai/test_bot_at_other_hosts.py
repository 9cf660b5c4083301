"""Our bot plays whole games hosted by programs that nobody here wrote, and every reply is one that they take."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from suphx.agent.interface import Agent
from suphx.agent.registry import load_agent
from suphx.mjai.bot.bot import Bot
from suphx.mjai.bot.seat import Seat

SEATS = range(4)


def play_in_riichienv(agent: Agent, seed: int) -> int:
    """Play a hanchan on all four seats; return how many replies were given. Each must be a legal action there."""
    from riichienv import GameRule, RiichiEnv

    host = RiichiEnv("4p-red-half", seed=seed, rule=GameRule.default_tenhou())
    bots = [Bot(agent, Seat()) for _ in SEATS]
    asked = host.reset()
    replies = 0
    while not host.done():
        actions = {}
        for seat, seen in asked.items():
            events = [json.loads(event) for event in seen.new_events()]
            reply = bots[seat].react(events)
            action = seen.select_action_from_mjai(json.dumps(reply))
            legal = [each.to_mjai() for each in seen.legal_actions()]
            assert action is not None, f"seed {seed}, seat {seat}: {reply} after {events}; legal: {legal}"
            actions[seat] = action
            replies += 1
        asked = host.step(actions)
    assert min(host.scores()) < 25000
    return replies


class InProcess:
    """What mjai's arena asks, as it asks a bot in a container: a line in, a line out."""

    def __init__(self, agent: Agent) -> None:
        self.bot = Bot(agent, Seat())
        self.replies = 0

    def react(self, line: str) -> str:
        self.replies += 1
        return json.dumps(self.bot.react(json.loads(line)))


class Process:
    """The command itself, on its stdin and stdout."""

    def __init__(self, process: Popen[str]) -> None:
        self.process = process
        self.replies = 0

    def react(self, line: str) -> str:
        self.replies += 1
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()


@contextmanager
def bot_process(*options: str) -> Iterator[Process]:
    command = [sys.executable, "-m", "suphx", "bot", *options]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True) as process:
        yield Process(process)
        assert process.stdin
        process.stdin.close()
        assert process.wait(timeout=60) == 0


def play_in_arena(players: list, seed: int, folder: Path) -> list[dict]:
    """Play a hanchan in mjai's own arena, without its containers; return its log. It raises for a wrong reply."""
    engine = pytest.importorskip("mjai.engine", reason="PyPI's mjai: pip install --no-deps mjai, and loguru")
    import gzip

    from mjai.mlibriichi.arena import Match

    engines = [engine.DockerMjaiLogEngine(str(seat), player) for seat, player in enumerate(players)]
    Match(log_dir=str(folder)).py_match(*engines, seed_start=(seed, 1))
    (log,) = folder.glob(f"{seed}_*.json.gz")
    return [json.loads(line) for line in gzip.decompress(log.read_bytes()).splitlines()]


def test_whole_hanchan_in_riichienv() -> None:
    agent = load_agent("sensible")
    assert sum(play_in_riichienv(agent, seed) for seed in range(3)) > 1000


@pytest.mark.full
def test_whole_hanchan_in_the_arena_of_mjai(tmp_path: Path) -> None:
    agent = load_agent("sensible")
    for seed in range(3):
        log = play_in_arena([InProcess(agent) for _ in SEATS], seed, tmp_path)
        assert log[-1]["type"] == "end_game"


def test_the_command_in_the_arena_of_mjai(tmp_path: Path) -> None:
    with bot_process("--agent", "sensible") as process:
        agent = load_agent("sensible")
        played = play_in_arena([process, *(InProcess(agent) for _ in range(3))], 3, tmp_path)
    assert process.replies > 100
    # Rule-based players choose by what they see, so that the process does what the agent does here.
    alone = play_in_arena([InProcess(agent) for _ in SEATS], 3, tmp_path)
    assert played == alone


@pytest.mark.full
def test_fifty_hanchan_of_the_networks_in_riichienv() -> None:
    agent = load_agent("sl")
    assert sum(play_in_riichienv(agent, seed) for seed in range(1000, 1050)) > 20_000


@pytest.mark.full
def test_fifty_hanchan_of_the_networks_in_the_arena_of_mjai(tmp_path: Path) -> None:
    agent = load_agent("sl")
    for seed in range(50):
        log = play_in_arena([InProcess(agent) for _ in SEATS], 1000 + seed, tmp_path)
        assert log[-1]["type"] == "end_game"
