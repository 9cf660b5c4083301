"""The property test itself: it holds for all rules and seeds, and it finds what is wrong."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rules_strategy import any_rules
from typer.testing import CliRunner

from simulator.check.records import CheckError, check, try_actions
from simulator.check.run import check_numbers
from simulator.players.simple import choose_random
from simulator.record import CLOSED_KONG, GAME, NO_TILE, PASS, PHASE_CLAIM, PHASE_TURN, RIVER_CALLED, WORD_BITS
from simulator.rules import PRESETS, Rules
from simulator.tables import Tables
from suphx.cli import app


def eager(tables, asked, seed, step):
    """Return random actions, every other one the rarest that is legal: wins, kongs, calls, riichi."""
    actions = np.empty(len(asked), np.int64)
    choose_random(tables.games, asked.game, asked.seat, asked.legal, np.uint64(seed), actions)
    rare = asked.legal.copy()
    rare[:, PASS] = False
    last = rare.shape[1] - 1 - rare[:, ::-1].argmax(axis=1)
    return np.where((np.arange(len(asked)) + step) % 2 & rare.any(axis=1), last, actions)


def play_and_check(rules, seed, n=4, steps=600):
    """Return how many games were played to their end, checked after every step."""
    tables, finished = Tables(n, rules, seed), 0
    for step in range(steps):
        check(tables.games)
        if step % 25 == 0:
            try_actions(tables.games, step)
        decisions = tables.decisions()
        ended = tables.step(eager(tables, decisions, seed, step))
        check(ended.records)
        finished += int(ended.finished.sum())
    return finished


@pytest.mark.parametrize(
    ("games", "examples", "tables"),
    [(60, 20, 6), pytest.param(20_000, 400, 64, marks=pytest.mark.full)],
)
def test_random_games_of_random_rules(games, examples, tables):
    finished = 0

    @settings(max_examples=examples, deadline=None, database=None)
    @given(any_rules, st.integers(0, 2**64 - 1))
    def play(rules, seed):
        nonlocal finished
        finished += play_and_check(rules, seed, tables)

    while finished < games:  # under some rules few games end within the steps of an example
        play()


@pytest.mark.parametrize("preset", PRESETS)
def test_presets(preset):
    play_and_check(PRESETS[preset], 7, n=32, steps=400)


@pytest.fixture(scope="module")
def games():
    """Records from many moments of games, with melds, riichi and results."""
    tables = Tables(64, seed=11)
    moments = []
    for step in range(400):
        decisions = tables.decisions()
        tables.step(eager(tables, decisions, 11, step))
        if step % 20 == 0:
            moments.append(tables.snapshot())
    return np.concatenate(moments)


def spoil(games, change, where):
    """Return a copy of the first game for which `where` holds, changed."""
    spoilt = next(game for game in games if where(game)).copy()
    change(spoilt)
    return np.array([spoilt])


def always(game):
    return game["phase"] == PHASE_TURN


def closed(game):
    return always(game) and not game["n_melds"].any()


def called(game):
    return always(game) and game["n_open"][0] > 0


def put(field, value, *index):
    """Return a change of a field, or of one place of it."""

    def change(game):
        new = value(game) if callable(value) else value
        if index:
            game[field][index[0]] = new
        else:
            game[field] = new

    return change


def swap_tiles(game):
    """Put a tile of the wall into a hand beside itself."""
    game["wall"][20] = game["wall"][21]


def forget_calls(game):
    """Leave discards in the rivers that were called."""
    game["river"] &= ~np.uint16(RIVER_CALLED)


def not_in_riichi(game):
    return closed(game) and game["turn"] == 2 and not game["riichi"].any()


#: The field that is named, what is changed, and in which record.
SPOILT = [
    ("round", put("round", 13), always),
    ("round", put("dealer", lambda game: (game["dealer"] + 1) % 4), always),
    ("wall", swap_tiles, always),
    ("wall", forget_calls, called),
    ("scores", put("scores", lambda game: game["scores"][1] + 100, 1), always),
    ("scores", put("start_scores", lambda game: game["start_scores"][1] + 100, 1), always),
    ("bets", put("start_bets", lambda game: game["start_bets"] + 1), always),
    ("copies", put("hand", lambda game: game["hand"][2, 3] + 1, (2, 3)), always),
    ("hand", put("drawn", NO_TILE), always),
    ("suit_keys", put("suit_keys", 5, (2, 1)), always),
    ("waits", put("waits", lambda game: game["waits"][3] ^ 4, 3), always),
    ("n_open", put("n_open", 3, 0), always),
    ("indicators", put("kongs", 2), closed),
    ("indicators", put("indicators", 3), closed),
    ("discarded", put("discarded", lambda game: game["discarded"][1] ^ 1, 1), always),
    ("next_draw", put("n_events", lambda game: game["n_events"] - 1), closed),
    ("riichi", put("double_riichi", 1, 0), not_in_riichi),
    ("ippatsu", put("ippatsu", 1, 2), not_in_riichi),
    ("missed", put("missed", 3, 2), not_in_riichi),
    ("interrupted", put("interrupted", 0), called),
    ("pending", put("pending", 3), always),
    ("phase", put("phase", 7), always),
]


@pytest.mark.parametrize(("field", "change", "where"), SPOILT)
def test_what_is_wrong_is_found_and_named(games, field, change, where):
    check(games)
    with pytest.raises(CheckError) as error:
        check(spoil(games, change, where))
    assert error.value.field == field
    assert str(error.value).startswith(f"game 0: {field} ")


def test_wild_bytes_are_found_and_do_no_harm(games):
    """Numbers out of all range are used as an index nowhere."""
    generator = np.random.default_rng(0)
    found = 0
    for _ in range(2000):
        spoilt = games[generator.integers(len(games), size=1)]
        places = generator.integers(GAME.fields["phase"][1], GAME.itemsize, 30)
        spoilt.view(np.uint8)[places] = generator.integers(0, 256, 30)
        try:
            check(spoilt)
        except CheckError:
            found += 1
    assert found > 1900


def legal_bit(action, on=True):
    """Return a change that adds an action to what the seat at turn may do, or takes it away."""

    def change(game):
        word, bit = divmod(action, WORD_BITS)
        legal = game["legal"][int(game["turn"])]
        legal[word] = legal[word] | 1 << bit if on else legal[word] & ~(1 << bit)

    return change


@pytest.mark.parametrize("action", [CLOSED_KONG + 4, PASS, 38, 100, 116, 118])
def test_action_that_should_not_be_legal_is_found(games, action):
    def where(game):
        seat = int(game["turn"])
        return always(game) and game["n_open"][seat] and game["n_river"][seat] and game["hand"].max() < 4

    with pytest.raises(CheckError, match="legal has"):
        check(spoil(games, legal_bit(action), where))


def test_action_that_should_be_legal_is_found(games):
    def where(game):
        return always(game) and game["legal"][int(game["turn"]), 0] >> 4 & 1

    with pytest.raises(CheckError, match="legal has a discard"):
        check(spoil(games, legal_bit(4, on=False), where))


def test_claims_are_tried_with_the_others_passing(games):
    waiting = games[games["phase"] == PHASE_CLAIM]
    assert len(waiting) > 10
    before = waiting.tobytes()
    assert try_actions(waiting) > 2 * len(waiting)
    assert waiting.tobytes() == before


def test_trying_finds_a_table_that_takes_anything(games, monkeypatch):
    monkeypatch.setattr(Tables, "step", lambda tables, actions: None)
    with pytest.raises(CheckError, match="did not keep seat"):
        try_actions(games[games["phase"] == PHASE_TURN][:1])


def test_games_do_not_depend_on_how_they_are_divided():
    whole = check_numbers(0, 12, 5, Rules.tenhou(), "random")
    parts = check_numbers(0, 7, 5, Rules.tenhou(), "random")
    parts += check_numbers(7, 5, 5, Rules.tenhou(), "random")
    assert (whole.games, whole.rounds, whole.decisions) == (parts.games, parts.rounds, parts.decisions)
    assert (whole.games, whole.violations) == (12, 0)


def test_command():
    result = CliRunner().invoke(app, ["check", "--games", "5", "--seed", "3", "--workers", "1", "--json"])
    assert result.exit_code == 0
    numbers = json.loads(result.stdout)
    assert numbers["games"] == 5
    assert numbers["violations"] == 0
    assert {"rounds", "decisions", "records", "actions", "seconds"} < set(numbers)


def test_command_tells_of_violations(monkeypatch):
    def find(records):
        if len(records):
            raise CheckError(0, "wall", "is wrong")

    monkeypatch.setattr("simulator.check.run.check", find)
    monkeypatch.setattr("simulator.check.run.STEPS_OF", 1)
    result = CliRunner().invoke(app, ["check", "--games", "1", "--workers", "1"])
    assert result.exit_code == 1
    assert "game 0: wall is wrong" in result.stderr
    assert "violations" in result.stdout


def test_command_names_the_players_and_rules():
    result = CliRunner().invoke(app, ["check", "--games", "1", "--player", "me"])
    assert result.exit_code == 2
    assert "random" in result.stderr
