"""A seat's view, kept by its mjai events alone, gives what the table itself gives: legal actions and every plane."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from simulator.game import Game
from simulator.logs.mjai_writer import event_view
from simulator.players import player
from simulator.record import CLOSED_KONG, GAME, OPEN_KONG, SEATS, WIN_BY_CLAIM, WIN_BY_DRAW
from simulator.rules import Rules
from simulator.tables import Decisions
from suphx.features.encode import encode_batch, encode_call_batch, is_call
from suphx.mjai.bot.seat import Seat

KONGS = range(CLOSED_KONG, WIN_BY_DRAW)


def chosen(game: Game, seat: int, name: str, seed: int) -> int:
    """Return what a rule-based player does; `bold` makes every kong that it can, and otherwise is sensible."""
    mask = game.mask(seat)
    if name == "bold":
        kongs = [action for action in (OPEN_KONG, *KONGS) if mask[action] and not mask[WIN_BY_CLAIM]]
        if kongs:
            return kongs[0]
        name = "sensible"
    games = np.zeros(1, GAME)
    games[0] = game.record
    actions = np.empty(1, np.int64)
    asked = Decisions(np.zeros(1, np.int32), np.array([seat], np.uint8), games["phase"], mask[None])
    player(name, seed).choose(games, asked, actions)
    return int(actions[0])


def compare(game: Game, seat: int, view: Seat) -> None:
    """Hold the view of a seat that is asked against the table."""
    assert view.asked
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


def play(seed: int, players: Sequence[str], rules: Rules, seen: Counter[str]) -> None:
    """Play a game, and hold all four views against the table at every decision; count in `seen` what happened."""
    game = Game(rules, seed)
    views = [Seat(rules) for _ in range(SEATS)]
    told = 0
    before = ""
    while not game.over:
        for event in game.events[told:]:
            kind = event["type"]
            seen[kind] += 1
            seen[event.get("reason", "")] += 1
            seen["robbed kong"] += kind == "hora" and before == "kakan"
            before = kind
            for seat, view in enumerate(views):
                assert view.take(event_view(event, seat))
        told = len(game.events)
        for seat in game.asked:
            seen["decisions"] += 1
            compare(game, seat, views[seat])
        game.step({seat: chosen(game, seat, players[seat], seed) for seat in game.asked})


PLAYERS = ("sensible", "bold", "random", "sensible", "bold")


@pytest.mark.parametrize("rules", [Rules.tenhou(), Rules.mahjong_soul(), Rules.m_league(), Rules(red_fives=False)])
def test_the_view_of_each_seat_is_that_of_the_table(rules: Rules) -> None:
    seen: Counter[str] = Counter()
    for seed in range(2):
        play(seed, PLAYERS[seed : seed + SEATS], rules, seen)
    assert seen["decisions"] > 500


@pytest.mark.full
def test_the_view_of_each_seat_is_that_of_the_table_in_hundreds_of_games() -> None:
    seen: Counter[str] = Counter()
    for seed in range(100, 400):
        play(seed, [PLAYERS[(seed + seat * (1 + seed % 3)) % len(PLAYERS)] for seat in range(SEATS)], Rules(), seen)
    for rare in ("ankan", "kakan", "daiminkan", "robbed kong", "reach_accepted", "exhaustive_draw", "kyushu_kyuhai",
                 "suukansansen", "sufuurenta"):  # fmt: skip
        assert seen[rare], f"no {rare} in {seen}"
    print(dict(seen))
