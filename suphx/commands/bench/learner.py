"""`suphx bench learner`: what a step of learning takes, beside the bare step of the same network."""

import json
from enum import StrEnum
from typing import Annotated, Any

import typer


class Probe(StrEnum):
    """What of the learner is judged on small games."""

    learner = "learner"
    oracle = "oracle"
    adaptation = "adaptation"


def learner(
    sizes: Annotated[
        str | None, typer.Option(help="Network sizes, with commas; by default small,base, and paper on a GPU.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds for each measurement.")] = 20.0,
    batch: Annotated[int, typer.Option(min=1, help="Questions of a step.")] = 1024,
    device: Annotated[str | None, typer.Option(help="cpu or cuda; by default a GPU if there is one.")] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads on a CPU.")] = 1,
    games: Annotated[
        str | None,
        typer.Option(help="Instead: NashConv of what it learns on these small games, as `suphx solve` names."),
    ] = None,
    probe: Annotated[
        Probe, typer.Option(help="With --games: learning by itself, oracle guiding, or run-time adaptation.")
    ] = Probe.learner,
    seeds: Annotated[int, typer.Option(min=1, help="With --games: how many seeds.")] = 5,
    updates: Annotated[int, typer.Option(min=1, help="With --games: how many updates.")] = 200,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Measure steps of the learner, with and without a critic, in turns with forward, backward and AdamW alone.

    On a GPU also questions answered a second and, of cards whose peak is known, the shares of it that are reached.
    """
    if games is not None:
        _small_games(games.split(","), probe, seeds, updates, as_json)
        return
    from rich.console import Console
    from rich.table import Table

    from suphx.bench.learner import bench_card, bench_learner
    from suphx.networks.precision import choose_precision
    from suphx.networks.sizes import size_named

    precision = choose_precision(device, threads=threads)
    on_gpu = precision.device.type == "cuda"
    names = sizes or ("paper" if on_gpu else "small,base")
    screen = Console(stderr=True)
    numbers: dict[str, object] = {"precision": str(precision), "batch": batch}
    table = Table("size", "of", "measured", "value")
    for size in [size_named(name.strip()) for name in names.split(",")]:
        found = {
            "learner": bench_learner(size, precision, seconds, batch, with_critic=False),
            "learner_and_critic": bench_learner(size, precision, seconds, batch, with_critic=True),
        }
        if on_gpu:
            found["card"] = bench_card(size, precision, seconds, batch)
        screen.print(f"measured {size.name}", style="dim", highlight=False)
        rounded = {part: {name: float(f"{value:.4g}") for name, value in each.items()} for part, each in found.items()}
        numbers[size.name] = rounded
        for part, each in rounded.items():
            for name, value in each.items():
                table.add_row(size.name, part, name, f"{value:,.4g}" if value < 10_000 else f"{value:,.0f}")
    if as_json:
        print(json.dumps(numbers))
        return
    Console().print(table)


def _small_games(names: list[str], probe: Probe, seeds: int, updates: int, as_json: bool) -> None:
    from rich.console import Console

    from suphx.bench.small_games import bench_small_games

    screen = Console(stderr=True)

    def tell(text: str) -> None:
        screen.print(text, style="dim", highlight=False)

    numbers = bench_small_games(names, probe.value, seeds, updates, tell)
    if as_json:
        print(json.dumps(numbers))
        return
    for name, found in numbers.items():
        Console().print(_adaptation_table(name, found) if probe is Probe.adaptation else _learning_table(name, found))


def _learning_table(name: str, found: dict[str, Any]) -> Any:
    from rich.table import Table

    table = Table("variant", "updates", "last policy", "averaged", title=name)
    for variant, each in found.items():
        if variant == "cfr+":
            table.add_row(f"cfr+, {each['iterations']} iterations", "", f"{each['nash_conv']:.3g}", "")
            continue
        for updates, *parts in zip(each["updates"], each["last"], each["averaged"], strict=True):
            table.add_row(variant, str(updates), *map(_with_interval, parts))
    return table


def _adaptation_table(name: str, found: dict[str, Any]) -> Any:
    from rich.table import Table

    table = Table("", "share of the best gain", "hands that gain", title=f"{name}: NashConv {found['nash_conv']:.3f}")
    for row in found["posterior"]:
        shown = f"{row['distance']:.3f} from the exact distribution"
        table.add_row(f"redealt hands after {row['discards']} discards", shown, "")
    for variant, each in found["copies"].items():
        table.add_row(variant, _with_interval(each["share"]), _with_interval(each["hands"]))
    return table


def _with_interval(part: dict[str, float]) -> str:
    return f"{part['mean']:.3f} ± {part['half']:.3f}"
