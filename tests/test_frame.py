"""The frame around the code: command line, packaging, what the scripts install."""

import itertools
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import typer
from packaging.requirements import Requirement
from typer.testing import CliRunner

from simulator.logs.model import LogError
from simulator.rules import Rules
from simulator.tiles import parse_tiles
from suphx import cli
from suphx.errors import InputError

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def run_suphx(*arguments, python=(), **options):
    command = [sys.executable, *python, "-m", "suphx", *arguments]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, **options)


def all_commands():
    """Every command and group of the command line, as the words that call it."""
    found, todo = [], [((), typer.main.get_command(cli.app))]
    while todo:
        words, command = todo.pop()
        found.append(words)
        todo.extend(((*words, name), part) for name, part in getattr(command, "commands", {}).items())
    return sorted(found)


def main_with(monkeypatch, command):
    """Run `main` with `command` as the only command; return the exit status."""
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(command)
    monkeypatch.setattr(cli, "app", app)
    monkeypatch.setattr(sys, "argv", ["suphx"])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    return stopped.value.code


def test_version_is_the_projects():
    done = run_suphx("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"suphx {PROJECT['version']}\n", "")


def test_console_script_is_installed():
    script = Path(sys.executable).with_name("suphx")
    done = subprocess.run([script, "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"suphx {PROJECT['version']}\n")


@pytest.mark.parametrize("words", all_commands(), ids=" ".join)
def test_help_of_every_command(words):
    done = CliRunner(env={"COLUMNS": "200"}).invoke(cli.app, [*words, "--help"])
    assert (done.exit_code, done.stderr) == (0, "")
    assert "Usage" in done.stdout
    command = typer.main.get_command(cli.app)
    for word in words:
        command = command.commands[word]
    if default := getattr(command, "default", None):  # a group whose help is that of one of its commands
        command = command.commands[default]
    assert "\n" not in (command.help or "").replace("\n\n", ""), "the terminal breaks lines, not the docstring"
    texts = [command.help, *(getattr(each, "help", None) for each in command.params)]
    assert {word for text in texts for word in (text or "").split()} <= set(done.stdout.split())


def test_help_imports_nothing_slow():
    done = run_suphx("--help", python=("-X", "importtime"))
    imported = set(re.findall(r"\|\s*([\w.]+)$", done.stderr, re.MULTILINE))
    assert "suphx.cli" in imported
    assert not imported & {"numpy", "numba", "torch", "ray", "lxml", "multiprocessing"}


@pytest.mark.full
def test_warmup_leaves_nothing_to_compile(tmp_path):
    environment = os.environ | {"SUPHX_CACHE": str(tmp_path)}
    files = []
    for notice in ("compiling the table", ""):
        done = run_suphx("warmup", "table", env=environment)
        assert done.returncode == 0
        assert ("compiling the table" in done.stderr) == bool(notice)
        assert "Ready after" in done.stderr
        files.append({path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()})
    assert files[0]
    assert files[1] == files[0]


@pytest.mark.parametrize("arguments", [("no-such-command",), ("--no-such-option",)], ids=" ".join)
def test_wrong_usage_exits_with_2(arguments):
    done = run_suphx(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert arguments[0] in done.stderr


def a_bad_log():
    raise LogError("unexpected tag <X>", source="game.xml", place="line 3")


def a_library():
    raise InputError("its words:\n  \x1b[31mred")


@pytest.mark.parametrize(
    ("command", "line"),
    [
        (a_bad_log, "suphx: game.xml: line 3: unexpected tag <X>\n"),
        (lambda: open("no/such/file"), "suphx: no/such/file: No such file or directory\n"),
        (lambda: Rules.preset("nowhere"), "suphx: rules: no preset 'nowhere'; there are"),
        (lambda: parse_tiles("12"), "suphx: '12': the numbers from position 0 on have no suit"),
        (a_library, "suphx: its words:; \\x1b[31mred\n"),
    ],
    ids=["log", "file", "rules", "notation", "library"],
)
def test_an_error_of_the_users_is_one_line(monkeypatch, capsys, command, line):
    assert main_with(monkeypatch, command) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(line)
    assert err.count("\n") == 1


def test_an_error_of_our_own_keeps_its_traceback(monkeypatch):
    def broken(prog_name):
        raise ValueError("a bug")

    monkeypatch.setattr(cli, "app", broken)
    with pytest.raises(ValueError, match="a bug"):
        cli.main()


def test_interrupt_exits_with_130(monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    assert main_with(monkeypatch, interrupted) == 130


def test_a_reader_that_has_gone_is_no_error():
    process = subprocess.Popen(
        [sys.executable, "-m", "suphx", "--version"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() == 1


def test_every_dependency_is_pinned():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = {pin.name: pin for pin in map(Requirement, filter(None, (line.split("#")[0].strip() for line in lines)))}
    wanted = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    for requirement in map(Requirement, itertools.chain.from_iterable(wanted)):
        if requirement.name != PROJECT["name"]:
            version = str(pins[requirement.name].specifier).removeprefix("==")
            assert requirement.specifier.contains(version), f"{requirement} against the pinned {version}"
    assert str(pins["torch"].specifier) == "==2.13.0"
