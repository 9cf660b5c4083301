"""`suphx outlook`: train the outlook network, and measure it on held-out games."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from suphx.commands.options import CORES, AsJson, Changes, ConfigFile, Logs, RunFolder, Workers

if TYPE_CHECKING:
    from rich.table import Table

    from suphx.outlook.evaluation import OutlookEvaluation
    from suphx.outlook.marks import ChoiceEvaluation

outlook = typer.Typer(
    no_args_is_help=True, help="The outlook: what each discard risks, and what a position is worth; train and measure."
)


@outlook.command()
def train(
    config: ConfigFile = Path("outlook"),
    logs: Logs = None,
    changes: Changes = None,
    out: RunFolder = None,
    threads: Annotated[int, Option(min=1, help="Threads to train with.")] = 1,
    workers: Workers = CORES,
    as_json: AsJson = False,
) -> None:
    """Train the outlook network: what each discard risks, and what a position is worth.

    The folder gets the weights (outlook.safetensors), checkpoints, and curves for TensorBoard. A fixed part of the
    games is held out for `suphx outlook evaluate`. Run the same command again to resume.
    """
    from suphx.config import load_config
    from suphx.dataset.logs import games_of
    from suphx.networks.precision import choose_precision
    from suphx.networks.weights import save_network
    from suphx.outlook.training import WEIGHTS_NAME, OutlookConfig, OutlookTraining
    from suphx.progress import progress
    from suphx.run_folder import folder_lock, runs_folder

    settings = load_config(config, OutlookConfig, changes or ())
    precision = choose_precision("cpu", None, threads)
    prepared = games_of(logs, settings.generated, workers)
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


@outlook.command()
def evaluate(
    logs: Annotated[list[Path], Option(help="Logs to measure on: files, folders, archives, or prepared logs.")],
    weights: Annotated[Path | None, Option(help="A file of weights; by default the included weights.")] = None,
    out: Annotated[Path | None, Option(help="Folder for outlook.json and the plot outlook.png.")] = None,
    decisions: Annotated[int | None, Option(min=1, help="Maximum number of discards; by default all.")] = None,
    valued: Annotated[int, Option(min=1, help="Of how many of them all discards are valued.")] = 40_000,
    choices: Annotated[
        int | None, Option(min=1, help="Maximum number of decisions about calls, kongs and riichi; by default all.")
    ] = None,
    split: Annotated[
        str, Option(help="Which games: test, or training, of logs that no network has learned from.")
    ] = "test",
    bootstrap: Annotated[int, Option(min=20, help="Bootstrap samples for the intervals.")] = 1000,
    seed: Annotated[int, Option(min=0, help="Random seed.")] = 0,
    workers: Workers = CORES,
    as_json: AsJson = False,
) -> None:
    """Measure an outlook network on the test games of logs, beside base rates and the suji table.

    The test games are those that no training of `suphx` uses; frequencies are counted on the training games, or with
    --split training on the test games. What a discard, call, kong or riichi cost is told against what the default
    agent prefers.
    """
    from simulator.files import write_whole
    from suphx.agent import DEFAULT_AGENT
    from suphx.agent.flow import Flow
    from suphx.agent.registry import load_agent
    from suphx.dataset.logs import open_prepared
    from suphx.dataset.prepared import SPLITS
    from suphx.errors import InputError
    from suphx.networks.precision import choose_precision
    from suphx.networks.weights import load_outlook
    from suphx.outlook.evaluation import evaluate as measure
    from suphx.outlook.predictor import INCLUDED, Outlook
    from suphx.progress import progress

    precision = choose_precision("cpu", "float32", 1)
    outlook = Outlook(load_outlook(weights or INCLUDED), precision)
    agent = load_agent(DEFAULT_AGENT, precision=precision)
    assert isinstance(agent, Flow)
    prepared = open_prepared(logs, workers)
    if split not in SPLITS:
        raise InputError(f"--split {split!r}: one of {', '.join(SPLITS)}")
    if not (prepared.split() == list(SPLITS).index(split)).any():
        raise InputError(f"none of {len(prepared.games):,} games is for {split}; more games are needed")
    with progress("measuring", 1.0) as show:
        evaluation = measure(outlook, agent, prepared, bootstrap, seed, decisions, valued, choices, split, show)
    if out is not None:
        from suphx.outlook.plots import plot_calibration

        out.mkdir(parents=True, exist_ok=True)
        write_whole(out / "outlook.json", evaluation.model_dump_json().encode() + b"\n")
        plot_calibration(out / "outlook.png", evaluation)
    if as_json:
        print(evaluation.model_dump_json())
    else:
        _show(evaluation)


def _choice_table(choices: dict[str, ChoiceEvaluation]) -> Table:
    from rich.table import Table

    table = Table("not the agent's", "cost, points", "decisions", "like ones", "expected cost", "points lost",
                  "placement lost")  # fmt: skip
    for kind, evaluation in choices.items():
        for each in (*evaluation.marks, evaluation.mistakes):
            losses = (each.actual, 0), (each.placement, 3)
            lost = ["" if number is None else number.text(digits) for number, digits in losses]
            bounds = f"{_bound(each.low)} to {_bound(each.high)}"
            table.add_row(kind, bounds, f"{each.decisions:,}", f"{each.agreeing:,}", f"{each.expected:.0f}", *lost)
    return table


def _show(evaluation: OutlookEvaluation) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    events = Table("Brier score", "examples", "happens", "by", "score", "saved by the network")
    for name, event in evaluation.events.items():
        for by, score in event.brier.items():
            gain = event.gain[by].text(3) if by in event.gain else ""
            events.add_row(name, f"{event.examples:,}", f"{event.share:.4f}", by, score.text(5), gain)
    values = Table("RMSE", "examples", "by", "error", "slope")
    for name, value in evaluation.values.items():
        for by, error in value.rmse.items():
            slope = value.slope.text(3) if by == "network" else ""
            values.add_row(name, f"{value.examples:,}", by, error.text(3), slope)
    tables = [events, values]
    discards = evaluation.discards
    for title, classes in (("cost, points", discards.costs), ("difference", discards.differences)):
        table = Table(title, "discards", "expected cost", "points lost", "placement lost")
        for each in classes:
            bounds = "the preferred one" if each.low is each.high else f"{_bound(each.low)} to {_bound(each.high)}"
            lost = each.actual.text(0), each.placement.text(3)
            table.add_row(bounds, f"{each.discards:,}", f"{each.expected:.0f}", *lost)
        tables.append(table)
    tables.append(_choice_table(evaluation.choices))
    for table in tables:
        console.print(table)
    console.print(
        f"{evaluation.games:,} held-out games, {evaluation.decisions:,} discards; intervals of 95 % over games. "
        f"{discards.decisions:,} with all discards valued: slope {discards.slope.text(2)}."
    )


def _bound(bound: float | None) -> str:
    return "..." if bound is None else f"{bound:g}"
