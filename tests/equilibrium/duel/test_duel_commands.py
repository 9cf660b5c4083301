"""`suphx duel` and its files."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from suphx import cli
from suphx.equilibrium.duel.nodes import Nodes, load_nodes
from suphx.errors import InputError


def invoke(*words, **more):
    return CliRunner().invoke(cli.app, ["duel", *map(str, words)], **more)


def refused(*words) -> str:
    done = invoke(*words)
    assert isinstance(done.exception, InputError), done.output
    assert "\n" not in str(done.exception)
    return str(done.exception)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("duel") / "table.npz"
    nodes = Nodes(seed=4)
    nodes.train(300)
    nodes.save(path)
    return path


def test_training_evaluating_and_a_node(tmp_path):
    out = tmp_path / "t.npz"
    done = invoke("train", "--out", out, "--iterations", 60, "--epoch", 30, "--deals", 50, "--json")
    assert done.exit_code == 0, done.output
    numbers = json.loads(done.stdout)
    assert [point["iterations"] for point in numbers["curve"]] == [0, 30, 60] and numbers["iterations"] == 60
    evaluation = json.loads(invoke("evaluate", out, "--deals", 50, "--json").stdout)
    assert {name: evaluation[name] for name in numbers["curve"][-1]} == numbers["curve"][-1]
    trainings, picture = tmp_path / "curves.jsonl", tmp_path / "curves.png"
    trainings.write_text(done.stdout)
    assert invoke("curves", trainings, "--out", picture).exit_code == 0 and picture.stat().st_size > 1000
    more = invoke("train", "--out", out, "--iterations", 90)
    assert "90 iterations, 30 of them new" in more.stdout
    key = int(load_nodes(out).rows["key"][0])
    row = json.loads(invoke("node", out, key, "--json").stdout)
    assert row["encoding"] == key and len(row["regret_sum"]) == 3 and sum(row["policy"]) == pytest.approx(1)
    assert row["regret_sum"] == load_nodes(out).row(key)["regret"].tolist()
    shown = invoke("node", out, key).stdout
    assert "regret sum" in shown and "strategy sum" in shown and "legal actions" in shown
    evaluation = json.loads(invoke("evaluate", out, "--deals", 50, "--json").stdout)
    shown = invoke("evaluate", out, "--deals", 50).stdout
    assert "best of plans" in shown
    assert (
        f"normal plan          {evaluation['normal_plan']:+.4f} ± {evaluation['normal_plan_half_width']:.4f}" in shown
    )


def test_what_cannot_be_is_said_in_a_line(table, tmp_path):
    assert "no folder" in refused("train", "--out", tmp_path / "none" / "t.npz")
    assert "is of seed 4, turns 1,7,13" in refused("train", "--out", table, "--seed", 5)
    assert "write them as 1,7,13" in refused("train", "--out", tmp_path / "t.npz", "--turns", "x")
    assert "is no node" in refused("node", table, 5)
    assert "was not met" in refused("node", table, 1 | 1 << 6 | 4 << 9 | 14 << 12)
    assert not (tmp_path / "t.npz").exists()
    bad = tmp_path / "bad.jsonl"
    for text, words in (("{}", ":1: not what"), ('{"curve": []}', "needs --epoch"), ("", "no training in it")):
        bad.write_text(text)
        assert words in refused("curves", bad, "--out", tmp_path / "c.png")
    assert not (tmp_path / "c.png").exists()


@pytest.mark.faults
def test_broken_files_are_refused(table, tmp_path):
    path = tmp_path / "bad.npz"
    path.write_bytes(b"nothing")
    assert "bad.npz" in refused("evaluate", path)
    with np.load(table) as file:
        good = {name: file[name] for name in file.files}

    def change(**parts) -> str:
        np.savez(path, **{name: part for name, part in (good | parts).items() if part is not None})
        return refused("evaluate", path)

    n = len(good["key"])
    assert "cannot be read" in change(key=np.array([object()] * n, dtype=object))  # a pickle
    assert "has no 'regret'" in change(regret=None)
    assert "another game" in change(game=np.array("0" * 16))
    assert "turns" in change(turns=np.array([7, 1]))
    assert "does not fit" in change(regret=good["regret"][:-1])
    assert "does not fit" in change(key=good["key"].astype(float))
    assert "not finite" in change(strategy=np.full((n, 3), np.nan))
    assert "negative" in change(strategy=-good["strategy"] - 1)
    assert "duplicates" in change(key=np.full(n, good["key"][0], np.int32))
    wrong = good["key"].copy()
    wrong[0] = 5
    assert "is no node" in change(key=wrong)
    wrong[0] = 2 | 3 << 6 | 2 << 9 | 3 << 12 | 11 << 16
    assert "turn 2" in change(key=wrong)
    assert "iterations" in change(iterations=np.array(-1))
    path.write_bytes(table.read_bytes()[:-100])
    assert "cannot be read" in refused("evaluate", path)
    with pytest.raises(OSError):
        load_nodes(tmp_path / "none.npz")
