"""We are much faster than the other programs at the same work."""

import numba
import pytest

pytest.importorskip("riichienv", reason="riichienv is not installed: pip install 'suphx[bench]'")
pytest.importorskip("xiangting", reason="xiangting is not installed: pip install 'suphx[bench]'")
from simulator.logs.generate import generate_games
from suphx.bench.features import collect_positions
from suphx.bench.simulator import game_like_hands, random_player, rates

from .speed import _riichienv_encoder, accepted, encoding, riichienv_player, scoring, shanten

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="measures compiled code")


def test_ours_is_faster_at_everything() -> None:
    hands = game_like_hands(200)
    for contestants in (
        {"ours": random_player(64), "riichienv": riichienv_player(100)},
        shanten(hands),
        accepted(hands),
        scoring(200),
    ):
        measured = rates(contestants, 0.1)
        assert all(measured["ours"] > rate for name, rate in measured.items() if name != "ours"), measured


def test_positions_are_the_same_and_encoded_three_times_as_fast() -> None:
    _, seats, logs = collect_positions(generate_games(50, seed=1), 50)
    assert abs(len(seats) - _riichienv_encoder(logs)[1]) <= 0.05 * len(seats)
    measured = encoding(0.1, positions=50)
    assert measured["ours"] > 3 * measured["riichienv"]  # ten on a quiet machine
