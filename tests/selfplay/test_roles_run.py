"""Training by roles on Ray: it plays, learns, measures, keeps what it should, and goes on where it was stopped."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from threading import Event

import numpy as np
import psutil
import pytest
import ray
import yaml
from role_runs import PATIENCE, Background, processes, ray_here, tiny_start, train, values
from selfplay_tables import precision
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from typer.testing import CliRunner

from simulator.logs.mjlog import read_mjlog
from simulator.logs.verify import verify_game
from suphx.cli import app
from suphx.errors import InputError
from suphx.networks.models import MODEL_PLANES
from suphx.networks.weights import load_agent
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.folder import RunFolder
from suphx.selfplay.local import LocalTraining
from suphx.selfplay.roles.run import DistributedTraining, _Pulse


@pytest.fixture(scope="module")
def start(tmp_path_factory) -> Path:
    return tiny_start(tmp_path_factory.mktemp("start"))


@pytest.fixture(scope="module")
def on_ray(start):
    with ray_here(values(start)):
        yield


@pytest.fixture(scope="module")
def whole(start, on_ray, tmp_path_factory) -> tuple[Path, list]:
    """A run to its end, with a measurement."""
    folder, reports = tmp_path_factory.mktemp("whole"), []
    evaluation = {"every": 1_000, "deals": 2, "opponent": "sensible"}
    learning = {"models": ["discard", "chow"], "batch": 64, "learning_rate": 1e-4}
    learning["collapse"] = {"rank": 3}  # two deals may well be lost
    roles = {"engines": {"count": 1, "cpus": 0.25}}
    config = values(start, games=8, evaluation=evaluation, learning=learning, roles=roles)
    # Two games at a time, so that the first table, whose games are kept as samples, ends one of the first eight.
    train(config | {"side_by_side": 2}, folder, reports.append)
    return folder, reports


def test_a_run_leaves_an_agent_that_has_learned(start, whole):
    folder, _ = whole
    before, after = load_agent(start), load_agent(folder / "agent")
    for model in before:
        same = all(
            np.array_equal(one.detach(), other.detach())
            for one, other in zip(before[model].parameters(), after[model].parameters(), strict=True)
        )
        assert same == (model not in ("discard", "chow"))


def board_of(folder: Path) -> EventAccumulator:
    board = EventAccumulator(str(folder / "tensorboard"))
    board.Reload()
    return board


def curve(folder: Path, name: str) -> list[float]:
    return [each.value for each in board_of(folder).Scalars(name)]


def test_curves_have_their_names(whole):
    folder, _ = whole
    board = board_of(folder)
    names = set(board.Tags()["scalars"])
    wanted = ["rate/games_per_s", "rate/decisions_per_s", "rate/learning", "engine/batch", "engine/queue",
              "engine/busy", "simulator/waiting", "simulator/held", "discard/staleness", "discard/weight_mean",
              "discard/entropy", "discard/alpha", "discard/kl_behavior", "chow/grad_norm", "replay/age_mean",
              "play/reward_mean", "engine/weights_delay_s", "evaluation/average_rank",
              "evaluation/less_start_low"]  # fmt: skip
    assert set(wanted) <= names, set(wanted) - names


def test_the_agent_is_measured_when_all_is_over(whole):
    folder, reports = whole
    assert reports[-1].strength is not None and reports[-1].strength.games >= 8
    assert json.loads((folder / "strength.json").read_text())["games"] == reports[-1].strength.games


def test_sample_games_are_logs_that_verify(whole):
    logs = sorted((whole[0] / "games").iterdir())
    assert logs
    for path in logs:
        game = read_mjlog(path.read_bytes(), str(path))
        assert game.names[0].startswith("tiny ") and not verify_game(game).mismatches


@pytest.mark.full
def test_a_training_goes_on_in_one_process_and_by_roles_again(start, on_ray, tmp_path):
    """There is one checkpoint: of the learner, the games and steps that it has behind it."""
    table = {"kind": "one-against-three", "opponents": ["tsumogiri"]}
    config = values(start, table=table, side_by_side=4, learning={"models": ["discard"], "batch": 32})
    games, seen = 0, []
    for alone in (True, False, True):
        games += 3
        parsed = TrainConfig.model_validate(config | {"games": games})
        training = LocalTraining(parsed, tmp_path, precision()) if alone else DistributedTraining(parsed, tmp_path)
        if seen:
            assert training.progress.version == seen[-1].version and training.progress.games == seen[-1].games
            assert training.progress.learner == seen[-1].learner
        if alone and seen:
            assert training.progress.dealt_from == seen[-1].version  # other walls than before
        training.run(lambda _: None, Event())
        seen.append(training.progress.model_copy(deep=True))
        games = seen[-1].games
    assert seen[0].version < seen[1].version < seen[2].version and seen[0].games < seen[1].games < seen[2].games
    assert all(each.learner.games == each.games for each in seen)
    assert seen[1].replay is None


@pytest.mark.full
def test_a_run_that_was_stopped_goes_on_from_its_checkpoint(start, on_ray, tmp_path, monkeypatch):
    monkeypatch.setattr("suphx.selfplay.roles.run._STOP_SECONDS", 2 * PATIENCE)  # so that none is killed
    learning = {"models": ["discard"], "batch": 8, "learning_rate": 1e-5}
    config = values(start, checkpoint_seconds=1_000, learning=learning, roles={"ahead": 1})
    first = Background(config, tmp_path)
    first.wait_for_versions(3)
    first.stop()  # while simulators wait for room
    assert max(curve(tmp_path, "simulator/held")) > 0
    version, games = first.training.progress.version, first.training.progress.games
    assert version >= 3 and RunFolder(tmp_path).checkpoint.exists()

    second = Background(config, tmp_path)
    assert second.training.progress.version == version and second.training.progress.games == games
    second.wait_for(lambda: second.version > version)
    second.stop()
    assert second.training.progress.version > version


@pytest.mark.full
def test_a_measured_run_goes_on_without_measurements(start, on_ray, whole, tmp_path):
    """What was measured before is not told again."""
    folder, reports = tmp_path / "run", []
    shutil.copytree(whole[0], folder)
    learning = {"models": ["discard", "chow"], "batch": 64, "learning_rate": 1e-4}
    train(values(start, games=40, side_by_side=2, learning=learning), folder, reports.append)
    assert reports and all(report.strength is None for report in reports)


def test_a_checkpoint_of_another_configuration_is_refused(start, on_ray, whole):
    with pytest.raises(InputError, match="another configuration"):
        train(values(start, games=8, side_by_side=2, learning={"models": ["discard"]}), whole[0])


@pytest.mark.full
def test_an_oracle_a_critic_and_opponents_by_roles(start, on_ray, tmp_path):
    learning = {
        "models": ["discard", "kong"],
        "batch": 32,
        "batch_of": {"kong": 1},
        "learning_rate": 1e-4,
        "baseline": "critic",
        "critic": {"size": {"filters": 4, "blocks": 1}},
        "reference": {"coefficient": 0},
        "oracle": {"full_games": 2, "decay_games": 3},
        "replay": {"staleness": 1000},
    }
    table = {"kind": "one-against-three", "opponents": [str(start), "sensible"]}
    config = values(start, learning=learning, table=table, games=8, publish_steps=1)
    config |= {"reward": {"kind": "phi"}, "rules": "tenhou"}
    train(config, tmp_path)
    shown = curve(tmp_path, "play/gamma")
    assert shown[0] > shown[-1] == 0
    for name in ("critic/explained_variance", "kong/loss", "discard/kl_reference"):
        assert len(curve(tmp_path, name)), name
    assert 0 < min(curve(tmp_path, "play/phi_error")) < 200
    assert load_agent(tmp_path / "agent")["discard"].planes == MODEL_PLANES["discard"]


LOOPBACK = {"127.0.0.1", "::1", "::ffff:127.0.0.1"}


def listening() -> dict[int, set[str]]:
    """Return the addresses that Ray's processes here listen on, by process."""
    ours = {each.pid for each in psutil.Process().children(recursive=True)}
    found: dict[int, set[str]] = {}
    for each in psutil.net_connections("inet"):
        if each.status == "LISTEN" and each.pid in ours:
            found.setdefault(each.pid, set()).add(each.laddr.ip)
    return found


def test_everything_listens_on_loopback_alone(on_ray):
    found = listening()
    assert found and set.union(*found.values()) <= LOOPBACK


@pytest.mark.full
def test_so_do_the_processes_of_a_parameter_server_of_two(start, on_ray, tmp_path):
    run = Background(values(start, roles={"servers": {"count": 2, "cpus": 0.25}}), tmp_path)
    run.wait_for_versions(1)
    found = listening()
    learning = [each.pid for role in ("ParameterServer", "LearningWorker") for each in processes(role)]
    run.stop()
    assert len(learning) == 2 and found.keys() >= set(learning)
    assert set.union(*found.values()) <= LOOPBACK


def test_nobody_else_can_read_the_token(on_ray):
    assert (Path.home() / ".ray" / "auth_token").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("restarts", [3, -1])
def test_a_role_that_does_not_come_up_or_come_back_is_named(start, on_ray, tmp_path, restarts):
    class Engine:
        def pulse(self) -> list:
            return []

    config = values(start, roles={"start_seconds": 0.5, "restarts": restarts})
    training = DistributedTraining(TrainConfig.model_validate(config), tmp_path)
    made = ray.remote(Engine)
    actors = [made.options(num_cpus=0).remote(), made.options(num_cpus=1_000).remote()]
    ray.get(actors[0].pulse.remote())
    training._actors, now = {"engines": actors}, time.monotonic()
    training._pulses = {
        actor.pulse.remote(): _Pulse(actor, "engines", f"engines {number}", now)
        for number, actor in enumerate(actors, 1)
    }
    assert training._hear() == "" and len(training._pulses) == 2
    time.sleep(0.6)
    first = [each for each, pulse in training._pulses.items() if pulse.name == "engines 1"]
    assert ray.wait(first, timeout=PATIENCE)[0]
    try:
        if restarts < 0:
            words = training._hear()
            assert words.startswith("no answer for 0.5 s: engines 2. Ray has") and words.endswith("room for them")
        else:
            with pytest.raises(InputError, match=r"no answer for 0.5 s: engines 2. Ray has .*; is there a machine"):
                training._hear()
    finally:
        training.end()


def test_what_cannot_be_scheduled_is_refused_before_anything_starts(start, on_ray, tmp_path):
    with pytest.raises(InputError, match=r"roles.simulators: no room for process \d+ of 500"):
        train(values(start, roles={"simulators": {"count": 500}}), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_start_that_cannot_be_read_is_named(start, on_ray, tmp_path):
    for file in start.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "pong.safetensors").write_bytes(b"broken")
    with pytest.raises(InputError, match=r"pong.safetensors: no safetensors file"):
        train(values(tmp_path, name="broken"), tmp_path / "run")


def test_the_command_prints_its_plan_and_starts_nothing(start, tmp_path, monkeypatch):
    for starts_ray in ("init", "put", "remote"):
        monkeypatch.setattr(ray, starts_ray, None)
    path = tmp_path / "tiny.yaml"
    path.write_text(yaml.safe_dump(values(start)))
    found = CliRunner().invoke(app, ["train", str(path), "--dry-run", "--json", "--nodes", "2x1c"])
    plan = json.loads(found.stdout)
    assert found.exit_code == 0 and "rate" not in plan
    assert [role["name"] for role in plan["roles"]] == ["simulators", "servers"]
    found = CliRunner().invoke(app, ["train", str(path), "--dry-run", "--nodes", "0.5c"])
    assert found.exit_code == 1 and "no room for process" in str(found.exception)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"evaluation": {"opponent": "no-such-agent"}}, r"evaluation\.opponent: no agent 'no-such-agent'"),
        ({"table": {"kind": "one-against-three", "opponents": ["nobody"]}}, "no agent 'nobody'"),
    ],
)
def test_a_plan_is_refused_where_somebody_cannot_be_had(start, tmp_path, changes, words):
    path = tmp_path / "tiny.yaml"
    path.write_text(yaml.safe_dump(values(start, **changes)))
    found = CliRunner().invoke(app, ["train", str(path), "--dry-run"])
    assert found.exit_code == 1 and re.search(words, str(found.exception))


@pytest.mark.full
def test_a_step_to_no_number_ends_the_run_with_the_last_good_agent(start, on_ray, tmp_path):
    learning = {"models": ["discard"], "batch": 64, "learning_rate": 1e30}
    with pytest.raises(InputError, match=r"discard: step \d+ was not taken: .* checkpoint"):
        train(values(start, learning=learning), tmp_path)


@pytest.mark.full
def test_a_collapse_ends_the_run_with_the_last_good_agent(start, on_ray, tmp_path):
    collapse = {"entropy_share": 1.0}
    learning = {"models": ["discard"], "batch": 64, "learning_rate": 0.01, "collapse": collapse, "recent_steps": 3}
    with pytest.raises(InputError, match=r"The policy has collapsed.* checkpoint"):
        train(values(start, learning=learning), tmp_path)


@pytest.mark.full
def test_a_folder_that_cannot_be_written_is_named(start, on_ray, tmp_path):
    (tmp_path / "agent").write_bytes(b"in the way")
    with pytest.raises(OSError, match=f"{tmp_path / 'agent'}"):
        train(values(start), tmp_path)


@pytest.mark.full
def test_a_cluster_that_is_not_there_is_named(start, tmp_path):
    path = tmp_path / "tiny.yaml"
    path.write_text(yaml.safe_dump(values(start)))
    command = [sys.executable, "-m", "suphx", "train", str(path), "--address", "127.0.0.1:1", "--out", str(tmp_path)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert found.returncode == 1 and "no Ray cluster at 127.0.0.1:1" in found.stderr
