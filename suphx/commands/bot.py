"""`suphx bot`: an agent as an mjai bot, on stdin and stdout or as the client of a server."""

import sys
from typing import Annotated, Literal

import typer
from typer import Option

from suphx.agent import DEFAULT_AGENT
from suphx.commands.options import Seed, Temperature, Threads


def bot(
    agent: Annotated[
        str,
        Option(
            "--agent",
            "--weights",
            help="Who plays: tuned, sl, sl-weak, sensible, random, a folder of weights, or adapted:AGENT.",
        ),
    ] = DEFAULT_AGENT,
    replies: Annotated[
        Literal["every", "acting"],
        Option(help="Reply to every event, or only where the bot can act, as Mortal does; to an array, always once."),
    ] = "every",
    meta: Annotated[bool, Option("--meta", help="Add the networks' probabilities to replies, as `meta`.")] = False,
    connect: Annotated[
        str | None,
        Option(metavar="ADDRESS", help="Play one game at a server instead: mjsonp://HOST:PORT/ROOM, or HOST:PORT."),
    ] = None,
    name: Annotated[str, Option(help="Name to join a server with; the agent's by default.")] = "",
    seat: Annotated[int | None, Option(min=0, max=3, help="The bot's seat, if the host does not tell it.")] = None,
    rules: Annotated[str, Option(help="Rules; red fives and length are the host's.")] = "tenhou",
    temperature: Temperature = None,
    seed: Seed = 0,
    threads: Threads = None,
) -> None:
    """Play as a bot for any host that speaks mjai: events come in as JSON lines, moves go out as JSON lines.

    The host starts this command and writes to its stdin; whatever the bot has to say besides is on stderr. It plays
    game after game until the input ends. Exit status 1 for input that is no mjai or that cannot happen, 0 otherwise.
    """
    from simulator.rules import Rules
    from suphx.agent.interface import Follower
    from suphx.agent.registry import load_agent
    from suphx.mjai.bot.bot import DEFAULT_ROOM, Bot, Server, converse, play_at, warm_up
    from suphx.mjai.bot.seat import Seat
    from suphx.networks.precision import choose_precision

    server = Server.parse(connect) if connect is not None else None
    if server and replies != "every":
        raise typer.BadParameter("a server wants a reply to every event", param_hint="--replies")
    table = Rules.preset(rules)
    player = load_agent(agent, seed, temperature, choose_precision(threads=threads))
    if isinstance(player, Follower):
        player.close()
        raise typer.BadParameter(f"{agent} is a bot itself", param_hint="--agent")
    room = server.room if server else DEFAULT_ROOM
    ours = Bot(player, Seat(table, seat), replies, meta, name=name, room=room)
    warm_up(player, table)
    if server:
        play_at(server, ours)
    else:
        converse(ours, sys.stdin.buffer, sys.stdout.buffer)
