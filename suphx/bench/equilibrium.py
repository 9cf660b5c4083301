"""Speed of CFR here, in OpenSpiel's C++ and in LiteEFG, on the same trees: in turns, one thread each, in CPU time."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from simulator.jit import cache_folder
from suphx.equilibrium.flat_game import flat
from suphx.equilibrium.games import named
from suphx.equilibrium.solver import Solver

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


def install_liteefg() -> None:
    """Build LiteEFG, which comes as source only, beside the compiled code; needs a C++ compiler."""
    folder = cache_folder() / "liteefg"
    words = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), LITEEFG, "pandas"]
    subprocess.run(words, check=False)
    sys.path.append(str(folder))


def _liteefg(spiel: Any) -> Callable[[int], None]:
    sys.path.append(str(cache_folder() / "liteefg"))
    home = os.environ.get("HOME")
    os.environ["HOME"] = tempfile.mkdtemp()  # it writes a file for each game there
    try:
        import LiteEFG
        from LiteEFG.baselines import CFR

        environment = LiteEFG.OpenSpielEnv(spiel)
    finally:
        os.environ["HOME"] = home or ""
    graph = CFR.graph()
    environment.set_graph(graph)

    def run(iterations: int) -> None:
        for _ in range(iterations):
            graph.update_graph(environment)
            environment.update_strategy(graph.current_strategy())

    return run


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

    A peer that is not installed is left out, and `tell` hears of it.
    """
    numbers: dict[str, Any] = {}
    for name in names:
        rules: Any = named(f"openspiel:{name}")
        rules.complete_names = False  # those of dark hex forget the order of own moves; here they are told apart
        game, spiel = flat(rules), rules.spiel
        solver = Solver(game, "cfr").run(1)
        runs: dict[str, tuple[Callable[[int], Any], int]] = {"suphx": (solver.run, GAMES[name][0])}
        for peer in against:
            try:
                runs[peer] = ({"openspiel": _openspiel, "liteefg": _liteefg}[peer](spiel), GAMES[name][1])
            except ImportError as error:
                tell(f"{peer} is left out: {error}")
        best = dict.fromkeys(runs, float("inf"))
        for _ in range(turns):
            for program, (run, iterations) in runs.items():
                started = time.process_time()
                run(iterations)
                best[program] = min(best[program], (time.process_time() - started) / iterations * 1e6)
        numbers[name] = {"infosets": game.infosets, "microseconds": best} | {
            f"times_{peer}": best[peer] / best["suphx"] for peer in best if peer != "suphx"
        }
        tell(f"{name}: {best}")
    return numbers
