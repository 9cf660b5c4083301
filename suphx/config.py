"""Configuration files: YAML validated against a pydantic model; errors name the file and the field."""

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ClassVar, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from suphx.errors import InputError


class StrictModel(BaseModel, extra="forbid"):
    """Base class of what is written to a file and read back: unknown names are errors."""


class Config(BaseModel):
    """Base class of all configurations: unknown fields are errors, and values are immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True, allow_inf_nan=False)

    renamed: ClassVar[dict[str, str]] = {}
    """Earlier names of fields: an error names the new one, and files already written stay readable."""

    @model_validator(mode="before")
    @classmethod
    def _no_boolean_as_number(cls, values: Any) -> Any:
        for name, value in values.items() if isinstance(values, dict) else ():
            kinds = _kinds(cls.model_fields[name].annotation) if name in cls.model_fields else set()
            inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
            wrong = [str(each).lower() for each in (value, *inside) if isinstance(each, bool)]
            if wrong and bool not in kinds and kinds & {int, float}:
                word = "is" if isinstance(value, bool) else "contains"
                raise PydanticCustomError("boolean", f"{name} {word} {wrong[0]}, which is no number")
        return values


def _kinds(annotation: Any) -> set[Any]:
    """Return the types that a field's annotation is made of."""
    return {annotation}.union(*map(_kinds, get_args(annotation))) if get_args(annotation) else {annotation}


class _Loader(yaml.SafeLoader):
    """YAML's safe loader, for which a key that is written twice is an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(None, None, f"{key.value} is written twice", key.start_mark)
                seen.add(key.value)
        return super().construct_mapping(node, deep)


C = TypeVar("C", bound=BaseModel)

#: Folders of the included configurations: in an installed wheel, and in a checkout; those of experiments come last.
_FOLDERS = [
    above / "configs" / folder
    for folder in ("", "experiments")
    for above in (Path(__file__).parent, Path(__file__).parents[1])
]


def load_config(path: Path, model: type[C], changes: Sequence[str] = ()) -> C:
    """Load a configuration from a YAML file; raises InputError, naming file and field, if anything in it is wrong.

    path: the file, or the name of a configuration that comes with the program, such as `laptop`. changes: values that
    override those of the file, such as `models.discard.pairs=1000`, in YAML notation.
    """
    try:
        text = _file_of(path).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        names = sorted({each.stem for folder in _FOLDERS for each in folder.glob("*.yaml")})
        raise InputError(f"{path}: no such configuration; by name there are {', '.join(names)}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: no YAML file: {error}") from error
    values = _read_yaml(text, str(path))
    if not isinstance(values, dict):
        raise InputError(f"{path}: a configuration must be a mapping of names to values")
    return make_config(values, model, changes, str(path))


def _file_of(path: Path) -> Path:
    """Resolve a path or a configuration's name to a file; a file of that name in the working folder comes first."""
    if path.suffix or len(path.parts) != 1 or path.is_file():
        return path
    included = [folder / f"{path}.yaml" for folder in _FOLDERS]
    return next((each for each in included if each.is_file()), path)


def make_config(values: dict[str, Any], model: type[C], changes: Sequence[str], source: str) -> C:
    """Build a configuration from plain values, with changes as for `load_config`, which are also set in `values`.

    Raises InputError, naming the source and the field, if anything is wrong.
    """
    for change in changes:
        _set(values, change)
    try:
        return model.model_validate(values)
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, each['loc'])) or 'the whole'}: {each['msg']}{_suggestion(model, each)}"
            for each in error.errors()[:5]
        ]
        raise InputError(f"{source}: {'; '.join(problems)}") from error


def _read_yaml(text: str, source: str) -> Any:
    """Parse a YAML text; raises InputError, naming the source."""
    try:
        return yaml.load(text, _Loader)
    except RecursionError as error:
        raise InputError(f"{source}: no YAML: nested too deeply") from error
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise InputError(f"{source}: no YAML: {line}{error.problem or error.context}") from error
    except yaml.reader.ReaderError as error:
        raise InputError(f"{source}: no YAML: {error.reason} (#x{error.character:04x})") from error
    except (yaml.YAMLError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
        # the library does not wrap the errors of malformed dates and numbers, such as 2026-02-30 and !!int ''
        raise InputError(f"{source}: no YAML: {error}") from error


def _set(values: dict, change: str) -> None:
    """Set one value in place, given as `name=value`; the names of nested fields are joined by dots."""
    place, separator, text = change.partition("=")
    *above, name = place.split(".")
    if not separator or not all((*above, name)):
        raise InputError(f"{change!r} sets nothing; write NAME=VALUE, such as batch=512 or models.discard.pairs=1000")
    value = _read_yaml(text, change)
    for each in above:
        values = values.setdefault(each, {})
        if not isinstance(values, dict):
            raise InputError(f"{change}: {each} is a value and has no fields")
    values[name] = value


def _suggestion(model: Any, problem: Any) -> str:
    """Return which field was probably meant, if the problem is an unknown one."""
    *above, name = problem["loc"] or ("",)
    if problem["type"] != "extra_forbidden":
        return ""
    for each in above:
        field = getattr(model, "model_fields", {}).get(each)
        model = (
            next((kind for kind in _kinds(field.annotation) if hasattr(kind, "model_fields")), None) if field else model
        )
    if new := getattr(model, "renamed", {}).get(name):
        return f" (it is now called {new})"
    near = get_close_matches(str(name), getattr(model, "model_fields", {}), 1)
    return f" (did you mean {near[0]}?)" if near else ""
