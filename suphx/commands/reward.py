"""`suphx reward`: train the global reward predictor, and measure it on held-out games."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from suphx.commands.options import CORES, AsJson, Changes, ConfigFile, Logs, RunFolder, Workers

if TYPE_CHECKING:
    from suphx.reward.run import RewardResults


def reward(
    config: ConfigFile = Path("reward"),
    logs: Logs = None,
    changes: Changes = None,
    out: RunFolder = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads to train with.")] = 1,
    workers: Workers = CORES,
    as_json: AsJson = False,
) -> None:
    """Train the global reward predictor: after each round of a game, what it will be worth to each seat at its end.

    The folder gets the weights (reward.safetensors), the results on held-out games beside simple predictors
    (reward.json), two pictures, and curves for TensorBoard. Run the same command again to resume.
    """
    import torch

    from simulator.rules import Rules
    from suphx.config import load_config
    from suphx.dataset.logs import games_of
    from suphx.progress import progress
    from suphx.reward.run import RewardRun
    from suphx.reward.training import RewardConfig
    from suphx.run_folder import folder_lock, runs_folder

    torch.set_num_threads(threads)
    chosen = load_config(config, RewardConfig, changes or ())
    folder = out or runs_folder() / "reward" / chosen.name
    with folder_lock(folder, "trains here"):
        rules = Rules.tenhou() if chosen.games == "east_south" else Rules.tenhou_east()
        run = RewardRun(chosen, games_of(logs, chosen.generated, workers, rules), folder)
        epochs, games, most = run.trainer.progress.epochs, run.trainer.games, chosen.epochs
        done = len(epochs) * games
        with progress("training", most * games, done=done) as show:  # at most: training may stop earlier
            for step in run.train():
                done += step
                loss = f", validation loss {epochs[-1].validation_loss:.4f}" if epochs else ""
                show(done, f"epoch {len(epochs)} of at most {most}{loss}")
        results = run.finish()
    if as_json:
        print(results.model_dump_json())
    else:
        _show(results, run.folder)


def _show(results: RewardResults, folder: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    from suphx.reward.evaluation import ALL_ROUNDS, BASELINES, PREDICTOR

    evaluation, names = results.evaluation, [PREDICTOR, *BASELINES]
    table = Table("RMSE after", "predictions", *names)
    for played, errors in evaluation.errors.items():
        table.add_row(played, f"{evaluation.examples[played]:,}", *(f"{errors[name].rmse.value:.2f}" for name in names))
    console = Console(highlight=False)
    console.print(table)
    for name in names:
        overall = evaluation.errors[ALL_ROUNDS][name]
        excess = "" if overall.excess is None else f", {overall.excess.text(3)} above the predictor's"
        console.print(f"{name}: RMSE {overall.rmse.text(3)}{excess}; mean absolute error {overall.mae.text(3)}")
    console.print(
        f"{evaluation.games:,} held-out games; {results.units}; intervals of 95 % over games. Calibration slope "
        f"{evaluation.calibration_slope.text(3)}. {len(results.epochs)} epochs, best {results.best_epoch + 1}.\n"
        f"{folder}"
    )
