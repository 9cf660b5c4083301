"""`suphx logs verify`: hold logs against the engine."""

import json
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from suphx.commands.options import CORES, AsJson, LogPaths, Workers


def verify(
    paths: LogPaths,
    workers: Workers = CORES,
    as_json: AsJson = False,
    most: Annotated[int, typer.Option(min=0, help="Mismatches and errors to print at most.")] = 10,
) -> None:
    """Replay every game in the simulator and check everything that the log states.

    This covers each action, draw, dora indicator and riichi bet, yaku, han, fu, points, the next dealer and
    counters, the final points, and the wall where the log has its seed. A log may begin and end anywhere: one that
    ends early is counted as unfinished. The exit status is 1 if anything differs or cannot be read, or if there are no
    logs. Three-player games are skipped, and it says so. What differs in a game whose rules are not all known, such as
    one of a private lobby, is counted apart.
    """
    from simulator.logs.verify_paths import Summary, verify_paths
    from suphx.progress import progress

    summary = Summary()
    with progress("verifying", 1.0) as show:
        for summary, share in verify_paths(list(paths), workers):
            show(share, f"{summary.games:,} games, {summary.games / max(summary.seconds, 1e-9):,.0f}/s")
    for line in [*map(str, summary.first_mismatches[:most]), *summary.first_errors[:most]]:
        print(line, file=sys.stderr)
    for line in summary.first_skipped[:most]:
        print(f"skipped: {line}", file=sys.stderr)
    for line in summary.first_unknown[:most]:
        print(f"rules not known: {line}", file=sys.stderr)
    if as_json:
        numbers = {name: value for name, value in asdict(summary).items() if not name.startswith("first_")}
        print(json.dumps({**numbers, "seconds": round(summary.seconds, 3)}))
    else:
        per_second = summary.games / max(summary.seconds, 1e-9)
        print(
            f"{summary.games:,} games, {summary.rounds:,} rounds, {summary.decisions:,} decisions: "
            f"{summary.mismatches:,} mismatches, {summary.errors:,} errors, {summary.skipped:,} skipped, "
            f"{summary.unfinished:,} unfinished, {summary.unknown:,} that differ where the rules are not known "
            f"({summary.seconds:.1f} s, {per_second:,.0f} games/s)"
        )
    if not summary.good:
        raise typer.Exit(1)
