"""`suphx solve`: equilibria of small games, and playing against them."""

from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperGroup

from suphx.errors import InputError

_Max = Annotated[int, typer.Option("--max-nodes", min=1, help="Refuse a game with more nodes.")]
MAX_NODES = 20_000_000
_RULES = "cfr, cfr+, dcfr, pcfr+, es, os, domd, reg-domd, reg-cfr, mmd, qfr, cmd"


def _solve(
    game: Annotated[
        str,
        typer.Argument(
            help="rps, kuhn, leduc, liars-dice, goofspiel, dark-hex or pocket, with options as in liars-dice:sides=4; "
            "a LiteEFG file X.game; openspiel:NAME; module:Class."
        ),
    ],
    rule: Annotated[str, typer.Option(help=f"The update rule: {_RULES}, or FILE.py:NAME.")] = "cfr+",
    iterations: Annotated[int | None, typer.Option(min=1, help="How many iterations; by default 1,000.")] = None,
    until: Annotated[float | None, typer.Option(min=0.0, help="Iterate until NashConv is at most this.")] = None,
    traverse: Annotated[str | None, typer.Option(help="full, external or outcome; by default as the rule is.")] = None,
    average: Annotated[
        str | None, typer.Option(help="uniform, linear, quadratic, last or best; by default as the rule is.")
    ] = None,
    parameters: Annotated[list[str] | None, typer.Option("--set", help="A parameter of the rule: NAME=NUMBER.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of sampled traversals.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Write the policy and a checkpoint to this npz file.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Resume from such a file.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the policy to this CSV file.")] = None,
    plots: Annotated[Path | None, typer.Option(help="Draw the curve of NashConv into this folder.")] = None,
    max_nodes: _Max = MAX_NODES,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Solve a game: iterate an update rule, and print exactly how far the policy is from an equilibrium.

    NashConv is the sum of what best responses gain, exploitability NashConv divided by the number of players.

    `suphx solve play GAME POLICY` plays against a policy in the terminal.
    """
    import json
    import time

    from simulator.files import write_whole
    from suphx.equilibrium.flat_game import flat
    from suphx.equilibrium.games import named
    from suphx.equilibrium.running import iterate, read_parameters, read_rule
    from suphx.equilibrium.solver import Solver
    from suphx.progress import progress

    if plots is not None:
        from suphx.equilibrium.plots import plot_nash_conv  # a missing Matplotlib is reported before the work
    settings = {"traverse": traverse, "average": average, "seed": seed, **read_parameters(parameters or [])}
    typed_rule, typed_game = read_rule(rule), named(game)
    with progress("nodes", None) as show:
        arrays = flat(typed_game, max_nodes, show)
    if not (arrays.zero_sum and arrays.players == 2):
        if until is not None:
            raise InputError("--until needs a two-player zero-sum game: elsewhere no rule promises that NashConv falls")
        typer.secho("no two-player zero-sum game: NashConv is printed, but it need not fall", err=True, dim=True)
    for path in (out, csv):
        if path is not None and not path.parent.is_dir():
            raise InputError(f"there is no folder {path.parent}")
    solver = Solver(arrays, typed_rule, **settings)  # type: ignore[arg-type]
    if resume is not None:
        solver.load(resume)
    started = time.perf_counter()
    curve = iterate(solver, iterations, until, plots is not None)
    policy = solver.policy()
    numbers = {
        "value": policy.values(), "nash_conv": policy.nash_conv(), "exploitability": policy.exploitability(),
        "iterations": solver.iterations, "seconds": time.perf_counter() - started, "infosets": arrays.infosets,
    }  # fmt: skip
    if out is not None:
        solver.save(out)
    if csv is not None:
        write_whole(csv, policy.csv().encode())
    if plots is not None:
        plot_nash_conv(plots / "nash_conv.png", {rule: curve}, f"{game}, {rule}")
    if as_json:
        print(json.dumps(numbers))
        return
    for name, value in numbers.items():
        shown = ", ".join(f"{each:.6g}" for each in value) if isinstance(value, list) else f"{value:.6g}"
        print(f"{name.replace('_', ' '):<15} {shown}")


def _play(
    game: Annotated[str, typer.Argument(help="The game, as for `suphx solve`.")],
    path: Annotated[Path, typer.Argument(help="The policy, as `suphx solve --out` wrote it.")],
    player: Annotated[int, typer.Option(min=0, help="Which player you are, from 0.")] = 0,
    games: Annotated[int, typer.Option(min=1, help="How many games.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Seed of chance and of the others' play.")] = 0,
    max_nodes: _Max = MAX_NODES,
) -> None:
    """Play a game against a policy in the terminal."""
    from suphx.equilibrium.flat_game import flat
    from suphx.equilibrium.games import named
    from suphx.equilibrium.policy import load_policy
    from suphx.equilibrium.running import play

    play(load_policy(path, flat(named(game), max_nodes)), player, games, seed)


class _GameByDefault(TyperGroup):
    """`suphx solve GAME` is `suphx solve game GAME`."""

    default = "game"

    def resolve_command(self, ctx, args):
        return super().resolve_command(ctx, args if args[0] in self.commands else [self.default, *args])

    def format_help(self, ctx, formatter):
        command = self.commands[self.default]
        command.format_help(typer.Context(command, ctx.parent, ctx.info_name), formatter)


solve = typer.Typer(
    cls=_GameByDefault,
    no_args_is_help=True,
    help="Solve a small game exactly (suphx solve GAME), or play against a solution.",
)
solve.command("game", hidden=True)(_solve)
solve.command("play")(_play)
