from __future__ import annotations

import numpy as np
import pytest

from simulator.logs.generate import generate_games
from simulator.rules import Rules
from suphx.dataset.prepare import prepare_games
from suphx.dataset.prepared import Prepared
from suphx.dataset.selection import Filters, select
from suphx.errors import InputError


@pytest.fixture(scope="module")
def mixed() -> Prepared:
    """Six East-South and six East games; in one of each kind seat 2 is Ichi, and dan go from 4 to 7 by seat."""
    logs = [*generate_games(6, seed=1), *generate_games(6, rules=Rules.tenhou_east(), seed=2)]
    for number, log in enumerate(logs):
        log.names = ["one", "two", "Ichi" if number in (0, 6) else "three", "four"]
        log.dan = [13, 14, 15, 16]
        log.room = "phoenix" if number % 2 else "expert"
    return prepare_games(logs)


def pairs_of(prepared: Prepared, games: np.ndarray, seats: list[int]) -> int:
    rounds = games[prepared.rounds["game"]]
    return int(prepared.rounds["counts"][rounds][:, seats, 0].sum())


def test_each_filter_leaves_its_games_and_seats(mixed: Prepared) -> None:
    everyone, number = [0, 1, 2, 3], np.arange(12)
    for filters, games, seats in (
        (Filters(), number >= 0, everyone),
        (Filters(lengths=["east"]), number >= 6, everyone),
        (Filters(rooms=["phoenix"]), number % 2 == 1, everyone),
        (Filters(players=["Ichi"]), np.isin(number, [0, 6]), [2]),
        (Filters(least_dan=6), number >= 0, [2, 3]),
        (Filters(archives=["games"]), number >= 0, everyone),
        (Filters(lengths=["east"], players=["Ichi"]), number == 6, [2]),
    ):
        assert select(mixed, "discard", None, filters).n_pairs == pairs_of(mixed, games, seats), filters


def test_the_splits_share_all_games(mixed: Prepared) -> None:
    parts = [select(mixed, "discard", split) for split in ("training", "validation", "test")]
    assert sum(part.n_pairs for part in parts) == select(mixed, "discard", None).n_pairs


def test_wanted_games_alone(mixed: Prepared) -> None:
    wanted = np.arange(12) == 3
    assert select(mixed, "discard", None, None, wanted).n_pairs == pairs_of(mixed, wanted, [0, 1, 2, 3])


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        (Filters(players=["Nobody"]), "no player Nobody in these logs; there are Ichi, four, one, three, two"),
        (Filters(archives=["other.zip"]), "no archive other.zip"),
        (Filters(rooms=["normal"]), "no room normal in these logs; there are expert, phoenix"),
    ],
)
def test_a_filter_for_what_is_not_there_is_an_error(mixed: Prepared, filters: Filters, words: str) -> None:
    with pytest.raises(InputError, match=words):
        select(mixed, "discard", None, filters)
