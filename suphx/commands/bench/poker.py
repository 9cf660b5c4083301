"""`suphx bench poker`: hands, endgames and MCCFR beside other programs."""

import json
from typing import Annotated

import typer


def poker(
    turns: Annotated[int, typer.Option(min=1, max=20, help="Turns of each program; the fastest counts.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Measure CPU time of one thread: evaluators of hands, iterations of endgames, nodes of MCCFR; under a minute."""
    from rich.console import Console
    from rich.table import Table

    from suphx.bench.poker import bench_poker

    screen = Console(stderr=True)
    numbers = bench_poker(turns, lambda text: screen.print(text, style="dim", highlight=False))
    if as_json:
        print(json.dumps(numbers))
        return
    table = Table("what", "here", "beside", "ratio")
    hands, nodes = numbers["evaluators"]["hands_per_s"], numbers["mccfr"]["nodes_per_s"]
    for peer in hands.keys() - {"suphx"}:
        times = numbers["evaluators"][f"times_{peer}"]
        table.add_row("M hands/s", f"{hands['suphx'] / 1e6:.1f}", f"{peer} {hands[peer] / 1e6:.2f}", f"{times:.1f}x")
    for stack, found in numbers["endgames"].items():
        beside, times = f"postflop-solver {found['native_ms']:g}, as stated", f"{found['times_native']:.2f}x the time"
        table.add_row(f"ms an iteration, stack of {stack} pots", f"{found['ms']:.1f}", beside, times)
    times = f"{numbers['mccfr']['times_recursive']:.1f}x"
    table.add_row("nodes/s of MCCFR", f"{nodes['suphx']:,.0f}", f"plain recursion {nodes['recursive']:,.0f}", times)
    Console().print(table)
