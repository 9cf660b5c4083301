"""The results of rounds and wins, as readable objects."""

from dataclasses import dataclass

import numpy as np

from simulator.record import NO_SEAT, RESULT_NAMES, SEATS
from simulator.rules import Rules
from simulator.scoring.hands import Score, score_of_win
from simulator.tiles import tile_name
from simulator.views.table import round_name


@dataclass(frozen=True)
class WinResult:
    """One win."""

    seat: int
    source: int
    """Seat that the winning tile came from; for a tsumo, the winner."""
    tile: str
    """The winning tile in notation."""
    score: Score
    """Yaku by name, han, fu, limit, points, payments."""
    deltas: tuple[int, ...]
    """Points that each seat gains by this win."""
    liable: int | None
    """Seat that pays by liability (pao), if any."""

    def __str__(self) -> str:
        """Return e.g. `seat 2 wins on 5p from seat 0: riichi 1, dora 2: 3 han 40 fu, 5200 points (...)`."""
        how = "by tsumo" if self.source == self.seat else f"from seat {self.source}"
        liable = "" if self.liable is None else f", seat {self.liable} liable"
        return f"seat {self.seat} wins on {self.tile} {how}: {self.score}{liable}"


@dataclass(frozen=True)
class RoundResult:
    """How a round ended."""

    round: int
    """0 = East 1 .. 11 = West 4."""
    repeat_counter: int
    how: str
    """`"tsumo"`, `"ron"`, `"exhaustive draw"`, `"four winds"`, ... (`record.RESULT_NAMES`)."""
    wins: tuple[WinResult, ...]
    tenpai: tuple[int, ...]
    """Seats that are tenpai at an exhaustive draw."""
    nagashi: tuple[int, ...]
    deltas: tuple[int, ...]
    """Points that each seat gained by the end of the round; riichi bets paid earlier are not included."""
    scores: tuple[int, ...]
    """Points of each seat afterwards."""
    game_over: bool

    @property
    def name(self) -> str:
        """Return e.g. `"South 2"`."""
        return round_name(self.round)

    def __str__(self) -> str:
        """Return the round, each win, and the points that change hands."""
        lines = [
            f"{round_name(self.round, self.repeat_counter)}: {self.how}"
            + (f", tenpai: seats {self.tenpai}" if self.tenpai else "")
        ]
        lines += [f"  {win}" for win in self.wins]
        changes = ", ".join(f"{score:,} ({delta:+,})" for score, delta in zip(self.scores, self.deltas, strict=True))
        return "\n".join([*lines, f"  scores: {changes}"])


def round_result(game: np.void, rules: Rules) -> RoundResult:
    """Return the round's outcome from the `result` of a game whose round is over and paid (see `Ended.records`)."""
    result = game["result"]

    def seats(bits: int) -> tuple[int, ...]:
        return tuple(seat for seat in range(SEATS) if bits >> seat & 1)

    return RoundResult(
        round=int(result["round"]),
        repeat_counter=int(result["repeat_counter"]),
        how=RESULT_NAMES[int(result["type"])],
        wins=tuple(_win(game, win, rules) for win in result["wins"][: result["n_wins"]]),
        tenpai=seats(int(result["tenpai"])),
        nagashi=seats(int(result["nagashi"])),
        deltas=tuple(result["deltas"].tolist()),
        scores=tuple(result["scores"].tolist()),
        game_over=bool(result["game_over"]),
    )


def _win(game: np.void, win: np.void, rules: Rules) -> WinResult:
    moved_on = int(game["round"]) - int(game["result"]["round"])  # 1 if the game has already moved on to the next round
    return WinResult(
        seat=int(win["seat"]),
        source=int(win["source"]),
        tile=tile_name(int(win["tile"]), rules.red_fives),
        score=score_of_win(win, (int(game["dealer"]) - moved_on) % SEATS, rules),
        deltas=tuple(win["deltas"].tolist()),
        liable=None if win["liable"] == NO_SEAT else int(win["liable"]),
    )
