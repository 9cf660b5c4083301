"""A kind of reward from a user's own file: in configurations, in self-play and in run-time adaptation."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from selfplay_tables import tiny_networks
from typer.testing import CliRunner

from simulator.players import player
from simulator.players.play import play_games
from simulator.rules import Rules
from simulator.tables import Tables
from suphx import cli
from suphx.adaptation.agent import AdaptedAgent, AdaptedConfig
from suphx.adaptation.players import OriginalAgent
from suphx.adaptation.rollouts import RolloutPosition, rewards_of
from suphx.config import make_config
from suphx.errors import InputError
from suphx.networks.precision import Precision
from suphx.networks.weights import load_card, save_agent
from suphx.plugins import PLUGINS_VARIABLE, load_plugins
from suphx.reward import REWARDS
from suphx.reward.games import START
from suphx.selfplay.config import TrainConfig

_CONFIG = """
rules: tenhou_east
start: {start}
reward: {{kind: last_place, penalty: 2}}
games: 2
side_by_side: 2
learning: {{models: [discard], batch: 32}}
evaluation: null
"""


@pytest.fixture
def _plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The example of the page, as a module outside of the package."""
    page = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")
    (code,) = (block for block in re.findall(r"```python\n(.*?)```", page, re.S) if "REWARDS.register" in block)
    (tmp_path / "last_place.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv(PLUGINS_VARIABLE, "last_place")
    load_plugins.cache_clear()
    yield
    load_plugins.cache_clear()
    sys.modules.pop("last_place", None)
    REWARDS._entries.pop("last_place", None)


@pytest.mark.usefixtures("_plugin")
def test_self_play_learns_from_a_reward_of_ones_own(tmp_path: Path) -> None:
    save_agent(tmp_path / "start", tiny_networks(), "tiny", storage="float32")
    (tmp_path / "train.yaml").write_text(_CONFIG.format(start=tmp_path / "start"))
    words = ["train", str(tmp_path / "train.yaml"), "--local", "--precision", "float32", "--out", str(tmp_path / "run")]
    assert CliRunner().invoke(cli.app, words, catch_exceptions=False).exit_code == 0
    config = TrainConfig.model_validate_json(load_card(tmp_path / "run" / "agent").about["config"])
    assert config.reward == REWARDS["last_place"](penalty=2)


@pytest.mark.usefixtures("_plugin")
def test_adaptation_pays_a_reward_of_ones_own() -> None:
    config = AdaptedConfig.model_validate({"adaptation": {"reward": {"kind": "last_place"}}})
    original = OriginalAgent("tiny", tiny_networks(), Precision(torch.device("cpu"), torch.float32, 1, "for tests"))
    rewards = AdaptedAgent(original, config)._adapter.rewards
    (game,) = play_games([player("sensible")] * 4, 1, Rules.tenhou(), seed=3)
    seats = [RolloutPosition(Tables(1).games[0], seat, np.zeros(1, START)) for seat in range(4)]
    for number, is_over in ((0, False), (-1, True)):
        records = np.repeat(game.rounds[number : number + 1 or None], 4)
        last = game.rounds[-1]["result"]["ranks"] == 3
        assert rewards_of(rewards, seats, np.arange(4), records).tolist() == (-1.0 * (last & is_over)).tolist()


def test_a_reward_that_is_not_there_is_an_error_that_names_those_there_are() -> None:
    for value, message in [
        ({"kind": "none"}, "reward: Value error, no reward 'none'; there are round, phi"),
        ("phi", "reward: must be a mapping with `kind`, one of round, phi"),
        ({"kind": "round", "unit": 0}, "reward.unit: Input should be greater than 0"),
    ]:
        with pytest.raises(InputError, match=message):
            make_config({"reward": value}, TrainConfig, (), "train.yaml")
