"""`suphx logs generate`: games of the rule-based players as logs."""

import json
import time
from pathlib import Path
from typing import Annotated

import typer

from suphx.commands.options import CORES, AsJson, Seed, Workers


def generate(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to, or a file that ends in .zip.")],
    games: Annotated[int, typer.Option(min=1, help="Games to play.")] = 1000,
    players: Annotated[str, typer.Option(help="Who plays: one name for all seats, or four with commas.")] = "sensible",
    seed: Seed = 0,
    rules: Annotated[str, typer.Option(help="Rules: tenhou or tenhou_east; an mjlog can state no others.")] = "tenhou",
    workers: Workers = CORES,
    as_json: AsJson = False,
) -> None:
    """Play games with rule-based players and write each as an mjlog, `SEED-NUMBER.mjlog`.

    A file is there as a whole or not at all; in a folder, what was written before an interruption stays.
    """
    from simulator.logs.generate import generate_mjlogs, log_files
    from simulator.players import UnknownPlayer
    from simulator.rules import Rules
    from suphx.progress import progress

    started = time.perf_counter()
    counts = {"games": 0, "rounds": 0, "decisions": 0, "bytes": 0}
    try:
        with log_files(out) as write, progress("generating", games) as show:
            for game in generate_mjlogs(games, players.split(","), Rules.preset(rules), seed, workers):
                write(game.name, game.data)
                for name, more in zip(counts, (1, game.rounds, game.decisions, len(game.data)), strict=True):
                    counts[name] += more
                show(counts["games"], f"{counts['games'] / (time.perf_counter() - started):,.0f} games/s")
    except UnknownPlayer as error:
        raise typer.BadParameter(str(error), param_hint="--players") from error
    seconds = time.perf_counter() - started
    if as_json:
        print(json.dumps({**counts, "seconds": round(seconds, 3)}))
    else:
        print(
            f"{counts['games']:,} games, {counts['rounds']:,} rounds, {counts['decisions']:,} decisions written to "
            f"{out} ({seconds:.1f} s, {counts['games'] / seconds:,.0f} games/s)"
        )
