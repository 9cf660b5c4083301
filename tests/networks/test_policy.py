"""The architecture: the paper's shapes and sizes, gradients, and training that stays stable at its depth."""

import numpy as np
import pytest
import torch
from pydantic import ValidationError
from torch.nn import functional

from suphx.bench.timing import made_up_planes
from suphx.features.layout import PLANES
from suphx.networks import convolution
from suphx.networks.convolution import KindConvolution, residual_block, unpack
from suphx.networks.models import MODELS
from suphx.networks.policy import PolicyNetwork, ValueNetwork
from suphx.networks.precision import choose_precision
from suphx.networks.sizes import SIZES, NetworkSize, size_named

TINY = NetworkSize(filters=8, blocks=2)


def test_the_papers_size_has_the_papers_shapes():
    network = PolicyNetwork("discard", SIZES["paper"])
    assert network.first.weight.shape == (256, 838, 3, 1)
    assert len(network.blocks) == 50
    for block in network.blocks:
        assert block.first.weight.shape == block.second.weight.shape == (256, 256, 3, 1)
    assert network.head.score.weight.shape == (1, 256)


def test_the_papers_call_network_has_the_papers_head():
    head = PolicyNetwork("kong", NetworkSize(filters=256, blocks=0)).head
    assert [layer.weight.shape for layer in head.layers if hasattr(layer, "weight")] == [(1024, 136), (256, 1024)]
    assert head.narrow.weight.shape == (4, 256) and head.answer.weight.shape == (2, 256)


@pytest.mark.parametrize(
    ("model", "size", "expected"),
    [
        (
            "discard",
            "paper",
            20_330_497,
        ),  # 643,840 in the first convolution, 50 x 393,728 in the blocks, 257 in the head
        ("riichi", "paper", 20_734_470),
        ("chow", "paper", 20_826_630),
        ("discard", "base", 1_307_649),
        ("discard", "small", 309_249),
    ],
)
def test_parameter_counts(model, size, expected):
    with torch.device("meta"):
        assert sum(each.numel() for each in PolicyNetwork(model, size_named(size)).parameters()) == expected


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_outputs_are_float32_logits(model, dtype):
    network = PolicyNetwork(model, TINY)
    planes = torch.zeros(3, 34, 838 if model in ("discard", "riichi") else 958, dtype=dtype)
    assert network(planes).shape == (3, 34 if model == "discard" else 2)
    assert network(planes).dtype == torch.float32


def test_no_pooling_every_kind_has_its_own_logit():
    network = PolicyNetwork("discard", NetworkSize(filters=8, blocks=0))
    planes = torch.zeros(1, 34, 838)
    changed = planes.clone()
    changed[0, 20, 5] = 1
    different = (network(planes) != network(changed))[0].nonzero().flatten().tolist()
    assert different and set(different) <= {19, 20, 21}


def test_bfloat16_answers_as_float32_does_nearly():
    torch.manual_seed(0)
    network = PolicyNetwork("discard", TINY)
    planes = (torch.rand(8, 34, 838) < 0.2).float()
    assert torch.allclose(network(planes.bfloat16()), network(planes), atol=0.02)


def test_a_wrong_model_or_size_is_named():
    with pytest.raises(ValueError, match="no model 'tsumo'"):
        PolicyNetwork("tsumo", TINY)
    with pytest.raises(ValueError, match="no network size 'huge'; there are paper, base, small"):
        size_named("huge")
    with pytest.raises(ValidationError):
        NetworkSize(filters=0, blocks=1)


def test_packed_planes_are_answered_as_their_zeros_and_ones():
    torch.manual_seed(0)
    packed = made_up_planes(40)
    for network in (PolicyNetwork("discard", TINY), PolicyNetwork("pong", TINY, PLANES), ValueNetwork(TINY, PLANES)):
        plain = network(unpack(packed, torch.float32, torch.device("cpu")))
        assert torch.allclose(network.of_packed(packed, choose_precision("cpu", "float32", 1)), plain, atol=1e-4)


@pytest.mark.parametrize("n", [3, 1, 0])
@pytest.mark.parametrize("operations", ["standing", "lying", "steps"])
def test_a_blocks_gradients_are_those_of_torch(n, operations, monkeypatch):
    monkeypatch.setattr(convolution, "_LIES", operations == "lying")
    if operations == "steps":
        monkeypatch.setattr(convolution, "_FUSED", None)
    torch.manual_seed(0)
    first, second = KindConvolution(6, 6), KindConvolution(6, 6)
    x = torch.randn(n, 34, 6).transpose(1, 2).unsqueeze(-1).requires_grad_()
    learnt = (x, first.weight, first.bias, second.weight, second.bias)
    gradient = torch.randn(n, 6, 34, 1)

    def plain():
        middle = functional.relu(functional.conv2d(x, first.weight, first.bias, padding=(1, 0)))
        return functional.relu(x + functional.conv2d(middle, second.weight, second.bias, padding=(1, 0)))

    ours, theirs = residual_block(x, first, second), plain()
    assert torch.allclose(ours, theirs, atol=1e-5)
    expected = torch.autograd.grad(theirs, learnt, gradient)
    for found, each in zip(torch.autograd.grad(ours, learnt, gradient), expected, strict=True):
        assert torch.allclose(found, each, atol=1e-4)
    with torch.no_grad():
        assert torch.allclose(residual_block(x, first, second), theirs, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float32, pytest.param(torch.bfloat16, marks=pytest.mark.full)])
def test_fifty_blocks_train(dtype):
    torch.manual_seed(0)
    network = PolicyNetwork("discard", NetworkSize(filters=16, blocks=50), planes=40)
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3)
    losses = []
    for _ in range(60):
        planes = (torch.rand(32, 34, 40) < 0.2).to(dtype)
        kinds = planes[:, :, :10].float().sum(-1).argmax(1)  # a rule to be learnt
        loss = functional.cross_entropy(network(planes), kinds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert np.isfinite(losses).all()
    assert losses[0] < 4 and np.mean(losses[-5:]) < 0.7 * losses[0]


def test_a_fresh_trunk_neither_grows_nor_dies_with_depth():
    torch.manual_seed(0)
    planes = (torch.rand(4, 34, 40) < 0.2).float()
    for blocks in (1, 10, 50):
        logits = PolicyNetwork("discard", NetworkSize(filters=32, blocks=blocks), planes=40)(planes)
        assert 0.001 < logits.std() < 1
