"""`suphx check`: play many games and check every record on the way."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from suphx.commands.options import CORES, AsJson, PresetOfRules, Seed, Temperature, Workers

if TYPE_CHECKING:
    from suphx.agent.checking import AgentPlayer
    from suphx.agent.interface import Agent


def _load(name: str, seed: int, temperature: float | None) -> Agent:
    """Return an agent for one process of several: there is one for each core."""
    from suphx.agents import load_agent
    from suphx.networks.precision import choose_precision

    return load_agent(name, seed, temperature, choose_precision(threads=1))


def _agent_player(name: str, seed: int, temperature: float | None) -> AgentPlayer:
    """Return an agent as a player, loaded once here: what is wrong with it is told before anything is played."""
    from suphx.agent.checking import AgentPlayer
    from suphx.errors import InputError

    player = AgentPlayer(partial(_load, name, seed, temperature))
    try:
        _ = player.agent
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint="--agent") from error
    return player


def check(
    games: Annotated[int, typer.Option(min=1, help="Games to play.")] = 10_000,
    agent: Annotated[
        str,
        typer.Option(
            "--agent",
            "--player",
            help="Who plays them: random, tsumogiri, sensible, sl (shipped weights), untrained, or a folder of them.",
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
    from simulator.check.run import PLAYERS, Tally, check_games
    from simulator.rules import Rules
    from suphx.progress import progress

    player = agent if agent in PLAYERS else _agent_player(agent, seed, temperature)
    tally = Tally()
    with progress("checking", games) as show:
        for tally in check_games(games, seed, Rules.preset(rules), player, workers):
            show(tally.games, f"{tally.games / max(tally.seconds, 1e-9):,.0f} games/s")
    for line in tally.first_violations:
        print(line, file=sys.stderr)
    if as_json:
        numbers = asdict(tally)
        del numbers["first_violations"]
        print(json.dumps({**numbers, "seconds": round(tally.seconds, 3)}))
    else:
        rate = tally.games / max(tally.seconds, 1e-9)
        print(
            f"{tally.games:,} games, {tally.rounds:,} rounds, {tally.decisions:,} decisions, {tally.records:,} records "
            f"checked, {tally.actions:,} actions tried: {tally.violations:,} violations "
            f"({tally.seconds:.1f} s, {rate:,.0f} games/s)"
        )
    if tally.violations:
        raise typer.Exit(1)
