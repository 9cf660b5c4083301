"""The benchmark of the roles on Ray: layouts that play, and one that learns, on a Ray of its own."""

import os

import pytest
import ray
from selfplay_tables import precision

from suphx.bench import roles
from suphx.bench.roles import LAYOUTS, Layout, _scaling, bench_roles, bench_selfplay
from suphx.networks.sizes import NetworkSize

TINY = NetworkSize(filters=4, blocks=1)


@pytest.mark.full
def test_layouts_play_and_learn_and_say_what_it_costs():
    layouts = {
        "own": LAYOUTS["own"],
        "play": LAYOUTS["play"],
        "learn": Layout(1, 1, 1, learns=True),
        "none": Layout(1_000_000, 1, 1),
    }
    cores = os.sched_getaffinity(0)
    found = dict(bench_roles(TINY, seconds=3, games=8, batch=64, layouts=layouts))
    assert set(found) == {"own", "play", "learn", "request", "buffer"}  # nowhere are there so many cores
    assert not ray.is_initialized() and os.sched_getaffinity(0) == cores
    assert 0 < found["own"]["decisions_per_s"] < found["own"]["questions_per_s"] and found["own"]["versions_per_s"] > 0
    assert found["own"]["waiting"] == 0 and "engine_us" not in found["own"]
    for name in ("play", "learn"):
        each = found[name]
        assert 0 < each["decisions_per_s"] < each["questions_per_s"] and each["versions_per_s"] > 0
        assert 0 < each["busy_cores"] < 2 and each["simulator_us"] > 0 and each["engine_us"] > 0
        assert 0 < each["network_share"] < 1 and 0 < each["network_us"] < each["engine_us"]
        assert 0 <= each["held"] <= 1 and 0 < each["waiting"] <= 1
        assert each["weights_delay_s"] > 0 and each["engine_batch"] > 0
    assert found["learn"]["staleness"] > 0 and "staleness" not in found["play"]
    assert found["learn"]["server_us"] > found["play"]["server_us"]
    assert all(value >= 0 for part in ("request", "buffer") for value in found[part].values())


def test_two_simulators_are_held_against_one():
    found = {"play": {"questions_per_s": 10.0}, "play_two_of_each": {"questions_per_s": 19.0}}
    assert _scaling(found) == {"with_an_engine_each": 1.9}


def test_a_layout_that_had_nothing_to_learn_from_has_no_ratio(monkeypatch):
    figures = {"questions_per_s": 100.0, "pairs_per_s": 0.0, "cores": 2, "busy_cores": 1.0}
    monkeypatch.setattr(roles, "bench_collector", lambda *words: {"bare_questions_per_s": 100.0})
    monkeypatch.setattr(roles, "bench_learner", lambda *words, **more: {"bare_pairs_per_core_s": 50.0})
    parts = [("own", dict(figures)), ("own_learn", dict(figures)), ("own_learn", figures | {"pairs_per_s": 50.0})]
    monkeypatch.setattr(roles, "bench_roles", lambda *words: iter(parts))
    measured = bench_selfplay(TINY, precision(), 1, games=8, batch=64, roles=True, engines=False)
    assert [each.get("ratio") for part, each in measured if part in LAYOUTS] == [0.5, None, 1.0]
