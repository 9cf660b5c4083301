"""A review as a single self-contained HTML file, with the page's modules, styles and the review embedded."""

import html
import re
from functools import cache

from suphx.review.document import Review
from suphx.web.assets import PREFIX, as_script, fill, hash_source, modules, no_script, text_of

_START = "file.js"
_IMPORT = re.compile(rf'^import \{{ (.*?) \}} from "{PREFIX}(.*?)\.js";\n', re.M)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.M)


def review_page(review: Review) -> bytes:
    """Return the file. Everything from the log is escaped, and the policy lets it run this script and load nothing."""
    policy = f"default-src 'none'; script-src {hash_source(script())}; style-src 'unsafe-inline'"
    return fill(
        text_of("file.html"),
        {
            "policy": html.escape(policy),
            "title": html.escape(_title(review)),
            "no_script": no_script(),
            "style": text_of("style.css"),
            "review": as_script(review.model_dump_json()),
            "script": script(),
        },
    ).encode()


@cache
def script() -> str:
    """Return the start script and all modules that it needs as one script.

    Each module becomes a function that is called once, after those that it imports, and returns what it exports.
    """
    functions: dict[str, str] = {}
    _add(_START.removesuffix(".js"), functions)
    return "".join(functions.values())


def _add(name: str, functions: dict[str, str]) -> None:
    """Add a module to `found`, after all that it imports."""
    if name in functions:
        return
    text = modules()[f"{name}.js"]
    for module in _IMPORT.finditer(text):
        _add(module[2], functions)
    exported = ", ".join(module[1] for module in _EXPORT.finditer(text))
    body = _EXPORT.sub("", _IMPORT.sub(r"const { \1 } = \2_js;\n", text))
    functions[name] = f"const {name}_js = (() => {{\n{body}return {{ {exported} }};\n}})();\n"


def _title(review: Review) -> str:
    names = ", ".join(name for name in review.names if name)
    return f"Review: {names or review.source}"
