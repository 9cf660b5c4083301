"""Games solved for an equilibrium, beside the large learner. What most users need, loaded when it is first used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .flat_game import FlatGame, flat
    from .game import CHANCE, END, Game, api_check
    from .policy import Policy, load_policy
    from .rules import Rule, rule
    from .solver import Solver

_PLACES = {
    "FlatGame": "flat_game",
    "flat": "flat_game",
    "CHANCE": "game",
    "END": "game",
    "Game": "game",
    "api_check": "game",
    "Policy": "policy",
    "load_policy": "policy",
    "Rule": "rules",
    "rule": "rules",
    "Solver": "solver",
}

__all__ = ["CHANCE", "END", "FlatGame", "Game", "Policy", "Rule", "Solver", "api_check", "flat", "load_policy", "rule"]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_PLACES[name]}", __name__), name)
    globals()[name] = value
    return value
