"""The public names of a package, each loaded when it is first used (PEP 562): importing the package is quick."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy(package: str, modules: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package; modules: in it -> the names that they define."""
    module_of = {name: module for module, names in modules.items() for name in names.split()}

    def load(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{module_of[name]}"), name)

    def names() -> list[str]:
        return sorted({*vars(import_module(package)), *module_of})

    return load, names
