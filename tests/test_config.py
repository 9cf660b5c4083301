from __future__ import annotations

from pathlib import Path

import pytest

from suphx.adaptation.agent import AdaptedConfig
from suphx.adaptation.experiment import ExperimentConfig
from suphx.config import load_config
from suphx.equilibrium.poker.blueprint import BlueprintConfig
from suphx.equilibrium.poker.deepfool import DeepFoolConfig
from suphx.equilibrium.poker.encodings import EncodingsConfig
from suphx.equilibrium.poker.leaf import LeafConfig
from suphx.equilibrium.poker.samples import SamplesConfig
from suphx.errors import InputError
from suphx.networks.models import MODELS
from suphx.outlook.training import OutlookConfig
from suphx.reward.training import RewardConfig
from suphx.selfplay.config import TrainConfig
from suphx.supervised.config import PretrainConfig

POKER = {"poker-blueprint": BlueprintConfig, "poker-encodings": EncodingsConfig, "poker-leaf": LeafConfig,
         "poker-samples": SamplesConfig, "poker-train": DeepFoolConfig}  # fmt: skip
CONFIGS = Path(__file__).parents[1] / "configs"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("models: {discard: {pairs: 0}}", "models.discard.pairs: Input should be greater than or equal to 1"),
        ("models: {dicard: {pairs: 1}}", r"models.dicard"),
        ("{models: {chow: {pairs: 1}}, batsch: 3}", "batsch: Extra inputs are not permitted"),
        ("{models: {chow: {pairs: 1}}, size: huge}", "no network size 'huge'; there are paper, base, small"),
        ("{models: {chow: {pairs: 1}}, size: {filters: 0, blocks: 1}}", "size"),
        ("{models: {chow: {pairs: 1}}, name: ../up}", "name"),
        ("models: [", "no YAML"),
        ("{models: {chow: {pairs: 1}}, batsch: 3}", r"batsch: .*\(did you mean batch"),
        ("{models: {chow: {pairs: true}}}", "pairs is true, which is no number"),
        ("models: {chow: {pairs: .inf}}", "models.chow.pairs: Input should be a finite number"),
        ("{models: {chow: {pairs: 1}}, learning_rate: .inf}", "learning_rate: Input should be a finite number"),
        ("name: a\nname: b", "no YAML: line 2: name is written twice$"),
        ("? [1]\n: 2", "no YAML: line 1: found unhashable key$"),
        ("na\0me: 1", r"no YAML: special characters are not allowed \(#x0000\)$"),
        ("- 1", "a configuration must be a mapping"),
        ("models: !!python/object/apply:os.system ['true']", "no YAML"),
        ("name: 2026-02-30", "no YAML"),
        ("name: !!int ''", "no YAML"),
        ("name: " + 10_000 * "[", "no YAML"),
    ],
)
def test_what_is_wrong_in_a_configuration_is_told_with_file_and_field(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "some.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=words) as error:
        load_config(path, PretrainConfig)
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("learning: {certain: 0.9}", r"learning.certain: .*\(it is now called max_confidence\)"),
        ("learning: {gradient_norm: 1}", r"it is now called max_grad_norm"),
        ("learning: {oracle: {after_highest_weight: 2}}", r"it is now called after_max_importance_weight"),
    ],
)
def test_the_error_for_an_earlier_name_of_a_field_names_the_new_one(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "old.yaml"
    path.write_text(f"start: sl\n{text}")
    with pytest.raises(InputError, match=words):
        load_config(path, TrainConfig)


def test_a_configuration_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such configuration"):
        load_config(tmp_path / "none.yaml", PretrainConfig)


def test_configurations_that_come_with_the_program_have_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small").mkdir()  # as of a run of that name, which is to go on
    assert load_config(Path("small"), PretrainConfig).name == "small"
    Path("small").rmdir()
    with pytest.raises(InputError, match=r"^smal: no such configuration; by name there are .*laptop.*small"):
        load_config(Path("smal"), PretrainConfig)
    own = (CONFIGS / "experiments" / "small.yaml").read_text(encoding="utf-8").replace("name: small", "name: mine")
    Path("small").write_text(own, encoding="utf-8")
    assert load_config(Path("small"), PretrainConfig).name == "mine"  # a file that is there comes first


def test_experiments_name_their_results() -> None:
    for path in (CONFIGS / "experiments").iterdir():
        assert path.read_text(encoding="utf-8").startswith("# Result: "), path


def test_every_configuration_of_ours_can_be_read_and_trains_an_agent() -> None:
    for path in sorted(CONFIGS.rglob("*.yaml")):
        if path.name == "reward.yaml":
            load_config(path, RewardConfig)
        elif path.name == "outlook.yaml":
            load_config(path, OutlookConfig)
        elif path.name.startswith("poker"):
            load_config(path, POKER[path.stem])
        elif path.stem in ("first", "laboratory", "ladder", "laptop", "workstation", "cluster", "paper"):
            load_config(path, TrainConfig)
        elif path.name.startswith("adapted"):
            load_config(path, AdaptedConfig)
        elif path.name.startswith("adapt"):
            load_config(path, ExperimentConfig)
        else:
            config = load_config(path, PretrainConfig)
            one = {"trial.yaml": {"discard"}, "large.yaml": {"discard"}, "tenhou-3.yaml": {"kong"}}
            only = one.get(path.name, set(MODELS))
            assert set(config.models) == only and (only == set(MODELS) or path.name == "trial.yaml" or config.start)


def test_values_on_the_command_line_go_over_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "some.yaml"
    path.write_text("{models: {chow: {pairs: 1}}, batch: 3}")
    changes = ["batch=512", "models.chow.pairs=7", "models.discard.pairs=9", "size={filters: 4, blocks: 2}"]
    config = load_config(path, PretrainConfig, changes)
    assert config.batch == 512
    assert {model: plan.pairs for model, plan in config.models.items()} == {"chow": 7, "discard": 9}
    assert config.size_of("chow").filters == 4


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("batch", "'batch' sets nothing; write NAME=VALUE"),
        ("=3", "sets nothing"),
        ("models..pairs=3", "sets nothing"),
        ("batch.size=3", "batch is a value and has no fields"),
        ("batch=[", "no YAML"),
        ("name=2026-02-30", "no YAML: day is out of range"),
        ("name=" + 10_000 * "[", "no YAML: nested too deeply"),
        ("batch=many", "batch: Input should be a valid integer"),
        ("bunch=3", "bunch: Extra inputs"),
    ],
)
def test_a_value_that_cannot_be_set_is_told(tmp_path: Path, change: str, words: str) -> None:
    path = tmp_path / "some.yaml"
    path.write_text("{models: {chow: {pairs: 1}}, batch: 3}")
    with pytest.raises(InputError, match=words):
        load_config(path, PretrainConfig, [change])
