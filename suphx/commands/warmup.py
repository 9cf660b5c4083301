"""`suphx warmup`: compile ahead of time."""

from __future__ import annotations

import time

import typer


def warmup() -> None:
    """Compile the rules now, so that nothing later has to wait for it (half a minute, once a version)."""
    from simulator.jit import cache_folder

    typer.echo(f"Compiling the rules into {cache_folder()} ...")
    started = time.perf_counter()

    import numpy as np

    from simulator.players.simple import choose_random
    from simulator.tables import Tables

    tables = Tables(1)
    finished = False
    while not finished:  # one game goes through all that is compiled for playing
        asked = tables.decisions()
        actions = np.empty(len(asked), np.int64)
        choose_random(tables.games, asked.game, asked.seat, asked.legal, 0, actions)
        finished = bool(tables.step(actions).finished.any())
    typer.echo(f"Ready after {time.perf_counter() - started:.1f} s.")
