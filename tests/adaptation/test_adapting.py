"""Steps, the bound on how far they go, and the trial on held-out deals."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch

from simulator.redeal.hidden import redeal_hidden
from suphx.adaptation.adapting import Adapter, Lessons
from suphx.adaptation.comparing import Deals, answers
from suphx.adaptation.config import AdaptationConfig, StepsConfig
from suphx.adaptation.learned_part import LearnedPart, blocks_in_common
from suphx.adaptation.players import Copy, Original
from suphx.adaptation.positions import Position
from suphx.adaptation.rollouts import roll_out, rollouts_of
from suphx.adaptation.steps import between, step
from suphx.agent.network_agent import untrained_networks
from suphx.networks.planes import unpack
from suphx.networks.policy import PolicyNetwork
from suphx.networks.timing import made_up_planes
from tests.adaptation.adaptation_positions import PRECISION, TINY, Honours, late_positions, tiny_agent

AGENT = tiny_agent()
SEED = 3


def adapter(**changes: Any) -> Adapter:
    steps = {name: changes.pop(name) for name in list(changes) if name in StepsConfig.model_fields}
    usual = {"deals": 12, "copies": 2, "bound": 1.0, "check_deals": 8} | changes
    config = AdaptationConfig(**usual, steps=StepsConfig(**({"blocks": None} | steps)))
    return Adapter(AGENT, config, Honours(), SEED)


@pytest.fixture(scope="module")
def positions() -> list[Position]:
    return late_positions(2)


@pytest.fixture(scope="module")
def lessons(positions: list[Position]) -> Lessons:
    return adapter().roll(positions, [AGENT.itself] * 2, 0, 12)


def weights(copy: Copy) -> dict[str, torch.Tensor]:
    return copy.networks["discard"].state_dict()


def same(first: Copy, second: Copy) -> bool:
    return all(torch.equal(each, weights(second)[name]) for name, each in weights(first).items())


@pytest.mark.parametrize("blocks", [None, 0, 1, 2])
def test_a_learned_part_says_what_the_whole_network_says(blocks: int | None) -> None:
    network, planes = AGENT.networks["discard"], made_up_planes(5, AGENT.networks["discard"].planes)
    part = LearnedPart(network, blocks, PRECISION)
    with torch.inference_mode():
        expected = network(unpack(planes, torch.float32, torch.device("cpu")))
        assert torch.allclose(part.logits(part.inputs(planes)), expected, atol=1e-4)


@pytest.mark.parametrize(("blocks", "optimizer"), [(None, "gradient"), (0, "gradient"), (1, "gradient"), (1, "adam")])
def test_steps_go_as_far_as_they_should_and_change_only_what_learns(
    lessons: Lessons, blocks: int | None, optimizer: str
) -> None:
    before = {name: each.clone() for name, each in AGENT.networks["discard"].state_dict().items()}
    made = adapter(blocks=blocks, optimizer=optimizer, steps=2, distance=0.02)
    learned = made.learn(made.taught([lessons], 0, AGENT.itself))
    batch, _ = lessons.of(0)
    assert 0.5 * 0.02 < made._distance(batch.experience["discard"], "discard", learned) < 1.05 * 0.02
    assert all(torch.equal(each, before[name]) for name, each in AGENT.networks["discard"].state_dict().items())
    changed = {name for name, each in weights(learned).items() if not torch.equal(each, before[name])}
    if blocks is None:
        assert "first.weight" in changed
    else:
        assert all(name.startswith(("head.", "blocks.1.") if blocks else "head.") for name in changed)


@pytest.mark.parametrize(("blocks", "shared"), [(None, None), (2, 0), (1, 1), (0, 2)])
def test_a_copy_shares_what_does_not_learn_and_answers_as_a_whole_one(
    lessons: Lessons, blocks: int | None, shared: int | None
) -> None:
    made = adapter(blocks=blocks, distance=0.2)
    learned = made.learn(made.taught([lessons], 0, AGENT.itself))
    original, network = AGENT.networks["discard"], learned.networks["discard"]
    assert blocks_in_common(network, original) == shared
    near = between(original, network, 0.5)
    assert blocks_in_common(near, original) == shared and not same(AGENT.copy({"discard": near}), learned)
    planes = lessons.of(0)[0].experience["discard"]["planes"]
    whole = Copy({"discard": copy.deepcopy(network)}, PRECISION)
    assert np.array_equal(learned.calls["discard"](planes), whole.calls["discard"](planes))
    fused = [each._evaluators["discard"]._fused for each in (learned, AGENT._whole)]
    if shared is not None:
        assert fused[0]._weights is fused[1]._weights
        assert [one is two for one, two in zip(fused[0]._blocks, fused[1]._blocks, strict=True)] == [
            number < shared for number in range(2)
        ]


def test_the_first_step_is_the_same_by_either_form_and_a_later_one_is_not(lessons: Lessons) -> None:
    for steps, alike in ((1, True), (3, False)):
        found = [adapter(form=form, steps=steps, distance=0.5) for form in ("decision", "rollout")]
        first, second = (each.learn(each.taught([lessons], 0, AGENT.itself)) for each in found)
        assert same(first, second) == alike


def test_first_answers_alone_are_learned_from_where_that_is_asked(lessons: Lessons) -> None:
    asked = lessons.of(0)[0].experience["discard"]
    advantage = np.random.default_rng(1).normal(size=int(asked["path"].max()) + 1)
    firsts = asked[np.array([np.flatnonzero(asked["path"] == path)[0] for path in np.unique(asked["path"])])]
    assert len(firsts) < len(asked)

    def learned(experience: np.ndarray, first_answers: int | None) -> torch.Tensor:
        config = StepsConfig(blocks=0, distance=0.02, first_answers=first_answers)
        worth = advantage[experience["path"]]
        made = step(AGENT.networks["discard"], experience, worth, config, 1.0, PRECISION, SEED)
        return torch.cat([each.flatten() for each in made.parameters()])

    assert torch.equal(learned(asked, 1), learned(firsts, None))
    assert torch.equal(learned(asked, 1000), learned(asked, None))
    assert not torch.equal(learned(asked, 1), learned(asked, None))


def test_the_same_seed_adapts_in_the_same_way_alone_or_beside_others(positions: list[Position]) -> None:
    together = adapter().adapt(positions)
    (alone,) = adapter().adapt(positions[1:])
    assert same(together[1].proposed, alone.proposed)
    assert (together[1].gain, together[1].kept) == (alone.gain, alone.kept)


def test_nothing_is_learned_from_rewards_that_are_all_alike(lessons: Lessons) -> None:
    alike = Lessons(lessons.rolled, np.full_like(lessons.rewards, 2.5))
    assert same(adapter().learn(adapter().taught([alike], 0, AGENT.itself)), Copy(AGENT.networks, PRECISION))


def test_shuffled_rewards_are_the_same_ones_in_another_order(lessons: Lessons) -> None:
    made = adapter(blocks=0)
    taught = made.taught([lessons], 0, AGENT.itself)
    shuffled = made.learn(taught, shuffled=True)
    assert not same(made.learn(taught), shuffled)
    assert same(made.learn(taught, shuffled=True), shuffled)


def test_what_fixed_blocks_say_is_computed_once_for_several_ways(
    lessons: Lessons, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, computed = adapter(), list[int | None]()
    inputs = LearnedPart.inputs
    monkeypatch.setattr(
        LearnedPart, "inputs", lambda part, packed: computed.append(part.blocks) or inputs(part, packed)
    )
    taught = made.taught([lessons], 0, AGENT.itself)
    ways = [StepsConfig(blocks=blocks, distance=0.02, first_answers=firsts) for blocks, firsts in ((0, None), (0, 1))]
    ways.append(StepsConfig(blocks=1, distance=0.02))
    for steps in ways:
        alone = made.learn(made.taught([lessons], 0, AGENT.itself), steps=steps)
        before = len(computed)
        assert same(made.learn(taught, steps=steps), alone)
        assert len(computed) - before == (0 if steps.first_answers else 1)


@pytest.mark.parametrize("bound", [1e-3, 1e-5])
def test_what_goes_too_far_is_brought_back_within_the_bound(positions: list[Position], bound: float) -> None:
    free, held = (adapter(distance=0.1, bound=each).adapt(positions[:1])[0] for each in (10.0, bound))
    assert free.distance > 1e-3
    assert 0 < held.distance <= bound
    assert not same(free.proposed, held.proposed)


def test_between_two_networks_lie_their_ends() -> None:
    first, second = AGENT.networks["discard"], tiny_agent(1).networks["discard"]
    for share, end in ((0.0, first), (1.0, second)):
        found = between(first, second, share)
        assert all(torch.allclose(a, b) for a, b in zip(found.parameters(), end.parameters(), strict=True))


def contrary() -> Copy:
    """A copy that discards what the original likes least."""
    network = copy.deepcopy(AGENT.networks["discard"])
    with torch.no_grad():
        network.head.score.weight.neg_()
    return Copy({"discard": network}, PRECISION)


def test_rounds_that_would_not_differ_need_not_be_played_again(positions: list[Position]) -> None:
    deals, copies = Deals(AGENT, Honours(), SEED), [slightly_changed(), contrary()]
    played = deals.play(positions, [AGENT.itself] * 2, 12, 0, ["discard"])
    found = deals.gains(played, copies)
    rollouts = rollouts_of(2, 12)
    own = [AGENT.player(copy) for copy in copies]
    every = roll_out(positions, rollouts, own, AGENT.playing, SEED)
    worth = Honours().of(positions, rollouts["position"].astype(np.int64), every.ended).reshape(2, 12)
    assert np.array_equal(found, worth - played.worth)
    assert np.any(found) and not np.any(deals.gains(played, [AGENT.itself] * 2))


class Called(Honours):
    """A reward that tells which tiles a seat called."""

    def of(self, positions: Sequence[Position], which: np.ndarray, ended: np.ndarray) -> np.ndarray:
        tiles = [record["melds"]["tiles"][positions[w].seat] for w, record in zip(which, ended, strict=True)]
        return np.array([each.astype(np.float64).sum() for each in tiles])


def eager(seed: int) -> PolicyNetwork:
    """A chow network that wants every chow, one more than another."""
    network = untrained_networks(TINY, seed)["chow"]
    with torch.no_grad():
        network.head.answer.weight.mul_(30)
        network.head.answer.bias.copy_(torch.tensor([0.0, 1_000.0]))
    return network


def test_rounds_are_played_again_where_another_call_may_be_the_surest(positions: list[Position]) -> None:
    """The copy wants every call that the original wants, but not always the same one most."""
    original = Original("eager", AGENT.networks | {"chow": eager(1)}, PRECISION)
    positions, copies = late_positions(6), [Copy({"chow": eager(2)}, PRECISION)] * 6
    deals = Deals(original, Called(), SEED)
    played = deals.play(positions, [original.itself] * 6, 12, 0, ["chow"])
    asked = played.rolled.experience["chow"]
    assert len(asked) and np.array_equal(answers(copies[0].calls["chow"], asked), asked["answer"])
    rollouts = rollouts_of(6, 12)
    own = [original.player(copies[0])] * 6
    every = roll_out(positions, rollouts, own, original.playing, SEED)
    worth = Called().of(positions, rollouts["position"].astype(np.int64), every.ended).reshape(6, 12)
    assert np.array_equal(deals.gains(played, copies), worth - played.worth)
    assert np.any(worth != played.worth)


def slightly_changed() -> Copy:
    other: PolicyNetwork = tiny_agent(1).networks["discard"]
    return Copy({"discard": between(AGENT.networks["discard"], other, 0.1)}, PRECISION)


def test_a_copy_is_dropped_if_it_is_outside_the_margin_on_held_out_deals(
    positions: list[Position], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, before, copies = adapter(bound=1e9), [AGENT.itself] * 2, [contrary(), contrary()]
    played, gains = made.held_out(positions, before, 12), np.random.default_rng(1).normal([[-0.5], [0.5]], 1, (2, 12))
    monkeypatch.setattr(Deals, "gains", lambda *_: gains)
    means, errors = gains.mean(axis=1), gains.std(axis=1, ddof=1) / 12**0.5
    assert means[0] < 0 < means[1]
    for margin in (-1e9, *(means / errors - 0.01), *(means / errors + 0.01), 1e9):
        for number, found in enumerate(adapter(bound=1e9, check_margin=margin).try_out(played, before, copies, 1)):
            assert found.gain == pytest.approx(means[number])
            assert found.kept == (means[number] > margin * errors[number])
            assert found.copy is (found.proposed if found.kept else AGENT.itself)
    unchecked = adapter(bound=1e9, check_deals=0).try_out(played, before, copies, 1)
    assert all(found.kept and np.isnan(found.gain) for found in unchecked)


def test_a_copy_that_is_not_clearly_worse_is_kept(positions: list[Position]) -> None:
    made, before = adapter(bound=1e9), [AGENT.itself] * 2
    played = made.held_out(positions, before, 24)
    alike = Copy({"discard": copy.deepcopy(AGENT.networks["discard"])}, PRECISION)
    for found in made.try_out(played, before, [alike, alike], 1):
        assert found.gain == 0 and found.kept


@pytest.mark.full
def test_a_poor_policy_gains_on_deals_it_has_not_seen_and_more_than_by_shuffled_rewards(
    positions: list[Position],
) -> None:
    made = adapter(deals=12, copies=4, distance=0.3, steps=2)
    before = [AGENT.itself] * 2
    lessons = made.roll(positions, before, 0, 12)
    played = made.held_out(positions, before, 24)

    def gained(seed: int, shuffled: bool) -> float:
        made.seed = seed  # of the shuffling
        learned = [made.learn(made.taught([lessons], number, AGENT.itself), shuffled) for number in range(2)]
        return float(made.deals.gains(played, learned).mean())

    by_chance = np.array([gained(seed, True) for seed in range(6)])
    assert gained(0, False) > max(by_chance.max() + 2 * by_chance.std(), 0.5)


def test_what_the_seat_cannot_see_has_no_influence(positions: list[Position]) -> None:
    """The same position with other hidden tiles at the table teaches the same."""
    hidden = positions[0].game.copy()
    other = np.array([hidden])
    redeal_hidden(other, positions[0].seat, 77)
    assert (other[0]["wall"] != hidden["wall"]).any()
    alike = Position(other[0], positions[0].seat, positions[0].history)
    first, second = (adapter().adapt([each])[0] for each in (positions[0], alike))
    assert same(first.proposed, second.proposed) and (first.gain, first.error) == (second.gain, second.error)


def test_adapting_again_begins_where_the_seat_stands(positions: list[Position]) -> None:
    made = adapter(check_deals=4)
    first = made.adapt(positions[:1])[0].proposed
    again = made.adapt(positions[:1], [first])[0]
    assert not same(first, again.proposed)
    assert distance(first, again.proposed) < 3 * distance(first, Copy(AGENT.networks, PRECISION))


def distance(first: Copy, second: Copy) -> float:
    ends = weights(second)
    return sum(float((each - ends[name]).square().sum()) for name, each in weights(first).items()) ** 0.5
