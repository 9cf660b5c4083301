"""From packed planes to logits, and where that is computed."""

import numpy as np
import pytest
import torch

from suphx.bench.timing import made_up_planes
from suphx.errors import InputError
from suphx.features.layout import PLANES
from suphx.networks.inference import CPU_CHUNK, GPU_CHUNK, Evaluator
from suphx.networks.policy import Network, PolicyNetwork, SumNetwork
from suphx.networks.precision import bfloat16_gain, choose_precision
from suphx.networks.sizes import NetworkSize

TINY = NetworkSize(filters=8, blocks=2)


@pytest.fixture
def network() -> PolicyNetwork:
    torch.manual_seed(0)
    return PolicyNetwork("riichi", TINY)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", [0, 1, 50, CPU_CHUNK, 2 * CPU_CHUNK + 3])
def test_logits_are_the_networks(network, n, threads):
    packed = made_up_planes(n)
    evaluator = Evaluator(network, choose_precision("cpu", "float32", threads=threads))
    planes = torch.tensor(packed.astype(np.int64))[:, None, :] >> torch.arange(34)[None, :, None] & 1
    found = evaluator.logits(packed)
    assert found.dtype == np.float32
    assert np.allclose(found, network(planes.float()).detach().numpy(), atol=1e-5)


def test_an_evaluator_keeps_its_own_weights_and_leaves_the_network_alone(network):
    evaluator = Evaluator(network, choose_precision("cpu", "bfloat16", threads=1))
    packed = made_up_planes(4)
    before = evaluator.logits(packed)
    with torch.no_grad():
        network.first.weight.zero_()
    assert np.array_equal(evaluator.logits(packed), before)
    assert network.training and network.first.weight.requires_grad and network.first.weight.dtype == torch.float32


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("model", ["discard", "chow"])
def test_a_sum_adds_the_logits_of_its_networks(model, dtype):
    torch.manual_seed(0)
    sizes = [TINY, NetworkSize(filters=4, blocks=1), NetworkSize(filters=4, blocks=1)]
    parts = [(factor, PolicyNetwork(model, size)) for factor, size in zip((1, 0.75, -0.75), sizes, strict=True)]
    network, precision = SumNetwork.of(parts), choose_precision("cpu", dtype, threads=1)
    packed = made_up_planes(70, network.planes)
    wanted = sum(factor * Evaluator(each, precision).logits(packed) for factor, each in parts)
    assert np.allclose(Evaluator(network, precision).logits(packed), wanted, atol=1e-6)
    learning = network.of_packed(packed, precision)
    assert np.allclose(learning.detach(), wanted, atol=1e-5 if dtype == "float32" else 0.02)
    learning.sum().backward()
    assert all(weight.grad is not None for weight in network.parameters())
    network.divide_logits(0.5)
    assert np.allclose(Evaluator(network, precision).logits(packed), 2 * wanted, atol=0.01)


def test_networks_of_two_models_are_no_sum():
    with pytest.raises(ValueError, match="cannot be added"):
        SumNetwork.of([(1, PolicyNetwork("chow", TINY)), (1, PolicyNetwork("discard", TINY))])


class Attention(Network):
    """A network of another architecture: attention between the kinds of tiles."""

    def __init__(self) -> None:
        super().__init__("discard", TINY, PLANES)
        self.embed, self.last = torch.nn.Linear(PLANES, 16), torch.nn.Linear(16, 1)
        self.layer = torch.nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        return self.last(self.layer(self.embed(planes))).squeeze(-1)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_another_architecture_runs_plainly_and_independently_of_its_batch_if_wanted(dtype):
    torch.manual_seed(0)
    network, packed = Attention(), made_up_planes(90)
    precision = choose_precision("cpu", dtype, threads=2)
    evaluator = Evaluator(network, precision, batch_invariant=True)
    parts = [evaluator.logits(packed[at : at + 7]) for at in range(0, 90, 7)]
    assert np.array_equal(np.concatenate(parts), evaluator.logits(packed))
    trained = network.of_packed(packed, precision)
    assert trained.dtype == torch.float32 and trained.requires_grad
    assert np.allclose(parts[0], trained[:7].detach().numpy(), atol=1e-4 if dtype == "float32" else 0.1)
    with pytest.raises(InputError, match="'residual' have no `divide_logits`"):
        network.divide_logits(0.5)


def test_planes_of_another_shape_or_type_are_refused(network):
    evaluator = Evaluator(network, choose_precision("cpu", "float32", threads=1))
    with pytest.raises(ValueError, match=r"riichi needs uint64\[n, 838\], not uint64\[2, 958\]"):
        evaluator.logits(made_up_planes(2, 958))
    with pytest.raises(ValueError, match="not int64"):
        evaluator.logits(made_up_planes(2).view(np.int64))


def test_precision_is_chosen_by_measuring_and_says_why():
    chosen = choose_precision("cpu", threads=1)
    faster = bfloat16_gain(torch.device("cpu")) >= 1.2
    assert chosen.dtype == (torch.bfloat16 if faster else torch.float32)
    assert "times float32" in chosen.reason and "on cpu, 1 threads" in str(chosen)
    assert torch.get_num_threads() == 1


def test_wrong_precisions_are_named():
    with pytest.raises(ValueError, match="no precision 'int8'"):
        choose_precision("cpu", "int8")
    with pytest.raises(ValueError, match="device 'abacus'"):
        choose_precision("abacus")
    with pytest.raises(ValueError, match="threads: 0"):
        choose_precision("cpu", threads=0)
    with pytest.raises(ValueError, match="is not there"):
        choose_precision("cuda:99")


def test_passes_on_a_gpu_have_few_sizes_and_little_more_positions_than_are_asked_for(network):
    evaluator = Evaluator(network, choose_precision("cpu", "float32", threads=1))
    numbers = range(1, 2 * GPU_CHUNK + 1)
    rows = [evaluator._rows(n) for n in numbers]
    assert all(n <= each < n + max(257, 0.25 * n + 1) for n, each in zip(numbers, rows, strict=True))
    assert len({each % GPU_CHUNK for each in rows}) <= 12
