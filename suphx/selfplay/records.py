"""Game records as plain bytes for checkpoints: equal games give equal bytes."""

import numpy as np

from simulator.record import GAME


def as_bytes(games: np.ndarray) -> np.ndarray:
    """Return GAME[n] as u8[n, bytes of a record], with zeros in the gaps between a record's fields."""
    clean = np.zeros(games.shape, np.dtype((np.void, GAME.itemsize))).view(GAME)
    _copy_fields(games, clean)
    return clean.view(np.uint8).reshape(len(games), GAME.itemsize)


def _copy_fields(source: np.ndarray, target: np.ndarray) -> None:
    for name in target.dtype.names or ():
        if target[name].dtype.names:
            _copy_fields(source[name], target[name])
        else:
            target[name] = source[name]


def from_bytes(data: np.ndarray) -> np.ndarray:
    """Return GAME[n] from the u8[n, bytes] that `as_bytes` returned."""
    return data.copy().view(GAME).reshape(-1)
