"""Whether convolutions sum alike in passes of different sizes is seen, whichever it is."""

import pytest
import torch

from suphx.networks import convolution
from suphx.networks.convolution import USUAL_POSITIONS, convolve, sums_alike

SHAPE = (24, 8, torch.float32)


@pytest.fixture(autouse=True)
def anew():
    sums_alike.cache_clear()
    yield
    sums_alike.cache_clear()


@pytest.mark.parametrize("odd_size", [None, 48])
def test_a_size_that_sums_otherwise_is_found(monkeypatch, odd_size):
    def in_steps(x, weight, bias, other=None):
        """Sums channel by channel, backwards in passes of the odd size."""
        if other is not None:
            return x[:, :8] + other
        order = range(x.shape[1])[:: -1 if len(x) == odd_size else 1]
        return sum(x[:, each : each + 1] * weight[0, each, 0] for each in order)

    monkeypatch.setattr(convolution, "arranged", lambda weight: weight)
    monkeypatch.setattr(convolution, "convolve", in_steps)
    assert sums_alike(*SHAPE, 48) == (odd_size != 48)
    assert sums_alike(*SHAPE, 32)


def test_each_shape_is_tried_once(monkeypatch):
    tried = []

    def noted(*tensors):
        tried.append(len(tensors[0]))
        return convolve(*tensors)

    monkeypatch.setattr(convolution, "convolve", noted)
    assert sums_alike(*SHAPE, USUAL_POSITIONS) and not tried
    first = sums_alike(*SHAPE, 32)
    assert set(tried) == {32, USUAL_POSITIONS}
    tried.clear()
    assert sums_alike(*SHAPE, 32) == first and not tried
