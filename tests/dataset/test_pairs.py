"""Pairs are what the flow would have asked: over whole games, its questions and those collected are the same."""

from __future__ import annotations

import dataclasses
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from flow_pairs import Asked, collect, flow_pairs

from simulator.logs.generate import generate_games
from simulator.logs.mjlog import read_mjlog
from simulator.logs.model import Connection, GameLog
from simulator.record import GAME, SEATS
from simulator.rules import Rules
from simulator.tiles import KINDS
from suphx.dataset.pairs import FORCED
from suphx.dataset.prepare import prepare_games
from suphx.dataset.prepared import LeftOut, Prepared
from suphx.networks.models import MODELS, NO, YES

MIXED = ["random", "sensible", "never_calls", "tsumogiri"]


def assert_asked_by_the_flow(logs: list[GameLog]) -> list[Asked]:
    """Compare all pairs, tables and counts of some games with what the flow asks."""
    prepared = prepare_games(logs)
    assert prepared.left_out == LeftOut()
    collected = collect(prepared)
    asked, first = [], 0
    for log in logs:
        asked.append(flow_pairs(log, first))
        first += len(log.rounds)
    assert Counter(collected.pairs) == Counter(pair for each in asked for pair in each.pairs)

    tables = {where: table for each in asked for where, table in each.tables.items()}
    positions = np.fromiter(collected.positions, GAME)
    assert (positions == np.fromiter((tables[pair.round, pair.events] for pair in collected.pairs), GAME)).all()
    assert collected.kept == len(tables), "a table is kept once, however many are asked at it"

    expected = Counter((pair.round, pair.seat, MODELS.index(pair.model)) for pair in collected.pairs)
    for place, n in np.ndenumerate(collected.counts[:, :, :FORCED]):
        assert n == expected[place]
    np.testing.assert_array_equal(collected.counts[:, :, FORCED], np.concatenate([each.forced for each in asked]))
    np.testing.assert_array_equal(prepared.rounds["counts"], collected.counts)
    return asked


@pytest.mark.parametrize("players", [["random"], ["never_calls"], ["sensible"], MIXED], ids="-".join)
def test_pairs_are_the_questions_of_the_flow(players):
    assert_asked_by_the_flow(list(generate_games(2, players, seed=7)))


@pytest.mark.parametrize("preset", ["mahjong_soul", "m_league"])
def test_pairs_by_other_rules_are_the_questions_of_the_flow(preset):
    assert_asked_by_the_flow(list(generate_games(1, MIXED, Rules.preset(preset), seed=7)))


def test_played_games_have_pairs_of_all_kinds_and_hide_some():
    random = [flow_pairs(log) for log in generate_games(4, ["random"], seed=7)]
    sensible = [flow_pairs(log) for log in generate_games(4, ["sensible"], seed=7)]
    answers = Counter((pair.model, pair.answer) for each in random + sensible for pair in each.pairs)
    assert all(answers[model, answer] for model in MODELS[1:] for answer in (NO, YES))
    assert all(answers["discard", kind] for kind in range(KINDS))
    hidden = sum((Counter(each.hidden) for each in random + sensible), Counter())
    assert hidden["chow"] > hidden["pong"] > 0
    assert sum(each.by_rule for each in random) > 0, "a random player lets wins go"
    assert sum(each.forced.sum() for each in sensible) > 0


def test_seats_that_come_and_go_are_asked_while_they_are_there():
    (log,) = generate_games(1, ["random"], seed=3)
    rng = np.random.default_rng(1)
    for number, this in enumerate(log.rounds):
        for event in np.sort(rng.integers(0, len(this.events) + 1, 6)).tolist():
            log.connections.append(Connection(number, event, int(rng.integers(SEATS)), bool(rng.integers(2))))
    (left,) = assert_asked_by_the_flow([log])
    stayed = flow_pairs(dataclasses.replace(log, connections=[]))
    assert 0.2 < len(left.pairs) / len(stayed.pairs) < 0.8


@pytest.fixture
def archives(real_logs: Path) -> list[Path]:
    found = sorted(real_logs.glob("*.zip"))
    if not found:
        pytest.skip(f"no real games: {real_logs} has no zip archive")
    return found


def games_of(archive: Path, n: int) -> list[GameLog]:
    """Return n games from all over an archive."""
    with zipfile.ZipFile(archive) as opened:
        members = sorted(opened.namelist())
        return [read_mjlog(opened.read(name), name) for name in members[:: max(1, len(members) // n)][:n]]


def test_pairs_of_real_games_are_the_questions_of_the_flow(archives):
    for archive in archives:
        assert_asked_by_the_flow(games_of(archive, 2))


@pytest.mark.full
def test_pairs_of_many_real_games_are_the_questions_of_the_flow(archives):
    away = 0
    for archive in archives:
        for log in games_of(archive, 200):
            assert_asked_by_the_flow([log])
            away += any(not each.present for each in log.connections)
    assert away > 0


# Choosing among them.


@pytest.fixture(scope="module")
def prepared() -> Prepared:
    return prepare_games(list(generate_games(2, ["random"], seed=5)))


@pytest.mark.parametrize("model", range(len(MODELS)), ids=MODELS)
def test_the_pairs_of_one_model_are_those_among_all(prepared, model):
    everything, one = collect(prepared), collect(prepared, wanted=1 << model)
    assert one.pairs == [pair for pair in everything.pairs if pair.model == MODELS[model]] != []
    assert one.kept == len({(pair.round, pair.events) for pair in one.pairs}), "only tables with a wanted pair are kept"
    np.testing.assert_array_equal(one.counts, everything.counts)  # counted whether kept or not


def test_the_pairs_of_some_seats_are_those_among_all(prepared):
    everything = collect(prepared)
    for seats in (0b0001, 0b1010, 0b0000):
        some = collect(prepared, seats=seats)
        assert some.pairs == [pair for pair in everything.pairs if seats >> pair.seat & 1]
        assert some.kept == len({(pair.round, pair.events) for pair in some.pairs})
        of_seats = np.array([seats >> seat & 1 for seat in range(SEATS)])
        np.testing.assert_array_equal(some.counts, everything.counts * of_seats[:, None])


def test_rounds_are_collected_in_the_order_they_are_named(prepared):
    everything = collect(prepared)
    some = collect(prepared, which=np.array([4, 1, 4]))
    by_round = [[pair for pair in everything.pairs if pair.round == number] for number in (4, 1, 4)]
    assert some.pairs == [pair for pairs in by_round for pair in pairs]


def test_no_pairs_are_counted_where_no_model_is_wanted(prepared):
    none = collect(prepared, wanted=0)
    assert none.pairs == [] and none.kept == 0
    np.testing.assert_array_equal(none.counts, prepared.rounds["counts"])
