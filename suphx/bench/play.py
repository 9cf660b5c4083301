"""Benchmark random legal play: against riichienv, two processes against one, and the memory of a game."""

import multiprocessing
import random
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from statistics import median

import numpy as np

from simulator.players.simple import choose_random
from simulator.record import GAME
from simulator.tables import Tables

GAMES = 4096  # played side by side: enough to make Python's share of a step negligible
_TURN_SECONDS = 0.1  # length of a contestant's turn
_START = {"oya": 0, "round_wind": 0, "scores": [25_000] * 4, "honba": 0, "kyotaku": 0}


def bench_play(seconds: float = 4.0, games: int = GAMES) -> dict[str, float]:
    """Measure random legal play on one core in decisions per second, including legal masks and new games.

    Ours plays a batch of `games`, riichienv its fastest loop from Python (`riichienv_player`); they take turns for
    `seconds`, and medians are reported. Ours counts only decisions with a choice, riichienv also forced ones. If
    riichienv is not installed, its number and the ratio are left out.
    """
    contestants: dict[str, Callable[[], int]] = {"ours": our_player(games)}
    with suppress(ImportError):
        contestants["riichienv"] = riichienv_player()
    rates: dict[str, list[float]] = {name: [] for name in contestants}
    for play in contestants.values():
        _rate(play)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or not rates["ours"]:
        for name, play in contestants.items():
            rates[name].append(_rate(play))
    report = {f"play_{name}_per_second": median(found) for name, found in rates.items()}
    if "riichienv" in rates:
        report["play_ratio"] = report["play_ours_per_second"] / report["play_riichienv_per_second"]
    return report | {"play_bytes_per_game": float(GAME.itemsize)}


def bench_two_processes(seconds: float = 4.0, games: int = GAMES) -> dict[str, float]:
    """Measure the speedup of two processes over one, each doing the same work; 2.0 is the ideal for two cores.

    One process alone and both together take turns for `seconds`; the ratio is of medians. The processes are started
    and warmed up beforehand.
    """
    context = multiprocessing.get_context("spawn")
    pipes, processes = [], []
    for number in range(2):
        here, there = context.Pipe()
        processes.append(context.Process(target=_work, args=(there, games, number), daemon=True))
        processes[-1].start()
        pipes.append(here)
    try:
        steps, _ = (pipe.recv() for pipe in pipes)  # number of steps per turn
        alone: list[float] = []
        together: list[float] = []
        end = time.perf_counter() + seconds
        while time.perf_counter() < end or not together:
            alone.append(_round_trip(pipes[:1], steps))
            together.append(_round_trip(pipes, steps))
    finally:
        for pipe in pipes:
            pipe.send(0)
        for process in processes:
            process.join()
    return {"play_two_processes_ratio": 2 * median(alone) / median(together)}


def our_player(games: int = GAMES, seed: int = 0) -> Callable[[], int]:
    """Return a function that plays one random step of a batch and returns the number of decisions."""
    tables = Tables(games, seed=seed)
    actions = np.empty(3 * games, np.int64)

    def step() -> int:
        decisions = tables.decisions()
        chosen = actions[: len(decisions)]
        choose_random(tables.games, decisions.game, decisions.seat, decisions.legal, seed, chosen)
        tables.step(chosen)
        return len(decisions)

    return step


def riichienv_player() -> Callable[[], int]:
    """Return a function that plays a thousand random steps with riichienv and returns the number of decisions.

    This was the fastest of the loops that its Python interface allows: actions are picked from the observations that
    `step` returns (masks with `find_action`, or querying the legal actions again, are slower), without an mjai log.
    """
    from riichienv import GameRule, RiichiEnv

    table = RiichiEnv("4p-red-half", skip_mjai_logging=True, rule=GameRule.default_tenhou(), seed=0)
    observed = table.reset(**_START)

    def thousand_steps() -> int:
        nonlocal observed
        number, decisions = random.random, 0
        for _ in range(1000):
            actions = {}
            for seat, observation in observed.items():
                legal = observation.legal_actions()
                actions[seat] = legal[int(number() * len(legal))]
            decisions += len(actions)
            observed = table.step(actions)
            if table.is_done:
                observed = table.reset(**_START)
        return decisions

    return thousand_steps


def _rate(play: Callable[[], int]) -> float:
    """Return decisions per second over one turn."""
    start = now = time.perf_counter()
    decisions = 0
    while now - start < _TURN_SECONDS:
        decisions += play()
        now = time.perf_counter()
    return decisions / (now - start)


def _work(pipe: Connection, games: int, seed: int) -> None:
    """Serve a pipe: send the number of steps per turn, then play as many steps as requested until 0 are."""
    play = our_player(games, seed)
    for _ in range(10):
        play()
    start = time.perf_counter()
    for _ in range(10):
        play()
    pipe.send(max(1, round(10 * _TURN_SECONDS / (time.perf_counter() - start))))
    while steps := pipe.recv():
        for _ in range(steps):
            play()
        pipe.send(steps)


def _round_trip(pipes: list[Connection], steps: int) -> float:
    """Return the seconds until all processes have played the steps."""
    start = time.perf_counter()
    for pipe in pipes:
        pipe.send(steps)
    for pipe in pipes:
        pipe.recv()
    return time.perf_counter() - start
