"""The commands on equity and endgames, and what they say to bad input."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from suphx.cli import app
from suphx.equilibrium.poker.endgame import Endgame
from suphx.errors import InputError

SOLVE = ["solve", "QQ-99,AQs-ATs", "ATs+,KJ+,99-66", "--board", "QsJh2h8c", "--pot", "10", "--stack", "20"]


def poker(*arguments):
    return CliRunner().invoke(app, ["poker", *map(str, arguments)])


def test_equity_in_a_table_and_as_json():
    result = poker("equity", "AhKh", "QQ", "--board", "QsJh2h", "--json")
    assert result.exit_code == 0 and sum(json.loads(result.stdout)["share"]) == pytest.approx(1)
    assert "QQ" in poker("equity", "AhKh", "QQ", "--samples", "1000").stdout


def test_an_endgame_is_solved_saved_gone_on_with_and_locked(tmp_path):
    saved, table = tmp_path / "x.npz", tmp_path / "x.csv"
    result = poker(*SOLVE, "--out", saved, "--csv", table, "--at", "x-b100", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["exploitability_of_pot"] <= 0.005 and sum(found["value"]) == pytest.approx(10, abs=1e-4)
    assert found["nash_conv"] == pytest.approx(2 * found["exploitability"])
    assert list(found["frequencies"]) == ["f", "c", "a"] and sum(found["frequencies"].values()) == pytest.approx(1)
    assert table.read_text().startswith("hand,f,c,a\n")
    further = json.loads(poker("solve", "--start", saved, "--target", "0.2", "--json").stdout)
    assert further["iterations"] > found["iterations"] and further["exploitability_of_pot"] <= 0.002
    locked = poker("solve", "--start", saved, "--lock", "x-b100=f:0,c:1,a:0", "--at", "x-b100", "--json")
    assert locked.exit_code == 0, locked.output
    assert json.loads(locked.stdout)["frequencies"]["c"] == pytest.approx(1)
    # who always calls can be value-bet: second wins more than before
    assert json.loads(locked.stdout)["value"][1] > found["value"][1] + 0.05


def test_a_river_can_be_asked_and_locked():
    result = poker(*SOLVE, "--lock", "x-x-Ah=x:1,b100:0,a:0", "--at", "x-x-Ah", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["frequencies"] == pytest.approx({"x": 1, "b100": 0, "a": 0})


@pytest.mark.faults
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({2: "QsQs"}, "duplicate card Qs"),
        ({1: "QsQh", 4: "QsJh2h8c"}, "player 1 has no hands left"),
        ({1: "AhAd", 2: "AhAd"}, "cannot both have a hand"),
        ({4: "QsJh2h"}, "four or five"),
        ({4: "QsJhQs8c"}, "duplicate"),
        ({6: "0"}, "a pot is positive"),
        ({8: "-1"}, "at least 0"),
        ({9: "--turn", 10: "1,all"}, "unknown bet size 'all'"),
        ({9: "--river", 10: "0"}, "more than 0"),
        ({9: "--rule", 10: "magic"}, "no rule"),
        ({9: "--at", 10: "x-b50"}, "no action 'b50'"),
        ({9: "--at", 10: "x-Ah"}, "does not end"),
        ({9: "--lock", 10: "=x:0.5"}, "probabilities"),
        ({9: "--lock", 10: "=y:0.5"}, "no share"),
        ({9: "--turn", 10: "0.01", 8: "100000"}, "fewer bet sizes"),
    ],
)  # fmt: skip
def test_bad_input_is_told_in_one_line_and_nothing_is_written(tmp_path, change, said):
    out = tmp_path / "x.npz"
    arguments = dict(enumerate(SOLVE)) | change
    result = poker(*(arguments[at] for at in sorted(arguments)), "--out", out)
    assert isinstance(result.exception, InputError) and said in str(result.exception)
    assert "\n" not in str(result.exception) and not out.exists()


@pytest.mark.faults
def test_saved_endgames_are_not_trusted(tmp_path):
    good, bad = tmp_path / "good.npz", tmp_path / "bad.npz"
    poker(*SOLVE, "--iterations", "1", "--target", "100", "--out", good)
    with np.load(good) as file:
        arrays = dict(file)
    faults = {
        "board": np.array([1, 2, 99, 4]), "chips": np.array([1.0]), "sizes": np.array(["1", "x"]),
        "turn_regrets": arrays["turn_regrets"][:, :1], "river_sums": arrays["river_sums"] * np.nan,
        "ranges": np.array([object()]),
    }  # fmt: skip
    for name, values in faults.items():
        np.savez(bad, **(arrays | {name: values}))
        with pytest.raises(InputError, match=r"bad\.npz"):
            Endgame.load(bad)
    bad.write_bytes(good.read_bytes()[:1000])
    with pytest.raises(InputError, match=r"bad\.npz"):
        Endgame.load(bad)
