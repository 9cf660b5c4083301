"""The commands that stand in the documents, as a reader would type them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: All but the notebook, whose commands are those of their time.
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "suphx" / "weights" / "README.md",
         *(path for path in sorted((ROOT / "docs").glob("*.md")) if path.name != "notebook.md")]  # fmt: skip

#: What stands for something of the reader's, and what a test puts there; longer ones first.
PLACEHOLDERS = {
    "RUN-1/agent": "sl-weak",
    "RUN-2/agent": "sl-weak",
    "RUNS/pretrain/tenhou/agent": "sl",
    "RUNS/pretrain/tenhou-2/agent": "sl",
    "expert-hanchan-ai.zip": "logs",
    "ⓝSuphx": "sensible",
    "ⓝLuckyJ": "tsumogiri",
    "phoenix-hanchan-2018.zip": "logs",
    "LOGS.zip": "logs",
    "PAGES/": ".",
    "GAME.mjlog": "game.mjlog",
    "GAME.json": "game.json",
    "RUN/agent": "sl-weak",
    "RUN/games": "logs",
    "PATH...": "logs",
    "GAME": "kuhn",
    "FOLDER": "pictures",
    "AVERAGE": "sl-weak",
    "CONFIG": "config.yaml",
    "LOGS": "logs",
    "FILE": "numbers.csv",
    "PATH": "made",
    "LOG": "game.mjlog",
    "BOT": "sensible",
    "DIR": "converted",
    "RUN": "run",
    "START": "sl",
    "NAME": "sensible",
    "A": "sensible",
    "B": "tsumogiri",
    "K,N": "10,20",
    "N": "8",
    "R": "1",
    "S": "1",
}


def documented_commands() -> dict[str, list[str]]:
    """Return every `suphx ...` of the pages as it is written there, with the pages it stands on."""
    found: dict[str, list[str]] = {}
    for page in PAGES:
        for command in commands_of(page.read_text(encoding="utf-8")):
            found.setdefault(command, []).append(str(page.relative_to(ROOT)))
    return found


def commands_of(text: str) -> list[str]:
    """Return the commands of a page: lines of its shell blocks, indented ones, and those in running text."""
    fence = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
    lines = [line for block in fence.finditer(text) if block[1] in ("", "sh") for line in block[2].splitlines()]
    prose = fence.sub("", text)
    lines += re.findall(r"^    (suphx .*)$", prose, re.MULTILINE)
    lines += [" ".join(words.split()) for words in re.findall(r"`(suphx [^`]+)`", prose)]
    return [re.sub(r"\s+#.*$|\s{3,}.*$", "", line) for line in lines if line.startswith("suphx ")]


def words_of(command: str) -> list[str]:
    """Return the words after `suphx` with every placeholder filled in, without brackets around what is optional.

    Brackets in quotes are YAML's.
    """
    words = shlex.split(re.sub(r"('[^']*')|[\[\]]|\s\.\.\.(?=\]|\s|$)", r"\1", command).split(" > ")[0])[1:]
    return [_filled(word) for word in words if word != "..."]


def _filled(word: str) -> str:
    for name, value in PLACEHOLDERS.items():
        if re.fullmatch(r"[A-Z.]+", name):
            word = value if word == name else word
        else:
            word = word.replace(name, value)
    return word
