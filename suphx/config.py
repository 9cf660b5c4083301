"""Configuration files: YAML, checked against a pydantic model; what is wrong is told with file and field."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from suphx.errors import InputError


class Config(BaseModel):
    """What every configuration is: unknown fields are errors, values do not change once read."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


C = TypeVar("C", bound=BaseModel)


def load_config(path: Path, model: type[C]) -> C:
    """Return the configuration in a YAML file; raises InputError, naming file and field, for anything wrong in it."""
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such configuration") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: no YAML: {error}") from error
    if not isinstance(values, dict):
        raise InputError(f"{path}: a configuration is a mapping of names to values")
    try:
        return model.model_validate(values)
    except ValidationError as error:
        problems = "; ".join(_words(problem["loc"], problem["msg"]) for problem in error.errors()[:5])
        raise InputError(f"{path}: {problems}") from error


def _words(place: tuple[int | str, ...], message: str) -> str:
    return f"{'.'.join(map(str, place)) or 'the whole'}: {message}"
