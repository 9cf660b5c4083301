"""Real Tenhou games, where they are at hand, played through the engine."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from simulator.logs.mjlog import read_mjlog
from simulator.logs.verify import verify_game
from simulator.logs.verify_paths import Summary, verify_paths

SAMPLE = 200


@pytest.fixture
def archives(real_logs: Path) -> list[Path]:
    found = sorted(real_logs.glob("*.zip"))
    if not found:
        pytest.skip(f"no real games: {real_logs} has no zip archive")
    return found


def test_a_fixed_sample_of_each_archive_verifies(archives: list[Path]) -> None:
    mismatches = []
    for path in archives:
        with zipfile.ZipFile(path) as archive:
            members = sorted(archive.namelist())
            for name in members[:: max(1, len(members) // SAMPLE)][:SAMPLE]:
                verified = verify_game(read_mjlog(archive.read(name), f"{path.name}/{name}"))
                assert verified.rounds
                mismatches += verified.mismatches
    assert not mismatches, "\n".join(map(str, mismatches[:5]))


@pytest.mark.full
def test_all_games_verify(archives: list[Path]) -> None:
    summary = Summary()
    for so_far, _ in verify_paths(archives, workers=2):
        summary = so_far
    assert summary.good, [*map(str, summary.first_mismatches[:5]), *summary.first_errors[:5]]
    assert summary.games > 2000
