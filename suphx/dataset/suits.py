"""Permutation of the suits of a position, as data augmentation: the right answer is permuted in the same way."""

from itertools import permutations

import numpy as np

from simulator.jit import jit

_SUIT_KINDS = 9
_SUIT = (1 << _SUIT_KINDS) - 1
_HONOURS = (1 << 34) - (1 << 27)
#: The six permutations of three suits: suit s becomes suit ORDERS[n][s].
ORDERS = np.array(list(permutations(range(3))), np.int64)


@jit
def _permute(planes, orders, chosen):
    for i in range(len(planes)):
        order = orders[chosen[i]]
        for plane in range(planes.shape[1]):
            mask = planes[i, plane]
            moved = mask & _HONOURS
            for suit in range(3):
                moved |= (mask >> _SUIT_KINDS * suit & _SUIT) << _SUIT_KINDS * order[suit]
            planes[i, plane] = moved


def permute_suits(planes: np.ndarray, answers: np.ndarray, chosen: np.ndarray, answers_are_kinds: bool) -> None:
    """Permute suits in place: planes uint64[n, planes], answers i64[n], chosen i64[n]: the row of ORDERS for each."""
    _permute(planes.view(np.int64), ORDERS, chosen)
    if answers_are_kinds:
        rows = np.flatnonzero(answers < 3 * _SUIT_KINDS)
        suit, number = np.divmod(answers[rows], _SUIT_KINDS)
        answers[rows] = ORDERS[chosen[rows], suit] * _SUIT_KINDS + number
