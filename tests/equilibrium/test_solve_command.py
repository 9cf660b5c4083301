"""`suphx solve` and its files."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from suphx import cli
from suphx.equilibrium import Solver, flat, games, load_policy
from suphx.equilibrium.rules import NAMED
from suphx.errors import InputError


def invoke(*words: str, **more):
    return CliRunner().invoke(cli.app, ["solve", *words], **more)


def test_the_help_names_games_rules_and_options():
    words = invoke("--help", env={"COLUMNS": "200"}).stdout
    assert all(name in words for name in [*games.NAMED, *NAMED, "--until", "--max-nodes", "openspiel:NAME"]), words
    assert "solve [OPTIONS]" in words and "suphx solve play" in words


def test_solve_says_json_and_writes_files(tmp_path):
    out, table = tmp_path / "p.npz", tmp_path / "p.csv"
    done = invoke(
        "kuhn", "--iterations", "500", "--out", str(out), "--csv", str(table), "--json", "--plots", str(tmp_path)
    )
    assert done.exit_code == 0, done.output
    numbers = json.loads(done.stdout)
    assert set(numbers) == {"value", "nash_conv", "exploitability", "iterations", "seconds", "infosets"}
    assert numbers["value"][0] == pytest.approx(-1 / 18, abs=1e-3) and numbers["infosets"] == 12
    assert numbers["exploitability"] == pytest.approx(numbers["nash_conv"] / 2)
    assert table.read_text().splitlines()[0] == "player,infoset,action,probability"
    assert (tmp_path / "nash_conv.png").stat().st_size > 1000
    assert load_policy(out, flat(games.Kuhn())).nash_conv() == pytest.approx(numbers["nash_conv"])
    more = json.loads(invoke("kuhn", "--iterations", "100", "--resume", str(out), "--json").stdout)
    assert more["iterations"] == 600


def test_a_game_that_the_bench_does_not_have_is_named():
    pytest.importorskip("pyspiel")
    done = CliRunner().invoke(cli.app, ["bench", "solvers", "equilibrium", "--games", "kuhn,nosuch"])
    assert isinstance(done.exception, InputError) and "--games nosuch: the games are kuhn_poker" in str(done.exception)


def test_twelve_rules_in_a_picture_without_openspiel(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)  # importing it fails
    words = f"bench solvers rules --game kuhn --iterations 10 --seeds 2 --plots {tmp_path} --json"
    done = CliRunner().invoke(cli.app, words.split())
    assert done.exit_code == 0, done.output
    told = " ".join(done.stderr.split())  # what it will measure, and how far it is
    assert told.startswith("Measure the NashConv of the twelve rules")
    assert told.count("NashConv after 10 iterations: suphx") == 12
    numbers = json.loads(done.stdout)
    assert len(numbers["rules"]) == 12 and numbers["iterations"][-1] == 10
    assert numbers["rules"]["cfr"]["suphx"]["nash_conv"][-1] == Solver(games.Kuhn(), "cfr").run(10).nash_conv()
    assert numbers["rules"]["os"]["suphx"]["half_width"][-1] > 0
    assert (tmp_path / "rules.png").stat().st_size > 1000


def test_the_bench_says_how_to_get_liteefg(monkeypatch):
    pytest.importorskip("pyspiel")
    monkeypatch.setattr("suphx.equilibrium.bench.solvers.has_liteefg", lambda: False)
    words = ["bench", "solvers", "rules", "--liteefg", "--game"]
    done = CliRunner().invoke(cli.app, [*words, "kuhn"])
    assert isinstance(done.exception, InputError) and "such as openspiel:leduc_poker, not on kuhn" in str(
        done.exception
    )
    done = CliRunner().invoke(cli.app, [*words, "openspiel:kuhn_poker"])
    assert isinstance(done.exception, InputError) and "suphx bench solvers equilibrium --install" in str(done.exception)
    words = ["bench", "solvers", "equilibrium", "--against", "liteefg", "--games", "kuhn,leduc", "--turns", "1"]
    done = CliRunner().invoke(cli.app, words)
    told = " ".join(done.stderr.split())
    assert done.exit_code == 0 and told.count("is left out: LiteEFG is not installed") == 1


def test_until_stops_when_it_is_reached():
    numbers = json.loads(invoke("kuhn", "--until", "0.01", "--json").stdout)
    assert numbers["nash_conv"] <= 0.01 and numbers["iterations"] < 1000


def test_a_rule_from_a_file(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from suphx.equilibrium import rule\nfrom suphx.equilibrium.rules import dot, match\n"
        "@rule\ndef mine(q, policy, memory, at):\n    value = dot(q, policy)\n"
        "    memory[0] += q - value\n    match(memory[0], policy)\n    return value\n"
    )
    numbers = json.loads(invoke("kuhn", "--rule", f"{tmp_path}/mine.py:mine", "--iterations", "100", "--json").stdout)
    assert numbers["nash_conv"] < 0.06


def test_playing_in_the_terminal(tmp_path):
    out = tmp_path / "p.npz"
    invoke("kuhn", "--iterations", "50", "--out", str(out))
    done = invoke("play", "kuhn", str(out), "--games", "2", input="x\n" + "p\n" * 10)
    assert done.exit_code == 0 and "is none of them" in done.stdout and "game 2: you win" in done.stdout
    assert invoke("play", "kuhn", str(out), input="q\n").exit_code == 0


@pytest.mark.parametrize(
    "words, message",
    [
        (["kuhn", "--rule", "nothing"], "no rule is named"),
        (["kuhn", "--rule", "mine.py"], "mine.py:NAME"),
        (["kuhn:players=3", "--until", "0.1"], "two-player zero-sum"),
        (["leduc", "--max-nodes", "100"], "more than 100 nodes"),
        (["kuhn", "--set", "eta"], "NAME=NUMBER"),
        (["kuhn", "--out", "no/such/folder.npz"], "no folder"),
    ],
)
def test_bad_words_are_an_input_error(words, message):
    done = invoke(*words)
    assert isinstance(done.exception, InputError) and message in str(done.exception)


@pytest.mark.faults
def test_broken_policies_are_refused(tmp_path):
    game, path = flat(games.Kuhn()), tmp_path / "p.npz"
    path.write_bytes(b"nothing")
    with pytest.raises(InputError):
        load_policy(path, game)
    np.savez(path, game=np.array(game.key()), policy=np.array([object()], dtype=object))
    with pytest.raises(InputError):
        load_policy(path, game)
    np.savez(path, game=np.array(game.key()), policy=np.full(game.sequences, 0.3))
    with pytest.raises(InputError, match="sum to"):
        load_policy(path, game)
    np.savez(path, game=np.array("other"), policy=game.uniform())
    with pytest.raises(InputError, match="another game"):
        load_policy(path, game)


@pytest.mark.full
def test_a_game_of_2_7_million_nodes_needs_less_than_2_gb():
    program = (
        "import resource, sys\nfrom typer.testing import CliRunner\nfrom suphx import cli\n"
        "done = CliRunner().invoke(cli.app, ['solve', 'pocket:honors=1', '--iterations', '10', '--json'])\n"
        "print(done.exit_code, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    code, kilobytes = map(int, done.stdout.split())
    assert code == 0 and kilobytes < 2 * 2**20
