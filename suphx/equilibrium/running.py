"""What stands behind `suphx solve`: rules and parameters as they are typed, and iterations with a look at NashConv."""

import runpy
import sys
import time
from pathlib import Path
from typing import Any

from suphx.equilibrium.rules import Rule
from suphx.equilibrium.solver import Solver
from suphx.errors import InputError

_LOOKS = 1.3  # factor of the iterations between two values of NashConv


def read_rule(text: str) -> Rule | str:
    """Return the rule of `FILE.py:NAME`, any other text as it is.

    Raises:
        InputError: there is no such file, or no such rule in it.
    """
    if text.endswith(".py"):
        raise InputError(f"{text}: which rule in it? {text}:NAME")
    if ".py:" not in text:
        return text
    path, _, name = text.rpartition(":")
    if not Path(path).is_file():
        raise InputError(f"there is no file {path}")
    sys.path.insert(0, str(Path(path).resolve().parent))
    try:
        rule = runpy.run_path(path).get(name)
    except Exception as error:
        raise InputError(f"{path}: {type(error).__name__}: {error}") from error
    finally:
        sys.path.pop(0)
    if not isinstance(rule, Rule):
        raise InputError(f"{path} has no rule {name} (a function under @rule)")
    return rule


def read_parameters(texts: list[str]) -> dict[str, float]:
    """Return parameters written NAME=NUMBER; InputError for anything else."""
    parameters = {}
    for text in texts:
        name, _, value = text.partition("=")
        try:
            parameters[name] = float(value)
        except ValueError as error:
            raise InputError(f"--set {text}: not NAME=NUMBER") from error
    return parameters


def iterate(
    solver: Solver, iterations: int | None, until: float | None, with_curve: bool, screen: Any
) -> list[tuple[int, float]]:
    """Run the solver, by default for 1,000 iterations or until NashConv is low enough; return NashConv's curve."""
    goal = iterations or (1000 if until is None else sys.maxsize)
    curve: list[tuple[int, float]] = []
    done, step, started = 0, 1, time.perf_counter()
    while done < goal:
        step = min(step, goal - done)
        solver.run(step)
        done += step
        if until is not None or with_curve or screen.is_terminal:
            curve.append((solver.iterations, solver.nash_conv()))
            if screen.is_terminal:
                rate = done / max(time.perf_counter() - started, 1e-9)
                left = f", {(goal - done) / rate:.0f} s left" if goal < sys.maxsize else ""
                text = f"\r{solver.iterations:,} iterations, NashConv {curve[-1][1]:.3g}, {rate:,.0f} a second{left}   "
                print(text, end="", file=sys.stderr, flush=True)
            if until is not None and curve[-1][1] <= until:
                break
        step = max(1, int(done * (_LOOKS - 1)))
    if screen.is_terminal:
        print(file=sys.stderr)
    return curve
