"""The page's texts: whole in every language, used, and nowhere else; the terms and messages that they translate."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import suphx
from simulator.record import ACTION_NAMES, RESULT_NAMES
from simulator.scoring.yaku import YAKU
from suphx.plugins import VIEWS
from suphx.review.choices import MISTAKES
from suphx.review.seats import SITUATIONS
from suphx.supervised.measures import RIICHI_NAMES, SHANTEN_NAMES, TURN_NAMES
from suphx.web.assets import languages, modules

ENGLISH = languages()["en"]
#: Sections whose texts are named by what the server says.
BY_NAME = {"terms", "yaku", "winds", "server"}
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def texts(language: str) -> dict[str, list[str]]:
    """Return the texts of a language as `section.name` -> its forms."""
    return {
        f"{section}.{name}": list(text.values()) if isinstance(text, dict) else [text]
        for section, found in languages()[language].items()
        for name, text in found.items()
    }


def code() -> str:
    """Return all modules of the page without comments."""
    found = "".join(text for name, text in modules().items() if name not in ("texts.js", "views.js"))
    return re.sub(r"/\*.*?\*/|^\s*//.*?$|\s// .*?$", "", found, flags=re.S | re.M)


@pytest.mark.parametrize("language", ["ja", "zh"])
def test_no_text_is_missing_and_each_has_the_same_places_for_values(language):
    assert list(texts(language)) == list(texts("en"))
    for name, forms in texts(language).items():
        wanted = {place for form in texts("en")[name] for place in _PLACEHOLDER.findall(form)}
        for form in forms:
            assert form.strip(), name
            assert set(_PLACEHOLDER.findall(form)) == wanted, name


def test_japanese_terms_replace_texts_that_there_are():
    for name, forms in texts("romaji").items():
        wanted = {place for form in texts("en")[name] for place in _PLACEHOLDER.findall(form)}
        assert all(set(_PLACEHOLDER.findall(form)) == wanted for form in forms), name


@pytest.mark.parametrize(("language", "letters"), [("ja", r"[\u3040-\u30ff\u4e00-\u9fff]"), ("zh", r"[\u4e00-\u9fff]")])
def test_texts_are_in_their_language(language, letters):
    same = {name for name, forms in texts(language).items() if forms == texts("en")[name]}
    alone = {name for name, forms in texts(language).items() if not any(re.search(letters, form) for form in forms)}
    known = {
        "page.name", "page.tag", "page.comma", "page.stop", "settings.numerals_brief", "moves.tile", "table.part",
        "table.line", "table.semicolon", "outcome.draw", "outcome.worth", "outcome.only_points", "outcome.ready",
        "decision.who", "game.win", "about.phi", "opening.step", "duel.cfr", "decision.agent", "decision.the_agent",
        "about.agent", "watch.agents", "settings.by_key", "play.about", "spoken.event", "play.advised",
    }  # fmt: skip
    assert same | alone <= known
    if language == "zh":
        assert not any(re.search(r"[\u3040-\u30ff]", form) for forms in texts(language).values() for form in forms)


def test_every_text_that_the_code_names_exists_and_every_other_one_is_used():
    sections = "|".join(ENGLISH)
    named = set(re.findall(rf"[\"']((?:{sections})\.\w+)[\"']", code()))
    begun = set(re.findall(rf"`((?:{sections})\.\w*)\$\{{", code()))
    assert named <= texts("en").keys()
    assert set(re.findall(r"\bterm\(\"([^\"]*)\"\)", code())) <= ENGLISH["terms"].keys()
    for begin in begun:
        assert any(name.startswith(begin) for name in texts("en")), begin
    of_views = {f"{view.name}.{name}" for view in VIEWS for name in ("title", "link")}  # on the start page
    free = [name for name in texts("en") if name.split(".")[0] not in BY_NAME and name != "page.no_script"]
    free = [name for name in free if name not in of_views]
    assert [name for name in free if name not in named and not name.startswith(tuple(begun))] in ([], ["page.language"])


def test_there_is_a_term_for_everything_that_the_engine_names():
    limits = {"mangan", "haneman", "baiman", "sanbaiman", "counted yakuman", "yakuman", "double yakuman"}
    actions = {re.sub(r" ([0-9][mpsz]|low|middle|high|red|drawn)\b", "", name) for name in ACTION_NAMES} - {"stop"}
    groups = {*SITUATIONS, *TURN_NAMES, *SHANTEN_NAMES, *RIICHI_NAMES}
    assert limits | actions | groups | set(RESULT_NAMES[1:]) <= ENGLISH["terms"].keys()
    assert ENGLISH["yaku"].keys() == {yaku.name for yaku in YAKU}


def strings(tree: ast.AST) -> Iterator[str]:
    """Yield the string literals of a program, in f-strings `{}` for each value."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)


def test_the_messages_that_are_translated_are_those_of_the_server():
    root = Path(suphx.__file__).parents[1]
    places = [*root.glob("suphx/web/*.py"), *root.glob("suphx/review/*.py"), root / "simulator/logs/formats.py"]
    said = {text for path in places for text in strings(ast.parse(path.read_text()))}
    said.add("ranking points, phoenix room, 7 dan")  # in the file of the reward predictor
    for name, english in ENGLISH["server"].items():
        for sentence in _PLACEHOLDER.sub("{}", english).removeprefix("{}: ").split("; download"):
            assert any(sentence in text for text in said), name


def test_no_words_stand_in_the_code():
    """What the elements of the page are given as children or as names that are read aloud comes from the texts."""
    child = re.findall(r"h\(\"(?!kbd)\w+\", \{[^{}]*\}, (\"[^\"]*[A-Za-z]{2}[^\"]*\"|`[^`$]*[A-Za-z]{2}[^`]*`)", code())
    read = re.findall(r"(?:\"aria-label\"|\btitle|\bplaceholder): (\"[^\"]*\"|`(?:[^`$]|\$\{[^}]*\})*`)", code())
    assert child == []
    assert [each for each in read if re.search(r"[A-Za-z]{2}", re.sub(r"\$\{.*?\}", "", each))] == [
        '"https://tenhou.net/0/?log=..."'
    ]


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_what_mistakes_cost_is_as_measured(language):
    results = Path(suphx.__file__).parents[1] / "docs" / "results" / "outlook.json"
    measured = json.loads(results.read_text())
    (text,) = texts(language)["about.mistakes_means"]
    costs = [each for each in measured["discards"]["costs"] if each["low"] in MISTAKES.values()]
    choices = [(each["decisions"], each["actual"]) for each in (of["mistakes"] for of in measured["choices"].values())]
    for count, actual in [(each["discards"], each["actual"]) for each in costs] + choices:
        numbers = count, *(actual[end] for end in ("value", "low", "high"))
        assert all(f"{number:,.0f}" in text.replace("\u2212", "-") for number in numbers), numbers
