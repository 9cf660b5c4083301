"""Evaluation of a model on held-out pairs: all the numbers in a training run's result tables."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suphx.agent.flow import Network
from suphx.agent.questions import CHOW, DISCARD, KONG
from suphx.networks.sizes import NO, YES
from suphx.supervised.loader import Source, legal_discards
from suphx.supervised.measures import (
    balanced_accuracy,
    by_kong,
    commoner_accuracy,
    first_of_each,
    opportunities,
    share_with_interval,
    situations,
)
from suphx.supervised.prepared import Prepared
from suphx.supervised.selection import Selection
from suphx.supervised.train import log_loss

#: Pairs that are collected, encoded and evaluated at a time.
_CHUNK_PAIRS = 16_384
_SEATS = 4


@dataclass(frozen=True)
class _Answered:
    """Some pairs and the network's answers; arrays are over pairs, except `forced` and `forced_games`: over rounds."""

    answers: np.ndarray
    given: np.ndarray
    sureness: np.ndarray
    losses: np.ndarray
    options: np.ndarray
    decisions: np.ndarray
    games: np.ndarray
    situations: dict[str, tuple[tuple[str, ...], np.ndarray]]
    forced: np.ndarray
    forced_games: np.ndarray


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
    return _summary(selection.model, prepared, chunks)


def _answered(
    network: Network,
    prepared: Prepared,
    source: Source,
    order: np.ndarray,
    watch: Callable[[int, int], None] | None,
) -> Iterator[_Answered]:
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
        answers = pairs["answer"].astype(np.int64)
        planes = source.encode(collected)
        logits = network(planes)
        sureness = logits[:, YES] - logits[:, NO]  # meaningless for discards
        if selection.model == DISCARD:
            logits = np.where(legal_discards(planes), logits, -np.inf)
        games = prepared.rounds["game"][selection.rounds[places]]
        yield _Answered(
            answers=answers,
            given=logits.argmax(axis=1),
            sureness=sureness,
            losses=log_loss(logits, answers),
            options=pairs["option"].astype(np.int64),
            decisions=n_decisions + pairs["position"].astype(np.int64) * _SEATS + pairs["seat"],
            games=games[collected.rounds],
            situations=situations(collected.positions, pairs),
            forced=collected.forced,
            forced_games=games,
        )
        n_decisions += len(collected.positions) * _SEATS
        if watch:
            watch(int(sums[last - 1]), total)
        first = int(last)


def _summary(model: int, prepared: Prepared, chunks: list[_Answered]) -> dict[str, Any]:
    """Combine the answers of all chunks into the numbers to report."""
    if not chunks:
        return share_with_interval(np.zeros(0, np.bool_), np.zeros(0, np.int64))

    def joined(name: str) -> np.ndarray:
        return np.concatenate([getattr(each, name) for each in chunks])

    answers, given, games = joined("answers"), joined("given"), joined("games")
    right = answers == given
    found = share_with_interval(right, games)
    found["commoner_answer"] = commoner_accuracy(answers)
    found["balanced_accuracy"] = balanced_accuracy(answers, given)
    found["log_loss"] = float(joined("losses").mean())
    if model == DISCARD:
        forced = joined("forced")
        forced_games = np.repeat(joined("forced_games"), forced)
        everything = np.concatenate([right, np.ones(len(forced_games), np.bool_)])
        found["with_forced_moves"] = share_with_interval(everything, np.concatenate([games, forced_games]))
    if model == CHOW:
        decisions = joined("decisions")
        as_flow = opportunities(decisions, joined("options"), answers, joined("sureness"))
        found["by_opportunity"] = share_with_interval(as_flow, games[first_of_each(decisions)])
    if model == KONG:
        found["by_kong"] = by_kong(joined("options"), right, games)
    found["by_archive"] = _by(prepared.archives, prepared.games["archive"][games].astype(np.int64), right, games)
    for what, (names, _) in chunks[0].situations.items():
        which = np.concatenate([each.situations[what][1] for each in chunks])
        found[f"by_{what}"] = _by(names, which, right, games)
    return found


def _by(names: Sequence[str], which: np.ndarray, right: np.ndarray, games: np.ndarray) -> dict[str, dict[str, Any]]:
    """Return the accuracy for each name that occurs; which i64[n]: index of the name that each pair belongs to."""
    return {
        name: share_with_interval(right[which == n], games[which == n])
        for n, name in enumerate(names)
        if (which == n).any()
    }
