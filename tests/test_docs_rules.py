"""The page of the rules names every field with its values and every test, and no test that is not there."""

import dataclasses
import re
from pathlib import Path

import pytest

from simulator.rules import PRESETS, Rules

TESTS = Path(__file__).parent
DOCS = TESTS.parent / "docs"
PAGE = (DOCS / "rules.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.split("|")[1:-1]] for line in PAGE.splitlines() if line.startswith("| ")]
COLUMNS = {name: ROWS[0].index(name) for name in ("tenhou", "mahjong_soul", "m_league")}
FIELDS = {row[0].strip("`"): row for row in ROWS[1:]}


def written(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(f"{part:+g}" for part in value) if isinstance(value, tuple) else str(value)


def test_every_field_has_a_row():
    assert list(FIELDS) == [field.name for field in dataclasses.fields(Rules)]


@pytest.mark.parametrize("preset", COLUMNS)
def test_values_of_the_presets(preset):
    stated = {name: row[COLUMNS[preset]] for name, row in FIELDS.items()}
    assert stated == {name: written(getattr(PRESETS[preset], name)) for name in FIELDS}


def test_every_preset_is_told_of():
    assert all(name in PAGE for name in PRESETS)
    assert Rules.tenhou_east() == dataclasses.replace(Rules.tenhou(), length="east")


def test_every_row_names_a_test():
    assert all(re.search(r"\(\.\./tests/rules/test_\w+\.py\)", row[-1]) for row in FIELDS.values())


def test_named_tests_exist():
    for link in re.findall(r"\]\((\.\./[^)]+)\)", PAGE):
        assert (DOCS / link).is_file(), link


def test_every_test_of_a_rule_is_named():
    for path in (TESTS / "rules").glob("test_*.py"):
        assert f"(../tests/rules/{path.name})" in PAGE
