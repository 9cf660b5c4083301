from __future__ import annotations

from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest
import torch

from simulator.logs.generate import generate_games
from suphx.agent.registry import untrained_networks
from suphx.dataset.loader import Loader
from suphx.dataset.prepare import prepare_games
from suphx.dataset.selection import select
from suphx.errors import InputError
from suphx.networks.models import MODEL_PLANES
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision, choose_precision
from suphx.networks.sizes import NetworkSize
from suphx.networks.weights import load_agent_network, load_network, save_agent
from suphx.supervised import policy_training
from suphx.supervised import training as loop
from suphx.supervised.config import PretrainConfig
from suphx.supervised.policy_training import PolicyTraining, grow_into
from suphx.supervised.training import (
    CHECKPOINT_NAME,
    WEAK_NAME,
    AveragingOptimizer,
    ChunkReport,
    SupervisedInterrupted,
)
from tests.dataset.made_games import sensible_games
from tests.supervised.tiny_config import tiny_config


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    def loader(source, seed, **options):
        return Loader(source, seed, 300, **options)

    monkeypatch.setattr(policy_training, "Loader", loader)


def precision() -> Precision:
    return choose_precision("cpu", "float32", 1)


def training(folder: Path, config: PretrainConfig | None = None) -> PolicyTraining:
    return PolicyTraining("riichi", config or tiny_config(), sensible_games(), folder, precision())


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_network(folder / "best.safetensors", "riichi").state_dict()


def stop_after(chunks: int, event: Event):
    seen: list[ChunkReport] = []

    def watch(report: ChunkReport) -> None:
        seen.append(report)
        if len(seen) == chunks:
            event.set()

    return watch


def test_training_lowers_the_loss_and_keeps_the_best_weights(tmp_path: Path) -> None:
    config = tiny_config(models={"discard": {"pairs": 5000}})
    run = PolicyTraining("discard", config, sensible_games(), tmp_path, precision())
    run.run(lambda _: None, Event())
    first, *_, last = run.progress.validations
    assert last.metrics["loss"] < first.metrics["loss"]
    assert run.progress.best is not None
    assert run.progress.best.metrics["loss"] == min(each.metrics["loss"] for each in run.progress.validations)


def test_what_is_tuned_to_a_player_is_validated_with_that_player(tmp_path: Path) -> None:
    games = prepare_games(generate_games(40, ["sensible", "tsumogiri"] * 2, seed=6), "made")
    config = tiny_config(filters={"players": ["sensible"]}, models={"discard": {"pairs": 5000}})
    run = PolicyTraining("discard", config, games, tmp_path, precision())
    own = select(games, "discard", "validation", config.filters)
    assert own.n_pairs < select(games, "discard", "validation").n_pairs
    assert run.held_out_source.selection.n_pairs == own.n_pairs


def test_a_batch_of_thousands_is_one_step_for_many_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy_training, "Loader", Loader)
    config = tiny_config(models={"discard": {"pairs": 4096}}, batch=2048)
    run = PolicyTraining("discard", config, sensible_games(), tmp_path, precision())
    run.run(lambda _: None, Event())
    assert run.progress.pairs >= 4096 and run.progress.steps == round(run.progress.pairs / 2048)


def test_a_stopped_training_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    config = tiny_config(models={"riichi": {"pairs": 1500, "shuffle_suits": True}})
    training(whole, config).train(lambda _: None, Event())
    stops = 0
    while True:
        event = Event()
        try:
            training(parts, config).train(stop_after(1, event), event)
            break
        except SupervisedInterrupted:
            stops += 1
    assert stops >= 3
    for name, value in weights(whole).items():
        assert torch.equal(value, weights(parts)[name]), name
    assert load_network(parts / WEAK_NAME, "riichi").model == "riichi"


def test_a_training_that_is_done_is_not_done_again(tmp_path: Path) -> None:
    training(tmp_path).train(lambda _: None, Event())
    reports: list[ChunkReport] = []
    training(tmp_path).train(reports.append, Event())
    assert not reports


def test_the_same_seed_gives_the_same_weights_and_another_one_others(tmp_path: Path) -> None:
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        training(tmp_path / name, tiny_config(seed=seed)).train(lambda _: None, Event())
    same, other = weights(tmp_path / "b"), weights(tmp_path / "c")
    for name, value in weights(tmp_path / "a").items():
        assert torch.equal(value, same[name]), name
    assert any(not torch.equal(value, other[name]) for name, value in same.items())


def test_a_checkpoint_of_another_configuration_is_refused(tmp_path: Path) -> None:
    event = Event()
    with pytest.raises(SupervisedInterrupted):
        training(tmp_path).train(stop_after(1, event), event)
    with pytest.raises(InputError, match=r"checkpoint\.safetensors: a checkpoint of a training with another"):
        training(tmp_path, tiny_config(learning_rate=5e-3))


def test_a_broken_checkpoint_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / CHECKPOINT_NAME).write_bytes(b"nonsense")
    with pytest.raises(InputError, match=r"checkpoint\.safetensors: no checkpoint, or not whole"):
        training(tmp_path)


def test_validations_without_progress_end_a_training(tmp_path: Path) -> None:
    config = tiny_config(
        models={"riichi": {"pairs": 30_000, "learning_rate": 1.0}}, other_learning_rate=1.0, validations=60, patience=3
    )
    run = training(tmp_path, config)
    run.run(lambda _: None, Event())
    assert run.progress.pairs < 30_000
    assert run.progress.best is not None
    later = [each for each in run.progress.validations if each.pairs > run.progress.best.pairs]
    assert len(later) == 3


def test_the_time_ends_a_training_as_the_pairs_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now, rates, step_at = [0.0], [], AveragingOptimizer.step_at

    def slow_step(optimizer: AveragingOptimizer, share: float) -> float:
        now[0] += 0.5
        rates.append(step_at(optimizer, share))
        return rates[-1]

    monkeypatch.setattr(AveragingOptimizer, "step_at", slow_step)
    monkeypatch.setattr(loop, "time", SimpleNamespace(monotonic=lambda: now[0]))
    config = tiny_config(models={"riichi": {"pairs": 25_600}})  # 100 steps

    def in_20_seconds() -> PolicyTraining:
        return PolicyTraining("riichi", config, sensible_games(), tmp_path, precision(), 20.0)

    event = Event()
    with pytest.raises(SupervisedInterrupted):
        in_20_seconds().train(stop_after(5, event), event)
    now[0] += 1000  # interrupted for long
    reports: list[ChunkReport] = []
    run = in_20_seconds()
    run.train(reports.append, Event())
    assert 38 <= len(rates) <= 41 and rates[-1] < 0.06 * max(rates)
    assert reports[-1].share == 1 and run.progress.pairs == reports[-1].pairs < 0.5 * 25_600
    assert len(run.progress.validations) == 4 and (tmp_path / WEAK_NAME).exists()


def agent(folder: Path, networks: dict[str, PolicyNetwork]) -> str:
    save_agent(folder, networks, "some", storage="float32")
    return str(folder)


def test_a_training_may_go_on_from_given_weights(tmp_path: Path) -> None:
    size = NetworkSize(filters=8, blocks=1)
    start = agent(tmp_path / "agent", untrained_networks(size, seed=77))
    config = tiny_config(start=start, learning_rate=1e-9, other_learning_rate=1e-9)
    found = training(tmp_path / "run", config).train(lambda _: None, Event())
    given = untrained_networks(size, seed=77)["riichi"].state_dict()
    for name, value in found.state_dict().items():
        torch.testing.assert_close(value, given[name], atol=1e-5, rtol=0)


def test_a_larger_network_grows_from_given_weights(tmp_path: Path) -> None:
    start = agent(tmp_path / "agent", untrained_networks(NetworkSize(filters=5, blocks=1), seed=77))
    config = tiny_config(start=start, size={"filters": 8, "blocks": 3})
    grown = training(tmp_path / "run", config).network
    given = load_agent_network(Path(start), "riichi")
    assert (grown.size.filters, grown.size.blocks) == (8, 3)
    planes = torch.rand(4, 34, MODEL_PLANES["riichi"])
    torch.testing.assert_close(grown(planes), given(planes))


@pytest.mark.parametrize("model", ["discard", "chow"])
def test_a_grown_network_answers_as_before_and_learns_with_all_its_filters(model: str) -> None:
    torch.manual_seed(3)
    old, grown = (PolicyNetwork(model, NetworkSize(filters=n, blocks=m)) for n, m in ((6, 1), (9, 2)))
    torch.nn.init.normal_(old.blocks[0].second.weight, std=0.1)
    grow_into(grown, old)
    planes = torch.rand(4, 34, MODEL_PLANES[model])
    torch.testing.assert_close(grown(planes), old(planes))
    grown(planes).square().sum().backward()
    head = grown.head.score if model == "discard" else grown.head.narrow
    for layer in (head, *(block.second for block in grown.blocks)):
        assert bool((layer.weight.grad[:, 6:] != 0).any()), "the new filters get no gradient"


def test_a_network_does_not_shrink(tmp_path: Path) -> None:
    start = agent(tmp_path / "agent", untrained_networks(NetworkSize(filters=8, blocks=2)))
    with pytest.raises(InputError, match="its riichi network has 8 filters x 2 blocks; the configuration gives fewer"):
        training(tmp_path / "run", tiny_config(start=start))


def test_a_model_may_begin_as_another_that_sees_the_same(tmp_path: Path) -> None:
    size = NetworkSize(filters=8, blocks=1)
    start = agent(tmp_path / "agent", untrained_networks(size, seed=77))
    models = {"riichi": {"pairs": 300, "start_model": "discard"}}
    config = tiny_config(start=start, models=models, learning_rate=1e-9, other_learning_rate=1e-9)
    found = training(tmp_path / "run", config).train(lambda _: None, Event()).state_dict()
    given = untrained_networks(size, seed=77)["discard"].state_dict()
    shared = [name for name in given if not name.startswith("head.")]
    assert shared
    for name in shared:
        torch.testing.assert_close(found[name], given[name], atol=1e-5, rtol=0)


@pytest.mark.parametrize(
    "start, other, words", [(None, "discard", "needs `start`"), ("sl", "chow", "sees other planes")]
)
def test_a_model_cannot_begin_as_one_of_nothing_or_of_other_planes(start: str | None, other: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tiny_config(start=start, models={"riichi": {"pairs": 300, "start_model": other}})
