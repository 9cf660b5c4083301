"""The average of agents: the mean of each weight, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from suphx import cli
from suphx.errors import InputError
from suphx.networks.models import MODELS
from suphx.networks.policy import PolicyNetwork
from suphx.networks.sizes import NetworkSize
from suphx.networks.weights import load_agent, load_card, save_agent, seen_games

TINY = NetworkSize(name="tiny", filters=8, blocks=2)
#: Keys of games; their upper halves are what a folder of weights keeps.
KEYS = np.arange(1, 4, dtype=np.uint64) << np.uint64(32)


def agent(folder: Path, seed: int, seen: int, riichi: PolicyNetwork | None = None, size: NetworkSize = TINY) -> Path:
    torch.manual_seed(seed)
    networks = {model: PolicyNetwork(model, size) for model in MODELS}
    if riichi is not None:
        networks["riichi"] = riichi
    save_agent(folder, networks, folder.name, seen=KEYS[seen : seen + 1], storage="float32")
    return folder


def average(*words: object) -> int:
    return CliRunner().invoke(cli.app, ["average", *map(str, words)], catch_exceptions=False).exit_code


def test_every_weight_is_the_mean_and_what_is_equal_stays(tmp_path: Path) -> None:
    torch.manual_seed(9)
    riichi = PolicyNetwork("riichi", TINY).bfloat16().float()  # as stored, in two bytes
    folders = [agent(tmp_path / str(seed), seed, seen=seed, riichi=riichi) for seed in range(3)]
    assert average(*folders, "--out", tmp_path / "mean") == 0
    found, agents = load_agent(tmp_path / "mean"), [load_agent(folder) for folder in folders]
    for name, weight in found["discard"].state_dict().items():
        mean = sum(each["discard"].state_dict()[name] for each in agents) / 3
        assert torch.allclose(weight, mean, rtol=2**-8, atol=1e-6)
    for name, weight in found["riichi"].state_dict().items():
        assert torch.equal(weight, riichi.state_dict()[name])
    assert load_card(tmp_path / "mean").about["average of"] == ", ".join(map(str, folders))
    assert seen_games(tmp_path / "mean", np.append(KEYS, np.uint64(9 << 32))).tolist() == [True, True, True, False]


def test_networks_of_several_sizes_have_no_average(tmp_path: Path) -> None:
    large = agent(tmp_path / "large", 1, seen=0, size=NetworkSize(name="large", filters=16, blocks=2))
    with pytest.raises(InputError, match="discard: networks of several sizes \\(8 x 2, 16 x 2\\)"):
        average(agent(tmp_path / "small", 1, seen=0), large, "--out", tmp_path / "mean")
    assert not (tmp_path / "mean").exists()


def test_no_agent_is_written_over(tmp_path: Path) -> None:
    first = agent(tmp_path / "a", 1, seen=0)
    with pytest.raises(InputError, match="there is something already"):
        average(first, agent(tmp_path / "b", 2, seen=0), "--out", first)
    assert average(first, "--out", tmp_path / "mean") == 2
