"""Agreement of a network with human moves on held-out pairs: all numbers in the result tables of a training run."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from simulator.record import ADDED_KONG, CLOSED_KONG, SEATS
from suphx.agent.flow import Network
from suphx.agent.model_decisions import CHOW, DISCARD, KONG
from suphx.dataset.loader import Source, legal_discards
from suphx.dataset.prepared import Prepared
from suphx.dataset.selection import Selection
from suphx.networks.models import NO, YES
from suphx.supervised.measures import (
    KONG_NAMES,
    SITUATIONS,
    balanced_accuracy,
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
    watch: Callable[[int], None] = lambda done: None,
    hide: Iterable[str] = (),
) -> dict[str, Any]:
    """Return how often a network (planes to logits) agrees with the pairs of a selection, as plain values for JSON.

    most: maximum number of pairs (None: all), taken as whole rounds in an order determined by `seed`. watch: called
    with the number of pairs done. hide: planes that are left empty, as in training. Intervals are 95 %, with the game
    as the unit.
    """
    order = selection.sample(np.random.default_rng([seed, selection.model]))
    if most is not None:
        order = order[: int(np.searchsorted(selection.pairs[order].cumsum(), most, side="right"))]
    chunks = list(_chunks(network, prepared, Source(prepared, selection, hide), order, watch))
    if not chunks:
        return share_with_interval(np.zeros(0, np.bool_), np.zeros(0, np.int64))
    columns = {name: np.concatenate([each[name] for each in chunks]) for name in chunks[0]}
    return _summary(selection.model, prepared, columns)


def _chunks(
    network: Network, prepared: Prepared, source: Source, order: np.ndarray, watch: Callable[[int], None]
) -> Iterator[dict[str, np.ndarray]]:
    """Yield chunks of columns, predictions among them, over pairs; `forced` and `forced_games` are over rounds."""
    selection, n_decisions = source.selection, 0
    sums = selection.pairs[order].cumsum()
    chunk_of = (sums - 1) // _CHUNK_PAIRS
    for number in np.unique(chunk_of):
        places = order[chunk_of == number]
        collected = source.collect(places)
        pairs = collected.pairs
        actions = pairs["action"].astype(np.int64)
        planes = source.encode(collected)
        logits = network(planes)
        confidence = logits[:, YES] - logits[:, NO]  # meaningless for discards
        if selection.model == DISCARD:
            logits = np.where(legal_discards(planes), logits, -np.inf)
        games = prepared.rounds["game"][selection.rounds[places]]
        yield {
            "actions": actions,
            "predictions": logits.argmax(axis=1),
            "confidence": confidence,
            "losses": log_loss(logits, actions),
            "options": pairs["option"].astype(np.int64),
            "decisions": n_decisions + pairs["position"].astype(np.int64) * SEATS + pairs["seat"],
            "games": games[collected.rounds],
            "forced": collected.forced,
            "forced_games": games,
            **situations(collected.positions, pairs),
        }
        n_decisions += len(collected.positions) * SEATS
        watch(int(sums[chunk_of == number][-1]))


def _summary(model: int, prepared: Prepared, columns: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return the numbers to report; columns: as from `_chunks`."""
    actions, predictions, games, options = (columns[name] for name in ("actions", "predictions", "games", "options"))
    right = actions == predictions
    summary = share_with_interval(right, games)
    summary["commoner_answer"] = commoner_accuracy(actions)
    summary["balanced_accuracy"] = balanced_accuracy(actions, predictions)
    summary["log_loss"] = float(columns["losses"].mean())
    if model == DISCARD:
        forced_games = np.repeat(columns["forced_games"], columns["forced"])
        everything = np.concatenate([right, np.ones(len(forced_games), np.bool_)])
        summary["with_forced_moves"] = share_with_interval(everything, np.concatenate([games, forced_games]))
    if model == CHOW:
        same_call = opportunities(columns["decisions"], options, actions, columns["confidence"])
        _, first_of_each = np.unique(columns["decisions"], return_index=True)
        summary["by_opportunity"] = share_with_interval(same_call, games[first_of_each])
    groups = {"archive": (prepared.archives, prepared.games["archive"][games].astype(np.int64))}
    groups |= {name: (list(names), columns[name]) for name, names in SITUATIONS.items()}
    if model == KONG:
        groups["kong"] = (list(KONG_NAMES), (options >= CLOSED_KONG).astype(np.int64) + (options >= ADDED_KONG))
    for name, (names, of) in groups.items():  # index of the name that each pair belongs to
        summary[f"by_{name}"] = {names[n]: share_with_interval(right[of == n], games[of == n]) for n in np.unique(of)}
    return summary
