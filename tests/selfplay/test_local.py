"""A training in one process: it learns, and after any interruption goes on as if there had been none."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from itertools import count
from pathlib import Path
from threading import Event

import numpy as np
import pytest
import torch
import yaml
from local_runs import GAMES, saved_start, train, values
from rich.console import Console
from safetensors import safe_open
from selfplay_tables import precision, tiny_networks
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from typer.testing import CliRunner

from simulator.logs.mjlog import read_mjlog
from simulator.logs.verify import verify_game
from suphx.agent.registry import load_agent
from suphx.checkpoint import TrainingProgress, purpose_of, save_checkpoint
from suphx.cli import app
from suphx.commands.train import _run, stop_by_interrupt
from suphx.config import load_config
from suphx.errors import InputError
from suphx.learning.experience import experience_dtype, rows_of
from suphx.networks.models import MODEL_PLANES, OUTPUTS
from suphx.networks.policy import SumNetwork
from suphx.networks.weights import load_agent as load_weights
from suphx.networks.weights import load_card, save_agent
from suphx.reward.rounds import SHIPPED_PREDICTOR
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.folder import CHECKPOINT_NAME, load_start, temperatures_of
from suphx.selfplay.local import LocalTraining
from suphx.selfplay.training import SelfPlayInterrupted, SelfPlayProgress, TrainingReport


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved_start(tmp_path_factory.mktemp("start"))


def assert_same_state(first: Path, second: Path) -> None:
    """Hold that the checkpoints of two folders are equal, bit for bit, but for the time they took."""
    with safe_open(first / CHECKPOINT_NAME, "pt") as one, safe_open(second / CHECKPOINT_NAME, "pt") as other:
        plain = [json.loads(file.metadata()["progress"]) for file in (one, other)]
        for each in plain:
            each.pop("seconds")
        assert plain[0] == plain[1]
        assert set(one.keys()) == set(other.keys())
        for name in one.keys():
            assert torch.equal(one.get_tensor(name), other.get_tensor(name)), name


@pytest.fixture(scope="module")
def whole(start: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[TrainingReport]]:
    """A training that nothing interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    _, reports = train(values(start), folder)
    return folder, reports


def test_a_training_makes_an_agent_whose_learning_networks_have_changed(start, whole):
    folder, reports = whole
    assert load_agent(str(folder / "agent")).name == "tiny"
    before, after = load_weights(start), load_weights(folder / "agent")
    for model, network in after.items():
        kept = before[model].first.weight.detach().bfloat16()
        assert torch.equal(kept, network.first.weight.detach().bfloat16()) == (model not in ("discard", "chow")), model
    assert reports[-1].games >= GAMES > reports[-2].games
    assert [report.version for report in reports] == list(range(1, len(reports) + 1))


def test_a_sum_of_networks_learns(tmp_path):
    networks, other = tiny_networks(), tiny_networks(1)
    networks["discard"] = SumNetwork.of([(1, networks["discard"]), (-0.75, other["discard"])])
    save_agent(tmp_path / "start", networks, "sum", storage="float32")
    train(values(tmp_path / "start", sample_games=0), tmp_path / "run")
    before, after = (load_weights(tmp_path / name)["discard"] for name in ("start", "run/agent"))
    assert after.size == before.size == networks["discard"].size
    for part in range(2):
        weights, learned = (network.state_dict()[f"parts.{part}.first.weight"] for network in (before, after))
        assert not torch.equal(weights.bfloat16(), learned.bfloat16())


def test_curves_have_their_names(whole):
    folder, reports = whole
    board = EventAccumulator(str(folder / "tensorboard"))
    board.Reload()
    names = set(board.Tags()["scalars"])
    for model in ("discard", "chow"):
        wanted = ("loss", "entropy", "alpha", "kl_behavior", "grad_norm", "weight_mean", "weight_max", "staleness")
        assert {f"{model}/{name}" for name in wanted} <= names
    assert {"rate/games_per_s", "rate/decisions_per_s", "rate/learning", "replay/age_mean"} <= names
    assert {"play/reward_mean", "play/reward_std", "play/version", "play/rounds"} <= names
    spread = [event.value for event in board.Scalars("play/reward_std")]
    assert len(spread) == len(reports)
    assert board.Scalars("discard/entropy")[-1].value == pytest.approx(reports[-1].metrics["discard/entropy"], rel=1e-5)


def test_sample_games_are_logs_that_verify(whole):
    folder, _ = whole
    logs = sorted((folder / "games").iterdir())
    assert logs
    for path in logs:
        log = read_mjlog(path.read_bytes())
        assert not verify_game(log).mismatches
        assert log.names[0].startswith("tiny ")


def test_a_training_killed_and_begun_again_ends_as_one_that_was_not(start, whole, tmp_path):
    config, folder = tmp_path / "tiny.yaml", tmp_path / "run"
    config.write_text(yaml.safe_dump(values(start)))
    command = ["train", str(config), "--local", "--games", "1000000", "--out", str(folder)]
    options = ["--threads", "1", "--precision", "float32", "--device", "cpu"]
    process = subprocess.Popen([sys.executable, "-m", "suphx", *command, *options], stderr=subprocess.PIPE)
    try:
        while not (folder / CHECKPOINT_NAME).exists():
            assert process.poll() is None, process.stderr and process.stderr.read().decode()
            time.sleep(0.01)
        time.sleep(0.3)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    training = LocalTraining(load_config(config, TrainConfig), folder, precision())
    assert training.progress.version >= 1 and training.progress.games < GAMES
    training.run(lambda _: None, Event())
    assert_same_state(whole[0], folder)


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_stops_at_the_next_version_with_a_checkpoint(start, tmp_path, asked):
    training = LocalTraining(TrainConfig.model_validate(values(start, checkpoint_seconds=100)), tmp_path, precision())
    before = signal.getsignal(asked)
    with stop_by_interrupt(Console(quiet=True)) as stop, pytest.raises(SelfPlayInterrupted):
        training.run(lambda _: os.kill(os.getpid(), asked), stop)
    assert signal.getsignal(asked) is before
    again = LocalTraining(TrainConfig.model_validate(values(start)), tmp_path, precision())
    assert again.progress.version == 1


def test_a_full_disk_ends_the_training_with_the_last_checkpoint_whole(start, tmp_path, monkeypatch):
    config = TrainConfig.model_validate(values(start))
    train(values(start), tmp_path, stop_at=2)
    before = (tmp_path / CHECKPOINT_NAME).read_bytes()

    def full(path: Path, *_: object) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr("suphx.checkpoint.write_whole", full)
    training = LocalTraining(config, tmp_path, precision())
    with pytest.raises(InputError, match=r"checkpoint.*: No space left on device\. The last good agent is "):
        _run(training, config, None, Console(quiet=True))
    assert (tmp_path / CHECKPOINT_NAME).read_bytes() == before


@pytest.mark.full
@pytest.mark.faults
def test_a_training_that_was_stopped_goes_on_to_the_same_end_though_the_clock_jumps(
    start, whole, tmp_path, monkeypatch
):
    """Days back and forth, as after a suspend or a correction of the time."""
    asked, real = count(), time.time
    monkeypatch.setattr(time, "time", lambda: real() + 86_400 * (next(asked) // 10 % 3 - 1))
    train(values(start), tmp_path, stop_at=2)
    training, reports = train(values(start, checkpoint_seconds=100), tmp_path)
    assert_same_state(whole[0], tmp_path)
    assert 0 < training.progress.seconds < 3600
    assert all(0 <= report.games_per_s < 1e6 for report in reports)


def test_a_second_interrupt_ends_at_once():
    with pytest.raises(KeyboardInterrupt), stop_by_interrupt(Console(quiet=True)):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)


@pytest.mark.full
def test_an_oracle_with_a_critic_goes_on_to_the_same_end_and_leaves_a_normal_agent(start, tmp_path):
    learning = {
        "batch": 32,
        "baseline": "critic",
        "critic": {"size": {"filters": 4, "blocks": 1}},
        "oracle": {"full_games": 1, "decay_games": 1},
        "replay": {"reuse": 2},
        "reference": {},
    }
    table = {"kind": "one-against-three", "opponents": ["tsumogiri"]}
    config = values(start, games=2, learning=learning, table=table)
    _, reports = train(config, tmp_path / "whole")
    for folder in (tmp_path / "whole", tmp_path / "parts"):
        if folder.name == "parts":
            train(config | {"games": 1}, folder)
            train(config, folder)
        assert load_weights(folder / "agent")["discard"].planes == MODEL_PLANES["discard"]
    assert_same_state(tmp_path / "whole", tmp_path / "parts")
    gammas = [report.metrics["play/gamma"] for report in reports]
    assert gammas[0] == 1 and gammas[-1] == 0 and gammas == sorted(gammas, reverse=True)
    assert "critic/explained_variance" in reports[-1].metrics and "discard/kl_reference" in reports[-1].metrics


@pytest.mark.full
def test_a_version_has_no_more_steps_than_wanted_though_a_model_has_small_batches(start, tmp_path):
    learning = {"models": ["discard"], "batch": 64, "batch_of": {"discard": 4}, "learning_rate": 1e-12}
    training, _ = train(values(start, games=1, learning=learning), tmp_path)
    assert training.progress.steps == training.config.publish_steps * training.progress.version > 2


def test_a_checkpoint_of_another_training_is_refused_but_more_games_are_not(start, whole):
    config = values(start)
    with pytest.raises(InputError, match="a checkpoint of a training with another configuration"):
        LocalTraining(TrainConfig.model_validate(config | {"seed": 5}), whole[0], precision())
    more = LocalTraining(TrainConfig.model_validate(config | {"games": 100}), whole[0], precision())
    assert more.progress.games >= GAMES


@pytest.mark.full
def test_the_error_of_phi_and_the_distance_to_the_start_are_told(start, tmp_path):
    learning = {"models": ["discard"], "batch": 32, "learning_rate": 1e-3, "reference": {"coefficient": 0}}
    train(values(start, games=3, rules="tenhou", reward={"kind": "phi"}, learning=learning), tmp_path)
    board = EventAccumulator(str(tmp_path / "tensorboard"))
    board.Reload()
    missed = [event.value for event in board.Scalars("play/phi_error")]
    assert 0 < min(missed) and max(missed) < 200  # ranking points: 90, 45, 0, -135
    assert max(event.value for event in board.Scalars("discard/kl_reference")) > 0


def test_a_checkpoint_is_of_the_files_that_were_there_not_of_their_names(tmp_path, monkeypatch):
    for name in ("start", "opponent"):
        save_agent(tmp_path / name, tiny_networks(), "tiny")
    predictor = tmp_path / "predictor.safetensors"
    predictor.write_bytes(SHIPPED_PREDICTOR.read_bytes())
    monkeypatch.setattr("suphx.reward.rounds.SHIPPED_PREDICTOR", predictor)  # as an upgrade replaces it
    table = {"kind": "one-against-three", "opponents": [str(tmp_path / "opponent")]}
    config = values(tmp_path / "start", games=1, table=table, reward={"kind": "phi"}, rules="tenhou")
    train(config, tmp_path / "run", stop_at=1)

    def replace_predictor(seed: int) -> None:
        other = SHIPPED_PREDICTOR if seed == 0 else SHIPPED_PREDICTOR.parent / "reward.safetensors"
        predictor.write_bytes(other.read_bytes())

    def replace_agent(name: str, seed: int) -> None:
        save_agent(tmp_path / name, tiny_networks(seed), "tiny")

    for put in (replace_predictor, partial(replace_agent, "start"), partial(replace_agent, "opponent")):
        put(1)
        with pytest.raises(
            InputError, match=r"with input files .* that have changed since, or from an earlier version"
        ):
            LocalTraining(TrainConfig.model_validate(config), tmp_path / "run", precision())
        put(0)
    assert LocalTraining(TrainConfig.model_validate(config), tmp_path / "run", precision()).progress.version == 1


def test_policies_start_surer_and_are_not_made_so_again(tmp_path):
    def scale(folder: Path, temperature: float | None) -> float:
        """Return how much larger the logits are with which a training begins that starts from a folder."""
        learning = {"models": ["discard"], "start_temperature": temperature}
        begun = load_start(TrainConfig.model_validate(values(folder, learning=learning)))
        plain = tiny_networks()
        assert torch.equal(begun["kong"].head.answer.weight, plain["kong"].head.answer.weight.bfloat16().float())
        before, after = (each["discard"].head.score.weight.detach() for each in (plain, begun))
        found = after.norm() / before.norm()
        assert torch.allclose(after, before * found, rtol=0.01, atol=1e-6)
        return float(found)

    save_agent(tmp_path / "start", tiny_networks(), "tiny")
    assert scale(tmp_path / "start", None) == scale(tmp_path / "start", 1.0) == pytest.approx(1, rel=0.01)
    assert scale(tmp_path / "start", 0.5) == pytest.approx(2, rel=0.01)

    learning = {"models": ["discard"], "batch": 32, "learning_rate": 1e-12, "start_temperature": 0.5}
    train(values(tmp_path / "start", games=1, learning=learning), tmp_path / "run", stop_at=1)
    agent = tmp_path / "run" / "agent"
    assert load_card(agent).temperatures == {"discard": 0.5}
    assert scale(agent, None) == pytest.approx(2, rel=0.01)
    assert scale(agent, 0.5) == scale(agent, None)
    assert scale(agent, 1.0) == pytest.approx(1, rel=0.01)


def test_single_models_start_at_their_own_temperature(start: Path) -> None:
    learning = {"models": ["discard", "kong"], "start_temperature": 0.5}
    alike, kong = (
        TrainConfig.model_validate(values(start, learning=learning | {"start_temperature_of": own}))
        for own in ({}, {"kong": 0.25})
    )
    assert temperatures_of(alike) == {"discard": 0.5, "kong": 0.5}
    assert temperatures_of(kong) == {"discard": 0.5, "kong": 0.25}
    before, after = (load_start(config) for config in (alike, kong))
    assert torch.equal(before["discard"].head.score.weight, after["discard"].head.score.weight)
    assert torch.equal(2 * before["kong"].head.answer.weight, after["kong"].head.answer.weight)
    assert alike.purpose() != kong.purpose()
    assert "start_temperature_of" not in alike.purpose()["learning"]  # earlier checkpoints fit


def test_layouts_of_planes_are_part_of_what_a_checkpoint_is_for(start, monkeypatch):
    plain = TrainConfig.model_validate(values(start))
    seeing = TrainConfig.model_validate(values(start, learning={"baseline": "critic"}))
    before = plain.purpose(), seeing.purpose()
    monkeypatch.setattr("suphx.selfplay.config.ORACLE_VERSION", "of another program")
    assert plain.purpose() == before[0]
    assert seeing.purpose() != before[1]
    monkeypatch.setattr("suphx.selfplay.config.VERSION", "of another program")
    assert plain.purpose() != before[0]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rules": "poker"}, "rules: no preset 'poker'; there are tenhou"),
        ({"evaluation": {"seed": 0}}, "the deals of `seed` are learned from"),
        ({"teacher": "somewhere"}, "teacher: Extra inputs are not permitted"),
        ({"learning": {"algorithm": "none"}}, "no algorithm 'none'; there are policy_gradient, ppo"),
        ({"reward": {"kind": "luck"}}, "round"),
        ({"table": {"kind": "one-against-three", "opponents": []}}, "opponents"),
        ({"learning": {"models": ["cow"]}}, "discard"),
    ],
)
def test_a_wrong_configuration_is_told(start, changes, words, tmp_path):
    path = tmp_path / "wrong.yaml"
    path.write_text(yaml.safe_dump(values(start, **changes)))
    with pytest.raises(InputError, match=words):
        load_config(path, TrainConfig)


def test_the_command_trains_and_prints_json(start, whole, tmp_path):
    path = tmp_path / "tiny.yaml"
    path.write_text(yaml.safe_dump(values(start, games=50)))
    options = ["--local", "--games", "1", "--set", "name=other", "--threads", "1", "--precision", "float32", "--json"]
    found = CliRunner().invoke(app, ["train", str(path), *options], env={"SUPHX_RUNS": str(tmp_path)})
    assert found.exit_code == 0, found.output
    result = json.loads(found.stdout)
    assert result["agent"] == str(tmp_path / "train" / "other" / "agent")
    assert result["games"] >= 1 and result["versions"] >= 1
    assert load_agent(result["agent"]).name == "other"


def test_the_clock_ends_a_training_as_its_last_game_would(start, tmp_path):
    path = tmp_path / "tiny.yaml"
    path.write_text(yaml.safe_dump(values(start)))
    options = ["--local", "--games", "1000000", "--minutes", "0.1", "--threads", "1", "--precision", "float32"]
    done = CliRunner().invoke(app, ["train", str(path), *options, "--out", str(tmp_path / "run")])
    assert done.exit_code == 0 and done.stdout.strip() == str(tmp_path / "run" / "agent"), done.output
    assert (tmp_path / "run" / CHECKPOINT_NAME).exists()


class StartsSlowly:
    """A training whose first version comes late."""

    progress = SelfPlayProgress(purpose="test")
    has_begun = False

    def run(self, watch, stop):
        assert not stop.wait(0.5), "the time was over before anything was learned"
        for version in range(2):
            watch(TrainingReport(0, 1, version, 0.0, 0.0))
        assert stop.wait(20)
        self.has_begun = True
        raise SelfPlayInterrupted


def test_the_clock_begins_with_the_first_version(start):
    training = StartsSlowly()
    _run(training, TrainConfig.model_validate(values(start)), 0.003, Console(quiet=True))
    assert training.has_begun


class FormerProgress(TrainingProgress, extra="allow"):
    """What earlier versions wrote."""


@pytest.mark.full
def test_a_checkpoint_of_an_earlier_version_goes_on(start, whole, tmp_path):
    """Rows with packed bits of legal actions, hidden planes apart, and the earlier names of settings."""
    config = values(start)
    _, reports = train(config, tmp_path, stop_at=2)
    assert reports
    path = tmp_path / CHECKPOINT_NAME
    with safe_open(path, "pt") as file:
        words = json.loads(file.metadata()["progress"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}
    for name, data in tensors.items():
        if name.endswith(".rows"):
            _, place, model, *_ = name.split(".")  # replay.NUMBER.rows or collector.questions.MODEL.rows
            model = words["replay"]["parts"][int(place)]["model"] if place.isdecimal() else model
            tensors[name] = torch.from_numpy(as_formerly(data.numpy(), model))
    for part in words["replay"]["parts"]:
        part["planes"] = [part["planes"][0], 0, part["planes"][1]]
    for state in words["learner"]["models"].values():
        state["behaviour_kl"] = state.pop("behavior_kl")
    former = FormerProgress.model_construct(**words | {"earlier": {"taken": 0, "games": 0}})
    save_checkpoint(path, former, tensors)
    train(config, tmp_path)
    assert_same_state(whole[0], tmp_path)


def as_formerly(data: np.ndarray, model: str) -> np.ndarray:
    """Return the bytes of rows as earlier versions wrote them."""
    rows = rows_of(data, experience_dtype(MODEL_PLANES[model], OUTPUTS[model]))
    former = np.zeros(len(rows), np.dtype([
        ("planes", "u8", (MODEL_PLANES[model],)), ("legal", "u8"), ("trajectory", "u4"), ("version", "u4"),
        ("log_probability", "f4"), ("advantage", "f4"), ("rewards", "f4", (4,)), ("round", "u2"), ("step", "u2"),
        ("seat", "u2"), ("action", "u2"),
    ]))  # fmt: skip
    for name in former.dtype.names or ():
        former[name] = rows[name] if name != "legal" else rows["legal"] @ (1 << np.arange(OUTPUTS[model]))
    return former.view(np.uint8).reshape(len(former), former.itemsize)


@pytest.mark.parametrize(
    ("learning", "table", "wanted"),
    [
        ({}, {"kind": "selfplay"}, "5d1b720023ddb8bd"),
        (
            {"oracle": {"full_games": 1}, "baseline": "critic", "reference": {"coefficient": 0.1}},
            {"kind": "one-against-three", "opponents": ["sl"]},
            "1ae8ff426e909863",
        ),
    ],
)
def test_checkpoints_of_earlier_versions_are_for_the_same_settings(learning, table, wanted, monkeypatch):
    monkeypatch.setattr("suphx.selfplay.config.VERSION", "planes")
    monkeypatch.setattr("suphx.selfplay.config.ORACLE_VERSION", "hidden")
    settings = {"start": "sl", "learning": learning, "table": table, "reward": {"kind": "round"}}
    assert purpose_of(TrainConfig.model_validate(settings).purpose()) == wanted
    other = TrainConfig.model_validate(settings | {"learning": learning | {"algorithm": "ppo"}})
    assert purpose_of(other.purpose()) != wanted
