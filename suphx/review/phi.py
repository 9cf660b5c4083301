"""Phi over the course of a game, by the shipped reward predictor."""

from __future__ import annotations

import numpy as np

from simulator.record import SEATS
from suphx.errors import InputError
from suphx.review.document import Phi
from suphx.review.game import Replayed
from suphx.reward.games import START, Games
from suphx.reward.predictor import RewardPredictor


def phi_of(game: Replayed, predictor: RewardPredictor) -> Phi:
    """Return Phi before the first and after each round; raises InputError if the predictor does not fit the game."""
    rounds = game.log.rounds
    predictor.check_rules(game.log.rules)
    if any(each.dealer != each.round % SEATS for each in rounds) or rounds[0].round or rounds[0].repeat_counter:
        raise InputError("the log does not begin with East 1 dealt by seat 0; the reward predictor needs whole games")
    last = game.ends[-1]["result"]
    going_on = not last["game_over"]
    starts = np.zeros((1, len(rounds) + going_on), START)
    for number, each in enumerate(rounds):
        starts[0, number] = (each.scores, each.round, each.repeat_counter, each.bets)
    if going_on:
        after = game.ends[-1]
        starts[0, -1] = (last["scores"], after["round"], after["repeat_counter"], after["bets"])
    games = Games(starts, np.array([starts.shape[1]]), np.array([not going_on]), last["scores"].astype(np.int32)[None])
    values = predictor.phi(games)[0, : len(rounds) + 1]
    return Phi(units=predictor.description.target.units, values=np.round(values, 3).tolist())
