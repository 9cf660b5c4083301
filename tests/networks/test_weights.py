"""Weights on disk: what is written comes back, and what does not fit is refused with the file's name."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from suphx.agent.registry import fingerprint
from suphx.features.layout import VERSION
from suphx.networks.models import MODELS
from suphx.networks.policy import PolicyNetwork, SumNetwork
from suphx.networks.sizes import NetworkSize
from suphx.networks.weights import (
    CARD_NAME,
    WeightsError,
    load_agent,
    load_agent_network,
    load_card,
    load_network,
    save_agent,
    save_network,
    seen_games,
)

TINY = NetworkSize(name="tiny", filters=8, blocks=2)


@pytest.fixture
def networks() -> dict[str, PolicyNetwork]:
    torch.manual_seed(0)
    return {model: PolicyNetwork(model, TINY) for model in MODELS}


@pytest.fixture
def saved(tmp_path, networks) -> Path:
    path = tmp_path / "riichi.safetensors"
    save_network(path, networks["riichi"])
    return path


@pytest.fixture
def agent(tmp_path, networks) -> Path:
    save_agent(tmp_path / "agent", networks, "tiny one", {"data": "none"})
    return tmp_path / "agent"


def metadata_of(path: Path) -> dict[str, str]:
    length = int.from_bytes(path.read_bytes()[:8], "little")
    return json.loads(path.read_bytes()[8 : 8 + length])["__metadata__"]


def rewrite(path: Path, tensors: dict | None = None, **metadata: str) -> None:
    """Write the file anew with some of its words or its tensors changed."""
    save_file(load_file(path) if tensors is None else tensors, path, metadata_of(path) | metadata)


def test_a_network_comes_back_as_it_was(saved, networks):
    found = load_network(saved, "riichi")
    assert found.size == TINY and found.model == "riichi"
    for name, tensor in networks["riichi"].state_dict().items():
        assert torch.equal(found.state_dict()[name], tensor)
    assert all(parameter.requires_grad for parameter in found.parameters())
    assert not list(saved.parent.glob(".*"))


@pytest.mark.parametrize(("storage", "bits"), [("bfloat16", 8), ("float16", 11)])
def test_two_bytes_a_weight(tmp_path, networks, storage, bits):
    path = tmp_path / "small.safetensors"
    save_network(path, networks["chow"], storage)
    assert path.stat().st_size < 2.2 * sum(each.numel() for each in networks["chow"].parameters())
    found = load_network(path)
    for name, tensor in networks["chow"].state_dict().items():
        assert found.state_dict()[name].dtype == torch.float32
        assert torch.allclose(found.state_dict()[name], tensor, rtol=2.0**-bits, atol=1e-7)


def test_the_same_weights_are_the_same_file(agent, networks):
    for _ in range(5):
        before = load_card(agent).sha256
        save_agent(agent, networks, "tiny one")
        assert load_card(agent).sha256 == before


def test_a_file_says_what_it_is(saved):
    expected = {"format": "1", "model": "riichi", "layout": VERSION, "planes": "838", "name": "tiny", "filters": "8"}
    assert expected.items() <= metadata_of(saved).items()


def test_weights_of_another_layout(saved):
    rewrite(saved, layout="0123456789ab")
    with pytest.raises(WeightsError, match=r"riichi\.safetensors: made for layout 0123456789ab of planes"):
        load_network(saved)


def test_weights_of_another_model(saved):
    with pytest.raises(WeightsError, match=r"riichi\.safetensors: weights of the riichi model; the chow model"):
        load_network(saved, "chow")


def test_weights_of_another_format(saved):
    rewrite(saved, format="2")
    with pytest.raises(WeightsError, match="weights of format 2; this version reads format 1"):
        load_network(saved)


def test_weights_of_somebody_else(tmp_path):
    path = tmp_path / "other.safetensors"
    save_file({"x": torch.zeros(2)}, path)
    with pytest.raises(WeightsError, match=r"other\.safetensors: no weights of ours"):
        load_network(path)


def test_a_size_beyond_reason(saved):
    rewrite(saved, filters="100000000")
    with pytest.raises(WeightsError, match="filters"):
        load_network(saved)


@pytest.mark.parametrize("planes", ["0", "-838", "100000000000000"])
def test_planes_beyond_reason(saved, planes):
    """Before anything is allocated."""
    rewrite(saved, planes=planes)
    with pytest.raises(WeightsError, match=r"riichi\.safetensors: no weights of ours: planes"):
        load_network(saved)


def test_missing_and_unknown_tensors(saved):
    tensors = load_file(saved)
    tensors["extra"] = tensors.pop("first.bias")
    rewrite(saved, tensors)
    with pytest.raises(WeightsError, match=r"riichi\.safetensors: .*without first\.bias; with unknown extra"):
        load_network(saved)


def test_tensors_of_another_shape(saved):
    tensors = load_file(saved)
    tensors["first.bias"] = torch.zeros(9)
    rewrite(saved, tensors)
    with pytest.raises(WeightsError, match=r"tensor first\.bias has shape \[9\], not \[8\]"):
        load_network(saved)


@pytest.mark.parametrize("bad", [torch.full((8,), float("nan")), torch.zeros(8, dtype=torch.int64)])
def test_tensors_without_finite_numbers(saved, bad):
    tensors = load_file(saved)
    tensors["first.bias"] = bad
    rewrite(saved, tensors)
    with pytest.raises(WeightsError, match=r"tensor first\.bias holds other things"):
        load_network(saved)


@pytest.mark.faults
@pytest.mark.parametrize("keep", [0, 4, 100, -100])
def test_files_that_are_cut_off(saved, keep):
    saved.write_bytes(saved.read_bytes()[:keep])
    with pytest.raises(WeightsError, match=r"riichi\.safetensors: no safetensors file, or not whole"):
        load_network(saved)


def test_weights_that_two_bytes_cannot_hold(tmp_path, networks):
    with torch.no_grad():
        networks["kong"].first.bias[0] = 1e6
    with pytest.raises(WeightsError, match=r"kong: first\.bias has numbers that float16 cannot hold"):
        save_network(tmp_path / "kong.safetensors", networks["kong"], "float16")
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_the_old_file(saved, networks, monkeypatch):
    before = saved.read_bytes()
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        save_network(saved, networks["riichi"], "float16")
    assert saved.read_bytes() == before and len(list(saved.parent.iterdir())) == 1


def test_an_agent_is_a_folder_of_five_and_a_card(agent, networks):
    assert sorted(path.name for path in agent.iterdir()) == sorted([CARD_NAME, *(f"{m}.safetensors" for m in MODELS)])
    found = load_agent(agent)
    assert list(found) == list(MODELS)
    assert torch.equal(found["pong"].head.answer.bias, networks["pong"].head.answer.bias)
    assert load_card(agent).name == "tiny one" and load_card(agent).about == {"data": "none"}


def test_an_agent_without_one_of_its_files(agent):
    (agent / "pong.safetensors").unlink()
    with pytest.raises(WeightsError, match=r"pong\.safetensors: the pong model's weights are missing"):
        load_agent(agent)


def test_an_agent_whose_other_networks_are_those_of_a_neighbor(agent, networks):
    save_agent(agent, networks, "tiny one", seen=np.array([7 << 32], np.uint64))
    other, card = agent.parent / "other", load_card(agent)
    other.mkdir()
    (agent / "discard.safetensors").rename(other / "discard.safetensors")
    (other / CARD_NAME).write_text(card.model_copy(update={"rest": agent.name}).model_dump_json())
    found = load_agent(other)
    assert torch.equal(found["pong"].head.answer.bias, networks["pong"].head.answer.bias)
    assert seen_games(other, np.array([6 << 32, 7 << 32], np.uint64)).tolist() == [False, True]
    save_network(agent / "pong.safetensors", networks["pong"], "float32")  # another than the card speaks of
    with pytest.raises(WeightsError, match=rf"{agent.name}/pong\.safetensors: not the file that agent\.json speaks of"):
        load_agent(other)


@pytest.mark.parametrize("rest", ["..", "../x", "/etc", "a/b"])
def test_an_agent_whose_other_networks_are_not_beside_it(agent, rest):
    card = json.loads((agent / CARD_NAME).read_text())
    (agent / CARD_NAME).write_text(json.dumps({**card, "rest": rest}))
    with pytest.raises(WeightsError, match=r"agent\.json: no card"):
        load_agent(agent)


@pytest.fixture
def summed(agent) -> Path:
    """An agent whose discards are a sum of those of two others, one of which has its other networks."""
    torch.manual_seed(1)
    third, folder = agent.parent / "third", agent.parent / "summed"
    save_agent(third, {model: PolicyNetwork(model, NetworkSize(filters=4, blocks=1)) for model in MODELS}, "third")
    folder.mkdir()
    card = load_card(agent)
    files = {
        f"{each.name}/discard.safetensors": load_card(each).sha256["discard.safetensors"] for each in (agent, third)
    }
    changes = {
        "rest": agent.name,
        "sums": {"discard": {agent.name: 1.75, "third": -1.5}},
        "sha256": card.sha256 | files,
    }
    (folder / CARD_NAME).write_text(card.model_copy(update=changes).model_dump_json())
    return folder


def test_an_agent_whose_discards_are_a_sum_of_those_of_neighbors(summed, tmp_path):
    loaded = load_agent(summed)
    network = loaded["discard"]
    assert isinstance(network, SumNetwork)
    assert str(network.size) == "+1.75 * 8x2 -1.5 * 4x1"
    planes = torch.rand(3, 34, network.planes)
    parts = [load_agent_network(summed.parent / name, "discard") for name in ("agent", "third")]
    assert torch.allclose(network(planes), 1.75 * parts[0](planes) - 1.5 * parts[1](planes), atol=1e-6)
    save_agent(tmp_path / "alone", loaded, "alone", storage="float32")
    alone = load_agent_network(tmp_path / "alone", "discard")
    assert torch.equal(alone(planes), network(planes))
    assert fingerprint(str(summed)) != fingerprint(str(summed.parent / "agent"))


def test_an_agent_whose_sum_does_not_fit(summed):
    path, other = summed / CARD_NAME, summed.parent / "third" / "discard.safetensors"
    before, card = other.read_bytes(), json.loads(path.read_text())
    other.write_bytes((summed.parent / "agent" / "discard.safetensors").read_bytes())
    with pytest.raises(WeightsError, match=r"third/discard\.safetensors: not the file that agent\.json speaks of"):
        load_agent(summed)
    other.write_bytes(before)
    for sums in ({"discard": {}}, {"discard": {"../third": 1}}, {"discard": {"third": "x"}}):
        path.write_text(json.dumps(card | {"sums": sums}))
        with pytest.raises(WeightsError, match=r"agent\.json: no card"):
            load_agent(summed)
    for factor in (1e-9, 1e9, 1 / 3):  # a factor is not rounded either
        path.write_text(json.dumps(card | {"sums": {"discard": {"third": factor}}}))
        with pytest.raises(WeightsError, match=r"agent\.json: the discard model is no sum of residual networks"):
            load_agent(summed)
    path.write_text(json.dumps(card | {"sums": {"discard": {"nobody": 1}}}))
    with pytest.raises(WeightsError, match=r"nobody/discard\.safetensors: the discard model's weights are missing"):
        load_agent(summed)


@pytest.mark.parametrize("terms", ["", "+1 * 8x2 +1", "+1 * 9999x2", "+1 * 0x2", "1 * 8x2"])
def test_a_sum_without_sizes(tmp_path, networks, terms):
    path = tmp_path / "sum.safetensors"
    save_network(path, SumNetwork.of([(1, networks["riichi"])]))
    rewrite(path, terms=terms)
    with pytest.raises(WeightsError, match=r"sum\.safetensors: no weights of ours: terms missing or wrong"):
        load_network(path)


def test_an_agent_that_has_the_rest_of_itself(agent):
    card = json.loads((agent / CARD_NAME).read_text())
    (agent / CARD_NAME).write_text(json.dumps({**card, "rest": agent.name}))
    (agent / "pong.safetensors").unlink()
    with pytest.raises(WeightsError, match=r"pong\.safetensors: the pong model's weights are missing"):
        load_agent(agent)


def test_an_agent_with_a_file_of_another(agent, networks):
    save_network(agent / "pong.safetensors", networks["pong"], "float32")
    with pytest.raises(WeightsError, match=r"pong\.safetensors: not the file that agent\.json speaks of"):
        load_agent(agent)


def test_an_agent_with_two_files_exchanged(agent):
    (agent / "chow.safetensors").replace(agent / "pong.safetensors")
    with pytest.raises(WeightsError, match=r"weights are missing|weights of the chow model"):
        load_agent(agent)


def test_a_folder_that_is_no_agent(tmp_path):
    with pytest.raises(WeightsError, match="no folder of an agent's weights"):
        load_agent(tmp_path)
    (tmp_path / CARD_NAME).write_text("{}")
    with pytest.raises(WeightsError, match="no card"):
        load_agent(tmp_path)


def test_a_folder_and_nothing_in_the_place_of_a_file(tmp_path):
    with pytest.raises(WeightsError, match=f"{tmp_path}: a folder, not a file of weights"):
        load_network(tmp_path)
    with pytest.raises(WeightsError, match=r"none\.safetensors: no such file"):
        load_network(tmp_path / "none.safetensors")


def test_an_agent_of_four_networks_is_not_written(tmp_path, networks):
    del networks["kong"]
    with pytest.raises(ValueError, match="an agent has the networks"):
        save_agent(tmp_path / "agent", networks, "x")


def test_weights_of_an_unknown_model_are_refused(saved):
    rewrite(saved, model="critic")
    with pytest.raises(WeightsError, match=r"riichi\.safetensors: weights of an unknown model 'critic'"):
        load_network(saved)
