from __future__ import annotations

import numpy as np
import pytest

from suphx.dataset.loader import Loader, Source, legal_discards
from suphx.dataset.selection import select
from suphx.dataset.suits import ORDERS, permute_suits
from suphx.features.layout import start
from tests.dataset.made_games import sensible_games

CHUNK = 700


def source(model: str) -> Source:
    prepared = sensible_games()
    return Source(prepared, select(prepared, model, "training"))


def rows(planes: np.ndarray, answers: np.ndarray) -> list[bytes]:
    return sorted(plane.tobytes() + bytes([answer]) for plane, answer in zip(planes, answers, strict=True))


@pytest.mark.parametrize("model", ["discard", "riichi", "chow", "kong"])
def test_an_epoch_holds_every_pair_once(model: str) -> None:
    chunks = Loader(source(model), seed=3, chunk_pairs=CHUNK)
    whole = source(model).some_pairs()
    parts = [chunks.chunk(0, number) for number in range(chunks.chunks)]
    found = [row for part in parts for row in rows(part.planes, part.targets)]
    assert sorted(found) == rows(whole.planes, whole.targets)


def test_the_order_follows_from_seed_and_epoch() -> None:
    one, same, other = (Loader(source("chow"), seed, CHUNK).chunk(0, 0) for seed in (1, 1, 2))
    next_epoch = Loader(source("chow"), 1, CHUNK).chunk(1, 0)
    assert np.array_equal(one.planes, same.planes) and np.array_equal(one.targets, same.targets)
    assert one.planes.shape != other.planes.shape or not np.array_equal(one.planes, other.planes)
    assert one.planes.shape != next_epoch.planes.shape or not np.array_equal(one.planes, next_epoch.planes)


def test_starting_later_gives_the_same_chunks() -> None:
    whole, late = (Loader(source("pong"), 1, CHUNK).run(first) for first in (0, 2))
    chunks = [next(whole) for _ in range(4)]
    for number, chunk in chunks[2:]:
        later, same = next(late)
        assert later == number
        assert np.array_equal(same.planes, chunk.planes) and np.array_equal(same.targets, chunk.targets)
    whole.close()
    late.close()


def test_several_threads_give_the_same_chunks_in_the_same_order() -> None:
    one, several = (Loader(source("chow"), 1, CHUNK, True, threads).run(1) for threads in (1, 3))
    for _ in range(5):
        (number, chunk), (same_number, same) = next(one), next(several)
        assert number == same_number
        assert np.array_equal(same.planes, chunk.planes) and np.array_equal(same.targets, chunk.targets)
    one.close()
    several.close()


def test_a_discard_answer_is_a_kind_that_may_be_discarded() -> None:
    pairs = source("discard").some_pairs(500)
    legal = legal_discards(pairs.planes)
    assert legal[np.arange(500), pairs.targets].all()
    assert (legal.sum(axis=1) > 1).all()


def test_exchanging_suits_moves_answers_with_the_planes() -> None:
    pairs = source("discard").some_pairs(600)
    planes, actions = pairs.planes.copy(), pairs.targets.copy()
    chosen = np.arange(600) % len(ORDERS)
    permute_suits(planes, actions, chosen, actions_are_kinds=True)
    assert legal_discards(planes)[np.arange(600), actions].all()
    same = chosen == 0  # the order 0, 1, 2 changes nothing
    assert np.array_equal(planes[same], pairs.planes[same])
    assert not np.array_equal(planes[~same], pairs.planes[~same])
    honors = pairs.targets >= 27
    assert np.array_equal(actions[honors], pairs.targets[honors])


def test_exchanging_suits_back_restores_them() -> None:
    pairs = source("discard").some_pairs(300)
    planes, actions = pairs.planes.copy(), pairs.targets.copy()
    inverse = [ORDERS.tolist().index(np.argsort(order).tolist()) for order in ORDERS]
    for n, back in enumerate(inverse):
        for chosen in (n, back):
            permute_suits(planes, actions, np.full(300, chosen), actions_are_kinds=True)
        assert np.array_equal(planes, pairs.planes) and np.array_equal(actions, pairs.targets)


def test_exchanging_suits_leaves_planes_that_say_no_kind() -> None:
    pairs = source("riichi").some_pairs(50)
    planes, actions = pairs.planes.copy(), pairs.targets.copy()
    permute_suits(planes, actions, np.full(50, 3), actions_are_kinds=False)
    dealer = start("game.dealer")
    assert np.array_equal(planes[:, dealer], pairs.planes[:, dealer])
    assert np.array_equal(actions, pairs.targets)


def test_some_pairs_are_of_rounds_from_all_over() -> None:
    whole = source("chow").some_pairs()
    some, same, other = (source("chow").some_pairs(400, seed) for seed in (1, 1, 2))
    assert len(some.targets) == 400
    assert np.array_equal(some.planes, same.planes) and not np.array_equal(some.planes, other.planes)
    places = {plane.tobytes(): place for place, plane in enumerate(whole.planes)}
    found = [places[plane.tobytes()] for plane in some.planes]
    assert min(found) < 0.2 * len(whole.targets) and max(found) > 0.8 * len(whole.targets)
