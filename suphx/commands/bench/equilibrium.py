"""`suphx bench equilibrium`: CFR here, in OpenSpiel and in LiteEFG."""

import json
from typing import Annotated

import typer


def equilibrium(
    against: Annotated[str, typer.Option(help="Peers, with commas: openspiel, liteefg.")] = "openspiel,liteefg",
    games: Annotated[str | None, typer.Option(help="Only games whose OpenSpiel names contain this.")] = None,
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
    names = [name for name in GAMES if games is None or games in name]
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
