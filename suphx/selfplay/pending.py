"""Experience of unfinished rounds: rows of arrays that are reused once a round has ended.

Rounds end one by one, so the questions of a round are scattered over the rows. Nothing is moved before a round ends: a
new question is written to a free row, and the rows of a finished round are copied out together.
"""

import numpy as np

from suphx.learning.experience import experience_dtype

#: Initial number of rows.
_FIRST_ROWS = 1024
_FREE = -1


class PendingExperience:
    """Questions to one model, by table and seat."""

    def __init__(self, planes: int, oracle: int, hidden: int) -> None:
        """planes, oracle, hidden: number of planes of each kind that a question has."""
        self._owner = np.full(_FIRST_ROWS, _FREE, np.int32)  # table x 4 + seat, or _FREE
        self._rows = np.zeros(_FIRST_ROWS, experience_dtype(planes, oracle, hidden))

    def add(self, owner: np.ndarray, columns: dict[str, np.ndarray]) -> None:
        """Add questions; owner: i64[n], table x 4 + seat. columns: fields of a question by name."""
        while len(free := np.flatnonzero(self._owner == _FREE)) < len(owner):
            self._owner = np.concatenate([self._owner, np.full_like(self._owner, _FREE)])
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
        rows = free[: len(owner)]
        self._owner[rows] = owner
        for name, column in columns.items():
            self._rows[name][rows] = column

    def take(self, path: np.ndarray) -> np.ndarray:
        """Remove and return the questions of finished rounds, sorted by path and in the order they were asked.

        path: i64[tables x 4], the path of each seat's round; -1 if the round has not ended.
        """
        found = path[self._owner]
        found[self._owner == _FREE] = -1
        rows = np.flatnonzero(found >= 0)
        rows = rows[np.lexsort((self._rows["place"][rows], found[rows]))]
        taken = self._rows[rows]
        taken["path"] = found[rows]
        self._owner[rows] = _FREE
        return taken

    def state(self) -> dict[str, np.ndarray]:
        """Return all questions as plain arrays, sorted by owner and place, so that the rows they used do not matter."""
        rows = np.flatnonzero(self._owner != _FREE)
        rows = rows[np.lexsort((self._rows["place"][rows], self._owner[rows]))]
        found = self._rows[rows]
        return {"owner": self._owner[rows], "rows": found.view(np.uint8).reshape(len(rows), found.itemsize)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Replace the contents by what `state` returned."""
        self._owner[:] = _FREE
        rows = state["rows"].copy().view(self._rows.dtype).reshape(-1)
        self.add(state["owner"], {name: rows[name] for name in self._rows.dtype.names or ()})
