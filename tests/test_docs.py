"""The pages that are generated from the code are as the code is now, and what they show runs."""

import re

import pytest
from documented import PAGES, ROOT

from simulator.views.record_page import record_page
from suphx.configuration_page import configuration_page

DOCS = ROOT / "docs"
PROGRAMS = [
    (page.name, program)
    for page in PAGES
    for program in re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    if not re.match(r"# \w+\.py\n", program)  # a user's own module, which `test_extending.py` runs
]


def test_record_page_is_generated_from_the_code() -> None:
    page = (DOCS / "record.md").read_text(encoding="utf-8")
    assert page == record_page(), "run `python -m simulator.views.record_page > docs/record.md`"


def test_configuration_page_is_generated_from_the_configurations() -> None:
    page = (DOCS / "configuration.md").read_text(encoding="utf-8")
    assert page == configuration_page(), "run `python -m suphx.configuration_page > docs/configuration.md`"


@pytest.mark.parametrize("page, program", PROGRAMS, ids=[page for page, _ in PROGRAMS])
def test_what_a_page_shows_runs(page, program, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where it may write
    exec(program.replace("range(200)", "range(1)"), {})  # the example that learns, once
