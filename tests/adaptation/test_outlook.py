"""A critic in rollouts: what it is asked, whose values follow each other, and what is learned from them."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from simulator.rules import Rules
from suphx.adaptation.adapting import Adapter
from suphx.adaptation.config import AdaptationConfig, StepsConfig
from suphx.adaptation.outlook import Outlook
from suphx.adaptation.rollouts import Rolled, roll_out, rollouts_of
from suphx.features.layout import ORACLE_PLANES, PLANES
from suphx.networks.policy import ValueNetwork
from suphx.networks.sizes import NetworkSize
from suphx.networks.weights import WeightsError, save_critic
from suphx.selfplay.rewards import PhiReward, RoundReward, load_predictor, worth_of
from tests.adaptation.adaptation_positions import late_positions, points, tiny_agent

SEED, ROLLOUTS = 3, 12
RESULTS = Path(__file__).parents[2] / "docs" / "results"


def made_up(planes: np.ndarray) -> np.ndarray:
    """A critic whose values tell the question (tens) and the seat, counted from the one that is asked (ones)."""
    assert planes.shape[1] == PLANES + ORACLE_PLANES
    question = (planes[:, :PLANES] % np.uint64(1009)).sum(axis=1) % np.uint64(100_000)
    return (10.0 * question[:, None] + np.arange(4)).astype(np.float32)


@pytest.fixture(scope="module")
def rolled() -> Rolled:
    agent = tiny_agent()
    positions = late_positions(2)
    own = [agent.player(drawn=["discard"], seed=SEED)] * 2
    return roll_out(positions, rollouts_of(2, ROLLOUTS), own, agent.playing, SEED, ["discard"], critic=made_up)


def test_values_are_of_the_seat_that_adapts_whoever_is_asked(rolled: Rolled) -> None:
    outlook, asked = rolled.outlook, rolled.experience["discard"]
    assert outlook is not None
    own = outlook.question >= 0
    assert np.array_equal(outlook.question[own], np.arange(len(asked)))  # in the order of rollouts and of time
    assert np.array_equal(outlook.rollout[own], asked.path)
    hidden = np.zeros((len(asked), ORACLE_PLANES), np.uint64)
    assert np.array_equal(outlook.value[own], made_up(np.concatenate([asked.planes, hidden], axis=1))[:, 0])
    assert (np.diff(outlook.rollout) >= 0).all()
    assert set(np.unique(outlook.value[own] % 10)) == {0} and set(np.unique(outlook.value[~own] % 10)) == {1, 2, 3}
    assert (~own).sum() > 2 * own.sum()  # three others are asked, too


def test_a_seat_is_as_far_on_from_the_one_that_is_asked_as_turns_go(rolled: Rolled) -> None:
    """After an own discard the next seat draws: of the three others asked in a row, the first is the right one."""
    outlook = rolled.outlook
    assert outlook is not None
    own = np.flatnonzero((outlook.question[:-1] >= 0) & (np.diff(outlook.rollout) == 0))
    next_one = outlook.value[own + 1] % 10
    assert (next_one == 3).mean() > 0.7  # the right one, to whom the seat that adapts is the third on; but for calls


def test_advantages_are_those_written_out() -> None:
    generator = np.random.default_rng(2)
    rollout = np.repeat([0, 1, 3], [5, 1, 6])
    value = generator.normal(size=12).astype(np.float32)
    question = np.array([0, -1, 1, -1, -1, 2, -1, 3, -1, -1, 4, 5])
    rewards = np.array([2.0, -1.0, 7.0, 0.5])
    found = Outlook(rollout, value, question).advantages(rewards, 0.8, 6)
    for n in np.flatnonzero(question >= 0):
        after = [float(each) for each in value[n:][rollout[n:] == rollout[n]]] + [rewards[rollout[n]]]
        assert found[question[n]] == pytest.approx(sum(0.8**k * each for k, each in enumerate(np.diff(after))))


def saved(folder: Path, worth: str = "round, unit 10000") -> Path:
    torch.manual_seed(1)
    network = ValueNetwork(NetworkSize(filters=4, blocks=1), PLANES + ORACLE_PLANES)
    torch.nn.init.normal_(network.head.get_parameter("answer.weight"))
    save_critic(folder / "critic.safetensors", network, worth)
    return folder / "critic.safetensors"


def config(critic: Path | None, **steps: Any) -> AdaptationConfig:
    usual: dict[str, Any] = {"blocks": 0, "distance": 0.02, "baseline": "critic"} | steps
    return AdaptationConfig(
        deals=6, copies=2, bound=1.0, check_deals=8, critic=critic, reward=RoundReward(), steps=StepsConfig(**usual)
    )


def test_a_copy_learns_from_what_the_critic_expects(tmp_path: Path) -> None:
    agent, positions = tiny_agent(), late_positions(1)
    made = Adapter(agent, config(saved(tmp_path)), points(), SEED)
    taught = made.taught([made.roll(positions, [agent.itself], first, 3) for first in (0, 3)], 0, agent.itself)
    questions = len(taught.batch.experience["discard"])
    assert len(taught.by_critic) == questions and len(np.unique(taught.by_critic)) > questions / 2
    ways = [made.learn(taught, shuffled).networks["discard"] for shuffled in (False, True)]
    heads = [way.head.get_parameter("score.weight") for way in [agent.networks["discard"], *ways]]
    assert not any(torch.equal(one, other) for one, other in combinations(heads, 2))
    (adapted,) = made.adapt(positions)
    assert torch.equal(adapted.proposed.networks["discard"].head.get_parameter("score.weight"), heads[1])


def test_a_critic_of_something_else_is_refused(tmp_path: Path) -> None:
    ranks = RESULTS / "ladder" / "phi-rank.safetensors"
    worths = [
        worth_of(reward, load_predictor(reward, Rules.tenhou()))
        for reward in (PhiReward(), PhiReward(predictor=ranks), PhiReward(unit=2), RoundReward())
    ]
    assert worths == [
        "phi of prizes 90, 45, 0, -135, unit of the predictor",
        "phi of prizes 1.5, 0.5, -0.5, -1.5, unit of the predictor",
        "phi of prizes 90, 45, 0, -135, unit 2",
        "round, unit 10000",
    ]
    for worth in worths[:3]:
        with pytest.raises(WeightsError, match=f"as {worth}; as round, unit 10000 is needed"):
            Adapter(tiny_agent(), config(saved(tmp_path, worth)), points(), SEED)
    with pytest.raises(ValidationError, match="needs its file"):
        config(None)
    with pytest.raises(ValidationError, match="follows the questions to one model"):
        AdaptationConfig(critic=tmp_path, models=["discard", "riichi"])
    with pytest.raises(ValidationError, match="a critic one for each answer"):
        config(tmp_path, form="rollout")
