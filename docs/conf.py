"""Builds the documentation site with Sphinx: `sphinx-build -W docs FOLDER` (`scripts/test.sh` does)."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from reference_pages import write_pages  # noqa: E402

write_pages(ROOT / "docs" / "reference")

project = html_title = "The open Suphx"
author = "The contributors to the open Suphx"
version = release = version_of("suphx")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["results"]
html_theme = "furo"
default_role = "code"  # what stands in single backticks in docstrings
myst_heading_anchors = 4

autodoc_typehints = "description"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
