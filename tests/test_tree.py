"""What a clone and a source distribution bring is light, and holds no links, which archives and Windows cannot keep."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
#: Bytes of all files together; a source distribution is part of them, and compressed.
MOST = 32_000_000
#: Bytes of a file under docs: pictures and small JSON with the numbers of an experiment, no weights and no counts.
MOST_OF_A_DOCUMENT = 300_000


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    """Modes of all tracked files by path."""
    done = subprocess.run(["git", "ls-files", "-s", "-z"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("no git checkout")
    lines = [line.split("\t", 1) for line in done.stdout.split("\0") if line]
    return {path: head.split()[0] for head, path in lines if (ROOT / path).exists()}


def test_the_tree_is_light_and_has_no_links(files):
    assert [path for path, mode in files.items() if mode == "120000"] == []
    assert sum((ROOT / path).stat().st_size for path in files) <= MOST


def test_documents_hold_no_weights_and_no_counts(files):
    here = [path for path in files if path.startswith("docs/")]
    assert here and [path for path in here if path.endswith((".safetensors", ".npz", ".npy", ".pt"))] == []
    assert [path for path in here if (ROOT / path).stat().st_size > MOST_OF_A_DOCUMENT] == []


def test_only_figures_come_from_the_wall_clock(files):
    """It may jump. Roles on different machines compare it (how long weights were on their way), and a date is shown."""
    asks = re.compile(r"\btime\.time(_ns)?\(|from time import .*\btime\b|datetime\.(now|utcnow|today)|date\.today")
    code = [path for path in files if re.match(r"(simulator|suphx)/(?!bench/).*\.py$", path)]
    found = {path for path in code if asks.search((ROOT / path).read_text(encoding="utf-8"))}
    assert found == {"suphx/selfplay/roles/inference_client.py", "suphx/selfplay/roles/server.py", "suphx/web/shelf.py"}


def test_a_source_distribution_is_made_of_tracked_places_alone(files):
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    for place in build["targets"]["sdist"]["include"]:
        assert any(f"/{path}".startswith(place) for path in files), place
