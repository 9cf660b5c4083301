"""Ranges of hands in the players' notation: `QQ-22,AQs-A2s,KJo+,AhKh:0.5,random`."""

import math
import re

import numpy as np

from suphx.equilibrium.poker.cards import PAIR_CARDS, PAIRS, RANKS, pair_number, parse_cards
from suphx.errors import InputError

#: The range of all hands.
ANY = "random"
_CLASS = re.compile(r"^([2-9TJQKA])([2-9TJQKA])([so]?)$", re.IGNORECASE)
_RANK, _SUITED = PAIR_CARDS >> 2, PAIR_CARDS[:, 0] & 3 == PAIR_CARDS[:, 1] & 3


def parse_range(text: str) -> np.ndarray:
    """Read a range as weights f64[1326]; InputError names the word that is wrong.

    Words are separated by commas or spaces: a pair (`QQ`), two ranks, suited (`AKs`), offsuit (`AKo`) or both (`AK`),
    each alone, with `+` for all better ones of the same high card (for pairs all higher ones), or two of them with `-`
    for all between; two cards (`AhKd`); or `random`. `:0.5` after a word is its weight, else 1; a later word counts.
    """
    weights = np.zeros(PAIRS)
    for word in text.replace(",", " ").split():
        hands, colon, number = word.partition(":")
        try:
            weight = float(number) if colon else 1.0
        except ValueError:
            weight = math.nan
        if not 0 <= weight < math.inf:
            raise InputError(f"range {text!r}: {word}: the weight {number!r} is not a number of at least 0")
        weights[_hands(hands, text)] = weight
    if not weights.any():
        raise InputError(f"range {text!r}: no hands in it")
    return weights


def _hands(word: str, text: str) -> np.ndarray:
    """Return which pairs of cards a word means, bool[1326] or a number."""
    if word.lower() == ANY:
        return np.ones(PAIRS, np.bool_)
    if len(word) == 4 and word[1].lower() in "cdhs":
        return np.array(pair_number(*parse_cards(word)))
    first, dash, last = word.partition("-")
    plus = first.endswith("+") and not dash
    high, low, kind = _class(first.removesuffix("+") if plus else first, word, text)
    end = _class(last, word, text) if dash else (high, low, kind)
    if plus:
        end = (12, 12, kind) if high == low else (high, high - 1, kind)
    if end[2] != kind:
        raise InputError(f"range {text!r}: {word}: both ends must be suited, offsuit or neither")
    steps, way = end[1] - low, int(np.sign(end[1] - low))
    if high == end[0] and high != low:
        ranks = [(high, low + step * way) for step in range(abs(steps) + 1)]
    elif end[0] - high == steps:
        ranks = [(high + step * way, low + step * way) for step in range(abs(steps) + 1)]
    else:
        raise InputError(f"range {text!r}: {word}: its ends have neither the high card nor the gap in common")
    pairs = np.zeros(PAIRS, np.bool_)
    for higher, lower in ranks:
        pairs |= (_RANK[:, 1] == higher) & (_RANK[:, 0] == lower)
    return pairs if not kind else pairs & (_SUITED == (kind == "s"))


def _class(word: str, whole: str, text: str) -> tuple[int, int, str]:
    match = _CLASS.match(word)
    if match is None:
        raise InputError(f"range {text!r}: {whole!r} is no hand; write QQ, AKs, AKo, AK, QQ-22, ATs+, AhKd or {ANY}")
    low, high = sorted(RANKS.index(rank.upper()) for rank in match.groups()[:2])
    if low == high and match[3]:
        raise InputError(f"range {text!r}: {whole}: a pair is neither suited nor offsuit")
    return high, low, match[3].lower()
