"""The words of the code and its pages: the field's, each for one thing, in American spelling."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CODE = sorted(path for folder in ("simulator", "suphx", "examples") for path in (ROOT / folder).rglob("*.py"))
TEXTS = [*ROOT.glob("docs/*.md"), *ROOT.glob("*.md"), *ROOT.glob("suphx/**/page/*.js"), *ROOT.glob("configs/**/*.yaml")]
#: What reads files with earlier words has to name them.
READERS = {ROOT / "suphx" / "web" / "jobs.py"}

#: Participles say how a value came to be; a name is a noun of what it holds.
PARTICIPLES = {"found", "asked", "told", "said", "kept", "made", "given"}

#: Phrases that have to be translated back, with what to write.
PHRASES = {
    r"\bwhat (it|this|that|they) came to\b|\bwhat came of\b": "the result",
    r"\bso many (more|other|of them)\b": "n",
    r"\bwins? by (draw|claim)\b|\b(won|winning) by (draw|claim)\b": "tsumo, ron",
    r"\bchoose as the players\b": "agreement with human moves",
    r"\bshipped (weights|networks?)\b": "the included weights",
    r"colour|honour|neighbour|favour|(?<![\"_])behaviour(?!_kl)": "American spelling of nouns",
    r"(optimis|normalis|regularis|generalis|initialis|serialis|recognis|summaris)(e|ing|ation)": "American spelling",
    r"(minim|maxim)is(e|ed|es|ing|ation)\b": "American spelling of verbs",
}


def class_names() -> dict[str, list[str]]:
    places = defaultdict(list)
    for path in CODE:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(ROOT)))
    return places


def names_of_values(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Names that are assigned, but not fields of classes, which may be keys of files."""
    fields = {id(each.target) for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
              for each in node.body if isinstance(each, ast.AnnAssign)}  # fmt: skip
    for node in ast.walk(tree):
        if id(node) in fields:
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self":
            yield node.lineno, node.attr
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg


def test_public_class_names_are_unique() -> None:
    assert {name: places for name, places in class_names().items() if len(places) > 1} == {}


def test_names_of_values_are_nouns() -> None:
    trees = ((path, ast.parse(path.read_text(encoding="utf-8"))) for path in CODE)
    names = [(path, line, name) for path, tree in trees for line, name in names_of_values(tree)]
    names += [
        (path, number, name)
        for path in ROOT.glob("suphx/**/page/*.js")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for name in re.findall(r"\b(?:const |let |function |this\.)(\w+)", line)
    ]
    assert [f"{path}:{line}: {name}" for path, line, name in names if name in PARTICIPLES] == []


@pytest.mark.parametrize("phrase", PHRASES, ids=PHRASES.values())
def test_odd_phrases_stay_out(phrase: str) -> None:
    odd = re.compile(phrase, re.IGNORECASE)
    lines = [
        (path, number, line)
        for path in {*CODE, *TEXTS} - READERS
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    ]
    wrong = [f"{path.relative_to(ROOT)}:{number}: {line.strip()}" for path, number, line in lines if odd.search(line)]
    assert wrong == [], f"write: {PHRASES[phrase]}"
