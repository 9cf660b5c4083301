"""`TableView`: a view of a table with some of the hands open, which can be drawn as text and in notebooks.

All tiles are in notation (`"5m"`, `"0m"` for the red five), so that the view does not reveal which copy lies where.
"""

from collections.abc import Container, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from simulator import record as r
from simulator.moves import tiles_left
from simulator.tiles import DORA_OF, WIND_NAMES, format_tiles, kind_name, split_tiles, tile_name
from simulator.views.notebook import GAP, dimmed, framed, tile_html, tiles_html
from simulator.walls import DORA_INDICATORS

_RIVER_LINE = 12


@dataclass(frozen=True)
class Meld:
    """A chow, pong or kong on the table."""

    type: str
    """`"chow"`, `"pong"`, `"open kong"`, `"closed kong"` or `"added kong"`."""
    own: tuple[str, ...]
    """Tiles from the owner's hand, ascending; for an added kong the two of the pong."""
    claimed: str
    """The tile that was called, or `""` for a closed kong."""
    added: str
    """The tile added to a pong, or `""`."""
    source: int
    """Seat that the called tile came from; for a closed kong, the owner's seat."""
    turned: int
    """Place of the called tile in the picture, by the seat it came from: 0 left, 1 across, -1 right; 0 if none."""

    @property
    def tiles(self) -> tuple[str, ...]:
        """All tiles, the called one first, an added one last."""
        return tuple(tile for tile in (self.claimed, *self.own, self.added) if tile)

    def __str__(self) -> str:
        """Return e.g. `(3m)4m5m`, with the called tile in brackets on the side it came from; closed `#5m0m5m5m#`."""
        if not self.claimed:
            return f"#{''.join(self.own)}#"
        called = f"({self.claimed}{'+' if self.added else ''}{self.added})"
        place = len(self.own) if self.turned < 0 else self.turned
        return "".join([*self.own[:place], called, *self.own[place:]])

    def html(self) -> str:
        """Return the meld as HTML: the called tile is turned and placed on the side it came from."""
        if not self.claimed:
            return tiles_html(["", *self.own[1:-1], ""])
        called = tile_html(self.claimed, turned=True, title=f"{self.claimed} from seat {self.source}")
        if self.added:
            called += tile_html(self.added, turned=True, title=f"{self.added} added")
        place = len(self.own) if self.turned < 0 else self.turned
        return tiles_html(self.own[:place]) + called + tiles_html(self.own[place:])


@dataclass(frozen=True)
class RiverTile:
    """A tile in a river."""

    tile: str
    drawn: bool
    """Whether it was the tile just drawn."""
    riichi: bool
    caller: int | None
    """Seat that called it, if any."""

    def __str__(self) -> str:
        """Return e.g. `5m`, `5m*` if just drawn, `[5m]` with riichi, `(5m)` if called by another seat."""
        text = f"[{self.tile}]" if self.riichi else self.tile
        text = text if self.caller is None else f"({text})"
        return text + "*" * self.drawn

    def html(self) -> str:
        """Return the discard as HTML: darker if just drawn, turned with riichi, faint if called by another seat."""
        title = self.tile + (", as drawn" if self.drawn else "") + (", riichi" if self.riichi else "")
        box = tile_html(self.tile, dim=self.drawn, turned=self.riichi, title=title)
        return box if self.caller is None else dimmed(box, f"called by seat {self.caller}")


@dataclass(frozen=True)
class SeatView:
    """One seat's part of a view."""

    seat: int
    wind: str
    """The seat wind; East is the dealer."""
    score: int
    riichi: str
    """`""`, `"declared"`, or `"riichi"` once the bet is paid."""
    hand: str | None
    """Concealed tiles in notation without the one just drawn; None if they are hidden."""
    hand_size: int
    """Number of concealed tiles, including the one just drawn."""
    drawn: str
    """The tile just drawn, `"?"` if it is hidden, `""` if there is none."""
    melds: tuple[Meld, ...]
    river: tuple[RiverTile, ...]

    def lines(self, mark: str) -> list[str]:
        """Return the seat's lines of the picture; the first begins with the mark."""
        held = self.hand if self.hand is not None else "?" * (self.hand_size - bool(self.drawn))
        parts = [held, f"+ {self.drawn}" if self.drawn else "", *map(str, self.melds)]
        state = f"  {self.riichi}" if self.riichi else ""
        first = f"{mark} {self.seat} {self.wind:5} {self.score:>7,}  {'  '.join(p for p in parts if p)}{state}"
        rows = (self.river[start : start + _RIVER_LINE] for start in range(0, len(self.river), _RIVER_LINE))
        return [first, *(" " * 19 + " ".join(map(str, row)) for row in rows)]

    def cells(self, mark: str) -> tuple[str, str]:
        """Return two cells of the picture as HTML: the seat, with the mark before it, and its tiles."""
        state = f"<br>{self.riichi}" if self.riichi else ""
        who = f"<b>{mark}{self.seat} {self.wind}</b><br>{self.score:,}{state}"
        held = ["?"] * (self.hand_size - bool(self.drawn)) if self.hand is None else split_tiles(self.hand)
        parts = [tiles_html(held), tile_html(self.drawn) if self.drawn else "", *(meld.html() for meld in self.melds)]
        return who, f"{GAP.join(filter(None, parts))}<div>{''.join(each.html() for each in self.river)}</div>"


@dataclass(frozen=True)
class TableView:
    """A table in the middle of a round."""

    round: int
    """0 = East 1 .. 11 = West 4."""
    repeat_counter: int
    bets: int
    dealer: int
    turn: int
    """Seat that acts next or acted last."""
    tiles_left: int
    """Tiles that can still be drawn from the live wall."""
    indicators: tuple[str, ...]
    dora: tuple[str, ...]
    """The kinds that these indicators make dora."""
    open_tile: str
    """The discard, or the tile of a kong, that others may claim now; `""` if there is none."""
    seats: tuple[SeatView, ...]

    @property
    def scores(self) -> tuple[int, ...]:
        """Points of each seat."""
        return tuple(seat.score for seat in self.seats)

    @property
    def name(self) -> str:
        """Return e.g. `"South 2"`."""
        return round_name(self.round)

    def __str__(self) -> str:
        """Return the picture. In rivers `*` marks discards just drawn, `[ ]` riichi, `( )` tiles that were called."""
        words = self._words()
        words += [f"indicator {' '.join(self.indicators)} (dora {' '.join(self.dora)})"]
        lines = [", ".join(words)]
        for seat in self.seats:
            lines += seat.lines(">" if seat.seat == self.turn else " ")
        return "\n".join(lines)

    def html(self, notes: Iterable[str] = ()) -> str:
        """Return the picture for notebooks as an HTML fragment, with notes below it."""
        head = ", ".join([*self._words(), f"indicators {tiles_html(self.indicators)}"])
        return framed(head, [seat.cells("▸ " if seat.seat == self.turn else "") for seat in self.seats], notes)

    def _repr_html_(self) -> str:
        return self.html()

    def _words(self) -> list[str]:
        words = [round_name(self.round, self.repeat_counter)]
        words += [f"{self.bets} riichi bet{'s' if self.bets > 1 else ''}"] if self.bets else []
        return [*words, f"{self.tiles_left} tiles left"]


def round_name(number: int, repeat_counter: int = 0) -> str:
    """Return the name of a round: `"East 1"` for 0, `"South 3, 2 honba"` for 6 with repeat counter 2."""
    name = f"{WIND_NAMES[number // r.SEATS]} {number % r.SEATS + 1}"
    return f"{name}, {repeat_counter} honba" if repeat_counter else name


def waits_now(game: np.void, seat: int) -> int:
    """Return the mask of the kinds that complete a hand without the tile just drawn; 0 if it is not tenpai."""
    stale = game["phase"] == r.PHASE_CALL_DISCARD and game["turn"] == seat  # waits are updated after the discard
    return 0 if stale else int(game["waits"][seat])


def table_view(game: np.void, open_seats: Container[int]) -> TableView:
    """Return a view of a game (GAME record) in which the hands of `open_seats` are visible."""
    red_fives = bool(game["rules"]["red_fives"])
    shown = [int(game["wall"][place]) for place in DORA_INDICATORS[: int(game["indicators"])]]
    open_tile = int(game["claim_tile"])
    return TableView(
        round=int(game["round"]),
        repeat_counter=int(game["repeat_counter"]),
        bets=int(game["bets"]),
        dealer=int(game["dealer"]),
        turn=int(game["turn"]),
        tiles_left=int(tiles_left(game)),
        indicators=tuple(tile_name(tile, red_fives) for tile in shown),
        dora=tuple(kind_name(int(DORA_OF[tile >> 2])) for tile in shown),
        open_tile="" if open_tile == r.NO_TILE else tile_name(open_tile, red_fives),
        seats=tuple(_seat_view(game, seat, seat in open_seats, red_fives) for seat in range(r.SEATS)),
    )


def _seat_view(game: np.void, seat: int, is_open: bool, red_fives: bool) -> SeatView:
    drawn = int(game["drawn"]) if game["turn"] == seat else r.NO_TILE
    hand = _hand_text(game["copies"][seat].tobytes(), drawn, red_fives) if is_open else None
    drawn_name = tile_name(drawn, red_fives) if is_open and drawn != r.NO_TILE else "?"
    return SeatView(
        seat=seat,
        wind=WIND_NAMES[(seat - int(game["dealer"])) % r.SEATS],
        score=int(game["scores"][seat]),
        riichi=("", "declared", "riichi")[int(game["riichi"][seat])],
        hand=hand,
        hand_size=int(game["hand"][seat].sum()),
        drawn="" if drawn == r.NO_TILE else drawn_name,
        melds=tuple(_meld(meld, seat, red_fives) for meld in game["melds"][seat][: game["n_melds"][seat]]),
        river=tuple(_discard(int(entry), red_fives) for entry in game["river"][seat][: game["n_river"][seat]]),
    )


@lru_cache(1 << 12)
def _hand_text(copies: bytes, drawn: int, red_fives: bool) -> str:
    """Return a hand in notation without the tile just drawn; of four hands at most one changes from move to move."""
    tiles = [4 * kind + copy for kind, held in enumerate(copies) if held for copy in range(4) if held >> copy & 1]
    return format_tiles([tile for tile in tiles if tile != drawn], red_fives)


def _meld(meld: np.void, seat: int, red_fives: bool) -> Meld:
    names = [tile_name(tile, red_fives) for tile in meld["tiles"].tolist() if tile != r.NO_TILE]
    kind, source = int(meld["type"]), int(meld["source"])
    closed, added = kind == r.MELD_CLOSED_KONG, kind == r.MELD_ADDED_KONG
    return Meld(
        type=r.MELD_NAMES[kind],
        own=tuple(names if closed else names[1:3] if added else names[1:]),
        claimed="" if closed else names[0],
        added=names[3] if added else "",
        source=source,
        turned=(0, -1, 1, 0)[(source - seat) % r.SEATS],
    )


@cache
def _discard(entry: int, red_fives: bool) -> RiverTile:
    caller = entry >> r.RIVER_CALLER_SHIFT & 3 if entry & r.RIVER_CALLED else None
    return RiverTile(
        tile_name(entry & 255, red_fives), bool(entry & r.RIVER_DRAWN), bool(entry & r.RIVER_RIICHI), caller
    )
