"""Luck apart from play: what was dealt and drawn, beside what was to be expected."""

from __future__ import annotations

import math

import numpy as np
import pytest
from reviewed_game import everything

from simulator.efficiency import shanten_batch
from simulator.logs.generate import generate_games
from simulator.record import PHASE_TURN
from simulator.tiles import KINDS
from suphx.review.game import replay
from suphx.review.seats import RANDOM_SHANTEN, RANDOM_SPREAD, luck_of


def test_what_random_hands_lack_is_what_the_constants_say():
    hands, random = 20_000, np.random.default_rng(7)
    tiles = np.repeat(np.arange(KINDS), 4)
    dealt = [np.bincount(random.permutation(tiles)[:13], minlength=KINDS) for _ in range(hands)]
    found = shanten_batch(np.array(dealt))
    assert found.mean() == pytest.approx(RANDOM_SHANTEN, abs=4 * RANDOM_SPREAD / math.sqrt(hands))
    assert found.std() == pytest.approx(RANDOM_SPREAD, abs=0.03)


def test_draws_that_help_are_those_after_which_the_hand_is_nearer():
    game = replay(everything())
    for seat in range(4):
        luck, helped, draws = luck_of(game.records, game.rounds, seat), 0, 0
        for record in (game.records[moment.record] for moments in game.rounds for moment in moments):
            if record["phase"] == PHASE_TURN and record["turn"] == seat:
                hand = record["hand"][seat].copy()
                after = shanten_batch(hand[None])[0]
                hand[record["drawn"] >> 2] -= 1
                helped += after < shanten_batch(hand[None])[0]
                draws += 1
        assert (luck.helped, luck.draws, luck.rounds) == (helped, draws, len(game.rounds))


def test_over_games_as_many_draws_help_as_were_to_be_expected():
    found = []
    for log in generate_games(3, seed=5):
        game = replay(log)
        found += [luck_of(game.records, game.rounds, seat) for seat in range(4)]
    helped = sum(each.helped - each.helped_expected for each in found)
    assert abs(helped) < 4 * math.sqrt(sum(each.helped_spread**2 for each in found))
    dealt = np.mean([each.dealt for each in found])
    rounds = sum(each.rounds for each in found)
    assert dealt == pytest.approx(RANDOM_SHANTEN, abs=4 * RANDOM_SPREAD / math.sqrt(rounds) + 0.02)
