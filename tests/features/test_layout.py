from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from played import played

from simulator.legal import is_legal
from simulator.record import ACTIONS
from simulator.tiles import ALL_KINDS
from suphx.features import layout, lookahead
from suphx.features.encode import encode_batch, encode_call_batch, encode_oracle_batch, is_call, unpack
from suphx.features.layout_groups import BAR, FLAG, Plane
from suphx.features.lookahead_parts import STEPS


def test_there_are_as_many_planes_as_in_the_paper() -> None:
    assert len(layout.LAYOUT) == layout.PLANES == 838
    assert len(layout.CALL_LAYOUT) == layout.CALL_PLANES == 958
    assert layout.CALL_LAYOUT[:838] == layout.LAYOUT


def test_each_plane_has_a_name_of_its_own_and_a_meaning() -> None:
    for planes in (layout.CALL_LAYOUT, layout.ORACLE_LAYOUT):
        names = Counter((plane.block, plane.name) for plane in planes)
        assert not [name for name, count in names.items() if count > 1]
        assert all(plane.meaning and plane.range for plane in planes)


def test_the_version_changes_with_keys_sizes_order_and_revision_and_not_with_words() -> None:
    groups = layout.GROUPS + layout.CALL_GROUPS
    words = replace(groups[-1], meaning="corrected", name="{rival} {n} other words", range="other words")
    assert layout.version_of([*groups[:-1], words], layout.REVISION) == layout.VERSION
    changed = [
        [replace(groups[0], key="hand.another"), *groups[1:]],
        [replace(groups[0], axes={"n": (1, 2, 3)}), *groups[1:]],
        [groups[1], groups[0], *groups[2:]],
        groups[:-1],
    ]
    versions = {layout.version_of(each, layout.REVISION) for each in changed}
    versions |= {layout.version_of(groups, layout.REVISION + 1), layout.ORACLE_VERSION, layout.VERSION}
    assert len(versions) == len(changed) + 3


def test_the_look_ahead_planes_are_those_of_the_look_ahead() -> None:
    assert layout.LOOKAHEAD_POINTS == STEPS
    shares = [f"is 1/{share} likely" for share in lookahead.LIKELIHOODS]
    assert list(layout.LOOKAHEAD_ANSWERS) == ["can be", *shares]
    names = [plane for plane in layout.LAYOUT if plane.block == "lookahead"]
    assert len(names) == lookahead.PLANES
    assert names[-1].name == f"{STEPS[-1]:,} in 3 {shares[-1]}"


def is_in_range(plane: Plane, mask: int) -> bool:
    """Return whether a plane's content is allowed by its range."""
    if not 0 <= mask <= ALL_KINDS:
        return False
    if plane.range == FLAG:
        return mask in (0, ALL_KINDS)
    return plane.range.startswith("set") or mask & (mask + 1 if plane.range == BAR else mask - 1) == 0


def test_every_plane_is_in_its_range() -> None:
    games, seats = played(600)
    index = np.arange(len(games))
    calls = [(n, seats[n], a) for n in index for a in range(ACTIONS) if is_call(a) and is_legal(games[n], seats[n], a)]
    assert len(calls) > 50
    found = [
        (layout.LAYOUT, encode_batch(games, index, seats)),
        (layout.CALL_LAYOUT, encode_call_batch(games, *np.array(calls).T)),
        (layout.ORACLE_LAYOUT, encode_oracle_batch(games, index, seats)),
    ]
    for planes, rows in found:
        for plane, masks in zip(planes, rows.T.tolist(), strict=True):
            assert all(is_in_range(plane, mask) for mask in set(masks)), plane


def test_nearly_every_plane_is_used() -> None:
    games, seats = played(600)
    rows = encode_batch(games, np.arange(len(games)), seats)
    assert (rows.any(axis=0)).mean() > 0.85


def test_planes_unpack_to_kinds() -> None:
    planes = np.array([[1 | 1 << 33, 0]], np.uint64)
    assert np.argwhere(unpack(planes)).tolist() == [[0, 0, 0], [0, 0, 33]]
    assert (unpack(planes.view(np.int64)) == unpack(planes)).all()


def test_planes_are_written_where_they_are_wanted() -> None:
    games, seats = played(600)
    out = np.full((3, 838), 2**63, np.uint64)
    assert encode_batch(games, [4, 5, 6], seats[4:7], out) is out
    assert (out == encode_batch(games, [4, 5, 6], seats[4:7])).all()
    without = encode_batch(games, [4, 5, 6], seats[4:7], with_lookahead=False)
    first = layout.start("lookahead.points")
    assert (without[:, :first] == out[:, :first]).all() and not without[:, first:].any()


@pytest.mark.faults
def test_wrong_arguments_are_refused() -> None:
    games, seats = played(600)
    for index, seat in (([600], [0]), ([-1], [0]), ([0], [4]), ([0, 1], [0])):
        with pytest.raises(ValueError, match="position"):
            encode_batch(games, index, seat)
    with pytest.raises(ValueError, match="contiguous"):
        encode_batch(games, [0], seats[:1], np.zeros((1, 958), np.uint64))
    with pytest.raises(ValueError, match="game records"):
        encode_batch(np.zeros(3), [0], [0])
    with pytest.raises(ValueError, match="discard 1m"):
        encode_call_batch(games, [0], seats[:1], [0])
