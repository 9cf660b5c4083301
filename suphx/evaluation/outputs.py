"""What is shown of a match: its progress, how it ended, and the numbers it came to."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from suphx.evaluation.arena import MatchTerms
from suphx.evaluation.counts import Counted, CountedTerms
from suphx.evaluation.ladder import simulate
from suphx.evaluation.match import Outcome
from suphx.evaluation.measures import RANK_COLUMNS
from suphx.evaluation.protocol import MatchPlan
from suphx.evaluation.report import career_table, report, tables
from suphx.evaluation.results import MatchResults
from suphx.evaluation.statistics import LEAST_DEALS
from suphx.evaluation.tally import COLUMN
from suphx.intervals import half_width
from suphx.progress import page, progress

#: Seconds between updates of the progress: the ranks so far are averages over all deals.
_OFTEN = 0.5


@contextmanager
def watching(screen: Console, plan: MatchPlan, deals: int) -> Iterator[Callable[[MatchResults], None]]:
    """Yield a function that shows a match's progress: games, rate, and how the first side stands."""
    with progress("playing", deals * len(plan.tables), screen) as show:
        started, first, shown = time.perf_counter(), 0, 0.0

        def watch(results: MatchResults) -> None:
            nonlocal first, shown
            now = time.perf_counter()
            if first and now - shown < _OFTEN:
                return
            shown, done = now, int(results.done.sum())
            first = first or done - 1
            words = f"{(done - first) / (now - started):,.1f} games/s"
            if results.complete_deals() > 1:
                ranks = results.average_ranks(0)
                words += f", {plan.sides[0]} {ranks.mean():.3f} ±{half_width(ranks):.3f}"
            show(done, words)

        yield watch


def say_how_it_ended(screen: Console, outcome: Outcome, folder: Path | None) -> None:
    """Say that a match was interrupted or stopped by its rule; folder: where its games are kept."""
    if outcome.interrupted:
        resume = f"; run the same command again to resume from {folder}"
        words = resume if folder else "; games that are not kept (--out) are lost"
        screen.print(f"interrupted after {outcome.results.done.sum():,} games{words}", style="yellow", markup=False)
    elif outcome.decided:
        screen.print(f"enough after {outcome.deals:,} deals", style="dim")


def match_report(
    outcome: Outcome, terms: MatchTerms, field: Sequence[str], until: str | None, seconds: float
) -> dict[str, Any]:
    """Return what a match came to, as plain values; seconds: how long it was played."""
    results, plan, units = outcome.results, outcome.results.plan, outcome.units
    pairs = [(plan.sides[a], plan.sides[b]) for a, b in plan.pairs()]
    if plan.protocol == "one-three":
        pairs = [(second, first) for first, second in pairs]
    return {
        "protocol": plan.protocol, **_head(units, field, terms), "games": int(results.done[: outcome.deals].sum()),
        "deals": outcome.deals, "until": until, "decided": outcome.decided, "interrupted": outcome.interrupted,
        "played_now": outcome.played, "seconds": round(seconds, 1), **report(units, pairs),
        "faults": [
            {"agent": plan.agents[agent], "fault": words, "times": times}
            for (agent, words), times in sorted(results.faults.items())
        ],
        "adaptation": _adaptation(results),
    }  # fmt: skip


def _head(units: Mapping[str, np.ndarray], field: Sequence[str], terms: MatchTerms | CountedTerms) -> dict[str, Any]:
    return {
        "challengers": list(units), "field": list(field), "rules": terms.rules, "seed": terms.seed,
        "temperature": terms.temperature, "precision": f"{terms.dtype} on {terms.device}",
    }  # fmt: skip


def _adaptation(results: MatchResults) -> list[dict[str, Any]]:
    """Return how much agents that adapt have done, in all games."""
    return [
        {
            "agent": results.plan.agents[agent],
            **{name: int(counts.get(name, 0)) for name in ("rounds", "kept", "rollouts", "late")},
            "seconds_per_round": round(counts["seconds"] / counts["rounds"], 3),
        }
        for agent, counts in sorted(results.counted.items())
        if counts.get("rounds")
    ]


def counts_report(counted: Counted, prizes: Sequence[float] | None, career: bool) -> dict[str, Any]:
    """Return what counts say as plain values, agents against the first; career: simulate careers by rank rates, too."""
    units = counted.units
    first, *others = units
    games = sum(int(each[:, COLUMN["games"]].sum()) for each in units.values())
    head = {**_head(units, counted.terms.field, counted.terms), "games": games, "deals": len(units[first])}
    results = {**head, **report(units, [(other, first) for other in others], prizes=prizes)}
    if career:
        results["career"] = {name: simulate(each[:, RANK_COLUMNS].sum(axis=0)) for name, each in units.items()}
    return results


def warn_of_few(screen: Console, deals: int) -> None:
    """Warn of numbers that rest on few deals."""
    if deals < LEAST_DEALS:
        screen.print(
            f"only {deals} deals: their intervals are rough, mostly too narrow, and differences get no p; that takes "
            f"{LEAST_DEALS} deals",
            style="yellow", highlight=False,
        )  # fmt: skip


def draw(folder: Path, results: Mapping[str, Any], units: Mapping[str, np.ndarray]) -> None:
    """Write the pictures of a report into a folder; units: what each agent did on each deal."""
    from suphx.evaluation.plots import short_names, write_pictures

    short = short_names(units)
    summaries = {short[name]: each for name, each in results["agents"].items()}
    write_pictures(folder, {short[name]: each for name, each in units.items()}, summaries)


def show(results: Mapping[str, Any], as_json: bool) -> None:
    """Print a report as tables, or as JSON."""
    if as_json:
        print(json.dumps(results, allow_nan=False))
        return
    console = page()
    against = f" against {', '.join(results['field'])}" if results["field"] else ""
    title = f"{', '.join(results['challengers'])}{against}: {results['games']:,} games, seed {results['seed']}"
    for table in tables(results, title):
        console.print(table)
    for each in results.get("faults", ()):
        console.print(f"{each['agent']}: {each['fault']} ({each['times']:,} times)", style="red", markup=False)
    for each in results.get("adaptation", ()):
        cost = f"{each['rollouts']:,} rollouts, {each['seconds_per_round']:.2g} s a round"
        cost += f", late in {each['late']:,}" if each["late"] else ""
        words = f"adapted in {each['rounds']:,} rounds, {each['kept']:,} copies kept, {cost}"
        console.print(f"{each['agent']}: {words}", markup=False)
    for name, career in results.get("career", {}).items():
        console.print(career_table(name, career))
