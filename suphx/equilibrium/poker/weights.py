"""Weights of poker's networks on disk: one safetensors file with JSON beside the tensors. Nothing is unpickled."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import nn

from simulator.files import write_whole
from suphx.errors import InputError


def save_weights(path: Path, model: str, tensors: Mapping[str, torch.Tensor], state: dict[str, Any]) -> None:
    """Write tensors, the name of their model, and JSON values; an existing file is replaced as a whole or not."""
    plain = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
    write_whole(path, save(plain, {"model": model, "state": json.dumps(state)}))


def load_weights(path: Path, model: str) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """Read what `save_weights` wrote; InputError names the file if it is another model's, damaged, or not finite."""
    if not path.is_file():
        raise InputError(f"{path}: no such file of weights")
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            if metadata.get("model") != model:
                raise InputError(f"{path}: weights of {metadata.get('model', 'another program')}; {model} is needed")
            tensors = {name: file.get_tensor(name) for name in file.keys()}
            state = json.loads(metadata.get("state", ""))
    except (SafetensorError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: no safetensors file of ours, or not whole") from error
    for name, tensor in tensors.items():
        if not torch.isfinite(tensor).all():
            raise InputError(f"{path}: {name} has numbers that are not finite")
    if not isinstance(state, dict):
        raise InputError(f"{path}: its state is no JSON object")
    return tensors, state


def fill(path: Path, network: nn.Module, tensors: Mapping[str, torch.Tensor]) -> None:
    """Load tensors into a network; InputError names the file and the first tensor that does not fit."""
    expected = network.state_dict()
    for name in sorted(expected.keys() | tensors.keys()):
        mine, read = expected.get(name), tensors.get(name)
        if mine is None or read is None or (mine.shape, mine.dtype) != (read.shape, read.dtype):
            raise InputError(f"{path}: not the tensors of this network: {name}")
    network.load_state_dict(dict(tensors))
