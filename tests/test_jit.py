"""Compiled code is kept where it can be, and never used for other sources than it was compiled from."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent

_ENGINE_OF_TWO_FILES = {
    "simulator/first.py": "from simulator.jit import jit\nfrom simulator.second import number\n\n\n"
    "@jit\ndef twice():\n    return 2 * number()\n",
    "simulator/second.py": "from simulator.jit import jit\n\n\n@jit\ndef number():\n    return {value}\n",
    "simulator/__init__.py": "",
}


def run(code: str, folder: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"SUPHX_CACHE": str(cache), "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def write_package(folder: Path, value: int) -> None:
    for name, text in _ENGINE_OF_TWO_FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text.replace("{value}", str(value)))
    shutil.copy(ROOT / "simulator" / "jit.py", folder / "simulator" / "jit.py")


def test_a_change_in_a_called_function_of_another_file_is_noticed(tmp_path: Path) -> None:
    code = "from simulator.first import twice; print(twice())"
    write_package(tmp_path, 3)
    assert run(code, tmp_path, tmp_path / "cache").stdout == "6\n"
    write_package(tmp_path, 5)
    assert run(code, tmp_path, tmp_path / "cache").stdout == "10\n"


def test_a_second_process_finds_the_compiled_code(tmp_path: Path) -> None:
    code = "from simulator.first import twice; twice(); print(sum(twice.stats.cache_hits.values()))"
    write_package(tmp_path, 3)
    assert run(code, tmp_path, tmp_path / "cache").stdout == "0\n"
    assert run(code, tmp_path, tmp_path / "cache").stdout == "1\n"


def test_without_a_writable_cache_folder_a_temporary_one_is_used_and_named_once(tmp_path: Path) -> None:
    write_package(tmp_path, 3)
    blocked = tmp_path / "a file, not a folder"
    blocked.write_text("")
    done = run("from simulator.first import twice; print(twice())", tmp_path, blocked)
    assert done.stdout == "6\n"
    assert done.stderr.count("no cache folder") == 1
