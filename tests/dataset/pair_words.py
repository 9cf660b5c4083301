"""The pairs of hand-made rounds in words."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from flow_pairs import Collected, collect
from table import Scene

from simulator.logs.from_record import round_log
from simulator.record import ACTION_NAMES, EVENT_DISCARD
from simulator.tiles import kind_name
from suphx.dataset.prepare import round_row
from suphx.dataset.prepared import LeftOut, Prepared

READY = "234m567p55p23467s"  # waits for 5s and 8s: pinfu and tanyao, 2,000 points by claim
SOUTH_4 = 7  # seat 3 deals


def moment(scene: Scene) -> int:
    """Return a name for the decision that a scene stands at."""
    return int(scene.game["n_events"])


def collect_scene(scene: Scene, left: Mapping[int, int] | None = None) -> Collected:
    """Return the pairs of a round that is over; left: from which moment on a seat is away."""
    this = round_log(scene.ended, scene.rules)
    absent = np.zeros(len(this.events), np.uint8)
    for seat, event in (left or {}).items():
        absent[event:] |= 1 << seat
    none = np.zeros(0)
    return collect(Prepared(none, round_row(this), this.events, absent, [], [], [], [scene.rules], LeftOut()))


def asked(scene: Scene, at: int, left: Mapping[int, int] | None = None) -> set[str]:
    """Return the pairs of one moment in words: `1 chow middle: no`, `0 discards 5z`."""
    if scene.ended is None:
        scene.run_out()
    found = [pair for pair in collect_scene(scene, left).pairs if pair.events == at]
    words = {
        f"{pair.seat} discards {kind_name(pair.answer)}"
        if pair.model == "discard"
        else f"{pair.seat} {ACTION_NAMES[pair.option]}: {('no', 'yes')[pair.answer]}"
        for pair in found
    }
    assert len(words) == len(found), "each question is asked once"
    return words


def discards_of(scene: Scene, seat: int) -> int:
    """Return how often a seat discarded."""
    return [each for each, _ in scene.events(EVENT_DISCARD)].count(seat)
