"""A table as HTML, which notebooks draw by themselves (`_repr_html_`).

Everything is a box with its own style and no script, so that it is drawn alike wherever HTML is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .view import Discard, Meld, SeatView, TableView

# Latin letters alone: not every machine has a font with the characters that are on tiles.
_SUIT_COLOURS = {"m": "#1b1b22", "p": "#1d4f91", "s": "#17713a"}
_HONOURS = dict(zip("1234567", "ESWNPFC", strict=True))
_HONOUR_COLOURS = {"5z": "#1d4f91", "6z": "#17713a", "7z": "#c22329"}
_RED, _BLACK = "#c22329", "#1b1b22"

_FRAME = "background:#1e5a46;color:#f4f1e6;padding:8px 10px;border-radius:8px;display:inline-block;font:14px sans-serif"
_TILE = (
    "display:inline-block;box-sizing:border-box;width:22px;height:30px;margin:1px;padding-top:1px;border-radius:4px;"
    "border:1px solid #77705e;text-align:center;vertical-align:bottom;font:600 13px/13px sans-serif;"
)
_GAP = '<span style="display:inline-block;width:8px"></span>'
_CELL = 'style="text-align:left;vertical-align:top;padding:3px 8px;color:#f4f1e6;background:#1e5a46"'


def table_html(view: TableView, notes: Sequence[str] = ()) -> str:
    """Return the table as an HTML fragment: a line for what all share, and a row for each seat; notes below it."""
    words = [escape(view.name)]
    words += [f"repeat {view.repeat_counter}"] if view.repeat_counter else []
    words += [f"{view.bets} riichi bet{'s' if view.bets > 1 else ''}"] if view.bets else []
    words += [f"{view.tiles_left} tiles left", f"indicators {_tiles(view.indicators)}"]
    rows = "".join(_seat_row(seat, seat.seat == view.turn) for seat in view.seats)
    lines = "".join(f"<div>{escape(note)}</div>" for note in notes)
    head = f"<div>{', '.join(words)}</div>"
    return f'<div style="{_FRAME}">{head}<table style="border-collapse:collapse">{rows}</table>{lines}</div>'


def tile_html(tile: str, *, dim: bool = False, turned: bool = False, title: str = "") -> str:
    """Return one tile in notation as a box; `""` and `"?"` are backs. dim: darker. turned: lies on its side."""
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
        colour = _HONOUR_COLOURS.get(tile, _BLACK)
        return f'<span style="color:{colour};font-size:16px;line-height:26px">{_HONOURS[number]}</span>'
    colour = _RED if number == "0" else _SUIT_COLOURS[suit]
    return f'<span style="color:{colour}">{number.replace("0", "5")}<br>{suit}</span>'


def _tiles(tiles: Iterable[str]) -> str:
    return "".join(map(tile_html, tiles))


def _seat_row(seat: SeatView, is_turn: bool) -> str:
    state = f"<br>{escape(seat.riichi)}" if seat.riichi else ""
    who = f"<b>{'▸ ' if is_turn else ''}{seat.seat} {escape(seat.wind)}</b><br>{seat.score:,}{state}"
    hidden = seat.hand_size - bool(seat.drawn)
    held = _tiles(_split(seat.hand) if seat.hand is not None else ["?"] * hidden)
    drawn = _GAP + tile_html(seat.drawn) if seat.drawn else ""
    melds = "".join(_GAP + _meld(meld) for meld in seat.melds)
    river = "".join(map(_discard, seat.river))
    return f"<tr><td {_CELL}>{who}</td><td {_CELL}>{held}{drawn}{melds}<div>{river}</div></td></tr>"


def _split(hand: str) -> list[str]:
    """Return the tiles of a hand in notation, `"12m0p"` as `["1m", "2m", "0p"]`."""
    tiles: list[str] = []
    numbers = ""
    for letter in hand:
        if letter.isdigit():
            numbers += letter
        else:
            tiles += [number + letter for number in numbers]
            numbers = ""
    return tiles


def _meld(meld: Meld) -> str:
    if not meld.claimed:
        return _tiles(["", *meld.own[1:-1], ""])
    tiles = [tile_html(tile) for tile in meld.own]
    called = tile_html(meld.claimed, turned=True, title=f"{meld.claimed} from seat {meld.source}")
    if meld.added:
        called += tile_html(meld.added, turned=True, title=f"{meld.added} added")
    tiles.insert(len(tiles) if meld.turned < 0 else meld.turned, called)
    return "".join(tiles)


def _discard(discard: Discard) -> str:
    title = discard.tile + (", as drawn" if discard.drawn else "") + (", riichi" if discard.riichi else "")
    box = tile_html(discard.tile, dim=discard.drawn, turned=discard.riichi, title=title)
    if discard.caller is None:
        return box
    return f'<span style="opacity:.4" title="called by seat {discard.caller}">{box}</span>'
