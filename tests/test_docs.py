"""The pages that are generated from the code are as the code is now."""

from pathlib import Path

from simulator.record_page import record_page

DOCS = Path(__file__).parent.parent / "docs"


def test_record_page_is_generated_from_the_code() -> None:
    page = (DOCS / "record.md").read_text(encoding="utf-8")
    assert page == record_page(), "run `python -m simulator.record_page > docs/record.md`"
