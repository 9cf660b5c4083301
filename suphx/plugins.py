"""Plugins: modules that add agents, commands, rewards and the like by registering them when they are imported.

A plugin imports nothing heavy: it registers names, and each loads what it needs when it is first used. The packages of
`suphx` have theirs in a file `plugin.py`; a user's own modules are named in the environment variable SUPHX_PLUGINS.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from suphx.errors import InputError

if TYPE_CHECKING:
    import typer
    from fastapi import APIRouter

#: Names of modules, separated by commas; Python must find them, such as in a folder of PYTHONPATH.
PLUGINS_VARIABLE = "SUPHX_PLUGINS"

T = TypeVar("T")


def lazy(module: str, name: str) -> Callable[[], Any]:
    """Return a loader for a registry: what has a name in a module, which is imported then."""
    return lambda: getattr(import_module(module), name)


@cache
def load_plugins() -> None:
    """Import every plugin, once; raises InputError for one of the user's that cannot be imported."""
    package = Path(__file__).parent
    for path in sorted(package.glob("*/plugin.py")):
        import_module(f"suphx.{path.parent.name}.plugin")
    for name in filter(None, map(str.strip, os.environ.get(PLUGINS_VARIABLE, "").split(","))):
        try:
            import_module(name)
        except ModuleNotFoundError as error:
            raise InputError(f"{PLUGINS_VARIABLE}: no module {error.name!r}; is its folder in PYTHONPATH?") from error


@dataclass(frozen=True)
class Entry(Generic[T]):
    """Something that was registered under a name."""

    name: str
    description: str
    load: Callable[[], T]


class Registry(Generic[T]):
    """Things by name, each loaded when it is asked for; a name that is not known yet is looked for in the plugins."""

    def __init__(self, kind: str) -> None:
        """kind: what its entries are, for error messages, e.g. `reward`."""
        self._kind = kind
        self._entries: dict[str, Entry[T]] = {}

    def register(self, name: str, description: str, load: Callable[[], T]) -> None:
        """Add an entry; raises ValueError if the name is taken. load: imports what is needed and returns the thing."""
        if name in self._entries:
            raise ValueError(f"two entries of the name {name!r} for a {self._kind}")
        self._entries[name] = Entry(name, description, load)

    def __getitem__(self, name: str) -> T:
        """Return the thing with a name, loaded; raises InputError if there is none."""
        if name not in self:
            raise InputError(f"no {self._kind} {name!r}; there are {', '.join(each.name for each in self)}")
        return self._entries[name].load()

    def __contains__(self, name: object) -> bool:
        """Return whether a name is registered."""
        if name not in self._entries:
            load_plugins()
        return name in self._entries

    def __iter__(self) -> Iterator[Entry[T]]:
        """Yield all entries, those of plugins included, in the order of their registration."""
        load_plugins()
        return iter(list(self._entries.values()))


@dataclass(frozen=True)
class View:
    """A view that the page of `suphx web` has at the address `/NAME`, by the name that it is registered by.

    In `folder`: `NAME.js`, whose `show(root)` shows it in an element; `style.css`; and for each language
    `texts/LANGUAGE.json`, with a section NAME, whose `title` and `link` (with a place for the `{link}`) are for the
    start page. Its requests are `/api/NAME`.
    """

    folder: Path
    load_routes: Callable[[], Callable[[], "APIRouter"]]


#: Groups of commands, each with the panel of `suphx --help` as its description; likewise of `suphx bench`.
COMMANDS: "Registry[typer.Typer]" = Registry("command")
BENCHES: "Registry[typer.Typer]" = Registry("benchmark")
#: What `suphx warmup` compiles.
WARMUPS: Registry[Callable[[], None]] = Registry("part to compile")
#: Configuration classes, by the title of their section in the documents.
CONFIGURATIONS: Registry[Any] = Registry("configuration")
VIEWS: Registry[View] = Registry("view")
