"""`UnseenTiles`: the tiles of a record that a seat has not seen, which are made up until an event shows them."""

from collections.abc import Sequence

import numpy as np

from simulator.logs.from_record import concealed
from simulator.logs.round_builder import face_kind, face_name
from simulator.record import NO_TILE
from simulator.redeal.hidden import mark_hidden
from simulator.tiles import KINDS, RED_FIVE_KINDS, TILES
from simulator.walls import DORA_INDICATORS, dealt_places
from suphx.mjai.bot.moves import swap_hidden


class UnseenTiles:
    """The tiles of a record that one seat has not seen. A tile that is shown is swapped with the one made up for it."""

    def __init__(self, lookup: np.void, record: np.void) -> None:
        """`begin` must be called before anything else. lookup: LOOKUP. record: GAME."""
        self._lookup, self._record = lookup, record
        self._marks = np.zeros(TILES, np.bool_)
        self._seat, self._red_fives = -1, True
        self.draw_untold = False
        """Whether the record has a draw that no event has reported yet."""

    def begin(self, seat: int, red_fives: bool) -> None:
        """Begin a round as seen from a seat; its first draw has yet to be reported."""
        self._seat, self._red_fives = seat, red_fives
        self.draw_untold = True

    def wall(self, hand: Sequence[int], dealer: int, indicator: int) -> np.ndarray:
        """Return a wall u8[136] with the own hand and the indicator (given as faces) in their places."""
        free = [True] * TILES
        places = [*dealt_places(dealer, self._seat), int(DORA_INDICATORS[0])]
        wall = np.full(TILES, NO_TILE, np.uint8)
        for place, face in zip(places, [*hand, indicator], strict=True):
            tile = next((tile for tile in self._copies(face) if free[tile]), NO_TILE)
            if tile == NO_TILE:
                raise ValueError(f"more {face_name(face)} than there are")
            wall[place], free[tile] = tile, False
        wall[wall == NO_TILE] = np.flatnonzero(free)
        return wall

    def show(self, made_up: int, face: int) -> None:
        """Replace a made-up tile by one of a face, unless it has that; raises ValueError if no such tile is left."""
        swap_hidden(self._lookup, self._record, made_up, self.find(face, made_up))

    def find(self, face: int, preferred: int) -> int:
        """Return an unseen tile of a face, the preferred one if it qualifies; raises ValueError if there is none."""
        copies = self._of_face(face, ())
        return preferred if preferred in copies else copies[0]

    def give(self, seat: int, faces: Sequence[int], from_draw: bool) -> list[int]:
        """Make sure that another seat's hand holds tiles of these faces; return them.

        from_draw: whether the tile just drawn may be one of them. Raises ValueError if the hand cannot hold them.
        """
        drawn = int(self._record["drawn"])
        chosen: list[int] = []
        for face in faces:
            copies = self._of_face(face, chosen)
            own = concealed(self._record, seat)
            held = [tile for tile in copies if tile in own and (from_draw or tile != drawn)]
            if held:
                chosen.append(held[0])
                continue
            spare = [tile for tile in own if tile != drawn and tile not in chosen]
            if not spare:
                raise ValueError(f"seat {seat} does not have that many tiles")
            swap_hidden(self._lookup, self._record, copies[0], spare[0])
            chosen.append(copies[0])
        return chosen

    def _of_face(self, face: int, but: Sequence[int]) -> list[int]:
        """Return the unseen tiles of a face, except those in `but`; raises ValueError if there are none."""
        mark_hidden(self._record, self._seat, self._marks)
        if self.draw_untold and self._record["turn"] == self._seat:
            self._marks[self._record["drawn"]] = True  # it is hidden until it is reported
        copies = [tile for tile in self._copies(face) if self._marks[tile] and tile not in but]
        if not copies:
            raise ValueError(f"more {face_name(face)} than there are")
        return copies

    def _copies(self, face: int) -> list[int]:
        """Return the physical tiles of a face; raises ValueError for a red five if the rules have none."""
        kind = face_kind(face)
        if face >= KINDS:
            if not self._red_fives:
                raise ValueError(f"{face_name(face)} is a red five, and these rules have none")
            return [4 * kind]
        first = 1 if self._red_fives and kind in RED_FIVE_KINDS else 0
        return list(range(4 * kind + first, 4 * kind + 4))
