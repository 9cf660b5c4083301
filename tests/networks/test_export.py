"""An exported network answers as the network does."""

import pytest
import torch

from suphx.networks.export import export_torchscript
from suphx.networks.policy import PolicyNetwork
from suphx.networks.sizes import MODEL_PLANES, MODELS, NetworkSize

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.*deprecated:DeprecationWarning")


@pytest.mark.parametrize("model", MODELS)
def test_torchscript_gives_equal_logits_for_any_batch(tmp_path, model):
    torch.manual_seed(0)
    network = PolicyNetwork(model, NetworkSize(filters=8, blocks=2))
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.1)
    path = tmp_path / f"{model}.pt"
    export_torchscript(network, path)
    exported = torch.jit.load(path)
    for n in (1, 2, 5):
        planes = (torch.rand(n, MODEL_PLANES[model], 34) < 0.2).float()
        expected = network(planes.transpose(1, 2).contiguous())
        assert torch.equal(exported(planes), expected)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
