"""`suphx logs tamper`: what the verification of logs is worth."""

import itertools
import json
import sys
from collections import Counter
from typing import Annotated

import typer

from suphx.commands.options import AsJson, LogPaths


def tamper(
    paths: LogPaths,
    games: Annotated[int, typer.Option(min=1, help="Games of each path, the first ones.")] = 1,
    every: Annotated[int, typer.Option(min=1, help="Change only each so many-th statement.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Change each statement of logs once, in all three formats, and count what the verification notices.

    A game of the first format is converted to the others. About half a minute a game and format. The exit status is 1
    if a change went unnoticed for which no reason is known.
    """
    from rich.progress import track

    from simulator.logs.archives import open_logs
    from simulator.logs.convert import write_as
    from simulator.logs.formats import FORMATS, detect, read_log
    from simulator.logs.model import LogError
    from suphx.bench.tampering import reason_of, tamper

    logs = [each for path in paths for each in itertools.islice(open_logs([path]), games)]
    changed: Counter[str] = Counter()
    found: Counter[str] = Counter()
    work = [(each, form) for each in logs for form in FORMATS]
    for (source, data), form in track(work, "tampering", disable=as_json or not sys.stderr.isatty()):
        if isinstance(data, LogError):
            raise data
        for log in read_log(data, source):
            text = data if detect(data, source) is form else write_as(log, form)
            for kind, noticed in tamper(text, source, every):
                changed[kind] += 1
                found[kind] += noticed
    rows = {kind: (changed[kind], found[kind], "" if found[kind] == changed[kind] else reason_of(kind))
            for kind in sorted(changed)}  # fmt: skip
    if as_json:
        print(json.dumps(rows))
    else:
        print("| statement | changed | noticed | why the others cannot be |\n|---|---|---|---|")
        for kind, (most, seen, reason) in rows.items():
            print(f"| {kind} | {most:,} | {seen:,} | {'**not known**' if reason is None else reason} |")
    if any(reason is None for _, _, reason in rows.values()):
        raise typer.Exit(1)
