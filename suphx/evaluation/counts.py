"""Counts by deal in a file: what agents did on each deal of a match, and the terms it was played under.

All measures, intervals and paired differences follow from them, so agents can be compared with those of an earlier
match on the same deals, without playing it again. A hundred thousand hanchan of one agent take a megabyte and a half.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import Field, ValidationError
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from simulator.files import write_whole
from simulator.record import SEATS
from suphx.agent.registry import fingerprint, is_external
from suphx.config import StrictModel
from suphx.errors import InputError
from suphx.evaluation.arena import MatchTerms
from suphx.evaluation.tally import COLUMNS
from suphx.networks.weights import in_order

#: The file in the folder of a match of challengers against a field.
COUNTS_NAME = "counts.safetensors"
_METADATA_KEY = "match"
_TYPES = (np.uint8, np.int16, np.int32, np.int64)
#: Counts of a deal are far smaller; with larger ones sums might overflow.
_MOST = 2**40


class CountedTerms(StrictModel, strict=True):
    """Everything that must be equal for two agents to be compared on the same deals, and the field's names."""

    field: list[str] = Field(min_length=1)
    fingerprints: list[str]
    """Fingerprints of the field's agents, which count; a folder of weights may have another name elsewhere."""
    rules: str
    seed: int = Field(ge=0)
    temperature: float | None
    device: str
    dtype: str
    timeout: float | None = None
    """Seconds that the field's bots had for a decision, None for the usual time; without bots there, always None."""

    @classmethod
    def of(cls, field: Sequence[str], terms: MatchTerms) -> CountedTerms:
        """Return the terms of a match of challengers against three of a field."""
        opponents = list(field) * (SEATS - 1) if len(field) == 1 else list(field)
        same = {name: getattr(terms, name) for name in ("rules", "seed", "temperature", "device", "dtype")}
        timeout = terms.timeout if any(map(is_external, opponents)) else None
        return cls(field=opponents, fingerprints=list(map(fingerprint, opponents)), timeout=timeout, **same)

    def differing(self, other: CountedTerms) -> list[str]:
        """Return what is not the same in another match, in words."""
        mine, its = (each.model_dump(exclude={"field", "fingerprints"}) for each in (self, other))
        words = [f"{name} {mine[name]!r} instead of {its[name]!r}" for name in mine if mine[name] != its[name]]
        if self.fingerprints != other.fingerprints:
            words.append(f"{', '.join(self.field)} instead of {', '.join(other.field)}, or with other weights of them")
        return words


class _Head(StrictModel, strict=True):
    terms: CountedTerms
    agents: list[str] = Field(min_length=1)


@dataclass(frozen=True)
class Counted:
    """What agents did on the deals of one match."""

    terms: CountedTerms
    units: dict[str, np.ndarray]
    """Name to i64[deals, columns], as from `Results.units`; in a file from the first deal on."""

    def on_deals(self, text: str) -> Counted:
        """Return the counts of deals FROM:TO:STEP, each optional; raises InputError, also for fewer than two."""
        parts = text.split(":")
        if not 2 <= len(parts) <= 3 or not all(not each or each.isdecimal() for each in parts) or parts[2:] == ["0"]:
            raise InputError(f"--deals {text}: write FROM:TO or FROM:TO:STEP")
        deals = slice(*(int(each) if each else None for each in parts))
        units = {name: each[deals] for name, each in self.units.items()}
        if min(map(len, units.values())) < 2:
            raise InputError("fewer than two deals are left")
        return Counted(self.terms, units)

    def save(self, path: Path) -> None:
        """Write a file for `read_counts`."""
        head = _Head(terms=self.terms, agents=list(self.units))
        tensors = {
            f"{number}.{column}": _small(units[:, place])
            for number, units in enumerate(self.units.values())
            for place, column in enumerate(COLUMNS)
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, in_order(save(tensors, {_METADATA_KEY: head.model_dump_json()})))


def _small(values: np.ndarray) -> np.ndarray:
    """Return integers in the smallest type that holds them."""
    fitting = (each for each in _TYPES if np.iinfo(each).min <= values.min() and values.max() <= np.iinfo(each).max)
    return values.astype(next(fitting))


def read_counts(path: Path) -> Counted:
    """Return a file's counts, or those in a match's folder; raises InputError, naming the file, if it is unusable."""
    path = path / COUNTS_NAME if path.is_dir() else path
    if not path.is_file():
        raise InputError(f"{path}: no such file of counts; `suphx evaluate --out` leaves it, in protocol one-three")
    try:
        with safe_open(path, "np") as file:
            head = _Head.model_validate_json((file.metadata() or {}).get(_METADATA_KEY, ""))
            tensors = {name: file.get_tensor(name) for name in file.keys()}
    except (SafetensorError, ValidationError) as error:
        raise InputError(f"{path}: no file of counts, or not whole ({str(error).splitlines()[0]})") from error
    wanted = {f"{number}.{column}" for number in range(len(head.agents)) for column in COLUMNS}
    if set(tensors) != wanted or len(set(head.agents)) < len(head.agents):
        raise InputError(f"{path}: other agents or counts than it names, or counted by another version of this program")
    columns = ([tensors[f"{number}.{column}"] for column in COLUMNS] for number in range(len(head.agents)))
    return Counted(head.terms, {agent: _units(path, each) for agent, each in zip(head.agents, columns, strict=True)})


def _units(path: Path, columns: Sequence[np.ndarray]) -> np.ndarray:
    """Return i64[deals, columns] from one array for each column."""
    deals = len(columns[0]) if columns[0].ndim else 0
    for each in columns:
        if each.dtype not in _TYPES or each.shape != (deals,) or not deals:
            raise InputError(f"{path}: counts that are not one integer for each deal")
        if each.min() < -_MOST or each.max() > _MOST:
            raise InputError(f"{path}: counts that no games have")
    return np.stack([each.astype(np.int64) for each in columns], axis=1)


def joined(parts: Mapping[str, Counted]) -> Counted:
    """Return the agents of matches, by origin, on the first deals that all have; raises InputError if they clash."""
    terms = next(iter(parts.values())).terms
    units: dict[str, np.ndarray] = {}
    for origin, part in parts.items():
        if differing := part.terms.differing(terms):
            raise InputError(f"{origin}: cannot be compared, since it was played with {', '.join(differing)}")
        if twice := units.keys() & part.units.keys():
            raise InputError(f"{origin}: {', '.join(sorted(twice))} is measured twice")
        units |= part.units
    deals = min(map(len, units.values()))
    return Counted(terms, {name: each[:deals] for name, each in units.items()})
