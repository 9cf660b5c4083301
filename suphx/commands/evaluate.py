"""`suphx evaluate`: agents against each other on the same deals, and what their games say."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from suphx.evaluation.counts import Counted
    from suphx.evaluation.match import Outcome
    from suphx.evaluation.protocol import Plan
    from suphx.evaluation.results import Results

EXIT_INTERRUPTED = 130
#: The options that shape the report of games that were played earlier; all others are about playing.
_OF_REPORTS = {"beside", "deals_of", "counts", "plots", "csv", "tensorboard", "prizes", "career", "as_json"}
_AGENT = (
    "sl (the included weights), sl-weak, sensible, random, untrained, a folder of weights, adapted:AGENT (adapts to "
    "each round), majiang, bot:COMMAND (any mjai bot), or 'A|B' (which take turns by deal)"
)


def evaluate(
    context: typer.Context,
    challenger: Annotated[
        list[str] | None,
        typer.Option(help=f"Agent to measure: {_AGENT}. Give several to compare them on the same deals."),
    ] = None,
    field: Annotated[
        list[str] | None, typer.Option(help="Opponents: one agent for all three seats, or three agents.")
    ] = None,
    protocol: Annotated[
        str,
        typer.Option(
            help="one-three: each challenger against three opponents, in all four seats; two-two: two of the "
            "challenger against two of the opponent, in all six seatings; round-robin: two-two for every pair."
        ),
    ] = "one-three",
    games: Annotated[
        int, typer.Option(min=1, help="Hanchan for each challenger, rounded up to whole deals (of four or six).")
    ] = 1000,
    rules: Annotated[str, typer.Option(help="Rules: tenhou, tenhou_east, mahjong_soul or m_league.")] = "tenhou",
    seed: Annotated[int, typer.Option(min=0, max=2**64 - 1, help="Random seed of the deals.")] = 0,
    until: Annotated[
        str | None,
        typer.Option(
            help="Stop early: `ci=0.05` once every average rank is known to within 0.05, `decided` once a sequential "
            "test decides who is better."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder that keeps every game, so that the same command resumes.")
    ] = None,
    logs: Annotated[bool, typer.Option("--logs", help="With --out: also keep a log (mjlog) of every game.")] = False,
    counts: Annotated[
        Path | None,
        typer.Option(help="File for what each agent did on each deal, 1.5 MB for 100,000 games; --beside reads it."),
    ] = None,
    beside: Annotated[
        list[Path] | None,
        typer.Option(
            help="File that --counts left: its agents, measured earlier on the same deals against the same field, are "
            "reported and compared as well. Without --challenger nothing is played."
        ),
    ] = None,
    deals_of: Annotated[
        str | None,
        typer.Option(
            "--deals",
            help="With --beside alone: count only some deals, as FROM:TO:STEP; 25000: for those that were added to a "
            "match of 25,000, ::2 and 1::2 for those that A and B of 'A|B' played.",
        ),
    ] = None,
    plots: Annotated[Path | None, typer.Option(help="Folder for pictures of the results.")] = None,
    csv: Annotated[Path | None, typer.Option(help="File for the numbers as CSV.")] = None,
    tensorboard: Annotated[Path | None, typer.Option(help="Folder for the numbers as TensorBoard scalars.")] = None,
    prizes: Annotated[
        str | None, typer.Option(help="Prizes of first to fourth place, such as 90,45,0,-135: their mean is reported.")
    ] = None,
    career: Annotated[bool, typer.Option("--career", help="Also simulate careers on Tenhou's ladder.")] = False,
    temperature: Annotated[
        float | None,
        typer.Option(help="Draw networks' answers at this temperature; by default the likeliest answer is taken."),
    ] = None,
    rollouts: Annotated[
        int | None, typer.Option(min=1, help="For agents that adapt: rollouts to learn from in each round.")
    ] = None,
    seconds_per_round: Annotated[
        float | None,
        typer.Option(min=0.01, help="For agents that adapt: about how many seconds they may think in each round."),
    ] = None,
    device: Annotated[str | None, typer.Option(help="cpu or cuda; by default a GPU if there is one.")] = None,
    precision: Annotated[str | None, typer.Option(help="float32 or bfloat16; by default the faster one here.")] = None,
    batch: Annotated[
        int | None,
        typer.Option(min=1, help="Games played side by side by each thread or worker; by default 1024, with bots 8."),
    ] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads that play; by default one per core.")] = None,
    workers: Annotated[
        int,
        typer.Option(
            min=0, help="Play in so many Ray tasks instead of threads, here or on the cluster of RAY_ADDRESS."
        ),
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Measure agents against opponents (by default `sl` against three `sensible`): ranks, stable rank, style of play.

    All challengers play the same deals. Intervals are 95 %, by bootstrap over deals. On one machine the same seed gives
    the same games, whatever the batch, threads or workers; on another kind of processor a close decision may differ.
    """
    from rich.console import Console

    from suphx.adaptation.named import with_budgets
    from suphx.evaluation.arena import BATCH, BATCH_OF_BOTS, Terms
    from suphx.evaluation.counts import Counted, CountedTerms, check_comparable, joined, read_counts
    from suphx.evaluation.match import Means, play_match
    from suphx.evaluation.measures import read_prizes
    from suphx.evaluation.outputs import Outputs
    from suphx.evaluation.report import report
    from suphx.evaluation.stopping import read_rule
    from suphx.mjai.host.specs import is_external
    from suphx.networks.precision import choose_precision

    outputs = Outputs(out, csv, plots, tensorboard, career, as_json)
    paid = read_prizes(prizes) if prizes else None
    earlier = {str(path): read_counts(path) for path in beside or []}
    if earlier and not challenger:
        _refuse_options_of_play(context)
        kept = joined(earlier)
        if deals_of:
            if counts:
                raise typer.BadParameter("a file of counts has all deals", param_hint="--deals")
            kept = kept.on_deals(_slice(deals_of))
        found = _head_of(kept, deals_of) | report(kept.units, _against_the_first(kept.units), prizes=paid)
        if counts:
            kept.save(counts)
        outputs.write(found, kept.units)
        return
    if deals_of:
        raise typer.BadParameter("only games played earlier can be left out", param_hint="--deals")
    if logs and out is None:
        raise typer.BadParameter("logs are kept in the folder that --out names", param_hint="--logs")
    challengers = with_budgets(challenger or ["sl"], rollouts, seconds_per_round)
    plan = _plan(protocol, challengers, field or ["sensible"])
    deals = -(-games // plan.games_per_deal)
    if deals < 2:
        raise typer.BadParameter("an interval needs two deals at least", param_hint="--games")
    chosen = choose_precision(device, precision, threads=1)
    dtype = str(chosen.dtype).removeprefix("torch.")
    terms = Terms(seed, rules, temperature, str(chosen.device), dtype, logs)
    counted = None
    if counts or earlier:
        if protocol != "one-three":
            raise typer.BadParameter("counts are kept of one-three only", param_hint="--counts, --beside")
        counted = CountedTerms.of(field or ["sensible"], terms)
        there = [(origin, each.terms, each.units) for origin, each in earlier.items()]
        check_comparable([*there, ("this match", counted, challengers)])
    external = any(is_external(name) for name in plan.agents)
    means = Means(
        batch or (BATCH_OF_BOTS if external else BATCH), threads or (1 if external else os.cpu_count() or 1), workers
    )
    rule = read_rule(until) if until else None
    console = Console(stderr=True)
    started = time.perf_counter()
    with _watching(console, plan, deals) as watch:
        outcome = play_match(plan, terms, deals, means, out, rule, watch)
    seconds = time.perf_counter() - started
    _say_how_it_ended(console, outcome, out)
    if outcome.deals < 2:
        raise typer.Exit(EXIT_INTERRUPTED if outcome.interrupted else 1)
    together = joined({**earlier, "this match": Counted(counted, _units(outcome))}) if counted else None
    units = together.units if together else _units(outcome)
    found = report(units, _against_the_first(units) if together else _pairs(plan), prizes=paid)
    head = {
        "protocol": protocol,
        "challengers": list(units) if earlier else sorted({side.agent for side in plan.sides}, key=plan.agents.index),
        "field": field or ["sensible"] if protocol != "round-robin" else [],
        "rules": rules, "seed": seed, "temperature": temperature, "precision": f"{dtype} on {chosen.device}",
        "games": int(outcome.results.done[: outcome.deals].sum()), "deals": outcome.deals, "until": until,
        "decided": outcome.decided, "interrupted": outcome.interrupted,
        "played_now": outcome.played, "seconds": round(seconds, 1),
    }  # fmt: skip
    found = {**head, **found, "faults": _faults(plan, outcome.results), "adaptation": _adaptation(outcome.results)}
    if counts and together:
        together.save(counts)
    outputs.write(found, units)
    if outcome.interrupted:
        raise typer.Exit(EXIT_INTERRUPTED)


def _refuse_options_of_play(context: typer.Context) -> None:
    """Refuse options that would be without effect where nothing is played."""
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "")
        if parameter.name not in _OF_REPORTS and given is not None and given.name == "COMMANDLINE":
            raise typer.BadParameter(
                "without --challenger nothing is played, and the files say how their games were played",
                param_hint=parameter.opts[0],
            )


def _slice(words: str) -> slice:
    """Return the slice that FROM:TO:STEP names; each of the three may be empty."""
    parts = words.split(":")
    if 2 <= len(parts) <= 3 and all(not part or part.isdecimal() for part in parts) and parts[2:] != ["0"]:
        return slice(*(int(part) if part else None for part in parts))
    raise typer.BadParameter(f"{words!r} is not FROM:TO or FROM:TO:STEP", param_hint="--deals")


def _head_of(together: Counted, deals_of: str | None) -> dict[str, Any]:
    """Return the head of a report of games that were all played earlier."""
    from suphx.evaluation.tally import COLUMN

    terms = together.terms
    games = sum(int(units[:, COLUMN["games"]].sum()) for units in together.units.values())
    deals = len(next(iter(together.units.values())))
    return {
        "protocol": "one-three", "challengers": list(together.units), "field": terms.field, "rules": terms.rules,
        "seed": terms.seed, "temperature": terms.temperature, "precision": f"{terms.dtype} on {terms.device}",
        "games": games, "deals": deals, "deals_of": deals_of, "until": None, "decided": False,
        "interrupted": False, "played_now": 0, "seconds": 0.0, "faults": [], "adaptation": [],
    }  # fmt: skip


def _against_the_first(units: dict[str, Any]) -> list[tuple[str, str]]:
    first, *others = units
    return [(other, first) for other in others]


def _plan(protocol: str, challengers: list[str], field: list[str]) -> Plan:
    from suphx.evaluation.protocol import one_against_three, round_robin, two_against_two

    if protocol == "one-three":
        return one_against_three(challengers, field)
    if protocol == "two-two":
        if len(challengers) != 1 or len(field) != 1:
            raise typer.BadParameter("two-two takes one challenger and one of the field", param_hint="--protocol")
        return two_against_two(challengers[0], field[0])
    if protocol == "round-robin":
        return round_robin(challengers)
    raise typer.BadParameter(f"{protocol!r} is none of one-three, two-two, round-robin", param_hint="--protocol")


@contextmanager
def _watching(console: Console, plan: Plan, deals: int) -> Iterator[Callable[[Results], None]]:
    """Show progress with a rate, the time left and how the first side stands."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from suphx.evaluation.stopping import average_ranks
    from suphx.intervals import half_width

    total = deals * len(plan.tables)
    columns = (
        TextColumn("playing"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[words]}", markup=False),
    )
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        bar = progress.add_task("playing", total=total, words="")
        started, first, shown = time.perf_counter(), 0, 0.0

        def watch(results: Results) -> None:
            nonlocal first, shown
            now = time.perf_counter()
            if first and now - shown < 0.5:
                return
            shown, done = now, int(results.done.sum())
            first = first or done - 1
            words = f"{(done - first) / (now - started):,.1f} games/s"
            if (deals := results.complete_deals()) > 1:
                ranks = average_ranks(results, 0, deals)
                words += f", {plan.sides[0].agent} {ranks.mean():.3f} ±{half_width(ranks):.3f}"
            progress.update(bar, completed=done, words=words)

        yield watch


def _say_how_it_ended(console: Console, outcome: Outcome, out: Path | None) -> None:
    kept = f"; run the same command again to resume from {out}" if out else ""
    if outcome.interrupted:
        lost = "" if out else "; games that are not kept (--out) are lost"
        console.print(
            f"interrupted after {outcome.results.done.sum():,} games{kept}{lost}", style="yellow", markup=False
        )
    elif outcome.decided:
        console.print(f"enough after {outcome.deals:,} deals", style="dim")


def _units(outcome: Outcome) -> dict[str, Any]:
    """Return what each agent did on each deal evaluated."""
    names = dict.fromkeys(side.agent for side in outcome.results.plan.sides)
    return {name: outcome.results.units_of_agent(name, outcome.deals) for name in names}


def _pairs(plan: Plan) -> list[tuple[str, str]]:
    if plan.protocol == "one-three":
        return [(plan.sides[b].agent, plan.sides[a].agent) for a, b in plan.pairs()]
    return [(plan.sides[a].agent, plan.sides[b].agent) for a, b in plan.pairs()]


def _faults(plan: Plan, results: Results) -> list[dict[str, Any]]:
    return [
        {"agent": plan.agents[agent], "fault": words, "times": times}
        for (agent, words), times in sorted(results.faults.items())
    ]


def _adaptation(results: Results) -> list[dict[str, Any]]:
    """Return how much agents that adapt have done, in all games."""
    return [
        {
            "agent": results.plan.agents[agent],
            **{name: int(counts.get(name, 0)) for name in ("rounds", "adaptations", "kept", "rollouts", "late")},
            "seconds_per_round": round(counts["seconds"] / counts["rounds"], 3),
        }
        for agent, counts in sorted(results.counted.items())
        if counts.get("rounds")
    ]
