"""`suphx poker equity` and `solve`: what ranges win, and heads-up endgames from the turn or the river on."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from suphx.commands.options import AsJson

if TYPE_CHECKING:
    from suphx.equilibrium.poker.endgame import Endgame


def equity(
    ranges: Annotated[list[str], typer.Argument(help="Two or more ranges: AhKh, QQ-22,AQs-A2s, random.")],
    board: Annotated[str, typer.Option(help="Cards on the board, such as QsJh2h.")] = "",
    samples: Annotated[int, typer.Option(min=0, help="Random deals; 0 is all deals, exactly.")] = 0,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the deals.")] = 0,
    as_json: AsJson = False,
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
    result = sampled_equity(held, cards, samples, seed) if samples else exact_equity(held, cards)
    if as_json:
        print(json.dumps({name: values.tolist() for name, values in result._asdict().items()}))
        return
    table = Table("range", "equity %", "wins %", "ties %")
    for row, text in enumerate(ranges):
        share, win, tie, half = (100 * values[row] for values in result)
        table.add_row(text, f"{share:.3f}" + (f" ± {half:.3f}" if samples else ""), f"{win:.3f}", f"{tie:.3f}")
    Console(highlight=False).print(table)


def solve(
    ranges: Annotated[
        list[str] | None, typer.Argument(help="Ranges of who acts first and second: QQ-22,AQs-A2s. None with --start.")
    ] = None,
    board: Annotated[str, typer.Option(help="Four or five cards, such as QsJh2h8c.")] = "",
    pot: Annotated[float, typer.Option(help="Chips in the middle.")] = 1.0,
    stack: Annotated[float, typer.Option(help="Chips behind of each player.")] = 4.0,
    turn: Annotated[str, typer.Option(help="Bets / raises on the turn in pots; a is all-in: 0.5,1,a/1,a.")] = "1,a",
    river: Annotated[str, typer.Option(help="Bets / raises on the river.")] = "1,a",
    rule: Annotated[str, typer.Option(help="dcfr, cfr+ or cfr.")] = "dcfr",
    iterations: Annotated[int, typer.Option(min=1, help="Iterations at most, with those of --start.")] = 1000,
    target: Annotated[float, typer.Option(min=0, help="Exploitability to stop at, in % of the pot.")] = 0.5,
    start: Annotated[Path | None, typer.Option(help="A saved endgame to resume.")] = None,
    lock: Annotated[
        list[str] | None,
        typer.Option(help="Fix a decision and solve anew: PATH=ACTION:SHARE,.. such as x-b100=f:0.4,c:0.6."),
    ] = None,
    at: Annotated[str, typer.Option(help="Decision to show: actions, and the river's card: x-b100-c-Ah.")] = "",
    csv: Annotated[Path | None, typer.Option(help="Write the strategy shown, of every hand, to a CSV file.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Save the endgame (.npz), to resume later.")] = None,
    as_json: AsJson = False,
) -> None:
    """Solve an endgame for an equilibrium, and print what both players win and how often they do what."""
    from suphx.equilibrium.poker.endgame import RULES
    from suphx.errors import InputError
    from suphx.progress import progress

    if rule not in RULES:
        raise InputError(f"no rule {rule!r}; there are {', '.join(RULES)}")
    endgame = _endgame(ranges or [], board, pot, stack, turn, river, start)
    for text in lock or ():
        _lock(endgame, text)
    path = [word for word in at.split("-") if word]
    endgame.actions(path)  # a wrong path is an error before the work
    started, before = time.perf_counter(), endgame.iterations
    with progress("solving", iterations, done=before) as show:
        for reached in endgame.solve(iterations, target / 100, rule):
            rate = (endgame.iterations - before) / (time.perf_counter() - started)
            show(endgame.iterations, f"exploitability {100 * reached:.3f} % of the pot, {rate:.0f} iterations/s")
    seconds = time.perf_counter() - started
    if csv is not None:
        _write_csv(csv, endgame, path)
    if out is not None:
        endgame.save(out)
    _show(endgame, path, seconds, as_json)


def _endgame(
    ranges: list[str], board: str, pot: float, stack: float, turn: str, river: str, start: Path | None
) -> Endgame:
    import numpy as np

    from suphx.equilibrium.poker.betting import Sizes
    from suphx.equilibrium.poker.cards import parse_cards
    from suphx.equilibrium.poker.endgame import Endgame
    from suphx.equilibrium.poker.ranges import parse_range

    if start is not None:
        if ranges or board:
            raise typer.BadParameter("a saved endgame has its own ranges and board", param_hint="--start")
        return Endgame.load(start)
    if len(ranges) != 2:
        raise typer.BadParameter("an endgame needs two ranges", param_hint="RANGES")
    held = np.stack([parse_range(text) for text in ranges])
    return Endgame(parse_cards(board), pot, stack, held, Sizes.parse(turn), Sizes.parse(river))


def _lock(endgame: Endgame, text: str) -> None:
    import numpy as np

    from suphx.equilibrium.poker.cards import PAIRS
    from suphx.errors import InputError

    place, _, shares = text.rpartition("=")
    path = [word for word in place.split("-") if word]
    labels = endgame.actions(path)
    wanted = np.zeros((len(labels), PAIRS))
    for word in shares.split(","):
        label, _, number = word.partition(":")
        try:
            wanted[labels.index(label)] = float(number)
        except ValueError:
            raise InputError(f"lock {text!r}: {word!r} is no share of one of the actions {', '.join(labels)}") from None
    endgame.lock(path, wanted)


def _write_csv(path: Path, endgame: Endgame, at: list[str]) -> None:
    import numpy as np

    from simulator.files import write_whole
    from suphx.equilibrium.poker.cards import PAIR_CARDS, card_text

    strategy, labels = endgame.strategy(at), endgame.actions(at)
    lines = [",".join(["hand", *labels])]
    for pair in np.flatnonzero(strategy.any(0))[::-1]:
        lines.append(",".join([card_text(PAIR_CARDS[pair][::-1]), *(f"{share:.6f}" for share in strategy[:, pair])]))
    write_whole(path, ("\n".join(lines) + "\n").encode())


def _show(endgame: Endgame, path: list[str], seconds: float, as_json: bool) -> None:
    labels, shares = endgame.actions(path), endgame.frequencies(path)
    value, reached = endgame.expected(), endgame.exploitability()
    if as_json:
        result = {
            "value": value, "exploitability": reached * endgame.pot, "exploitability_of_pot": reached,
            "nash_conv": 2 * reached * endgame.pot, "iterations": endgame.iterations, "seconds": round(seconds, 3),
            "path": path, "frequencies": dict(zip(labels, shares, strict=True)),
        }  # fmt: skip
        print(json.dumps(result))
        return
    print(
        f"{endgame.iterations} iterations, {seconds:.1f} s; exploitability {100 * reached:.3f} % of the pot (half the "
        f"NashConv)\nof the pot of {endgame.pot:g}, first wins {value[0]:.4f}, second {value[1]:.4f}"
    )
    words = ", ".join(f"{label} {100 * share:.1f} %" for label, share in zip(labels, shares, strict=True))
    print(f"after {'-'.join(path) or 'nothing'}: {words or 'nobody decides anything'}")
