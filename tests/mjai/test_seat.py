"""A seat's view, kept by its mjai events alone, gives what the table itself gives: legal actions and every plane."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from simulator.game import Game
from simulator.logs.mjai_words import Event
from simulator.logs.mjai_writer import player_view
from simulator.players import player
from simulator.record import CLOSED_KONG, GAME, OPEN_KONG, RON, SEATS, TSUMO
from simulator.rules import Rules
from simulator.tables import Decisions
from suphx.features.encode import encode_batch, encode_call_batch, is_call
from suphx.mjai.bot.seat import Seat

KONGS = range(CLOSED_KONG, TSUMO)


def chosen(game: Game, seat: int, name: str, seed: int) -> int:
    """Return what a rule-based player does; `bold` makes every kong that it can, and otherwise is sensible."""
    mask = game.mask(seat)
    if name == "bold":
        kongs = [action for action in (OPEN_KONG, *KONGS) if mask[action] and not mask[RON]]
        if kongs:
            return kongs[0]
        name = "sensible"
    games = np.zeros(1, GAME)
    games[0] = game.record
    actions = np.empty(1, np.int64)
    decisions = Decisions(np.zeros(1, np.int32), np.array([seat], np.uint8), games["phase"], mask[None])
    player(name, seed).choose(games, decisions, actions)
    return int(actions[0])


def compare(game: Game, seat: int, view: Seat) -> None:
    """Hold the view of a seat that is asked against the table."""
    assert view.must_act
    asked = view.question()
    assert asked.legal[0].tolist() == game.mask(seat).tolist()
    assert [action.mjai for action in view.legal()] == [action.mjai for action in game.observation(seat).actions]
    both = np.zeros(2, GAME)
    both[0], both[1] = game.record, view.record
    planes = encode_batch(both, [0, 1], [seat, seat])
    assert np.flatnonzero(planes[0] != planes[1]).tolist() == []
    for action in np.flatnonzero(asked.legal[0]).tolist():
        if is_call(action):
            planes = encode_call_batch(both, [0, 1], [seat, seat], [action, action])
            assert np.flatnonzero(planes[0] != planes[1]).tolist() == []
    assert both["decisions"][0, seat] == both["decisions"][1, seat]
    assert sorted(view.record["wall"].tolist()) == list(range(136))


def as_written(events: list[Event]) -> list[Event]:
    return events


def indicator_first(events: list[Event]) -> list[Event]:
    """The original: an open kong's indicator is shown before the discard."""
    return moved(events, "dora", before="dahai")


def indicator_last(events: list[Event]) -> list[Event]:
    """A closed kong's indicator is shown after the replacement is drawn."""
    return moved(events, "tsumo", before="dora")


def acceptance_unsaid(events: list[Event]) -> list[Event]:
    return [event for event in events if event["type"] != "reach_accepted"]


def moved(events: list[Event], what: str, before: str) -> list[Event]:
    """Let events of one type go before the one of another type that they follow directly."""
    order = list(events)
    for place in range(1, len(order)):
        if (order[place - 1]["type"], order[place]["type"]) == (before, what):
            order[place - 1], order[place] = order[place], order[place - 1]
    return order


Order = Callable[[list[Event]], list[Event]]


def play(seed: int, players: Sequence[str], rules: Rules, seen: Counter[str], order: Order = as_written) -> None:
    """Play a game, and hold all four views against the table at every decision; count in `seen` what happened."""
    game = Game(rules, seed)
    views = [Seat(rules) for _ in range(SEATS)]
    told = 0
    before = ""
    while not game.over:
        for event in order(game.events[told:]):
            kind = event["type"]
            seen[kind] += 1
            seen[event.get("reason", "")] += 1
            seen["robbed kong"] += kind == "hora" and before == "kakan"
            before = kind
            for seat, view in enumerate(views):
                assert view.take(*player_view([event], seat))
        told = len(game.events)
        for seat in game.seats_to_act:
            seen["decisions"] += 1
            compare(game, seat, views[seat])
        game.step({seat: chosen(game, seat, players[seat], seed) for seat in game.seats_to_act})


PLAYERS = ("sensible", "bold", "random", "sensible", "bold")


@pytest.mark.parametrize("rules", [Rules.tenhou(), Rules.mahjong_soul(), Rules.m_league(), Rules(red_fives=False)])
def test_the_view_of_each_seat_is_that_of_the_table(rules: Rules) -> None:
    seen: Counter[str] = Counter()
    for seed in range(2):
        play(seed, PLAYERS[seed : seed + SEATS], rules, seen)
    assert seen["decisions"] > 500


@pytest.mark.parametrize("order", [indicator_first, indicator_last, acceptance_unsaid])
def test_hosts_may_show_indicators_elsewhere_and_leave_out_that_a_riichi_is_accepted(order: Order) -> None:
    seen: Counter[str] = Counter()
    play(11, ("bold", "bold", "sensible", "bold"), Rules(), seen, order)
    play(12, ("bold", "sensible", "bold", "bold"), Rules(), seen, order)
    assert seen["dora"] > 5 and seen["reach"] > 5


@pytest.mark.full
def test_the_view_of_each_seat_is_that_of_the_table_in_many_games() -> None:
    seen: Counter[str] = Counter()
    for seed in range(100, 220):
        play(seed, [PLAYERS[(seed + seat * (1 + seed % 3)) % len(PLAYERS)] for seat in range(SEATS)], Rules(), seen)
    for rare in ("ankan", "kakan", "daiminkan", "reach_accepted", "exhaustive_draw", "kyushu_kyuhai"):
        assert seen[rare], f"no {rare} in {seen}"
