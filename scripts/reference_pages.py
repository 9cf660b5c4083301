"""Write the pages that are generated from the code: configuration.md, features.md and record.md.

usage: python scripts/reference_pages.py FOLDER      for the site: docs/reference
"""

import json
import re
import sys
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import numpy as np
from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined, to_jsonable_python

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the code of this checkout

from simulator import record as r
from suphx.adaptation.adapting import AdaptationConfig
from suphx.adaptation.agent import AdaptedConfig
from suphx.adaptation.experiment import ExperimentConfig
from suphx.config import Config
from suphx.features import layout
from suphx.features.layout_groups import Group
from suphx.outlook.training import OutlookConfig
from suphx.plugins import CONFIGURATIONS
from suphx.reward import REWARDS
from suphx.reward.kinds import RewardKind
from suphx.reward.training import RewardConfig
from suphx.selfplay.config import TrainConfig
from suphx.supervised.config import PretrainConfig


def _section(title: str, head: str, rows: list[str]) -> str:
    """Return a section of a page: a title, and a table with this head."""
    return "\n".join([f"\n## {title}\n", head, "|---" * (head.count("|") - 1) + "|", *rows]) + "\n"


_CONFIGURATION = """# Configuration files

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
    parts = [_CONFIGURATION]
    for title, words, model in (*_COMMANDS, *((each.name, each.description, each.load()) for each in CONFIGURATIONS)):
        rows = list(_rows(model, {AdaptationConfig: "adaptation"} if model is AdaptedConfig else {}))
        parts.append(_section(f"{title}\n\n{words}", "| field | value | default | meaning |", rows))
    return "".join(parts)


_FEATURES = """# What the networks see

Generated from `suphx/features/layout.py` and `layout_calls.py` by `scripts/reference_pages.py`.

A position is {planes} planes of 34 bits, one for each kind of tile: discard and riichi see these; chow, pong and kong
see {more} more, {calls} in all, which say what is proposed and what the hand is after it. The oracle's {oracle} planes
are apart. Seats are the position's own: self, right (the next in turn), across, left. A plane holds a set of kinds, at
most one kind, or all or none; a number is one all-or-none plane for each step that it reaches, or, among the oracle's,
as many kinds from the first one on. The paper says how many planes there are and what kinds of things they hold, not
which they are: these are ours.

A row is a group of planes: one for each combination of the values of its axes, of which the last varies fastest (for a
seat that gives and one that takes, the same seat twice is left out). `suphx features LOG` shows a position's planes one
by one.

Version of this layout: `{version}`; of the oracle's block: `{oracle_version}`. Weights carry the version that they were
trained on.
"""


def _group_table(title: str, groups: Iterable[Group], first: int) -> str:
    rows = []
    for group in groups:
        last = first + len(group.planes) - 1
        places = f"{first}" if first == last else f"{first}-{last}"
        axes = "; ".join(f"{axis}: {_values(values)}" for axis, values in group.axes.items())
        row = f"| {places} | `{group.key}` | {group.name} | {axes} | {group.meaning} | {group.range} |"
        rows.append(row.replace(":,}", "}"))  # how a number is written is told by the axis
        first = last + 1
    return _section(title, "| planes | group | plane | axes | meaning | holds |", rows)


def _values(values: tuple) -> str:
    """Return an axis' values as text: numbers that follow each other as a range."""
    if len(values) > 2 and values == tuple(range(1, len(values) + 1)):
        return f"1 to {len(values)}"
    return ", ".join(f"{value:,}" if isinstance(value, int) else str(value) for value in values)


def features_page() -> str:
    """Return the page in Markdown."""
    head = _FEATURES.format(
        planes=layout.PLANES, calls=layout.CALL_PLANES, more=layout.CALL_PLANES - layout.PLANES,
        oracle=layout.ORACLE_PLANES, version=layout.VERSION, oracle_version=layout.ORACLE_VERSION,
    )  # fmt: skip
    return (
        head
        + _group_table("Positions", layout.GROUPS, 0)
        + _group_table("Proposed calls", layout.CALL_GROUPS, layout.PLANES)
        + _group_table("The oracle", layout.ORACLE_GROUPS, 0)
    )


_RECORD = """# The game record

Generated from `simulator/record.py` by `scripts/reference_pages.py`.

One game is one `GAME`, {size:,} bytes. A batch of games is a NumPy array of it.
"""


def _record_table(title: str, dtype: np.dtype, fields: tuple) -> str:
    rows = []
    for name, code, shape, meaning in fields:
        base = np.dtype(code).name if code else {"melds": "MELD", "wins": "WIN", "rules": "RULES"}.get(name)
        base = base or ("RESULT" if name == "result" else "WIN")
        size = "".join(f"[{n}]" for n in shape)
        escaped = meaning.replace("|", "\\|")
        rows.append(f"| `{name}` | {base}{size} | {escaped} |")
    return _section(f"{title} ({dtype.itemsize:,} bytes)", "| field | type | meaning, unit, range |", rows)


def _numbers(title: str, prefix: str) -> str:
    named = {name: value for name, value in vars(r).items() if name.startswith(prefix) and isinstance(value, int)}
    rows = [f"| {value} | `{name}` |" for name, value in sorted(named.items(), key=lambda item: item[1])]
    return _section(title, "| number | name |", rows)


def record_page() -> str:
    """Return the page in Markdown."""
    return (
        _RECORD.format(size=r.GAME.itemsize)
        + _record_table("GAME", r.GAME, r.GAME_FIELDS)
        + _record_table("MELD", r.MELD, r.MELD_FIELDS)
        + _record_table("RESULT", r.RESULT, r.RESULT_FIELDS)
        + _record_table("WIN", r.WIN, r.WIN_FIELDS)
        + _numbers("Phases", "PHASE_")
        + _numbers("Events (type in bits 0-3, seat 4-5, extra 6-7, tile 8-15)", "EVENT_")
        + _numbers("Results", "RESULT_")
        + _section("Actions", "| number | action |", [f"| {n} | {name} |" for n, name in enumerate(r.ACTION_NAMES)])
    )


PAGES = {"configuration": configuration_page, "features": features_page, "record": record_page}


def write_pages(folder: Path) -> None:
    """Write every page; links to pages of `docs` become links from a folder below it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        text = re.sub(rf"\]\((?!{'|'.join(PAGES)}|https?:|#)", "](../", page())
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    write_pages(Path(sys.argv[1]))
