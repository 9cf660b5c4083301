"""Games solved for an equilibrium, beside the large learner. What most users need, loaded when it is first used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .flat_game import FlatGame, flat
    from .game import CHANCE, END, ExtensiveGame, api_check
    from .policy import Policy, load_policy
    from .rules import Rule, rule
    from .solver import Solver

__all__ = [
    "CHANCE", "END", "ExtensiveGame", "FlatGame", "Policy", "Rule", "Solver", "api_check", "flat", "load_policy", "rule"
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in __all__:
        for module in ("game", "flat_game", "policy", "rules", "solver"):
            if hasattr(place := import_module(f".{module}", __name__), name):
                globals()[name] = getattr(place, name)
                return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
