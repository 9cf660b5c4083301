"""From packed planes to logits, and where that is computed."""

import numpy as np
import pytest
import torch

from suphx.networks.inference import CPU_CHUNK, Evaluator
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import bfloat16_gain, choose_precision
from suphx.networks.sizes import NetworkSize
from suphx.networks.timing import made_up_planes

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
