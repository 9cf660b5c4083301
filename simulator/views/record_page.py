"""The page about the record of a game, generated from its documented fields (`scripts/reference_pages.py`)."""

import numpy as np

from simulator import record as r

_HEAD = """# The game record

Generated from `simulator/record.py` by `scripts/reference_pages.py`.

One game is one `GAME`, {size:,} bytes. A batch of games is a NumPy array of it.
"""


def _section(title: str, head: str, rows: list[str]) -> str:
    return "\n".join([f"\n## {title}\n", head, "|---" * (head.count("|") - 1) + "|", *rows]) + "\n"


def _table(title: str, dtype: np.dtype, fields: tuple) -> str:
    rows = []
    for name, code, shape, meaning in fields:
        base = np.dtype(code).name if code else {"melds": "MELD", "wins": "WIN", "rules": "RULES"}.get(name)
        base = base or ("RESULT" if name == "result" else "WIN")
        size = "".join(f"[{n}]" for n in shape)
        escaped = meaning.replace("|", "\\|")
        rows.append(f"| `{name}` | {base}{size} | {escaped} |")
    return _section(f"{title} ({dtype.itemsize:,} bytes)", "| field | type | meaning, unit, range |", rows)


def _numbers(title: str, prefix: str) -> str:
    named = {name: value for name, value in vars(r).items() if name.startswith(prefix) and isinstance(value, int)}
    rows = [f"| {value} | `{name}` |" for name, value in sorted(named.items(), key=lambda item: item[1])]
    return _section(title, "| number | name |", rows)


def record_page() -> str:
    """Return the page in Markdown."""
    return (
        _HEAD.format(size=r.GAME.itemsize)
        + _table("GAME", r.GAME, r.GAME_FIELDS)
        + _table("MELD", r.MELD, r.MELD_FIELDS)
        + _table("RESULT", r.RESULT, r.RESULT_FIELDS)
        + _table("WIN", r.WIN, r.WIN_FIELDS)
        + _numbers("Phases", "PHASE_")
        + _numbers("Events (type in bits 0-3, seat 4-5, extra 6-7, tile 8-15)", "EVENT_")
        + _numbers("Results", "RESULT_")
        + _section("Actions", "| number | action |", [f"| {n} | {name} |" for n, name in enumerate(r.ACTION_NAMES)])
    )
