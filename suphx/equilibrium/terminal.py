"""What a person types in the terminal."""

from collections.abc import Sequence


class Quit(Exception):
    """The person stops playing."""


def choose(names: Sequence[str]) -> int:
    """Return which of some names the person types, or, where none of them is a number, its number; raises Quit."""
    numbered = not any(name.isdecimal() for name in names)
    words = ", ".join(f"{number} {name}" if numbered else name for number, name in enumerate(names))
    while True:
        try:
            answer = input(f"{words} (q stops): ").strip()
        except EOFError:
            raise Quit from None
        if answer == "q":
            raise Quit
        if answer in names:
            return names.index(answer)
        if numbered and answer.isdecimal() and int(answer) < len(names):
            return int(answer)
        print(f"{answer!r} is none of them")
