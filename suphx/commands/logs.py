"""`suphx logs`: read, verify, show, measure, convert and write game logs."""

import json
import sys
import time
from pathlib import Path
from typing import Annotated, Literal

import typer
from typer import Argument, Option

from suphx.commands.options import CORES, AsJson, CsvFile, LogPaths, Pictures, Prizes, Seed, Workers

logs = typer.Typer(no_args_is_help=True, help="Read, verify, show, measure, convert and write game logs.")


def _compile_beside() -> None:
    """Start to compile a part of a replay in another process, before the imports, which take seconds."""
    from simulator.jit import compile_beside

    compile_beside("simulator.rounds", "compile_finish")


@logs.command()
def verify(
    paths: LogPaths,
    workers: Workers = CORES,
    as_json: AsJson = False,
    most: Annotated[int, Option(min=0, help="Mismatches and errors to print at most.")] = 10,
) -> None:
    """Replay every game in the simulator and check everything that the log states.

    This covers each action, draw, dora indicator and riichi bet, yaku, han, fu, points, the next dealer and
    counters, the final points, and the wall where the log has its seed. A log may begin and end anywhere: one that
    ends early is counted as unfinished. The exit status is 1 if anything differs, cannot be read or ends within its
    text, or if there are no logs. Three-player games are skipped, and it says so. What differs in a game whose rules
    are not all known, such as one of a private lobby, is counted apart.
    """
    _compile_beside()
    from simulator.logs.verify_paths import Summary, verify_paths
    from suphx.progress import progress

    summary = Summary()
    with progress("verifying", 1.0) as show:
        for summary, share in verify_paths(list(paths), workers):
            show(share, f"{summary.games:,} games, {summary.games / max(summary.seconds, 1e-9):,.0f}/s")
    prefixes = {"skipped": "skipped: ", "unknown": "rules not known: "}
    for name in ("mismatches", "errors", "incomplete", "remarks", "skipped", "unknown"):
        for line in getattr(summary, f"first_{name}")[:most]:
            print(f"{prefixes.get(name, '')}{line}", file=sys.stderr)
    if as_json:
        print(json.dumps(summary.numbers()))
    else:
        per_second = summary.games / max(summary.seconds, 1e-9)
        print(
            f"{summary.games:,} games, {summary.rounds:,} rounds, {summary.decisions:,} decisions: "
            f"{summary.mismatches:,} mismatches, {summary.errors:,} errors, {summary.incomplete:,} incomplete, "
            f"{summary.skipped:,} skipped, "
            f"{summary.unfinished:,} unfinished, {summary.unknown:,} that differ where the rules are not known "
            f"({summary.seconds:.1f} s, {per_second:,.0f} games/s)"
        )
    if not summary.good:
        raise typer.Exit(1)


@logs.command()
def show(
    logs: Annotated[list[str], Argument(metavar="LOG...", help="Logs, folders or archives of logs, ids or addresses.")],
    most: Annotated[int, Option(min=1, help="Games of each to print at most.")] = 1,
) -> None:
    """Print games readably: hands, one line a turn (+ drawn, - discarded, * as drawn), results."""
    from itertools import islice

    from simulator.logs.show import show_game
    from suphx.review.logs import find_games

    for named in logs:
        for game in islice(find_games([named]), most):
            if isinstance(game, Exception):
                raise game
            for line in show_game(game[0]):
                typer.echo(line)


@logs.command()
def stats(
    paths: LogPaths,
    player: Annotated[list[str] | None, Option(help="Name of a player; several are also shown together.")] = None,
    resample: Annotated[list[str] | None, Option(help="K,N: stable ranks of N samples of K games.")] = None,
    career: Annotated[bool, Option("--career", help="Simulate careers on Tenhou's ladder.")] = False,
    prizes: Prizes = None,
    csv: CsvFile = None,
    plots: Pictures = None,
    seed: Annotated[int, Option(min=0, help="Random seed of the bootstrap and of --resample.")] = 0,
    workers: Workers = CORES,
    as_json: AsJson = False,
) -> None:
    """Show ranks, stable rank and style of play of players in logs, each with its 95 % interval.

    Every game is replayed in the simulator. Games that differ from it, or cannot be read, are named and left out (the
    exit status is 1 only if none is left). Without --player all seats of each path are shown. Where Tenhou's mark ⓝ
    distinguishes AIs from people, each AI and all people are shown as well.
    """
    _compile_beside()
    from suphx.evaluation.log_stats import LoggedGames, count_logs, log_stats, read_resampling
    from suphx.evaluation.measures import read_prizes
    from suphx.progress import page, progress

    samplings = [read_resampling(text) for text in resample or ()]
    paid = read_prizes(prizes) if prizes else None
    games = LoggedGames()
    with progress("replaying", 1.0) as show:
        for games, share in count_logs(paths, workers):
            show(share, f"{len(games.games):,} games, {len(games.games) / max(games.seconds, 1e-9):,.0f}/s")
    left = games.left_out
    for line in left.first:
        print(f"left out: {line}", file=sys.stderr)
    if not games.games:
        print(f"no games: {sum(left.numbers().values()):,} logs were left out", file=sys.stderr)
        raise typer.Exit(1)
    result = log_stats(games.in_order(), [str(path) for path in paths], player or [], samplings, career, paid, seed)
    if csv:
        from suphx.evaluation.report import write_csv

        write_csv(csv, result.report)
    if plots:
        if not result.units:
            raise typer.BadParameter("there are plots of players only: add --player NAME", param_hint="--plots")
        from suphx.evaluation.plots import write_pictures

        samples = result.samples or None
        agents = {name: result.report["agents"][name] for name in result.units}
        write_pictures(plots, result.units, agents, result.room, seed, "games", samples)
    for line in result.remarks:
        print(line, file=sys.stderr)
    if as_json:
        left_out = {"skipped": left.skipped, "mismatches": left.mismatches + left.unknown, "errors": left.errors}
        head = {"logs": len(games.games), **left_out, "seconds": round(games.seconds, 3), "room": result.room}
        values = {**head, **result.report, "resampled": result.resampled, "careers": result.careers}
        print(json.dumps(values, allow_nan=False, ensure_ascii=False))
    else:
        for table in result.tables():
            page().print(table)


@logs.command()
def convert(
    paths: LogPaths,
    out: Annotated[Path, Option("--out", "-o", help="Folder to write to; it is created if necessary.")],
    to: Annotated[
        Literal["mjlog", "tenhou6", "mjai", "mahjong_soul", "mjx"],
        Option(help="tenhou6: Tenhou's JSON; mahjong_soul: the JSON of Mahjong Soul's records."),
    ] = "mjai",
    as_json: AsJson = False,
) -> None:
    """Convert logs of any format, one file per game. What cannot be read is named and left out (exit status 1).

    An existing file is replaced as a whole or not at all. What the target format cannot express is lost: mjai has no
    yaku and hardly any rules, mjx no rules, Tenhou's JSON and Mahjong Soul's records have no physical tiles. What a log
    leaves out is computed by the rules.
    """
    from simulator.files import UniqueNames, write_whole
    from simulator.logs.archives import open_logs
    from simulator.logs.convert import write_as
    from simulator.logs.formats import format_named, read_log
    from simulator.logs.model import LogError, SkippedLog

    target = format_named(to)
    counts = {"games": 0, "incomplete": 0, "skipped": 0, "errors": 0}
    out.mkdir(parents=True, exist_ok=True)
    names = UniqueNames(target.suffix)
    for source, data in open_logs(paths):
        try:
            if isinstance(data, LogError):
                raise data
            for log in read_log(data, source):
                write_whole(out / names.name(source), write_as(log, target))
                counts["games"] += 1
                counts["incomplete"] += bool(log.missing)
                for words in filter(None, (log.missing, log.remark)):
                    print(f"{log.source}: {words}", file=sys.stderr)
        except SkippedLog as skipped:
            counts["skipped"] += 1
            print(f"skipped: {skipped}", file=sys.stderr)
        except LogError as error:
            counts["errors"] += 1
            print(error, file=sys.stderr)
    if as_json:
        print(json.dumps(counts))
    else:
        left = ", ".join(f"{counts[name]} {name}" for name in ("incomplete", "skipped", "errors"))
        print(f"{counts['games']:,} games written to {out}, {left}")
    if counts["errors"] or counts["incomplete"] or not counts["games"]:
        raise typer.Exit(1)


@logs.command()
def generate(
    out: Annotated[Path, Option("--out", "-o", help="Folder to write to, or a file that ends in .zip.")],
    games: Annotated[int, Option(min=1, help="Games to play.")] = 1000,
    players: Annotated[str, Option(help="Who plays: one name for all seats, or four with commas.")] = "sensible",
    seed: Seed = 0,
    rules: Annotated[str, Option(help="Rules: tenhou or tenhou_east; an mjlog can state no others.")] = "tenhou",
    workers: Workers = CORES,
    as_json: AsJson = False,
) -> None:
    """Play games with rule-based players and write each as an mjlog, `SEED-NUMBER.mjlog`.

    A file is there as a whole or not at all; in a folder, what was written before an interruption stays.
    """
    from simulator.logs.generate import generate_mjlogs, log_files
    from simulator.players import UnknownPlayer
    from simulator.rules import Rules
    from suphx.progress import progress

    started = time.perf_counter()
    counts = {"games": 0, "rounds": 0, "decisions": 0, "bytes": 0}
    try:
        with log_files(out) as write, progress("generating", games) as show:
            for game in generate_mjlogs(games, players.split(","), Rules.preset(rules), seed, workers):
                write(game.name, game.data)
                for name, more in zip(counts, (1, game.rounds, game.decisions, len(game.data)), strict=True):
                    counts[name] += more
                show(counts["games"], f"{counts['games'] / (time.perf_counter() - started):,.0f} games/s")
    except UnknownPlayer as error:
        raise typer.BadParameter(str(error), param_hint="--players") from error
    seconds = time.perf_counter() - started
    if as_json:
        print(json.dumps({**counts, "seconds": round(seconds, 3)}))
    else:
        print(
            f"{counts['games']:,} games, {counts['rounds']:,} rounds, {counts['decisions']:,} decisions written to "
            f"{out} ({seconds:.1f} s, {counts['games'] / seconds:,.0f} games/s)"
        )
