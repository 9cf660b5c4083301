"""`suphx adapt`: how much run-time adaptation gains, hand by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suphx.commands.options import CORES, EXIT_INTERRUPTED, AsJson, Changes, ConfigFile, Device, Precision, RunFolder

if TYPE_CHECKING:
    from suphx.adaptation.experiment import Experiment
    from suphx.adaptation.hands import Hand
    from suphx.adaptation.players import Original

#: Most deals of a hand on which two players are compared decision by decision.
_COMPARED = 200


def adapt(
    config: ConfigFile = Path("adapt"),
    changes: Changes = None,
    out: RunFolder = None,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads that each adapt to hands; by default one per core.")
    ] = None,
    device: Device = None,
    precision: Precision = None,
    picture: Annotated[
        int | None,
        typer.Option(min=0, help="Adapt to this hand alone, and draw where the adapted copy plays differently."),
    ] = None,
    beside: Annotated[
        str | None, typer.Option(help="Adapt nothing: compare how another agent plays the same hands.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure run-time adaptation: adapt to each of many hands, and play other deals of it with and without.

    This is the experiment of the paper's section 4.3. Every finished hand is a line of hands.jsonl in the folder; run
    the same command again to resume. At the end result.json and pictures are written.
    """
    from rich.console import Console

    from simulator.files import write_json
    from suphx.adaptation.experiment import Experiment, ExperimentConfig
    from suphx.adaptation.notebook import Notebook
    from suphx.adaptation.outputs import experiment_table, plot_gains, plot_shares
    from suphx.adaptation.players import load_original
    from suphx.adaptation.summary import summarise
    from suphx.config import load_config
    from suphx.networks.memory import keep_memory
    from suphx.networks.precision import choose_precision
    from suphx.progress import page, progress
    from suphx.runs import runs_folder

    chosen = load_config(config, ExperimentConfig, changes or [])
    computed = choose_precision(device, precision, threads=1)
    keep_memory()
    experiment = Experiment(chosen, load_original(chosen.agent, computed))
    folder = out or runs_folder() / "adapt" / chosen.name
    dtype = str(computed.dtype).removeprefix("torch.")
    settings = {**chosen.settings(), **chosen.fingerprints(), "computed": f"{dtype} {computed.device.type}"}
    if picture is not None:
        return _draw_example(experiment, experiment.hands(), picture, folder)
    if beside is not None:
        return _draw_beside(experiment, experiment.hands(), load_original(beside, computed), settings, folder, as_json)
    screen, interrupted = Console(stderr=True), False
    with Notebook(folder, settings) as notebook:
        try:
            hands = experiment.hands()
            with progress("hands", len(hands), screen, len(notebook.done)) as show:
                experiment.run(hands, notebook, lambda: show(len(notebook.done)), threads or CORES)
        except KeyboardInterrupt:
            interrupted = True
        done = [notebook.done[number] for number in sorted(notebook.done)]
    if interrupted:
        words = f"interrupted after {len(done)} hands; run the same command again to resume from {folder}"
        screen.print(words, style="yellow", markup=False)
    if not done:
        raise typer.Exit(EXIT_INTERRUPTED)
    unit, units = experiment.rewards.unit, experiment.rewards.units
    found = {"interrupted": interrupted, "settings": settings, **summarise(done, unit, units, chosen.controls())}
    write_json(folder / "result.json", found)
    plot_gains(folder / "gains.png", done, unit, found)
    plot_shares(folder / "shares.png", found)
    if as_json:
        print(json.dumps(found, allow_nan=False))
    else:
        page().print(experiment_table(found))
        print(folder)
    if interrupted:
        raise typer.Exit(EXIT_INTERRUPTED)


def _draw_example(experiment: Experiment, hands: list[Hand], number: int, folder: Path) -> None:
    from suphx.adaptation.moments import changes, plot_moment
    from suphx.errors import InputError

    if number >= len(hands):
        raise InputError(f"there is no hand {number}; the experiment has {len(hands)}")
    moments = changes(experiment.adapter, hands[number], min(experiment.config.deals, _COMPARED))
    if not moments:
        raise InputError(f"hand {number}: the adapted copy answers as the original on all deals that were played")
    path, agent = folder / f"example-{number}.png", experiment.original.name
    title = f"Hand {number} ({hands[number].situation}): before and after adapting"
    plot_moment(path, moments[0], (agent, f"{agent}, adapted"), title)
    print(path)


def _draw_beside(
    experiment: Experiment, hands: list[Hand], other: Original, settings: dict[str, Any], folder: Path,
    as_json: bool,
) -> None:  # fmt: skip
    from simulator.files import write_json
    from suphx.adaptation.moments import compare_styles, plot_moment, style_table
    from suphx.progress import page

    found, moments = compare_styles(hands, experiment.adapter, other, min(experiment.config.deals, _COMPARED))
    names, found = found["agents"], {"settings": settings, **found}
    write_json(folder / "beside.json", found)
    if moments:
        plot_moment(folder / "beside.png", moments[0], names, f"{names[0]} and {names[1]} at the same table")
    if as_json:
        print(json.dumps(found, allow_nan=False))
        return
    page().print(style_table(found))
    print(folder)
