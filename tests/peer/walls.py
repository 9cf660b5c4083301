"""Walls that are stacked towards rare situations, and states of a game to begin with.

Every wall is u8[136] in Tenhou's layout (`simulator.walls`), with each tile once.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from simulator.tiles import TERMINALS_AND_HONORS, TILES
from simulator.walls import DEAD_WALL, FIRST_LIVE, REPLACEMENTS, dealt_places

_HAND = 13
_LAST_DRAWS = 12
_GREEN = [19, 20, 21, 23, 25, 32]
_TERMINALS = [0, 8, 9, 17, 18, 26]


def _stack(rng: random.Random, dealer: int, hands: list[list[int]], live: dict[int, int] | None = None) -> np.ndarray:
    """Return a wall that deals the given tiles (up to 13 a seat), has `live` place -> tile, and else is shuffled."""
    wall = np.full(TILES, TILES, np.int64)
    for seat, hand in enumerate(hands):
        wall[dealt_places(dealer, seat)[: len(hand)]] = hand
    for place, tile in (live or {}).items():
        wall[place] = tile
    rest = sorted(set(range(TILES)) - set(wall.tolist()))
    rng.shuffle(rest)
    wall[wall == TILES] = rest
    return wall


class Shuffled:
    """Any wall."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def __call__(self, game: np.void) -> np.ndarray:
        return self.stacked(game)

    def stacked(self, game: np.void) -> np.ndarray:
        """Return the next wall."""
        return _stack(self.rng, int(game["dealer"]), [])

    @staticmethod
    def _draws(seat: int, dealer: int) -> range:
        """Return the places in the wall that a seat draws from as long as nobody calls."""
        return range(FIRST_LIVE - ((seat - dealer) & 3), DEAD_WALL - 1, -4)


class Triplets(Shuffled):
    """Each hand has several pairs and triplets; every other time their fourth tiles are the last to be drawn."""

    def stacked(self, game: np.void) -> np.ndarray:
        kinds = self.rng.sample(range(34), 20)
        hands = []
        for seat in range(4):
            sizes = self.rng.choices((2, 3, 4), (2, 6, 1), k=5)
            own = zip(kinds[5 * seat : 5 * seat + 5], sizes, strict=True)
            hands.append([4 * kind + copy for kind, n in own for copy in range(n)][:_HAND])
        live: dict[int, int] = {}
        if self.rng.random() < 0.5:
            fourth = [4 * kind + 3 for kind in kinds if all(4 * kind + 3 not in hand for hand in hands)]
            places = range(DEAD_WALL, DEAD_WALL + _LAST_DRAWS)
            live = dict(zip(self.rng.sample(places, min(len(fourth), 8)), fourth, strict=False))
        return _stack(self.rng, int(game["dealer"]), hands, live)


class Honors(Shuffled):
    """Terminals and honors lie close together: many in each hand, or most in one."""

    def stacked(self, game: np.void) -> np.ndarray:
        share = self.rng.choice(((9, 9, 9, 9), (13, 3, 3, 13), (11, 11, 8, 0)))
        tiles = [tile for tile in range(TILES) if TERMINALS_AND_HONORS >> (tile >> 2) & 1]
        if self.rng.random() < 0.5:  # one of each kind first: nine terminals, thirteen orphans
            tiles.sort(key=lambda tile: (tile & 3, self.rng.random()))
        else:
            self.rng.shuffle(tiles)
        hands = []
        for n in self.rng.sample(share, 4):
            hands.append(tiles[:n])
            del tiles[:n]
        return _stack(self.rng, int(game["dealer"]), hands)


class WindsAndDragons(Shuffled):
    """One hand has pairs of all winds or of all dragons, and others have the third to give: liability."""

    def stacked(self, game: np.void) -> np.ndarray:
        rich = self.rng.randrange(4)
        kinds = list(self.rng.choice((range(27, 31), range(31, 34), range(27, 34), range(27, 34))))
        self.rng.shuffle(kinds)
        hands: list[list[int]] = [[], [], [], []]
        hands[rich] = [4 * kind + copy for kind in kinds for copy in range(2)][:_HAND]
        for kind in kinds:
            giver = (rich + self.rng.randrange(1, 4)) % 4
            hands[giver].append(4 * kind + 2)
        live = {}
        if self.rng.random() < 0.5:  # the fourth comes to the rich seat: added kongs, and sets without a call
            places = self._draws(rich, int(game["dealer"]))
            live = {places[n]: 4 * kind + 3 for n, kind in enumerate(kinds)}
        return _stack(self.rng, int(game["dealer"]), hands, live)


class AllHonors(Shuffled):
    """Seat 1 draws and gives what seat 0 needs for all honors with big winds or dragons; somebody draws the last."""

    def stacked(self, game: np.void) -> np.ndarray:
        dealer = int(game["dealer"])
        kinds = self.rng.choice(([27, 28, 29, 30], [31, 32, 33, 27]))
        self.rng.shuffle(kinds)
        single = 31 if 28 in kinds else 28
        hands = [[4 * kind + copy for kind in kinds for copy in range(2)] + [4 * single], [], [], []]
        # Each pong of seat 0 from seat 1 moves the order of the draws on by three seats.
        places = [self._draws(1 - 3 * n, dealer)[1 + 2 * n] for n in range(4)]
        live = {place: 4 * kind + 2 for place, kind in zip(places, kinds, strict=True)}
        live[self._draws(self.rng.randrange(4), dealer)[9]] = 4 * single + 1
        return _stack(self.rng, dealer, hands, live)


class Robbery(Shuffled):
    """Seat 0 has pairs, seat 1 draws and gives their third tiles, seat 0 draws the fourth; seats 2 and 3 wait."""

    def stacked(self, game: np.void) -> np.ndarray:
        rng, dealer = self.rng, int(game["dealer"])
        suit = 9 * rng.randrange(3)
        kind = suit + rng.randrange(2, 7)
        second = (suit + 9) % 27 + rng.randrange(9)
        hands: list[list[int]] = [[4 * kind, 4 * kind + 1, 4 * second, 4 * second + 1], [], [], []]
        free = set(range(TILES)) - {4 * k + copy for k in (kind, second) for copy in range(4)}
        for seat in (2, 3):
            sides = rng.choice(((kind + 1, kind + 2), (kind - 2, kind - 1), (kind - 1, kind + 1)))
            far = (suit + 18) % 27
            pair = rng.randrange(27, 34)
            for wanted in (*sides, *range(far, far + 9), pair, pair):
                copies = [4 * wanted + copy for copy in range(4) if 4 * wanted + copy in free]
                if copies:
                    hands[seat].append(copies[0])
                    free.discard(copies[0])
        # Each pong of seat 0 from seat 1 moves the order of the draws on by three seats.
        live = {self._draws(1, dealer)[1]: 4 * kind + 2, self._draws(2, dealer)[3]: 4 * second + 2}
        fourth = [4 * kind + 3, 4 * second + 3]
        rng.shuffle(fourth)
        live[self._draws(2, dealer)[6]] = fourth[0]
        live[int(REPLACEMENTS[0]) if rng.random() < 0.7 else self._draws(2, dealer)[9]] = fourth[1]
        return _stack(rng, dealer, hands, live)


class Limits(Shuffled):
    """One hand, and what it draws, is made for a rare yakuman: all green, all terminals, nine gates or four kongs."""

    def stacked(self, game: np.void) -> np.ndarray:
        rng, dealer = self.rng, int(game["dealer"])
        seat = rng.randrange(4)
        draws = self._draws(seat, dealer)
        live: dict[int, int] = {}
        which = rng.choice(("green", "terminals", "gates", "kongs"))
        if which in ("green", "terminals"):
            tiles = [4 * kind + copy for kind in (_GREEN if which == "green" else _TERMINALS) for copy in range(4)]
            rng.shuffle(tiles)
            hand = tiles[:_HAND]
            live = dict(zip(draws[2:8], tiles[_HAND:], strict=False))
        elif which == "gates":
            suit = 9 * rng.randrange(3)
            kinds = [suit] * 3 + [suit + n for n in range(1, 8)] + [suit + 8] * 3
            kinds[rng.randrange(13)] = suit + rng.randrange(9)
            kinds = [kind for kind in kinds if kinds.count(kind) < 4]
            hand = [4 * kind + kinds[:n].count(kind) for n, kind in enumerate(kinds)]
            rest = [4 * kind + copy for kind in range(suit, suit + 9) for copy in range(4)]
            rest = rng.sample([tile for tile in rest if tile not in hand], 6)
            live = dict(zip(draws[1:7], rest, strict=True))
        else:
            kinds = rng.sample(range(34), 5)
            hand = [4 * kind + copy for kind in kinds[:4] for copy in range(3)] + [4 * kinds[4]]
            places = [*draws[1:3], *REPLACEMENTS.tolist()]
            fourth = [4 * kind + 3 for kind in kinds[:4]]
            live = dict(zip(places, [*fourth, 4 * kinds[4] + 1, 4 * kinds[4] + 2], strict=True))
        hands: list[list[int]] = [[], [], [], []]
        hands[seat] = hand
        return _stack(rng, dealer, hands, live)


class Ready(Shuffled):
    """Hands that are tenpai or close to it when dealt; often several wait for the same tiles."""

    def stacked(self, game: np.void) -> np.ndarray:
        free = set(range(TILES))
        first = 9 * self.rng.randrange(3) + self.rng.randrange(1, 6)
        same = self.rng.random() < 0.6
        hands = []
        for _ in range(4):
            groups = [(first, first + 1)] if same else []
            while len(groups) < 4:
                kind = self.rng.randrange(34)
                run = kind < 27 and kind % 9 < 7 and self.rng.random() < 0.6
                groups.append((kind, kind + 1, kind + 2) if run else (kind,) * 3)
            groups.append((self.rng.randrange(34),) * 2)
            hand: list[int] = []
            for group in groups:
                for kind in group:
                    copies = [4 * kind + copy for copy in range(4) if 4 * kind + copy in free]
                    if copies and len(hand) < _HAND:
                        hand.append(self.rng.choice(copies))
                        free.discard(hand[-1])
            hands.append(hand)
        return _stack(self.rng, int(game["dealer"]), hands)


class Outside(Shuffled):
    """One or two seats draw nothing but terminals and honors: nagashi mangan."""

    def stacked(self, game: np.void) -> np.ndarray:
        tiles = [tile for tile in range(TILES) if TERMINALS_AND_HONORS >> (tile >> 2) & 1]
        self.rng.shuffle(tiles)
        dealer = int(game["dealer"])
        live: dict[int, int] = {}
        for seat in self.rng.sample(range(4), self.rng.choice((1, 2))):
            live.update((place, tiles.pop()) for place in self._draws(seat, dealer))
        return _stack(self.rng, dealer, [], live)


def late(rng: random.Random) -> Callable[[np.void], None]:
    """Return a start in the last rounds with points near the target, bets and repeat counters."""

    def start(game: np.void) -> None:
        game["round"] = rng.choice((6, 7, 7, 8, 9, 10, 11))
        game["dealer"] = game["round"] % 4
        game["repeat_counter"] = rng.choice((0, 0, 1, 2, 5))
        game["bets"] = rng.choice((0, 0, 1, 3))
        spread = [rng.randrange(-60, 61) for _ in range(3)]
        points = [25_000 + 100 * part for part in (*spread, -sum(spread))]
        if rng.random() < 0.3:
            points = rng.choice(([25_000] * 4, [29_000, 29_000, 21_000, 21_000], [30_000, 30_000, 20_000, 20_000]))
        points = rng.sample(points, 4)
        points[rng.randrange(4)] -= 1000 * int(game["bets"])
        game["scores"] = points

    return start


def poor(rng: random.Random) -> Callable[[np.void], None]:
    """Return a start in which some seats have just enough for a riichi, or a little too little."""

    def start(game: np.void) -> None:
        some = [rng.choice((0, 100, 900, 1000, 1100, 1900, 2000)) for _ in range(3)]
        game["scores"] = rng.sample([*some, 100_000 - sum(some)], 4)

    return start
