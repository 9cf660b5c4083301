"""The page's own files, read from the package without a build step; and a review as a single file that embeds them."""

import base64
import hashlib
import html
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from suphx.plugins import VIEWS
from suphx.review.document import Review

PAGE = Path(__file__).parent / "page"

#: Prefix of the names by which modules import each other: `suphx/tiles.js`. An import map resolves them.
PREFIX = "suphx/"
_START = "file.js"
_IMPORT = re.compile(rf'^import \{{ (.*?) \}} from "{PREFIX}(.*?)\.js";\n', re.M)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.M)


@cache
def text_of(name: str) -> str:
    """Return the text of one of the page's files."""
    return (PAGE / name).read_text(encoding="utf-8")


@cache
def languages() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the page's texts by language: section -> name -> text, or texts by number (`one`, `other`)."""
    order = ("en", "romaji", "ja", "zh")
    texts = {language: json.loads(text_of(f"texts/{language}.json")) for language in order}
    for folder in _view_folders():
        for path in folder.glob("texts/*.json"):
            texts[path.stem] |= json.loads(path.read_text(encoding="utf-8"))
    return texts


def _view_folders() -> list[Path]:
    return [view.load().folder for view in VIEWS]


@cache
def style() -> str:
    """Return the page's styles, those of the plugins' views included."""
    return text_of("style.css") + "".join((folder / "style.css").read_text("utf-8") for folder in _view_folders())


@cache
def modules() -> dict[str, str]:
    """Return the texts of the modules by file name; `texts.js` and `views.js` (names of plugins' views) are made."""
    files = [path for folder in (PAGE, *_view_folders()) for path in sorted(folder.glob("*.js"))]
    texts = as_script(json.dumps(languages(), ensure_ascii=False))
    return {path.name: path.read_text(encoding="utf-8") for path in files} | {
        "texts.js": f"export const TEXTS = {texts};\n",
        "views.js": f"export const VIEWS = {json.dumps([view.name for view in VIEWS])};\n",
    }


def hash_source(script: str) -> str:
    """Return the source by which a content security policy allows this script, and no other."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def fill(template: str, values: dict[str, str]) -> str:
    """Return a template with each `{{name}}` replaced by its value, unescaped, once; raises KeyError without one."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], template)


def as_script(json_text: str) -> str:
    """Return JSON escaped for a script element: nothing in it ends the element or begins a comment."""
    for character in "<>&\u2028\u2029":
        json_text = json_text.replace(character, f"\\u{ord(character):04x}")
    return json_text


def import_map() -> str:
    """Return the import map of the served page: the URL of each module."""
    return as_script(json.dumps({"imports": {PREFIX + name: f"/page/{name}" for name in modules()}}))


def content_policy() -> str:
    """Return the content security policy of every response: our own files, the import map, and nothing else."""
    return (
        f"default-src 'none'; script-src 'self' {hash_source(import_map())}; style-src 'self' 'unsafe-inline'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def no_script() -> str:
    """Return the message for a browser without JavaScript, in every language, escaped for HTML."""
    words = (texts["page"].get("no_script") for texts in languages().values())
    return html.escape(" ".join(filter(None, words)))


def start_page() -> str:
    """Return the served page as HTML."""
    return fill(text_of("app.html"), {"modules": import_map(), "no_script": no_script()})


def review_page(review: Review) -> bytes:
    """Return the file. Everything from the log is escaped, and the policy lets it run this script and load nothing."""
    policy = f"default-src 'none'; script-src {hash_source(script())}; style-src 'unsafe-inline'"
    return fill(
        text_of("file.html"),
        {
            "policy": html.escape(policy),
            "title": html.escape(f"Review: {', '.join(filter(None, review.names)) or review.source}"),
            "no_script": no_script(),
            "style": text_of("style.css"),
            "review": as_script(review.model_dump_json()),
            "script": script(),
        },
    ).encode()


@cache
def script() -> str:
    """Return the start script and its modules as one: a function each, called once in order, returning its exports."""
    functions: dict[str, str] = {}
    _add(_START.removesuffix(".js"), functions)
    return "".join(functions.values())


def _add(name: str, functions: dict[str, str]) -> None:
    """Add a module to `functions`, after all that it imports."""
    if name in functions:
        return
    text = modules()[f"{name}.js"]
    for module in _IMPORT.finditer(text):
        _add(module[2], functions)
    exported = ", ".join(module[1] for module in _EXPORT.finditer(text))
    body = _EXPORT.sub("", _IMPORT.sub(r"const { \1 } = \2_js;\n", text))
    functions[name] = f"const {name}_js = (() => {{\n{body}return {{ {exported} }};\n}})();\n"
