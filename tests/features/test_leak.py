"""No plane but the oracle's depends on what the seat cannot see."""

from __future__ import annotations

import numpy as np
from played import played

from simulator.legal import is_legal
from simulator.record import ACTIONS, GAME, NO_ACTION, PASS, SEATS
from simulator.redeal.hidden import redeal_hidden
from suphx.features.encode import encode_batch, encode_call_batch, encode_oracle_batch, is_call

N = 600


def test_dealing_the_hidden_tiles_anew_changes_no_plane() -> None:
    games, seats = played(N)
    before = encode_batch(games, np.arange(N), seats)
    hidden_before = encode_oracle_batch(games, np.arange(N), seats)
    for seed in range(3):
        dealt = games.copy()
        redeal_hidden(dealt, seats, seed)
        assert (dealt["wall"] != games["wall"]).any(axis=1).all()
        changed = np.argwhere(encode_batch(dealt, np.arange(N), seats) != before)
        assert changed.tolist() == []
        assert (encode_oracle_batch(dealt, np.arange(N), seats) != hidden_before).any(axis=1).mean() > 0.99


def test_nor_a_plane_of_a_proposed_call() -> None:
    games, seats = played(N)
    calls = [
        (n, seats[n], a) for n in range(N) for a in range(ACTIONS) if is_call(a) and is_legal(games[n], seats[n], a)
    ]
    index, seat, action = np.array(calls).T
    before = encode_call_batch(games, index, seat, action)
    dealt = games.copy()
    redeal_hidden(dealt, seats, 7)
    assert (encode_call_batch(dealt, index, seat, action) == before).all()


def test_nor_do_the_answers_of_others_that_are_still_out() -> None:
    games, seats = played(N)
    before = encode_batch(games, np.arange(N), seats)
    changed = games.copy()
    for n in range(N):
        for other in range(SEATS):
            if other != seats[n]:
                changed[n]["answers"][other] = PASS if changed[n]["answers"][other] == NO_ACTION else NO_ACTION
                changed[n]["legal"][other] = ~changed[n]["legal"][other]
                changed[n]["pending"] ^= 1 << other
                changed[n]["asked"] ^= 1 << other
                changed[n]["decisions"][other] += 1
    assert (encode_batch(changed, np.arange(N), seats) == before).all()


def test_nor_does_anything_hidden_in_the_record() -> None:
    """Waits and furiten of others, their hands, the wall and the seeds: all overwritten."""
    games, seats = played(N)
    before = encode_batch(games, np.arange(N), seats)
    changed = np.zeros(N, GAME)
    changed[:] = games
    rng = np.random.default_rng(1)
    shown = [5, 7, 9, 11, 13]
    for n in range(N):
        game = changed[n]
        game["seed"], game["number"] = 1, 2
        hidden = [place for place in range(136) if place not in shown[: game["indicators"]]]
        game["wall"][hidden] = rng.integers(0, 136, len(hidden))
        for other in range(SEATS):
            if other != seats[n]:
                for name in ("hand", "copies", "suit_keys", "waits"):
                    game[name][other] = rng.integers(0, 2, game[name][other].shape)
                game["missed"][other] = rng.integers(0, 4)
        if game["turn"] != seats[n]:
            game["drawn"] = rng.integers(0, 136)
    assert (encode_batch(changed, np.arange(N), seats) == before).all()
