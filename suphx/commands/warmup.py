"""`suphx warmup`: compile ahead of time."""

import os
import sys
import time
from collections.abc import Iterator
from typing import Annotated

import typer

from suphx.plugins import WARMUPS, lazy


def _table() -> None:
    from simulator.efficiency import discards_batch, shanten_batch, waits_batch
    from simulator.players import player
    from simulator.players.play import play_games
    from simulator.scoring.hands import score
    from simulator.tiles import parse_counts

    for name in ("random", "sensible"):  # a game of each goes through all that is compiled for playing
        list(play_games([player(name)] * 4, 1))
    hand = parse_counts("123m456p77z")[None]
    shanten_batch(hand)
    discards_batch(hand)
    waits_batch(parse_counts("123m456p7z")[None])
    score("123m456p11789s444z", indicators="1z")


def _logs() -> None:
    from simulator.logs.generate import generate_games
    from simulator.logs.verify import verify_game

    for log in generate_games(2):
        verify_game(log)


def _features() -> None:
    import numpy as np

    from simulator.tables import Tables
    from suphx.features.encode import encode_batch, encode_oracle_batch

    games = Tables(1).games
    seat = np.zeros(1, np.int64)
    encode_batch(games, seat, seat)
    encode_oracle_batch(games, seat, seat)


def _training() -> None:
    import numpy as np

    from simulator.rules import Rules
    from suphx.agent.registry import untrained_networks
    from suphx.dataset.loader import Source
    from suphx.dataset.logs import generated
    from suphx.dataset.selection import select
    from suphx.dataset.suits import permute_suits
    from suphx.learning.advantages import raw_advantages
    from suphx.learning.config import LearningConfig
    from suphx.learning.experience import SEATS
    from suphx.networks.models import MODELS
    from suphx.networks.policy import PolicyNetwork
    from suphx.networks.precision import choose_precision
    from suphx.networks.sizes import NetworkSize
    from suphx.selfplay.config import TrainConfig
    from suphx.selfplay.play import CollectedRounds
    from suphx.selfplay.policy import SelfPlayPolicy
    from suphx.supervised.measures import situations

    prepared, precision, size = generated(2), choose_precision("cpu", "float32", 1), NetworkSize(filters=4, blocks=1)
    for model in MODELS:
        source = Source(prepared, select(prepared, model, None))
        collected = source.collect(np.arange(min(4, len(source.selection.rounds))))
        planes = source.encode(collected)
        situations(collected.positions, collected.pairs)
        permute_suits(planes, np.zeros(len(planes), np.int64), np.zeros(len(planes), np.int64), False)
        network = PolicyNetwork(model, size)
        network.of_packed(planes, precision).sum().backward()
    config = TrainConfig(learning=LearningConfig(models=list(MODELS), baseline="critic"))
    play = CollectedRounds(config, 1, 0, config.reward.load(Rules.tenhou()), [])
    play.collector.set_policy(0, SelfPlayPolicy(0, untrained_networks(size), precision, 0))
    while not play.collector.has_rounds:
        play.collector.step()
    batch, _ = play.take()
    raw_advantages(config.learning, batch, lambda rows: np.zeros((len(rows), SEATS), np.float32))


def _bot() -> None:
    from simulator.rules import Rules
    from suphx.agent.registry import load_agent
    from suphx.mjai.bot.bot import warm_up

    warm_up(load_agent("sensible"), Rules.tenhou())


def _review() -> None:
    from simulator.logs.generate import generate_games
    from suphx.agent.registry import load_agent
    from suphx.review.analysis import review_game

    for log in generate_games(1):
        review_game(log, load_agent("untrained"), "untrained")


for _name in ("table", "logs", "features", "training", "bot", "review"):
    WARMUPS.register(_name, "", lazy(__name__, f"_{_name}"))


def warmup(
    parts: Annotated[list[str] | None, typer.Argument(help="What to compile: `table logs`; by default all.")] = None,
) -> None:
    """Compile everything once, so that nothing has to wait for it later.

    The rules and the features are compiled by Numba on first use, here on all cores: some minutes of a core. The result
    is kept in ~/.cache/suphx (or $SUPHX_CACHE), so this is needed once for each version of the program.
    """
    from simulator.jit import cache_folder

    typer.echo(f"Compiling into {cache_folder()} ...", err=True)
    started = time.perf_counter()
    names = parts or [entry.name for entry in WARMUPS]
    for part, seconds in _compile_all(names):
        typer.echo(f"  {part}: {seconds:.1f} s", err=True)
    typer.echo(f"Ready after {time.perf_counter() - started:.1f} s.", err=True)


def _compile_all(parts: list[str]) -> Iterator[tuple[str, float]]:
    """Compile parts in processes, if there are several; yield the name of each, and the seconds that it took."""
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    if len(parts) == 1:
        yield _compile(parts[0])
        return
    processes = min(os.cpu_count() or 1, len(parts))
    with ProcessPoolExecutor(processes, get_context("spawn"), initializer=_silence) as pool:
        for done in as_completed([pool.submit(_compile, part) for part in parts]):
            yield done.result()


def _silence() -> None:
    """Drop this process's notices, which the first process gives as well."""
    sys.stderr = open(os.devnull, "w")


def _compile(part: str) -> tuple[str, float]:
    started = time.perf_counter()
    WARMUPS[part]()
    return part, time.perf_counter() - started
