"""A training in one process that is measured: against whom, what counts as a collapse, and the best agent."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from threading import Event

import pytest
import torch
from local_runs import saved_start, train, values
from rich.console import Console
from selfplay_tables import precision, tiny_networks

from suphx.agent.interface import Agent
from suphx.agent.registry import load_agent
from suphx.commands.train import _run
from suphx.errors import InputError
from suphx.evaluation.arena import load_agents
from suphx.networks.weights import load_card, save_agent
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.evaluation import Strength, StrengthEvaluation
from suphx.selfplay.folder import RunFolder
from suphx.selfplay.local import LocalTraining
from suphx.selfplay.progress import training_line
from suphx.selfplay.training import Collapsed, SelfPlayInterrupted


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved_start(tmp_path_factory.mktemp("start"))


def test_an_interrupt_ends_a_measurement_and_the_last_line_says_where_it_goes_on(start, tmp_path, monkeypatch):
    evaluation = {"every": 1, "deals": 1000, "opponent": "tsumogiri"}
    config = TrainConfig.model_validate(values(start, games=100, evaluation=evaluation))

    def interrupt(*terms: object) -> list[Agent]:
        os.kill(os.getpid(), signal.SIGINT)  # the measurement has begun
        return load_agents(*terms)

    monkeypatch.setattr("suphx.selfplay.evaluation.load_agents", interrupt)
    training, output = LocalTraining(config, tmp_path, precision()), StringIO()
    with pytest.raises(KeyboardInterrupt):
        _run(training, config, None, Console(file=output, width=200))
    assert training.strength is None and 0 < training.progress.games < 100
    again = LocalTraining(config, tmp_path, precision())
    assert f"stopped after {again.progress.games:,} games; run the same command again to resume" in output.getvalue()


def test_the_agent_is_measured_against_its_start_on_the_same_deals(start, tmp_path):
    evaluation = {"every": 100, "deals": 2, "opponent": "tsumogiri"}
    config = values(start, games=1, evaluation=evaluation, learning={"batch": 32, "learning_rate": 1e-12})
    training, reports = train(config, tmp_path)
    (strength,) = [report.strength for report in reports if report.strength is not None]
    assert strength == training.strength and strength.games == training.progress.games
    assert strength.interval[0] <= strength.average_rank <= strength.interval[1]
    assert strength.less_start == 0  # hardly anything was learned, and the deals are the same
    again, reports = train(config, tmp_path)
    assert not reports and again.strength == strength


@pytest.mark.full
def test_who_is_measured_against_and_on_which_deals_may_change(start, tmp_path):
    evaluation = {"every": 100, "deals": 2, "opponent": "tsumogiri"}
    train(values(start, games=1, evaluation=evaluation), tmp_path)
    evaluation |= {"opponent": "sensible", "seed": 77}
    training, _ = train(values(start, games=4, evaluation=evaluation), tmp_path)
    assert training.strength.games >= 4


def test_an_opponent_that_is_none_is_told_before_any_game(start, tmp_path):
    config = values(start, evaluation={"opponent": "no-such-agent"})
    with pytest.raises(InputError, match=r"evaluation\.opponent: no agent 'no-such-agent'"):
        LocalTraining(TrainConfig.model_validate(config), tmp_path, precision())


@pytest.mark.full
def test_an_oracle_is_measured_with_what_is_hidden_too(start, tmp_path):
    evaluation = {"every": 100, "deals": 2, "opponent": "tsumogiri"}
    learning = {"batch": 32, "learning_rate": 1e-12, "oracle": {"full_games": 1000, "decay_games": 0}}
    training, _ = train(values(start, games=1, evaluation=evaluation, learning=learning), tmp_path)
    strength = training.strength
    assert strength.less_start == 0 == strength.oracle_less_start  # its new planes still weigh nothing
    assert strength.oracle_less_start_interval == (0, 0)


def test_a_collapse_stops_the_training_and_names_the_last_good_agent(start, tmp_path):
    learning = {"batch": 32, "recent_steps": 1, "collapse": {"behavior_kl": 1e-12}}
    with pytest.raises(Collapsed, match=r"kl_behavior .* is above .* No checkpoint has been written yet"):
        train(values(start, learning=learning), tmp_path)
    learning |= {"recent_steps": 15}  # 6 steps to a version: it is looked at after the third one
    with pytest.raises(Collapsed, match=rf"The last good agent is {tmp_path / 'agent'}, its checkpoint"):
        train(values(start, learning=learning), tmp_path)
    assert (
        LocalTraining(
            TrainConfig.model_validate(values(start, learning=learning)), tmp_path, precision()
        ).progress.games
        == 0
    )


def by_hand(*found: tuple[float, float]) -> Callable[..., Strength]:
    """Return a measurement that comes to these, one after another: less_start, and how far it is uncertain."""
    left = iter(found)

    def measure(self: StrengthEvaluation, agent: Path, games: int, *_: object) -> Strength:
        less, more = next(left)
        return Strength(games, 2.5 + less, (2.5 + less - more, 2.5 + less + more), less, (less - more, less + more))

    return measure


@pytest.mark.full
def test_an_interrupted_last_measurement_is_made_up_for(start, tmp_path, monkeypatch):
    config = values(start, games=1, evaluation={"every": 100, "deals": 2, "opponent": "tsumogiri"})
    with monkeypatch.context() as patch, pytest.raises(SelfPlayInterrupted):
        patch.setattr(StrengthEvaluation, "measure", lambda *_: None)
        train(config, tmp_path)
    training, reports = train(config, tmp_path)
    assert [report.strength.games for report in reports] == [training.progress.games]


@pytest.mark.full
def test_a_rank_lost_little_by_little_is_warned_of_then_ends_the_training_and_the_best_agent_is_named(
    start, tmp_path, monkeypatch
):
    config = values(start, games=100, evaluation={"every": 1, "opponent": "tsumogiri"}, checkpoint_seconds=100)
    measure = by_hand((-0.02, 0.05), (-0.08, 0.05), (0.04, 0.05), (0.08, 0.05), (0.16, 0.05))
    monkeypatch.setattr(StrengthEvaluation, "measure", measure)
    screen = Console(file=StringIO(), width=1000)
    training = LocalTraining(TrainConfig.model_validate(config), tmp_path, precision())
    reports = []
    with training_line(training.config, True, screen) as watch, pytest.raises(Collapsed) as collapse:
        training.run(lambda report: (reports.append(report), watch(report)), Event())
    games = [report.strength.games for report in reports if report.strength]
    assert screen.file.getvalue().count("warning: the agent plays worse than its start") == 2  # 0.08, then 0.16
    words = r"average rank \+0\.160 \(\+0\.110 to \+0\.210\) to the start is above 0\.1.*another name"
    assert re.search(rf"after {games[4]} games: {words}", str(collapse.value))
    assert f"The best agent that was measured, after {games[1]} games, is {tmp_path / 'best'}; " in str(collapse.value)
    assert load_card(tmp_path / "best").about["games"] == str(games[1])
    assert load_agent(str(tmp_path / "best")).name == "tiny"

    monkeypatch.setattr(StrengthEvaluation, "measure", by_hand((0.16, 0.05), (0.3, 0.05)))
    allowed = config | {"learning": config["learning"] | {"collapse": {"rank": 0.2}}}
    with pytest.raises(Collapsed, match=r"above 0\.2"):  # whoever allows more goes on from the checkpoint
        LocalTraining(TrainConfig.model_validate(allowed), tmp_path, precision()).run(lambda _: None, Event())


@pytest.mark.full
def test_an_agent_that_never_was_as_good_as_the_start_is_not_called_good(start, tmp_path, monkeypatch):
    config = values(start, evaluation={"every": 1, "opponent": "tsumogiri"})
    monkeypatch.setattr(StrengthEvaluation, "measure", by_hand((0.5, 0.1)))
    (tmp_path / "evaluation").mkdir()  # as by a measurement
    with pytest.raises(Collapsed, match=r"The last agent is .*; none has been measured to be as good as the start"):
        train(config, tmp_path)


@pytest.mark.full
def test_a_policy_made_worse_on_purpose_is_a_collapse(tmp_path):
    evaluation = {"every": 1, "deals": 3, "opponent": "tsumogiri"}
    collapse = {"entropy_share": 0, "behavior_kl": 1_000}
    learning = {"batch": 32, "learning_rate": 1e-12, "collapse": collapse}
    config = values(Path("sl"), games=1, evaluation=evaluation, learning=learning)
    training = LocalTraining(TrainConfig.model_validate(config), tmp_path, precision())
    with torch.no_grad():
        training.learner.networks["discard"].head.score.weight.zero_()
    with pytest.raises(Collapsed, match=r"average rank \+\d\.\d+ .* to the start is above 0\.1.*none has been"):
        training.run(lambda _: None, Event())


def test_the_best_agent_outlives_a_kill_while_it_gives_way_to_another(start, tmp_path):
    folder, agent = RunFolder(tmp_path), tmp_path / "agent"
    save_agent(agent, tiny_networks(), "tiny", {"games": "1"})
    measured = Strength(1, 2.4, (2.3, 2.5), -0.1, (-0.2, 0.0))
    folder.keep_if_best(agent, measured)
    folder.best.rename(tmp_path / ".best-before")
    folder.keep_if_best(agent, replace(measured, games=2, less_start=-0.05))
    assert folder.best_strength() == measured
    folder.keep_if_best(agent, replace(measured, games=3, less_start=-0.15))
    assert folder.best_strength().games == 3
    assert {each.name for each in tmp_path.iterdir()} == {"agent", "best"}
