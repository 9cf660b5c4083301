"""Games with the same walls, and what a seat's reward elsewhere takes off its advantages."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError
from selfplay_tables import assert_same, collect, tiny_collector

from simulator.record import SEATS
from simulator.tables import Ended
from suphx.learning.advantages import Advantages, raw_advantages
from suphx.learning.config import LearningConfig
from suphx.learning.experience import Batch, join
from suphx.selfplay.collect import Collector
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.copies import Held
from suphx.selfplay.seating import OneAgainstThree
from tests.learning.toy_experience import questions, random_planes, rounds

COPIES = 4


def played(game: int, deal: int, last: bool = False) -> Batch:
    """A round of four seats with rewards of its own, and a question to each seat."""
    rewards = np.random.default_rng([game, deal]).normal(size=SEATS).astype(np.float32)
    batch = rounds(
        {"discard": questions(random_planes(SEATS, 2, game + 100 * deal), 3, path=np.arange(SEATS))}, rewards
    )
    batch.paths["game"], batch.paths["deal"], batch.paths["last"] = game, deal, last
    batch.paths["seat"] = np.arange(SEATS)
    return batch


def nothing() -> Batch:
    return rounds({"discard": questions(random_planes(0, 2), 3)}, np.empty(0, np.float32))


def names(batch: Batch) -> list[tuple[int, int]]:
    return [(int(row["game"]), int(row["deal"])) for row in batch.paths[::SEATS]]


def test_a_round_waits_until_every_copy_is_past_its_deal() -> None:
    held = Held(2, nothing())
    assert names(held.exchange(played(0, 0))) == []
    assert names(held.exchange(played(2, 0))) == []  # of other walls
    assert names(held.exchange(played(1, 0))) == [(0, 0), (1, 0)]
    assert names(held.exchange(played(1, 1))) == []  # game 0 may still come to deal 1
    assert names(held.exchange(played(0, 5))) == [(1, 1)]  # and has gone past it now
    assert names(held.exchange(played(0, 6, last=True))) == []
    assert names(held.exchange(played(1, 9, last=True))) == [(0, 5), (0, 6), (1, 9)]
    assert names(held.exchange(played(3, 0))) == [(2, 0), (3, 0)]


def test_what_is_handed_on_is_what_came_in_with_the_mean_of_the_other_copies() -> None:
    held = Held(3, nothing())
    came = [played(game, 4, last=True) for game in range(3)]
    found = [held.exchange(each) for each in came][-1]
    for game, each in enumerate(came):
        own = slice(game * SEATS, (game + 1) * SEATS)
        others = np.mean([other.paths["reward"] for place, other in enumerate(came) if place != game], axis=0)
        assert found.paths["elsewhere"][own] == pytest.approx(others, abs=1e-6)
        assert (found.paths["copies"][own] == 2).all()
        assert np.array_equal(found.paths["reward"][own], each.paths["reward"])
        rows = np.flatnonzero(np.isin(found.experience["discard"].path, np.arange(own.start, own.stop)))
        assert np.array_equal(found.experience["discard"].planes[rows], each.experience["discard"].planes)


def test_a_deal_that_one_copy_alone_came_to_has_nothing_to_be_compared_with() -> None:
    held = Held(2, nothing())
    held.exchange(played(0, 3, last=True))
    found = held.exchange(played(1, 7, last=True))
    assert not found.paths["copies"].any() and not found.paths["elsewhere"].any() and len(found.paths) == 2 * SEATS


def test_what_is_held_goes_on_from_its_state() -> None:
    first, second = Held(2, nothing()), Held(2, nothing())
    for each in (played(0, 0), played(0, 1), played(2, 0), played(5, 3, last=True)):
        first.exchange(each)
    second.exchange(played(8, 0))
    second.restore({name: array.copy() for name, array in first.state().items()})
    for each in (played(1, 2, last=True), played(3, 1), played(4, 3, last=True), played(9, 0)):
        assert_same(first.exchange(each), second.exchange(each))


@pytest.fixture(scope="module")
def ended() -> tuple[Batch, list[Ended], Collector]:
    collector = tiny_collector(slots=8, copies=COPIES)
    batches, records = [], []
    while collector.counters["games"] < 10:
        finished = collector.step()
        if finished is not None:
            batches.append(finished.batch)
            records.append(finished.ended)
    return join(batches), records, collector


def test_games_in_a_row_have_the_same_walls_and_are_played_by_themselves(ended) -> None:
    _, records, _ = ended
    walls: dict[tuple[int, int, int], set[bytes]] = {}
    ends: dict[tuple[int, int, int], set[tuple]] = {}
    for record in np.concatenate([each.records for each in records]):
        deal = int(record["number"]) // COPIES, int(record["result"]["round"]), int(record["result"]["repeat_counter"])
        walls.setdefault(deal, set()).add(record["wall"].tobytes())
        ends.setdefault(deal, set()).add((int(record["number"]), tuple(record["scores"])))
    assert all(len(each) == 1 for each in walls.values())
    assert len(set().union(*walls.values())) == len(walls)
    several = [each for each in ends.values() if len(each) > 1]
    assert len(several) > 5
    assert any(len({scores for _, scores in each}) > 1 for each in several)


def test_each_path_tells_what_became_of_its_seat_in_the_other_games(ended) -> None:
    batch, _, _ = ended
    paths = batch.paths
    assert (paths["copies"] > 0).mean() > 0.5
    for row in paths:
        same = (paths["game"] // COPIES == row["game"] // COPIES) & (paths["deal"] == row["deal"])
        others = paths[same & (paths["seat"] == row["seat"]) & (paths["game"] != row["game"])]
        assert row["copies"] == len(others)
        assert row["elsewhere"] == pytest.approx(others["reward"].mean() if len(others) else 0, abs=1e-5)
    order = [(int(row["game"]), int(row["deal"])) for row in paths]
    assert len(set(order)) * SEATS == len(order)


def test_the_next_games_begin_as_tables_become_free(ended) -> None:
    *_, collector = ended
    assert collector.counters["begun"] == 8 + collector.counters["games"]
    assert sorted(collector.tables.games["number"])[-1] == collector.counters["begun"] - 1


def test_who_learns_sits_on_the_same_seat_in_games_of_the_same_walls() -> None:
    collector = tiny_collector(OneAgainstThree(opponents=("tsumogiri",)), slots=8, copies=2)
    assert np.argmin(collector.seated, axis=1).tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("steps", [60, 200])
def test_a_collector_of_copies_goes_on_from_its_state_bit_for_bit(steps: int) -> None:
    collector, other = (tiny_collector(slots=4, copies=2) for _ in range(2))
    for _ in range(steps):
        collector.step()
    other.restore({name: array.copy() for name, array in collector.state().items()})
    assert_same(collect(other, 8), collect(collector, 8))
    assert other.counters == collector.counters


def luck_and_skill(luck: float, copies: int, deals: int = 2000, seed: int = 3) -> Batch:
    """Rewards with a mean of 1 and a variance of 4, of which the deal has the share `luck`."""
    generator = np.random.default_rng(seed)
    shared = np.repeat(generator.normal(size=deals) * np.sqrt(luck), copies + 1)
    own = generator.normal(size=len(shared)) * np.sqrt(1 - luck)
    batch = rounds(
        {"discard": questions(random_planes(len(own), 2), 3, path=np.arange(len(own)))}, 1 + 2 * (shared + own)
    )
    by_deal = batch.paths["reward"].reshape(deals, copies + 1)
    elsewhere = (by_deal.sum(axis=1, keepdims=True) - by_deal) / max(copies, 1)
    batch.paths["elsewhere"], batch.paths["copies"] = elsewhere.reshape(-1) if copies else 0, copies
    return batch


@pytest.mark.parametrize(("luck", "copies"), [(0.4, 7), (0.4, 1), (0.1, 3), (0.4, 0)])
def test_the_luck_of_the_deal_is_found_and_taken_off(luck: float, copies: int) -> None:
    batch = luck_and_skill(luck, copies)
    config = LearningConfig(baseline="copies", scale=False)
    advantages = Advantages(config)
    found = advantages.of(batch, raw_advantages(config, batch))["discard"]
    if copies:
        assert advantages.moments.luck == pytest.approx(luck, abs=0.03)
    left = 1 - copies * luck**2 / (1 + (copies - 1) * luck)  # of least squares
    assert found.var() == pytest.approx(4 * left, rel=0.05)
    assert found.mean() == pytest.approx(0, abs=0.02)


def test_copies_without_anything_in_common_leave_rewards_alone() -> None:
    batch = luck_and_skill(0.0, 3)
    config = LearningConfig(baseline="copies", scale=False)
    found = Advantages(config).of(batch, raw_advantages(config, batch))["discard"]
    assert np.corrcoef(found, batch.paths["reward"])[0, 1] > 0.999


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"copies": 4}, "baseline"),
        ({"learning": {"baseline": "copies"}}, "baseline"),
        ({"copies": 16, "side_by_side": 8, "learning": {"baseline": "copies"}}, "side_by_side"),
    ],
)
def test_what_does_not_fit_is_refused(wrong: dict, word: str) -> None:
    with pytest.raises(ValidationError, match=word):
        TrainConfig.model_validate(wrong)
    assert TrainConfig.model_validate({"copies": 4, "learning": {"baseline": "copies"}}).copies == 4
