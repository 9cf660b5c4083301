"""The learner's step, its options, what it refuses, and exact resume."""

from __future__ import annotations

import copy
import re
from pathlib import Path

import numpy as np
import pytest
import torch

from suphx.checkpoint import TrainingProgress, load_checkpoint, save_checkpoint
from suphx.features.layout import ORACLE_PLANES
from suphx.learning import experience as experience_of_learning
from suphx.learning.config import (
    AnnealConfig,
    CollapseConfig,
    CriticConfig,
    DistanceConfig,
    EntropyConfig,
    LearningConfig,
    OracleConfig,
)
from suphx.learning.experience import Batch
from suphx.learning.learner import Learner, LearnerState
from suphx.learning.optimizer import LearningDiverged
from suphx.networks.precision import Precision
from suphx.networks.sizes import NetworkSize
from tests.learning.toy_experience import (
    ALL,
    PRECISION,
    TINY,
    as_input,
    decisions,
    drawn,
    policy_of,
    random_planes,
    rounds,
    valued,
)
from tests.learning.toy_experience import tiny_network as network_of

PLANES, ANSWERS = 6, 4
EVEN = float(np.log(1 / ANSWERS))


def made_batch(n: int, seed: int = 0, hidden: bool = False, models: tuple[str, ...] = ("discard",)) -> Batch:
    """Decisions with even answers; a round is worth more with lower answers."""
    experience = {}
    generator = np.random.default_rng(seed)
    for model in models:
        answers = ANSWERS if model == "discard" else 2
        answer = generator.integers(0, answers, n)
        perfect = random_planes(n, ORACLE_PLANES, seed) if hidden else None
        planes = random_planes(n, PLANES, seed + 1)
        played = np.full(n, -np.log(answers))
        experience[model] = decisions(planes, answers, answer, played, oracle=perfect, hidden=perfect, model=model)
    answer = experience[models[0]]["action"].astype(float)
    return rounds(experience, (generator.normal(size=n) - answer).astype(np.float32))


def learner_of(config: LearningConfig, **more) -> Learner:
    return Learner({model: network_of(PLANES, 1, model=model) for model in config.models}, config, PRECISION, **more)


def step(learner: Learner, batch: Batch, model: str = "discard") -> dict[str, float]:
    return learner.step(model, valued(batch.experience[model], learner.advantages_of(batch)[model]))


def weights(learner: Learner) -> dict[str, torch.Tensor]:
    return {name: each.clone() for name, each in learner.state()[1].items()}


def gradients(learner: Learner) -> dict[str, torch.Tensor]:
    """Those of the first step: AdamW has kept a tenth of them."""
    return {name: each / 0.1 for name, each in learner.state()[1].items() if name.endswith(".exp_avg")}


def test_a_batch_in_several_passes_is_one_batch() -> None:
    """600 decisions are three passes; one by one they say what the metrics must be."""
    learner = learner_of(LearningConfig(max_grad_norm=1e6, max_importance_weight=1.01))
    batch = made_batch(600)
    experience = batch.experience["discard"]
    whole = copy.deepcopy(learner.networks["discard"])
    policy = policy_of(whole, experience["planes"], ANSWERS)
    advantage = learner.advantages_of(batch)["discard"]
    metrics = learner.step("discard", valued(experience, advantage))
    weight = policy[np.arange(600), experience["action"]] * ANSWERS
    kept = weight <= 1.01
    entropy = -(policy * np.log(policy)).sum(axis=1)
    assert 0 < (~kept).sum() < 600
    assert metrics["accepted"] == kept.sum() and metrics["rejected"] == pytest.approx((~kept).mean())
    assert metrics["loss"] == pytest.approx(-(weight * advantage + 0.01 * entropy)[kept].mean(), rel=1e-4)
    assert metrics["weight_mean"] == pytest.approx(weight.mean(), rel=1e-5)
    assert metrics["weight_max"] == pytest.approx(weight.max(), rel=1e-5)
    assert metrics["entropy"] == pytest.approx(entropy.mean(), rel=1e-5)
    assert metrics["kl_behavior"] == pytest.approx((weight - 1 - np.log(weight)).mean(), rel=1e-3)
    log_policy = whole(as_input(experience["planes"]))[:, :ANSWERS].log_softmax(dim=1)
    answered = log_policy[torch.arange(600), torch.from_numpy(experience["action"].astype(int))]
    gain = answered.exp() * ANSWERS * torch.from_numpy(advantage) - 0.01 * (log_policy.exp() * log_policy).sum(dim=1)
    (-gain[torch.from_numpy(kept)].mean()).backward()
    for found, weights_of_it in zip(gradients(learner).values(), whole.parameters(), strict=True):
        torch.testing.assert_close(found, weights_of_it.grad, rtol=1e-3, atol=1e-6)


def test_a_long_gradient_is_shortened_and_its_length_reported() -> None:
    found = {}
    for bound in (1e3, 1e-3):
        learner = learner_of(LearningConfig(max_grad_norm=bound))
        found[bound] = step(learner, made_batch(64))["grad_norm"]
        taken = float(torch.stack([each.norm() for each in gradients(learner).values()]).norm())
        assert taken == pytest.approx(min(bound, found[bound]), rel=1e-3)
    assert found[1e3] == pytest.approx(found[1e-3]) and found[1e3] > 1e-3


def test_rejected_questions_have_no_part_in_the_step() -> None:
    batch = made_batch(64)
    experience = batch.experience["discard"]
    played = experience["log_probability"].copy()
    played[::2] = -20  # weights far above any bound
    advantage = np.ones(64, np.float32)
    mixed, kept = learner_of(LearningConfig()), learner_of(LearningConfig())
    planes = experience["planes"]
    metrics = mixed.step("discard", valued(decisions(planes, ANSWERS, experience["action"], played), advantage))
    kept.step("discard", valued(experience[np.arange(1, 64, 2)], advantage[::2]))
    assert metrics["rejected"] == 0.5
    for name, each in gradients(mixed).items():
        torch.testing.assert_close(each, gradients(kept)[name], rtol=1e-4, atol=1e-6)


def test_no_step_is_taken_where_all_is_rejected() -> None:
    learner = learner_of(LearningConfig())
    before = weights(learner)
    metrics = learner.step(
        "discard", valued(decisions(random_planes(8, PLANES), 4, played=np.full(8, -30.0)), np.ones(8))
    )
    assert metrics["rejected"] == 1 and metrics["grad_norm"] == 0
    assert all(torch.equal(each, before[name]) for name, each in weights(learner).items())


@pytest.mark.parametrize("what", ["advantage", "log_probability"])
def test_what_is_no_number_is_refused_and_changes_nothing(what: str) -> None:
    learner = learner_of(LearningConfig())
    batch = made_batch(300)
    step(learner, batch)
    before, state = weights(learner), learner.state()[0]
    experience, advantage = batch.experience["discard"], np.ones(300, np.float32)
    broken = valued(experience, advantage)
    broken[what][299] = np.nan
    with pytest.raises(LearningDiverged, match=r"discard: step 2 was not taken: loss nan.*--set start=.*another name"):
        learner.step("discard", broken)
    assert all(torch.equal(each, before[name]) for name, each in weights(learner).items())
    assert learner.state()[0] == state
    other = learner_of(LearningConfig())
    step(other, made_batch(300))
    assert step(learner, made_batch(300, 5)) == step(other, made_batch(300, 5))  # no gradient was left behind


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
def test_the_signal_in_a_gradient_is_told_from_chance(optimizer: str) -> None:
    """Rewards of lower answers, and the same dealt out at random."""
    found: dict[str, list[float]] = {"signal": [], "chance": []}
    learners = {name: learner_of(LearningConfig(optimizer=optimizer, learning_rate=1e-7)) for name in found}
    generator = np.random.default_rng(1)
    for number in range(60):
        batch = made_batch(64, seed=number)
        shuffled = rounds(batch.experience, generator.permutation(batch.trajectories["rewards"][:, 0]))
        for name, each in (("signal", batch), ("chance", shuffled)):
            found[name].append(step(learners[name], each)["gradient_signal"])
    assert found["signal"][0] == found["chance"][0] == 0
    error = float(np.std(found["chance"])) / len(found["chance"]) ** 0.5
    assert abs(np.mean(found["chance"])) < 4 * error < 0.2
    assert np.mean(found["signal"][1:]) > 0.5


@pytest.fixture
def few_planes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let critics see positions of as few planes as here."""
    monkeypatch.setattr("suphx.learning.critic.PLANES", PLANES)


@pytest.mark.usefixtures("few_planes")
def test_a_critic_that_diverges_is_refused() -> None:
    learner = learner_of(LearningConfig(baseline="critic", critic=CriticConfig(size=TINY)))
    assert learner.critic is not None
    experience = made_batch(10, hidden=True).experience["discard"]
    before = weights(learner)
    with pytest.raises(LearningDiverged, match="critic: step 1"):
        learner.critic.step(valued(experience, np.zeros(10), np.full((10, 4), np.inf)))
    assert all(torch.equal(each, before[name]) for name, each in weights(learner).items())


def test_questions_that_cannot_be_are_refused() -> None:
    learner = learner_of(LearningConfig())
    with pytest.raises(ValueError, match="was not legal"):
        learner.step("discard", decisions(random_planes(2, PLANES), 2, action=np.array([0, 2])))
    with pytest.raises(ValueError, match="no decisions"):
        learner.step("discard", decisions(random_planes(0, PLANES), 2))
    with pytest.raises(ValueError, match=r"6 planes cannot see 5"):
        learner.step("discard", decisions(random_planes(2, 5), 2))


def drift(config: LearningConfig, steps: int = 40) -> tuple[np.ndarray, dict[str, float]]:
    """The policy after some steps towards low answers, and the last metrics."""
    learner = learner_of(config)
    generator = np.random.default_rng(0)
    planes = random_planes(64, PLANES)
    for _ in range(steps):
        policy = policy_of(learner.networks["discard"], planes, ANSWERS)
        answer, played = drawn(policy, generator)
        batch = rounds({"discard": decisions(planes, ANSWERS, answer, played)}, -answer.astype(np.float32))
        metrics = step(learner, batch)
    return policy, metrics


def test_a_reference_holds_the_policy() -> None:
    free, _ = drift(LearningConfig(learning_rate=3e-3))
    start = policy_of(network_of(PLANES, 1), random_planes(64, PLANES), ANSWERS)
    held, metrics = drift(LearningConfig(learning_rate=3e-3, reference=DistanceConfig(coefficient=10)))
    assert np.abs(held - start).mean() < 0.3 * np.abs(free - start).mean()
    assert 0 < metrics["kl_reference"] < 0.1


def test_a_reference_that_moves_becomes_what_the_policy_is() -> None:
    learner = learner_of(LearningConfig(learning_rate=1e-2, reference=DistanceConfig(coefficient=0, renew=3)))
    distances = [step(learner, made_batch(64))["kl_reference"] for _ in range(7)]
    for step_ in (0, 3, 6):
        assert (
            distances[step_] == pytest.approx(0, abs=1e-6)
            and (distances[step_ + 1 : step_ + 3] > np.float64(1e-5)).all()
        )
    free, held, moving = (
        drift(LearningConfig(learning_rate=3e-3, reference=reference))[0]
        for reference in (None, DistanceConfig(coefficient=1), DistanceConfig(coefficient=1, renew=5))
    )
    start = policy_of(network_of(PLANES, 1), random_planes(64, PLANES), ANSWERS)
    assert np.abs(held - start).mean() < np.abs(moving - start).mean() < np.abs(free - start).mean()
    with pytest.raises(ValueError, match="with an oracle"):
        LearningConfig(reference=DistanceConfig(renew=3), oracle=ORACLE)


def test_a_reference_that_pulls_nowhere_tells_the_distance_and_changes_nothing(monkeypatch) -> None:
    monkeypatch.setattr(experience_of_learning, "CPU_LEARNING_CHUNK", 16)
    batch = made_batch(64)
    with_it, without = (
        learner_of(LearningConfig(learning_rate=1e-2, reference=reference))
        for reference in (DistanceConfig(coefficient=0), None)
    )
    told = []
    for _ in range(3):
        told.append(step(with_it, batch)["kl_reference"])
        assert "kl_reference" not in step(without, batch)
    assert told[0] == pytest.approx(0, abs=1e-6) and told[2] > told[1] > 1e-5
    for name, each in weights(without).items():
        assert torch.equal(each, weights(with_it)[name]), name


def test_the_rate_falls_in_a_straight_line() -> None:
    anneal = AnnealConfig(after_games=10, games=20, lowest=0.2)
    learner = learner_of(LearningConfig(learning_rate=1e-2, anneal=anneal))
    batch = made_batch(64)
    found = []
    for games in (0, 10, 10, 20, 100):
        learner.count_games(games)
        before = learner.networks["discard"].first.weight.detach().clone()
        rate = step(learner, batch)["learning_rate"]
        moved = (learner.networks["discard"].first.weight.detach() - before).abs().max()
        assert float(moved) <= 2 * rate
        found.append(rate)
    assert found == pytest.approx([1e-2, 1e-2, 6e-3, 2e-3, 2e-3])


def test_single_models_have_their_own_rate() -> None:
    config = LearningConfig(models=["discard", "kong"], learning_rate=1e-3, learning_rate_of={"kong": 5e-3})
    learner = learner_of(config)
    batch = made_batch(64, models=("discard", "kong"))
    for model, rate in (("discard", 1e-3), ("kong", 5e-3)):
        before = learner.networks[model].first.weight.detach().clone()
        metrics = step(learner, batch, model)
        moved = (learner.networks[model].first.weight.detach() - before).abs().max()
        assert float(moved) == pytest.approx(rate, rel=0.01)  # AdamW's first step is as long as its rate
        assert metrics["learning_rate"] == pytest.approx(rate)


ORACLE = OracleConfig(full_games=10, decay_games=20, after_rate=0.1, after_max_importance_weight=1.01)


def test_an_oracle_uses_what_it_sees() -> None:
    wider = NetworkSize(filters=16, blocks=1)
    config = LearningConfig(learning_rate=5e-3, oracle=ORACLE)
    learner = Learner({"discard": network_of(PLANES, size=wider)}, config, PRECISION)
    generator = np.random.default_rng(0)
    planes = np.zeros((128, PLANES), np.uint64)
    planes[:, :2] = [1, 2]  # mark the kinds of the two answers
    for _ in range(60):
        better = generator.integers(0, 2, 128)
        oracle = np.zeros((128, ORACLE_PLANES), np.uint64)
        oracle[:, 7] = np.where(better, ALL, np.uint64(0))
        policy = policy_of(learner.networks["discard"], planes, 2, oracle)
        answer, played = drawn(policy, generator)
        experience = decisions(planes, 2, answer, played, oracle=oracle)
        step(learner, rounds({"discard": experience}, np.where(answer == better, 1.0, -1.0)))
    assert policy[np.arange(128), better].mean() > 0.9


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
def test_planes_of_what_is_hidden_can_learn_faster(optimizer: str) -> None:
    batch = made_batch(64, hidden=True)
    moved = {}
    for factor in (1.0, 8.0):
        oracle = OracleConfig(full_games=10, decay_games=20, planes_rate=factor)
        learner = learner_of(LearningConfig(oracle=oracle, optimizer=optimizer, learning_rate=1e-3))
        before = learner.networks["discard"].first.weight.detach().clone()
        step(learner, batch)
        moved[factor] = learner.networks["discard"].first.weight.detach() - before
    assert moved[1.0].abs().max() > 0
    torch.testing.assert_close(moved[8.0][:, :PLANES], moved[1.0][:, :PLANES])
    torch.testing.assert_close(moved[8.0][:, PLANES:], 8 * moved[1.0][:, PLANES:], rtol=1e-4, atol=1e-7)


def test_the_oracle_ends_in_a_normal_network_of_the_same_function() -> None:
    learner = learner_of(LearningConfig(oracle=ORACLE, learning_rate=1e-2))
    batch = made_batch(64, hidden=True)
    experience = batch.experience["discard"]
    metrics = step(learner, batch)
    assert (learner.gamma, metrics["learning_rate"]) == (1, 1e-2)
    learner.count_games(20)
    assert learner.gamma == 0.5
    planes, nothing = experience["planes"][:, :PLANES], np.zeros((64, ORACLE_PLANES), np.uint64)
    before = policy_of(learner.networks["discard"], planes, ANSWERS, nothing)
    assert np.abs(before - policy_of(learner.networks["discard"], planes, ANSWERS, ~nothing)).max() > 0.01
    learner.count_games(10)
    assert learner.gamma == 0 and learner.networks["discard"].planes == PLANES
    after = policy_of(learner.networks["discard"], planes, ANSWERS)
    np.testing.assert_allclose(after, before, rtol=1e-5)
    first = learner.networks["discard"].first.weight.detach().clone()
    metrics = learner.step("discard", valued(experience, np.ones(64)))  # what oracles played is still of use
    moved = (learner.networks["discard"].first.weight.detach() - first).abs().max()
    assert float(moved) == pytest.approx(1e-3, rel=0.01)  # AdamW's first step is as long as its rate
    assert metrics["learning_rate"] == pytest.approx(1e-3)
    weight = after[np.arange(64), experience["action"]] * ANSWERS
    assert metrics["rejected"] == pytest.approx((weight > 1.01).mean()) and metrics["rejected"] > 0


class _Progress(TrainingProgress):
    learner: LearnerState


FULL = LearningConfig(
    models=["discard", "kong"],
    learning_rate=1e-3,
    learning_rate_of={"kong": 3e-3},
    entropy=EntropyConfig(target=0.1, beta=0.01),
    reference=DistanceConfig(coefficient=0.01),
    baseline="critic",
    critic=CriticConfig(size=TINY),
    oracle=ORACLE,
)


@pytest.mark.usefixtures("few_planes")
@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
@pytest.mark.parametrize(("games", "renew"), [(2, 0), (9, 0), (2, 3)])
def test_resume_is_exact(tmp_path: Path, optimizer: str, games: int, renew: int) -> None:
    """Five steps, a checkpoint, five steps; with so many games a step, also over the end of the oracle."""
    config = FULL.model_copy(update={"optimizer": optimizer})
    if renew:
        config = config.model_copy(update={"oracle": None, "reference": DistanceConfig(coefficient=0.5, renew=renew)})

    def run(learner: Learner, first: int) -> list[dict[str, dict[str, float]]]:
        found = []
        for number in range(first, first + 5):
            batch = made_batch(40, number, hidden=True, models=("discard", "kong"))
            advantages = learner.advantages_of(batch)
            for model, experience in batch.experience.items():
                found.append(learner.learn(model, valued(experience, advantages[model]), 0))
            learner.count_games(games)
        return found

    whole = learner_of(config, seed=3)
    run(whole, 0)
    state, tensors = whole.state()
    save_checkpoint(tmp_path / "c", _Progress(purpose="", learner=state), tensors)
    wanted = run(whole, 5)
    found = load_checkpoint(tmp_path / "c", "", _Progress)
    assert found is not None
    resumed = learner_of(config, seed=3)
    resumed.load(found[0].learner, found[1])
    assert run(resumed, 5) == wanted
    assert resumed.state()[0] == whole.state()[0]
    assert resumed.narrowed == (games == 9)
    one, two = weights(whole), weights(resumed)
    assert one.keys() == two.keys()
    assert all(torch.equal(each, two[name]) for name, each in one.items())


def test_alarms_tell_of_a_collapse() -> None:
    collapse = CollapseConfig(entropy_share=0.5, behavior_kl=0.05)
    config = LearningConfig(recent_steps=3, collapse=collapse, entropy=EntropyConfig(start=0, beta=0))
    learner = learner_of(config)
    batch = made_batch(64)
    for _ in range(3):
        step(learner, batch)
    assert learner.alarms() == []
    with torch.no_grad():
        learner.networks["discard"].head.score.weight.mul_(1000)
    for _ in range(9):
        step(learner, batch)
    entropy, divergence = learner.alarms()
    assert re.fullmatch(r"discard: recent entropy 0\.\d{4} is below \d\.\d{4}", entropy)
    assert re.fullmatch(r"discard: recent kl_behavior \d+\.\d{4} is above 0\.0500", divergence)
    measured, bound = (float(each) for each in re.findall(r"\d\.\d{4}", entropy))
    assert measured < bound


def test_bfloat16_planes_train_float32_weights_nearly_alike() -> None:
    half = Precision(torch.device("cpu"), torch.bfloat16, 1, "for tests")
    found = []
    for precision in (PRECISION, half):
        learner = Learner({"discard": network_of(PLANES, 1)}, LearningConfig(), precision)
        metrics = step(learner, made_batch(300))
        assert all(each.dtype == torch.float32 for each in learner.networks["discard"].parameters())
        found.append(metrics)
    assert found[0]["entropy"] == pytest.approx(found[1]["entropy"], rel=0.01)
    assert found[0]["grad_norm"] == pytest.approx(found[1]["grad_norm"], rel=0.05)
    assert found[0] != found[1]
