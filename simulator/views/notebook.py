"""HTML pictures of tables for notebooks (`_repr_html_`): inline styles and no scripts, so alike everywhere."""

from collections.abc import Iterable, Sequence
from html import escape

# Latin letters only: not every machine has a font with the characters on the tiles.
_SUIT_COLORS = {"m": "#1b1b22", "p": "#1d4f91", "s": "#17713a"}
_HONORS = dict(zip("1234567", "ESWNPFC", strict=True))
_HONOR_COLORS = {"5z": "#1d4f91", "6z": "#17713a", "7z": "#c22329"}
_RED, _BLACK = "#c22329", "#1b1b22"

_FRAME = "background:#1e5a46;color:#f4f1e6;padding:8px 10px;border-radius:8px;display:inline-block;font:14px sans-serif"
_TILE = (
    "display:inline-block;box-sizing:border-box;width:22px;height:30px;margin:1px;padding-top:1px;border-radius:4px;"
    "border:1px solid #77705e;text-align:center;vertical-align:bottom;font:600 13px/13px sans-serif;"
)
#: Space between separate groups of tiles.
GAP = '<span style="display:inline-block;width:8px"></span>'
_CELL = 'style="text-align:left;vertical-align:top;padding:3px 8px;color:#f4f1e6;background:#1e5a46"'


def framed(head: str, rows: Iterable[Sequence[str]], notes: Iterable[str] = ()) -> str:
    """Return a picture as an HTML fragment: a header line and rows of cells, given as HTML, with text notes below."""
    lines = "".join(f"<div>{escape(note)}</div>" for note in notes)
    cells = "".join("<tr>" + "".join(f"<td {_CELL}>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    table = f'<table style="border-collapse:collapse">{cells}</table>'
    return f'<div style="{_FRAME}"><div>{head}</div>{table}{lines}</div>'


def tile_html(tile: str, *, dim: bool = False, turned: bool = False, title: str = "") -> str:
    """Return a tile in notation as a box; `""` and `"?"` show its back. dim: darker. turned: lying on its side."""
    known = tile not in ("", "?")
    style = _TILE + ("background:" + ("#d9d2bd" if dim else "#fffdf4") if known else "background:#b7772c")
    if turned:
        style += ";transform:rotate(-90deg);margin:1px 5px"
    face = _face(tile) if known else "&nbsp;"
    label = escape(title or (tile if known else "back"))
    return f'<span style="{style}" title="{label}">{face}</span>'


def _face(tile: str) -> str:
    number, suit = tile[0], tile[1]
    if suit == "z":
        color = _HONOR_COLORS.get(tile, _BLACK)
        return f'<span style="color:{color};font-size:16px;line-height:26px">{_HONORS[number]}</span>'
    color = _RED if number == "0" else _SUIT_COLORS[suit]
    return f'<span style="color:{color}">{number.replace("0", "5")}<br>{suit}</span>'


def tiles_html(tiles: Iterable[str]) -> str:
    """Return tiles side by side, drawn by `tile_html`."""
    return "".join(map(tile_html, tiles))


def dimmed(box: str, title: str) -> str:
    """Return a faint box, for a tile that is no longer there."""
    return f'<span style="opacity:.4" title="{escape(title)}">{box}</span>'
