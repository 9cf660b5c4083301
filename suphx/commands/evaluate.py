"""`suphx evaluate`: agents against others on the same deals, and what their games say."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from suphx.agent import DEFAULT_AGENT
from suphx.commands import options as o

_AGENT = (
    "tuned-large (the default), tuned, sl-large, sl, sl-weak, untrained, a folder of weights, sensible, "
    "never_folds, never_calls, tsumogiri, random, adapted:AGENT (adapts to each round), majiang, or bot:COMMAND (any "
    "mjai bot; by their style of replies also bot-array, bot-every and bot-acting)"
)


def evaluate(
    challenger: Annotated[
        list[str] | None, Option(help=f"Agent to measure: {_AGENT}. Give several to compare them on the same deals.")
    ] = None,
    field: Annotated[list[str] | None, Option(help="Opponents: one agent for all seats, or three.")] = None,
    protocol: Annotated[
        str,
        Option(
            help="one-three: each challenger against three opponents, in all four seats; two-two: two of the "
            "challenger against two of the opponent, in all six seatings; round-robin: two-two for every pair."
        ),
    ] = "one-three",
    games: Annotated[int, Option(min=1, help="Hanchan for each challenger, in whole deals of four or six.")] = 1000,
    rules: o.PresetOfRules = "tenhou",
    seed: o.Seed = 0,
    until: Annotated[
        str | None,
        Option(help="Stop early: `ci=0.05` once average ranks are known to 0.05, `decided` once a test decides."),
    ] = None,
    out: Annotated[Path | None, Option(help="Folder of the games, to resume, and counts for `compare`.")] = None,
    logs: Annotated[bool, Option("--logs", help="With --out: also keep a log (mjlog) of every game.")] = False,
    plots: o.Pictures = None,
    temperature: o.Temperature = None,
    timeout: o.Timeout = None,
    device: o.Device = None,
    precision: o.Precision = None,
    batch: Annotated[int | None, Option(min=1, help="Games side by side per thread; by default 1024, bots 8.")] = None,
    threads: Annotated[int | None, Option(min=1, help="Threads that play; by default one per core.")] = None,
    workers: Annotated[int, Option(min=0, help="Ray tasks instead of threads, here or at RAY_ADDRESS.")] = 0,
    as_json: o.AsJson = False,
) -> None:
    """Measure agents against others (by default `tuned-large` against `sensible`): ranks, stable rank, style of play.

    All challengers play the same deals. Intervals are 95 %, by bootstrap over deals. On one machine the same seed gives
    the same games, whatever the batch, threads or workers; on another kind of processor a close decision may differ.
    """
    import time
    from importlib import import_module

    from rich.console import Console

    from simulator.files import write_json
    from suphx.agent.registry import is_external
    from suphx.evaluation.arena import MatchTerms
    from suphx.evaluation.counts import COUNTS_NAME, Counted, CountedTerms
    from suphx.evaluation.match import Means, play_match, read_rule
    from suphx.evaluation.outputs import draw, match_report, say_how_it_ended, show, warn_of_few, watching
    from suphx.evaluation.protocol import plan_named
    from suphx.networks.precision import choose_precision

    if plots:
        import_module("matplotlib")  # one that is missing is missed before the games, not after them
    if logs and out is None:
        raise typer.BadParameter("logs are kept in the folder that --out names", param_hint="--logs")
    opponents = [] if protocol == "round-robin" else field or ["sensible"]
    plan = plan_named(protocol, challenger or [DEFAULT_AGENT], opponents)
    if timeout is not None and not any(map(is_external, plan.agents)):
        raise typer.BadParameter("no bot plays", param_hint="--timeout")
    deals, rule = plan.deals_for(games), read_rule(until) if until else None
    chosen = choose_precision(device, precision, threads=1)
    dtype = str(chosen.dtype).removeprefix("torch.")
    terms = MatchTerms(seed, rules, temperature, str(chosen.device), dtype, logs, timeout)
    screen, started = Console(stderr=True), time.perf_counter()
    with watching(screen, plan, deals) as watch:
        outcome = play_match(plan, terms, deals, Means.of(plan, batch, threads, workers), out, rule, watch)
    seconds = time.perf_counter() - started
    say_how_it_ended(screen, outcome, out)
    if outcome.deals < 2:
        raise typer.Exit(o.EXIT_INTERRUPTED if outcome.interrupted else 1)
    warn_of_few(screen, outcome.deals)
    results, units = match_report(outcome, terms, opponents, until, seconds), outcome.units
    if out:
        write_json(out / "result.json", results)
        if protocol == "one-three":
            Counted(CountedTerms.of(opponents, terms), units).save(out / COUNTS_NAME)
    show(results, as_json)
    if plots:
        draw(plots, results, units)
    if outcome.interrupted:
        raise typer.Exit(o.EXIT_INTERRUPTED)
