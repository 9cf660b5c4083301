"""`suphx outlook train`: train the outlook network on logs."""

from pathlib import Path
from typing import Annotated

import typer

from suphx.commands.options import CORES, AsJson, Changes, ConfigFile, Logs, RunFolder, Workers


def train(
    config: ConfigFile = Path("outlook"),
    logs: Logs = None,
    changes: Changes = None,
    out: RunFolder = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads to train with.")] = 1,
    workers: Workers = CORES,
    as_json: AsJson = False,
) -> None:
    """Train the outlook network: what each discard risks, and what a position is worth.

    The folder gets the weights (outlook.safetensors), checkpoints, and curves for TensorBoard. A fixed part of the
    games is held out for `suphx outlook evaluate`. Run the same command again to resume.
    """
    import json

    from suphx.config import load_config
    from suphx.dataset.logs import games_of
    from suphx.folder_lock import folder_lock
    from suphx.networks.precision import choose_precision
    from suphx.networks.weights import save_network
    from suphx.outlook.config import OutlookConfig
    from suphx.outlook.training import WEIGHTS_NAME, OutlookTraining
    from suphx.progress import progress
    from suphx.runs import runs_folder

    settings = load_config(config, OutlookConfig, changes or ())
    precision = choose_precision("cpu", None, threads)
    prepared, _ = games_of(logs, settings.generated, workers)
    folder = out or runs_folder() / "outlook" / settings.name
    with folder_lock(folder, "trains here"):
        training = OutlookTraining(settings, prepared, folder, precision)
        with progress("decisions", settings.decisions, done=training.progress.pairs) as show:
            training.run(lambda at: show(at.pairs, f"{at.pairs_per_s:,.0f}/s, loss {at.loss:.4f}"))
        save_network(folder / WEIGHTS_NAME, training.average, "float16")
    validations = training.progress.validations
    if as_json:
        print(json.dumps([{"decisions": each.pairs, "losses": each.metrics} for each in validations]))
        return
    for each in validations:
        losses = ", ".join(f"{name} {value:.4f}" for name, value in each.metrics.items())
        print(f"validation after {each.pairs:,} decisions: {losses}")
    print(folder / WEIGHTS_NAME)
