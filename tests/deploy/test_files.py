"""The files of deploy/: they can be read, fit each other and the project, and name nothing that is not there."""

from __future__ import annotations

import copy
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import ray
import yaml
from ray.autoscaler._private.util import prepare_config, validate_config
from typer.testing import CliRunner

from suphx.cli import app
from suphx.config import load_config
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.roles.plan import Node, plan_of

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
CONTAINERFILE = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
LAUNCHERS = sorted((DEPLOY / "ray").glob("*.yaml"))
SCRIPTS = [path for path in DEPLOY.rglob("*") if path.is_file() and path.read_bytes().startswith(b"#!")]
SHELL = [path for path in SCRIPTS if b"bash" in path.read_bytes().split(b"\n")[0]]
PAGE = ROOT / "docs" / "cluster.md"


def pinned(package: str) -> str:
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    (version,) = re.findall(rf"^{package}==(\S+)$", constraints, re.MULTILINE)
    return version


def instructions() -> list[str]:
    """The Containerfile's instructions, continued lines joined, comments left out."""
    lines = [line for line in CONTAINERFILE.splitlines() if not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [line for line in joined.splitlines() if line]


# Versions


@pytest.mark.parametrize("name", ["raycluster.yaml", "rayjob.yaml"])
def test_kubernetes_is_told_the_pinned_version_of_ray(name):
    spec = yaml.safe_load((DEPLOY / "kuberay" / name).read_text(encoding="utf-8"))["spec"]
    assert spec.get("rayClusterSpec", spec)["rayVersion"] == pinned("ray") == ray.__version__


def test_the_image_has_a_python_that_the_project_is_for():
    (version,) = re.findall(r"^ARG PYTHON=(\d+)\.(\d+)$", CONTAINERFILE, re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lowest = re.fullmatch(r">=(\d+)\.(\d+)", project["requires-python"])
    assert tuple(map(int, version)) >= tuple(map(int, lowest.groups()))


def test_what_the_files_install_is_an_extra_of_the_project():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    files = [CONTAINERFILE, *(path.read_text(encoding="utf-8") for path in LAUNCHERS)]
    for text in files:
        assert set(re.findall(r"(?:\.|suphx)\[(\w+)\]", text)) == {"cluster"} <= set(extras)


# The image


def test_the_containerfile_has_only_known_instructions():
    known = {"ARG", "FROM", "RUN", "COPY", "ENV", "USER", "WORKDIR", "CMD"}
    assert {line.split()[0] for line in instructions()} == known


def test_what_the_image_copies_is_there_and_not_ignored():
    let_in = {
        line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line.startswith("!")
    }
    for line in instructions():
        if line.startswith("COPY ") and "--from" not in line:
            for source in line.split()[1:-1]:
                assert (ROOT / source).exists(), source
                assert source in let_in


def test_every_build_of_the_project_finds_what_its_wheel_includes():
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"][
        "wheel"
    ]
    wanted, there, builds = {*wheel["packages"], *wheel["force-include"]}, set(), 0
    for line in instructions():
        words = re.sub(r"\bmkdir ([^&]+)", lambda made: there.update(made[1].split()) or "", line).split()
        if words[0] == "COPY" and not line.startswith("COPY --from"):
            there.update(words[1:-1])
        if "pip install" in line and re.search(r"(^|\s)'?\.(\[\w+\]')?(\s|$)", line):
            builds += 1
            assert wanted <= there, line
    assert builds == 2


def test_nothing_else_gets_into_the_image():
    lines = [line for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    assert lines[0] == "*"


def test_the_image_runs_as_a_user_without_rights():
    last = [line for line in instructions() if line.startswith("USER ")][-1]
    assert last == "USER 1000"
    assert instructions().index(last) < instructions().index("RUN suphx warmup")


def test_the_image_has_no_secret():
    assert not re.search(r"token|password|secret", CONTAINERFILE, re.IGNORECASE)


# Scripts


@pytest.mark.parametrize("path", SHELL, ids=lambda path: path.name)
def test_scripts_are_bash(path):
    subprocess.run(["bash", "-n", path], check=True)


@pytest.mark.parametrize("path", SHELL, ids=lambda path: path.name)
def test_scripts_pass_shellcheck(path):
    if shutil.which("shellcheck") is None:
        pytest.skip("there is no shellcheck here")
    subprocess.run(["shellcheck", "--shell=bash", path], check=True)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_can_be_started(path):
    assert os.access(path, os.X_OK)


@pytest.mark.parametrize("name", ["local_cluster.py", "wait_for_nodes.py"])
def test_python_scripts_explain_themselves(name):
    done = subprocess.run([sys.executable, DEPLOY / name, "--help"], capture_output=True, text=True, check=True)
    assert "usage:" in done.stdout


def test_slurm_is_given_known_options():
    options = re.findall(r"^#SBATCH --([\w-]+)", (DEPLOY / "slurm" / "train.sbatch").read_text(), re.MULTILINE)
    known = {
        *("job-name", "nodes", "ntasks-per-node", "exclusive", "time", "output", "open-mode"),
        *("no-kill", "requeue", "signal"),
    }
    assert set(options) == known


# Ray's launcher


@pytest.mark.parametrize("path", LAUNCHERS, ids=lambda path: path.name)
def test_ray_takes_the_launchers_file(path):
    config = prepare_config(copy.deepcopy(yaml.safe_load(path.read_text(encoding="utf-8"))))
    validate_config(config)


@pytest.mark.parametrize("path", LAUNCHERS, ids=lambda path: path.name)
def test_ray_is_started_with_a_token_and_its_dashboard_on_loopback(path):
    config = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert config["file_mounts"]["~/.ray/auth_token"] == "~/.ray/auth_token"
    for commands in (config["head_start_ray_commands"], config["worker_start_ray_commands"]):
        assert "RAY_AUTH_MODE=token" in commands[-1]
    assert "--dashboard-host=127.0.0.1" in config["head_start_ray_commands"][-1]


def test_aws_is_given_a_security_group_for_every_machine():
    """Ray lets ssh in from every address wherever it makes the group, even beside rules of the file."""
    config = yaml.safe_load((DEPLOY / "ray" / "aws.yaml").read_text(encoding="utf-8"))
    assert "security_group" not in config["provider"]
    groups = [kind["node_config"]["SecurityGroupIds"] for kind in config["available_node_types"].values()]
    assert len(groups) == 3 and all(group == groups[0] and len(group) == 1 for group in groups)


# Sizes

#: Cores and GPUs of the machines that aws.yaml rents.
AWS = {"g6.12xlarge": Node(48, 4), "c7i.8xlarge": Node(32, 0)}


def machines_of_aws() -> list[Node]:
    config = yaml.safe_load((DEPLOY / "ray" / "aws.yaml").read_text(encoding="utf-8"))
    kinds = config["available_node_types"]
    assert config["max_workers"] == sum(kind.get("max_workers", 0) for kind in kinds.values())
    return [
        AWS[kind["node_config"]["InstanceType"]]
        for name, kind in kinds.items()
        for _ in range(1 if name == config["head_node_type"] else kind["min_workers"])
    ]


def machines_of_kubernetes() -> list[Node]:
    spec = yaml.safe_load((DEPLOY / "kuberay" / "raycluster.yaml").read_text(encoding="utf-8"))["spec"]
    nodes = [Node(float(spec["headGroupSpec"]["rayStartParams"]["num-cpus"]))]
    for group in spec["workerGroupSpecs"]:
        limits = group["template"]["spec"]["containers"][0]["resources"]["limits"]
        memory = int(limits["memory"].removesuffix("Gi")) << 30
        node = Node(float(limits["cpu"]), float(limits.get("nvidia.com/gpu", 0)), memory)
        nodes += [node] * group["minReplicas"]
    return nodes


@pytest.mark.parametrize("machines", [machines_of_aws, machines_of_kubernetes])
def test_the_machines_fit_the_configuration(machines):
    plan_of(load_config(ROOT / "configs" / "cluster.yaml", TrainConfig)).check(machines())


# Names


def test_the_commands_that_are_named_exist():
    texts = [PAGE.read_text(encoding="utf-8"), *(path.read_text(encoding="utf-8") for path in SHELL + LAUNCHERS)]
    texts += [CONTAINERFILE, *(path.read_text(encoding="utf-8") for path in (DEPLOY / "kuberay").glob("*.yaml"))]
    helped = CliRunner().invoke(app, ["--help"]).output
    command = re.compile(r"(?:^|(?<!--namespace)[\s/`])suphx ([a-z]+)(?=[\s`]|$)", re.MULTILINE)
    named = {name for text in texts for name in command.findall(text)}
    assert {"train", "warmup"} <= named
    for name in named:
        assert re.search(rf"\b{name}\b", helped), name


def test_the_files_that_the_page_names_exist():
    named = set(re.findall(r"\b(?:deploy|configs|docs|scripts)/[\w./-]+\w", PAGE.read_text(encoding="utf-8")))
    assert named
    for name in named:
        assert (ROOT / name).exists(), name


def test_every_file_is_on_the_page():
    page = PAGE.read_text(encoding="utf-8")
    for path in DEPLOY.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert path.relative_to(ROOT).as_posix() in page, path
