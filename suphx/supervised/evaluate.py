"""Evaluation of a model on held-out pairs: all the numbers in a training run's result tables."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from simulator.record import SEATS
from suphx.agent.flow import Network
from suphx.agent.model_decisions import CHOW, DISCARD, KONG
from suphx.dataset.loader import Source, legal_discards
from suphx.dataset.prepared import Prepared
from suphx.dataset.selection import Selection
from suphx.networks.models import NO, YES
from suphx.supervised.measures import (
    SITUATIONS,
    balanced_accuracy,
    by_kong,
    commoner_accuracy,
    opportunities,
    share_with_interval,
    situations,
)
from suphx.supervised.policy_training import log_loss

#: Pairs that are collected, encoded and evaluated at a time.
_CHUNK_PAIRS = 16_384


def evaluate_model(
    network: Network,
    prepared: Prepared,
    selection: Selection,
    seed: int,
    most: int | None = None,
    watch: Callable[[int, int], None] | None = None,
    hide: Iterable[str] = (),
) -> dict[str, Any]:
    """Return how well a network (planes to logits) answers the pairs of a selection, as plain values for JSON.

    most: maximum number of pairs (None: all), taken as whole rounds in an order determined by `seed`. watch: called
    with (pairs done, total pairs). hide: planes that are left empty, as in training. Intervals are 95 %, with the game
    as the unit.
    """
    order = np.random.default_rng([seed, selection.model]).permutation(len(selection.rounds))
    sums = selection.pairs[order].cumsum()
    if most is not None:
        order = order[: int(np.searchsorted(sums, most, side="right"))]
    chunks = list(_answered(network, prepared, Source(prepared, selection, hide), order, watch))
    if not chunks:
        return share_with_interval(np.zeros(0, np.bool_), np.zeros(0, np.int64))
    joined = {name: np.concatenate([each[name] for each in chunks]) for name in chunks[0]}
    return _summary(selection.model, prepared, joined)


def _answered(
    network: Network,
    prepared: Prepared,
    source: Source,
    order: np.ndarray,
    watch: Callable[[int, int], None] | None,
) -> Iterator[dict[str, np.ndarray]]:
    """Yield the pairs of some rounds at a time with the network's answers, by name.

    Arrays are over pairs, except `forced` and `forced_games`: over rounds.
    """
    selection = source.selection
    sums = selection.pairs[order].cumsum()
    total = int(sums[-1]) if len(sums) else 0
    bounds = np.searchsorted(sums, np.arange(_CHUNK_PAIRS, total + _CHUNK_PAIRS, _CHUNK_PAIRS), side="left") + 1
    first, n_decisions = 0, 0
    for last in np.minimum(bounds, len(order)):
        if last == first:
            continue
        places = order[first:last]
        collected = source.collect(places)
        pairs = collected.pairs
        answers = pairs["action"].astype(np.int64)
        planes = source.encode(collected)
        logits = network(planes)
        sureness = logits[:, YES] - logits[:, NO]  # meaningless for discards
        if selection.model == DISCARD:
            logits = np.where(legal_discards(planes), logits, -np.inf)
        games = prepared.rounds["game"][selection.rounds[places]]
        yield {
            "answers": answers,
            "given": logits.argmax(axis=1),
            "sureness": sureness,
            "losses": log_loss(logits, answers),
            "options": pairs["option"].astype(np.int64),
            "decisions": n_decisions + pairs["position"].astype(np.int64) * SEATS + pairs["seat"],
            "games": games[collected.rounds],
            "forced": collected.forced,
            "forced_games": games,
            **situations(collected.positions, pairs),
        }
        n_decisions += len(collected.positions) * SEATS
        if watch:
            watch(int(sums[last - 1]), total)
        first = int(last)


def _summary(model: int, prepared: Prepared, found: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return the numbers to report; found: as from `_answered`."""
    answers, given, games, options = (found[name] for name in ("answers", "given", "games", "options"))
    right = answers == given
    summary = share_with_interval(right, games)
    summary["commoner_answer"] = commoner_accuracy(answers)
    summary["balanced_accuracy"] = balanced_accuracy(answers, given)
    summary["log_loss"] = float(found["losses"].mean())
    if model == DISCARD:
        forced_games = np.repeat(found["forced_games"], found["forced"])
        everything = np.concatenate([right, np.ones(len(forced_games), np.bool_)])
        summary["with_forced_moves"] = share_with_interval(everything, np.concatenate([games, forced_games]))
    if model == CHOW:
        as_flow = opportunities(found["decisions"], options, answers, found["sureness"])
        _, first_of_each = np.unique(found["decisions"], return_index=True)
        summary["by_opportunity"] = share_with_interval(as_flow, games[first_of_each])
    if model == KONG:
        summary["by_kong"] = by_kong(options, right, games)
    summary["by_archive"] = _by(prepared.archives, prepared.games["archive"][games].astype(np.int64), right, games)
    for name, names in SITUATIONS.items():
        summary[f"by_{name}"] = _by(names, found[name], right, games)
    return summary


def _by(names: Sequence[str], which: np.ndarray, right: np.ndarray, games: np.ndarray) -> dict[str, dict[str, Any]]:
    """Return the accuracy for each name that occurs; which i64[n]: index of the name that each pair belongs to."""
    return {
        name: share_with_interval(right[which == n], games[which == n])
        for n, name in enumerate(names)
        if (which == n).any()
    }
