"""The page about configuration files, generated from the configuration classes (`scripts/reference_pages.py`)."""

import json
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined, to_jsonable_python

from suphx.adaptation.agent import AdaptedConfig
from suphx.adaptation.config import AdaptationConfig
from suphx.adaptation.experiment import ExperimentConfig
from suphx.config import Config
from suphx.outlook.config import OutlookConfig
from suphx.plugins import CONFIGURATIONS
from suphx.reward import REWARDS
from suphx.reward.config import RewardConfig
from suphx.reward.kinds import RewardKind
from suphx.selfplay.config import TrainConfig
from suphx.supervised.config import PretrainConfig

_HEAD = """# Configuration files

Generated from the configurations themselves by `scripts/reference_pages.py`.

A configuration is a YAML file. What it does not set has the default shown here; a field that does not exist, or a value
out of bounds, is an error that names the file and the field. `--set NAME=VALUE` changes a value on the command line,
with the names as in these tables: `--set learning.batch=8192`. Fields of a part that is off by default (`null`) count
once the part is given: `--set learning.oracle.full_games=1000`. In lists, `[]` stands for each entry, and `NAME` for a
name of your own.
"""
#: Title, description and configuration class of each section.
_COMMANDS: tuple[tuple[str, str, type[Config]], ...] = (
    ("`suphx train`", "Training by self-play ([how it learns](selfplay.md)); `configs/laptop.yaml`.", TrainConfig),
    ("`suphx pretrain`", "Supervised training ([how](training.md)); `configs/pretrain.yaml`.", PretrainConfig),
    ("`suphx reward`", "The global reward predictor ([how](reward.md)); `configs/reward.yaml`.", RewardConfig),
    ("`suphx outlook train`", "The outlook ([how](outlook.md)); `configs/outlook.yaml`.", OutlookConfig),
    ("`suphx adapt`", "Run-time adaptation ([the experiment](adaptation.md)); `configs/adapt.yaml`.", ExperimentConfig),
    ("An agent that adapts", "`adapted:AGENT,config=FILE` ([in play](adaptation.md#in-play)).", AdaptedConfig),
)
_SIGNS = {Ge: ("at least", "ge"), Gt: ("above", "gt"), Le: ("at most", "le"), Lt: ("below", "lt")}
_NAMES = {str: "text", int: "whole number", float: "number", bool: "true or false", Path: "path", type(None): "null"}


def _options(annotation: Any) -> tuple[Any, ...]:
    """Return the types that a value may have, unions flattened."""
    if get_origin(annotation) is Annotated:
        return _options(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return tuple(each for option in get_args(annotation) for each in _options(option))
    return (annotation,)


def _parts(annotation: Any) -> Iterator[tuple[str, type[BaseModel]]]:
    """Yield the configuration classes nested in a type, each with the prefix of its field names."""
    for option in _options(annotation):
        origin, inner = get_origin(option), get_args(option)
        if option is RewardKind:
            yield from (("", REWARDS[each.name]) for each in REWARDS)
        elif isinstance(option, type) and issubclass(option, BaseModel):
            yield "", option
        elif origin in (list, tuple) and inner:
            yield from (("[]" + below, part) for below, part in _parts(inner[0]))
        elif origin is dict:
            yield from ((".NAME" + below, part) for below, part in _parts(inner[1]))


def _type(annotation: Any) -> str:
    """Describe in words which values a type allows."""
    parts = []
    for option in _options(annotation):
        origin, inner = get_origin(option), get_args(option)
        if origin is Literal:
            parts += [f"`{each}`" for each in inner]
        elif origin in (list, tuple):
            parts.append(f"list of {_type(inner[0])}")
        elif origin is dict:
            parts.append(f"{_type(inner[1])} by {'model' if get_origin(inner[0]) is Literal else 'name'}")
        elif isinstance(option, type) and issubclass(option, BaseModel):
            parts.append("a part")
        else:
            parts.append(_NAMES.get(option) or str(getattr(option, "__name__", option)))
    return " or ".join(dict.fromkeys(parts))


def _bounds(field: FieldInfo) -> str:
    words = [
        f"{word} {getattr(bound, name):,}"
        for bound in field.metadata
        for kind, (word, name) in _SIGNS.items()
        if isinstance(bound, kind)
    ]
    return f", {' and '.join(words)}" if words else ""


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "must be given"
    value = field.get_default(call_default_factory=True, validated_data={})
    assert value is not PydanticUndefined
    if isinstance(value, BaseModel) and any(True for _ in _parts(field.annotation)):
        kind = getattr(value, "kind", None)
        return f"`{{kind: {kind}}}`" if kind else "below"
    return f"`{json.dumps(to_jsonable_python(value))}`"


def _meaning(field: FieldInfo) -> str:
    return " ".join((field.description or "").split()).replace("|", "\\|")


def _rows(model: type[BaseModel], shown: dict[type[BaseModel], str], above: str = "") -> Iterator[str]:
    """Yield the table rows of a configuration; shown: nested ones already in the table, and their place there."""
    for name, field in model.model_fields.items():
        place, parts = above + name, list(_parts(field.annotation))
        choices = len(parts) > 1 and all("kind" in part.model_fields for _, part in parts)
        if name != "kind":
            kind = _type(field.annotation) + _bounds(field)
            yield f"| `{place}` | {kind} | {_default(field)} | {_meaning(field)} |"
        for below, part in parts:
            if choices:
                kind = get_args(part.model_fields["kind"].annotation)[0]
                yield f"| `{place}` | `{{kind: {kind}}}` | | {(part.__doc__ or '').splitlines()[0]} |"
            if part in shown and part.model_fields:
                yield f"| `{place}{below}.…` | | | The same fields as `{shown[part]}.…` above |"
                continue
            shown[part] = place + below
            yield from _rows(part, shown, f"{place}{below}.")


def configuration_page() -> str:
    """Return the page in Markdown."""
    parts = [_HEAD]
    for title, words, model in (*_COMMANDS, *((each.name, each.description, each.load()) for each in CONFIGURATIONS)):
        parts += [f"\n## {title}\n", words, "", "| field | value | default | meaning |", "|---|---|---|---|"]
        parts += _rows(model, {AdaptationConfig: "adaptation"} if model is AdaptedConfig else {})
    return "\n".join(parts) + "\n"
