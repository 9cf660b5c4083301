"""Weights on disk: a safetensors file per network, and a folder of five with a card per agent. Nothing is unpickled.

A file's metadata contains its model, its size and the layout of planes that it was trained on; files that do not fit
are rejected with an error that names them. Files are written completely or not at all.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, cast

import numpy as np
import torch
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from safetensors import SafetensorError, safe_open
from safetensors.torch import load, save

from simulator.files import write_whole
from suphx.config import StrictModel
from suphx.errors import InputError
from suphx.features.layout import VERSION
from suphx.networks.models import MODELS, OUTLOOK
from suphx.networks.policy import Network, OutlookNetwork, PolicyNetwork, SumNetwork
from suphx.networks.sizes import ARCHITECTURES, RESIDUAL, Size, build_network
from suphx.plugins import PLUGINS_VARIABLE

FORMAT_VERSION = 1
CARD_NAME = "agent.json"
#: File with the keys of the games that an agent was trained on.
SEEN_NAME = "seen.safetensors"
#: Types that weights may be stored in, of two or four bytes. Loaded weights are always float32.
Storage = Literal["bfloat16", "float16", "float32"]
#: The name of a folder beside another one.
Folder: TypeAlias = Annotated[str, Field(pattern=r"^[\w-]+$")]
N = TypeVar("N", bound=Network)
M = TypeVar("M", bound=torch.nn.Module)


class WeightsError(InputError):
    """Weights that cannot be used; the message names the file and the reason."""


class _Description(BaseModel):
    """A file's metadata besides the fields of the network's size, all stored as strings."""

    model_config = ConfigDict(extra="ignore")

    format: int
    model: str
    layout: str
    planes: int = Field(ge=1, le=4096)
    kind: str = RESIDUAL


class AgentCard(StrictModel):
    """The description of an agent in its folder of weights."""

    format: int = FORMAT_VERSION
    name: str
    layout: str = VERSION
    sha256: dict[str, str]
    """Hash of each file by name, to make sure that the five belong together."""
    rest: str = Field(default="", pattern=r"^[\w-]*$")
    """The folder beside this one that has the files which are not here, if one has: agents that differ in a network
    need not hold the others twice."""
    sums: dict[str, Annotated[dict[Folder, float], Field(min_length=1)]] = Field(default_factory=dict)
    """By model without a file here: the folders beside this one whose networks are added, with their factors."""
    temperatures: dict[str, float] = Field(default_factory=dict)
    """By model: what the logits were divided by before the network learned from its own games; 1 where not named. A
    training that begins with these weights does not do it again."""
    about: dict[str, str] = Field(default_factory=dict)
    """Any further information: data, accuracy, command."""


def save_network(path: Path, network: Network, storage: Storage = "float32") -> None:
    """Write a network's weights; an existing file is replaced atomically, or stays as it is if writing fails."""
    write_whole(path, _serialize(network, storage))


def _serialize(network: Network, storage: Storage) -> bytes:
    dtype = getattr(torch, storage)
    tensors = {}
    for name, tensor in network.state_dict().items():
        stored = tensor.detach().to("cpu", dtype).contiguous()
        if not torch.isfinite(stored).all():
            raise WeightsError(f"{network.model}: {name} has numbers that {storage} cannot hold")
        tensors[name] = stored
    description = {"format": FORMAT_VERSION, "model": network.model, "layout": VERSION, "planes": network.planes}
    description |= network.size.model_dump()
    return in_order(save(tensors, {name: str(value) for name, value in description.items()}))


def in_order(data: bytes) -> bytes:
    """Return a safetensors file with its header sorted, so that hashes are stable: the library's order varies."""
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.dumps(json.loads(data[8:start]), sort_keys=True, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)  # tensors begin at a multiple of eight bytes
    return len(header).to_bytes(8, "little") + header + data[start:]


def load_network(path: Path, model: str | None = None) -> PolicyNetwork:
    """Return the network in a file, with float32 weights on the CPU.

    model: the model that is required, by default any. Raises WeightsError, naming the file, if it is for another model
    or layout of planes, incomplete, or has unsuitable tensors.
    """
    return _load(path, MODELS if model is None else (model,), build_network)


def load_outlook(path: Path) -> OutlookNetwork:
    """Return the outlook network in a file; raises WeightsError as `load_network` does."""
    return _load(path, (OUTLOOK,), lambda model, size, planes: OutlookNetwork(size, planes))


def _load(path: Path, models: Sequence[str], build: Callable[[str, Any, int], N]) -> N:
    metadata, tensors = read_tensors(path)
    try:
        about = _Description.model_validate(metadata)
        size = _size(path, about.kind, {each: metadata[each] for each in metadata if each not in _DESCRIPTION})
    except ValidationError as error:
        fields = ", ".join(str(problem["loc"][0]) for problem in error.errors())
        raise WeightsError(f"{path}: no weights of ours: {fields} missing or wrong in the metadata") from error
    if about.format != FORMAT_VERSION:
        raise WeightsError(f"{path}: weights of format {about.format}; this version reads format {FORMAT_VERSION}")
    if about.model not in (*MODELS, OUTLOOK):
        raise WeightsError(f"{path}: weights of an unknown model {about.model!r}")
    if about.model not in models:
        raise WeightsError(f"{path}: weights of the {about.model} model; the {' or '.join(models)} model is needed")
    if about.layout != VERSION:
        raise WeightsError(f"{path}: made for layout {about.layout} of planes; this version has layout {VERSION}")
    return with_weights(path, tensors, lambda: build(about.model, size, about.planes))


#: The fields of a file's metadata that are not its size's, without which the residual network's has no `kind`.
_DESCRIPTION = _Description.model_fields.keys() - {"kind"}


def _size(path: Path, architecture: str, values: dict[str, str]) -> Size:
    """Return a network's size from a file's metadata; raises WeightsError if its architecture is not registered."""
    if architecture not in ARCHITECTURES:
        known = ", ".join(each.name for each in ARCHITECTURES)
        raise WeightsError(
            f"{path}: weights of the architecture {architecture!r}, which is not registered; there are {known}. "
            f"Is its module named in {PLUGINS_VARIABLE}?"
        )
    return ARCHITECTURES[architecture].size.model_validate(values)


def read_tensors(path: Path) -> tuple[dict[str, str], dict[str, torch.Tensor]]:
    """Return metadata and tensors of a safetensors file; raises WeightsError, naming it, if it is none or not whole."""
    if not path.is_file():
        raise WeightsError(f"{path}: a folder, not a file of weights" if path.is_dir() else f"{path}: no such file")
    try:
        with safe_open(path, "pt") as file:
            return file.metadata() or {}, {name: file.get_tensor(name) for name in file.keys()}
    except SafetensorError as error:
        raise WeightsError(f"{path}: no safetensors file, or not whole ({error})") from error
    except OSError as error:  # the library's errors name no file
        raise WeightsError(f"{path}: {error}") from error


def with_weights(path: Path, tensors: Mapping[str, torch.Tensor], build: Callable[[], M]) -> M:
    """Return the network of `build` with a file's tensors; raises WeightsError unless they fit and are finite."""
    with torch.device("meta"):
        network = build()
    wanted = network.state_dict()
    missing, unknown = wanted.keys() - tensors.keys(), tensors.keys() - wanted.keys()
    if missing or unknown:
        words = [f"{word} {', '.join(sorted(names)[:3])}" for word, names in
                 (("without", missing), ("with unknown", unknown)) if names]  # fmt: skip
        raise WeightsError(f"{path}: not the tensors of this network: {'; '.join(words)}")
    for name, tensor in tensors.items():
        if tensor.shape != wanted[name].shape:
            shapes = f"{list(tensor.shape)}, not {list(wanted[name].shape)}"
            raise WeightsError(f"{path}: tensor {name} has shape {shapes}")
        if tensor.dtype not in (torch.float32, torch.bfloat16, torch.float16) or not torch.isfinite(tensor).all():
            raise WeightsError(f"{path}: tensor {name} holds other things than finite floating-point numbers")
    network.to_empty(device="cpu").load_state_dict(tensors)
    return network


def save_agent(
    folder: Path,
    networks: Mapping[str, PolicyNetwork],
    name: str,
    about: Mapping[str, str] | None = None,
    storage: Storage = "bfloat16",
    seen: np.ndarray | None = None,
    starts: Sequence[Path] = (),
    temperatures: Mapping[str, float] | None = None,
) -> None:
    """Write the five networks and their card into a folder.

    The card is written last and has the hash of each file, so that a folder that was only partly replaced is noticed
    when it is loaded. seen: uint64[n], keys of the games trained on (`dataset.prepared.GAME_ROW`), so that the agent
    can be measured on others. starts: folders of the weights that it was made from, whose games are added.
    temperatures: see `AgentCard`. Raises ValueError if a model is missing.
    """
    if set(networks) != set(MODELS):
        raise ValueError(f"an agent has the networks {', '.join(MODELS)}, not {', '.join(networks)}")
    folder.mkdir(parents=True, exist_ok=True)
    hashes = {}
    for model in MODELS:
        data = _serialize(networks[model], storage)
        hashes[_file_name(model)] = hashlib.sha256(data).hexdigest()
        write_whole(folder / _file_name(model), data)
    known = [_seen(start, card) for start in starts if SEEN_NAME in (card := load_card(start)).sha256]
    if seen is not None or known:
        short = np.unique(np.concatenate([*known, *([] if seen is None else [_short(seen)])]))
        data = save({"keys": torch.from_numpy(short)})
        hashes[SEEN_NAME] = hashlib.sha256(data).hexdigest()
        write_whole(folder / SEEN_NAME, data)
    card = AgentCard(name=name, sha256=hashes, temperatures=dict(temperatures or {}), about=dict(about or {}))
    write_whole(folder / CARD_NAME, card.model_dump_json(indent=2).encode() + b"\n")


def load_card(folder: Path) -> AgentCard:
    """Return the card of a folder of weights; raises WeightsError if there is none or its format is not this one."""
    path = folder / CARD_NAME
    try:
        card = AgentCard.model_validate_json(path.read_bytes())
    except FileNotFoundError as error:
        raise WeightsError(f"{folder}: no folder of an agent's weights: it has no {CARD_NAME}") from error
    except ValidationError as error:
        raise WeightsError(f"{path}: no card of an agent's weights: {error.errors()[0]['msg']}") from error
    if card.format != FORMAT_VERSION:
        raise WeightsError(f"{path}: a card of format {card.format}; this version reads format {FORMAT_VERSION}")
    return card


def load_agent(folder: Path) -> dict[str, PolicyNetwork]:
    """Return the five networks of a folder by model; raises WeightsError as `load_network` and `load_card` do."""
    return {model: load_agent_network(folder, model) for model in MODELS}


def load_agent_network(folder: Path, model: str) -> PolicyNetwork:
    """Return one of the five networks of a folder; raises WeightsError as `load_agent` does."""
    card, name = load_card(folder), _file_name(model)
    if model not in card.sums:
        return _load_listed(_where(folder, card, name), name, card, model)
    beside = folder.resolve().parent
    parts = [
        (factor, _load_listed(beside / each / name, f"{each}/{name}", card, model))
        for each, factor in card.sums[model].items()
    ]
    try:
        return cast(PolicyNetwork, SumNetwork.of(parts))  # which it is to all who only ask for logits
    except ValueError as error:
        raise WeightsError(f"{folder / CARD_NAME}: the {model} model is no sum of residual networks") from error


def _load_listed(path: Path, name: str, card: AgentCard, model: str) -> PolicyNetwork:
    """Return the network in a file that is listed on a card by that name."""
    if not path.is_file():
        raise WeightsError(f"{path}: the {model} model's weights are missing")
    network = load_network(path, model)
    if card.sha256.get(name) != hashlib.sha256(path.read_bytes()).hexdigest():
        raise WeightsError(f"{path}: not the file that {CARD_NAME} speaks of")
    return network


def _file_name(model: str) -> str:
    return f"{model}.safetensors"


def _where(folder: Path, card: AgentCard, name: str) -> Path:
    """Return the path of one of an agent's files, whether there is one or not."""
    known = set()
    while card.rest and card.rest not in known and not (folder / name).exists():
        known.add(card.rest)
        folder = folder.resolve().parent / card.rest
        card = load_card(folder)
    return folder / name


def _short(keys: np.ndarray) -> np.ndarray:
    """Return half of each key, i32[n]: with 40,000 games, one new game in 10^5 is mistaken for a known one."""
    return (keys >> np.uint64(32)).astype(np.uint32).view(np.int32)


def seen_games(folder: Path, keys: np.ndarray) -> np.ndarray:
    """Return bool[n]: whether a folder's agent was trained on games with keys uint64[n]; False if it has no list."""
    card = load_card(folder)
    if SEEN_NAME not in card.sha256:
        return np.zeros(len(keys), np.bool_)
    return np.isin(_short(keys), _seen(folder, card))


def _seen(folder: Path, card: AgentCard) -> np.ndarray:
    """Return the halves of keys, i32[n], listed in a folder of weights."""
    path = _where(folder, card, SEEN_NAME)
    try:
        return load(path.read_bytes())["keys"].numpy()
    except (OSError, SafetensorError, KeyError) as error:
        raise WeightsError(f"{path}: no list of games, or not whole ({error})") from error
