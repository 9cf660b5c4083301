"""The 52 cards and the 1,326 pairs of them, as numbers and in the players' notation (`Ah`, `Td`)."""

import numpy as np

from suphx.errors import InputError

#: A card is 4 * rank + suit: `2c` is 0, `As` is 51.
RANKS, SUITS = "23456789TJQKA", "cdhs"
CARDS = 52
#: Number of pairs of private cards.
PAIRS = CARDS * (CARDS - 1) // 2
#: i64[1326, 2]: the two cards of each pair, the lower first. Pair (a, b) has number b * (b - 1) / 2 + a.
PAIR_CARDS = np.array([(low, high) for high in range(CARDS) for low in range(high)])


def pair_number(one: int, other: int) -> int:
    """Return the number of a pair of different cards, 0 to 1325."""
    low, high = sorted((one, other))
    return high * (high - 1) // 2 + low


def parse_cards(text: str) -> list[int]:
    """Read cards written one after the other (`AhKd7c`, spaces allowed); InputError if one is wrong or a duplicate."""
    text = "".join(text.split())
    cards: list[int] = []
    for at in range(0, len(text), 2):
        word = text[at : at + 2]
        rank, suit = RANKS.find(word[0].upper()), SUITS.find(word[1:].lower() or "?")
        if rank < 0 or suit < 0:
            raise InputError(f"{text!r}: {word!r} is no card; cards are written like Ah, Td, 2c")
        card = 4 * rank + suit
        if card in cards:
            raise InputError(f"{text!r}: duplicate card {word}")
        cards.append(card)
    return cards


def card_text(cards: int | list[int] | np.ndarray) -> str:
    """Write a card, or several one after the other."""
    if isinstance(cards, int | np.integer):
        return RANKS[cards >> 2] + SUITS[cards & 3]
    return "".join(card_text(int(card)) for card in cards)
