"""One run of `suphx solve`: from the words of the command line to numbers and files."""

import runpy
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simulator.files import write_whole
from suphx.equilibrium.flat_game import MAX_NODES, flat
from suphx.equilibrium.games import named
from suphx.equilibrium.rules import Rule
from suphx.equilibrium.solver import Solver
from suphx.errors import InputError

_LOOKS = 1.3  # NashConv is looked at after so many times the iterations of the last look


@dataclass
class Wanted:
    """What the command line asks for; None is as the rule is meant."""

    game: str
    rule: str = "cfr+"
    iterations: int | None = None
    until: float | None = None
    traverse: str | None = None
    average: str | None = None
    parameters: list[str] = field(default_factory=list)
    seed: int = 0
    out: Path | None = None
    resume: Path | None = None
    csv: Path | None = None
    plots: Path | None = None
    max_nodes: int = MAX_NODES


def solve(wanted: Wanted) -> dict[str, Any]:
    """Solve a game and write the files asked for; return value, nash_conv, exploitability and what it took.

    Raises:
        InputError: something asked for is not possible; nothing is written then.
    """
    from rich.console import Console

    if wanted.plots is not None:
        from suphx.equilibrium.plots import plot_nash_conv  # where Matplotlib is missing, this is said before the work
    screen = Console(stderr=True)
    rule = _rule(wanted.rule)
    parameters = _parameters(wanted.parameters)
    game = flat(named(wanted.game), wanted.max_nodes, _teller(screen))
    if not (game.zero_sum and game.players == 2):
        if wanted.until is not None:
            raise InputError("--until needs a two-player zero-sum game: elsewhere no rule promises that NashConv falls")
        screen.print(
            "no two-player zero-sum game: NashConv is printed, but nothing promises that it falls", style="dim"
        )
    for path in (wanted.out, wanted.csv):
        if path is not None and not path.parent.is_dir():
            raise InputError(f"there is no folder {path.parent}")
    solver = Solver(game, rule, traverse=wanted.traverse, average=wanted.average, seed=wanted.seed, **parameters)  # type: ignore[arg-type]
    if wanted.resume is not None:
        solver.load(wanted.resume)
    started = time.perf_counter()
    curve = _iterate(solver, wanted, screen)
    policy = solver.policy()
    numbers = {
        "value": policy.values(),
        "nash_conv": policy.nash_conv(),
        "exploitability": policy.exploitability(),
        "iterations": solver.iterations,
        "seconds": time.perf_counter() - started,
        "infosets": game.infosets,
    }
    if wanted.out is not None:
        solver.save(wanted.out)
    if wanted.csv is not None:
        write_whole(wanted.csv, policy.csv().encode())
    if wanted.plots is not None:
        plot_nash_conv(wanted.plots / "nash_conv.png", {wanted.rule: curve}, f"{wanted.game}, {wanted.rule}")
    return numbers


def _rule(text: str) -> Rule | str:
    if text.endswith(".py"):
        raise InputError(f"{text}: which rule in it? {text}:NAME")
    if ".py:" not in text:
        return text
    path, _, name = text.rpartition(":")
    if not Path(path).is_file():
        raise InputError(f"there is no file {path}")
    sys.path.insert(0, str(Path(path).resolve().parent))
    try:
        found = runpy.run_path(path).get(name)
    except Exception as error:
        raise InputError(f"{path}: {type(error).__name__}: {error}") from error
    finally:
        sys.path.pop(0)
    if not isinstance(found, Rule):
        raise InputError(f"{path} has no rule {name} (a function under @rule)")
    return found


def _parameters(texts: list[str]) -> dict[str, float]:
    found = {}
    for text in texts:
        name, _, value = text.partition("=")
        try:
            found[name] = float(value)
        except ValueError as error:
            raise InputError(f"--set {text}: not NAME=NUMBER") from error
    return found


def _teller(screen: Any) -> Any:
    def tell(count: int) -> None:
        if screen.is_terminal:
            print(f"\r{count:,} nodes ", end="", file=sys.stderr, flush=True)

    return tell


def _iterate(solver: Solver, wanted: Wanted, screen: Any) -> list[tuple[int, float]]:
    """Run, look at NashConv now and then, and return its curve."""
    goal = wanted.iterations or (1000 if wanted.until is None else sys.maxsize)
    curve: list[tuple[int, float]] = []
    done, step, started = 0, 1, time.perf_counter()
    while done < goal:
        step = min(step, goal - done)
        solver.run(step)
        done += step
        if wanted.until is not None or wanted.plots is not None or screen.is_terminal:
            curve.append((solver.iterations, solver.nash_conv()))
            rate = done / max(time.perf_counter() - started, 1e-9)
            if screen.is_terminal:
                left = f", {(goal - done) / rate:.0f} s left" if goal < sys.maxsize else ""
                text = f"\r{solver.iterations:,} iterations, NashConv {curve[-1][1]:.3g}, {rate:,.0f} a second{left}   "
                print(text, end="", file=sys.stderr, flush=True)
            if wanted.until is not None and curve[-1][1] <= wanted.until:
                break
        step = max(1, int(done * (_LOOKS - 1)))
    if screen.is_terminal:
        print(file=sys.stderr)
    return curve
