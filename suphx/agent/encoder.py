"""What the decision flow shows to networks: a position, or a position with a proposed call, as packed planes."""

import numpy as np

from suphx.features.encode import encode_batch, encode_call_batch


class PlaneEncoder:
    """Encodes the planes that the networks are trained on, look-ahead features included."""

    def positions(self, games: np.ndarray, index: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return the planes uint64[n, 838] for seats u8[n] of games[index[n]]."""
        return encode_batch(games, index, seats)

    def proposals(self, games: np.ndarray, index: np.ndarray, seats: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Return the planes uint64[n, 958], each with a proposed chow, pong or kong, actions i64[n]."""
        return encode_call_batch(games, index, seats, actions)
