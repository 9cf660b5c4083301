"""Dark Hex: Hex in which the opponent's stones are hidden, as in OpenSpiel's classical version."""

from functools import lru_cache

from suphx.equilibrium.game import END
from suphx.errors import InputError


class DarkHex:
    """Player 0 joins top and bottom, player 1 left and right. A try on a hidden stone shows it, and one tries again.

    A state is (stones by cell: ".", "x" or "o"; what each player knows of them; who moves).
    """

    players = 2

    def __init__(self, rows: int = 2, columns: int = 2) -> None:
        if not (1 <= rows <= 4 and 1 <= columns <= 4):
            raise InputError(f"Dark Hex has 1 to 4 rows and columns here, not {rows} and {columns}")
        self.rows, self.columns = rows, columns
        self.joined = lru_cache(maxsize=None)(self._joined)

    def root(self) -> tuple[str, tuple[str, str], int]:
        empty = "." * (self.rows * self.columns)
        return empty, (empty, empty), 0

    def _joined(self, board: str, stone: str) -> bool:
        """Return whether a player's stones join that player's sides."""
        left = {divmod(at, self.columns) for at, each in enumerate(board) if each == stone}
        way, far = (0, self.rows - 1) if stone == "x" else (1, self.columns - 1)
        todo = [cell for cell in left if cell[way] == 0]
        while todo:
            row, column = cell = todo.pop()
            if cell[way] == far:
                return True
            left.discard(cell)
            near = {(row, column - 1), (row, column + 1), (row - 1, column), (row + 1, column),
                    (row - 1, column + 1), (row + 1, column - 1)}  # fmt: skip
            todo += near & left
        return False

    def mover(self, state: tuple) -> int:
        board, _, turn = state
        return END if self.joined(board, "x") or self.joined(board, "o") else turn

    def actions(self, state: tuple) -> list[int]:
        _, known, turn = state
        return [cell for cell, each in enumerate(known[turn]) if each == "."]

    def next(self, state: tuple, action: int) -> tuple:
        board, known, turn = state
        stone = board[action] if board[action] != "." else "xo"[turn]
        views = [view[:action] + stone + view[action + 1 :] if p == turn else view for p, view in enumerate(known)]
        if board[action] != ".":
            return board, tuple(views), turn
        return board[:action] + stone + board[action + 1 :], tuple(views), 1 - turn

    def seen(self, state: tuple) -> str:
        _, known, turn = state
        rows = [known[turn][at : at + self.columns] for at in range(0, self.rows * self.columns, self.columns)]
        return f"{'xo'[turn]} " + "/".join(rows)

    def payoffs(self, state: tuple) -> list[float]:
        won = 1.0 if self.joined(state[0], "x") else -1.0
        return [won, -won]
