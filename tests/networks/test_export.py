"""An exported network answers as the network does."""

import pytest
import torch

from suphx.networks.export import export_torchscript
from suphx.networks.policy import PolicyNetwork
from suphx.networks.sizes import MODEL_PLANES, MODELS, NetworkSize

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.*deprecated:DeprecationWarning")


@pytest.mark.parametrize("model", MODELS)
def test_torchscript_gives_the_same_logits_for_any_batch(tmp_path, model):
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
        # The planes lie in memory the other way round, so some processors sum in another order.
        torch.testing.assert_close(exported(planes), expected, rtol=1e-5, atol=1e-6)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
