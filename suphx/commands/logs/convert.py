"""`suphx logs convert`: any format of log to any other."""

import json
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from suphx.commands.options import AsJson, LogPaths


def convert(
    paths: LogPaths,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to; it is created if necessary.")],
    to: Annotated[
        Literal["mjlog", "tenhou6", "mjai"], typer.Option(help="Format to write; tenhou6 is Tenhou's JSON.")
    ] = "mjai",
    as_json: AsJson = False,
) -> None:
    """Convert logs of any format, one file per game. What cannot be read is named and left out (exit status 1).

    An existing file is replaced as a whole or not at all. What the target format cannot express is lost: mjai has no
    yaku and hardly any rules, Tenhou's JSON has no physical tiles. What a log leaves out is computed by the rules.
    """
    from simulator.files import UniqueNames, write_whole
    from simulator.logs.archives import open_logs
    from simulator.logs.convert import write_as
    from simulator.logs.formats import format_named, read_log
    from simulator.logs.model import LogError, SkippedLog

    target = format_named(to)
    counts = {"games": 0, "skipped": 0, "errors": 0}
    out.mkdir(parents=True, exist_ok=True)
    names = UniqueNames(target.suffix)
    for source, data in open_logs(paths):
        try:
            if isinstance(data, LogError):
                raise data
            for log in read_log(data, source):
                write_whole(out / names.name(source), write_as(log, target))
                counts["games"] += 1
        except SkippedLog as skipped:
            counts["skipped"] += 1
            print(f"skipped: {skipped}", file=sys.stderr)
        except LogError as error:
            counts["errors"] += 1
            print(error, file=sys.stderr)
    if as_json:
        print(json.dumps(counts))
    else:
        print(f"{counts['games']:,} games written to {out}, {counts['skipped']} skipped, {counts['errors']} errors")
    if counts["errors"] or not counts["games"]:
        raise typer.Exit(1)
