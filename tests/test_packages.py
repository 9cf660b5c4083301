"""Packages import one way: who may import whom is an order, and the source is held to it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHARED = {
    "errors",
    "run_folder",
    "plotting",
    "config",
    "checkpoint",
    "intervals",
    "plugins",
    "progress",
    "threads",
    "cluster",
}
#: From the bottom up: a package imports those above its line in this list, and the shared files, never those below.
ORDER = (
    "features", "networks", "agent", "dataset", "learning", "supervised", "reward", "outlook", "mjai", "evaluation",
    "adaptation", "selfplay", "review", "web", "report", "commands", "bench",
    "equilibrium", "cli", "__main__",
)  # fmt: skip


def package_of(module: str) -> str:
    """The package of a module of `suphx`, or the name of one of the files beside the packages."""
    return module.split(".")[1] if "." in module else module


def imports_of(path: Path) -> list[tuple[int, str]]:
    """Line and module of every import in a file, also inside functions; what only type checkers import, too."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "suphx":
            found += [(node.lineno, f"suphx.{each.name}") for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append((node.lineno, node.module))
        elif isinstance(node, ast.Import):
            found += [(node.lineno, each.name) for each in node.names]
    return found


def files(package: str) -> list[tuple[Path, str]]:
    """The files of a first-party package, with the part of it that they belong to."""
    paths = sorted((ROOT / package).rglob("*.py"))
    return [(path, ".".join(path.relative_to(ROOT).with_suffix("").parts)) for path in paths]


def back_edges(place: dict[str, int]) -> list[str]:
    found = []
    for path, module in files("suphx"):
        mine = package_of(module)
        for line, imported in imports_of(path):
            other = package_of(imported)
            if not imported.startswith("suphx.") or other == mine:
                continue
            if place[other] >= place[mine]:
                found.append(f"{path.relative_to(ROOT)}:{line}: {mine} imports {other}")
    return found


def places() -> dict[str, int]:
    return dict.fromkeys(SHARED, -1) | {"errors": -3} | {name: number for number, name in enumerate(ORDER)}


def test_every_package_has_its_place() -> None:
    present = {package_of(module) for _, module in files("suphx")} - {"__init__"}
    assert present <= set(ORDER) | SHARED, present - set(ORDER) - SHARED


def test_packages_import_downwards_only() -> None:
    place = places()
    place |= {"config": -2, "intervals": -2}  # shared files may use these
    assert not back_edges(place)


def test_a_back_edge_is_found() -> None:
    upside_down = places() | {"networks": 99}
    assert any("agent imports networks" in each for each in back_edges(upside_down))


def test_the_table_knows_nothing_of_the_player() -> None:
    for path, _ in files("simulator"):
        for line, imported in imports_of(path):
            assert imported.partition(".")[0] != "suphx", f"{path}:{line}"


def test_learning_knows_nothing_of_games_ray_or_files() -> None:
    allowed = {"simulator.jit", "suphx.features.layout", "suphx.networks", "suphx.learning"}
    allowed |= {f"suphx.{name}" for name in SHARED - {"run_folder", "cluster"}}
    for path, module in files("suphx"):
        for line, imported in imports_of(path) if package_of(module) == "learning" else ():
            first = imported.partition(".")[0]
            assert first not in ("ray", "pathlib"), f"{path}:{line}"
            known = any(f"{imported}.".startswith(f"{each}.") for each in allowed)
            assert known or first not in ("simulator", "suphx"), f"{path}:{line}: {imported}"


#: First-party modules that self-play may load.
MOST_LOADED = 112


@pytest.fixture(scope="module")
def loaded() -> list[list[str]]:
    """The first-party modules that self-play loads, and those after the page has been loaded as well."""
    code = (
        "import sys, suphx.selfplay.local; print(*sys.modules); import suphx.agent, suphx.web.app; print(*sys.modules)"
    )
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT).stdout
    return [
        [name for name in line.split() if name.startswith(("suphx.", "simulator."))] for line in printed.splitlines()
    ]


def test_training_loads_neither_bots_nor_adaptation_and_not_much_else(loaded: list[list[str]]) -> None:
    training, _ = loaded
    assert "suphx.selfplay.local" in training and "suphx.learning.learner" in training
    assert not [name for name in training if name.startswith(("suphx.mjai", "suphx.adaptation"))]
    assert len(training) <= MOST_LOADED


def test_the_solvers_are_known_to_nobody(loaded: list[list[str]]) -> None:
    """They register themselves; the order of packages says the rest, but for those above them."""
    for path, module in files("suphx"):
        for line, imported in imports_of(path) if package_of(module) != "equilibrium" else ():
            assert package_of(imported) != "equilibrium", f"{path.relative_to(ROOT)}:{line}"
        for line, imported in imports_of(path) if module.startswith("suphx.equilibrium.") else ():
            learns = package_of(imported) in ("learning", "selfplay", "adaptation", "networks", "features")
            assert not learns or module.startswith("suphx.equilibrium.probe."), f"{path.relative_to(ROOT)}:{line}"
    _, page = loaded
    assert "suphx.web.app" in page and not [name for name in page if name.startswith("suphx.equilibrium")]
