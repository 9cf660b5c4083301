"""`suphx bench equilibrium`: CFR here and elsewhere. `suphx bench rules`: what the twelve rules reach."""

import json
from pathlib import Path
from typing import Annotated

import typer


def equilibrium(
    against: Annotated[str, typer.Option(help="Peers, with commas: openspiel, liteefg.")] = "openspiel,liteefg",
    games: Annotated[
        str | None, typer.Option(help="Only games with these words in OpenSpiel's names, with commas.")
    ] = None,
    turns: Annotated[int, typer.Option(min=1, help="Turns of each program; the fastest counts.")] = 5,
    install: Annotated[bool, typer.Option("--install", help="Build LiteEFG first (source only, minutes).")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Measure an iteration of CFR with its average, in CPU time, in turns with other solvers on the same trees."""
    from rich.console import Console
    from rich.table import Table

    from suphx.bench.equilibrium import GAMES, PEERS, bench_equilibrium, install_liteefg
    from suphx.errors import InputError

    peers = [peer.strip() for peer in against.split(",") if peer.strip()]
    if unknown := set(peers) - set(PEERS):
        raise InputError(f"--against {unknown.pop()}: the peers are {', '.join(PEERS)}")
    if install:
        install_liteefg()
    screen = Console(stderr=True)
    wanted = [word.strip() for word in (games or "").split(",")]
    if unknown_games := [word for word in wanted if not any(word in name for name in GAMES)]:
        raise InputError(f"--games {unknown_games[0]}: the games are {', '.join(GAMES)}")
    names = [name for name in GAMES if any(word in name for word in wanted)]
    numbers = bench_equilibrium(names, peers, turns, lambda text: screen.print(text, style="dim", highlight=False))
    if as_json:
        print(json.dumps(numbers))
        return
    table = Table("game", "program", "us an iteration", "suphx is faster by")
    for name, found in numbers.items():
        for program, value in found["microseconds"].items():
            times = "" if program == "suphx" else f"{found[f'times_{program}']:.1f}x"
            table.add_row(name, program, f"{value:,.1f}", times)
    Console().print(table)


def rules(
    game: Annotated[str, typer.Option(help="OpenSpiel's name of the game.")] = "leduc_poker",
    iterations: Annotated[int, typer.Option(min=10, help="How many iterations.")] = 1000,
    seeds: Annotated[int, typer.Option(min=1, help="How many samplings of the rules that sample.")] = 100,
    liteefg: Annotated[bool, typer.Option("--liteefg", help="Run LiteEFG's rules beside ours.")] = False,
    plots: Annotated[Path | None, typer.Option(help="Draw the curves into this folder.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Measure the NashConv of the twelve rules over iterations, the sampled ones over seeds, with 95 % intervals."""
    from rich.console import Console
    from rich.table import Table

    from suphx.bench.equilibrium import bench_rules

    if plots is not None:
        from suphx.equilibrium.plots import plot_nash_conv  # where Matplotlib is missing, this is said before the work
    screen = Console(stderr=True)
    looks = sorted(
        {round(10 ** (each / 12)) for each in range(1 + 12 * 9) if 10 ** (each / 12) < iterations} | {iterations}
    )
    found = bench_rules(game, looks, seeds, liteefg, lambda text: screen.print(text, style="dim", highlight=False))
    if plots is not None:
        curves = {rule: each["suphx"]["nash_conv"] for rule, each in found["rules"].items()}
        plot_nash_conv(
            plots / "rules.png", {rule: list(zip(looks, each, strict=True)) for rule, each in curves.items()}, game
        )
    if as_json:
        print(json.dumps(found))
        return
    shown = [at for at, look in enumerate(looks) if look in (10, 100, 1000, iterations)]
    table = Table("rule", "program", *(f"{looks[at]:,}" for at in shown))
    for rule, programs in found["rules"].items():
        for program, each in programs.items():
            cells = ((each["nash_conv"][at], each["half_width"][at]) for at in shown)
            table.add_row(
                rule, program, *(f"{value:.5f}" + (f" ± {half:.5f}" if half else "") for value, half in cells)
            )
    Console().print(table)
