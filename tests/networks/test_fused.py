"""A network arranged for a CPU answers as the network itself does."""

import numpy as np
import pytest
import torch

from suphx.bench.timing import made_up_planes
from suphx.features.layout import CALL_PLANES, ORACLE_PLANES, PLANES
from suphx.networks import convolution, fused
from suphx.networks.convolution import unpack
from suphx.networks.fused import FusedNetwork
from suphx.networks.models import MODELS
from suphx.networks.policy import PolicyNetwork, ValueNetwork
from suphx.networks.sizes import SIZES, NetworkSize

SIZE = NetworkSize(filters=8, blocks=2)
CPU = torch.device("cpu")


def shaken(network):
    """A network whose every weight is other than zero: a fresh one's blocks do nothing."""
    torch.manual_seed(1)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return network


def both(network, packed, dtype=torch.float32):
    """What the network says, and what it says arranged for a CPU."""
    with torch.inference_mode():
        plain = network(unpack(packed, dtype, CPU)).numpy()
    return plain, FusedNetwork(network, dtype)(packed).numpy()


@pytest.fixture(params=["standing", "lying", "steps"])
def operations(request, monkeypatch):
    monkeypatch.setattr(convolution, "_LIES", request.param == "lying")
    if request.param == "steps":
        monkeypatch.setattr(convolution, "_FUSED", None)
    elif convolution._FUSED is None:
        pytest.skip("this build of torch has no fused convolutions")
    return request.param


@pytest.mark.parametrize("model", MODELS)
def test_it_answers_as_the_network(operations, model):
    network = shaken(PolicyNetwork(model, SIZE))
    plain, found = both(network, made_up_planes(50, network.planes))
    assert found.dtype == np.float32
    assert np.ptp(plain) > 1
    assert np.allclose(plain, found, atol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("model", ["discard", "riichi"])
def test_it_shares_no_weight_with_the_network_which_goes_on_learning(operations, model, dtype):
    network, packed = shaken(PolicyNetwork(model, SIZE)), made_up_planes(20, PLANES)
    found = FusedNetwork(network, dtype)
    before = found(packed)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.fill_(7)
    assert torch.equal(found(packed), before)


def test_an_oracle_and_a_critic_too(operations):
    for network in (
        PolicyNetwork("discard", SIZE, PLANES + ORACLE_PLANES),
        PolicyNetwork("chow", SIZE, CALL_PLANES + ORACLE_PLANES),
        ValueNetwork(SIZE, PLANES + ORACLE_PLANES),
    ):
        seen = CALL_PLANES if network.planes == CALL_PLANES + ORACLE_PLANES else PLANES
        packed = made_up_planes(50, seen)
        hidden = np.random.default_rng(2).integers(0, 1 << 34, (50, ORACLE_PLANES), dtype=np.uint64)
        plain, found = both(shaken(network), np.concatenate([packed, hidden], axis=1))
        assert np.allclose(plain, found, atol=1e-4)


def test_in_bfloat16_it_is_about_as_near_to_float32_as_the_network(operations):
    network = shaken(PolicyNetwork("discard", SIZE))
    packed = made_up_planes(200)
    exact, _ = both(network, packed)
    plain, found = both(network.to(torch.bfloat16), packed, torch.bfloat16)
    assert 0 < np.abs(found - exact).mean() < 1.5 * np.abs(plain - exact).mean()


@pytest.fixture(params=["as it comes", "one size"])
def passes(request, monkeypatch):
    if request.param == "one size":  # as on a machine whose convolutions do not sum alike
        monkeypatch.setattr(fused, "sums_alike", lambda *shape: shape[-1] == convolution.USUAL_POSITIONS)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("model", ["discard", "chow"])
def test_an_answer_does_not_depend_on_what_is_asked_beside_it(model, dtype):
    network = shaken(PolicyNetwork(model, SIZES["small"]))
    packed = made_up_planes(256, network.planes)
    arranged = FusedNetwork(network, dtype)
    whole = arranged(packed).numpy()
    for at, n in ((0, 1), (5, 2), (17, 3), (30, 8), (100, 64), (190, 50), (20, 140), (1, 255)):
        assert np.array_equal(arranged(packed[at : at + n]).numpy(), whole[at : at + n])


@pytest.mark.parametrize(("least", "sizes"), [(1, [1, 4, 32]), (16, [16, 16, 32])])
def test_few_positions_take_the_smallest_pass_that_sums_alike(monkeypatch, least, sizes):
    monkeypatch.setattr(fused, "sums_alike", lambda *shape: shape[-1] >= least)
    seen, convolve = [], fused.convolve
    monkeypatch.setattr(fused, "convolve", lambda x, *rest: seen.append(len(x)) or convolve(x, *rest))
    arranged = FusedNetwork(PolicyNetwork("discard", SIZE), torch.float32)
    for n, size in zip((1, 3, 20), sizes, strict=True):
        seen.clear()
        arranged(made_up_planes(n, PLANES))
        assert set(seen) == {size}
