"""Who pays what: dealer and others, draw and claim, repeat counters, bets, liability."""

import numpy as np
import pytest

from simulator.record import NO_SEAT, WIN
from simulator.rules import Rules
from simulator.scoring.hands import score
from simulator.scoring.payments import payments

#: The usual table: han, fu, by claim from a non-dealer's hand, from the dealer's.
CLAIMS = [
    (1, 30, 1000, 1500), (1, 40, 1300, 2000), (1, 50, 1600, 2400), (1, 60, 2000, 2900), (1, 70, 2300, 3400),
    (1, 80, 2600, 3900), (1, 90, 2900, 4400), (1, 100, 3200, 4800), (1, 110, 3600, 5300), (2, 25, 1600, 2400),
    (2, 30, 2000, 2900), (2, 40, 2600, 3900), (2, 50, 3200, 4800), (2, 60, 3900, 5800), (2, 70, 4500, 6800),
    (2, 80, 5200, 7700), (2, 90, 5800, 8700), (2, 100, 6400, 9600), (2, 110, 7100, 10600), (3, 25, 3200, 4800),
    (3, 30, 3900, 5800), (3, 40, 5200, 7700), (3, 50, 6400, 9600), (3, 60, 7700, 11600), (3, 70, 8000, 12000),
    (4, 25, 6400, 9600), (4, 30, 7700, 11600), (4, 40, 8000, 12000), (5, 20, 8000, 12000),
]  # fmt: skip

#: By draw: han, fu, what a non-dealer and what the dealer pays; all pay the latter to the dealer.
DRAWS = [
    (1, 30, 300, 500), (1, 40, 400, 700), (1, 50, 400, 800), (1, 60, 500, 1000), (1, 70, 600, 1200), (2, 20, 400, 700),
    (2, 30, 500, 1000), (2, 40, 700, 1300), (2, 50, 800, 1600), (2, 110, 1800, 3600), (3, 20, 700, 1300),
    (3, 25, 800, 1600), (3, 30, 1000, 2000), (3, 40, 1300, 2600), (3, 60, 2000, 3900), (4, 20, 1300, 2600),
    (4, 25, 1600, 3200), (4, 30, 2000, 3900), (5, 30, 2000, 4000), (6, 30, 3000, 6000), (8, 30, 4000, 8000),
    (11, 30, 6000, 12000), (13, 30, 8000, 16000),
]  # fmt: skip


def paid(seat, source, han=0, fu=40, yakuman=0, repeat=0, bets=0, liable=NO_SEAT, liable_yakuman=0, **rules):
    """Return (points, deltas) with seat 0 as the dealer."""
    win = np.zeros(1, WIN)
    win["seat"], win["source"], win["han"], win["fu"], win["yakuman"] = seat, source, han, fu, yakuman
    win["liable"], win["liable_yakuman"] = liable, liable_yakuman
    payments(win[0], 0, repeat, bets, Rules(**{"liability_whole": False, **rules}).to_record()[()])
    return int(win["points"][0]), win["deltas"][0].tolist()


@pytest.mark.parametrize(("han", "fu", "other", "dealer"), CLAIMS)
def test_claims(han, fu, other, dealer):
    assert paid(1, 2, han, fu) == (other, [0, other, -other, 0])
    assert paid(1, 0, han, fu) == (other, [-other, other, 0, 0])
    assert paid(0, 3, han, fu) == (dealer, [dealer, 0, 0, -dealer])


@pytest.mark.parametrize(("han", "fu", "other", "dealer"), DRAWS)
def test_draws(han, fu, other, dealer):
    total = 2 * other + dealer
    assert paid(2, 2, han, fu) == (total, [-dealer, -other, total, -other])
    assert paid(0, 0, han, fu) == (3 * dealer, [3 * dealer, -dealer, -dealer, -dealer])


def test_repeat_counters():
    assert paid(1, 2, 1, 30, repeat=2) == (1000, [0, 1600, -1600, 0])
    assert paid(1, 1, 1, 30, repeat=2) == (1100, [-700, 1700, -500, -500])
    assert paid(1, 2, 1, 30, repeat=1, repeat_points=1500) == (1000, [0, 2500, -2500, 0])


def test_bets_go_to_the_winner():
    assert paid(1, 2, 1, 30, bets=3) == (1000, [0, 4000, -1000, 0])


def test_written_hands_show_them_too():
    found = score("123m456p789s22p34s5s", tsumo=True, riichi=True, repeat_counter=1, bets=2)
    assert found.payments == {"East": 1400, "West": 800, "North": 800}
    assert (found.points, found.received) == (2700, 5000)
    found = score("123m456p789s22p34s5s", riichi=True, repeat_counter=1, seat_wind="East")
    assert found.payments == {"discarder": 3200}


def test_liable_seat_pays_a_draw_alone():
    assert paid(1, 1, yakuman=1, liable=3, liable_yakuman=1, repeat=1) == (32000, [0, 32300, 0, -32300])
    assert paid(0, 0, yakuman=1, liable=3, liable_yakuman=1) == (48000, [48000, 0, 0, -48000])


def test_liable_seat_and_discarder_share_a_claim_and_the_liable_one_pays_the_counters():
    assert paid(1, 2, yakuman=1, liable=3, liable_yakuman=1, repeat=2) == (32000, [0, 32600, -16000, -16600])
    assert paid(0, 2, yakuman=1, liable=3, liable_yakuman=1) == (48000, [48000, 0, -24000, -24000])


def test_liable_discarder_pays_all():
    assert paid(1, 2, yakuman=1, liable=2, liable_yakuman=1, repeat=1) == (32000, [0, 32300, -32300, 0])


def test_liability_for_one_of_two_yakuman():
    assert paid(1, 1, yakuman=2, liable=3, liable_yakuman=1) == (64000, [-16000, 64000, -8000, -40000])
    assert paid(1, 2, yakuman=2, liable=3, liable_yakuman=1) == (64000, [0, 64000, -48000, -16000])


def test_liability_for_the_whole_hand():
    how = {"yakuman": 2, "liable": 3, "liable_yakuman": 1, "liability_whole": True}
    assert paid(1, 1, **how) == (64000, [0, 64000, 0, -64000])
    assert paid(1, 2, **how) == (64000, [0, 64000, -32000, -32000])
