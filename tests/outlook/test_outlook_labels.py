"""What logs know of discards: held against the engine, which is asked to play every discard."""

import numpy as np

from simulator import record as r
from simulator.asking import answer
from simulator.engine import advance
from simulator.legal import is_legal
from simulator.logs.generate import generate_games
from simulator.lookup import get_lookup
from simulator.rounds import finish_round
from suphx.agent.model_decisions import discard_actions
from suphx.dataset.prepare import prepare_games
from suphx.outlook.labels import DEALT_IN, NO_WINNER, WON, after_discards, outcomes


def played(game: np.ndarray, seat: int, kind: int) -> np.ndarray:
    """GAME[1] after the engine has carried out a discard, and stopped where others may claim it."""
    table = game.copy()
    action = discard_actions(table, np.zeros(1, np.int64), np.array([seat]), np.array([kind]))[0]
    answer(table[0], seat, action)
    advance(get_lookup(), table[0], False, r.NO_TILE, r.NO_TILE)
    return table


def test_the_tiles_that_deal_in_are_those_that_the_engine_lets_others_win_on(examples, legal):
    """All discards where one deals in and as many where none does; tiles that nobody waits for are all of the rest."""
    random = np.random.default_rng(1)
    kinds = examples.targets.kinds
    dealing = np.flatnonzero((kinds[:, :, None] >> np.arange(34) & 1 & legal[:, None]).any(axis=(1, 2)))
    assert len(dealing) > 50
    rows = np.concatenate([random.choice(dealing, 60, False), random.choice(len(kinds), 60, False)])
    for row in rows:
        seat = int(examples.seats[row])
        for kind in np.flatnonzero(legal[row]):
            after = played(examples.positions[row : row + 1], seat, int(kind))[0]
            claim = after["phase"] == r.PHASE_CLAIM
            for rival in range(3):
                other = (seat + 1 + rival) % 4
                wins = bool(claim and after["asked"] >> other & 1 and is_legal(after, other, r.RON))
                assert bool(kinds[row, rival] >> kind & 1) == wins, (row, kind, rival)


def test_what_a_tile_costs_is_what_the_engine_makes_its_discarder_pay(examples, legal):
    random = np.random.default_rng(2)
    losses = np.where(legal[:, None], examples.targets.losses, 0)
    found = np.argwhere(losses > 0)
    compared = 0
    for row, rival, kind in random.permutation(found)[:80]:
        seat = int(examples.seats[row])
        other = (seat + 1 + rival) % 4
        table = played(examples.positions[row : row + 1], seat, int(kind))
        game = table[0]
        if game["riichi"][other]:  # ura dora are chosen at random: only a lower bound is known
            game["rules"]["ura_dora"] = 0
        for each in range(4):
            if game["asked"] >> each & 1:
                answer(game, each, r.RON if each == other else r.PASS)
        advance(get_lookup(), game, False, r.NO_TILE, r.NO_TILE)
        finish_round(game)
        paid = -int(game["result"]["deltas"][seat])
        in_riichi = examples.positions[row]["riichi"][other]
        assert paid <= losses[row, rival, kind] if in_riichi else paid == losses[row, rival, kind]
        compared += 1
    assert compared >= 40


def test_after_a_discard_the_seat_waits_with_one_tile_less_and_riichi_is_paid(examples, legal):
    kinds = legal.argmax(axis=1)
    after = after_discards(examples.positions, examples.seats, kinds)
    rows = np.arange(len(kinds))
    before_hands = examples.positions["hand"][rows, examples.seats].astype(int)
    hands = after["hand"][rows, examples.seats].astype(int)
    assert (before_hands - hands == np.eye(34, dtype=int)[kinds]).all()
    assert (after["asked"] == 0).all() and (after["drawn"] == r.NO_TILE).all()
    declared = examples.positions["riichi"][rows, examples.seats] == 1
    assert declared.any()
    paid = examples.positions["scores"][rows, examples.seats] - after["scores"][rows, examples.seats]
    assert (paid == 1000 * declared).all()
    assert (after["riichi"][rows, examples.seats][declared] == 2).all()


def test_points_gained_count_from_the_position_shown(examples):
    """A bet that is paid with the discard is no longer to be lost after it."""
    shown = examples.after(np.ones(len(examples.seats), np.bool_))
    rows = np.arange(len(examples.seats))
    ended = examples.targets.points + examples.positions["scores"][rows, examples.seats]
    assert (shown.targets.points + shown.positions["scores"][rows, examples.seats] == ended).all()


def test_outcomes_are_those_of_the_logged_games():
    games = list(generate_games(12, seed=4))
    prepared = prepare_games(games)
    found = outcomes(prepared)
    assert len(found.results) == sum(len(game.rounds) for game in games)
    by_key = iter(range(len(found.results)))
    for game in games:
        for number, logged in enumerate(game.rounds):
            row = next(by_key)
            wins = logged.events[logged.events["type"] == r.EVENT_WIN]
            results = found.results[row]
            assert set(np.flatnonzero(results == WON)) == set(wins["seat"].tolist())
            dealt = {int(each["source"]) for each in wins if each["source"] != each["seat"]}
            assert set(np.flatnonzero(results == DEALT_IN)) == dealt
            assert (results == NO_WINNER).all() == (len(wins) == 0)
            if number + 1 < len(game.rounds):
                assert found.scores[row].tolist() == list(game.rounds[number + 1].scores)
        assert sorted(found.ranks[row].tolist()) == [0, 1, 2, 3]
        best = int(found.scores[row].argmax())
        assert found.ranks[row, best] == 0
