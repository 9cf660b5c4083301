"""Prepared logs: all rounds of many games as four arrays, from which decisions are replayed on demand.

A round is stored as its starting state and its events, 8 bytes each as in a log: about 1 KB. The games have already
been verified; `prepare.py` creates the folder.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np
from pydantic import ConfigDict, ValidationError

from simulator.logs.model import LOG_EVENT
from simulator.processes import Sums
from simulator.record import SEATS
from simulator.rules import Rules, RulesError
from simulator.tiles import TILES
from suphx.config import StrictModel
from suphx.dataset.pairs import COUNTS
from suphx.errors import InputError
from suphx.networks.models import MODELS

FORMAT_VERSION = 1
#: The dan of a player for whom the log states none.
NO_DAN = 255

#: One round: its starting state. Scores are in points, not hundreds of points.
ROUND = np.dtype([
    ("game", "u4"),  # row of `Prepared.games`
    ("first_event", "i8"),
    ("n_events", "i4"),
    ("scores", "i4", (SEATS,)),
    ("rules", "u2"),  # index into `Prepared.rules`
    ("counts", "u2", (SEATS, COUNTS)),  # pairs by seat and model (`pairs.py`), and forced discards
    ("hands", "u1", (SEATS, 13)),
    ("round", "u1"),  # 0 = East 1
    ("repeat_counter", "u1"),
    ("bets", "u1"),
    ("dealer", "u1"),
    ("indicator", "u1"),
], align=True)  # fmt: skip

#: One game.
GAME_ROW = np.dtype([
    ("key", "u8"),  # hash of its deals and scores: the same game has the same key in every format and archive
    ("first_round", "u4"),
    ("n_rounds", "u4"),
    ("players", "u4", (SEATS,)),  # indices into `Prepared.players`
    ("final_scores", "i4", (SEATS,)),  # scores at the end of the game, including leftover riichi bets
    ("archive", "u2"),  # index into `Prepared.archives`
    ("room", "u2"),  # index into `Prepared.rooms`
    ("rules", "u2"),  # index into `Prepared.rules`
    ("dan", "u1", (SEATS,)),  # Tenhou's rank numbers (10 = 1 dan), or NO_DAN
], align=True)  # fmt: skip

#: Splits and their shares of the games, assigned by hash: the same for all models and never to be changed.
SPLITS = {"training": 0.84, "validation": 0.055, "test": 0.105}


def split_of(keys: np.ndarray) -> np.ndarray:
    """Return u8[g]: the index in SPLITS of the split that games belong to by their keys, u64[g]."""
    bounds = np.cumsum(list(SPLITS.values()))[:-1]
    return np.searchsorted(bounds, keys * 2.0**-64, side="right").astype(np.uint8)


@dataclass
class LeftOut(Sums):
    """Logs that were not prepared, and why."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    KEPT: ClassVar[int] = 20
    mismatches: int = 0
    """Games that fail verification."""
    unknown: int = 0
    """Games that differ where not all of their rules are known."""
    errors: int = 0
    """Files that cannot be read."""
    skipped: int = 0
    """Games of an unsupported kind (three players)."""
    duplicates: int = 0
    """Games that occurred before."""
    first: list[str] = field(default_factory=list)
    """Messages about the first few."""


class _Page(StrictModel):
    """The metadata beside the arrays."""

    format: int
    archives: list[str]
    players: list[str]
    rooms: list[str]
    rules: list[dict[str, object]]
    left_out: LeftOut


@dataclass(frozen=True)
class Prepared:
    """Prepared logs in memory; loaded arrays are memory-mapped copy-on-write, and nothing writes to them."""

    games: np.ndarray
    """GAME_ROW[g]"""
    rounds: np.ndarray
    """ROUND[r]; the rounds of a game are consecutive and in order."""
    events: np.ndarray
    """LOG_EVENT[e] of all rounds."""
    absent: np.ndarray
    """u8[e]: bit s is set if seat s had left the table before that event."""
    archives: list[str]
    players: list[str]
    rooms: list[str]
    rules: list[Rules]
    left_out: LeftOut

    def rules_records(self) -> np.ndarray:
        """Return the rules as RULES[...] for compiled code."""
        return np.array([rules.to_record() for rules in self.rules])

    def split(self) -> np.ndarray:
        """Return u8[g]: the index in SPLITS of the split that each game belongs to by its key."""
        return split_of(self.games["key"])

    def sources(self, games: np.ndarray | None = None) -> str:
        """Return the names of the first few archives or files of the games, or of those in bool[g]."""
        used = np.unique(self.games["archive"] if games is None else self.games["archive"][games])
        names = ", ".join(self.archives[number] for number in used[:_NAMED])
        return names + (f" and {len(used) - _NAMED:,} more" if len(used) > _NAMED else "")

    def save(self, folder: Path) -> None:
        """Write everything into a folder, the metadata last."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in _ARRAYS:
            np.save(folder / f"{name}.npy", getattr(self, name), allow_pickle=False)
        page = _Page(
            format=FORMAT_VERSION,
            archives=self.archives,
            players=self.players,
            rooms=self.rooms,
            rules=[rules.to_dict() for rules in self.rules],
            left_out=self.left_out,
        )
        (folder / PAGE_NAME).write_text(page.model_dump_json())


_ARRAYS = {"games": GAME_ROW, "rounds": ROUND, "events": LOG_EVENT, "absent": np.dtype("u1")}
PAGE_NAME = "prepared.json"
#: Number of sources that `Prepared.sources` names.
_NAMED = 8


def load_prepared(folder: Path) -> Prepared:
    """Return the prepared logs that `Prepared.save` wrote; raises InputError, naming the file, for anything else."""
    path = folder / PAGE_NAME
    try:
        page = _Page.model_validate_json(path.read_bytes())
        rules = [Rules.from_dict(each) for each in page.rules]
    except FileNotFoundError as error:
        raise InputError(f"{folder}: no prepared logs: it has no {PAGE_NAME}") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValidationError, RulesError, TypeError) as error:
        raise InputError(f"{path}: no page of prepared logs: {error}") from error
    if page.format != FORMAT_VERSION:
        raise InputError(f"{path}: prepared logs of format {page.format}; this version reads {FORMAT_VERSION}")
    arrays = {}
    for name, dtype in _ARRAYS.items():
        file = folder / f"{name}.npy"
        try:
            arrays[name] = np.lib.format.open_memmap(file, mode="c")  # np.load would also take a pickle or a zip
        except (OSError, ValueError) as error:
            raise InputError(f"{file}: no array, or not whole ({error})") from error
        if arrays[name].dtype != dtype or arrays[name].ndim != 1:
            shape = arrays[name].shape
            raise InputError(f"{file}: holds {arrays[name].dtype} of shape {shape}, not a list of {dtype}")
    prepared = Prepared(
        **{name: np.asarray(array) for name, array in arrays.items()},
        archives=page.archives, players=page.players, rooms=page.rooms, rules=rules, left_out=page.left_out,
    )  # fmt: skip
    _check(folder, prepared)
    return prepared


def _check(folder: Path, prepared: Prepared) -> None:
    """Raise InputError if an index is out of bounds: compiled code does not check, and would read arbitrary memory."""
    games, rounds, n_events = prepared.games, prepared.rounds, len(prepared.events)
    below = {
        "rounds": {
            "game": len(games), "rules": len(prepared.rules), "round": 4 * SEATS, "dealer": SEATS, "hands": TILES,
            "indicator": TILES,
        },
        "games": {
            "archive": len(prepared.archives), "room": len(prepared.rooms), "rules": len(prepared.rules),
            "players": len(prepared.players),
        },
    }  # fmt: skip
    fits = {
        name: all((getattr(prepared, name)[field] < bound).all() for field, bound in bounds.items())
        for name, bounds in below.items()
    }
    fits["absent"] = len(prepared.absent) == n_events
    first, length = rounds["first_event"], rounds["n_events"]
    fits["rounds"] &= bool((first >= 0).all() and (length >= 0).all())
    fits["rounds"] &= bool((first <= n_events).all() and (first + length <= n_events).all())  # or the sum wraps around
    fits["games"] &= bool((games["first_round"].astype(np.int64) + games["n_rounds"] <= len(rounds)).all())
    for name, good in fits.items():
        if not good:
            raise InputError(f"{folder / name}.npy: does not fit what lies beside it; remove the folder to prepare the "
                             "logs anew")  # fmt: skip


assert len(MODELS) < COUNTS
