"""The hands of an experiment that are done, one line each in a file, so that it can go on after a kill.

A line is written with one call and ends with a line break; what a kill left of a last one is cut off, and its hand is
done again.
"""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from simulator.files import write_whole
from suphx.errors import InputError

SETTINGS_NAME = "experiment.json"
HANDS_NAME = "hands.jsonl"


class Trial(BaseModel):
    """What one way to adapt came to with a hand; gains are of the adapted copy over the original, on the same deals."""

    model_config = ConfigDict(extra="forbid")

    gain: float
    """Mean over test deals, in the reward's unit; of the copy that the steps led to, whether it was kept or not."""
    error: float
    """Standard error of it."""
    differing: float
    """Share of the test deals whose reward was another one."""
    distance: float
    """KL(original, copy) in nats, over held-out questions."""
    held_out: float
    """Mean gain on held-out deals; 0 without a check."""
    held_out_error: float
    kept: bool
    """Whether the copy would have been played, after the check."""
    steps_seconds: float
    check_seconds: float


class HandResult(BaseModel):
    """A hand that is done."""

    model_config = ConfigDict(extra="forbid")

    number: int = Field(ge=0)
    situation: str
    kind: str
    shanten: int
    round: int
    """0 = East 1."""
    seat: int
    dealer: bool
    scores: list[int]
    """Of the four seats, when the round was dealt."""
    deals: int
    """Test deals."""
    worth: float
    """Mean reward of the original on them."""
    spread: float
    """Standard deviation of that over deals."""
    rollouts: int
    rollout_seconds: float
    """To play the rollouts that are learned from; as all seconds, shared evenly among the hands done together."""
    trials: dict[str, Trial]
    """By name of the way to adapt."""


class Notebook:
    """The folder of an experiment, opened to write."""

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        """Open a folder, made if it is not there; settings: JSON values that decide the numbers of every hand.

        Raises InputError for the folder of another experiment, for one that another process writes to, and for lines
        that are no hands, naming file and line.
        """
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        wanted = json.loads(json.dumps(settings))
        path = folder / SETTINGS_NAME
        if path.exists():
            _compare(path, wanted)
        elif (folder / HANDS_NAME).exists():
            raise InputError(f"{folder}: holds {HANDS_NAME}, but no {SETTINGS_NAME} that says of which experiment")
        else:
            write_whole(path, (json.dumps(wanted, indent=1) + "\n").encode())
        self._file = open(folder / HANDS_NAME, "ab", buffering=0)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.done = _read(folder / HANDS_NAME)
            """By number."""
        except OSError:
            self._file.close()
            raise InputError(f"{folder}: another process is at this experiment") from None
        except InputError:
            self._file.close()
            raise
        self._size = os.fstat(self._file.fileno()).st_size

    def add(self, hand: HandResult) -> None:
        """Write a hand; after an error (a full disk) nothing is left of its line."""
        line = (hand.model_dump_json() + "\n").encode()
        try:
            if self._file.write(line) != len(line):
                raise OSError(28, "No space left on device", str(self.folder / HANDS_NAME))
        except OSError:
            self._file.truncate(self._size)
            raise
        self._size += len(line)
        self.done[hand.number] = hand

    def __enter__(self) -> Notebook:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def _compare(path: Path, wanted: dict[str, Any]) -> None:
    try:
        found = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise InputError(f"{path}: not JSON ({error}); give the experiment another folder") from error
    differing = [name for name in wanted if not isinstance(found, dict) or found.get(name) != wanted[name]]
    if differing:
        raise InputError(f"{path}: another experiment, by {', '.join(differing)}; give this one another folder")


def _read(path: Path) -> dict[int, HandResult]:
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        os.truncate(path, whole)
    found = {}
    for number, line in enumerate(data[:whole].splitlines(), 1):
        try:
            hand = HandResult.model_validate_json(line)
        except ValidationError as error:
            words = error.errors()[0]["msg"]
            raise InputError(f"{path}, line {number}: no hand of this experiment ({words})") from error
        found[hand.number] = hand
    return found
