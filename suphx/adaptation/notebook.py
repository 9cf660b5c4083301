"""The hands of an experiment that are done, one line each in a file, so that it can go on after a kill."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from suphx.errors import InputError
from suphx.line_file import LineFile, settle

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
    """As if it were the only way: what ways share is counted for each of them."""
    check_seconds: float
    """With the held-out deals as they were played before."""


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
        differing = settle(folder, SETTINGS_NAME, HANDS_NAME, settings, "experiment")
        if differing:
            said = f"another experiment, by {', '.join(differing)}; give this one another folder"
            raise InputError(f"{folder / SETTINGS_NAME}: {said}")
        self.done: dict[int, HandResult] = {}
        """By number."""
        self._lines = LineFile(folder / HANDS_NAME, self._read, f"{folder}: another process is at this experiment")

    def _read(self, number: int, line: bytes) -> None:
        try:
            hand = HandResult.model_validate_json(line)
        except ValidationError as error:
            words = error.errors()[0]["msg"]
            path = self.folder / HANDS_NAME
            raise InputError(f"{path}, line {number}: no hand of this experiment ({words})") from error
        self.done[hand.number] = hand

    def add(self, hand: HandResult) -> None:
        """Write a hand; after an error (a full disk) nothing is left of its line."""
        self._lines.add(hand.model_dump_json())
        self.done[hand.number] = hand

    def __enter__(self) -> Notebook:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lines.close()
