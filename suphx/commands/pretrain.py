"""`suphx pretrain`: the five networks from logs."""

from typing import Annotated

import typer
from typer import Option

from suphx.commands.options import CORES, AsJson, Changes, ConfigFile, Device, Logs, Precision, RunFolder, Workers


def pretrain(
    config: ConfigFile,
    logs: Logs = None,
    out: RunFolder = None,
    changes: Changes = None,
    models: Annotated[str | None, Option(help="Train only these models, with commas: discard,riichi.")] = None,
    device: Device = None,
    precision: Precision = None,
    threads: Annotated[int | None, Option(min=1, help="Threads that train, or load for a GPU; by default all.")] = None,
    workers: Workers = CORES,
    minutes: Annotated[
        float | None, Option(min=0.01, help="Learn no longer than this; the learning rate reaches 0 by then.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Train the five networks on human moves in logs, and measure their agreement on held-out games.

    The folder of the run receives checkpoints, TensorBoard curves, the agent (five files of weights), an under-trained
    one, and result.json. Run the same command again to resume.
    """
    import math
    import sys

    from rich.console import Console

    from suphx.config import load_config
    from suphx.dataset.logs import games_of
    from suphx.networks.precision import choose_precision
    from suphx.run_folder import folder_lock, runs_folder
    from suphx.supervised.config import PretrainConfig
    from suphx.supervised.pretrain import pretrain
    from suphx.supervised.results import print_results

    screen = Console(stderr=True)
    settings = load_config(config, PretrainConfig, changes or ())
    if models is not None:
        names = [name.strip() for name in models.split(",")]
        if unknown := [name for name in names if name not in settings.models]:
            known = ", ".join(settings.models)
            raise typer.BadParameter(f"{', '.join(unknown)}: the configuration has {known}", param_hint="--models")
        plans = {name: plan for name, plan in settings.models.items() if name in names}
        settings = settings.model_copy(update={"models": plans})
    computing = choose_precision(device, precision, threads)
    screen.print(f"computing in {computing}", style="dim", highlight=False)
    command = " ".join(["suphx", *sys.argv[1:]])
    folder = out or runs_folder() / "pretrain" / settings.name
    try:
        with folder_lock(folder, "trains here"):
            prepared = games_of(logs, settings.generated, workers)
            data = f"{len(prepared.games):,} games of {prepared.sources()}" if logs else prepared.sources()
            about = {"data": data, "command": command}
            seconds = math.inf if minutes is None else 60 * minutes
            results = pretrain(settings, prepared, folder, computing, about, screen, seconds)
    except KeyboardInterrupt:
        screen.print("stopped; run the same command again to resume")
        raise
    print_results(results, as_json)
