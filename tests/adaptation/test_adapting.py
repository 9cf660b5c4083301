"""Steps, the bound on how far they go, and the trial on held-out deals."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np
import pytest
import torch

from simulator.redeal.hidden import redeal_hidden
from suphx.adaptation import adapting
from suphx.adaptation.adapting import AdaptationConfig, Adapter
from suphx.adaptation.players import PolicyCopy
from suphx.adaptation.rollouts import FinishedRollouts, RolloutPosition, roll_out, rollouts_of
from suphx.adaptation.steps import LearnedPart, StepsConfig, interpolate, n_shared_blocks
from suphx.bench.timing import made_up_planes
from suphx.networks.convolution import unpack
from suphx.networks.policy import PolicyNetwork
from tests.adaptation.adaptation_positions import PRECISION, Honors, late_positions, tiny_agent

AGENT = tiny_agent()
SEED = 3


def adapter(**changes: Any) -> Adapter:
    steps = {name: changes.pop(name) for name in list(changes) if name in StepsConfig.model_fields}
    usual = {"deals": 12, "copies": 2, "bound": 1.0, "check_deals": 8} | changes
    config = AdaptationConfig(**usual, steps=StepsConfig(**({"blocks": None} | steps)))
    return Adapter(AGENT, config, Honors(), SEED)


@pytest.fixture(scope="module")
def positions() -> list[RolloutPosition]:
    return late_positions(2)


@pytest.fixture(scope="module")
def rewarded(positions: list[RolloutPosition]) -> FinishedRollouts:
    return adapter().roll(positions, 0, 12)


def weights(copy: PolicyCopy) -> dict[str, torch.Tensor]:
    return copy.network.state_dict()


def same(first: PolicyCopy, second: PolicyCopy) -> bool:
    return all(torch.equal(each, weights(second)[name]) for name, each in weights(first).items())


@pytest.mark.parametrize("blocks", [None, 0, 1, 2])
def test_a_learned_part_says_what_the_whole_network_says(blocks: int | None) -> None:
    network, planes = AGENT.networks["discard"], made_up_planes(5, AGENT.networks["discard"].planes)
    part = LearnedPart(network, blocks, PRECISION)
    with torch.inference_mode():
        expected = network(unpack(planes, torch.float32, torch.device("cpu")))
        assert torch.allclose(part.logits(part.inputs(planes)), expected, atol=1e-4)


@pytest.mark.parametrize("blocks", [None, 0, 1])
def test_a_step_goes_as_far_as_it_should_and_changes_only_what_learns(
    rewarded: FinishedRollouts, blocks: int | None
) -> None:
    before = {name: each.clone() for name, each in AGENT.networks["discard"].state_dict().items()}
    made = adapter(blocks=blocks, distance=0.02)
    learned = made.learn([rewarded], 0)
    assert 0.5 * 0.02 < made._distance(rewarded.advantages(0)[0], learned) < 1.05 * 0.02
    assert all(torch.equal(each, before[name]) for name, each in AGENT.networks["discard"].state_dict().items())
    changed = {name for name, each in weights(learned).items() if not torch.equal(each, before[name])}
    if blocks is None:
        assert "first.weight" in changed
    else:
        assert all(name.startswith(("head.", "blocks.1.") if blocks else "head.") for name in changed)


@pytest.mark.parametrize(("blocks", "shared"), [(None, None), (2, 0), (1, 1), (0, 2)])
def test_a_copy_shares_what_does_not_learn_and_answers_as_a_whole_one(
    rewarded: FinishedRollouts, blocks: int | None, shared: int | None
) -> None:
    made = adapter(blocks=blocks, distance=0.2)
    learned = made.learn([rewarded], 0)
    original, network = AGENT.networks["discard"], learned.network
    assert n_shared_blocks(network, original) == shared
    near = interpolate(original, network, 0.5)
    assert n_shared_blocks(near, original) == shared and not same(AGENT.copy(near), learned)
    planes = np.ascontiguousarray(rewarded.advantages(0)[0]["planes"])
    whole = AGENT.copy(copy.deepcopy(network))
    assert np.array_equal(learned.evaluator.logits(planes), whole.evaluator.logits(planes))
    fused = [each.evaluator._fused[0][1] for each in (learned, AGENT.policy)]
    if shared is not None:
        assert fused[0]._weights is fused[1]._weights
        assert [one is two for one, two in zip(fused[0]._blocks, fused[1]._blocks, strict=True)] == [
            number < shared for number in range(2)
        ]


def test_the_same_seed_adapts_in_the_same_way_alone_or_beside_others(positions: list[RolloutPosition]) -> None:
    together = adapter().adapt(positions)
    (alone,) = adapter().adapt(positions[1:])
    assert same(together[1].copy, alone.copy)
    assert (together[1].gain, together[1].passed) == (alone.gain, alone.passed)


def test_nothing_is_learned_from_rewards_that_are_all_alike(rewarded: FinishedRollouts) -> None:
    alike = dataclasses.replace(rewarded, rewards=np.full_like(rewarded.rewards, 2.5))
    assert same(adapter().learn([alike], 0), AGENT.policy)


def test_shuffled_rewards_are_the_same_ones_in_another_order(rewarded: FinishedRollouts) -> None:
    made = adapter(blocks=0)
    shuffled = made.learn([rewarded], 0, shuffled=True)
    assert not same(made.learn([rewarded], 0), shuffled)
    assert same(made.learn([rewarded], 0, shuffled=True), shuffled)


@pytest.mark.parametrize("bound", [1e-3, 1e-5])
def test_what_goes_too_far_is_brought_back_within_the_bound(positions: list[RolloutPosition], bound: float) -> None:
    free, held = (adapter(distance=0.1, bound=each).adapt(positions[:1])[0] for each in (10.0, bound))
    assert free.distance > 1e-3
    assert 0 < held.distance <= bound
    assert not same(free.copy, held.copy)


def test_between_two_networks_lie_their_ends() -> None:
    first, second = AGENT.networks["discard"], tiny_agent(1).networks["discard"]
    for share, end in ((0.0, first), (1.0, second)):
        found = interpolate(first, second, share)
        assert all(torch.allclose(a, b) for a, b in zip(found.parameters(), end.parameters(), strict=True))


def contrary() -> PolicyCopy:
    """A copy that discards what the original likes least."""
    network = copy.deepcopy(AGENT.networks["discard"])
    with torch.no_grad():
        network.head.score.weight.neg_()
    return AGENT.copy(network)


def test_rounds_that_would_not_differ_need_not_be_played_again(positions: list[RolloutPosition]) -> None:
    made, copies = Adapter(AGENT, AdaptationConfig(), Honors(), SEED), [slightly_changed(), contrary()]
    played = made.play(positions, 12, 0)
    found = made.gains(played, copies)
    rollouts = rollouts_of(2, 12)
    own = [AGENT.player(copy) for copy in copies]
    every = roll_out(positions, rollouts, own, AGENT.greedy, Honors(), SEED)
    assert np.array_equal(found, (every.rewards - played.rewards).reshape(2, 12))
    assert np.any(found) and not np.any(made.gains(played, [AGENT.policy] * 2))


def slightly_changed() -> PolicyCopy:
    other: PolicyNetwork = tiny_agent(1).networks["discard"]
    return AGENT.copy(interpolate(AGENT.networks["discard"], other, 0.1))


def test_a_copy_is_dropped_if_it_is_outside_the_margin_on_held_out_deals(
    positions: list[RolloutPosition], monkeypatch: pytest.MonkeyPatch
) -> None:
    copies = [contrary(), contrary()]
    played, gains = (
        adapter(bound=1e9).held_out(positions, 12),
        np.random.default_rng(1).normal([[-0.5], [0.5]], 1, (2, 12)),
    )
    monkeypatch.setattr(Adapter, "gains", lambda *_: gains)
    means, errors = gains.mean(axis=1), gains.std(axis=1, ddof=1) / 12**0.5
    assert means[0] < 0 < means[1]
    for margin in (-1e9, *(means / errors - 0.01), *(means / errors + 0.01), 1e9):
        monkeypatch.setattr(adapting, "_CHECK_MARGIN", margin)
        for number, found in enumerate(adapter(bound=1e9).check(played, copies, 1)):
            assert found.gain == pytest.approx(means[number])
            assert found.passed == (means[number] > margin * errors[number])
    unchecked = adapter(bound=1e9, check_deals=0).check(played, copies, 1)
    assert all(found.passed and np.isnan(found.gain) for found in unchecked)


def test_a_copy_that_is_not_clearly_worse_is_kept(positions: list[RolloutPosition]) -> None:
    made, alike = adapter(bound=1e9), AGENT.copy(copy.deepcopy(AGENT.networks["discard"]))
    for found in made.check(made.held_out(positions, 24), [alike, alike], 1):
        assert found.gain == 0 and found.passed


@pytest.mark.full
def test_a_poor_policy_gains_on_deals_it_has_not_seen_and_more_than_by_shuffled_rewards(
    positions: list[RolloutPosition],
) -> None:
    made = adapter(deals=12, copies=4, distance=0.3)
    rewarded = made.roll(positions, 0, 12)
    played = made.held_out(positions, 24)

    def gained(seed: int, shuffled: bool) -> float:
        made.seed = seed  # of the shuffling
        learned = [made.learn([rewarded], number, shuffled) for number in range(2)]
        return float(made.gains(played, learned).mean())

    by_chance = np.array([gained(seed, True) for seed in range(6)])
    assert gained(0, False) > max(by_chance.max() + 2 * by_chance.std(), 0.5)


def test_what_the_seat_cannot_see_has_no_influence(positions: list[RolloutPosition]) -> None:
    """The same position with other hidden tiles at the table teaches the same."""
    hidden = positions[0].game.copy()
    other = np.array([hidden])
    redeal_hidden(other, positions[0].seat, 77)
    assert (other[0]["wall"] != hidden["wall"]).any()
    alike = RolloutPosition(other[0], positions[0].seat, positions[0].history)
    first, second = (adapter().adapt([each])[0] for each in (positions[0], alike))
    assert same(first.copy, second.copy) and (first.gain, first.error) == (second.gain, second.error)
