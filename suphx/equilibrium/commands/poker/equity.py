"""`suphx poker equity`: what ranges win against each other."""

import json
from typing import Annotated

import typer


def equity(
    ranges: Annotated[list[str], typer.Argument(help="Two or more ranges: AhKh, QQ-22,AQs-A2s, random.")],
    board: Annotated[str, typer.Option(help="Cards on the board, such as QsJh2h.")] = "",
    samples: Annotated[int, typer.Option(min=0, help="Random deals; 0 is all deals, exactly.")] = 0,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the deals.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Print the share of the pot that each range wins if all cards come; ties are shared."""
    import numpy as np
    from rich.console import Console
    from rich.table import Table

    from suphx.equilibrium.poker.cards import parse_cards
    from suphx.equilibrium.poker.equity import exact_equity, sampled_equity
    from suphx.equilibrium.poker.ranges import parse_range

    if not 2 <= len(ranges) <= 10:
        raise typer.BadParameter("two to ten ranges", param_hint="RANGES")
    held, cards = np.stack([parse_range(text) for text in ranges]), parse_cards(board)
    found = sampled_equity(held, cards, samples, seed) if samples else exact_equity(held, cards)
    if as_json:
        print(json.dumps({name: values.tolist() for name, values in found._asdict().items()}))
        return
    table = Table("range", "equity %", "wins %", "ties %")
    for row, text in enumerate(ranges):
        share, win, tie, half = (100 * values[row] for values in found)
        table.add_row(text, f"{share:.3f}" + (f" ± {half:.3f}" if samples else ""), f"{win:.3f}", f"{tie:.3f}")
    Console(highlight=False).print(table)
