"""The protocol of games: `players` and six methods. They are called once, to build arrays: Python is fast enough."""

from collections.abc import Hashable, Iterable, Sequence
from random import Random
from typing import Any, Protocol, runtime_checkable

from suphx.errors import InputError

CHANCE = -1  # the mover of a state where chance moves
END = -2  # the mover of a state where the game is over
CHANCE_ERROR = 1e-6  # allowed error of the sum of a chance move's probabilities, which are scaled to sum to 1


@runtime_checkable
class ExtensiveGame(Protocol):
    """A game in extensive form. States may be anything; players are 0, 1, ..."""

    players: int

    def root(self) -> Any:
        """Return the state that the game begins in."""

    def mover(self, state: Any) -> int:
        """Return who moves: a player, CHANCE or END."""

    def actions(self, state: Any) -> Sequence:
        """Return the names of the possible actions; where chance moves, pairs (name, probability)."""

    def next(self, state: Any, action: Any) -> Any:
        """Return the state after one of the actions' names."""

    def seen(self, state: Any) -> Hashable:
        """Return what the mover knows, as a name for the information set.

        Earlier knowledge and actions need not be repeated: states that the mover reached by other decisions of
        its own are distinct. A game whose names are the information sets and nothing else has `complete_names = True`;
        there that would be imperfect recall, and it is refused.
        """

    def payoffs(self, state: Any) -> Iterable[float]:
        """Return what each player wins in a state where the game is over."""


def chance_of(game: ExtensiveGame, state: Any) -> list[tuple[Any, float]]:
    """Return names and probabilities of a chance move, scaled to sum to 1; InputError if they are no distribution."""
    outcomes = [(name, float(probability)) for name, probability in game.actions(state)]
    total = sum(probability for _, probability in outcomes)
    if not abs(total - 1) <= CHANCE_ERROR or any(not probability >= 0 for _, probability in outcomes):
        raise InputError(f"chance moves with probabilities that sum to {total:.9g} in {state!r:.80}, not to 1")
    return [(name, probability / total) for name, probability in outcomes]


def api_check(game: ExtensiveGame, plays: int = 100, seed: int = 0) -> None:
    """Play at random and check that the game keeps to the protocol; InputError names the state where it does not."""
    random = Random(seed)
    known: dict[Hashable, tuple] = {}
    if not isinstance(game, ExtensiveGame) or not game.players >= 1:
        raise InputError(
            f"{type(game).__name__} is no game: it needs `players` and the methods of suphx.equilibrium.ExtensiveGame"
        )
    for _ in range(plays):
        state = game.root()
        while (mover := game.mover(state)) != END:
            if mover == CHANCE:
                outcomes = chance_of(game, state)
                names: list[Any] = [name for name, _ in outcomes]
                choice = random.choices(names, [probability for _, probability in outcomes])[0]
            elif 0 <= mover < game.players:
                names = list(game.actions(state))
                if not names:
                    raise InputError(f"player {mover} has no action in {state!r:.80}")
                if known.setdefault((mover, game.seen(state)), tuple(names)) != tuple(names):
                    raise InputError(f"other actions in the same information set: {game.seen(state)!r:.80}")
                choice = random.choice(names)
            else:
                raise InputError(f"{mover} is no player, in {state!r:.80}")
            if len(set(map(str, names))) != len(names):
                raise InputError(f"two actions have the same name in {state!r:.80}")
            state = game.next(state, choice)
        if len(payoffs := list(game.payoffs(state))) != game.players:
            raise InputError(f"{len(payoffs)} payoffs for {game.players} players in {state!r:.80}")
