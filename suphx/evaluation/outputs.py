"""Where the numbers of a match go: the terminal or JSON, a folder, CSV, pictures, TensorBoard."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from simulator.files import write_whole
from suphx.evaluation.report import career_table, tables, write_csv, write_scalars
from suphx.evaluation.tally import COLUMN

#: Columns of the tables where they go to a file or another program.
_PAGE = 200


@dataclass(frozen=True)
class Outputs:
    """Where to write a report; None for nowhere."""

    folder: Path | None = None
    """Folder of the match, which gets `result.json`."""
    csv: Path | None = None
    plots: Path | None = None
    """Folder for pictures."""
    tensorboard: Path | None = None
    career: bool = False
    """Whether careers on Tenhou's ladder are simulated and reported as well."""
    as_json: bool = False
    """Whether to print JSON instead of tables."""

    def __post_init__(self) -> None:
        for place, package in ((self.plots, "matplotlib"), (self.tensorboard, "tensorboard")):
            if place:
                import_module(package)  # one that is missing is missed before the games, not after them

    def write(self, found: Mapping[str, Any], units: Mapping[str, np.ndarray]) -> None:
        """Write and print a report.

        found: head and numbers as from `report.report`. units: what each agent did, i64[deals, columns] each.
        """
        found = {**found, "career": _careers(units)} if self.career else dict(found)
        if self.folder:
            write_whole(self.folder / "result.json", (json.dumps(found, indent=1, allow_nan=False) + "\n").encode())
        if self.csv:
            write_csv(self.csv, found)
        if self.plots:
            _draw(self.plots, found, units)
        if self.tensorboard:
            write_scalars(self.tensorboard, found, found["games"])
        if self.as_json:
            print(json.dumps(found, allow_nan=False))
        else:
            _print(found)


def _careers(of: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Return what becomes of each agent on Tenhou's ladder, by its rank rates here."""
    from suphx.evaluation.ladder import simulate

    places = [COLUMN[name] for name in ("first", "second", "third", "fourth")]
    return {name: simulate(units.sum(axis=0)[places]) for name, units in of.items()}


def _draw(folder: Path, found: Mapping[str, Any], units: Mapping[str, np.ndarray]) -> None:
    from suphx.evaluation.pictures import short_names, write_pictures

    folder.mkdir(parents=True, exist_ok=True)
    short = short_names(units)
    write_pictures(
        folder,
        {short[name]: each for name, each in units.items()},
        {short[name]: each for name, each in found["agents"].items()},
    )


def _print(found: Mapping[str, Any]) -> None:
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else _PAGE)
    against = f" against {', '.join(found['field'])}" if found["field"] else ""
    title = f"{', '.join(found['challengers'])}{against}: {found['games']:,} games, seed {found['seed']}"
    for table in tables(found, title):
        console.print(table)
    for each in found["faults"]:
        console.print(
            f"{each['agent']}: {each['fault']} ({each['times']:,} times)", style="red", markup=False, highlight=False
        )
    for each in found["adaptation"]:
        kept = f"{each['kept']:,} of {each['adaptations']:,} copies kept"
        cost = f"{each['rollouts']:,} rollouts, {each['seconds_per_round']:.2g} s a round"
        cost += f", late in {each['late']:,}" if each["late"] else ""
        console.print(
            f"{each['agent']}: adapted in {each['rounds']:,} rounds, {kept}, {cost}", markup=False, highlight=False
        )
    for name, career in found.get("career", {}).items():
        console.print(career_table(name, career))
