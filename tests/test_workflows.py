"""The workflows of a public host call the scripts that everybody else calls."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_workflows_are_read_and_their_scripts_can_be_run():
    assert WORKFLOWS
    for path in WORKFLOWS:
        jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
        commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
        for script in re.findall(r"(?:scripts|tests)/[\w./]+\w", "\n".join(commands)):
            assert (ROOT / script).is_file(), script
            if script.startswith("scripts") and script.endswith(".sh") and "environment" not in script:
                assert (ROOT / script).stat().st_mode & 0o111, script
        assert any("scripts/test.sh" in command for command in commands)


def test_the_tests_run_on_every_python_that_is_promised():
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))["jobs"]
    words = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["classifiers"]
    promised = [word.rpartition(" ")[2] for word in words if re.search(r":: 3\.\d+$", word)]
    assert jobs["tests"]["strategy"]["matrix"]["python"] == promised


def test_lint_runs_no_tests(tmp_path):
    """`--lint` ends after style and types; with stand-ins for the environment and its programs."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "test.sh").write_text((ROOT / "scripts" / "test.sh").read_text(encoding="utf-8"))
    stand_ins = "".join(f'{name}() {{ echo {name} "$@"; }}\n' for name in ("ruff", "mypy", "suphx", "pytest"))
    (tmp_path / "scripts" / "environment.sh").write_text(stand_ins)
    done = subprocess.run(["bash", "scripts/test.sh", "--lint"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["ruff", "ruff", "mypy"]
