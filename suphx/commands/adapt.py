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
    from suphx.adaptation.notebook import HandResult
    from suphx.adaptation.players import Original

EXIT_INTERRUPTED = 130
#: Columns of the table where it goes to a file or another program.
_PAGE = 200


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
    from rich.progress import Progress

    from simulator.files import write_whole
    from suphx.adaptation.experiment import Experiment, ExperimentConfig
    from suphx.adaptation.hands import fingerprint_of_hands
    from suphx.adaptation.notebook import Notebook
    from suphx.adaptation.pictures import plot_gains, plot_shares
    from suphx.adaptation.players import load_original
    from suphx.adaptation.summary import summarise
    from suphx.config import load_config
    from suphx.networks.memory import keep_memory
    from suphx.networks.precision import choose_precision
    from suphx.runs import runs_folder

    chosen = load_config(config, ExperimentConfig, changes or [])
    computed = choose_precision(device, precision, threads=1)
    original = load_original(chosen.agent, computed)
    keep_memory()
    experiment = Experiment(chosen, original)
    folder = out or runs_folder() / "adapt" / chosen.name
    if picture is not None:
        return _draw_example(experiment, picture, folder)
    dtype = str(computed.dtype).removeprefix("torch.")
    settings = {**chosen.settings(), **chosen.fingerprints(), "computed": f"{dtype} {computed.device.type}"}
    if beside is not None:
        return _draw_beside(experiment, load_original(beside, computed), settings, folder, as_json)
    hands = experiment.hands()
    if any(each.logs for each in chosen.hands):  # whose content may change under the same names
        settings["hands_found"] = fingerprint_of_hands(hands)
    screen, interrupted = Console(stderr=True), False
    with Notebook(folder, settings) as notebook, Progress(console=screen, transient=True) as progress:
        bar = progress.add_task("hands", total=len(hands), completed=len(notebook.done))

        def watch(hand: HandResult) -> None:
            progress.advance(bar)

        try:
            experiment.run(hands, notebook, watch, threads or os.cpu_count() or 1)
        except KeyboardInterrupt:
            interrupted = True
        done = [notebook.done[number] for number in sorted(notebook.done)]
    if interrupted:
        screen.print(
            f"interrupted after {len(done)} hands; run the same command again to resume from {folder}", style="yellow"
        )
    if not done:
        raise typer.Exit(EXIT_INTERRUPTED)
    found: dict[str, Any] = {"interrupted": interrupted, "settings": settings}
    unit = experiment.worth.unit
    found |= summarise(done, unit, experiment.worth.units, chosen.controls())
    write_whole(folder / "result.json", (json.dumps(found, indent=1, allow_nan=False) + "\n").encode())
    plot_gains(folder / "gains.png", done, unit, found)
    plot_shares(folder / "shares.png", found)
    if as_json:
        print(json.dumps(found, allow_nan=False))
    else:
        _show(found, folder)
    if interrupted:
        raise typer.Exit(EXIT_INTERRUPTED)


def _draw_example(experiment: Experiment, number: int, folder: Path) -> None:
    from suphx.adaptation.moment_picture import plot_moment
    from suphx.errors import InputError

    hands = experiment.hands()
    if number >= len(hands):
        raise InputError(f"there is no hand {number}; the experiment has {len(hands)}")
    moments = experiment.changes(hands[number])
    if not moments:
        raise InputError(f"hand {number}: the adapted copy answers as the original on all deals that were played")
    path = folder / f"example-{number}.png"
    title = f"Hand {number} ({hands[number].situation}): before and after adapting"
    plot_moment(path, moments[0], (experiment.original.name, f"{experiment.original.name}, adapted"), title)
    print(path)


def _draw_beside(
    experiment: Experiment, other: Original, settings: dict[str, Any], folder: Path, as_json: bool
) -> None:
    from rich.console import Console
    from rich.table import Table

    from simulator.files import write_whole
    from suphx.adaptation.moment_picture import plot_moment
    from suphx.adaptation.styles import COUNTED

    names = experiment.original.name, other.name
    found, moments = experiment.beside(other)
    found = {"agents": names, "settings": settings, **found}
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "beside.json", (json.dumps(found, indent=1, allow_nan=False) + "\n").encode())
    if moments:
        plot_moment(folder / "beside.png", moments[0], names, f"{names[0]} and {names[1]} at the same table")
    if as_json:
        print(json.dumps(found, allow_nan=False))
        return
    table = Table("a round", *names, "difference", "95 %")
    for name in (*COUNTED, "reward"):
        each, ends = found[name], found[name]["interval"] or ["", ""]
        table.add_row(name, *(f"{value:.4g}" for value in (each["first"], each["second"], each["second_less_first"])),
                      " to ".join(f"{end:.4g}" if end != "" else "" for end in ends))  # fmt: skip
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
        "true share: the same without the chance of the test deals, if gains are normally distributed over hands; "
        "less shuffled: the mean gain less that of the control, and the share of hands that gain more than with it"
    )
    gains = "share", "95 %", "true share", "mean gain", "95 %", "less shuffled", "95 %", "share", "95 %"
    table = Table("way", "hands", *gains, "kept", "with check", title=title, caption=caption)
    for way, all_of in found["ways"].items():
        for name, part in {way: all_of, **all_of["by_kind"], **all_of["by_situation"], **all_of["by_deals"]}.items():
            less, true = part.get("less_shuffled"), part["true_share"]
            table.add_row(
                name if name == way else f"  {name}", str(part["hands"]), *_share(part),
                f"{true['value']:.0%}" if true else "", *_with_ends(part["gain"]),
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
