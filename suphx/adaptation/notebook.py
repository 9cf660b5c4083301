"""The finished hands of an experiment, one line each in a file, so that it can resume after a kill."""

from pathlib import Path
from typing import Any

from pydantic import AliasChoices, Field, ValidationError

from suphx.config import StrictModel
from suphx.errors import InputError
from suphx.json_lines import JsonLines, settle

SETTINGS_NAME = "experiment.json"
HANDS_NAME = "hands.jsonl"


class Trial(StrictModel):
    """The result of one way of adapting to a hand; gains are of the copy over the original, on the same deals."""

    gain: float
    """Mean gain over test deals, in units of the reward, of the copy after the steps, whether it was kept or not."""
    error: float
    """Standard error of the gain."""
    differing: float
    """Share of the test deals whose reward differed."""
    distance: float
    """KL(original, copy) in nats, averaged over held-out questions."""
    kept: bool
    """Whether the copy passed the check and would have been played."""
    steps_seconds: float
    check_seconds: float
    """Time of the check, including that of playing the held-out deals before the adaptation."""


class HandResult(StrictModel):
    """The results of one hand."""

    number: int = Field(ge=0)
    situation: str
    kind: str
    shanten: int
    round: int
    """0 = East 1."""
    seat: int
    dealer: bool
    scores: list[int]
    """Points of the four seats when the round was dealt."""
    deals: int
    """Number of test deals."""
    reward: float = Field(validation_alias=AliasChoices("reward", "worth"))  # "worth" in older files
    """Mean reward of the original on the test deals."""
    spread: float
    """Standard deviation of the original's reward over deals."""
    rollouts: int
    rollout_seconds: float
    """Time to play the rollouts learned from; like all seconds, divided evenly among the hands processed together."""
    trials: dict[str, Trial]
    """By name of the way of adapting."""


class Notebook(JsonLines):
    """The folder of an experiment, open for writing."""

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        """Open a folder, created if needed; settings: JSON values that determine the numbers of every hand.

        Raises InputError for the folder of another experiment, for one that another process writes to, and, naming file
        and line, for malformed lines.
        """
        differing = settle(folder, SETTINGS_NAME, HANDS_NAME, settings, "experiment")
        if differing:
            said = f"another experiment, by {', '.join(differing)}; give this one another folder"
            raise InputError(f"{folder / SETTINGS_NAME}: {said}")
        self.done: dict[int, HandResult] = {}
        """Results by number of the hand."""
        super().__init__(folder / HANDS_NAME, self._read, "is at this experiment")

    def _read(self, number: int, line: bytes) -> None:
        try:
            hand = HandResult.model_validate_json(line)
        except ValidationError as error:
            words = error.errors()[0]["msg"]
            raise InputError(f"{self.path}, line {number}: no hand of this experiment ({words})") from error
        self.done[hand.number] = hand

    def add_hand(self, hand: HandResult) -> None:
        """Write a hand; after an error (a full disk) no part of its line remains."""
        self.add(hand.model_dump_json())
        self.done[hand.number] = hand
