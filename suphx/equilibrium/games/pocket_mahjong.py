"""Pocket mahjong: draws, discards, claims and riichi in a game small enough to be solved exactly."""

from typing import NamedTuple

from suphx.equilibrium.game import CHANCE, END
from suphx.errors import InputError

Tiles = tuple[int, ...]  # kinds, sorted: numbers from 0, then honors


class PocketState(NamedTuple):
    """A state. Before a draw `drawn` is None; a claim is open while `offered` is set."""

    hands: tuple[Tiles, ...] = ()
    turn: int = 0
    drawn: int | None = None
    offered: bool = False  # the last discard may be claimed by the player whose turn comes next
    river: tuple[int, ...] = ()  # all discards in order
    riichi: tuple[int, int] = (-1, -1)  # with which discard each declared
    won: tuple[int, int] | None = None  # the winner and the points


class PocketMahjong:
    """Two hold two tiles each and take turns: draw, then win or discard; the other may claim a win on the discard.

    Three tiles win: a run of numbers 1 point, a triplet `triplet` points. After `draws` discards nobody wins. A discard
    that leaves a hand one kind from winning may be declared riichi: the hand is locked, the player's win counts twice,
    and the opponent's win 1 point more. A win may be declined. Names of information sets: hand, drawn tile, all
    discards (! for riichi), such as `12+3 1 3!`.
    """

    players = 2

    def __init__(
        self, numbers: int = 3, honors: int = 0, copies: int = 3, draws: int = 4, triplet: int = 3, riichi: int = 1
    ) -> None:
        self.kinds, self.numbers, self.copies = numbers + honors, numbers, copies
        self.draws, self.triplet, self.riichi = draws, triplet, riichi
        if not (1 <= self.kinds <= 9 and 1 <= copies <= 4 and min(numbers, honors, draws, triplet) >= 0):
            raise InputError("pocket mahjong has 1 to 9 kinds, 1 to 4 copies of each, and no negative number")
        if self.kinds * copies < 4 + draws:
            raise InputError(f"{self.kinds * copies} tiles are too few for two hands and {draws} draws")

    def root(self) -> PocketState:
        return PocketState()

    def points(self, tiles: Tiles) -> int:
        """Return what three tiles win, 0 if they do not."""
        a, b, c = sorted(tiles)
        if a == c:
            return self.triplet
        return int(c < self.numbers and b == a + 1 and c == b + 1)

    def waits(self, hand: Tiles) -> bool:
        """Return whether some kind would complete a hand of two."""
        return any(self.points((*hand, kind)) for kind in range(self.kinds))

    def left(self, state: PocketState) -> list[int]:
        """Return how many tiles of each kind the wall has."""
        out = [tile for hand in state.hands for tile in hand] + list(state.river)
        out += [] if state.drawn is None else [state.drawn]
        return [self.copies - out.count(kind) for kind in range(self.kinds)]

    def mover(self, state: PocketState) -> int:
        if state.won is not None or (len(state.river) == self.draws and not state.offered):
            return END
        if len(state.hands) < 2 or (state.drawn is None and not state.offered):
            return CHANCE
        return 1 - state.turn if state.offered else state.turn

    def actions(self, state: PocketState) -> list:
        if self.mover(state) == CHANCE:
            left = self.left(state)
            if len(state.hands) < 2:
                return self._deals(left)
            return [(str(kind + 1), count / sum(left)) for kind, count in enumerate(left) if count]
        if state.offered:
            return ["win", "pass"]
        assert state.drawn is not None
        tiles = (*state.hands[state.turn], state.drawn)
        wins = ["win"] if self.points(tiles) else []
        if state.riichi[state.turn] >= 0:
            return [*wins, str(state.drawn + 1)]
        kinds = sorted(set(tiles))
        ready = [kind for kind in kinds if self.riichi and self.waits(_without(tiles, kind))]
        return wins + [str(kind + 1) for kind in kinds] + [f"{kind + 1}!" for kind in ready]

    def _deals(self, left: list[int]) -> list[tuple[str, float]]:
        total = sum(left) * (sum(left) - 1)
        pairs = [(a, b) for a in range(self.kinds) for b in range(a, self.kinds)]
        ways = [left[a] * (left[a] - 1) if a == b else 2 * left[a] * left[b] for a, b in pairs]
        return [(f"{a + 1}{b + 1}", way / total) for (a, b), way in zip(pairs, ways, strict=True) if way]

    def next(self, state: PocketState, action: str) -> PocketState:
        if len(state.hands) < 2:
            return state._replace(hands=(*state.hands, tuple(int(each) - 1 for each in action)))
        if state.offered:
            if action == "pass":
                return self._passed(state)
            return self._win(state, 1 - state.turn, state.river[-1])
        if state.drawn is None:
            state = state._replace(drawn=int(action) - 1)
            locked = state.riichi[state.turn] >= 0 and not self.points((*state.hands[state.turn], int(action) - 1))
            return self._discard(state, action) if locked else state
        if action == "win":
            return self._win(state, state.turn, state.drawn)
        return self._discard(state, action)

    def _discard(self, state: PocketState, action: str) -> PocketState:
        kind, turn = int(action[0]) - 1, state.turn
        assert state.drawn is not None
        hand = _without((*state.hands[turn], state.drawn), kind)
        hands = (hand, state.hands[1]) if turn == 0 else (state.hands[0], hand)
        riichi = state.riichi
        if action.endswith("!"):
            riichi = (len(state.river), riichi[1]) if turn == 0 else (riichi[0], len(state.river))
        after = state._replace(hands=hands, drawn=None, river=(*state.river, kind), riichi=riichi, offered=True)
        return after if self.points((*hands[1 - turn], kind)) else self._passed(after)

    @staticmethod
    def _passed(state: PocketState) -> PocketState:
        return state._replace(offered=False, turn=1 - state.turn)

    def _win(self, state: PocketState, winner: int, tile: int) -> PocketState:
        points = self.points((*state.hands[winner], tile)) * (2 if state.riichi[winner] >= 0 else 1)
        return state._replace(won=(winner, points + (state.riichi[1 - winner] >= 0)))

    def seen(self, state: PocketState) -> str:
        mover = self.mover(state)
        hand = "".join(str(kind + 1) for kind in state.hands[mover])
        river = [f"{kind + 1}{'!' * (at in state.riichi)}" for at, kind in enumerate(state.river)]
        return " ".join([hand if state.drawn is None else f"{hand}+{state.drawn + 1}", *river])

    def hidden(self, state: PocketState) -> str:
        """Return what the mover does not see: the other's hand, and how many tiles of each kind the wall has."""
        hand = "".join(str(kind + 1) for kind in state.hands[1 - self.mover(state)])
        return f"{hand} {''.join(map(str, self.left(state)))}"

    def payoffs(self, state: PocketState) -> list[float]:
        if state.won is None:
            return [0.0, 0.0]
        winner, points = state.won
        return [float(points if p == winner else -points) for p in range(2)]


def _without(tiles: Tiles, kind: int) -> Tiles:
    left = sorted(tiles)
    left.remove(kind)
    return tuple(left)
