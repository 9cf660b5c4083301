"""Options that several commands have, with the words they share; a command gives the defaults."""

import os
from pathlib import Path
from typing import Annotated

import typer

#: Exit status of work that Ctrl-C ended, with results of what was done before.
EXIT_INTERRUPTED = 130
#: Cores of this machine.
CORES = os.cpu_count() or 1

ConfigFile = Annotated[Path, typer.Argument(help="Configuration: a YAML file, or the name of one that is included.")]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", help="Change a value of the configuration: seed=1, or nested, learning.learning_rate=5e-5."),
]
RunFolder = Annotated[
    Path | None, typer.Option(help="Folder of results. By default COMMAND/NAME in $SUPHX_RUNS; the name is configured.")
]
Reviewer = Annotated[str, typer.Option("--agent", help="Who reviews: tuned, sl, sl-weak, or a folder of weights.")]
LogPaths = Annotated[list[Path], typer.Argument(help="Logs, folders of logs, or zip and tar archives of them.")]
Logs = Annotated[
    list[Path] | None,
    typer.Option(
        "--logs",
        help="Logs to learn from: files, folders, archives, or a folder of prepared logs. "
        "By default games that are generated first.",
    ),
]
PresetOfRules = Annotated[str, typer.Option(help="Rules: tenhou, tenhou_east, mahjong_soul or m_league.")]
Seed = Annotated[
    int, typer.Option(min=0, max=2**64 - 1, help="Random seed: the same seed gives the same deals and games.")
]
Temperature = Annotated[
    float | None, typer.Option(help="Draw networks' answers at this temperature; by default the likeliest are taken.")
]
Timeout = Annotated[float | None, typer.Option(help="Seconds a bot has for a decision; by default 5, majiang 60.")]
Device = Annotated[str | None, typer.Option(help="cpu or cuda; by default a GPU if there is one.")]
Precision = Annotated[str | None, typer.Option(help="float32 or bfloat16; by default the faster one here.")]
Threads = Annotated[int | None, typer.Option(min=1, help="Threads to compute with on a CPU; by default all cores.")]
Workers = Annotated[int, typer.Option(min=1, help="Processes to share the work; by default one per core.")]
Prizes = Annotated[
    str | None, typer.Option(help="Prizes of first to fourth place, such as 90,45,0,-135: their mean is reported.")
]
Pictures = Annotated[Path | None, typer.Option(help="Folder for pictures of the results.")]
CsvFile = Annotated[Path | None, typer.Option(help="File for the numbers as CSV.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the results as JSON.")]
