"""Plot of one moment: the table as a seat sees it, and two players' probabilities of each action."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from simulator.record import SEATS
from simulator.tiles import NO_TILE, tile_name
from simulator.views.table import hand_tiles
from simulator.walls import DORA_INDICATORS
from suphx.adaptation.differences import Moment
from suphx.evaluation.plots import colour, tidy, write_figure

#: Actions are left out if both players' probabilities are below this.
_SHOWN = 0.01
_ROUNDS = ("East", "South", "West")
_TILES_IN_RIVER = 24


def plot_moment(path: Path, moment: Moment, names: tuple[str, str], title: str) -> None:
    """Write the plot of a moment; names: the names of the two players."""
    shown = np.flatnonzero(np.maximum(moment.first, moment.second) >= _SHOWN)
    shown = shown[np.argsort(-np.maximum(moment.first, moment.second)[shown], kind="stable")]
    figure = Figure((8.5, 5.2), layout="constrained")
    words, axes = figure.subplots(2, height_ratios=[0.8, 1.9])
    words.axis("off")
    words.text(
        0, 1, "\n".join(described(moment)), va="top", fontsize=8.5, family="monospace", transform=words.transAxes
    )
    tidy(axes)
    for number, (name, found) in enumerate(zip(names, (moment.first, moment.second), strict=True)):
        axes.bar(
            np.arange(len(shown)) + 0.4 * (number - 0.5), 100 * found[shown], 0.38, color=colour(number), label=name
        )
    axes.set_xticks(
        range(len(shown)), [moment.name(int(action)) for action in shown], rotation=35, ha="right", fontsize=8
    )
    axes.set_ylabel("probability (%)")
    axes.legend(fontsize=9)
    figure.suptitle(title, fontsize=10)
    write_figure(path, figure)


def described(moment: Moment) -> list[str]:
    """Return lines of text that describe what the seat sees."""
    game, seat = moment.game, moment.seat
    drawn = int(game["drawn"]) if game["turn"] == seat and game["drawn"] != NO_TILE else None
    hand = [tile for tile in hand_tiles(game, seat) if tile != drawn]
    indicators = [int(game["wall"][DORA_INDICATORS[n]]) for n in range(int(game["indicators"]))]
    wind, number = _ROUNDS[int(game["round"]) // SEATS], int(game["round"]) % SEATS + 1
    lines = [
        f"{wind} {number}, repeat {game['repeat_counter']}, bets {game['bets']}; dora indicator {_named(indicators)}",
        f"hand   {_named(hand)}" + (f"  drawn {tile_name(drawn)}" if drawn is not None else ""),
    ]
    for step in range(SEATS):
        other = (seat + step) % SEATS
        river = [int(tile) & 255 for tile in game["river"][other, : game["n_river"][other]]][-_TILES_IN_RIVER:]
        marks = ("self" if not step else f"+{step}  ") + (" dealer" if other == game["dealer"] else "       ")
        riichi = " riichi" if game["riichi"][other] else ""
        lines.append(f"{marks} {int(game['scores'][other]):>6}{riichi}  river {_named(river)}")
    return lines


def _named(tiles: list[int]) -> str:
    return " ".join(tile_name(tile) for tile in tiles)
