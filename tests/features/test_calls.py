"""A proposed call: its planes are those of the table once it has been made."""

from __future__ import annotations

import numpy as np
import pytest
from played import Planes, played, see, see_call

from simulator.asking import answer
from simulator.engine import advance
from simulator.game import Game
from simulator.legal import is_legal
from simulator.lookup import get_lookup
from simulator.record import (
    ACTIONS,
    ADDED_KONG,
    CHOW_LOW,
    CHOW_LOW_RED,
    CLOSED_KONG,
    DISCARD_DRAWN,
    GAME,
    NO_TILE,
    OPEN_KONG,
    PASS,
    PHASE_CALL_DISCARD,
    PHASE_CLAIM,
    PONG,
    SEATS,
)
from suphx.features.encode import encode_batch, encode_call_batch, is_call
from suphx.features.layout import start


def called(games: np.ndarray, seats: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return (index, seat, action) of every chow or pong that could be made, and the tables once it has been."""
    found, after = [], []
    for n, seat in enumerate(seats.tolist()):
        for action in range(CHOW_LOW, OPEN_KONG):
            if not is_legal(games[n], seat, action):
                continue
            table = np.zeros(1, GAME)
            table[0] = games[n]
            game = table[0]
            for other in range(SEATS):
                if game["pending"] >> other & 1:
                    answer(game, other, action if other == seat else PASS)
            advance(get_lookup(), game, False, NO_TILE, NO_TILE)
            if game["phase"] == PHASE_CALL_DISCARD:
                found.append((n, seat, action))
                after.append(table)
    index, seat, action = np.array(found, np.int64).T
    return index, seat, action, np.concatenate(after)


def test_a_proposed_chow_or_pong_is_as_the_table_after_it() -> None:
    games, seats = played(600)
    index, seat, action, after = called(games, seats)
    assert len(index) > 30
    proposed = encode_call_batch(games, index, seat, action)
    made = encode_batch(after, np.arange(len(after)), seat)
    first = start("lookahead.points")
    pairs = {
        "after.count": "hand.count", "after.red": "hand.red", "after.keep": "efficiency.keep",
        "after.accepted": "efficiency.accepted", "after.forbidden": "legal.forbidden",
    }  # fmt: skip
    for n in range(len(index)):
        one, other = Planes(proposed[n]), Planes(made[n])
        for ours, theirs in pairs.items():
            assert one[ours] == other[theirs], (ours, n)
        assert one["after.best"][0] == other["efficiency.best"][0]
        assert one["after.best_accepted"][0] == other["efficiency.best_accepted"][0]
        assert one.flags("after.shanten") == other.flags("efficiency.shanten")[: len(one.flags("after.shanten"))]
        assert one.flags("call.open") == other.flags("melds.open")[:4]
        assert one["call.meld"][0] == [kinds for kinds in other["melds.kinds"][:4] if kinds][-1]
        assert (proposed[n, first : first + 108] == made[n, first : first + 108]).all()


def test_the_position_itself_is_there_unchanged() -> None:
    games, seats = played(600)
    calls = [(n, seats[n], a) for n in range(600) for a in range(ACTIONS) if is_call(a)]
    calls = [call for call in calls if is_legal(games[call[0]], call[1], call[2])]
    index, seat, action = np.array(calls).T
    first = start("lookahead.points")
    proposed = encode_call_batch(games, index, seat, action, with_lookahead=False)
    assert (proposed[:, :first] == encode_batch(games, index, seat, with_lookahead=False)[:, :first]).all()


def claim() -> Game:
    """Seat 1 may chow 2m low, with the red five or without, or pong it; so may seat 2 by a pong."""
    hands = ["2m19p19s1234567z1p", "224m3m13m40p11s123z", "", ""]
    game = Game.from_hands(hands, "9m", "1m", seed=3)
    game.step(1)
    return game


def test_what_is_proposed() -> None:
    planes = see_call(claim(), 1, CHOW_LOW)
    assert planes.flags("call.what") == [True] + [False] * 6
    assert planes["call.tile"] == ["2m"] and planes.flags("call.from") == [False, False, True]
    assert planes["call.used"] == ["34m", "", "", ""] and planes["call.meld"] == ["234m"]
    assert planes["after.forbidden"] == ["25m"]
    assert planes.flags("call.also") == [True, True, False]  # 1m3m is another chow
    assert planes.flags("call.opens") == [True]
    assert planes.reached("value.meld_dora") == 1  # the indicator 1m makes 2m dora
    assert planes.reached("value.han") == 4  # two more 2m and the red five in the hand
    assert planes["yaku.runs"] == ["2m"] and planes.flags("yaku.simples") == [True]
    assert planes.flags("yaku.flush") == [True, False, False]
    pong = see_call(claim(), 1, PONG)
    assert pong.flags("call.what")[3] and pong["call.used"] == ["2m", "2m", "", ""]
    assert pong["after.forbidden"] == ["2m"] and pong.flags("yaku.triplets") == [True]
    assert pong.reached("value.meld_dora") == 3


def test_a_red_five_kept_back() -> None:
    game = Game.from_hands(["3m19p19s1234567z1p", "4550m19p19s12345z", "", ""], "9m", "1m", seed=3)
    game.step(2)
    plain, red = see_call(game, 1, CHOW_LOW), see_call(game, 1, CHOW_LOW_RED)
    assert plain.flags("call.spare_red") == [True] and red.flags("call.spare_red") == [False]
    assert plain["after.red"] == ["5m"] and red["after.red"] == [""]
    assert red["call.used_red"] == ["5m"] and plain["call.used_red"] == [""]
    assert plain.reached("value.han") == red.reached("value.han") == 1


def test_kongs() -> None:
    game = Game.from_hands(["1111m234p567s9s12z", "", "", ""], "3z", "4s", seed=5)
    closed = see_call(game, 0, CLOSED_KONG)
    assert closed.flags("call.what")[5] and closed["call.used"] == ["1m"] * 4
    assert closed.flags("call.opens") == [False] and not any(closed.flags("call.open"))
    assert closed["after.count"][0] == "234p5679s123z"
    assert see(game, 0)["legal.closed_kong"] == ["1m"]
    game = Game.from_hands(["1m19p19s1234567z1p", "0m555p19s12345z19p", "11m1m19p19s12345z", ""], "9m", "1s", seed=3)
    game.step(0)
    planes = see_call(game, 2, OPEN_KONG)
    assert planes.flags("call.what")[4] and planes["call.used"] == ["1m", "1m", "1m", ""]
    assert planes.flags("call.from") == [False, True, False]
    game.step({seat: PONG if seat == 2 else PASS for seat in game.seats_to_act})
    game.step(9 + 0)  # seat 2 keeps the last 1m and discards 1p
    while not (game.record["turn"] == 2 and is_legal(game.record, 2, ADDED_KONG)):
        claims = game.record["phase"] == PHASE_CLAIM
        game.step(dict.fromkeys(game.seats_to_act, PASS if claims else DISCARD_DRAWN))
    planes = see_call(game, 2, ADDED_KONG)
    assert planes.flags("call.what")[6] and planes["call.used"] == ["1m", "", "", ""]
    assert not any(planes.flags("call.from")) and planes.reached("call.open") == 1


@pytest.mark.faults
def test_a_call_that_may_not_be_made_is_refused() -> None:
    records = np.zeros(1, GAME)
    records[0] = claim().record
    with pytest.raises(ValueError, match="open kong"):
        encode_call_batch(records, [0], [1], [OPEN_KONG])
    with pytest.raises(ValueError, match="each position needs an action"):
        encode_call_batch(records, [0], [1], [CHOW_LOW, PONG])
