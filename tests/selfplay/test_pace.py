"""Whether experience comes in time to be learned from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from suphx.config import load_config
from suphx.errors import InputError
from suphx.learning.config import LearningConfig
from suphx.learning.replay import ReplayBuffer
from suphx.networks.models import MODELS
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.pace import LONG_ROUND, MODEL_DECISIONS_A_GAME, ROUNDS_A_GAME, check_pace
from tests.learning.toy_experience import decisions, random_planes, rounds

CONFIGS = sorted((Path(__file__).parents[2] / "configs").rglob("*.yaml"))
TRAININGS = [path for path in CONFIGS if "publish_steps" in path.read_text() or "side_by_side" in path.read_text()]
TRAININGS += [path for path in CONFIGS if path.stem == "laptop"]


def config_of(**more) -> TrainConfig:
    return TrainConfig.model_validate(more)


@pytest.mark.parametrize("path", TRAININGS, ids=lambda path: path.stem)
def test_with_every_included_training_even_long_rounds_come_in_time(path: Path) -> None:
    config = load_config(path, TrainConfig)
    for simulators in (1, config.roles.simulators.count):
        pace = check_pace(config, simulators * config.side_by_side, by_roles=simulators > 1)
        assert LONG_ROUND * pace.versions_a_round + pace.versions_waiting <= config.learning.replay.staleness
    assert {"laptop", "workstation", "cluster", "paper", "first", "ladder", "laboratory"} == {
        each.stem for each in TRAININGS
    }


def test_a_round_is_as_many_versions_as_all_tables_play_meanwhile() -> None:
    config = config_of(side_by_side=100, publish_steps=4, learning={"batch": 494 * 5})
    pace = check_pace(config, 3 * ROUNDS_A_GAME * 20)
    assert pace.games_a_version == pytest.approx(20)
    assert pace.versions_a_round == pytest.approx(3)
    assert pace.minibatches_in_reach == {"discard": pytest.approx((9 - 3) * 4)}


def test_by_roles_it_also_waits_on_its_way_and_in_buffers() -> None:
    roles = {"simulators": {"count": 5}, "engines": {"count": 1}, "ahead": 2}
    config = config_of(publish_steps=4, learning={"batch": 2048}, roles=roles)
    pace = check_pace(config, 32, by_roles=True)
    assert pace.versions_waiting == pytest.approx((5 * 4 * 1024 + 2 * 2048) / (4 * 2048))
    assert check_pace(config, 32).versions_waiting == 0
    four = config_of(publish_steps=4, learning={"batch": 2048}, roles=roles | {"servers": {"count": 4}})
    several = check_pace(four, 32, by_roles=True)  # they hold the same minibatches together
    assert several.versions_waiting == pace.versions_waiting and several.replay_bytes == pace.replay_bytes // 4
    roles = {"simulators": {"count": 5}, "engines": {"count": 1}}
    slow = config_of(publish_steps=1, learning={"batch": 2048}, roles=roles)
    with pytest.raises(InputError, match=r"it may wait for 13\.0 more"):
        check_pace(slow, 32, by_roles=True)


def test_where_one_seat_gives_data_a_version_takes_four_times_the_games() -> None:
    values = {"side_by_side": 100, "publish_steps": 4, "learning": {"batch": 494 * 5}}
    alone = check_pace(config_of(**values, table={"kind": "one-against-three", "opponents": ["sl"]}), 648)
    four = check_pace(config_of(**values), 648)
    assert alone.games_a_version == pytest.approx(4 * four.games_a_version)
    assert alone.versions_a_round == pytest.approx(four.versions_a_round / 4)


def test_tables_whose_rounds_outlast_the_bound_are_refused() -> None:
    config = config_of(publish_steps=4, learning={"batch": 494 * 5})
    check_pace(config, int(8 * ROUNDS_A_GAME * 20) - 1)
    with pytest.raises(InputError, match=r"staleness: a round at 1,730 tables takes 8 versions.*side_by_side"):
        check_pace(config, 1730)


def test_a_buffer_too_small_for_its_minibatches_is_refused() -> None:
    config = config_of(learning={"batch": 512, "replay": {"bytes": 1 << 20}})
    with pytest.raises(
        InputError, match=r"learning.replay.bytes: 1,048,576 hold less than .* share of the 4 minibatches"
    ):
        check_pace(config, 32)


def steps_of(config: TrainConfig, tables: int, games: int) -> dict[str, int]:
    """Steps of each model when games come in one by one, with the versions that their rounds were dealt with."""
    learning = config.learning
    buffer, steps, version, taken = ReplayBuffer(learning.replay), dict.fromkeys(learning.models, 0), 0, 0
    late = round(tables / ROUNDS_A_GAME)  # games that all tables play in a round
    versions: list[int] = []
    for _ in range(games):
        versions.append(version)
        dealt = versions[max(len(versions) - 1 - late, 0)]
        for model in learning.models:
            n = MODEL_DECISIONS_A_GAME[model]
            batch = rounds({model: decisions(random_planes(n, 1), 2, model=model)}, np.zeros(n, np.float32), dealt)
            buffer.add(batch, {model: np.zeros(n, np.float32)})
            while buffer.sample(model, learning.batch_for(model)) is not None:
                steps[model], taken = steps[model] + 1, taken + 1
                if taken % config.publish_steps == 0:
                    version += 1
                    buffer.advance(version)
    return steps


ALL_FIVE = {"models": list(MODELS), "batch": 512}


def test_a_model_that_would_never_learn_is_refused_and_never_would() -> None:
    config = config_of(learning=ALL_FIVE)
    with pytest.raises(InputError, match=r"kong would never learn.*9 versions.*batch_of: \{kong: \d+\}"):
        check_pace(config, 32)
    steps = steps_of(config, 32, 400)
    assert steps["kong"] == 0 and min(steps[model] for model in MODELS if model != "kong") > 0


def test_with_the_batch_that_is_advised_all_five_models_learn() -> None:
    config = config_of(learning=ALL_FIVE)
    with pytest.raises(InputError) as refused:
        check_pace(config, 32)
    advised = int(str(refused.value).rsplit("kong: ", 1)[1].rstrip("}"))
    config = config_of(learning=ALL_FIVE | {"batch_of": {"kong": advised}})
    assert all(each >= 1 for each in check_pace(config, 32).minibatches_in_reach.values())
    assert min(steps_of(config, 32, 400).values()) > 0


def test_single_models_have_their_own_batch() -> None:
    learning = LearningConfig(models=["discard", "kong"], batch=64, batch_of={"kong": 8})
    assert (learning.batch_for("discard"), learning.batch_for("kong")) == (64, 8)
    for wrong in ({"chow": 8}, {"kong": 0}):
        with pytest.raises(ValueError, match="batch_of"):
            LearningConfig(models=["discard", "kong"], batch_of=wrong)
