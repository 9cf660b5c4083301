"""Random turn endgames with their solutions: what a counterfactual value network learns from.

A sample is a board of four cards, two random ranges, a stack in pots, and what every pair of both players is worth when
both play the solution. Sample number i depends on the seed and i alone. A folder holds the settings, and files of a few
dozen samples at most; work that was interrupted goes on after the last whole file.
"""

from __future__ import annotations

import re
import time
from collections.abc import Generator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pydantic import Field, ValidationError, model_validator

from suphx.config import Config
from suphx.equilibrium.npz import read_arrays, save_arrays
from suphx.equilibrium.poker.betting import Sizes
from suphx.equilibrium.poker.boards import hand_strengths, pairs_beside
from suphx.equilibrium.poker.cards import CARDS, PAIRS
from suphx.equilibrium.poker.endgame import Endgame
from suphx.errors import InputError
from suphx.run_folder import settle

_SETTINGS = "samples.json"
_NAME = re.compile(r"^(\d{7})\.npz$")
#: Most samples of a file, and seconds after which one is written with fewer.
_FILE, _FILE_SECONDS = 50, 60.0


class SamplesConfig(Config):
    """How samples are drawn and solved."""

    seed: int = Field(0, ge=0)
    """Random seed; sample number i depends on it and on i alone."""
    shortest: float = Field(0.25, ge=0, le=200)
    """Shortest stack behind, in pots; stacks are drawn evenly on a logarithmic scale."""
    deepest: float = Field(3.0, ge=0, le=200)
    """Deepest stack; 0 for both is a showdown without betting, whose values need no iterations."""
    turn: str = "1,a/a"
    """Bets / raises on the turn, in fractions of the pot; `a` is all-in."""
    river: str = "1,a/a"
    """The same on the river."""
    target: float = Field(0.005, gt=0, le=1)
    """Exploitability, as a fraction of the pot, that a solution must reach."""
    iterations: int = Field(1000, ge=1)
    """Iterations at most; a sample that has not reached the target by then is an error."""

    @model_validator(mode="after")
    def _fits(self) -> SamplesConfig:
        Sizes.parse(self.turn), Sizes.parse(self.river)
        if self.deepest < self.shortest:
            raise ValueError("deepest is less than shortest")
        if (self.shortest == 0) != (self.deepest == 0):
            raise ValueError("shortest and deepest are either both 0 or both more")
        return self


class SolvedEndgames(NamedTuple):
    """Solved endgames."""

    board: np.ndarray
    """i8[n, 4]: cards, in ascending order."""
    stack: np.ndarray
    """f32[n]: behind each player, in pots."""
    ranges: np.ndarray
    """f32[n, 2, 1326]: each adds up to 1."""
    values: np.ndarray
    """f32[n, 2, 1326]: counterfactual values in pots, as `Endgame.values`."""
    exploitability: np.ndarray
    """f32[n]: a fraction of the pot."""
    iterations: np.ndarray
    """i32[n]."""


_SHAPES = dict(zip(SolvedEndgames._fields, ((4,), (), (2, PAIRS), (2, PAIRS), (), ()), strict=True))
_TYPES = dict(zip(SolvedEndgames._fields, ("i1", "<f4", "<f4", "<f4", "<f4", "<i4"), strict=True))


def random_range(random: np.random.Generator, pairs: np.ndarray) -> np.ndarray:
    """Return a random range f64[1326] over pairs that are ordered by strength.

    DeepStack's R(S, p) (supplement of Moravcik et al. 2017): the weaker half gets a random part of the probability, the
    stronger half the rest, and so on within each. So ranges are random, and still like those of players.
    """
    weights = np.zeros(PAIRS)
    parts = [(0, len(pairs), 1.0)]
    while parts:
        first, last, whole = parts.pop()
        if last - first == 1:
            weights[pairs[first]] = whole
        else:
            middle, part = (first + last) // 2, random.uniform(0, whole)
            parts += [(first, middle, part), (middle, last, whole - part)]
    return weights


def random_ranges(random: np.random.Generator, board: list[int]) -> np.ndarray:
    """Return two random ranges f64[2, 1326] on a board of four cards."""
    pairs = pairs_beside(board)
    strength = np.nanmean(hand_strengths(board)[:, pairs], axis=0)
    pairs = pairs[np.argsort(strength, kind="stable")]
    return np.stack([random_range(random, pairs), random_range(random, pairs)])


def solve_sample(config: SamplesConfig, number: int) -> tuple:
    """Return the fields of sample number i; InputError if it does not reach the target."""
    random = np.random.default_rng([config.seed, number])
    board = sorted(random.choice(CARDS, 4, replace=False).tolist())
    stack = 0.0
    if config.deepest:
        stack = float(np.exp(random.uniform(np.log(config.shortest), np.log(config.deepest))))
    ranges = random_ranges(random, board)
    endgame = Endgame(board, 1.0, stack, ranges, Sizes.parse(config.turn), Sizes.parse(config.river))
    *_, reached = endgame.solve(config.iterations if stack else 1, config.target)
    if not reached <= config.target:
        raise InputError(
            f"sample {number}: exploitability {reached:.4f} of the pot after {config.iterations} iterations; "
            f"the target is {config.target:g}: allow more iterations"
        )
    return board, stack, endgame.ranges, endgame.values(), reached, endgame.iterations


def generate(folder: Path, config: SamplesConfig, count: int) -> Generator[int]:
    """Solve samples until the folder has `count` of them; yields how many there are, at the start and after each.

    Raises InputError for a folder of other settings. When the generator is closed, what is solved is written.
    """
    settle(folder, _SETTINGS, "0000000.npz", config.model_dump(), "run")
    done = sum(size for _, size in _files(folder))
    yield done
    fresh: list[tuple] = []
    written = time.monotonic()
    try:
        while done + len(fresh) < count:
            fresh.append(solve_sample(config, done + len(fresh)))
            if len(fresh) == _FILE or time.monotonic() > written + _FILE_SECONDS:
                _write(folder, done, fresh)
                done, fresh, written = done + len(fresh), [], time.monotonic()
            yield done + len(fresh)
    finally:
        if fresh:
            _write(folder, done, fresh)


def _write(folder: Path, first: int, samples: list[tuple]) -> None:
    columns = zip(SolvedEndgames._fields, zip(*samples, strict=True), strict=True)
    arrays = {name: np.array(values, _TYPES[name]) for name, values in columns}
    save_arrays(folder / f"{first:07}.npz", arrays, compressed=False)


def _read(path: Path) -> dict[str, np.ndarray]:
    """Read and check a file of samples; InputError names it and what is wrong."""
    columns = read_arrays(path, SolvedEndgames._fields)
    size = len(columns["stack"]) if columns["stack"].ndim else 0
    for name, values in columns.items():
        if values.dtype != _TYPES[name] or values.shape != (size, *_SHAPES[name]) or not np.isfinite(values).all():
            raise InputError(f"{path}: {name} is {values.dtype}{list(values.shape)}, or not finite")
    board = columns["board"]
    if size == 0 or (board < 0).any() or (board >= CARDS).any() or (np.diff(board, axis=1) <= 0).any():
        raise InputError(f"{path}: a board is not four different cards in ascending order")
    return columns


def _files(folder: Path) -> list[tuple[Path, int]]:
    """Return the files of samples, in order, with the number of samples in each; InputError where some are missing."""
    paths = sorted(path for path in folder.glob("*.npz") if _NAME.match(path.name))
    starts = [int(path.stem) for path in paths]
    sizes = [after - start for start, after in pairwise(starts)]
    if paths:
        sizes.append(len(_read(paths[-1])["stack"]))
    if starts and (starts[0] != 0 or min(sizes) < 1):
        raise InputError(f"{folder}: {paths[0].name} is not its first file of samples")
    return list(zip(paths, sizes, strict=True))


def load_settings(folder: Path) -> SamplesConfig:
    """Return how a folder's samples were drawn; InputError if it does not say."""
    path = folder / _SETTINGS
    try:
        return SamplesConfig.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise InputError(f"{folder}: no {_SETTINGS}, so these are no samples of `suphx poker samples`") from None
    except ValidationError as error:
        raise InputError(f"{path}: not the settings of samples ({error.errors()[0]['msg']})") from error


def load_samples(folder: Path, count: int | None = None) -> SolvedEndgames:
    """Return the first samples of a folder, by default all; InputError if there are too few, or a file is wrong."""
    files = _files(folder)
    have = sum(size for _, size in files)
    if have < (count or 1):
        raise InputError(f"{folder}: {have} samples; {count or 1} are needed: make them with `suphx poker samples`")
    parts, read = [], 0
    for path, size in files:
        if count is None or read < count:
            part = _read(path)
            if len(part["stack"]) != size:
                raise InputError(f"{path}: {len(part['stack'])} samples; the next file begins after {size}")
            parts.append(part)
            read += size
    return SolvedEndgames(*(np.concatenate([part[name] for part in parts])[:count] for name in SolvedEndgames._fields))
