"""The examples of `docs/extending.md` as they stand there: modules of a user, and edits of a copy of the package."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from simulator.logs.generate import generate_mjlogs
from simulator.rules import PRESETS
from suphx import MatchTerms, cli, load_agent, one_against_three, play_match
from suphx.agent.registry import untrained_networks
from suphx.learning.algorithms import ALGORITHMS
from suphx.networks.sizes import ARCHITECTURES, NetworkSize
from suphx.networks.weights import WeightsError, read_tensors, save_agent
from suphx.plugins import PLUGINS_VARIABLE, load_plugins

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
#: The page's files by name, and its edits.
FILES: dict[str, str] = dict(re.findall(r"^```(?:python|yaml)\n# (\w+\.\w+)\n(.*?)^```$", PAGE, re.M | re.S))
EDITS = re.findall(r"^```diff\n(.*?)^```$", PAGE, re.M | re.S)


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Write a module of the page to the test's folder and name it in SUPHX_PLUGINS."""

    def use(module: str) -> None:
        (tmp_path / f"{module}.py").write_text(FILES[f"{module}.py"])
        monkeypatch.setenv(PLUGINS_VARIABLE, module)
        load_plugins.cache_clear()

    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("SUPHX_RUNS", str(tmp_path / "runs"))
    yield use
    load_plugins.cache_clear()
    for name in FILES:
        sys.modules.pop(name.removesuffix(".py"), None)
    ARCHITECTURES._entries.pop("transformer", None)
    ALGORITHMS._entries.pop("simple_policy", None)
    PRESETS.pop("club", None)


def suphx(*words: str) -> str:
    done = CliRunner().invoke(cli.app, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.full
def test_a_transformer_is_trained_reviews_and_learns_from_its_games(
    plugin: Callable[[str], None], tmp_path: Path
) -> None:
    plugin("transformer")
    (tmp_path / "transformer.yaml").write_text(FILES["transformer.yaml"])
    suphx("pretrain", "transformer.yaml", "--threads", "1", "--precision", "float32")
    folder = tmp_path / "runs" / "pretrain" / "transformer" / "agent"
    about, _ = read_tensors(folder / "discard.safetensors")
    assert (about["kind"], about["width"]) == ("transformer", "16")
    assert "discard transformer (width 16, layers 1)" in (folder / "README.md").read_text()
    outcome = play_match(one_against_three([str(folder)], ["tsumogiri"]), MatchTerms(seed=1), deals=1)
    assert outcome.played == 4
    (log,) = generate_mjlogs(1, seed=5)
    Path("game.mjlog").write_bytes(log.data)
    suphx("review", "game.mjlog", "--agent", str(folder), "--out", "game.html")
    assert Path("game.html").stat().st_size > 10_000
    settings = TRAIN.replace("simple_policy", "policy_gradient").format(start=folder)
    (tmp_path / "train.yaml").write_text(settings)
    suphx("train", "train.yaml", "--local", "--precision", "float32", "--out", "run")
    about, _ = read_tensors(Path("run/agent/discard.safetensors"))
    assert about["kind"] == "transformer"
    ARCHITECTURES._entries.pop("transformer")
    with pytest.raises(
        WeightsError, match="architecture 'transformer', which is not registered; there are residual, sum"
    ):
        load_agent(str(folder))


TRAIN = """
rules: tenhou_east
start: {start}
reward: {{kind: round}}
games: 2
side_by_side: 2
learning: {{models: [discard], batch: 32, algorithm: simple_policy}}
evaluation: null
"""


def test_an_algorithm_learns_in_self_play(plugin: Callable[[str], None], tmp_path: Path) -> None:
    plugin("simple_policy")
    save_agent(tmp_path / "start", untrained_networks(NetworkSize(filters=4, blocks=1)), "tiny", storage="float32")
    (tmp_path / "train.yaml").write_text(TRAIN.format(start=tmp_path / "start"))
    suphx("train", "train.yaml", "--local", "--precision", "float32", "--out", "run")
    before, after = (read_tensors(Path(name) / "discard.safetensors")[1] for name in ("start", "run/agent"))
    assert any(not torch.equal(before[name].bfloat16(), after[name].bfloat16()) for name in before)


def test_a_rule_set_has_a_name_in_every_command(plugin: Callable[[str], None]) -> None:
    plugin("club_rules")
    assert "club" not in PRESETS
    assert "5 games" in suphx("check", "--games", "5", "--rules", "club", "--player", "tsumogiri")
    assert not PRESETS["club"].red_fives


@pytest.mark.full
def test_self_play_by_roles_has_a_rule_set_of_ones_own(plugin: Callable[[str], None], tmp_path: Path) -> None:
    plugin("club_rules")
    save_agent(tmp_path / "start", untrained_networks(NetworkSize(filters=4, blocks=1)), "tiny", storage="float32")
    settings = TRAIN.replace("tenhou_east", "club").replace("simple_policy", "policy_gradient")
    (tmp_path / "train.yaml").write_text(settings.format(start=tmp_path / "start"))
    variables = os.environ | {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))}
    command = [sys.executable, "-m", "suphx", "train", "train.yaml", "--out", "run", "--json"]
    done = subprocess.run(command, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["games"] >= 2


def edited(folder: Path, edit: str) -> None:
    """Apply an edit of the page to a copy of the packages; the lines that it names must be there once."""
    (folder / "suphx").mkdir(parents=True)
    for path in [*(ROOT / "suphx").rglob("*.py"), *(ROOT / "simulator").rglob("*.py")]:
        copy = folder / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    (folder / "suphx" / "weights").symlink_to(ROOT / "suphx" / "weights")
    for name, hunks in re.findall(r"^--- (\S+)\n(.*?)(?=^--- |\Z)", edit, re.M | re.S):
        path = folder / name
        for hunk in hunks.split("@@\n"):
            lines = hunk.splitlines(keepends=True)
            before, after = ("".join(line[1:] for line in lines if line[0] != sign) for sign in "+-")
            text = path.read_text()
            assert text.count(before) == 1, f"{name}: {before}"
            path.write_text(text.replace(before, after))


def run(folder: Path, program: str) -> None:
    """Run a program with the packages of a folder, not compiled."""
    variables = {**os.environ, "PYTHONPATH": str(folder), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


SIXTH = """
import numpy as np
from simulator.record import NINE_TERMINALS
from simulator.tables import Tables
from suphx.agent.flow import Flow, Sampling
from suphx.networks.models import MODELS, OUTPUTS

class Encoder:
    def positions(self, games, index, seats):
        return np.zeros((len(index), 1), np.uint64)
    def proposals(self, games, index, seats, actions):
        return np.zeros((len(index), 1), np.uint64)

def always(answer):
    return Flow({model: lambda planes, n=OUTPUTS[model]: np.tile(np.eye(n)[answer], (len(planes), 1))
                 for model in MODELS}, Encoder(), Sampling())

tables = Tables(8, seed=33)
decisions = tables.decisions()
asked = decisions.legal[:, NINE_TERMINALS]
assert asked.any()
for answer in (0, 1):
    output = always(answer).act(tables.games, decisions)
    assert ((output.actions == NINE_TERMINALS) == (asked if answer else False)).all()
    (nine,) = [each for each in output.outputs if each.model == "nine"]
    assert (nine.decision == np.flatnonzero(asked)).all()
"""

PLANE = """
from suphx import encode_batch
from suphx.agent.registry import load_networks
from suphx.features.layout import LAYOUT, start
from simulator.record import ACTIONS
from simulator.tables import Tables
from simulator.tiles import ALL_KINDS
from suphx.networks.weights import WeightsError

games = Tables(1, seed=1).games
place = start("wall.late")
assert LAYOUT[place].name == "late"
for drawn, late in ((0, 0), (60, ALL_KINDS)):
    games["next_draw"] -= drawn
    assert encode_batch(games, [0], [0], with_lookahead=False)[0, place] == late, drawn
try:
    load_networks("sl")
except WeightsError as error:
    assert "this version has layout" in str(error)
else:
    raise AssertionError("weights of another layout were loaded")
"""


@pytest.mark.parametrize(("file", "program"), [("networks/models.py", SIXTH), ("features/layout.py", PLANE)])
def test_an_edit_of_the_package_works(file: str, program: str, tmp_path: Path) -> None:
    (edit,) = (each for each in EDITS if f"suphx/{file}" in each)
    edited(tmp_path / "copy", edit)
    run(tmp_path / "copy", program)
