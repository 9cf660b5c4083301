from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save

from suphx.errors import InputError
from suphx.evaluation.arena import MatchTerms
from suphx.evaluation.counts import Counted, CountedTerms, read_counts
from suphx.evaluation.tally import COLUMN, COLUMNS


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    random = np.random.default_rng(0)
    units = {name: random.integers(0, 5, (30, len(COLUMNS))) for name in ("one", "another")}
    units["one"][3, COLUMN["points"]] = -400_000
    units["one"][4, COLUMN["points"]] = 2**31
    Counted(CountedTerms.of(["sensible"], MatchTerms(seed=2**64 - 1)), units).save(tmp_path / "kept")
    return tmp_path / "kept"


def test_counts_come_back_as_they_were(kept: Path) -> None:
    found = read_counts(kept)
    units = np.random.default_rng(0).integers(0, 5, (30, len(COLUMNS)))
    units[3, COLUMN["points"]], units[4, COLUMN["points"]] = -400_000, 2**31
    assert list(found.units) == ["one", "another"] and (found.units["one"] == units).all()
    assert found.terms == CountedTerms.of(["sensible"] * 3, MatchTerms(seed=2**64 - 1))
    written = kept.read_bytes()
    found.save(kept)
    assert kept.read_bytes() == written


def test_the_time_of_bots_in_the_field_tells_matches_apart() -> None:
    short, long = (CountedTerms.of(["bot:cat"], MatchTerms(timeout=seconds)) for seconds in (1.0, 60.0))
    assert short.differing(long) == ["timeout 1.0 instead of 60.0"]
    assert CountedTerms.of(["bot:cat"], MatchTerms()).differing(long) == ["timeout None instead of 60.0"]
    assert CountedTerms.of(["sensible"], MatchTerms(timeout=1.0)) == CountedTerms.of(
        ["sensible"], MatchTerms()
    )  # no bot there


def test_counts_of_before_the_time_of_bots_was_kept_can_be_read() -> None:
    kept = CountedTerms.of(["sensible"], MatchTerms()).model_dump(exclude={"timeout"})
    assert CountedTerms.model_validate(kept) == CountedTerms.of(["sensible"], MatchTerms())


@pytest.mark.parametrize(
    "column, values, words",
    [
        ("0.wins", None, "other agents or counts"),
        ("0.wins", np.zeros(29, np.uint8), "one integer for each deal"),
        ("1.wins", np.zeros((30, 1), np.uint8), "one integer for each deal"),
        ("0.wins", np.zeros(30, np.float32), "one integer for each deal"),
        ("0.wins", np.full(30, 2**62), "that no games have"),
        ("0.wins", np.full(30, -(2**63)), "that no games have"),
        ("0.luck", np.zeros(30, np.uint8), "other agents or counts"),
    ],
)
def test_files_of_anything_else_are_refused(kept: Path, column: str, values: np.ndarray | None, words: str) -> None:
    with safe_open(kept, "np") as file:
        head = file.metadata()
        tensors = {name: file.get_tensor(name) for name in file.keys()}
    if values is None:
        del tensors[column]
    else:
        tensors[column] = values
    kept.write_bytes(save(tensors, head))
    with pytest.raises(InputError, match=words) as error:
        read_counts(kept)
    assert str(kept) in str(error.value)


def test_a_file_cut_short_is_refused(kept: Path) -> None:
    kept.write_bytes(kept.read_bytes()[:-100])
    with pytest.raises(InputError, match="no file of counts, or not whole"):
        read_counts(kept)
