"""`suphx adapt`: how much run-time adaptation gains, hand by hand."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from suphx.adaptation.experiment import Experiment
    from suphx.adaptation.hands import Hand
    from suphx.adaptation.players import Original

EXIT_INTERRUPTED = 130
#: Columns of the table where it goes to a file or another program.
_PAGE = 200
#: Most deals of a hand on which two players are compared decision by decision.
_COMPARED = 200


def adapt(
    config: Annotated[
        Path, typer.Argument(help="Configuration: a YAML file, or the name of one that is included.")
    ] = Path("adapt"),
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", help="Change a value of the configuration: adaptation.deals=500, seed=2."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of results. By default adapt/NAME in $SUPHX_RUNS.")] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            min=1, help="Threads that each adapt to hands, each with its own memory; by default one per core."
        ),
    ] = None,
    device: Annotated[str | None, typer.Option(help="cpu or cuda; by default a GPU if there is one.")] = None,
    precision: Annotated[str | None, typer.Option(help="float32 or bfloat16; by default the faster one here.")] = None,
    picture: Annotated[
        int | None,
        typer.Option(min=0, help="Adapt to this hand alone, and draw where the adapted copy plays differently."),
    ] = None,
    beside: Annotated[
        str | None, typer.Option(help="Adapt nothing: compare how another agent plays the same hands.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Measure run-time adaptation: adapt to each of many hands, and play other deals of it with and without.

    This is the experiment of the paper's section 4.3. Every finished hand is a line of hands.jsonl in the folder; run
    the same command again to resume. At the end result.json and pictures are written.
    """
    from rich.console import Console

    from simulator.files import write_whole
    from suphx.adaptation.experiment import Experiment, ExperimentConfig
    from suphx.adaptation.notebook import Notebook
    from suphx.adaptation.pictures import plot_gains, plot_shares
    from suphx.adaptation.players import load_original
    from suphx.adaptation.summary import summarise
    from suphx.config import load_config
    from suphx.networks.memory import keep_memory
    from suphx.networks.precision import choose_precision
    from suphx.progress import progress
    from suphx.runs import runs_folder

    chosen = load_config(config, ExperimentConfig, changes or [])
    computed = choose_precision(device, precision, threads=1)
    keep_memory()
    experiment = Experiment(chosen, load_original(chosen.agent, computed))
    folder = out or runs_folder() / "adapt" / chosen.name
    hands = experiment.hands()
    dtype = str(computed.dtype).removeprefix("torch.")
    settings = {**chosen.settings(), **chosen.fingerprints(), "computed": f"{dtype} {computed.device.type}"}
    if picture is not None:
        return _draw_example(experiment, hands, picture, folder)
    if beside is not None:
        return _draw_beside(experiment, hands, load_original(beside, computed), settings, folder, as_json)
    screen, interrupted = Console(stderr=True), False
    with Notebook(folder, settings) as notebook, progress("hands", len(hands), screen, len(notebook.done)) as show:
        try:
            experiment.run(hands, notebook, lambda: show(len(notebook.done)), threads or os.cpu_count() or 1)
        except KeyboardInterrupt:
            interrupted = True
        done = [notebook.done[number] for number in sorted(notebook.done)]
    if interrupted:
        words = f"interrupted after {len(done)} hands; run the same command again to resume from {folder}"
        screen.print(words, style="yellow", markup=False)
    if not done:
        raise typer.Exit(EXIT_INTERRUPTED)
    unit, units = experiment.worth.unit, experiment.worth.units
    found = {"interrupted": interrupted, "settings": settings, **summarise(done, unit, units, chosen.controls())}
    write_whole(folder / "result.json", (json.dumps(found, indent=1, allow_nan=False) + "\n").encode())
    plot_gains(folder / "gains.png", done, unit, found)
    plot_shares(folder / "shares.png", found)
    if as_json:
        print(json.dumps(found, allow_nan=False))
    else:
        _show(found, folder)
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
    experiment: Experiment, hands: list[Hand], other: Original, settings: dict[str, Any], folder: Path, as_json: bool
) -> None:
    from rich.console import Console
    from rich.table import Table

    from simulator.files import write_whole
    from suphx.adaptation.moments import COUNTED, compare_styles, plot_moment

    found, moments = compare_styles(hands, experiment.adapter, other, min(experiment.config.deals, _COMPARED))
    names, found = found["agents"], {"settings": settings, **found}
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "beside.json", (json.dumps(found, indent=1, allow_nan=False) + "\n").encode())
    if moments:
        plot_moment(folder / "beside.png", moments[0], names, f"{names[0]} and {names[1]} at the same table")
    if as_json:
        print(json.dumps(found, allow_nan=False))
        return
    table = Table("a round", *names, "difference", "95 %")
    for name in (*COUNTED, "reward"):
        each = found[name]
        numbers = (f"{each[of]:.4g}" for of in ("first", "second", "second_less_first"))
        table.add_row(name, *numbers, " to ".join(f"{end:.4g}" for end in each["interval"] or ()))
    Console(width=None if sys.stdout.isatty() else _PAGE).print(table)
    print(folder)


def _show(found: dict[str, Any], folder: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    rollouts = " or ".join(f"{rollouts:,}" for rollouts in found["rollouts"])
    title = f"{found['hands']} hands, {rollouts} rollouts each; gains in {found['units']}"
    caption = (
        "share: of hands that gain, among those that differ, by each hand's mean over "
        f"{' or '.join(f'{deals:,}' for deals in found['deals'])} test deals; the fewer deals, the nearer to one half; "
        "less shuffled: the mean gain less that of the control, and the share of hands that gain more than with it"
    )
    gains = "share", "95 %", "mean gain", "95 %", "less shuffled", "95 %", "share", "95 %"
    table = Table("way", "hands", *gains, "kept", "with check", title=title, caption=caption)
    for way, all_of in found["ways"].items():
        for name, part in {way: all_of, **all_of["by_kind"], **all_of["by_situation"], **all_of["by_deals"]}.items():
            less = part.get("less_shuffled")
            table.add_row(
                name if name == way else f"  {name}", str(part["hands"]), *_share(part),
                *_with_ends(part["gain"]),
                *(_with_ends(less["gain"]) if less else ("", "")), *_share(less or {}),
                f"{part['kept']:.0%}", f"{part['gain_with_check']['value']:+.2g}",
            )  # fmt: skip
    Console(width=None if sys.stdout.isatty() else _PAGE).print(table)
    print(folder)


def _share(part: dict[str, Any]) -> tuple[str, str]:
    """Return a share of hands and its interval, as they are shown."""
    if part.get("share") is None:
        return "", ""
    low, high = part["share_interval"]
    return f"{part['share']:.1%}", f"{low:.1%} to {high:.1%}"


def _with_ends(gain: dict[str, Any]) -> tuple[str, str]:
    """Return a mean gain and its interval, as they are shown."""
    ends = gain["interval"]
    return f"{gain['value']:+.2g}", f"{ends[0]:+.2g} to {ends[1]:+.2g}" if ends else ""
