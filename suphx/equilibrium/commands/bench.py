"""`suphx bench solvers`: CFR, its update rules, two-player mahjong, poker, and the learner on small games."""

import json
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from suphx.commands.groups import announced
from suphx.commands.options import AsJson
from suphx.errors import InputError

solvers = typer.Typer(
    no_args_is_help=True, help="Measure the solvers: CFR, its rules, two-player mahjong, poker, the learner."
)


def _tell(text: str) -> None:
    from rich.console import Console

    Console(stderr=True).print(text, style="dim", highlight=False)


def _print(
    results: object, as_json: bool, columns: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None
) -> None:
    """Print results as JSON, or as a table with these rows."""
    from rich.console import Console
    from rich.table import Table

    if as_json:
        print(json.dumps(results))
        return
    table = Table(*columns, title=title)
    for row in rows:
        table.add_row(*row)
    Console().print(table)


@solvers.command()
@announced
def equilibrium(
    against: Annotated[str, typer.Option(help="Peers, with commas: openspiel, liteefg.")] = "openspiel,liteefg",
    games: Annotated[
        str | None, typer.Option(help="Only games with these words in OpenSpiel's names, with commas.")
    ] = None,
    turns: Annotated[int, typer.Option(min=1, help="Turns of each program; the fastest counts.")] = 5,
    install: Annotated[bool, typer.Option("--install", help="Build LiteEFG first (source only, minutes).")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure an iteration of CFR with its average, in CPU time, in turns with other solvers on the same trees."""
    from suphx.equilibrium.bench.solvers import GAMES, PEERS, bench_equilibrium, install_liteefg

    peers = [peer.strip() for peer in against.split(",") if peer.strip()]
    if unknown := set(peers) - set(PEERS):
        raise InputError(f"--against {unknown.pop()}: the peers are {', '.join(PEERS)}")
    if install:
        install_liteefg()
    words = [word.strip() for word in (games or "").split(",")]
    if unknown_games := [word for word in words if not any(word in name for name in GAMES)]:
        raise InputError(f"--games {unknown_games[0]}: the games are {', '.join(GAMES)}")
    names = [name for name in GAMES if any(word in name for word in words)]
    results = bench_equilibrium(names, peers, turns, _tell)
    rows = (
        (name, program, f"{value:,.1f}", "" if program == "suphx" else f"{result[f'times_{program}']:.1f}x")
        for name, result in results.items()
        for program, value in result["microseconds"].items()
    )
    _print(results, as_json, ("game", "program", "us an iteration", "suphx is faster by"), rows)


@solvers.command()
@announced
def rules(
    game: Annotated[str, typer.Option(help="A game as `suphx solve` names it.")] = "leduc",
    iterations: Annotated[int, typer.Option(min=10, help="How many iterations.")] = 1000,
    seeds: Annotated[int, typer.Option(min=1, help="How many samplings of the rules that sample.")] = 100,
    liteefg: Annotated[
        bool, typer.Option("--liteefg", help="Run LiteEFG's rules beside ours, on a game openspiel:NAME.")
    ] = False,
    plots: Annotated[Path | None, typer.Option(help="Draw the curves into this folder.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure the NashConv of the twelve rules over iterations, the sampled ones over seeds, with 95 % intervals."""
    from suphx.equilibrium.bench.solvers import bench_rules

    if plots is not None:
        from suphx.equilibrium.plots import plot_nash_conv  # a missing Matplotlib is reported before the work
    looks = sorted(
        {round(10 ** (each / 12)) for each in range(1 + 12 * 9) if 10 ** (each / 12) < iterations} | {iterations}
    )
    results = bench_rules(game, looks, seeds, liteefg, _tell)
    if plots is not None:
        values = {rule: each["suphx"]["nash_conv"] for rule, each in results["rules"].items()}
        curves = {rule: list(zip(looks, each, strict=True)) for rule, each in values.items()}
        plot_nash_conv(plots / "rules.png", curves, game)
    columns = [at for at, look in enumerate(looks) if look in (10, 100, 1000, iterations)]

    def cell(value: float, half: float) -> str:
        return f"{value:.5f}" + (f" ± {half:.5f}" if half else "")

    rows = (
        (rule, program, *(cell(each["nash_conv"][at], each["half_width"][at]) for at in columns))
        for rule, programs in results["rules"].items()
        for program, each in programs.items()
    )
    _print(results, as_json, ("rule", "program", *(f"{looks[at]:,}" for at in columns)), rows)


@solvers.command()
@announced
def duel(
    games: Annotated[int, typer.Option(min=1, help="Games between each two plans.")] = 20_000,
    iterations: Annotated[int, typer.Option(min=1, help="Iterations of CFR.")] = 2_000,
    as_json: AsJson = False,
) -> None:
    """Measure games of fixed plans, iterations of CFR and an evaluation on 3,000 deals, in CPU time of one thread."""
    from suphx.equilibrium.bench.duel import bench_duel

    numbers = {}
    for name, value in bench_duel(games, iterations):
        numbers[name] = float(f"{value:.4g}")
        if not as_json:
            print(f"{name.replace('_', ' '):<32} {value:,.1f}", flush=True)
    if as_json:
        print(json.dumps(numbers))


@solvers.command()
@announced
def poker(
    turns: Annotated[int, typer.Option(min=1, max=20, help="Turns of each program; the fastest counts.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Measure CPU time of one thread: evaluators of hands, iterations of endgames, nodes of MCCFR; under a minute."""
    from suphx.equilibrium.bench.poker import bench_poker

    numbers = bench_poker(turns, _tell)
    hands, nodes = numbers["evaluators"]["hands_per_s"], numbers["mccfr"]["nodes_per_s"]
    rows = []
    for peer in hands.keys() - {"suphx"}:
        times = f"{numbers['evaluators'][f'times_{peer}']:.1f}x"
        rows.append(("M hands/s", f"{hands['suphx'] / 1e6:.1f}", f"{peer} {hands[peer] / 1e6:.2f}", times))
    for stack, each in numbers["endgames"].items():
        beside, times = f"postflop-solver {each['native_ms']:g}, as stated", f"{each['times_native']:.2f}x the time"
        rows.append((f"ms an iteration, stack of {stack} pots", f"{each['ms']:.1f}", beside, times))
    times = f"{numbers['mccfr']['times_recursive']:.1f}x"
    rows.append(("nodes/s of MCCFR", f"{nodes['suphx']:,.0f}", f"plain recursion {nodes['recursive']:,.0f}", times))
    _print(numbers, as_json, ("what", "here", "beside", "ratio"), rows)


@solvers.command()
@announced
def leaf(
    network: Annotated[
        Path | None, typer.Argument(help="A network of `suphx poker leaf`, to measure on turns; by default Leduc.")
    ] = None,
    spots: Annotated[int, typer.Option(min=1, help="Random turns.")] = 30,
    seeds: Annotated[int, typer.Option(min=1, help="Networks for Leduc.")] = 5,
    examples: Annotated[int, typer.Option(min=10, help="Second rounds of Leduc that a network learns from.")] = 10_000,
    iterations: Annotated[
        int | None, typer.Option(min=1, help="To the leaves: by default 1000 on Leduc, 50 on the turn.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the turns.")] = 0,
    ranges: Annotated[
        list[str] | None, typer.Option("--range", help="Ranges of the turns, of both players, instead of random ones.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure value networks as leaves: NashConv on Leduc, or what turns lose and the time that is saved."""
    import numpy as np

    from suphx.equilibrium.bench.leaf import bench_leduc, bench_turn
    from suphx.equilibrium.poker.leaf import TurnLeaf
    from suphx.equilibrium.poker.ranges import parse_range

    def cell(result: dict[str, Any], digits: int) -> str:
        low, high = result["interval"] or (float("nan"),) * 2
        return f"{result['mean']:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"

    if network is None:
        results = bench_leduc(seeds, examples, iterations or 1000, _tell)
        rows = [(name, cell(each, 4)) for name, each in results.items()]
        _print(results, as_json, ("second round by", "NashConv"), rows)
        return
    if ranges and len(ranges) != 2:
        raise typer.BadParameter("two of them, of who acts first and second", param_hint="--range")
    held = np.stack([parse_range(text) for text in ranges]) if ranges else None
    results = bench_turn(TurnLeaf.load(network), spots, seed, iterations or 50, held, _tell)
    measured = {name: each for name, each in results.items() if name != "time"}
    lines = [(name, cell(each["loss"], 2), cell(each["seconds"], 3)) for name, each in measured.items()]
    lines.append(("to the end / network", "", cell(results["time"]["to the end / network"], 2)))
    _print(results, as_json, ("river by", "loss, % of the pot", "CPU seconds"), lines)


class Probe(StrEnum):
    """What of the learner is judged on small games."""

    learner = "learner"
    oracle = "oracle"
    adaptation = "adaptation"


@solvers.command()
@announced
def learner(
    games: Annotated[str, typer.Option(help="Games as `suphx solve` names them, with commas.")] = "kuhn,leduc",
    probe: Annotated[
        Probe, typer.Option(help="Learning by itself, oracle guiding, or run-time adaptation.")
    ] = Probe.learner,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds.")] = 5,
    updates: Annotated[int, typer.Option(min=1, help="How many updates.")] = 200,
    as_json: AsJson = False,
) -> None:
    """Measure the learner on small games, exactly: NashConv of what it learns, or what adaptation gains."""
    from suphx.equilibrium.probe.bench import bench_small_games

    results = bench_small_games(games.split(","), probe.value, seeds, updates, _tell)
    if as_json:
        print(json.dumps(results))
        return
    for name, result in results.items():
        if probe is Probe.adaptation:
            columns, title = (
                ("", "share of the best gain", "hands that gain"),
                f"{name}: NashConv {result['nash_conv']:.3f}",
            )
            _print(result, False, columns, _adaptation_rows(result), title)
        else:
            _print(result, False, ("variant", "updates", "last policy", "averaged"), _learning_rows(result), name)


def _learning_rows(variants: dict[str, Any]) -> Iterable[Sequence[str]]:
    for variant, each in variants.items():
        if variant == "cfr+":
            yield f"cfr+, {each['iterations']} iterations", "", f"{each['nash_conv']:.3g}", ""
            continue
        for updates, *parts in zip(each["updates"], each["last"], each["averaged"], strict=True):
            yield variant, str(updates), *map(_with_interval, parts)


def _adaptation_rows(result: dict[str, Any]) -> Iterable[Sequence[str]]:
    for row in result["posterior"]:
        distance = f"{row['distance']:.3f} from the exact distribution"
        yield f"redealt hands after {row['discards']} discards", distance, ""
    for variant, each in result["copies"].items():
        yield variant, _with_interval(each["share"]), _with_interval(each["hands"])


def _with_interval(part: dict[str, float]) -> str:
    return f"{part['mean']:.3f} ± {part['half']:.3f}"
