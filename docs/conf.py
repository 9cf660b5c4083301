"""Builds the documentation site with Sphinx: `scripts/docs.sh`."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

project = "The open Suphx"
author = "The contributors to the open Suphx"
version = release = version_of("suphx")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["results/*"]
html_theme = "furo"
html_title = project

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

autodoc_typehints = "description"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "undoc-members": False}
suppress_warnings = ["myst.xref_missing"]
