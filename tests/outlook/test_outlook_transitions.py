"""Positions after passes, calls and kongs, held against the engine and against what the seat may see."""

import numpy as np
import pytest

from simulator import record as r
from simulator.asking import answer
from simulator.engine import advance
from simulator.lookup import get_lookup
from suphx.dataset.loader import legal_discards
from suphx.features.encode import encode_batch
from suphx.features.layout import start
from suphx.outlook.examples import ChoiceSource, OutlookExamples
from suphx.outlook.transitions import after_calls, after_kongs, after_passes


@pytest.fixture(scope="module")
def choices(prepared) -> OutlookExamples:
    """The decisions about calls, kongs and riichi of the training games."""
    source = ChoiceSource(prepared, "training")
    return source.collect(source.rounds, np.random.default_rng(0))


def rows_of(choices: OutlookExamples, low: int, high: int) -> np.ndarray:
    return np.flatnonzero((choices.actions >= low) & (choices.actions < high))


def planes_of(games: np.ndarray, seats: np.ndarray) -> np.ndarray:
    return encode_batch(games, np.arange(len(games)), seats)


def test_the_actions_are_those_of_the_logs(prepared, choices):
    """Every call, kong and riichi of the logs is there, but those where a win was let go, or the seat was away."""
    inside = prepared.split()[prepared.rounds["game"]] == 0
    events = prepared.events
    first, last = (prepared.rounds["first_event"][inside], prepared.rounds["n_events"][inside])
    used = np.zeros(len(events), np.bool_)
    for begin, length in zip(first, last, strict=True):
        used[begin : begin + length] = True
    kinds = events["type"][used]
    for event, low, high in (
        (r.EVENT_CHOW, r.CHOW_LOW, r.PONG),
        (r.EVENT_PONG, r.PONG, r.OPEN_KONG),
        (r.EVENT_CLOSED_KONG, r.CLOSED_KONG, r.ADDED_KONG),
        (r.EVENT_ADDED_KONG, r.ADDED_KONG, r.TSUMO),
        (r.EVENT_RIICHI, r.DECLARE_RIICHI, r.DECLARE_RIICHI + 1),
    ):
        n, logged = len(rows_of(choices, low, high)), int((kinds == event).sum())
        assert 0 < n <= logged and logged - n <= 0.02 * logged, event
    passes = choices.actions == r.PASS
    assert passes.sum() > 1000 and (choices.positions["phase"][passes] == r.PHASE_CLAIM).all()


def test_after_a_pass_only_the_pass_is_left_and_a_tile_waited_for_is_missed(choices):
    rows = rows_of(choices, r.PASS, r.PASS + 1)
    games, seats = choices.positions[rows], choices.seats[rows]
    before = games.copy()
    after = after_passes(games, seats)
    assert (games == before).all()
    planes = planes_of(after, seats)
    claim = start("legal.situation") + r.PHASE_CLAIM - r.PHASE_TURN
    assert (planes[:, claim] != 0).all() and (planes[:, start("legal.open_tile")] != 0).all()
    for name in ("legal.pong", "legal.open_kong", "legal.claim_win"):
        assert (planes[:, start(name)] == 0).all()
    assert (planes[:, start("legal.chow") : start("legal.chow") + 3] == 0).all()
    at = np.arange(len(rows))
    assert (after["hand"][at, seats] == games["hand"][at, seats]).all()
    waited = games["waits"][at, seats] >> (games["claim_tile"].astype(np.int64) >> 2) & 1 == 1
    assert (after["missed"][at, seats][waited] & 1 == 1).all()
    assert (after["missed"][at, seats][~waited] == games["missed"][at, seats][~waited]).all()


def test_after_a_call_the_seat_discards_as_in_the_engine(choices):
    rows = rows_of(choices, r.CHOW_LOW, r.OPEN_KONG)[:200]
    games, seats, actions = choices.positions[rows], choices.seats[rows], choices.actions[rows]
    after = after_calls(games, seats, actions)
    assert legal_discards(planes_of(after, seats)).any(axis=1).all()
    for n in range(len(rows)):
        table = games[n : n + 1].copy()
        for seat in range(r.SEATS):
            if table[0]["asked"] >> seat & 1:
                answer(table[0], seat, actions[n] if seat == seats[n] else r.PASS)
        advance(get_lookup(), table[0], False, r.NO_TILE, r.NO_TILE)
        assert table[0] == after[n] and after[n]["phase"] == r.PHASE_CALL_DISCARD


def test_after_a_kong_nothing_is_known_that_is_not_before_its_replacement(choices):
    rows = rows_of(choices, r.OPEN_KONG, r.TSUMO)
    games, seats, actions = choices.positions[rows], choices.seats[rows], choices.actions[rows]
    assert {(each >= r.ADDED_KONG) for each in actions} == {True, False}
    after, at = after_kongs(games, seats, actions), np.arange(len(rows))
    missing = games["hand"][at, seats].sum(axis=1) - after["hand"][at, seats].sum(axis=1)
    expected = np.where(actions >= r.ADDED_KONG, 1, np.where(actions >= r.CLOSED_KONG, 4, 3))
    assert (missing == expected).all() and (after["hand"][at, seats].sum(axis=1) % 3 == 1).all()
    planes = planes_of(after, seats)
    assert (planes[:, start("legal.situation")] != 0).all() and not legal_discards(planes).any()
    games["wall"][:, :4] = games["wall"][:, :4][:, ::-1]  # the replacements
    assert (planes_of(after_kongs(games, seats, actions), seats) == planes).all()


def test_positions_after_choices_have_the_targets_of_their_rounds(prepared):
    source = ChoiceSource(prepared, "training")
    later = source.after_choices(source.rounds[:100], 300, np.random.default_rng(0))
    assert (later.actions == r.PASS).sum() == 300 and ((later.actions >= r.OPEN_KONG) & (later.actions < r.PASS)).any()
    scores = later.positions["scores"][np.arange(len(later.seats)), later.seats]
    following = np.minimum(later.rounds + 1, len(prepared.rounds) - 1)
    same = prepared.rounds["game"][following] == prepared.rounds["game"][later.rounds]
    ended = prepared.rounds["scores"][following, later.seats]
    goes_on = same & (following > later.rounds)
    assert goes_on.sum() > 200 and (later.targets.points + scores == ended)[goes_on].all()


def test_after_riichi_the_bet_is_paid_and_nobody_has_won_on_the_discard(prepared):
    source = ChoiceSource(prepared, "training")
    later = source.after_riichi(source.rounds, np.random.default_rng(0))
    at, seats = np.arange(len(later.seats)), later.seats
    declared = (prepared.events["type"] == r.EVENT_RIICHI).sum()
    assert 50 < len(seats) < declared  # where several discards keep the hand tenpai
    assert (later.positions["riichi"][at, seats] == 2).all() and (later.positions["bets"] > 0).all()
    won = later.targets.results == 0
    assert won.any() and (later.targets.points[won] >= 2000).all()  # the bet returns with the points of a hand
