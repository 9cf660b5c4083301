"""Experience of unfinished rounds: rows of arrays that are reused once a round has ended.

Rounds end one by one, so the decisions of a round are scattered over the rows. Nothing is moved before a round ends: a
new decision is written to a free row, and the rows of a finished round are copied out together.
"""

import numpy as np

from suphx.learning.experience import experience_dtype, rows_of
from suphx.selfplay.policy import fitting

#: Initial number of rows.
_FIRST_ROWS = 1024
_FREE = -1


class PendingExperience:
    """Decisions of one model, by table and seat."""

    def __init__(self, planes: int, outputs: int, hidden: int) -> None:
        """planes, outputs, hidden: as for `experience_dtype`."""
        self._owner = np.full(_FIRST_ROWS, _FREE, np.int32)  # table x 4 + seat, or _FREE
        self._rows = np.zeros(_FIRST_ROWS, experience_dtype(planes, outputs, hidden))

    def add(self, owner: np.ndarray, columns: dict[str, np.ndarray]) -> None:
        """Add decisions; owner: i64[n], table x 4 + seat. columns: fields of a decision by name.

        Planes may be fewer than a row has: then the network was shown nothing that is hidden, and zeros follow.
        """
        while len(free := np.flatnonzero(self._owner == _FREE)) < len(owner):
            self._owner = np.concatenate([self._owner, np.full_like(self._owner, _FREE)])
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
        rows = free[: len(owner)]
        self._owner[rows] = owner
        for name, column in columns.items():
            self._rows[name][rows] = fitting(column, self._rows[name].shape[1]) if name == "planes" else column

    def take(self, trajectory: np.ndarray) -> np.ndarray:
        """Remove and return the decisions of finished rounds, sorted by trajectory and in the order of play.

        trajectory: i64[tables x 4], that of each seat; -1 if its round has not ended.
        """
        ended = trajectory[self._owner]
        ended[self._owner == _FREE] = -1
        rows = np.flatnonzero(ended >= 0)
        rows = rows[np.lexsort((self._rows["step"][rows], ended[rows]))]
        taken = self._rows[rows]
        taken["trajectory"] = ended[rows]
        self._owner[rows] = _FREE
        return taken

    def state(self) -> dict[str, np.ndarray]:
        """Return all decisions as plain arrays, sorted by owner and step, so that the rows they used do not matter."""
        rows = np.flatnonzero(self._owner != _FREE)
        rows = rows[np.lexsort((self._rows["step"][rows], self._owner[rows]))]
        pending = self._rows[rows]
        return {"owner": self._owner[rows], "rows": pending.view(np.uint8).reshape(len(rows), pending.itemsize)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Replace the contents by what `state` returned."""
        self._owner[:] = _FREE
        rows = rows_of(state["rows"], self._rows.dtype)
        self.add(state["owner"], {name: rows[name] for name in self._rows.dtype.names or ()})
