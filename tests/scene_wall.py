"""The wall of a scene: written tiles where they are dealt and drawn, and tiles that do not matter everywhere else."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from simulator.efficiency import shanten_of
from simulator.record import EVENT_DRAW, PHASE_DEAL, SEATS
from simulator.tiles import TERMINALS_AND_HONORS, TILES, format_tiles, parse_kinds, parse_tiles
from simulator.walls import (
    DEAD_WALL,
    DORA_INDICATORS,
    FIRST_LIVE,
    HAND_TILES,
    REPLACEMENTS,
    URA_INDICATORS,
    dealt_places,
)

#: Kinds of a hand that is far from anything, the first to be taken first.
_FAR_APART = [kind for kind, _ in parse_kinds("147m258p369s1234567z258m369p147s369m147p258s")]


class ScriptError(AssertionError):
    """A script that the rules do not allow, or a scene that cannot be laid."""


class SceneWall:
    """Which tiles are spoken for, and what each seat is to draw from the live wall, in its own order."""

    def __init__(self, red_fives: bool) -> None:
        self._red_fives = red_fives
        self._used: list[int] = []
        self._kept: set[int] = set()
        self._spare: list[int] = []
        self._drawn = [0] * SEATS
        self._queues: list[list[int | None]] = [[] for _ in range(SEATS)]

    def _parse(self, text: str) -> list[int]:
        tiles = parse_tiles(text, self._red_fives, set(self._used) - self._kept)
        self._used += tiles
        self._kept -= set(tiles)
        return tiles

    def lay(
        self, wall: np.ndarray, dealer: int, hands: Mapping[int, str], draws: Mapping[int, str], indicators: str,
        ura: str, replacements: str, keep: str,
    ) -> None:  # fmt: skip
        """Fill `wall` u8[136] for the deal."""
        places: dict[int, int] = {}
        for seat, hand in hands.items():
            tiles = self._parse(hand)
            if len(tiles) != HAND_TILES:
                raise ScriptError(f"the hand {hand!r} of seat {seat} has {len(tiles)} tiles, not {HAND_TILES}")
            places |= dict(zip(dealt_places(dealer, seat), tiles, strict=True))
        for text, where in ((indicators, DORA_INDICATORS), (ura, URA_INDICATORS), (replacements, REPLACEMENTS)):
            tiles = self._parse(text)
            places |= dict(zip(where[: len(tiles)].tolist(), tiles, strict=True))
        for seat, text in draws.items():
            self.add_draws(seat, text)
        self._kept = set(self._parse(keep))
        later = {tile for queue in self._queues for tile in queue if tile is not None} | self._kept
        for seat in range(SEATS):
            if seat not in hands:
                places |= dict(zip(dealt_places(dealer, seat), self._far_hand(), strict=True))
        rest = [tile for tile in range(TILES) if tile not in set(places.values())]
        # What is still to be drawn lies in the live wall, so that it can be brought to its place when it is due.
        rest.sort(key=lambda tile: (tile not in later, tile))
        live = [place for place in range(FIRST_LIVE, -1, -1) if place not in places]
        places |= dict(zip(live, rest, strict=True))
        wall[list(places)] = list(places.values())
        unseen = {*URA_INDICATORS.tolist(), *REPLACEMENTS.tolist()}
        self._spare = [place for place in range(DEAD_WALL) if place in unseen and place in live]
        self._used += [int(wall[place]) for place in range(DEAD_WALL) if place not in self._spare]

    def _far_hand(self) -> list[int]:
        tiles: list[int] = []
        kinds = set()
        for kind in _FAR_APART:
            if len(tiles) < HAND_TILES and kind not in kinds:
                free = [tile for tile in range(4 * kind + 3, 4 * kind - 1, -1) if tile not in self._used]
                if free:
                    tiles.append(free[0])
                    kinds.add(kind)
        if len(tiles) < HAND_TILES or shanten_of(format_tiles(tiles, self._red_fives)) < 2:
            raise ScriptError("no hand far from tenpai is left for a seat; write its tiles")
        self._used += tiles
        return tiles

    def add_draws(self, seat: int, text: str) -> None:
        """Say what a seat draws next, after what was said before; `-` is a tile that does not matter."""
        while len(self._queues[seat]) < self._drawn[seat]:
            self._queues[seat].append(None)
        for part in text.replace("-", " - ").split():
            if part == "-":
                self._queues[seat].append(None)
            else:
                self._queues[seat] += self._parse(part)

    def fix(self, start: np.void, after: np.void) -> bool:
        """Bring the right tile to where the first wrong one was drawn between two records.

        Returns whether there was one: the step from `start` is then to be made again. Otherwise notes the draws.
        """
        first = int(start["n_events"]) if start["phase"] != PHASE_DEAL else 0
        place = int(start["next_draw"]) if start["phase"] != PHASE_DEAL else FIRST_LIVE
        events = after["events"][first : int(after["n_events"])].tolist()
        draws = [(event >> 4 & 3, event >> 8) for event in events if event & 15 == EVENT_DRAW and not event >> 6 & 1]
        counts = list(self._drawn)
        waits = int(np.bitwise_or.reduce(after["waits"]))
        for seat, tile in draws:
            queue = self._queues[seat]
            wanted = queue[counts[seat]] if counts[seat] < len(queue) else None
            if wanted is None:
                wanted = self._filler(start["wall"], place, tile, waits)
            if wanted != tile:
                where = int(np.flatnonzero(start["wall"] == wanted)[0])
                start["wall"][[place, where]] = start["wall"][[where, place]]
                return True
            counts[seat] += 1
            place -= 1
        self._drawn = counts
        self._used += [event >> 8 for event in events if event & 15 == EVENT_DRAW]
        return False

    def _filler(self, wall: np.ndarray, place: int, tile: int, waits: int) -> int:
        """Return the tile to be drawn at a place where any will do: one that nobody waits for, a simple if possible."""
        fixed = {wanted for queue in self._queues for wanted in queue}
        places = [*range(DEAD_WALL, place + 1), *self._spare]
        free = [t for t in wall[places].tolist() if t not in fixed and t not in self._used]
        good = [t for t in free if not waits >> (t >> 2) & 1]
        if tile in good and not TERMINALS_AND_HONORS >> (tile >> 2) & 1:
            return tile
        if not good:
            raise ScriptError("every tile that is left is one that somebody waits for; write the draws")
        return min(good, key=lambda t: (TERMINALS_AND_HONORS >> (t >> 2) & 1, t))
