"""The page's own answers and headers. They need nothing that takes time to load, so that the page is there at once."""

import html
import json
import re

from suphx.plugins import VIEWS
from suphx.web.assets import PREFIX, as_script, fill, hash_source, languages, modules, style, text_of

#: The page chooses its view by the address.
_VIEWS_OF_GAMES = re.compile(r"/(review|watch|play)/[^/]+")

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def import_map() -> str:
    """Return the import map of the served page: the URL of each module."""
    return as_script(json.dumps({"imports": {PREFIX + name: f"/page/{name}" for name in modules()}}))


def policy() -> str:
    """Return the content security policy of every response: our own files, the import map, and nothing else."""
    return (
        f"default-src 'none'; script-src 'self' {hash_source(import_map())}; style-src 'self' 'unsafe-inline'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def no_script() -> str:
    """Return what a browser without JavaScript is told, in every language, escaped for HTML."""
    words = (texts["page"].get("no_script") for texts in languages().values())
    return html.escape(" ".join(filter(None, words)))


def page_file(path: str) -> tuple[str, str] | None:
    """Return the media type and the text of what stands at a path of the page; None if nothing does."""
    if path == "/" or path[1:] in VIEWS or _VIEWS_OF_GAMES.fullmatch(path):
        return "text/html", fill(text_of("app.html"), {"modules": import_map(), "no_script": no_script()})
    name = path.removeprefix("/page/")
    if name == path:
        return None
    if name == "style.css":
        return "text/css", style()
    return ("text/javascript", modules()[name]) if name in modules() else None
