"""The page's own files: ES modules, texts, styles and HTML templates, read from the package without a build step."""

import base64
import hashlib
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent / "page"

#: Prefix of the names by which modules import each other: `suphx/tiles.js`. An import map resolves them.
PREFIX = "suphx/"


@cache
def text_of(name: str) -> str:
    """Return the text of one of the page's files."""
    return (PAGE / name).read_text(encoding="utf-8")


@cache
def languages() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the page's texts by language: section -> name -> text, or texts by number (`one`, `other`)."""
    order = ("en", "romaji", "ja", "zh")
    return {language: json.loads(text_of(f"texts/{language}.json")) for language in order}


@cache
def modules() -> dict[str, str]:
    """Return the texts of the modules by file name; `texts.js`, which has all languages, is made from their files."""
    found = {path.name: text_of(path.name) for path in sorted(PAGE.glob("*.js"))}
    return found | {"texts.js": f"export const TEXTS = {as_script(json.dumps(languages(), ensure_ascii=False))};\n"}


def hash_source(script: str) -> str:
    """Return the source by which a content security policy allows this script, and no other."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def fill(template: str, values: dict[str, str]) -> str:
    """Return a template with each `{{name}}` replaced by its value, unescaped and not expanded any further.

    Raises KeyError for a name without a value.
    """
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], template)


def as_script(json_text: str) -> str:
    """Return JSON escaped for a script element: nothing in it ends the element or begins a comment."""
    for character in "<>&\u2028\u2029":
        json_text = json_text.replace(character, f"\\u{ord(character):04x}")
    return json_text
