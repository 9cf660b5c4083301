"""A person who plays in the terminal."""

import numpy as np

from suphx.equilibrium.duel.log import Choice, legal_moves, sides_of


class Stopped(Exception):
    """The person has had enough."""


class Person:
    """Asks for every move that is not forced."""

    name = "you"
    four_as_two: bool | None = None

    def choose(self, duel: np.void, random: np.random.Generator) -> Choice | None:
        """A person has no plan that must be told."""
        return None

    def act(self, duel: np.void, random: np.random.Generator) -> int:
        """Return what the person types; raises Stopped."""
        options = legal_moves(duel)
        if len(options) == 1:
            return next(iter(options.values()))
        seat = int(duel["mover"])
        other, own = sides_of(duel)[1 - seat], sides_of(duel)[seat]
        print(f"other: {_melds(other)} discards {_tiles(other)}")
        print(f"you:   {_melds(own)} discards {_tiles(own)}; {int(duel['back'] - duel['front'])} tiles left")
        print(f"hand:  {''.join(own['hand'])} {own['drawn']}")
        names = list(options)
        while True:
            try:
                answer = input(f"{', '.join(f'{n} {name}' for n, name in enumerate(names))} (q stops): ").strip()
            except EOFError:
                raise Stopped from None
            if answer == "q":
                raise Stopped
            if answer.isdecimal() and int(answer) < len(names):
                answer = names[int(answer)]
            if answer in options:
                return options[answer]
            print("that is none of the moves")


def _melds(side: dict) -> str:
    return "".join(f"[{''.join(meld['tiles'])}]" for meld in side["melds"])


def _tiles(side: dict) -> str:
    return "".join(tile for tile, claimed in side["river"] if not claimed) or "none"
