"""The generated pages name everything in the code, links lead somewhere, and the programs of the documents run."""

import re
import runpy

import pytest
from documented import PAGES, ROOT

from simulator.record import GAME
from suphx.features.layout import CALL_GROUPS, GROUPS, ORACLE_GROUPS
from suphx.selfplay.config import TrainConfig

PROGRAMS = [
    (page.name, program)
    for page in PAGES
    for program in re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    if not re.match(r"# \w+\.py\n", program)  # a user's own module, which `test_extending.py` runs
]


def test_reference_pages_name_everything_of_the_code(tmp_path) -> None:
    runpy.run_path(str(ROOT / "scripts" / "reference_pages.py"))["write_pages"](tmp_path)
    configuration, features, record = (
        (tmp_path / f"{name}.md").read_text(encoding="utf-8") for name in ("configuration", "features", "record")
    )
    assert all(f"| `{name}` |" in configuration for name in TrainConfig.model_fields)
    assert all(f"`suphx {name}`" in configuration for name in ("train", "pretrain", "adapt", "poker samples"))
    assert all(f"`{group.key}`" in features for group in (*GROUPS, *CALL_GROUPS, *ORACLE_GROUPS))
    assert all(f"| `{name}` |" in record for name in GAME.names)
    for link in re.findall(r"\]\((\.\./[^)#]+)", configuration + features + record):
        assert (ROOT / "docs" / "reference" / link).resolve().exists(), link


def test_links_of_pages_lead_somewhere() -> None:
    for page in PAGES:
        for link in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            target = page.parent / link
            assert "reference" in target.parts or target.exists(), f"{page.name}: {link}"


@pytest.mark.parametrize("page, program", PROGRAMS, ids=[page for page, _ in PROGRAMS])
def test_what_a_page_shows_runs(page, program, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where it may write
    exec(program.replace("range(200)", "range(1)"), {})  # the example that learns, once
