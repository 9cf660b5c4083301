"""Networks and learning on a GPU against the CPU: `scripts/test.sh --gpu`, where there is one."""

from __future__ import annotations

import copy
from multiprocessing.connection import Client

import numpy as np
import pytest
import torch
from selfplay_tables import collect, tiny_collector
from torch.nn import functional

from suphx.agent.registry import untrained_networks
from suphx.bench.timing import made_up_planes
from suphx.learning.config import CriticConfig, LearningConfig
from suphx.learning.learner import Learner
from suphx.networks.inference import Evaluator
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import choose_precision
from suphx.networks.sizes import NetworkSize
from suphx.selfplay.roles.channel import RequestChannel
from suphx.selfplay.roles.engine import NetworkServer
from suphx.selfplay.roles.inference_client import Snapshot

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU"),
]
MEDIUM = NetworkSize(filters=96, blocks=6)
#: Most that logits and gradients may differ from float32 on a CPU: norms of differences over norms. In bfloat16, eight
#: bits of precision; in float32, sums in another order.
LOGITS = {"float32": 1e-5, "bfloat16": 0.03}
GRADIENTS = {"float32": 1e-4, "bfloat16": 0.15}


def network(seed: int = 0) -> PolicyNetwork:
    """Return a network whose blocks are not the identity, as fresh ones are."""
    fresh = untrained_networks(MEDIUM, seed)["discard"]
    torch.manual_seed(seed)
    with torch.no_grad():
        for block in fresh.blocks:
            block.second.weight.normal_(0, 0.3 / block.second.weight[0].numel() ** 0.5)
    return fresh


def difference(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.linalg.norm(one - other) / np.linalg.norm(other))


@pytest.mark.parametrize("dtype", LOGITS)
def test_logits(dtype):
    planes = made_up_planes(300)
    expected = Evaluator(network(), choose_precision("cpu", "float32", 2)).logits(planes)
    logits = Evaluator(network(), choose_precision("cuda", dtype)).logits(planes)
    assert difference(logits, expected) < LOGITS[dtype]


@pytest.mark.parametrize("dtype", LOGITS)
def test_logits_of_fixed_passes_do_not_depend_on_the_batch(dtype):
    planes = made_up_planes(3000)
    evaluator = Evaluator(network(), choose_precision("cuda", dtype), batch_invariant=True)
    parts = [evaluator.logits(each) for each in (planes[:7], planes[7:1500], planes[1500:])]
    assert np.array_equal(evaluator.logits(planes), np.concatenate(parts))


@pytest.mark.parametrize("dtype", LOGITS)
def test_recorded_passes_give_what_the_network_gives(dtype):
    """For every number of positions, from two streams, and with the weights of whoever is asked."""
    precision = choose_precision("cuda", dtype)
    plain = [Evaluator(network(seed), precision) for seed in (0, 1)]
    first = Evaluator(network(0), precision).recorded()
    recorded = [first, first.recorded(network(1))]
    streams = [torch.cuda.Stream(), torch.cuda.Stream()]
    for n in (1, 300, 300, 1500, 5000, 300):
        planes = made_up_planes(n)
        pending = []
        for turn in range(4):
            with torch.cuda.stream(streams[turn % 2]):
                pending.append(recorded[turn // 2].start([planes]))
        for turn, wait in enumerate(pending):
            assert difference(wait(), plain[turn // 2].logits(planes)) < 1e-5


@pytest.mark.parametrize("dtype", GRADIENTS)
def test_gradients(dtype):
    planes, kinds = made_up_planes(300), torch.arange(300) % 34
    gradients = []
    for precision in (choose_precision("cpu", "float32", 2), choose_precision("cuda", dtype)):
        learns = copy.deepcopy(network()).to(precision.device)
        functional.cross_entropy(learns.of_packed(planes, precision), kinds.to(precision.device)).backward()
        gradients.append(np.concatenate([each.grad.float().cpu().numpy().ravel() for each in learns.parameters()]))
    assert difference(gradients[1], gradients[0]) < GRADIENTS[dtype]


def test_importance_weights_of_the_same_weights_are_near_one():
    """What plays and what learns differ in the sizes of their batches, and in bfloat16 in the rounding of weights."""
    precision, batch = choose_precision("cuda", "bfloat16"), collect(tiny_collector(models=("discard",)), 20)
    rows = batch.experience["discard"][:512]
    with torch.no_grad():
        learns = network().to(precision.device).of_packed(rows["planes"], precision).log_softmax(1).cpu().numpy()
    plays = torch.from_numpy(Evaluator(network(), precision).logits(rows["planes"])).log_softmax(1).numpy()
    actions = rows["action"].astype(np.int64)[:, None]
    weights = np.exp(np.take_along_axis(learns, actions, 1) - np.take_along_axis(plays, actions, 1))
    assert weights.std() < 0.03 and abs(weights.mean() - 1) < 0.003


@pytest.mark.parametrize(("first", "second"), [("cuda", "cpu"), ("cpu", "cuda")])
def test_a_checkpoint_of_one_device_goes_on_on_the_other(first, second):
    critic = CriticConfig(size=NetworkSize(filters=4, blocks=1))
    config = LearningConfig(models=["discard"], batch=64, baseline="critic", critic=critic)
    batch = collect(tiny_collector(models=("discard",), hidden=True), 10)
    learners = [
        Learner({"discard": network()}, config, choose_precision(each, "float32", 1)) for each in (first, second)
    ]
    learners[0].advantages_of(batch)
    rows = batch.experience["discard"][:64]
    learners[0].learn("discard", rows, 0)
    state, tensors = learners[0].state()
    learners[1].load(state, {name: each.detach().cpu().clone() for name, each in tensors.items()})
    for learner in learners:
        learner.learn("discard", rows, 0)
    weights = [each.networks["discard"].first.weight.detach().cpu().numpy() for each in learners]
    assert difference(weights[0], weights[1]) < 1e-4


def test_requests_of_several_simulators_are_each_answered():
    precision = choose_precision("cuda", "float32")
    evaluators = {(player, "discard"): Evaluator(network(player), precision).recorded() for player in (0, 1)}
    server = NetworkServer(lambda: Snapshot(evaluators, 3, 0.5), precision.device)
    channels = [RequestChannel(Client(server.address, authkey=server.key)) for _ in range(4)]
    for turn in range(20):
        planes = made_up_planes(100 + turn)
        for n, channel in enumerate(channels):
            channel.send({(0, "discard"): planes[n:], (1, "discard"): planes[: n + 1]})
        for n, channel in enumerate(channels):
            answer = channel.answer()
            assert answer.version == 3
            for (player, _), rows in (((0, "discard"), planes[n:]), ((1, "discard"), planes[: n + 1])):
                expected = evaluators[player, "discard"].logits(rows)
                assert np.abs(answer.logits[player, "discard"] - expected).max() < 1e-4
