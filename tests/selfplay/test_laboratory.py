"""`scripts/laboratory.py`: its arms are configurations, and its table counts what seeds gained."""

import json
import runpy
from pathlib import Path

import pytest

from suphx.config import load_config
from suphx.intervals import student_quantile
from suphx.selfplay.config import TrainConfig

SCRIPT = Path(__file__).parents[2] / "scripts" / "laboratory.py"


@pytest.fixture(scope="module")
def laboratory():
    return runpy.run_path(str(SCRIPT))


def test_every_arm_differs_from_the_first(laboratory):
    first, *others = (load_config(laboratory["CONFIG"], TrainConfig, arm) for arm in laboratory["ARMS"].values())
    purposes = [json.dumps(each.purpose(), default=str) for each in (first, *others)]
    assert len(set(purposes)) == len(purposes)


def test_gains_are_compared_seed_by_seed(laboratory, tmp_path):
    def played(arm: str, seed: int, difference: float) -> None:
        match = tmp_path / arm / str(seed) / "match-500"
        match.mkdir(parents=True)
        (match / "result.json").write_text(json.dumps({"differences": [{"average_rank": {"value": difference}}]}))

    for seed, difference in ((1, -0.2), (2, -0.4)):
        played("RL-1", seed, difference)
    for seed, difference in ((1, -0.3), (2, -0.7), (3, -0.8)):
        played("critic", seed, difference)
    first, critic = laboratory["measured"](tmp_path)
    assert (first["arm"], first["games"], first["more_than_rl_1"]) == ("RL-1", 500, 0)
    assert first["gain"] == pytest.approx(0.3)
    assert critic["gains"] == {"1": 0.3, "2": 0.7, "3": 0.8} and critic["gain"] == pytest.approx(0.6)
    assert critic["more_than_rl_1"] == pytest.approx(0.2)  # of the two seeds that both have
    half = student_quantile(1) * 0.1
    assert critic["its_interval"] == pytest.approx([0.2 - half, 0.2 + half])


def test_the_documents_table_is_what_was_measured(laboratory):
    result = json.loads(laboratory["RESULT"].read_text())
    rows = result["rows"]
    assert len({row["arm"] for row in rows}) > 3
    document = (laboratory["ROOT"] / "docs" / "results.md").read_text()
    assert "\n".join(laboratory["lines"](rows)) in document
    assert result["arms"] == laboratory["ARMS"]
