"""The command from logs to an agent that plays, on games too few to learn much from."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner, Result

from simulator.logs.generate import generate_mjlogs
from suphx.agent.registry import load_agent
from suphx.cli import app
from suphx.networks.models import MODELS
from suphx.networks.weights import load_agent_network

CONFIG = """
name: tiny
size: {filters: 8, blocks: 1}
models:
  discard: {pairs: 6_000}
  riichi: {pairs: 500}
  chow: {pairs: 1_000}
  pong: {pairs: 1_000}
  kong: {pairs: 200}
validation_pairs: 200
validations: 2
test_pairs: 100_000
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pretrain")
    (folder / "logs").mkdir()
    for game in generate_mjlogs(50, seed=9):
        (folder / "logs" / game.name).write_bytes(game.data)
    (folder / "logs" / "broken.mjlog").write_bytes(b"<mjloggm ver")
    (folder / "tiny.yaml").write_text(CONFIG)
    return folder


def run(place: Path, *arguments: str, command: str = "pretrain") -> Result:
    variables = {"SUPHX_RUNS": str(place / "runs")}
    return CliRunner().invoke(app, [command, *arguments, "--threads", "1", "--precision", "float32"], env=variables)


def accuracy(place: Path, *arguments: str) -> Result:
    return run(place, *arguments, command="accuracy")


@pytest.fixture(scope="module")
def trained(place: Path) -> Result:
    return run(place, str(place / "tiny.yaml"), "--logs", str(place / "logs"), "--json")


def test_training_gives_an_agent_its_results_and_what_was_left_out(place: Path, trained: Result) -> None:
    assert trained.exit_code == 0, trained.output
    results = json.loads(trained.stdout)
    assert list(results) == list(MODELS)
    for numbers in results.values():
        assert 0 <= numbers["interval"][0] <= numbers["accuracy"] <= numbers["interval"][1] <= 1
        assert numbers["pairs"] > 0 and numbers["training_pairs"] > 0
    assert results["discard"]["accuracy"] > 0.3
    assert "1 unreadable" in " ".join(trained.stderr.split())
    folder = place / "runs" / "pretrain" / "tiny"
    saved = json.loads((folder / "result.json").read_text())
    assert saved["models"] == results
    card = (folder / "agent" / "README.md").read_text()
    assert "| discard | " in card and "| kong |" in card and "Filters x blocks: discard 8 x 1, " in card
    for name in ("agent", "weak"):
        assert load_agent(str(folder / name)).name.startswith("tiny")


def test_the_same_command_again_trains_no_more_and_says_the_same(place: Path, trained: Result) -> None:
    again = run(place, str(place / "tiny.yaml"), "--logs", str(place / "logs"), "--json")
    assert again.exit_code == 0, again.output
    for model, numbers in json.loads(again.stdout).items():
        assert numbers == json.loads(trained.stdout)[model] | {"log_loss": pytest.approx(numbers["log_loss"], rel=1e-6)}


def test_one_model_trained_on_from_an_agent_makes_an_agent_with_its_others(place: Path, trained: Result) -> None:
    start = place / "runs" / "pretrain" / "tiny" / "agent"
    settings = ["name=more", f"start={start}", "models={kong: {pairs: 600, start_model: pong}}"]
    words = [word for setting in settings for word in ("--set", setting)]
    found = run(place, str(place / "tiny.yaml"), "--logs", str(place / "logs"), "--json", *words)
    assert found.exit_code == 0, found.output
    made = place / "runs" / "pretrain" / "more" / "agent"
    assert not (made.parent / "weak").exists()
    assert list(json.loads(found.stdout)) == list(MODELS)
    for model in MODELS:
        weights, given = (load_agent_network(folder, model).state_dict() for folder in (made, start))
        assert all(torch.equal(weights[name], given[name]) for name in given) == (model != "kong"), model


def test_weights_are_measured_on_games_they_were_not_trained_on(place: Path, trained: Result) -> None:
    agent = str(place / "runs" / "pretrain" / "tiny" / "agent")
    found = accuracy(place, "--weights", agent, "--logs", str(place / "logs"), "--pairs", "0", "--json")
    assert found.exit_code == 0, found.output
    measured, at_the_end = json.loads(found.stdout), json.loads(trained.stdout)
    for model in MODELS:
        assert measured[model]["accuracy"] == pytest.approx(at_the_end[model]["accuracy"], abs=1e-9), model
        assert measured[model]["pairs"] == at_the_end[model]["pairs"], model
    everything = accuracy(place, "--weights", agent, "--logs", str(place / "logs"), "--pairs", "0", "--seen", "--json")
    assert json.loads(everything.stdout)["discard"]["pairs"] > 3 * measured["discard"]["pairs"]


def test_a_player_that_is_not_there_is_an_error(place: Path, trained: Result) -> None:
    agent = str(place / "runs" / "pretrain" / "tiny" / "agent")
    found = accuracy(place, "--weights", agent, "--logs", str(place / "logs"), "--player", "Nobody")
    assert found.exit_code == 1
    assert "no player Nobody" in str(found.exception)


def test_a_model_that_the_configuration_lacks_is_told(place: Path) -> None:
    found = run(place, str(place / "tiny.yaml"), "--models", "discard,cow")
    assert found.exit_code == 2
    assert "cow: the configuration has discard, riichi" in " ".join(found.output.replace("│", " ").split())


def test_prepared_logs_can_be_copied_and_given_instead_of_the_logs(place: Path, trained: Result) -> None:
    (made,) = (place / "runs" / "prepared").iterdir()
    copied = shutil.copytree(made, place / "copied")
    assert sorted(path.name for path in copied.iterdir()) == [
        "absent.npy", "events.npy", "games.npy", "prepared.json", "rounds.npy",
    ]  # fmt: skip
    agent = str(place / "runs" / "pretrain" / "tiny" / "agent")
    found = [accuracy(place, "--weights", agent, "--logs", str(logs), "--json") for logs in (copied, place / "logs")]
    assert json.loads(found[0].stdout) == json.loads(found[1].stdout)
    assert [path.name for path in (place / "runs" / "prepared").iterdir()] == [made.name]


def test_logs_without_a_game_are_an_error(place: Path) -> None:
    found = run(place, str(place / "tiny.yaml"), "--logs", str(place / "logs" / "broken.mjlog"))
    assert found.exit_code == 1
    assert "no game to learn from" in str(found.exception)


def test_words_of_a_log_that_is_left_out_are_no_markup(place: Path) -> None:
    (place / "odd.mjlog").write_bytes(b"[/abc]xxxx")
    found = run(place, str(place / "tiny.yaml"), "--logs", str(place / "odd.mjlog"))
    assert "no game to learn from" in str(found.exception)
    assert "[/abc]xxxx" in found.stderr
