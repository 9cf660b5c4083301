"""What stands behind `suphx solve`: rules and parameters as typed, iterations with a look at NashConv, playing."""

import runpy
import sys
import time
from pathlib import Path
from random import Random

from suphx.equilibrium.game import CHANCE, END, chance_of
from suphx.equilibrium.policy import Policy
from suphx.equilibrium.rules import Rule
from suphx.equilibrium.solver import Solver
from suphx.equilibrium.terminal import Quit, choose
from suphx.errors import InputError
from suphx.progress import progress

_LOOKS = 1.3  # factor of the iterations between two values of NashConv


def read_rule(text: str) -> Rule | str:
    """Return the rule of `FILE.py:NAME`, any other text as it is; InputError if there is no such file or rule."""
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


def iterate(solver: Solver, iterations: int | None, until: float | None, curved: bool) -> list[tuple[int, float]]:
    """Run the solver, by default for 1,000 iterations or until NashConv is low enough; return NashConv's curve.

    Without `until`, a wish for a curve, or a terminal to show it on, NashConv is not computed.
    """
    goal = iterations or (1000 if until is None else None)
    curve: list[tuple[int, float]] = []
    done, started = 0, time.perf_counter()
    with progress("iterations", goal) as show:
        while goal is None or done < goal:
            step = max(1, int(done * (_LOOKS - 1)))
            step = step if goal is None else min(step, goal - done)
            solver.run(step)
            done += step
            if until is not None or curved or sys.stderr.isatty():
                curve.append((solver.iterations, solver.nash_conv()))
                rate = done / max(time.perf_counter() - started, 1e-9)
                show(done, f"NashConv {curve[-1][1]:.3g}, {rate:,.0f}/s")
                if until is not None and curve[-1][1] <= until:
                    break
    return curve


def play(policy: Policy, player: int, games: int, seed: int) -> None:
    """Play games against the policy as `player`, who types actions or `q` to stop; InputError if there is none."""
    if not 0 <= player < policy.game.players:
        raise InputError(f"there is no player {player}; the game has 0 to {policy.game.players - 1}")
    random, total = Random(seed), 0.0
    for number in range(1, games + 1):
        try:
            points = _play_one(policy, player, random)
        except Quit:
            return
        total += points
        print(f"game {number}: you win {points:g}; in all {total:g}, {total / number:g} a game\n")


def _play_one(policy: Policy, player: int, random: Random) -> float:
    """Return what the person wins; raises Quit."""
    flat, game = policy.game, policy.game.game
    state, node = game.root(), 0
    while (mover := game.mover(state)) != END:
        if mover == CHANCE:
            outcomes = chance_of(game, state)
            names, weights = [name for name, _ in outcomes], [p for _, p in outcomes]
        else:
            names = list(game.actions(state))
            weights = list(policy.at(int(flat.tree.kind[node])).values())
        if mover == player:
            print(f"you see: {game.seen(state)}")
            at = choose([str(name) for name in names])
        else:
            at = random.choices(range(len(names)), weights)[0]
        state, node = game.next(state, names[at]), int(flat.tree.child[node]) + at
    return float(list(game.payoffs(state))[player])
