"""The same numbers as values, tables, CSV, scalars and pictures."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from evaluation_units import random_units
from rich.console import Console
from rich.table import Table
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from suphx.errors import InputError
from suphx.evaluation import plots
from suphx.evaluation.ladder import follow_summary, simulate
from suphx.evaluation.measures import MEASURE, MEASURES, PRIZE, measures
from suphx.evaluation.plots import (
    plot_ranks,
    plot_resampling,
    plot_running,
    plot_stable_ranks,
    short_names,
    write_pictures,
)
from suphx.evaluation.report import (
    career_table,
    played_career_table,
    report,
    resampling_table,
    tables,
    write_csv,
    write_scalars,
)
from suphx.evaluation.statistics import resampled, running, summary

STRONG, EVEN = (0.4, 0.3, 0.2, 0.1), (0.25, 0.25, 0.25, 0.25)


@pytest.fixture(scope="module")
def found() -> dict:
    agents = {"strong": random_units(STRONG, 300, seed=1), "even": random_units(EVEN, 300, seed=2)}
    return report(agents, [("strong", "even")], prizes=(90, 45, 0, -135))


def test_a_report_is_json_without_infinities(found: dict) -> None:
    again = json.loads(json.dumps(found, allow_nan=False))
    assert again == found
    assert found["agents"]["strong"]["games"] == 1200
    assert found["differences"][0]["average_rank"]["value"] < 0


def test_tables_name_every_measure_and_color_what_is_sure(found: dict) -> None:
    agents, pair = list(tables(found, "a title"))
    text = shown(agents) + shown(pair)
    for words in ("a title", "strong", "1,200 games", "300 deals", "average rank", "prize 90/45/0/-135", "detectable"):
        assert words in text
    assert "average deal-in" not in text  # nobody dealt in, in these made-up counts
    styles = dict(zip(pair.columns[0].cells, [row.style for row in pair.rows], strict=True))
    assert styles["average rank"] == styles["fourth"] == styles["first"] == "green"
    assert styles["win rate"] is None


def shown(table: Table) -> str:
    console = Console(width=160, record=True, file=io.StringIO())
    console.print(table)
    return console.export_text()


def test_tables_of_careers() -> None:
    text = shown(career_table("Ann", simulate([0.3, 0.3, 0.25, 0.15], games=3000, careers=100)))
    for words in ("Ann: 100 careers of 3,000 hanchan from new player, up to the phoenix room", "10 dan", "100.0%"):
        assert words in text
    assert "kyu" not in text
    text = " ".join(shown(played_career_table("Ann", follow_summary(np.zeros(11, np.uint8), start=10))).split())
    assert "the 11 games as they came, from 1 dan to 3 dan" in text and "4 games" in text


@pytest.mark.parametrize("name", ["[/b]ob", "an[red]na"])
def test_names_stand_in_tables_as_they_are_written(name: str) -> None:
    units = {name: random_units(EVEN, 10, seed=1), "other": random_units(EVEN, 10, seed=2)}
    agents, pair = tables(report(units, [(name, "other")]), f"{name} plays")
    assert f"{name} plays" in shown(agents) and shown(agents).count(name) == 2
    assert f"{name} minus other" in shown(pair)
    assert name in shown(resampling_table({name: {"800": {"2.5": 6.5}}}, "expert"))
    assert f"{name}: 10 careers" in shown(career_table(name, simulate([0.3, 0.3, 0.25, 0.15], games=100, careers=10)))
    assert f"{name}: the 1 games" in shown(played_career_table(name, follow_summary(np.zeros(1, np.uint8), start=10)))


def test_a_table_of_resampled_stable_ranks() -> None:
    text = shown(resampling_table({"Ann": {"800": {"2.5": 6.5, "97.5": None}}}, "expert"))
    for words in ("expert", "Ann", "800", "6.50", "never fourth", "97.5 %"):
        assert words in text


def test_every_measure_is_explained_in_the_docs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")
    assert [measure.name for measure in measures([4, 3, 2, 1]) if f"`{measure.name}`" not in page] == []


def test_csv_has_a_line_for_every_number(found: dict, tmp_path: Path) -> None:
    write_csv(tmp_path / "new" / "found.csv", found)
    with open(tmp_path / "new" / "found.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 3 * (len(MEASURES) + 1)
    rank = next(line for line in lines if line["of"] == "strong" and line["measure"] == "average_rank")
    assert float(rank["value"]) == found["agents"]["strong"]["average_rank"]["value"]
    assert rank["p"] == "" and float(rank["low"]) < float(rank["value"]) < float(rank["high"])
    pair = next(line for line in lines if line["of"] == "strong minus even" and line["measure"] == PRIZE)
    assert float(pair["value"]) > 0 and pair["games"] == "" and float(pair["p"]) < 0.01


def test_scalars_stand_at_their_step(found: dict, tmp_path: Path) -> None:
    write_scalars(tmp_path, found, step=800)
    board = EventAccumulator(str(tmp_path))
    board.Reload()
    (scalar,) = board.Scalars("evaluation/even/average_rank")
    assert scalar.step == 800
    assert scalar.value == pytest.approx(found["agents"]["even"]["average_rank"]["value"])
    assert "evaluation/even/average_rank_low" in board.Tags()["scalars"]


def write_all(folder: Path, ending: str) -> list[Path]:
    units = {"strong": random_units(STRONG, 200, seed=3), "even ⓝ": random_units(EVEN, 200, seed=4)}
    measure = MEASURE["stable_rank_expert"]
    samples = {name: measure.of(resampled(each, 100, games=640)) for name, each in units.items()}
    some = {name: {n: measure.of(resampled(each, 50, games=n)) for n in (40, 400)} for name, each in units.items()}
    paths = [folder / f"{name}{ending}" for name in ("stable", "resampling", "ranks", "running")]
    plot_stable_ranks(paths[0], samples, "expert", "100 samples")
    plot_resampling(paths[1], some, "expert", "50 samples each")
    plot_ranks(paths[2], {name: summary(each) for name, each in units.items()}, "made up")
    estimates = {name: running(each, MEASURE["average_rank"]) for name, each in units.items()}
    plot_running(paths[3], estimates, "average rank", "made up")
    return paths


def test_pictures_are_png_or_svg_and_the_same_again(tmp_path: Path) -> None:
    for ending, magic in ((".png", b"\x89PNG"), (".svg", b"<?xml")):
        first = [path.read_bytes() for path in write_all(tmp_path / "one", ending)]
        assert all(data.startswith(magic) for data in first)
        assert first == [path.read_bytes() for path in write_all(tmp_path / "two", ending)]


def test_all_pictures_of_a_match_and_none_of_too_few_games_to_draw_from(tmp_path: Path) -> None:
    for deals, names in (
        (100, {"stable-rank", "resampling", "ranks", "running"}),
        (4, {"stable-rank", "ranks", "running"}),
    ):
        units = {"even": random_units(EVEN, deals, seed=6)}
        write_pictures(tmp_path / str(deals), units, {"even": summary(units["even"])})
        paths = list((tmp_path / str(deals)).iterdir())
        assert {path.stem for path in paths} == names
        assert all(path.stat().st_size > 5000 for path in paths)


def test_the_whiskers_of_the_stable_ranks_are_the_intervals_of_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: dict[str, np.ndarray] = {}
    monkeypatch.setattr(plots, "plot_stable_ranks", lambda _, samples, *rest: drawn.update(samples))
    units = {"even": random_units(EVEN, 100, seed=6)}
    estimate = summary(units["even"])
    write_pictures(tmp_path, units, {"even": estimate})
    ends = np.percentile(drawn["even"], plots._WHISKERS)
    assert ends == pytest.approx(estimate["stable_rank_phoenix"]["interval"], abs=1e-3)


@pytest.mark.parametrize(("deals", "warned"), [(6, True), (100, False)])
def test_pictures_of_few_deals_warn_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deals: int, warned: bool
) -> None:
    titles: list[str] = []
    monkeypatch.setattr(plots, "write_figure", lambda _, figure: titles.append(figure.axes[0].get_title()))
    units = {"even": random_units(EVEN, deals, seed=6)}
    write_pictures(tmp_path, units, {"even": summary(units["even"])})
    assert titles and all((f"only {deals} deals" in title) == warned for title in titles)


def test_a_picture_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.gif"):
        plot_stable_ranks(tmp_path / "a.gif", {"x": np.ones(3)}, "expert", "")


def test_pictures_call_agents_by_their_folders_where_that_tells_them_apart() -> None:
    shown = {
        "sl": "sl",
        "docs/start": "start",
        "/runs/a/agent": "a",
        "adapted:/runs/c/agent": "adapted:c",
        "agent": "agent",
        "bot:/bin/player /runs/d/agent": "bot:/bin/player /runs/d/agent",
        "old/same": "old/same",
        "new/same": "new/same",
    }
    assert short_names(shown) == shown


def test_pictures_stand_never_fourth_and_a_single_deal(tmp_path: Path) -> None:
    units = random_units((1, 0, 0, 0), 1, seed=5)
    plot_stable_ranks(tmp_path / "a.png", {"x": np.full(5, np.inf)}, "expert", "")
    plot_ranks(tmp_path / "b.png", {"x": summary(units)}, "")
    plot_running(tmp_path / "c.png", {"x": running(units, MEASURE["stable_rank_expert"])}, "stable rank", "")
