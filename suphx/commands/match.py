"""`suphx match`: our table as the host of any four bots."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from suphx.commands.options import AsJson, PresetOfRules, Seed, Timeout

if TYPE_CHECKING:
    from suphx.mjai.host.match import Contestant, MatchGame

EXIT_FAULTS = 3


def match(
    bots: Annotated[
        list[str],
        Argument(
            metavar="BOT BOT BOT BOT",
            help="Four of: the command line of an mjai bot, in quotes ({seat} in it becomes the seat); `tcp` for a "
            "client that will connect; an agent (tuned, sensible, a folder of weights, adapted:tuned, majiang).",
        ),
    ],
    games: Annotated[int, Option(min=1, help="Games; the four move up one seat after each.")] = 4,
    seed: Seed = 0,
    rules: PresetOfRules = "tenhou",
    timeout: Timeout = None,
    start_timeout: Annotated[float, Option(help="Seconds for a bot's first answer, or to connect.")] = 60.0,
    logs: Annotated[Path | None, Option(help="Folder for a log of every game, SEED-NUMBER.jsonl.")] = None,
    log_format: Annotated[str, Option(help="mjai, mjlog, tenhou6 (Tenhou's JSON), mahjong_soul or mjx.")] = "mjai",
    host: Annotated[str, Option(help="Address for TCP clients; 0.0.0.0: any network.")] = "127.0.0.1",
    port: Annotated[int, Option(min=0, max=65535, help="Port for TCP clients; 0 takes a free one.")] = 11600,
    strict: Annotated[bool, Option("--strict", help=f"Exit with {EXIT_FAULTS} if a bot was at fault.")] = False,
    as_json: AsJson = False,
) -> None:
    """Play games between any four: programs that speak mjai, and our own agents.

    A bot that is late, dies or answers nonsense loses that decision (it passes, or discards the tile it drew), and the
    game continues. Its faults are counted and reported at the end.

    Example: suphx match "python my_bot.py {seat}" sensible sensible sensible --games 8 --logs games/
    """
    from rich.console import Console

    from simulator.files import write_whole
    from simulator.logs.formats import format_named
    from simulator.logs.from_record import game_log
    from simulator.rules import Rules
    from suphx.mjai.host.connections import Door
    from suphx.mjai.host.match import TCP, contestant, play_match
    from suphx.mjai.host.specs import limits_of
    from suphx.progress import progress

    if len(bots) != 4:
        raise typer.BadParameter(f"{len(bots)} are named; a table has four seats", param_hint="BOT")
    played_by, written = Rules.preset(rules), format_named(log_format)
    paths = _log_paths(logs, seed, games, written.suffix)
    limits = [limits_of(name, timeout, start=start_timeout) for name in bots]
    door = Door(host, port, limits[bots.index(TCP)]) if TCP in bots else None
    messages = Console(stderr=True)
    if door:
        messages.print(f"waiting for {bots.count(TCP)} at mjsonp://{host}:{door.port}/default", highlight=False)

    four: list[Contestant] = []
    done: list[MatchGame] = []
    started = time.perf_counter()
    try:
        four += [contestant(name, each, seed, door) for name, each in zip(bots, limits, strict=True)]
        with progress("playing", games, messages) as show:
            for game in play_match(four, games, seed, played_by):
                done.append(game)
                show(len(done))
                if paths:
                    log = game_log(game.rounds, played_by, game.names, paths[game.number].stem)
                    write_whole(paths[game.number], written.write(log))
    finally:
        for each in four:
            each.close()
        if door:
            door.close()
        if done:
            result = _result(four, done, time.perf_counter() - started)
            if as_json:
                head = {"bots": bots, "rules": rules, "seed": seed, "games": games, "complete": len(done) == games}
                print(json.dumps(head | result, allow_nan=False))
            else:
                _show(result, games, seed)
    if strict and any(each.verdict.faults for each in four):
        raise typer.Exit(EXIT_FAULTS)


def _log_paths(folder: Path | None, seed: int, games: int, suffix: str) -> list[Path]:
    """Return where the games' logs go; raises InputError where there are such files already."""
    from suphx.errors import InputError

    if folder is None:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{seed}-{number:07d}{suffix}" for number in range(games)]
    for path in paths:
        if path.exists():
            raise InputError(f"{path}: there is a log already; name another folder or another seed")
    return paths


def _result(four: list[Contestant], done: list[MatchGame], seconds: float) -> dict[str, Any]:
    """Return all that a match came to, as plain values; ranks are 1 to 4."""
    ranks = [[rank + 1 for rank in game.by_bot("ranks")] for game in done]
    points = [[tenths / 10 for tenths in game.by_bot("final_points")] for game in done]
    contestants = [
        {
            "name": each.name,
            "places": [own.count(place) for place in range(1, 5)],
            "average_rank": round(sum(own) / len(own), 4),
            "points": round(sum(own_points), 1),
            "decisions": each.verdict.decisions,
            "mean_ms": round(1000 * each.verdict.seconds / max(1, each.verdict.decisions), 3),
            "max_ms": round(1000 * each.verdict.slowest, 3),
            "faults": each.verdict.faults,
            "verdict": each.verdict.fault_words(),
        }
        for each, own, own_points in zip(four, zip(*ranks, strict=True), zip(*points, strict=True), strict=True)
    ]
    played = [
        {
            "number": game.number,
            "seats": game.bots,
            "ranks": own,
            "scores": game.by_bot("scores"),
            "faults": game.faults,
        }
        for game, own in zip(done, ranks, strict=True)
    ]
    return {"contestants": contestants, "played": played, "seconds": round(seconds, 1)}


def _show(result: dict[str, Any], games: int, seed: int) -> None:
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    played, seconds = len(result["played"]), result["seconds"]
    count = f"{played} games" if played == games else f"{played} of {games} games"
    table = Table(title=f"{count}, seed {seed}, {seconds / played:.1f} s a game", box=SIMPLE)
    table.add_column("bot", overflow="fold")
    for name in ("places", "rank", "points", "asked", "mean ms", "max ms", "faults"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in result["contestants"]:
        places = "-".join(map(str, each["places"]))
        times = (f"{each['decisions']:,}", f"{each['mean_ms']:.1f}", f"{each['max_ms']:.0f}")
        faults = str(sum(each["faults"].values()))
        numbers = (f"{each['average_rank']:.2f}", f"{each['points']:+.1f}")
        table.add_row(escape(each["name"]), places, *numbers, *times, faults)
    console = Console()
    console.print(table)
    for number, each in enumerate(result["contestants"], 1):
        for words in each["verdict"]:
            console.print(f"bot {number}, {each['name']}: {words}", markup=False, highlight=False, soft_wrap=True)
