"""The results of an experiment: a line for each finished hand, their summary, and its table."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import AliasChoices, Field
from rich.table import Table

from suphx.config import StrictModel
from suphx.intervals import mean_interval, share_interval
from suphx.run_folder import JsonLines, settle

SETTINGS_NAME = "experiment.json"
HANDS_NAME = "hands.jsonl"
#: The two ways of learning from a hand's rollouts; the second is a control, with rewards shuffled among the rollouts.
ADAPTED, SHUFFLED = "adapted", "shuffled"


class Trial(StrictModel):
    """The result of one way of learning; gains are those of the copy over the original, on the same deals."""

    gain: float
    """Mean gain over test deals, in units of the reward, of the copy after the steps, whether or not it was kept."""
    error: float
    differing: float
    """Share of the test deals whose reward differed."""
    distance: float
    """KL(original, copy) in nats, averaged over held-out decisions."""
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
    reward: float = Field(validation_alias=AliasChoices("reward", "worth"))  # "worth" in older files
    """Mean reward of the original on the test deals."""
    spread: float
    """Standard deviation of the original's reward over deals."""
    rollouts: int
    rollout_seconds: float
    """Time to play the rollouts learned from; like all seconds, divided evenly among the hands processed together."""
    trials: dict[str, Trial]
    """By way of learning."""


class HandResults(JsonLines):
    """The file of an experiment's finished hands, open for writing, so that it can resume after a kill."""

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        """Open a folder; settings: all that determines the numbers. Raises InputError for others or malformed lines."""
        settle(folder, SETTINGS_NAME, HANDS_NAME, settings, "experiment")
        self.done: dict[int, HandResult] = {}
        super().__init__(folder / HANDS_NAME, self._read, "is at this experiment", "hand of this experiment")

    def _read(self, line: bytes) -> None:
        hand = HandResult.model_validate_json(line)
        self.done[hand.number] = hand

    def add_hand(self, hand: HandResult) -> None:
        """Write a hand; after an error (a full disk) no part of its line remains."""
        self.add(hand.model_dump_json())
        self.done[hand.number] = hand


def summarize(hands: Sequence[HandResult], unit: float, units: str) -> dict[str, Any]:
    """Return the numbers of an experiment as JSON values.

    unit: the value of a reward of 1 in `units`, in which gains are given. The hand is the statistical unit of every
    95 % interval; gains of adaptation are also compared with the control's, hand by hand on the same deals.
    """

    def numbers(way: str, chosen: Sequence[HandResult]) -> dict[str, Any]:
        row = _numbers([hand.trials[way] for hand in chosen], unit)
        row["rollout_seconds"] = _mean([hand.rollout_seconds for hand in chosen])
        if way != SHUFFLED:
            less = np.array([hand.trials[way].gain - hand.trials[SHUFFLED].gain for hand in chosen]) * unit
            row["less_shuffled"] = {"control": SHUFFLED, **_shares(less), "gain": _with_interval(less)}
        return row

    def by(way: str, group: Callable[[HandResult], str]) -> dict[str, Any]:
        groups = dict.fromkeys(map(group, hands))
        return {name: numbers(way, [hand for hand in hands if group(hand) == name]) for name in groups}

    return {
        "hands": len(hands),
        "units": units,
        "deals": sorted({hand.deals for hand in hands}),
        "rollouts": sorted({hand.rollouts for hand in hands}),
        "rollout_seconds": _mean([hand.rollout_seconds for hand in hands]),
        "ways": {
            way: {
                **numbers(way, hands),
                "by_kind": by(way, lambda hand: hand.kind),
                "by_situation": by(way, lambda hand: hand.situation),
                "by_deals": by(way, lambda hand: f"{hand.deals:,} deals"),
            }
            for way in (hands[0].trials if hands else ())
        },
    }


def _numbers(trials: Sequence[Trial], unit: float) -> dict[str, Any]:
    gains = np.array([trial.gain for trial in trials]) * unit
    passed = np.array([trial.kept for trial in trials])
    return {
        "hands": len(trials),
        **_shares(gains),
        "gain": _with_interval(gains),
        "error_of_a_hand": _mean(np.array([trial.error for trial in trials]) * unit),
        "kept": _mean(passed),
        "gain_with_check": _with_interval(np.where(passed, gains, 0.0)),
        **{
            name: _mean([getattr(trial, name) for trial in trials])
            for name in ("differing", "distance", "steps_seconds", "check_seconds")
        },
    }


def _shares(gains: np.ndarray) -> dict[str, Any]:
    """Return the share of hands that improved, with Wilson's interval; hands without any change are left out."""
    better, worse = int((gains > 0).sum()), int((gains < 0).sum())
    n = better + worse
    return {
        "better": better,
        "worse": worse,
        "same": len(gains) - n,
        "share": better / n if n else None,
        "share_interval": list(share_interval(better / n, n)) if n else None,
    }


def _with_interval(values: np.ndarray) -> dict[str, Any]:
    value, interval = mean_interval(values)
    return {"value": value, "interval": interval}


def _mean(values: Sequence[float] | np.ndarray) -> float | None:
    return float(np.mean(values)) if len(values) else None


def summary_table(summary: Mapping[str, Any]) -> Table:
    """Return what `summarize` returned as a table for the terminal."""
    rollouts = " or ".join(f"{rollouts:,}" for rollouts in summary["rollouts"])
    title = f"{summary['hands']} hands, {rollouts} rollouts each; gains in {summary['units']}"
    caption = (
        "share: of hands that gain, among those that differ, by each hand's mean over "
        f"{' or '.join(f'{deals:,}' for deals in summary['deals'])} test deals; the fewer deals, the nearer to one "
        "half; less shuffled: the mean gain less the control's, and the share of hands that gain more than with it"
    )
    gains = "share", "95 %", "mean gain", "95 %", "less shuffled", "95 %", "share", "95 %"
    table = Table("way", "hands", *gains, "kept", "with check", title=title, caption=caption)
    for way, total in summary["ways"].items():
        for name, row in {way: total, **total["by_kind"], **total["by_situation"], **total["by_deals"]}.items():
            less = row.get("less_shuffled", {})
            table.add_row(
                name if name == way else f"  {name}", str(row["hands"]), *_share_cells(row), *_gain_cells(row),
                *_gain_cells(less), *_share_cells(less),
                f"{row['kept']:.0%}", f"{row['gain_with_check']['value']:+.2g}",
            )  # fmt: skip
    return table


def _share_cells(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return a share of hands and its interval as text."""
    if row.get("share") is None:
        return "", ""
    low, high = row["share_interval"]
    return f"{row['share']:.1%}", f"{low:.1%} to {high:.1%}"


def _gain_cells(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return a mean gain and its interval as text."""
    if "gain" not in row:
        return "", ""
    value, ends = row["gain"]["value"], row["gain"]["interval"]
    return f"{value:+.2g}", f"{ends[0]:+.2g} to {ends[1]:+.2g}" if ends else ""
