"""`suphx adapt`: how much run-time adaptation gains, hand by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from suphx.commands.options import CORES, EXIT_INTERRUPTED, AsJson, Changes, ConfigFile, Device, Precision, RunFolder


def adapt(
    config: ConfigFile = Path("adapt"),
    changes: Changes = None,
    out: RunFolder = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads that adapt; by default one per core.")] = None,
    device: Device = None,
    precision: Precision = None,
    as_json: AsJson = False,
) -> None:
    """Measure run-time adaptation: adapt to each of many hands, and play other deals of it with and without.

    This is the experiment of the paper's section 4.3. Every finished hand is a line of hands.jsonl in the folder; run
    the same command again to resume. At the end result.json is written.
    """
    from rich.console import Console

    from simulator.files import write_json
    from suphx.adaptation.experiment import Experiment, ExperimentConfig
    from suphx.adaptation.players import OriginalAgent
    from suphx.adaptation.results import HandResults, summarize, summary_table
    from suphx.agent.registry import load_networks
    from suphx.config import load_config
    from suphx.networks.precision import choose_precision, keep_memory
    from suphx.progress import page, progress
    from suphx.run_folder import runs_folder

    chosen = load_config(config, ExperimentConfig, changes or [])
    computed = choose_precision(device, precision, threads=1)
    keep_memory()
    experiment = Experiment(chosen, OriginalAgent(*load_networks(chosen.agent), computed))
    folder = out or runs_folder() / "adapt" / chosen.name
    dtype = str(computed.dtype).removeprefix("torch.")
    settings = {**chosen.settings(), **chosen.fingerprints(), "computed": f"{dtype} {computed.device.type}"}
    screen, interrupted = Console(stderr=True), False
    with HandResults(folder, settings) as results:
        try:
            hands = experiment.hands()
            with progress("hands", len(hands), screen, len(results.done)) as show:
                experiment.run(hands, results, lambda: show(len(results.done)), threads or CORES)
        except KeyboardInterrupt:
            interrupted = True
        done = [results.done[number] for number in sorted(results.done)]
    if interrupted:
        message = f"interrupted after {len(done)} hands; run the same command again to resume from {folder}"
        screen.print(message, style="yellow", markup=False)
    if not done:
        raise typer.Exit(EXIT_INTERRUPTED)
    numbers = summarize(done, experiment.rewards.unit, experiment.rewards.units)
    summary = {"interrupted": interrupted, "settings": settings, **numbers}
    write_json(folder / "result.json", summary)
    if as_json:
        print(json.dumps(summary, allow_nan=False))
    else:
        page().print(summary_table(summary))
        print(folder)
    if interrupted:
        raise typer.Exit(EXIT_INTERRUPTED)
