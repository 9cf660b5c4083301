"""The command `suphx adapt`: results in a folder and on the screen, gone on with, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from suphx import cli
from suphx.adaptation.results import HANDS_NAME, SETTINGS_NAME
from suphx.agent.registry import untrained_networks
from suphx.errors import InputError
from suphx.networks.sizes import NetworkSize
from suphx.networks.weights import save_agent

SMALL = """
agent: AGENT
hands: [{situation: behind, count: 1}, {situation: lead, count: 1}]
adaptation: {deals: 2, copies: 2, check_deals: 2, steps: {distance: 0.1}}
deals: 3
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "small.yaml"
    save_agent(tmp_path / "agent", untrained_networks(NetworkSize(filters=4, blocks=1)), "tiny")
    path.write_text(SMALL.replace("AGENT", str(tmp_path / "agent")))
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(cli.app, ["adapt", *map(str, words), "--precision", "float32"], catch_exceptions=False)


def test_results_are_kept_told_and_gone_on_with(config: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run(config, "--out", out, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["hands"] == 2 and found["rollouts"] == [4] and set(found["ways"]) == {"adapted", "shuffled"}
    assert set(found["ways"]["adapted"]["by_situation"]) == {"behind", "lead"}
    assert found == json.loads((out / "result.json").read_text())
    lines = (out / HANDS_NAME).read_bytes()
    (out / HANDS_NAME).write_bytes(lines[: lines.index(b"\n") + 1])
    again = run(config, "--out", out)
    assert again.exit_code == 0 and "2 hands, 4 rollouts each" in again.output
    assert "less shuffled" in again.output and "3 test deals; the fewer deals" in again.output
    assert found["ways"]["adapted"]["less_shuffled"]["control"] == "shuffled"
    first, second = (
        [{name: value for name, value in json.loads(line).items() if name in ("number", "reward", "scores")}
         for line in text.splitlines()]
        for text in (lines, (out / HANDS_NAME).read_bytes())
    )  # fmt: skip
    assert first == second
    settings = json.loads((out / SETTINGS_NAME).read_text())
    (out / SETTINGS_NAME).write_text(json.dumps(settings | {"predictor": "another"}))
    with pytest.raises(InputError, match="another experiment, with predictor"):
        run(config, "--out", out)


def test_what_cannot_be_is_refused(config: Path) -> None:
    with pytest.raises(InputError, match=r"adaptation\.deal: Extra inputs"):
        run(config, "--set", "adaptation.deal=4")
    with pytest.raises(InputError, match="names no networks of ours"):
        run(config, "--set", "agent=sensible")
