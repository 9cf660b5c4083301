"""Update rules beside those of other programs: the time of an iteration of CFR, and NashConv over iterations.

Times are taken on the same trees, in turns, with one thread each, in CPU time.
"""

import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import numpy as np

from simulator.jit import cache_folder
from suphx.equilibrium.flat_game import flat
from suphx.equilibrium.games import named
from suphx.equilibrium.rules import NAMED
from suphx.equilibrium.solver import Solver
from suphx.errors import InputError
from suphx.intervals import half_width

#: OpenSpiel's names of the games, and how many iterations of ours and of the others make a turn.
GAMES = {
    "kuhn_poker": (20_000, 400),
    "leduc_poker": (1000, 4),
    "liars_dice(dice_sides=4)": (1000, 8),
    "liars_dice(dice_sides=6)": (20, 1),
    "dark_hex(num_cols=3,num_rows=2)": (100, 1),
}
PEERS = ("openspiel", "liteefg")
LITEEFG = "liteefg==1.0.0"
NO_LITEEFG = "LiteEFG is not installed; this builds it: suphx bench solvers equilibrium --install"

#: LiteEFG's baseline for each rule, and which of its iterates is reported, as its own programs do.
LITEEFG_RULES = {
    "cfr": ("CFR", "avg-iterate"),
    "cfr+": ("CFRplus", "linear-avg-iterate"),
    "dcfr": ("DCFR", "last-iterate"),
    "pcfr+": ("PCFR", "linear-avg-iterate"),
    "es": ("CFR", "avg-iterate"),
    "os": ("OS_MCCFR", "avg-iterate"),
    "domd": ("DOMD", "last-iterate"),
    "reg-domd": ("Reg_DOMD", "last-iterate"),
    "reg-cfr": ("Reg_CFR", "last-iterate"),
    "mmd": ("MMD", "default"),
    "qfr": ("QFR", "default"),
    "cmd": ("CMD", "last-iterate"),
}


def install_liteefg() -> None:
    """Build LiteEFG, which comes as source only, beside the compiled code; needs a C++ compiler."""
    folder = cache_folder() / "liteefg"
    words = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), LITEEFG, "pandas"]
    subprocess.run(words, check=False)


def has_liteefg() -> bool:
    """Whether LiteEFG can be imported, from where `install_liteefg` builds it or from elsewhere."""
    if (folder := str(cache_folder() / "liteefg")) not in sys.path:
        sys.path.append(folder)
    return find_spec("LiteEFG") is not None


class _LiteEfg:
    """One of LiteEFG's baselines with its default parameters; which: of its strategies, by default its only one."""

    def __init__(self, spiel: Any, module: str, traverse: str = "Enumerate", *which: str) -> None:
        if not has_liteefg():
            raise ImportError(NO_LITEEFG)
        home = os.environ.get("HOME")
        os.environ["HOME"] = tempfile.mkdtemp()  # it writes a file for each game there
        try:
            import LiteEFG

            with redirect_stdout(io.StringIO()):  # where it says so
                self.environment = LiteEFG.OpenSpielEnv(spiel, traverse_type=traverse)
                self.graph = import_module(f"LiteEFG.baselines.{module}").graph()
        finally:
            os.environ["HOME"] = home or ""
        self.environment.set_graph(self.graph)
        self.which = which

    def run(self, iterations: int) -> None:
        for _ in range(iterations):
            self.graph.update_graph(self.environment)
            self.environment.update_strategy(self.graph.current_strategy(*self.which))


def _openspiel(spiel: Any) -> Callable[[int], None]:
    import pyspiel

    solver = pyspiel.CFRSolver(spiel)

    def run(iterations: int) -> None:
        for _ in range(iterations):
            solver.evaluate_and_update_policy()

    return run


def bench_equilibrium(
    names: list[str], against: list[str], turns: int, tell: Callable[[str], None] = lambda text: None
) -> dict[str, Any]:
    """Return microseconds of an iteration of CFR, by game and program, and how many times ours is faster.

    A peer that is not installed is left out; `tell` gets the reason.
    """
    numbers: dict[str, Any] = {}
    for name in names:
        rules: Any = named(f"openspiel:{name}")
        rules.complete_names = False  # those of dark hex forget the order of own moves; here they are distinct
        game, spiel = flat(rules), rules.spiel
        solver = Solver(game, "cfr").run(1)
        runs: dict[str, tuple[Callable[[int], Any], int]] = {"suphx": (solver.run, GAMES[name][0])}
        for peer in against:
            try:
                run = _openspiel(spiel) if peer == "openspiel" else _LiteEfg(spiel, "CFR").run
                runs[peer] = (run, GAMES[name][1])
            except ImportError as error:
                if not numbers:  # once
                    tell(f"{peer} is left out: {error}")
        best = dict.fromkeys(runs, float("inf"))
        for _ in range(turns):
            for program, (work, iterations) in runs.items():
                started = time.process_time()
                work(iterations)
                best[program] = min(best[program], (time.process_time() - started) / iterations * 1e6)
        numbers[name] = {"infosets": game.infosets, "microseconds": best} | {
            f"times_{peer}": best[peer] / best["suphx"] for peer in best if peer != "suphx"
        }
        tell(f"{name}: " + ", ".join(f"{program} {best[program]:,.1f} us" for program in best))
    return numbers


def bench_rules(
    name: str, looks: list[int], seeds: int, liteefg: bool, tell: Callable[[str], None] = lambda text: None
) -> dict[str, Any]:
    """Return the NashConv of the twelve rules after some numbers of iterations, here and in LiteEFG.

    name: the game as `suphx solve` names it; LiteEFG reads OpenSpiel's alone. seeds: how many samplings of the rules
    that sample; their mean is returned with the half-width of its 95 % interval, which is 0 for other rules. Raises
    InputError where LiteEFG is missing or the game is not OpenSpiel's.
    """
    if liteefg and not name.startswith("openspiel:"):
        raise InputError(f"LiteEFG's rules run on OpenSpiel's games, such as openspiel:leduc_poker, not on {name}")
    if liteefg and not has_liteefg():
        raise InputError(NO_LITEEFG)
    rules: Any = named(name)
    game, numbers = flat(rules), dict[str, Any]()
    for rule in NAMED:
        runs = {"suphx": lambda seed, rule=rule: _ours(game, rule, looks, seed)}
        if liteefg:
            runs["liteefg"] = lambda seed, rule=rule: _theirs(rules.spiel, rule, looks, seed)
        numbers[rule] = {}
        for program, run in runs.items():
            values = np.array([run(seed) for seed in range(1 if NAMED[rule].traverse == "full" else seeds)])
            half = [half_width(each) for each in values.T] if len(values) > 1 else [0.0] * len(looks)
            numbers[rule][program] = {"nash_conv": values.mean(0).tolist(), "half_width": half}
        reached = (f"{program} {each['nash_conv'][-1]:.5f}" for program, each in numbers[rule].items())
        tell(f"{rule}: NashConv after {looks[-1]:,} iterations: {', '.join(reached)}")
    return {"game": name, "iterations": looks, "seeds": seeds, "rules": numbers}


def _ours(game: Any, rule: str, looks: list[int], seed: int) -> list[float]:
    solver = Solver(game, rule, seed=seed)
    return [solver.run(look - solver.iterations).nash_conv() for look in looks]


def _theirs(spiel: Any, rule: str, looks: list[int], seed: int) -> list[float]:
    module, iterate = LITEEFG_RULES[rule]
    traverse = {"full": "Enumerate", "external": "External", "outcome": "Outcome"}[NAMED[rule].traverse]
    solver = _LiteEfg(spiel, module, traverse, *(["average-iterate"] if rule == "dcfr" else []))
    import LiteEFG

    LiteEFG.set_seed(seed)
    nash_convs = []
    for done, look in pairwise([0, *looks]):
        solver.run(look - done)
        nash_convs.append(sum(solver.environment.exploitability(solver.graph.current_strategy(*solver.which), iterate)))
    return nash_convs
