"""Compiled code is kept where it can be, and never used for other sources than it was compiled from."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from simulator.logs.generate import generate_games
from simulator.logs.verify import verify_game
from simulator.rounds import compile_finish, finish_round

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


def test_other_processes_and_checkouts_find_the_compiled_code_until_a_called_function_changes(tmp_path: Path) -> None:
    code = "from simulator.first import twice; print(twice(), sum(twice.stats.cache_hits.values()))"
    for folder, value, output in (("a", 3, "6 0\n"), ("b", 3, "6 1\n"), ("b", 5, "10 0\n")):
        (tmp_path / folder).mkdir(exist_ok=True)
        write_package(tmp_path / folder, value)
        assert run(code, tmp_path / folder, tmp_path / "cache").stdout == output


def test_a_second_process_compiles_beside_the_first(tmp_path: Path) -> None:
    code = (
        "from simulator import jit; jit.numba_config.NUMBA_DEFAULT_NUM_THREADS = {cores}\n"
        "process = jit.compile_beside('simulator.first', 'twice')\nif process: process.wait()\n"
        "from simulator.first import twice; print(twice(), sum(twice.stats.cache_hits.values()))"
    )
    write_package(tmp_path, 3)
    assert run(code.format(cores=1), tmp_path, tmp_path / "one").stdout == "6 0\n"
    assert run(code.format(cores=2), tmp_path, tmp_path / "two").stdout == "6 1\n"


def test_processes_that_need_the_same_functions_at_once_compile_each_once(tmp_path: Path) -> None:
    code = (
        "import time\nfrom numba.core.dispatcher import _FunctionCompiler\ncompiled = []\n"
        "compile_now = _FunctionCompiler._compile_core\n"
        "def count(self, *arguments):\n"
        "    compiled.append(self.py_func.__name__); time.sleep(0.5); return compile_now(self, *arguments)\n"
        "_FunctionCompiler._compile_core = count\n"
        "from simulator.first import twice; print(twice(), *compiled)"
    )
    write_package(tmp_path, 3)
    with ThreadPoolExecutor(3) as pool:
        outputs = [
            each.stdout.split() for each in pool.map(lambda _: run(code, tmp_path, tmp_path / "cache"), range(3))
        ]
    assert [each[0] for each in outputs] == ["6"] * 3
    assert sorted(name for each in outputs for name in each[1:]) == ["number", "twice"]


def test_constants_and_arrays_of_records_are_no_types_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "several.py").write_text(
        "import numpy as np\nfrom simulator.jit import jit\n\n"
        "@jit\ndef part(values, n, twice):\n    return values[n] * (2 if twice else 1)\n\n"
        "@jit\ndef total(record, values):\n"
        "    n = 2\n    return part(record['a'], 0, True), part(values, 1, False), part(record['b'], n, n > 1)\n\n"
        "@jit\ndef one_of(n):\n    return (1, 2.5)[n]\n\n@jit\ndef second():\n    return one_of(1)\n\n"
        "records = np.zeros(1, [('a', 'u1', 2), ('b', 'u1', 3)])\n"
        "records['a'], records['b'] = [3, 4], [5, 6, 7]\n"
        "print(total(records[0], np.array([8, 9], np.uint8)), len(part.signatures), second())\n"
    )
    write_package(tmp_path, 0)
    assert run("import several", tmp_path, tmp_path / "cache").stdout == "(6, 9, 14) 1 2.5\n"


def test_without_a_writable_cache_folder_a_temporary_one_is_used_and_named_once(tmp_path: Path) -> None:
    write_package(tmp_path, 3)
    blocked = tmp_path / "a file, not a folder"
    blocked.write_text("")
    done = run("from simulator.first import twice; print(twice())", tmp_path, blocked)
    assert done.stdout == "6\n"
    assert done.stderr.count("no cache folder") == 1


def test_what_is_compiled_beside_a_replay_is_what_it_uses():
    compile_finish()
    compiled = list(finish_round.signatures)
    for log in generate_games(1, seed=1):
        assert verify_game(log).mismatches == []
    assert list(finish_round.signatures) == compiled and compiled
