"""Games that come with the solver, and every game by name."""

import importlib
import sys
from pathlib import Path
from typing import Any

from suphx.equilibrium.game import ExtensiveGame
from suphx.equilibrium.games.classic import DarkHex, Goofspiel, Kuhn, Leduc, LiarsDice, Matrix, rock_paper_scissors
from suphx.equilibrium.games.pocket_mahjong import PocketMahjong
from suphx.errors import InputError

NAMED: dict[str, Any] = {
    "rps": rock_paper_scissors,
    "kuhn": Kuhn,
    "leduc": Leduc,
    "liars-dice": LiarsDice,
    "goofspiel": Goofspiel,
    "dark-hex": DarkHex,
    "pocket": PocketMahjong,
}

__all__ = ["NAMED", "DarkHex", "Goofspiel", "Kuhn", "Leduc", "LiarsDice", "Matrix", "PocketMahjong", "named"]


def named(text: str) -> ExtensiveGame:
    """Return a game: `kuhn`, `liars-dice:sides=4`, `X.game`, `openspiel:NAME(ARGS)`, `module:Class`; or InputError."""
    name, _, rest = text.partition(":")
    if name == "openspiel":
        from suphx.equilibrium.games.openspiel import load

        return load(rest)
    if text.endswith(".game"):
        from suphx.equilibrium.games.game_file import read

        return read(Path(text))
    options: dict[str, int] = {}
    if name in NAMED:
        kind, options = NAMED[name], _options(rest, text)
    elif rest and "=" not in rest:
        kind = _of_module(name, rest)
    else:
        raise InputError(
            f"no game is named {text!r}; there are: {', '.join(NAMED)}, "
            "a path that ends in .game, openspiel:NAME, module:Class"
        )
    try:
        return kind(**options)
    except TypeError as error:
        raise InputError(f"{text}: {error}") from error


def _options(rest: str, text: str) -> dict[str, int]:
    options = {}
    for part in filter(None, rest.split(",")):
        option, _, value = part.partition("=")
        if not value.removeprefix("-").isdigit():
            raise InputError(f"{part!r} in {text!r}: options are written name=number")
        options[option] = int(value)
    return options


def _of_module(module: str, name: str) -> Any:
    sys.path.insert(0, str(Path.cwd()))  # as `python -m` would look
    try:
        value = getattr(importlib.import_module(module), name, None)
    except ImportError as error:
        raise InputError(f"{module}:{name}: {error}") from error
    finally:
        sys.path.pop(0)
    if value is None:
        raise InputError(f"the module {module} has no {name}")
    return value
