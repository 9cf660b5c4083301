"""A review as a single self-contained HTML file, with modules, styles and the review embedded."""

from __future__ import annotations

import base64
import hashlib
import json

from suphx.review.document import Review
from suphx.web.assets import PREFIX, as_script, as_text, fill, modules, text_of

_START = "file.js"
#: Modules not embedded as such: the file's own start script, and what only the served page needs.
_SERVED = (
    _START, "app.js", "choices.js", "hand.js", "outcome.js", "play.js", "play_outcome.js", "play_start.js",
    "play_state.js", "playing.js", "reviewing.js", "server.js", "spoken.js", "start.js", "tips.js", "watch.js",
    "watch_start.js", "watching.js",
)  # fmt: skip


def review_page(review: Review) -> bytes:
    """Return the file. Everything from the log is escaped, and the security policy lets it load and send nothing."""
    inlined = {
        PREFIX + name: "data:text/javascript;base64," + base64.b64encode(text.encode()).decode()
        for name, text in modules().items()
        if name not in _SERVED
    }
    import_map = as_script(json.dumps({"imports": inlined}, separators=(",", ":")))
    start = text_of(_START)
    scripts = " ".join(f"'sha256-{_hash(script)}'" for script in (import_map, start))
    return fill(
        text_of("file.html"),
        {
            "policy": as_text(f"default-src 'none'; script-src {scripts} data:; style-src 'unsafe-inline'"),
            "title": as_text(_title(review)),
            "style": text_of("style.css"),
            "modules": import_map,
            "review": as_script(review.model_dump_json()),
            "start": start,
        },
    ).encode()


def _title(review: Review) -> str:
    names = ", ".join(name for name in review.names if name)
    return f"Review: {names or review.source}"


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
