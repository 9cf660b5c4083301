"""Plugins register things by name, and nothing is loaded before it is used."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from suphx.errors import InputError
from suphx.plugins import PLUGINS_VARIABLE, Registry, load_plugins

_PLUGIN = """from suphx.plugins import Registry

TOYS = Registry("toy")
TOYS.register("ball", "rolls", lambda: "a ball")
"""


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    load_plugins.cache_clear()
    yield
    load_plugins.cache_clear()


def test_an_entry_is_loaded_when_it_is_asked_for() -> None:
    loads: list[str] = []
    toys: Registry[str] = Registry("toy")
    toys.register("ball", "rolls", lambda: loads.append("ball") or "a ball")
    assert "ball" in toys and [entry.description for entry in toys] == ["rolls"] and not loads
    assert toys["ball"] == "a ball" and loads == ["ball"]


def test_a_name_is_taken_once_and_an_unknown_one_names_those_there_are() -> None:
    toys: Registry[str] = Registry("toy")
    toys.register("ball", "rolls", str)
    with pytest.raises(ValueError, match="two entries of the name 'ball'"):
        toys.register("ball", "flies", str)
    with pytest.raises(InputError, match="no toy 'kite'; there are ball"):
        toys["kite"]


def test_a_users_module_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_toys.py").write_text(_PLUGIN)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv(PLUGINS_VARIABLE, "my_toys")
    load_plugins()
    assert sys.modules.pop("my_toys").TOYS["ball"] == "a ball"


@pytest.mark.faults
def test_a_users_module_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PLUGINS_VARIABLE, "not_there")
    with pytest.raises(InputError, match="SUPHX_PLUGINS: no module 'not_there'"):
        load_plugins()
