"""`suphx logs stats`: how people and AIs play in logs."""

import json
import sys
from typing import Annotated

import typer

from suphx.commands.options import CORES, AsJson, CsvFile, LogPaths, Pictures, Prizes, Workers


def stats(
    paths: LogPaths,
    player: Annotated[
        list[str] | None, typer.Option(help="Name of a player; several are shown one by one and together.")
    ] = None,
    resample: Annotated[
        list[str] | None, typer.Option(help="K,N: stable ranks of N samples of K games each; may be repeated.")
    ] = None,
    career: Annotated[
        bool, typer.Option("--career", help="Simulate careers on Tenhou's ladder at each player's ranks.")
    ] = False,
    prizes: Prizes = None,
    csv: CsvFile = None,
    plots: Pictures = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the bootstrap and of --resample.")] = 0,
    workers: Workers = CORES,
    as_json: AsJson = False,
) -> None:
    """Show ranks, stable rank and style of play of players in logs, each with its 95 % interval.

    Every game is replayed in the simulator. Games that differ from it, or cannot be read, are named and left out (the
    exit status is 1 only if none is left). Without --player all seats of each path are shown. Where Tenhou's mark ⓝ
    distinguishes AIs from people, each AI and all people are shown as well.
    """
    from suphx.evaluation.log_games import LoggedGames, count_logs
    from suphx.evaluation.log_stats import log_stats, read_resampling
    from suphx.evaluation.measures import read_prizes
    from suphx.progress import page, progress

    samplings = [read_resampling(text) for text in resample or ()]
    prize_list = None if prizes is None else read_prizes(prizes)
    games = LoggedGames()
    with progress("replaying", 1.0) as show:
        for games, share in count_logs(paths, workers):
            show(share, f"{len(games.games):,} games, {len(games.games) / max(games.seconds, 1e-9):,.0f}/s")
    for line in games.words:
        print(f"left out: {line}", file=sys.stderr)
    if not games.games:
        print(f"no games: {games.left_out:,} logs were left out", file=sys.stderr)
        raise typer.Exit(1)
    result = log_stats(
        games.in_order(), [str(path) for path in paths], player or [], samplings, career, prize_list, seed
    )
    if csv:
        from suphx.evaluation.report import write_csv

        write_csv(csv, result.report)
    if plots:
        result.plot(plots, seed)
    for line in result.remarks:
        print(line, file=sys.stderr)
    if as_json:
        left_out = {"skipped": games.skipped, "mismatches": games.mismatches, "errors": games.errors}
        head = {"logs": len(games.games), **left_out, "seconds": round(games.seconds, 3), "room": result.room}
        values = {**head, **result.report, "resampled": result.resampled, "careers": result.careers}
        print(json.dumps(values, allow_nan=False, ensure_ascii=False))
    else:
        for table in result.tables():
            page().print(table)
