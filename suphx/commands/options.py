"""Options that several commands have, with the words they share; a command gives the defaults."""

import os
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

#: Exit status of work that Ctrl-C ended, with results of what was done before.
EXIT_INTERRUPTED = 130
#: Cores of this machine.
CORES = os.cpu_count() or 1

ConfigFile = Annotated[Path, Argument(help="Configuration: a YAML file, or the name of one that is included.")]
Changes = Annotated[list[str] | None, Option("--set", help="Change a setting: seed=1, learning.learning_rate=5e-5.")]
RunFolder = Annotated[Path | None, Option(help="Folder of results; by default COMMAND/NAME in $SUPHX_RUNS.")]
Reviewer = Annotated[str, Option("--agent", help="Who reviews: tuned-large, tuned, sl, or a folder of weights.")]
LogPaths = Annotated[list[Path], Argument(help="Logs, folders of logs, or zip and tar archives of them.")]
Logs = Annotated[list[Path] | None, Option("--logs", help="Logs, or prepared logs; by default games are generated.")]
PresetOfRules = Annotated[str, Option(help="Rules: tenhou, tenhou_east, mahjong_soul or m_league.")]
Seed = Annotated[int, Option(min=0, max=2**64 - 1, help="Random seed of deals and games.")]
Temperature = Annotated[float | None, Option(help="Sampling temperature; by default the likeliest action.")]
Timeout = Annotated[float | None, Option(help="Seconds a bot has for a decision; by default 5, majiang 60.")]
Device = Annotated[str | None, Option(help="cpu or cuda; by default a GPU if there is one.")]
Precision = Annotated[str | None, Option(help="float32 or bfloat16; by default the faster one here.")]
Threads = Annotated[int | None, Option(min=1, help="Threads to compute with on a CPU; by default all cores.")]
Workers = Annotated[int, Option(min=1, help="Processes to share the work; by default one per core.")]
Prizes = Annotated[str | None, Option(help="Also report the mean of prizes such as 90,45,0,-135.")]
Pictures = Annotated[Path | None, Option(help="Folder for pictures of the results.")]
CsvFile = Annotated[Path | None, Option(help="File for the numbers as CSV.")]
AsJson = Annotated[bool, Option("--json", help="Print the results as JSON.")]
