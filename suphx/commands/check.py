"""`suphx check`: play many games and check every record on the way."""

import json
import sys
from typing import Annotated

import typer
from typer import Option

from suphx.commands.options import CORES, AsJson, PresetOfRules, Seed, Temperature, Workers


def check(
    games: Annotated[int, Option(min=1, help="Games to play.")] = 10_000,
    agent: Annotated[
        str,
        Option(
            "--agent", "--player", help="Who plays: random, tsumogiri, sensible, sl, untrained, a folder of weights."
        ),
    ] = "random",
    temperature: Temperature = None,
    rules: PresetOfRules = "tenhou",
    seed: Seed = 0,
    workers: Workers = CORES,
    as_json: AsJson = False,
) -> None:
    """Play games and check that the simulator never reaches an impossible state.

    Tiles, points, counters, hands and legal actions are checked at the end of every round, and in one of sixteen games
    after every step. Now and then every legal action is tried, and an illegal one that must be refused. The exit
    status is 1 if anything is wrong.
    """
    from functools import partial

    from simulator.check.run import PLAYERS, Tally, check_games
    from simulator.players import ChooseFunction
    from simulator.rules import Rules
    from suphx.progress import progress

    player: str | ChooseFunction = agent
    if agent not in PLAYERS:
        from suphx.agent.interface import AgentPlayer
        from suphx.agent.registry import load_agent
        from suphx.errors import InputError
        from suphx.networks.precision import choose_precision

        player = AgentPlayer(partial(load_agent, agent, seed, temperature, choose_precision(threads=1)))
        try:
            _ = player.agent  # what is wrong with it is told before anything is played
        except InputError as error:
            raise typer.BadParameter(str(error), param_hint="--agent") from error
    tally = Tally()
    with progress("checking", games) as show:
        for tally in check_games(games, seed, Rules.preset(rules), player, workers):
            show(tally.games, f"{tally.games / max(tally.seconds, 1e-9):,.0f} games/s")
    for line in tally.first_violations:
        print(line, file=sys.stderr)
    if as_json:
        print(json.dumps(tally.numbers()))
    else:
        rate = tally.games / max(tally.seconds, 1e-9)
        print(
            f"{tally.games:,} games, {tally.rounds:,} rounds, {tally.decisions:,} decisions, {tally.records:,} records "
            f"checked, {tally.actions:,} actions tried: {tally.violations:,} violations "
            f"({tally.seconds:.1f} s, {rate:,.0f} games/s)"
        )
    if tally.violations:
        raise typer.Exit(1)
