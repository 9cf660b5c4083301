"""The encoder of `suphx.features` as the decision flow asks for it."""

from __future__ import annotations

import numpy as np

from suphx.features.encode import encode_batch, encode_call_batch


class PlaneEncoder:
    """Packed planes as the networks are trained on, with the look-ahead."""

    def positions(self, games: np.ndarray, index: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return uint64[n, 838] for seats u8[n] of games[index[n]]."""
        return encode_batch(games, index, seats)

    def proposals(self, games: np.ndarray, index: np.ndarray, seats: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Return uint64[n, 958]: with a proposed chow, pong or kong each, actions i64[n]."""
        return encode_call_batch(games, index, seats, actions)
