"""The examples, as somebody runs them from a checkout."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_one_file_learns_for_a_second() -> None:
    path = ROOT / "examples" / "one_file.py"
    assert len(path.read_text().splitlines()) <= 250
    command = [sys.executable, str(path), "--seconds", "1", "--seed", "3"]
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    before, *progress, after = done.stdout.splitlines()
    assert all(re.match(r"\d+ s +version \d+ .* [\d,]+ decisions/s ", line.strip()) for line in progress) and progress
    for name, line in (("before", before), ("after", after)):
        assert re.fullmatch(rf"{name}: [+-]\d+ \+- \d+ points per round against three tsumogiri", line)
