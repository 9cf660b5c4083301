"""The documentation site builds without a warning: every link, every page in its table, every docstring of the API."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.full  # continuous integration builds the site as well, with every change
def test_the_site_builds_without_warnings(tmp_path: Path) -> None:
    pytest.importorskip("sphinx", reason="needs the extra `docs`")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", str(ROOT / "docs"), str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    api = (tmp_path / "api" / "simulator.html").read_text(encoding="utf-8")
    assert 'id="simulator.Tables.step"' in api
    assert "furiten" in (tmp_path / "searchindex.js").read_text(encoding="utf-8")
    assert "learning.max_confidence" in (tmp_path / "reference" / "configuration.html").read_text(encoding="utf-8")
