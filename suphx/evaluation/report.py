"""The results of one or several agents, as plain values, tables, CSV and TensorBoard scalars."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.box import SIMPLE
from rich.markup import escape
from rich.table import Table

from simulator.files import write_whole
from suphx.evaluation.ladder import LEVELS, ONE_DAN
from suphx.evaluation.measures import Measure, measures
from suphx.evaluation.statistics import difference, summary

#: Of a CSV file.
_COLUMNS = (
    "of", "games", "deals", "measure", "value", "low", "high", "standard_error", "p", "smallest_difference",
)  # fmt: skip
_GOOD, _BAD = "green", "red"


def report(
    agents: Mapping[str, np.ndarray],
    pairs: Iterable[tuple[str, str]] = (),
    seed: int = 0,
    prizes: Sequence[float] | None = None,
) -> dict[str, Any]:
    """Return the results as JSON values: `agents` (name to `summary`), `differences` (a list), `prizes`.

    agents: name to units [deals, columns]. pairs: names of two agents to compare, the first minus the second; their
    rows must be the same deals. seed: random seed of the bootstrap. prizes: first to fourth, or None.
    """
    differences = [
        {"agent": agent, "against": against, **difference(agents[agent], agents[against], seed, prizes)}
        for agent, against in pairs
    ]
    results = {name: summary(units, seed, prizes) for name, units in agents.items()}
    return {"agents": results, "differences": differences, "prizes": None if prizes is None else list(prizes)}


def _measured(results: Mapping[str, Any]) -> list[Measure]:
    """Return the measures for which any agent has a value."""
    return [
        measure
        for measure in measures(results["prizes"])
        if any(each[measure.name]["value"] is not None for each in results["agents"].values())
    ]


def tables(results: Mapping[str, Any], title: str = "", unit: str = "deals") -> Iterator[Table]:
    """Yield a `report` as tables: all agents, then each difference; unit: what a row of the units is called."""
    agents = results["agents"]
    table = _table(title, "")
    table.columns[0].no_wrap = True
    for name, each in agents.items():
        games = f"{each['games']:,} games" + (f"\n{each['deals']:,} {unit}" if each["deals"] != each["games"] else "")
        table.add_column(escape(f"{name}\n{games}"), justify="right")
        table.add_column("95 % interval", style="dim", justify="right")
    for measure in _measured(results):
        cells = []
        for each in agents.values():
            number = each[measure.name]
            cells += [measure.text(number["value"]), _interval(map(measure.text, number["interval"]))]
        table.add_row(measure.words, *cells)
    yield table
    for pair in results["differences"]:
        yield _difference_table(results, pair)


def _difference_table(results: Mapping[str, Any], pair: Mapping[str, Any]) -> Table:
    title = f"{pair['agent']} minus {pair['against']}, on the same {pair['deals']:,} deals"
    table = _table(title, "", "difference", "95 % interval", "p", "detectable")
    table.columns[0].no_wrap = True
    for measure in _measured(results):
        number = pair[measure.name]
        p = "-" if number["p"] is None else f"{number['p']:.3f}"
        table.add_row(
            measure.words,
            measure.difference_text(number["value"]),
            _interval(map(measure.difference_text, number["interval"])),
            p,
            measure.difference_text(number["smallest_difference"]).removeprefix("+"),
            style=_style(measure, number["interval"]),
        )
    return table


def _table(title: str, *heads: str) -> Table:
    """Return an empty table with names on the left, and numbers in all other columns."""
    table = Table(title=escape(title) or None, box=SIMPLE)
    for head in heads:
        table.add_column(head, justify="right" if head else "left")
    return table


def _interval(ends: Iterable[str]) -> str:
    low, high = ends
    return low if low == high else f"{low} to {high}"


def _style(measure: Measure, ends: Sequence[float | None]) -> str | None:
    """Return green or red for a difference that is significantly better or worse."""
    low, high = ends
    if measure.better == "neither" or low is None or high is None or low <= 0 <= high:
        return None
    return _GOOD if (low > 0) == (measure.better == "more") else _BAD


def resampling_table(spread: Mapping[str, Mapping[str, Mapping[str, float | None]]], room: str) -> Table:
    """Return a table of resampled stable ranks; spread: name to games per sample to quantile (%) to dan."""
    quantiles = list(next(iter(next(iter(spread.values())).values())))
    heads = (f"{quantile} %" for quantile in quantiles)
    table = _table(f"stable rank ({room} room) of samples of the games: quantiles", "", "games in a sample", *heads)
    for name, by_games in spread.items():
        for games, values in by_games.items():
            cells = ("never fourth" if value is None else f"{value:.2f}" for value in values.values())
            table.add_row(escape(name), f"{int(games):,}", *cells)
    return table


def career_table(name: str, career: Mapping[str, Any]) -> Table:
    """Return the result of `simulate` as a table, one line per level from 1 dan on; name: the player's name."""
    words = f"{career['careers']:,} careers of {career['games']:,} hanchan from {career['start']}"
    heads = ("", "highest level", "time there", "ever reached", "25 % after", "50 %", "75 % of careers")
    table = _table(f"{name}: {words}, up to the {career['top_room']} room", *heads)
    for level in LEVELS[ONE_DAN:]:
        if level not in career["reached"] and level not in career["time"]:
            continue
        reached = career["reached"].get(level, {"share": 1.0, "games": {}})
        games = (reached["games"].get(quantile) for quantile in ("25", "50", "75"))
        table.add_row(
            level,
            f"{career['record'].get(level, 0):.1%}",
            f"{career['time'].get(level, 0):.1%}",
            f"{reached['share']:.1%}",
            *("-" if n is None else f"{n:,} games" for n in games),
        )
    return table


def played_career_table(name: str, career: Mapping[str, Any]) -> Table:
    """Return the result of `follow_summary` as a table; name: the player's name."""
    title = f"{name}: the {career['games']:,} games as they came, from {career['start']} to {career['final']}"
    table = _table(title, "", "time there", "reached after")
    for level in LEVELS:
        if level in career["time"] or level in career["reached"]:
            after = career["reached"].get(level)
            share = f"{career['time'].get(level, 0):.1%}"
            table.add_row(level, share, "" if after is None else f"{after:,} games")
    return table


def _rows(results: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a row for each agent and measure, then for each difference (`A minus B`, without games) and measure."""
    agents = [(name, each["games"], each) for name, each in results["agents"].items()]
    pairs = [(f"{pair['agent']} minus {pair['against']}", None, pair) for pair in results["differences"]]
    for name, games, numbers in [*agents, *pairs]:
        for measure in measures(results["prizes"]):
            number = numbers[measure.name]
            ends = dict(zip(("low", "high"), number["interval"], strict=True))
            yield {"of": name, "games": games, "deals": numbers["deals"], "measure": measure.name, **number, **ends}


def write_csv(path: Path, results: Mapping[str, Any]) -> None:
    """Write a CSV file: one line per agent and measure, then one per difference and measure (`A minus B`)."""
    text = io.StringIO()
    lines = csv.DictWriter(text, _COLUMNS, extrasaction="ignore", lineterminator="\n")
    lines.writeheader()
    lines.writerows(_rows(results))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text.getvalue().encode())


def write_scalars(folder: Path, results: Mapping[str, Any], step: int) -> None:
    """Write TensorBoard scalars `evaluation/AGENT/MEASURE`, with `_low` and `_high`; step: e.g. games trained on."""
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(str(folder)) as writer:
        for row in _rows({**results, "differences": ()}):
            for ending, name in (("", "value"), ("_low", "low"), ("_high", "high")):
                if row[name] is not None:
                    writer.add_scalar(f"evaluation/{row['of']}/{row['measure']}{ending}", row[name], step)
