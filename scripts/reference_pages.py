"""Write the pages that are generated from the code: configuration.md, features.md and record.md.

usage: python scripts/reference_pages.py FOLDER      for the site: docs/reference
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the code of this checkout

from simulator.views.record_page import record_page
from suphx.configuration_page import configuration_page
from suphx.features.page import features_page

PAGES = {"configuration": configuration_page, "features": features_page, "record": record_page}


def write_pages(folder: Path) -> None:
    """Write every page; links to pages of `docs` become links from a folder below it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        text = re.sub(rf"\]\((?!{'|'.join(PAGES)}|https?:|#)", "](../", page())
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    write_pages(Path(sys.argv[1]))
