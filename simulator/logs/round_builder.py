"""Build a round from moves that name only the look of tiles, giving every tile a physical id of its own.

A *face* is what a tile looks like: 0..33 is a plain tile of that kind, 34..36 the red five of a suit, as in the
discard actions. Formats without physical ids (Tenhou's JSON, mjai) name faces.
"""

from collections.abc import Sequence

import numpy as np

from simulator import record as r
from simulator.logs.mjlog_codes import pack_event, unpack_events
from simulator.logs.model import LogError, Places, RoundLog, WinLog
from simulator.tiles import KINDS, NO_TILE, RED_FIVE_KINDS, TILES, is_red, kind_name


def face_of(tile: int, red_fives: bool) -> int:
    """Return the face of a physical tile."""
    return KINDS + tile // 36 if is_red(tile, red_fives) else tile >> 2


def face_kind(face: int) -> int:
    """Return the kind of a face."""
    return face if face < KINDS else RED_FIVE_KINDS[face - KINDS]


def face_name(face: int) -> str:
    """Return the notation of a face, e.g. `0p` for the red five of pin."""
    return kind_name(face) if face < KINDS else "0" + "mps"[face - KINDS]


class RoundBuilder:
    """A round under construction. Methods raise LogError, with the place, for a move that the hands do not allow.

    Set `number` before each move: the place in the log, counted in `unit` (`line`, `move`).
    """

    round: RoundLog
    """What the log states of the round otherwise; `finish` completes it."""

    def __init__(self, source: str, unit: str, red_fives: bool) -> None:
        self.source, self.unit, self.number = source, unit, 0
        self.context = ""
        self.red_fives = red_fives
        self.hands: list[list[int]] = []
        self.drawn = NO_TILE
        self.last = NO_TILE
        self.last_seat = r.NO_SEAT
        self.in_riichi: set[int] = set()
        self.wins: list[WinLog] = []
        self.pongs: dict[tuple[int, int], tuple[int, list[int]]] = {}
        self._packed: list[int] = []
        self._numbers: list[int] = []
        self._free: dict[int, list[int]] = {}
        for tile in reversed(range(TILES)):
            self._free.setdefault(face_of(tile, red_fives), []).append(tile)

    def __len__(self) -> int:
        return len(self._packed)

    def error(self, message: str) -> LogError:
        """Return a LogError that names the current place."""
        place = ", ".join(part for part in (self.context, f"{self.unit} {self.number}") if part)
        return LogError(message, self.source, place)

    def new_tile(self, face: int) -> int:
        """Return an unused physical tile with this face."""
        free = self._free.get(face)
        if not free:
            if face >= KINDS and not self.red_fives:
                raise self.error(f"{face_name(face)} is a red five, but the rules of this log have none")
            raise self.error(f"more {face_name(face)} than there are")
        return free.pop()

    def deal(self, hands: Sequence[Sequence[int]]) -> None:
        """Deal thirteen faces to each seat."""
        if len(hands) != r.SEATS or any(len(hand) != 13 for hand in hands):
            raise self.error("a deal is thirteen tiles for each of four seats")
        self.hands = [[self.new_tile(face) for face in hand] for hand in hands]
        self.dealt = [list(hand) for hand in self.hands]

    def _add(self, packed: int) -> None:
        if len(self._packed) >= r.MAX_EVENTS:
            raise self.error("more moves than a round can have")
        self._packed.append(packed)
        self._numbers.append(self.number)

    def _take(self, seat: int, face: int, spare: int = NO_TILE) -> int:
        """Remove a tile with this face from a hand and return it; `spare` is taken only if there is no other."""
        choices = [tile for tile in self.hands[seat] if face_of(tile, self.red_fives) == face]
        if not choices:
            raise self.error(f"seat {seat} has no {face_name(face)}")
        tile = next((tile for tile in choices if tile != spare), choices[0])
        self.hands[seat].remove(tile)
        return tile

    def draw(self, seat: int, face: int) -> None:
        """Draw from the wall."""
        self.drawn = self.new_tile(face)
        self.hands[seat].append(self.drawn)
        self._add(pack_event(r.EVENT_DRAW, seat, self.drawn))

    def discard(self, seat: int, face: int | None, drawn: bool | None = None) -> None:
        """Discard a face from the hand, or the tile just drawn (None); drawn: what the log says of that, if it does."""
        if face is None:
            if self.drawn == NO_TILE or self.drawn not in self.hands[seat]:
                raise self.error(f"seat {seat} discards the tile just drawn, but has drawn none")
            tile = self.drawn
            self.hands[seat].remove(tile)
        else:
            tile = self._take(seat, face, self.drawn)
        self._add(pack_event(r.EVENT_DISCARD, seat, tile, drawn=int(tile == self.drawn if drawn is None else drawn)))
        self.drawn, self.last, self.last_seat = NO_TILE, tile, seat

    def call(self, kind: int, seat: int, source: int, face: int, consumed: Sequence[int]) -> None:
        """Make a chow, pong or open kong (`kind`, EVENT_*) of the last discard."""
        if self.last_seat != source or source == seat or face_of(self.last, self.red_fives) != face:
            raise self.error(f"seat {seat} calls {face_name(face)} from seat {source}, who has not just discarded it")
        own = sorted(self._take(seat, each) for each in consumed)
        kinds = sorted([self.last >> 2, *(tile >> 2 for tile in own)])
        if len(own) == 2 and kinds[0] != kinds[2]:
            if kinds != [kinds[0], kinds[0] + 1, kinds[0] + 2] or kinds[0] // 9 != kinds[2] // 9 or kinds[2] >= 27:
                raise self.error("these three tiles do not form a chow")
        elif kinds[0] != kinds[-1]:
            raise self.error("the tiles of this meld differ")
        self.pongs[seat, kinds[0]] = source, sorted([face, *consumed])
        self._add(pack_event(kind, seat, self.last, source, (own[0], own[1], own[2] if len(own) == 3 else NO_TILE)))
        self.drawn, self.last, self.last_seat = NO_TILE, NO_TILE, r.NO_SEAT

    def closed_kong(self, seat: int, faces: Sequence[int]) -> None:
        """Make a closed kong of four faces."""
        a, b, c, d = sorted(self._take(seat, face) for face in faces)
        if a >> 2 != d >> 2:
            raise self.error("the tiles of this kong differ")
        self._add(pack_event(r.EVENT_CLOSED_KONG, seat, a, consumed=(b, c, d)))
        self.drawn, self.last, self.last_seat = NO_TILE, a, seat

    def added_kong(self, seat: int, face: int, pong: Sequence[int] = (), source: int | None = None) -> None:
        """Add a tile with this face to the seat's own pong; pong, source: its faces and origin, if the log says so."""
        pong_made = self.pongs.get((seat, face_kind(face)))
        if pong_made is None or (pong and sorted(pong) != pong_made[1]) or source not in (None, pong_made[0]):
            raise self.error(f"seat {seat} adds {face_name(face)} to a pong that it has not made")
        tile = self._take(seat, face)
        self._add(pack_event(r.EVENT_ADDED_KONG, seat, tile))
        self.drawn, self.last, self.last_seat = NO_TILE, tile, seat

    def tiles_like(self, seat: int, faces: Sequence[int], won: int | None = None) -> list[int]:
        """Return tiles with these faces, ascending: of the seat's hand (and the winning tile) where it has them."""
        own = sorted(self.hands[seat] + ([won] if won is not None and won not in self.hands[seat] else []))
        tiles = []
        for face in faces:
            like = [tile for tile in own if face_of(tile, self.red_fives) == face]
            tiles.append(like[0] if like else 4 * face_kind(face) + (face < KINDS))
            if like:
                own.remove(like[0])
        return sorted(tiles)

    def show_indicator(self, face: int) -> int:
        """Show another dora indicator; return its tile."""
        tile = self.new_tile(face)
        self._add(pack_event(r.EVENT_DORA, 0, tile))
        return tile

    def declare_riichi(self, seat: int) -> None:
        """Declare riichi, before the discard."""
        self._add(pack_event(r.EVENT_RIICHI, seat))

    def accept_riichi(self, seat: int) -> None:
        """Accept a riichi: the bet is paid."""
        self.in_riichi.add(seat)
        self._add(pack_event(r.EVENT_RIICHI_ACCEPTED, seat))

    def win(self, win: WinLog) -> None:
        """End the round with a win on the tile just drawn, or on the last one discarded or used for a kong."""
        own = win.seat == win.source
        win.tile = self.drawn if own else self.last
        if win.tile == NO_TILE or (not own and self.last_seat != win.source):
            raise self.error(f"seat {win.seat} wins off seat {win.source}, but there is no tile to win on")
        if len(self.wins) == r.SEATS - 1:
            raise self.error("a fourth winner")
        self.wins.append(win)
        self._add(pack_event(r.EVENT_WIN, win.seat, win.tile, win.source))

    def no_winner(self, draw_type: int, deltas: list[int] | None) -> None:
        """End the round without a winner; draw_type: RESULT_*, deltas: payments, which may show who is tenpai."""
        this = self.round
        this.draw_type, this.deltas = draw_type, deltas
        if this.tenpai is None and draw_type == r.RESULT_EXHAUSTIVE and deltas and any(deltas):
            this.tenpai = [delta > 0 for delta in deltas]
        self._add(pack_event(r.EVENT_NO_WINNER, 0, draw_type))

    def events(self) -> np.ndarray:
        """Return the events so far, LOG_EVENT[n]."""
        return unpack_events(self._packed)

    def finish(self) -> RoundLog:
        """Set the hands, events, wins and places of the round, and its payments if the wins have them; return it."""
        deltas = [win.deltas for win in self.wins if win.deltas is not None]
        if deltas and len(deltas) == len(self.wins):
            self.round.deltas = [sum(column) for column in zip(*deltas, strict=True)]
        self.round.hands, self.round.events, self.round.wins = self.dealt, self.events(), self.wins
        self.round.places = Places(self.unit, self._numbers)
        return self.round
