"""Measures of a player, each a function of sums of the columns of `tally.py`. See `docs/evaluation.md`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from suphx.errors import InputError
from suphx.evaluation.tally import COLUMN

RANKS = ("first", "second", "third", "fourth")
RANK_COLUMNS = [COLUMN[name] for name in RANKS]
#: First and second prize of a hanchan by room, in units of 15 points: the extra cost of a fourth place per dan.
_STABLE_PRIZES = {"expert": (5, 2), "phoenix": (6, 3)}
#: How a measure is formatted: a share in percent, points as whole numbers, a number with decimals.
Unit = Literal["share", "points", "number"]
_NOTHING = "-"
Better = Literal["more", "less", "neither"]


@dataclass(frozen=True)
class Measure:
    """One number that describes a player."""

    name: str
    words: str
    """Label of its row in tables."""
    unit: Unit
    better: Better
    """Whether more or less is better; neither for a matter of style."""
    of: Callable[[np.ndarray], np.ndarray]
    """Maps sums of the columns [..., columns] to the measure [...]; NaN or infinite on division by zero."""

    def text(self, value: float | None, sign: str = "") -> str:
        """Format a value for tables; a dash if there is none. sign: `+` for differences."""
        if value is None or not np.isfinite(value):
            return _NOTHING
        if self.unit == "share":
            return f"{100 * value:+.2f} pp" if sign else f"{value:.2%}"
        return f"{value:{sign},.0f}" if self.unit == "points" else f"{value:{sign}.3f}"

    def difference_text(self, value: float | None) -> str:
        """Format a difference with its sign, for shares in percentage points; a dash if there is none."""
        return self.text(value, "+")


def stable_rank(counts: np.ndarray, room: str) -> np.ndarray:
    """Return the dan at which a player neither rises nor falls in hanchan (the paper's Appendix C, formula 7).

    counts [..., 4]: number or share of first to fourth places. room: `expert`, (5 n1 + 2 n2) / n4 - 2, or `phoenix`,
    (6 n1 + 3 n2) / n4 - 2: prizes of 75 and 30, or 90 and 45, against 30 + 15 dan for a fourth place. Infinite for a
    player who is never fourth. Raises ValueError unless there are four counts; rows of all columns are for a Measure.
    """
    if counts.shape[-1] != len(RANKS):
        raise ValueError(f"{counts.shape[-1]} counts given for a stable rank; there are four places, first to fourth")
    first, second = _STABLE_PRIZES[room]
    with np.errstate(divide="ignore", invalid="ignore"):
        return (first * counts[..., 0] + second * counts[..., 1]) / counts[..., 3] - 2


def _stable(name: str, room: str) -> Measure:
    def of(sums: np.ndarray) -> np.ndarray:
        return stable_rank(sums[..., RANK_COLUMNS], room)

    return Measure(name, f"stable rank, {room}", "number", "more", of)


def _ratio(
    name: str, words: str, above: str, below: str, unit: Unit = "share", better: Better = "neither", scale: float = 1
) -> Measure:
    """Return a measure that is the quotient of two sums, times `scale`."""
    top, bottom = COLUMN[above], COLUMN[below]

    def of(sums: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return scale * sums[..., top] / sums[..., bottom]

    return Measure(name, words, unit, better, of)


#: The tally counts final points in tenths of a thousand.
_TENTH = 0.1
MEASURES: tuple[Measure, ...] = (
    _stable("stable_rank_expert", "expert"),
    _stable("stable_rank_phoenix", "phoenix"),
    _ratio("average_rank", "average rank", "rank_sum", "games", "number", "less"),
    _ratio("first", "first", "first", "games", better="more"),
    _ratio("second", "second", "second", "games", better="more"),
    _ratio("third", "third", "third", "games", better="less"),
    _ratio("fourth", "fourth", "fourth", "games", better="less"),
    _ratio("points", "points at the end", "points", "games", "points", "more"),
    _ratio("final_points", "final points", "final_points", "games", "number", "more", _TENTH),
    _ratio("bust_rate", "games below zero", "busts", "games", better="less"),
    _ratio("win_rate", "win rate", "wins", "rounds", better="more"),
    _ratio("deal_in_rate", "deal-in rate", "deal_ins", "rounds", better="less"),
    _ratio("riichi_rate", "riichi rate", "riichi", "rounds"),
    _ratio("call_rate", "call rate", "call_rounds", "rounds"),
    _ratio("average_win", "average win", "win_points", "wins", "points", "more"),
    _ratio("average_hand", "average hand won", "hand_points", "wins", "points", "more"),
    _ratio("average_deal_in", "average deal-in", "deal_in_points", "deal_ins", "points", "less"),
    _ratio("turns_to_win", "turns to win", "win_turns", "wins", "number"),
    _ratio("riichi_turn", "turn of riichi", "riichi_turns", "riichi", "number"),
    _ratio("draw_win_share", "tsumo wins", "draw_wins", "wins"),
    _ratio("riichi_win_share", "wins in riichi", "riichi_wins", "wins"),
    _ratio("open_win_share", "wins with an open hand", "open_wins", "wins"),
    _ratio("silent_win_share", "wins closed, no riichi", "silent_wins", "wins"),
    _ratio("riichi_success", "won after riichi", "riichi_wins", "riichi"),
    _ratio("riichi_deal_in_rate", "dealt in after riichi", "riichi_deal_ins", "riichi"),
    _ratio("call_success", "won after a call", "open_wins", "call_rounds"),
    _ratio("call_deal_in_rate", "dealt in after a call", "open_deal_ins", "call_rounds"),
    _ratio("exhaustive_rate", "exhaustive draws", "exhaustive_draws", "rounds"),
    _ratio("draw_tenpai_rate", "tenpai at exhaustive draws", "tenpai_draws", "exhaustive_draws"),
    _ratio("draw_loss_rate", "others' tsumo wins", "draw_losses", "rounds"),
    _ratio("average_draw_loss", "average paid for those", "draw_loss_points", "draw_losses", "points"),
)  # fmt: skip
#: Measures that are the same in every game for all four seats together.
OF_PLACES = {"stable_rank_expert", "stable_rank_phoenix", "average_rank", *RANKS, "points", "final_points"}
MEASURE: dict[str, Measure] = {measure.name: measure for measure in MEASURES}
#: Name of the mean prize, a measure that exists if prizes are given.
PRIZE = "prize"


def prize_measure(prizes: Sequence[float]) -> Measure:
    """Return the measure for the mean prize of a game; prizes: four, first to fourth."""
    weights = np.array(prizes, float)

    def of(sums: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return sums[..., RANK_COLUMNS] @ weights / sums[..., COLUMN["games"]]

    words = "prize " + "/".join(f"{prize:g}" for prize in prizes)
    return Measure(PRIZE, words, "number", "more", of)


def read_prizes(text: str) -> list[float]:
    """Parse prizes such as `90,45,0,-135`, first to fourth; raise InputError for anything else."""
    try:
        prizes = [float(part) for part in text.split(",")]
    except ValueError:
        prizes = []
    if len(prizes) != len(RANKS) or not np.isfinite(prizes).all():
        raise InputError(f"prizes {text!r}: write four numbers, first to fourth, as in 90,45,0,-135")
    return prizes


def measures(prizes: Sequence[float] | None = None) -> list[Measure]:
    """Return all measures in the order of tables, including the mean prize if prizes are given."""
    place = next(n for n, measure in enumerate(MEASURES) if measure.name == "points")
    extra = [] if prizes is None else [prize_measure(prizes)]
    return [*MEASURES[:place], *extra, *MEASURES[place:]]
