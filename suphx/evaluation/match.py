"""Play a whole match: the games of a plan, here or by workers, optionally saved in a folder, until a stopping rule.

The rule is checked after fixed numbers of deals, in order, so a match stops at the same deal however it is played.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event
from typing import Any, Literal

import numpy as np

from simulator.record import SEATS
from suphx.agent.registry import fingerprint, has_networks, is_external
from suphx.errors import InputError
from suphx.evaluation.arena import BATCH, BATCH_OF_BOTS, Load, MatchTerms, load_agents, play_here
from suphx.evaluation.protocol import MatchPlan
from suphx.evaluation.results import GameDone, Journal, MatchResults
from suphx.evaluation.statistics import anytime_intervals
from suphx.intervals import half_width
from suphx.networks.inference import GPU_PASS_SIZE
from suphx.threads import Stopped

#: Number of deals before the first check of a rule, and between checks.
FIRST_CHECK, CHECK_EVERY = 30, 10
_EVEN = 2.5


@dataclass(frozen=True)
class Means:
    """The computing resources of a match, which do not affect its games."""

    batch: int = BATCH
    """Games side by side, in each thread or worker."""
    threads: int = 1
    """Threads of this process that play if there are no workers."""
    workers: int = 0
    """Ray tasks that play; 0 for none."""

    @classmethod
    def of(cls, plan: MatchPlan, batch: int | None, threads: int | None, workers: int) -> Means:
        """Return what a plan is usually played with, where nothing else is asked for."""
        bots = any(map(is_external, plan.agents))
        usual = (BATCH_OF_BOTS, 1) if bots else (BATCH, os.cpu_count() or 1)
        return cls(batch or usual[0], threads or usual[1], workers)

    def deals_together(self, deals: int) -> int:
        """Return how many deals to play together, so that tables share agents: an interruption may lose an eighth."""
        return max(1, min(self.batch * max(self.threads, self.workers) // SEATS, deals // 8))


@dataclass(frozen=True)
class StopRule:
    """A rule that ends a match early."""

    kind: Literal["ci", "decided"]
    """`ci`: every side's average rank is known to within `value`; `decided`: it is clear which side is better."""
    value: float
    """For `ci` half the width of the 95 % interval; for `decided` the allowed share of matches between equals that are
    wrongly decided."""

    def is_met(self, results: MatchResults, deals: int) -> bool:
        """Return whether the first `deals` deals satisfy the rule."""
        ranks = [results.average_ranks(side, deals) for side in range(len(results.plan.sides))]
        if self.kind == "ci":
            return all(half_width(each) <= self.value for each in ranks)
        # with mean 0 between equals: differences of two sides, or of a single side from the middle rank
        compared = [ranks[a] - ranks[b] for a, b in results.plan.pairs()] or [ranks[0] - _EVEN]
        differences = [anytime_intervals(each, self.value)[-1] for each in compared]
        return all(low > 0 or high < 0 for low, high in differences)


def read_rule(text: str) -> StopRule:
    """Parse a rule such as `ci=0.05`, `decided` or `decided=0.01`; raises InputError for anything else."""
    kind, _, number = text.partition("=")
    try:
        value = float(number) if number else 0.05
    except ValueError:
        value = 0.0
    if kind not in ("ci", "decided") or not 0 < value < 1 or (kind == "ci" and not number):
        raise InputError(
            f"no stopping rule {text!r}; use `ci=0.05` for intervals of +-0.05 of the average rank, `decided` or "
            "`decided=0.01` for a sequential test of which side is better"
        )
    return StopRule("ci" if kind == "ci" else "decided", value)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a match."""

    results: MatchResults
    deals: int
    """Number of deals that are evaluated, from the first on."""
    played: int
    """Games played in this call, unevaluated ones included; games found in the folder do not count."""
    decided: bool
    """Whether the stopping rule was met."""
    interrupted: bool
    """Whether Ctrl-C ended it."""

    @property
    def units(self) -> dict[str, np.ndarray]:
        """What each agent did on each deal evaluated: i64[deals, columns] by name."""
        return {name: self.results.units_of_agent(name, self.deals) for name in dict.fromkeys(self.results.plan.sides)}


def settings(plan: MatchPlan, terms: MatchTerms) -> dict[str, Any]:
    """Return everything that determines how a match's games go, as plain values."""
    return {
        "protocol": plan.protocol,
        "agents": {name: fingerprint(name) for name in plan.agents},
        "tables": [table.agents for table in plan.tables],
        **({"gpu_pass": GPU_PASS_SIZE} if terms.device != "cpu" and any(map(has_networks, plan.agents)) else {}),
        **{name: value for name, value in asdict(terms).items() if name != "timeout" or value is not None},
    }


def play_match(
    plan: MatchPlan,
    terms: MatchTerms,
    deals: int,
    means: Means | None = None,
    folder: Path | None = None,
    rule: StopRule | None = None,
    watch: Callable[[MatchResults], None] | None = None,
    load: Load = load_agents,
    stop: Event | None = None,
) -> Outcome:
    """Play a plan on deals 0 to `deals` - 1 of a seed.

    folder: where games are saved, and from which a match resumes. rule: may stop the match earlier. watch: called with
    the results after every game. load: loads the agents, for those that have no name; not used with workers. stop: set
    it to end the match before the next move, without workers; Ctrl-C ends it, too. Raises InputError for agents that
    cannot be loaded and for a folder of another match, IllegalPlayer if an agent chooses an illegal action.
    """
    means = means or Means()
    results = MatchResults(plan, deals)
    played, checked, interrupted, met = 0, 0, False, False
    with ExitStack() as stack:
        journal = stack.enter_context(Journal(folder, settings(plan, terms), results)) if folder else None
        checked, met = _check(results, rule, checked)
        try:
            if not met and (wanted := results.missing(1 if rule else means.deals_together(deals))):
                games = stack.enter_context(closing(_games(plan, terms, wanted, means, load, stop)))
                for game in games:
                    if journal:
                        journal.add_game(game)
                    results.add(game)
                    played += 1
                    if watch:
                        watch(results)
                    checked, met = _check(results, rule, checked)
                    if met:
                        break
        except (KeyboardInterrupt, Stopped):
            interrupted = True
    return Outcome(results, checked if met else results.complete_deals(), played, met, interrupted)


def _games(
    plan: MatchPlan, terms: MatchTerms, wanted: list[tuple[int, int]], means: Means, load: Load, stop: Event | None
) -> Generator[GameDone]:
    if not means.workers:
        return play_here(plan, terms, wanted, means.batch, means.threads, load, stop)
    from suphx.evaluation.workers import play_on_workers

    return play_on_workers(plan, terms, wanted, means.batch, means.workers)


def _check(results: MatchResults, rule: StopRule | None, checked: int) -> tuple[int, bool]:
    """Check the rule at all times due so far; return the deals of the last check, and whether the rule was met."""
    if rule is None:
        return checked, False
    complete = results.complete_deals()
    while (due := max(FIRST_CHECK, checked + CHECK_EVERY)) <= complete:
        checked = due
        if rule.is_met(results, checked):
            return checked, True
    return checked, False
