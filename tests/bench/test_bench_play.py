"""The benchmark of random play measures what it says."""

import pytest

from simulator.record import GAME
from suphx.bench.play import bench_play, bench_two_processes, our_player


def test_ours_is_measured_with_or_without_the_peer():
    found = bench_play(seconds=0.1, games=64)
    assert found["play_ours_per_second"] > 0
    assert found["play_bytes_per_game"] == GAME.itemsize <= 4096


def test_the_ratio_is_ours_over_riichienv():
    pytest.importorskip("riichienv", reason="riichienv is not installed (the extra `bench`)")
    found = bench_play(seconds=0.1, games=64)
    assert found["play_ratio"] == found["play_ours_per_second"] / found["play_riichienv_per_second"]


def test_two_processes_are_measured_against_one():
    assert 0 < bench_two_processes(seconds=0.1, games=64)["play_two_processes_ratio"]


def test_every_step_of_a_batch_counts_its_decisions():
    assert our_player(games=64)() == 64
