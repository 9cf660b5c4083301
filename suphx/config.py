"""Configuration files: YAML, checked against a pydantic model; what is wrong is told with file and field."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from suphx.errors import InputError


class Config(BaseModel):
    """What every configuration is: unknown fields are errors, values do not change once read."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


C = TypeVar("C", bound=BaseModel)


def load_config(path: Path, model: type[C], changes: Sequence[str] = ()) -> C:
    """Return the configuration in a YAML file; raises InputError, naming file and field, for anything wrong in it.

    changes: values set over those of the file, such as `models.discard.pairs=1000`, in YAML's notation.
    """
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such configuration") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: no YAML: {error}") from error
    if not isinstance(values, dict):
        raise InputError(f"{path}: a configuration is a mapping of names to values")
    return make_config(values, model, changes, str(path))


def make_config(values: dict[str, Any], model: type[C], changes: Sequence[str], source: str) -> C:
    """Return the configuration of some values, with changes as for `load_config`; they are set in `values` too.

    Raises InputError for anything wrong, naming the source and the field.
    """
    for change in changes:
        _set(values, change)
    try:
        return model.model_validate(values)
    except ValidationError as error:
        problems = "; ".join(_words(problem["loc"], problem["msg"]) for problem in error.errors()[:5])
        raise InputError(f"{source}: {problems}") from error


def _set(values: dict, change: str) -> None:
    """Set one value: `name=value`, names of nested fields joined by dots."""
    place, separator, text = change.partition("=")
    *above, name = place.split(".")
    if not separator or not all((*above, name)):
        raise InputError(f"{change!r} sets nothing; write NAME=VALUE, such as batch=512 or models.discard.pairs=1000")
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(f"{change}: no YAML: {error}") from error
    for each in above:
        values = values.setdefault(each, {})
        if not isinstance(values, dict):
            raise InputError(f"{change}: {each} is a value and has no fields")
    values[name] = value


def _words(place: tuple[int | str, ...], message: str) -> str:
    return f"{'.'.join(map(str, place)) or 'the whole'}: {message}"
