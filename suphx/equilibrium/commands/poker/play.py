"""`suphx poker play`: hold'em in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import numpy as np


def play(
    opponent: Annotated[str, typer.Argument(help="Who sits at the other seats: random, rule, equity:50/80, weights.")],
    hands: Annotated[int, typer.Option(min=1, help="Hands to play; every hand begins with full stacks.")] = 10,
    seats: Annotated[int, typer.Option(min=2, max=6, help="Players; you sit at seat 0.")] = 6,
    stack: Annotated[int, typer.Option(help="Chips of each; blinds are 1 and 2.")] = 500,
    raises: Annotated[int, typer.Option(min=1, max=6, help="Bets and raises on a street at most.")] = 2,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the deals and of the play.")] = 0,
) -> None:
    """Play against an agent: type the number of an action."""
    import numpy as np

    from suphx.equilibrium.poker.holdem import checked_stacks
    from suphx.equilibrium.poker.match import deal_hands, play_hands
    from suphx.equilibrium.poker.players import player_named

    other, stacks, total = player_named(opponent), checked_stacks([stack] * seats), 0
    here = np.arange(seats)[None] > 0
    for number in range(hands):
        dealt = deal_hands(stacks, np.array([number % seats]), raises, np.array([seed * 1_000_003 + number], np.uint64))
        play_hands(dealt, here.astype(np.int64), [_ask, other], seed + number)
        won = int(dealt["stack"][0, 0] - dealt["start"][0, 0])
        total += won
        typer.echo(f"hand {number + 1}: you win {won:+d} chips, {total:+d} in all\n")


def _ask(hands: np.ndarray, seed: int) -> np.ndarray:
    """A player that asks at the terminal."""
    import numpy as np

    from suphx.equilibrium.poker.cards import card_text
    from suphx.equilibrium.poker.holdem import ACTIONS, SEATS, legal, pot

    hand = hands[0]
    seat, can = hand["mover"], np.zeros(6, np.bool_)
    legal(hand, can)
    shown = 0 if hand["street"] == 0 else hand["street"] + 2
    board = card_text(hand["cards"][2 * SEATS : 2 * SEATS + shown]) or "none"
    own, call = card_text(hand["cards"][2 * seat : 2 * seat + 2]), hand["bet"] - hand["street_put"][seat]
    typer.echo(f"your cards {own}, board {board}, pot {pot(hand)}, to call {call}, behind {hand['stack'][seat]}")
    choices = np.flatnonzero(can)
    while True:
        words = ", ".join(f"{action} {ACTIONS[action]}" for action in choices)
        answer = typer.prompt(words)
        if answer.strip().isdigit() and int(answer) in choices:
            return np.eye(6, dtype=np.float32)[[int(answer)]]
        typer.echo(f"{answer!r} is none of them")
