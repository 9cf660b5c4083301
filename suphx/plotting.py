"""What all pictures have in common: colors, style, and how a picture is written."""

import io
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from simulator.files import write_whole
from suphx.errors import InputError

#: Colors that color-blind people can tell apart (Okabe and Ito); reused if there are more.
_COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
_DPI = 120


def color(number: int) -> str:
    """Return the color with a number."""
    return _COLORS[number % len(_COLORS)]


def tidy(axes: Axes) -> None:
    """Apply the common style of all plots: a light horizontal grid, no frame."""
    axes.grid(axis="y", alpha=0.35, linewidth=0.7)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def one_panel(size: tuple[float, float]) -> tuple[Figure, Axes]:
    """Return a figure of a size in inches, with one pair of axes."""
    figure = Figure(size, layout="constrained")
    axes = figure.subplots()
    tidy(axes)
    return figure, axes


def write_figure(path: Path, figure: Figure) -> None:
    """Write a figure atomically, as PNG or SVG by the suffix; raises InputError for another suffix."""
    kind = path.suffix.lower().lstrip(".")
    if kind not in ("png", "svg"):
        raise InputError(f"{path}: a picture is a .png or an .svg")
    picture = io.BytesIO()
    with rc_context({"svg.hashsalt": "suphx"}):  # makes the bytes of equal pictures equal
        figure.savefig(picture, format=kind, dpi=_DPI, metadata={"Date": None} if kind == "svg" else None)
    if kind == "png":  # with a palette of 64 colors plots look the same, and take a third of the bytes
        few = Image.open(picture).convert("RGB").quantize(64, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        few.save(picture := io.BytesIO(), "PNG", optimize=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, picture.getvalue())
