"""Logs for training: prepared once and cached, or games generated when there are no logs."""

import os
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field
from rich.console import Console

from simulator.logs.generate import generate_games
from simulator.rules import Rules
from suphx.config import Config
from suphx.dataset.prepare import prepare, prepare_games, prepared_name
from suphx.dataset.prepared import PAGE_NAME, Prepared, load_prepared
from suphx.errors import InputError
from suphx.progress import progress
from suphx.run_folder import runs_folder


class GeneratedGames(Config):
    """Games to generate and learn from when no logs are given."""

    games: int = Field(default=1000, ge=1)
    """Number of games."""
    player: str = "sensible"
    """The rule-based player that plays them."""
    seed: int = Field(default=0, ge=0)
    """Random seed of the games."""


def open_prepared(paths: Sequence[str | Path], workers: int | None = None) -> Prepared:
    """Return the prepared logs under some paths, preparing them first if necessary, with progress on stderr.

    It says what was left out and why, and where their folder is, which can be given instead of the logs. workers:
    processes, by default one for each core. Raises InputError if there is not a single game to learn from.
    """
    console = Console(stderr=True)
    folder = Path(paths[0]) if paths else Path()
    if len(paths) != 1 or not (folder / PAGE_NAME).is_file():
        folder = runs_folder() / "prepared" / prepared_name(paths)
    if not folder.is_dir():
        with progress("preparing logs", 1.0, console) as show:
            for games, share in prepare(paths, folder, workers or os.cpu_count() or 1):
                show(share, f"{games:,} games")
    prepared = load_prepared(folder)
    left = prepared.left_out
    lines = [
        f"{len(prepared.games):,} games, {len(prepared.rounds):,} rounds; left out: {left.mismatches} that do not "
        f"verify, {left.unknown} of unknown rules, {left.errors} unreadable, {left.skipped} not of four players, "
        f"{left.duplicates} duplicates",
        f"prepared in {folder}",
        *(f"left out: {reason}" for reason in left.first[:5]),
    ]
    for line in lines:
        console.print(line, style="dim", markup=False, highlight=False)
    if not len(prepared.games):
        raise InputError(f"no game to learn from in {', '.join(map(str, paths))}")
    return prepared


def generated(games: int, player: str = "sensible", seed: int = 0, rules: Rules | None = None) -> Prepared:
    """Generate games of a rule-based player against itself and return them prepared; rules: Tenhou's by default."""
    return prepare_games(generate_games(games, (player,), rules, seed), f"{games:,} games by {player}, seed {seed}")


def games_of(
    logs: Sequence[Path] | None, settings: GeneratedGames, workers: int | None, rules: Rules | None = None
) -> Prepared:
    """Return the games of logs, or generated ones if there are none; rules: of these, Tenhou's by default."""
    if logs:
        return open_prepared(logs, workers)
    return generated(settings.games, settings.player, settings.seed, rules)
