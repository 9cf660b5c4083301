"""Play a whole match: the games of a plan, here or by workers, optionally saved in a folder, until a stopping rule."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event
from typing import Any

from simulator.record import SEATS
from suphx.agent.registry import fingerprint, has_networks, is_external
from suphx.evaluation.arena import BATCH, BATCH_OF_BOTS, Load, MatchTerms, load_agents, play_here
from suphx.evaluation.journal import Journal
from suphx.evaluation.protocol import MatchPlan
from suphx.evaluation.results import GameDone, MatchResults
from suphx.evaluation.stopping import CHECK_EVERY, FIRST_CHECK, StopRule
from suphx.networks.inference import GPU_PASS_SIZE
from suphx.threads import Stopped


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
        """Return how many deals to play together, grouped by agents, so that all tables side by side share agents.

        At most an eighth of all deals, because an interrupted match has results only for complete deals.
        """
        return max(1, min(self.batch * max(self.threads, self.workers) // SEATS, deals // 8))


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
