"""`suphx bench`: how fast this machine is at each part of the work."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from suphx.commands.groups import announced, with_plugins
from suphx.commands.options import AsJson, Device, Threads
from suphx.errors import InputError
from suphx.plugins import BENCHES

if TYPE_CHECKING:
    from suphx.networks.sizes import NetworkSize

Sizes = Annotated[str, Option(help="Network sizes, with commas: small, base, paper, 96x6.")]
Seconds = Annotated[float, Option(min=0.1, help="Seconds for each measurement.")]
SampleLogs = Annotated[list[Path] | None, Option(help="Logs to measure with; by default generated games.")]
Batch = Annotated[int, Option(min=1, help="Decisions of a step of learning.")]

bench = typer.Typer(
    cls=with_plugins(BENCHES),
    no_args_is_help=True,
    help="Measure how fast this machine is; it should have nothing else to do.",
)


def _print(parts: Iterable[tuple[str, dict[str, float]]], as_json: bool, **about: object) -> None:
    """Print the metrics of each part as a table or as JSON, with four digits, and say on the way what is measured."""
    from rich.console import Console
    from rich.table import Table

    screen, metrics = Console(stderr=True), {}
    for part, values in parts:
        screen.print(f"measured {part}", style="dim", highlight=False)
        metrics[part] = {name: float(f"{value:.4g}") for name, value in values.items()}
    if as_json:
        print(json.dumps(about | metrics))
        return
    table = Table("part", "metric", "value", caption=", ".join(f"{name}: {value}" for name, value in about.items()))
    for part, values in metrics.items():
        for name, value in values.items():
            table.add_row(part, name, f"{value:,.4g}" if value < 10_000 else f"{value:,.0f}")
    Console().print(table)


def _sizes(names: str) -> "list[NetworkSize]":
    from suphx.networks.sizes import size_named

    return [size_named(name.strip()) for name in names.split(",")]


def simulator(logs: SampleLogs = None, seconds: Seconds = 4.0, as_json: AsJson = False) -> None:
    """Measure the table: random play, shanten and accepted tiles on one core, and logs verified on all cores."""
    from suphx.bench.simulator import bench_simulator

    _print(bench_simulator(logs or [], seconds), as_json, cores=os.cpu_count() or 1)


def features(
    logs: SampleLogs = None,
    seconds: Seconds = 4.0,
    positions: Annotated[int, Option(min=1, help="Positions to measure with, at least; whole games.")] = 2000,
    as_json: AsJson = False,
) -> None:
    """Measure the encoders of positions and of proposed calls, in microseconds on one core."""
    from suphx.bench.features import bench_features

    _print([("encoding", bench_features(seconds, positions, logs))], as_json)


def networks(
    sizes: Sizes = "small,base",
    device: Device = None,
    threads: Threads = None,
    seconds: Seconds = 3.0,
    as_json: AsJson = False,
) -> None:
    """Measure the networks: inference from packed planes, and supervised training, in float32 and bfloat16.

    `first_layer_share` is the share of inference that goes from packed planes to the output of the first layer.
    """
    from suphx.bench.networks import bench_networks
    from suphx.networks.precision import choose_precision

    chosen = choose_precision(device, threads=threads)
    precisions = [choose_precision(device, dtype, threads) for dtype in ("bfloat16", "float32")]
    parts = bench_networks(_sizes(sizes), precisions, seconds)
    _print(parts, as_json, precision=str(chosen), threads=chosen.threads)


def selfplay(
    sizes: Sizes = "small,base",
    seconds: Seconds = 5.0,
    games: Annotated[int, Option(min=2, help="Games side by side.")] = 512,
    device: Device = None,
    stub: Annotated[
        str | None,
        typer.Option(
            metavar="MS,US", help="Simulators and an engine without networks: milliseconds per call, us per row."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure the collection of games of self-play in one process, and what the networks alone would do.

    Networks are fresh. Ratios are in rows of the networks' calls, and hold on a busy machine as well.

    With --stub, one simulator, and as many as there are cores, in processes of their own as in a training; an engine's
    networks take the time given, without computing anything: on an H200, 1,1.5 for `medium` and 1,2.2 for `base`.
    """
    if stub is not None:
        _bench_stub(stub, games, seconds, as_json)
        return
    from suphx.bench.selfplay import bench_collector
    from suphx.networks.precision import choose_precision

    precision = choose_precision(device, threads=1)
    parts = ((size.name, bench_collector(size, precision, seconds, games)) for size in _sizes(sizes))
    _print(parts, as_json, precision=str(precision))


def _bench_stub(stub: str, games: int, seconds: float, as_json: bool) -> None:
    from suphx.bench.stub import bench_stub

    try:
        latency, per_row = map(float, stub.split(","))
    except ValueError:
        raise InputError(
            f"--stub {stub}: write milliseconds per call and microseconds per row, such as 1,1.5"
        ) from None

    def parts() -> Iterable[tuple[str, dict[str, float]]]:
        for n in dict.fromkeys((1, os.cpu_count() or 1)):
            yield f"{n} simulator{'s' * (n > 1)}", bench_stub(n, games, latency / 1e3, per_row / 1e6, seconds)

    _print(parts(), as_json)


def learner(
    sizes: Annotated[str | None, Option(help="Network sizes; by default small,base, on a GPU paper.")] = None,
    seconds: Seconds = 20.0,
    batch: Batch = 1024,
    device: Device = None,
    threads: Annotated[int, Option(min=1, help="Threads on a CPU.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Measure steps of the learner, with and without a critic, in turns with forward, backward and AdamW alone.

    On a GPU also inference and, of cards whose peak is known, the shares of it that are reached.
    """
    from suphx.bench.learner import bench_card, bench_learner
    from suphx.networks.precision import choose_precision

    precision = choose_precision(device, threads=threads)
    on_gpu = precision.device.type == "cuda"

    def parts() -> Iterable[tuple[str, dict[str, float]]]:
        for size in _sizes(sizes or ("paper" if on_gpu else "small,base")):
            yield size.name, bench_learner(size, precision, seconds, batch, with_critic=False)
            yield f"{size.name} and critic", bench_learner(size, precision, seconds, batch, with_critic=True)
            if on_gpu:
                yield f"{size.name} on the card", bench_card(size, precision, seconds, batch)

    _print(parts(), as_json, precision=str(precision), batch=batch)


def evaluate(
    sizes: Sizes = "small,base", seconds: Seconds = 15.0, threads: Threads = None, as_json: AsJson = False
) -> None:
    """Measure hanchan per second: `sensible` on one core, and network agents beside what their networks alone allow.

    Fresh networks evaluate every decision of games that `sensible` plays.
    """
    from suphx.bench.evaluate import bench_agents, bench_sensible
    from suphx.networks.precision import keep_memory

    keep_memory()
    cores = threads or os.cpu_count() or 1

    def parts() -> Iterable[tuple[str, dict[str, float]]]:
        yield "sensible", bench_sensible(seconds)
        for size in _sizes(sizes):
            yield size.name, bench_agents(size, seconds, cores)

    _print(parts(), as_json, threads=cores)


for each in (simulator, features, networks, selfplay, learner, evaluate):
    bench.command()(announced(each))
