"""`suphx bench direction`: what the way from a training's start to an agent is worth."""

import json
from pathlib import Path
from typing import Annotated

import typer


def direction(
    config: Annotated[Path, typer.Argument(help="Configuration of the training: its start, reward and models.")],
    agents: Annotated[list[str], typer.Argument(help="Agents to look at, such as RUN/agent or RUN/oracle.")],
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="Change a value of the configuration: reward={kind: round}.")
    ] = None,
    games: Annotated[int, typer.Option(min=2, help="Games of the start to look at.")] = 1_000,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the games; not that of the training.")] = 77,
    planes: Annotated[int, typer.Option(min=0, help="Show so many features that go with the changed discards.")] = 0,
    device: Annotated[str | None, typer.Option(help="cpu or cuda; by default a GPU if there is one.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads on a CPU; by default all cores.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Estimate what agents gained over the start of their training, from games of the start alone.

    Each answer's reward counts by how much likelier the agent would have given it: to first order what a seat gains
    in a game. It takes minutes where a match takes hours, but holds near the start only: see the distance beside it.

    Example: suphx bench direction configs/ladder.yaml RUN/agent
    """
    from dataclasses import asdict

    from rich.console import Console
    from rich.table import Table

    from suphx.bench.direction import directions
    from suphx.config import load_config
    from suphx.networks.memory import keep_memory
    from suphx.networks.precision import choose_precision
    from suphx.progress import progress
    from suphx.selfplay.config import TrainConfig

    wanted = load_config(config, TrainConfig, changes or ())
    if seed == wanted.seed:
        raise typer.BadParameter(f"the training learned from the games of seed {seed}", param_hint="--seed")
    keep_memory()
    precision = choose_precision(device, threads=threads)
    with progress(f"{wanted.start}, games", games) as show:
        found = directions(wanted, agents, games, seed, precision, show, planes)
    if as_json:
        print(json.dumps({"precision": str(precision), **asdict(found)}, allow_nan=False))
        return
    table = Table("agent", f"worth, {found.units} a game", "95 %", "KL from the start", title=f"{found.games:,} games")
    for each in found.agents:
        low, high = each.interval
        table.add_row(each.agent, f"{each.worth:+,.4g}", f"{low:+,.4g} to {high:+,.4g}", f"{each.distance:.4f}")
    screen = Console()
    screen.print(table)
    for each in found.agents if planes else ():
        effects = Table("block", "plane", "logit", "share", title=f"{each.agent}: what goes with its discards")
        for one in each.effects:
            effects.add_row(one.block, one.name, f"{one.slope:+.2f}", f"{one.share:.1%}")
        screen.print(effects)
