"""`suphx train`: an agent made stronger by playing against itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from threading import Event

    from rich.console import Console

    from suphx.networks.precision import Precision
    from suphx.selfplay.config import TrainConfig


def train(
    config: Annotated[Path, typer.Argument(help="Configuration, a YAML file; docs/selfplay.md explains it.")],
    local: Annotated[
        bool, typer.Option("--local", help="Everything in this one process: to try things out, and to look for faults.")
    ] = False,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", help="Set a value over the configuration's: seed=1, learning.learning_rate=5e-5."),
    ] = None,
    games: Annotated[
        int | None, typer.Option(min=1, help="Games of self-play in all, instead of the configuration's.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the run; by default under the runs folder, by the run's name.")
    ] = None,
    device: Annotated[str | None, typer.Option(help="cpu or cuda; by default a GPU where there is one.")] = None,
    precision: Annotated[
        str | None, typer.Option(help="bfloat16 or float32; by default what a probe finds faster.")
    ] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads on a CPU; by default all cores.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what came of it as JSON.")] = False,
) -> None:
    """Let an agent play against itself and learn from it, starting from the weights that come with the program.

    The folder of the run gets the agent (any command takes it by its path), checkpoints, curves for TensorBoard, and
    sample games. The same command again goes on where it was stopped; Ctrl-C stops it at the next version.

    Example: suphx train configs/laptop.yaml --local --games 1000
    """
    import json

    from rich.console import Console

    from suphx.config import load_config
    from suphx.errors import InputError
    from suphx.networks.precision import choose_precision
    from suphx.runs import runs_folder
    from suphx.selfplay.config import TrainConfig

    screen = Console(stderr=True)
    more = [f"games={games}"] if games else []
    wanted = load_config(config, TrainConfig, [*(changes or ()), *more])
    if not local:
        raise InputError("training distributed over processes is not there yet; --local trains in this one process")
    chosen = choose_precision(device, precision, threads)
    screen.print(f"computing in {chosen}", style="dim", highlight=False)
    found = _train(wanted, out or runs_folder() / "train" / wanted.name, chosen, screen)
    print(json.dumps(found, allow_nan=False) if as_json else found["agent"])


def _train(config: TrainConfig, folder: Path, precision: Precision, screen: Console) -> dict[str, Any]:
    """Train, and return plain values: where the agent is, and how far it came."""
    from dataclasses import asdict

    from suphx.errors import InputError
    from suphx.selfplay.diverged import LearningDiverged
    from suphx.selfplay.local import Interrupted, LocalTraining
    from suphx.selfplay.progress import training_line

    training = LocalTraining(config, folder, precision)
    if training.games:
        screen.print(f"going on after {training.games:,} games", style="dim", highlight=False)
    with training_line(config, screen) as watch, stop_by_interrupt(screen) as stop:
        try:
            training.run(watch, stop)
        except Interrupted:
            screen.print("stopped; the same command goes on from here")
            raise KeyboardInterrupt from None
        except LearningDiverged as error:
            raise InputError(f"{error}. {training.last_good}") from error
    strength = training.progress.strength
    return {
        "agent": str(training.agent_folder),
        "games": training.games,
        "versions": training.progress.version,
        "seconds": round(training.progress.seconds, 3),
        "strength": asdict(strength) if strength else None,
    }


@contextmanager
def stop_by_interrupt(screen: Console) -> Iterator[Event]:
    """Give an event that Ctrl-C sets; a second Ctrl-C ends at once."""
    import signal
    from threading import Event

    stop = Event()

    def ask(*_: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        screen.print("stopping at the next version; Ctrl-C again stops at once", highlight=False)

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
