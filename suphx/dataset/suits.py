"""Permutation of the suits of a position, as data augmentation: the action is permuted in the same way."""

from itertools import permutations

import numpy as np

from simulator.jit import jit

_SUIT_KINDS = 9
_SUIT = (1 << _SUIT_KINDS) - 1
_HONORS = (1 << 34) - (1 << 27)
#: The six permutations of three suits: suit s becomes suit ORDERS[n][s].
ORDERS = np.array(list(permutations(range(3))), np.int64)


@jit
def _permute(planes, orders, rows):
    for i in range(len(planes)):
        order = orders[rows[i]]
        for plane in range(planes.shape[1]):
            mask = planes[i, plane]
            permuted = mask & _HONORS
            for suit in range(3):
                permuted |= (mask >> _SUIT_KINDS * suit & _SUIT) << _SUIT_KINDS * order[suit]
            planes[i, plane] = permuted


def permute_suits(planes: np.ndarray, actions: np.ndarray, orders: np.ndarray, actions_are_kinds: bool) -> None:
    """Permute suits in place: planes uint64[n, planes], actions i64[n]; orders i64[n]: the row of ORDERS for each."""
    _permute(planes.view(np.int64), ORDERS, orders)
    if actions_are_kinds:
        rows = np.flatnonzero(actions < 3 * _SUIT_KINDS)
        suit, number = np.divmod(actions[rows], _SUIT_KINDS)
        actions[rows] = ORDERS[orders[rows], suit] * _SUIT_KINDS + number
