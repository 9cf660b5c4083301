"""Questions to a network in unfinished rounds: rows of arrays that are reused once a round has ended.

Rounds end one by one, so the questions of a round are scattered over the rows. Nothing is moved before a round ends: a
new question is written to a free row, and the rows of a finished round are copied out together.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from suphx.learning.experience import Experience

#: Initial number of rows.
_FIRST_ROWS = 1024
_FREE = -1


class Questions:
    """Questions to one model, by table and seat."""

    def __init__(self, planes: int, oracle: int, hidden: int) -> None:
        """planes, oracle, hidden: number of planes of each kind that a question has."""
        self._owner = np.full(_FIRST_ROWS, _FREE, np.int32)  # table x 4 + seat, or _FREE
        self._columns: dict[str, np.ndarray] = {
            "place": np.empty(_FIRST_ROWS, np.uint16),
            "planes": np.empty((_FIRST_ROWS, planes), np.uint64),
            "oracle": np.empty((_FIRST_ROWS, oracle), np.uint64),
            "hidden": np.empty((_FIRST_ROWS, hidden), np.uint64),
            "legal": np.empty(_FIRST_ROWS, np.uint64),
            "answer": np.empty(_FIRST_ROWS, np.uint8),
            "log_probability": np.empty(_FIRST_ROWS, np.float32),
        }
        self._free = np.arange(_FIRST_ROWS)[::-1].copy()  # a stack of rows; the first `_n_free` are on it
        self._n_free = _FIRST_ROWS

    def __len__(self) -> int:
        return len(self._owner) - self._n_free

    def add(self, owner: np.ndarray, columns: dict[str, np.ndarray]) -> None:
        """Add questions; owner: i64[n], table x 4 + seat. columns: those of `Experience` except `path`."""
        while self._n_free < len(owner):
            self._grow()
        self._n_free -= len(owner)
        rows = self._free[self._n_free : self._n_free + len(owner)]
        self._owner[rows] = owner
        for name, column in self._columns.items():
            column[rows] = columns[name]

    def _grow(self) -> None:
        before = len(self._owner)
        self._owner = np.concatenate([self._owner, np.full(before, _FREE, np.int32)])
        for name, column in self._columns.items():
            more = np.empty((2 * before, *column.shape[1:]), column.dtype)
            more[:before] = column
            self._columns[name] = more
        free = np.empty(2 * before, np.int64)
        free[:before] = np.arange(before, 2 * before)[::-1]
        free[before : before + self._n_free] = self._free[: self._n_free]
        self._free, self._n_free = free, before + self._n_free

    def take(self, path: np.ndarray) -> Experience:
        """Remove and return the questions of finished rounds, sorted by path and in the order they were asked.

        path: i64[tables x 4], the path of each seat's round; -1 if the round has not ended.
        """
        found = path[self._owner]
        found[self._owner == _FREE] = -1
        rows = np.flatnonzero(found >= 0)
        rows = rows[np.lexsort((self._columns["place"][rows], found[rows]))]
        taken = {name: column[rows] for name, column in self._columns.items()}
        taken["path"] = found[rows].astype(np.uint32)
        self._owner[rows] = _FREE
        self._free[self._n_free : self._n_free + len(rows)] = rows
        self._n_free += len(rows)
        return Experience(**{field.name: taken[field.name] for field in fields(Experience)})

    def state(self) -> dict[str, np.ndarray]:
        """Return all questions as plain arrays, sorted by owner and place, so that the rows they used do not matter."""
        rows = np.flatnonzero(self._owner != _FREE)
        rows = rows[np.lexsort((self._columns["place"][rows], self._owner[rows]))]
        return {"owner": self._owner[rows]} | {name: column[rows] for name, column in self._columns.items()}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Replace the contents by what `state` returned."""
        self._owner[:] = _FREE
        self._n_free = len(self._owner)
        self._free[:] = np.arange(len(self._owner))[::-1]
        self.add(state["owner"], state)
