"""The simulation of the queues keeps the laws that are known of queues, and its tables are those of the pages."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from suphx.bench.speed_page import filled, tables
from suphx.cli import app
from suphx.errors import InputError
from suphx.features.layout import PLANES
from suphx.networks.policy import PolicyNetwork
from suphx.networks.sizes import SIZES
from suphx.selfplay.roles.parcels import pack
from suphx.selfplay.roles.resources import HALVES
from suphx.selfplay.scaling.clock import Clock, Station
from suphx.selfplay.scaling.costs import cpu_costs, gpu_costs, sizes_of
from suphx.selfplay.scaling.forecast import CPU_MACHINE, GPU_MACHINE, Policy, forecast
from suphx.selfplay.scaling.learning import LearningFlow, simulate_learning
from suphx.selfplay.scaling.play import PlayCosts, simulate_play
from suphx.selfplay.scaling.report import checks, measurements

ROWS = {"chow": 20.0, "discard": 80.0}
FREE = PlayCosts(question=40e-6, request=200e-6, answer=0, batch=0, row=0)


def test_a_station_does_one_thing_after_the_other():
    clock, done = Clock(), []
    station = Station(clock)
    for seconds in (2.0, 1.0):
        station.work(seconds, lambda: done.append(clock.now))
    clock.after(10, lambda: station.work(1.0, lambda: done.append(clock.now)))
    clock.run(lambda: False)
    assert done == [2, 3, 11] and station.busy == 4


def test_with_an_engine_that_takes_no_time_a_simulator_is_always_busy():
    found = simulate_play(FREE, 1, ROWS)
    assert found.simulator_busy == pytest.approx(1)
    assert found.questions_per_s == pytest.approx(100 / (100 * 40e-6 + 2 * 200e-6))
    assert simulate_play(FREE, 3, ROWS).questions_per_s == pytest.approx(3 * found.questions_per_s, rel=0.02)


def test_many_simulators_get_no_more_than_the_engine_does():
    costs = replace(FREE, row=100e-6)
    found = simulate_play(costs, 8, ROWS)
    assert found.engine_busy == pytest.approx(1, abs=0.01)
    assert found.questions_per_s == pytest.approx(1 / 100e-6, rel=0.02)


def test_what_a_batch_costs_is_shared_by_more_simulators():
    costs = replace(FREE, batch=5e-3, row=10e-6)
    one, four = (simulate_play(costs, simulators, ROWS) for simulators in (1, 4))
    assert four.batch > 1.5 * one.batch
    assert four.questions_per_s > 1.5 * one.questions_per_s


def test_a_network_that_is_slower_than_all_else_is_the_bound():
    found = simulate_play(replace(FREE, link=1e-3), 2, ROWS)
    assert found.link_busy == pytest.approx(1, abs=0.01)
    assert found.questions_per_s == pytest.approx(1000, rel=0.02)


@pytest.mark.parametrize("simulators", [1, 2, 5])
@pytest.mark.parametrize("row", [0.0, 30e-6, 300e-6])
def test_littles_law(simulators, row):
    found = simulate_play(replace(FREE, row=row, batch=1e-3, answer=1e-4, latency=1e-3), simulators, ROWS)
    halves = HALVES * simulators  # always in a step
    assert found.steps_per_s * found.step_s == pytest.approx(halves, rel=0.05)


FLOW = LearningFlow(
    play_rate=1000,
    round_pairs=10_000,
    underway=4000,
    take_in=0,
    gather=0,
    hand_out=0,
    link=0,
    batch=500,
    step=0.1,
    publish_steps=40,
    ahead=3,
    staleness=8,
)


def test_learning_that_is_faster_than_play_learns_all_that_is_played():
    found = simulate_learning(FLOW)
    assert found.pairs_per_s == pytest.approx(FLOW.play_rate, rel=0.05)
    assert found.held == 0 and found.dropped == 0
    assert found.server_busy == pytest.approx(FLOW.play_rate * FLOW.step / FLOW.batch, rel=0.05)


def test_learning_that_is_slower_than_play_holds_it_and_is_always_busy():
    found = simulate_learning(replace(FLOW, step=1.0))
    assert found.pairs_per_s == pytest.approx(500, rel=0.02)
    assert found.played_per_s == pytest.approx(500, rel=0.05)
    assert found.server_busy == pytest.approx(1, abs=0.01)
    assert found.held == pytest.approx(0.5, abs=0.05)


def test_staleness_is_what_is_underway_over_the_pairs_of_a_version():
    flow = replace(FLOW, step=1.0, publish_steps=10, round_spread=0.0)
    found = simulate_learning(flow)
    waiting = flow.round_pairs + flow.underway + flow.ahead * flow.batch  # Little's law, counted in pairs
    a_version = flow.publish_steps * flow.batch
    assert found.staleness == pytest.approx(waiting / a_version, abs=0.7)
    assert found.version_s == pytest.approx(10, rel=0.05)


def test_rounds_that_outlast_the_bound_are_lost():
    flow = replace(FLOW, publish_steps=1)  # 20 versions pass in a round
    found = simulate_learning(flow)
    assert found.dropped > 0.3 and found.staleness <= flow.staleness + 1
    assert found.pairs_per_s < 0.7 * flow.play_rate
    assert simulate_learning(replace(flow, staleness=100)).dropped == 0


def test_a_pair_is_learned_from_or_dropped_or_still_there():
    for flow in (FLOW, replace(FLOW, step=1.0), replace(FLOW, publish_steps=1), replace(FLOW, hand_out=1e-4)):
        found = simulate_learning(flow)
        went = found.pairs_per_s / (1 - found.dropped)
        assert went == pytest.approx(found.played_per_s, rel=0.1)


def test_lessons_that_take_longer_than_a_step_are_the_bound():
    for slow in (replace(FLOW, hand_out=2e-3), replace(FLOW, gather=0.5, hand_out=1e-3)):
        found = simulate_learning(slow)
        assert found.pairs_per_s == pytest.approx(500, rel=0.03)
        assert found.handing > 0.5
    assert simulate_learning(replace(FLOW, hand_out=5e-4)).pairs_per_s == pytest.approx(1000, rel=0.05)


def test_a_simulation_comes_out_the_same_each_time():
    flow = replace(FLOW, publish_steps=1, hand_out=1e-3)
    assert simulate_learning(flow) == simulate_learning(flow)


def test_sizes_follow_from_the_layouts():
    found = sizes_of("small")
    assert found.pair > PLANES * 8 and found.pair < PLANES * 8 + 64
    assert found.question > PLANES * 8
    assert found.weights == pack(PolicyNetwork("discard", SIZES["small"])).bytes


@pytest.fixture(scope="module")
def measured():
    return measurements()


def test_a_forecast_is_bound_by_what_is_slowest(measured):
    cpu = cpu_costs(measured.selfplay, measured.learner, "base")
    policy = Policy(tables=128, batch=4096, publish_steps=16, keeps_fresh=True)
    whole = forecast(cpu, CPU_MACHINE, 1, policy)
    assert whole.efficiency == 1 and whole.engines + whole.servers <= CPU_MACHINE.cores
    assert whole.dropped < 0.1 and whole.games_per_s > 1
    slow = forecast(replace(cpu, hand_out=0.01), CPU_MACHINE, 1, policy)
    assert slow.limit == "lessons" and slow.buffers > 100 and slow.pairs_per_s < 0.5 * whole.pairs_per_s
    assert forecast(cpu, CPU_MACHINE, 2, policy).pairs_per_s <= 2.1 * whole.pairs_per_s


def test_a_faster_card_needs_more_cores_to_feed_it(measured):
    cpu = cpu_costs(measured.selfplay, measured.learner, "base")
    policy = Policy(tables=256, batch=4096, publish_steps=16, keeps_fresh=True)
    slow, fast = (
        gpu_costs(cpu, "paper", {"inference_per_s": rate, "pairs_per_s": rate / 3}) for rate in (5_000.0, 100_000.0)
    )
    found = [forecast(each, GPU_MACHINE, 1, policy) for each in (slow, fast)]
    assert 2 * found[0].feeding_cores < found[1].feeding_cores
    assert found[0].pairs_per_s < found[1].pairs_per_s


def test_the_simulation_is_not_far_from_what_was_measured(measured):
    for layouts in checks(measured).values():
        each = layouts["play_two_cores"]  # whose costs it has
        assert each["simulated"] == pytest.approx(each["measured"], rel=0.5)


def test_a_layout_whose_costs_it_does_not_have_is_not_far_either_but_for_the_share_of_ray_itself(measured):
    """Two simulators and an engine share two cores with Ray, which the simulation gives none: it says too much."""
    for layouts in checks(measured).values():
        each = layouts["play_two_simulators"]
        assert 0.8 * each["measured"] < each["simulated"] < 1.6 * each["measured"]


def test_missing_figures_and_files_are_named(tmp_path):
    with pytest.raises(InputError, match="no base / request / row_us"):
        cpu_costs({}, {}, "base")
    with pytest.raises(InputError, match="name a file with --selfplay"):
        measurements(tmp_path / "nothing.json")
    (tmp_path / "list.json").write_text("[]")
    with pytest.raises(InputError, match="no measurements of ours"):
        measurements(tmp_path / "list.json")


def test_the_command_prints_forecasts_as_json():
    result = CliRunner().invoke(app, ["bench", "scaling", "--machines", "1,2", "--json"])
    assert result.exit_code == 0, result.output
    numbers = json.loads(result.stdout)
    assert [each["machines"] for each in numbers["cpu, fixed"]] == [1, 2]
    assert all(each["games_per_s"] > 0 for name, rows in numbers.items() if name != "check" for each in rows)


def test_a_page_without_a_place_for_a_table_is_refused():
    page = "<!-- table: one -->\nold\n<!-- end -->"
    assert filled(page, {"one": "new"}) == "<!-- table: one -->\nnew\n<!-- end -->"
    with pytest.raises(ValueError, match="0 places for the table 'two'"):
        filled(page, {"two": "new"})


def test_the_pages_have_the_tables_of_what_was_measured(measured):
    for path, parts in tables(measured).items():
        page = Path(path).read_text(encoding="utf-8")
        assert page == filled(page, parts), f"run `python -m suphx.bench.speed_page`: {path.name} is not as measured"
