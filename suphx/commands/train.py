"""`suphx train`: an agent made stronger by playing against itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from suphx.commands.options import AsJson, Changes, ConfigFile, Device, Precision, RunFolder, Threads

if TYPE_CHECKING:
    from threading import Event

    from rich.console import Console

    from suphx.selfplay.config import TrainConfig
    from suphx.selfplay.local import LocalTraining
    from suphx.selfplay.roles.run import DistributedTraining

    Training = LocalTraining | DistributedTraining


def train(
    config: ConfigFile = Path("laptop"),
    local: Annotated[bool, Option("--local", help="Train in this one process, without Ray.")] = False,
    address: Annotated[str | None, Option(help="Ray cluster: HOST:PORT or auto; by default $RAY_ADDRESS.")] = None,
    dry_run: Annotated[bool, Option("--dry-run", help="Print the plan and check it, but start nothing.")] = False,
    nodes: Annotated[
        list[str] | None, Option(help="Machines to check against; 4x64c8g512: four of 64 cores, 8 GPUs, 512 GiB.")
    ] = None,
    changes: Changes = None,
    games: Annotated[int | None, Option(min=1, help="Number of games, instead of the configuration's.")] = None,
    minutes: Annotated[float | None, Option(min=0.1, help="Stop so long after its first step, if not before.")] = None,
    out: RunFolder = None,
    device: Device = None,
    precision: Precision = None,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Train an agent by self-play, starting from the weights that the configuration names (`start`).

    The roles (simulators, inference engines, a parameter server) run as Ray processes on this machine or on a
    cluster. The folder of the run receives the agent (every command accepts the folder RUN/agent),
    checkpoints, TensorBoard curves and sample games. Ctrl-C or SIGTERM stops the training at its next version; run the
    same command again to resume. --device, --precision and --threads go with --local.

    Example: suphx train laptop --games 1000
    """
    import json
    from dataclasses import asdict

    from rich.console import Console

    from suphx.config import load_config
    from suphx.run_folder import folder_lock, runs_folder
    from suphx.selfplay.config import TrainConfig
    from suphx.selfplay.pace import check_pace

    screen = Console(stderr=True)
    more = [f"games={games}"] if games else []
    settings = load_config(config, TrainConfig, [*(changes or ()), *more])
    pace = check_pace(settings, settings.side_by_side * (1 if local else settings.roles.simulators.count), not local)
    if local and (address or nodes):
        raise typer.BadParameter("--local uses no cluster", param_hint="--address" if address else "--nodes")
    if nodes and not dry_run:
        raise typer.BadParameter("goes with --dry-run", param_hint="--nodes")
    if dry_run:
        from suphx.commands.train_plan import show_local_plan, show_plan

        if local:
            show_local_plan(settings, pace, as_json)
        else:
            show_plan(settings, pace, address, nodes or [], as_json)
        return
    folder = out or runs_folder() / "train" / settings.name
    if not local and (device or precision or threads):
        raise typer.BadParameter("--device, --precision and --threads go with --local; by roles, `roles` sets them")
    with folder_lock(folder, "trains here"):
        training = _training(settings, folder, local, address, (device, precision, threads), screen)
        _run(training, settings, minutes, screen)
    progress = training.progress
    result = {
        "agent": str(training.folder.agent),
        "games": progress.games,
        "versions": progress.version,
        "seconds": round(progress.seconds, 3),
        "strength": asdict(training.strength) if training.strength else None,
    }
    print(json.dumps(result, allow_nan=False) if as_json else result["agent"])


def _training(
    config: TrainConfig,
    folder: Path,
    local: bool,
    address: str | None,
    precision: tuple[str | None, str | None, int | None],
    screen: Console,
) -> Training:
    """Return a training in this process, or by processes on Ray."""
    if local:
        from suphx.networks.precision import choose_precision
        from suphx.selfplay.local import LocalTraining

        chosen = choose_precision(*precision)
        screen.print(f"computing in {chosen}", style="dim", highlight=False)
        return LocalTraining(config, folder, chosen)
    from suphx.commands.warmup import warmup
    from suphx.selfplay.roles.run import DistributedTraining, start_ray

    warmup(["features"])  # compiled once, before processes begin
    start_ray(config, address)
    return DistributedTraining(config, folder)


def _run(training: Training, config: TrainConfig, minutes: float | None, screen: Console) -> None:
    """Run a training to its end, or for some minutes from its first version on, with its line on the screen.

    Processes may take a minute to start on a busy machine, which would be most of a short training.
    """
    from threading import Event, Timer

    from suphx.errors import InputError, words_of
    from suphx.learning.optimizer import LearningDiverged
    from suphx.selfplay.progress import training_line
    from suphx.selfplay.training import SelfPlayInterrupted, TrainingReport

    if training.progress.version:
        screen.print(f"resuming after {training.progress.games:,} games", style="dim", highlight=False)
    with training_line(config, minutes is None, screen) as watch, stop_by_interrupt(screen) as stop:
        time_is_up = Event()

        def end() -> None:
            time_is_up.set()
            stop.set()

        begun, timer = training.progress.version, Timer(60 * (minutes or 0), end)

        def watch_time(report: TrainingReport) -> None:
            if minutes is not None and report.version > begun and timer.ident is None:
                timer.start()
            watch(report)

        try:
            training.run(watch_time, stop)
        except SelfPlayInterrupted:
            if time_is_up.is_set():
                return
            games = training.progress.games
            left = ", before its agent was measured" if games >= config.games else ""
            screen.print(f"stopped after {games:,} games{left}; run the same command again to resume", highlight=False)
            raise KeyboardInterrupt from None
        except LearningDiverged as error:
            raise InputError(f"{error} {training.folder.last_good}") from error
        except BrokenPipeError:
            raise
        except OSError as error:
            raise InputError(f"{words_of(error)}. {training.folder.last_good}") from error
        finally:
            timer.cancel()


@contextmanager
def stop_by_interrupt(screen: Console) -> Iterator[Event]:
    """Give an event that Ctrl-C sets, or SIGTERM, which is how machines ask; a second one ends at once."""
    import signal
    from threading import Event

    stop = Event()

    def request_stop(*_: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        screen.print("stopping, with a checkpoint; Ctrl-C again stops at once", highlight=False)

    before = {each: signal.signal(each, request_stop) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
