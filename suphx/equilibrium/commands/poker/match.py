"""`suphx poker match`: what a player wins against others on the same deals at every seat."""

import json
import time
from typing import Annotated

import typer


def match(
    challenger: Annotated[str, typer.Argument(help="random, rule, equity:CALL/BET, or a file of weights.")],
    opponent: Annotated[str, typer.Argument(help="Who sits at all other seats.")],
    deals: Annotated[int, typer.Option(min=2, help="Deals; each is played once from every seat.")] = 2000,
    seats: Annotated[int, typer.Option(min=2, max=6, help="Players.")] = 6,
    stack: Annotated[int, typer.Option(help="Chips of each; blinds are 1 and 2.")] = 500,
    raises: Annotated[int, typer.Option(min=1, max=6, help="Bets and raises on a street at most.")] = 2,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the deals and of the play.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Print the challenger's big blinds per hundred hands, with the 95 % interval over deals."""
    import numpy as np
    import torch

    from suphx.equilibrium.poker.holdem import checked_stacks
    from suphx.equilibrium.poker.match import duplicate
    from suphx.equilibrium.poker.players import player_named
    from suphx.intervals import half_width
    from suphx.progress import progress

    torch.set_num_threads(1)
    own, other, stacks = player_named(challenger), player_named(opponent), checked_stacks([stack] * seats)
    started, won = time.perf_counter(), []
    with progress("deals", deals) as show:
        for part in duplicate(own, other, stacks, raises, deals, seed):
            won.append(part)
            done = sum(map(len, won))
            show(done, f"{done * seats / (time.perf_counter() - started):,.0f} hands/s")
    results = np.concatenate(won)
    mean, half = float(results.mean()), half_width(results)
    if as_json:
        print(json.dumps({"bb_per_100": mean, "half_width": half, "hands": deals * seats, "deals": deals}))
    else:
        print(f"{challenger} against {opponent}: {mean:+.1f} ± {half:.1f} bb/100 over {deals * seats:,} hands "
              f"({deals:,} deals from each of {seats} seats; {time.perf_counter() - started:.1f} s)")  # fmt: skip
