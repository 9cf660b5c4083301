"""A person's game without a server: what the seat sees, what is answered for it, the clock, and what is kept."""

from __future__ import annotations

import dataclasses
import threading

import numpy as np
import pytest
from fastapi import HTTPException
from played_games import OWN_WAIT, PLAIN, WHOLE, walls

import suphx.web.games
from simulator.actions import legal_mask
from simulator.record import PASS, PHASE_GAME_OVER, STOP
from simulator.redeal.hidden import redeal_hidden
from simulator.rules import Rules
from simulator.tables import Tables
from suphx.web import game_routes
from suphx.web.agents import Players
from suphx.web.game_status import SHOWING, GameStatus, Options, TimeControl, TurnClock
from suphx.web.games import IDLE_PLAYED, GameStore, NoGame, new_id
from suphx.web.host import Host, LiveTable
from suphx.web.seat_view import position_of, question_of
from suphx.web.shelf import Shelf


def host_of(
    agents: list[str] = PLAIN, seed: int = WHOLE, seat: int = 0, rules: Rules | None = None
) -> tuple[Host, list]:
    """Return a game and the list of the positions that it will tell."""
    told: list = []
    rules = rules or Rules.tenhou()
    players = Players("sl")
    return game_routes.host_of(players, agents, rules, seed, seat, lambda _, each: told.append(each), walls), told


def play_through(host: Host, rng: np.random.Generator, rounds: int = 99) -> None:
    """Answer at random, calls and kongs first, through so many rounds."""
    host.begin()
    while host.question and len(host.rounds) < rounds:
        actions = [choice.action for choice in host.question.choices]
        calls = [action for action in actions if 38 <= action < 118]
        host.answer(host.question.number, int(rng.choice(calls or actions)))


# What the seat sees.


def test_nothing_that_is_told_or_asked_depends_on_a_hidden_tile(monkeypatch):
    host, told = host_of(["sensible", "random", "never_folds"], seed=4, seat=2)
    rng = np.random.default_rng(5)
    compared = []

    def step(table, actions, real=LiveTable.step):
        game, seat = table.game, 2
        other = table.games.copy()
        redeal_hidden(other, seat, int(rng.integers(1 << 62)))
        assert not np.array_equal(other["wall"], table.games["wall"])
        mine, theirs = (
            (position_of(each, seat, 1, [], None, None), question_of(each, seat, legal_mask(each, seat), 1))
            for each in (game, other[0])
        )
        assert mine == theirs
        compared.append(int(game["phase"]))
        real(table, actions)

    monkeypatch.setattr(LiveTable, "step", step)
    play_through(host, rng, rounds=3)
    assert len(compared) > 150 and len(told) > 100


def test_what_others_may_claim_is_not_told():
    """A position is told where everybody sees that somebody is to act, or where this seat is asked."""
    host, told = host_of(["random"] * 3, seed=6)
    play_through(host, np.random.default_rng(1), rounds=2)
    claims = [each for each in told if each.frame["phase"] in ("claim", "kong claim")]
    assert claims and all(each.question is not None for each in claims)


def test_the_moves_of_a_round_add_up_to_its_log():
    host, told = host_of(["sensible"] * 3, seed=8)
    play_through(host, np.random.default_rng(2), rounds=1)
    moves = [move for each in told for move in each.moves]
    (log,) = host.log().rounds
    discards = sum(words.startswith("discard") for _, words in moves)
    assert discards == int((log.events["type"] == 2).sum()) > 10
    assert [each.number for each in told] == list(range(1, len(told) + 1))


def test_walls_are_those_of_watched_games_with_the_same_seed():
    ours, theirs = LiveTable(Rules.tenhou(), 11), LiveTable(Rules.tenhou(), 12)
    ours.deal()
    theirs.deal()
    assert np.array_equal(ours.game["wall"], Tables(1, Rules.tenhou(), 11).games[0]["wall"])
    assert not np.array_equal(ours.game["wall"], theirs.game["wall"])


# What is asked and answered.


def test_the_dealer_is_asked_whether_to_stop_where_the_rules_ask():
    rules = dataclasses.replace(Rules.tenhou(), length="east", dealer_stop="choice", target_points=0)
    host, told = host_of(seed=OWN_WAIT, rules=rules)
    table = host._table
    table.game["round"], table.game["dealer"] = 3, 0  # the last round, dealt by the person
    host.begin()
    win = next(choice.action for choice in host.question.choices if choice.type == "tsumo")
    host.answer(host.question.number, win)
    assert host.question.situation == "stop" and told[-1].result.how == "tsumo"
    assert [choice.type for choice in host.question.choices] == ["pass", "stop"]
    host.answer(host.question.number, STOP)
    assert host.question is None and table.game["phase"] == PHASE_GAME_OVER and len(host.rounds) == 1


def test_an_answer_must_fit_the_question():
    host, _ = host_of()
    host.begin()
    with pytest.raises(HTTPException, match=r"409: question .* is not pending"):
        host.answer(host.question.number + 1, 0)
    with pytest.raises(HTTPException, match="422: action 33 is not one"):
        host.answer(host.question.number, 33)


def test_what_is_done_for_an_absent_person_is_the_drawn_tile_a_pass_or_the_last_tile():
    host, _ = host_of()
    host.begin()
    assert host.default() == 37
    host.answer(host.question.number, host.default())
    assert host.question.situation == "claim" and host.default() == 119
    pong = host.question.choices[0]
    assert pong.type == "pong"
    host.answer(host.question.number, pong.action)
    last = max(choice.action for choice in host.question.choices)
    assert host.question.situation == "call discard" and host.default() == last == 24  # 7s


def test_options_answer_what_is_asked_already():
    host, _ = host_of()
    host.begin()
    host.options = Options(no_calls=True)
    assert host.automatic(host.question) is None
    host.options = Options()
    host.answer(host.question.number, host.default())
    assert host.question.situation == "claim" and host.automatic(host.question) is None
    host.options = Options(no_calls=True)
    assert host.automatic(host.question) == PASS


def test_a_whole_game_of_drawn_tiles_ends():
    host, _ = host_of(["sensible"] * 3, seed=3, seat=1)
    host.options = Options(no_calls=True, win_at_once=True, discard_drawn=True)
    host.begin()
    while host.question:
        assert host.question.situation == "round over" or len(host.question.choices) > 1
        host.answer(host.question.number, host.default())
    assert sorted(host.standing["ranks"]) == [0, 1, 2, 3]


# The clock.


class Watch:
    """Seconds, turned by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_reserve_is_used_after_the_time_of_the_decision_and_lasts_for_the_round():
    watch = Watch()
    clock = TurnClock(TimeControl(decision=5, reserve=20), watch)
    clock.watch(True)
    clock.ask(1, 0)
    watch.now += 4
    assert (clock.left().decision, clock.left().reserve) == (1, 20)
    watch.now += 7
    assert (clock.left().decision, clock.left().reserve) == (0, 14)
    clock.ask(2, 0)
    assert (clock.left().decision, clock.left().reserve) == (5, 14)
    watch.now += 5
    clock.new_round()
    assert clock.left() is None
    clock.ask(3, 0)
    assert (clock.left().decision, clock.left().reserve) == (5, 20)


def test_time_is_counted_only_while_somebody_looks_and_what_is_shown_before_is_not():
    watch = Watch()
    clock = TurnClock(TimeControl(decision=5, reserve=0), watch)
    clock.ask(1, 3)
    watch.now += 100
    assert clock.left().decision == 5 + 3 * SHOWING and not clock.left().running
    clock.watch(True)
    watch.now += 2
    clock.watch(False)
    watch.now += 100
    assert clock.left().decision == pytest.approx(3 + 3 * SHOWING)


def test_a_question_that_is_still_asked_is_gone_on_with():
    watch = Watch()
    clock = TurnClock(TimeControl(decision=5, reserve=0), watch)
    clock.watch(True)
    clock.ask(1, 0)
    watch.now += 3
    clock.hold()
    watch.now += 3
    clock.ask(1, 0)
    assert clock.left().decision == 2


# What is kept.


def begin(hosts: GameStore, before=lambda: None) -> str:
    status = GameStatus(id=new_id(), kind="played", source="test", seat=0, agents=PLAIN, seed=3, length="east")

    def sit_down(tell):
        before()
        return game_routes.host_of(Players("sl"), PLAIN, Rules.tenhou_east(), 3, 0, tell)

    return hosts.start(status, sit_down).id


def start(hosts: GameStore, before=lambda: None) -> str:
    game = begin(hosts, before)
    finish(hosts)
    return game


def finish(hosts: GameStore) -> None:
    """Wait until everything that is asked for is done: there is one thread."""
    hosts.pool.submit(int).result()


def to_the_end(hosts: GameStore, game: str) -> None:
    hosts.choose_options(game, Options(no_calls=True, win_at_once=True, discard_drawn=True))
    finish(hosts)
    while hosts.status(game).state == "playing":
        host = hosts._find(game).play
        hosts.answer(game, host.question.number, host.default())
        finish(hosts)


def test_games_that_are_over_make_room_the_one_asked_for_longest_ago_first(monkeypatch):
    monkeypatch.setattr(suphx.web.games, "KEPT", 3)
    monkeypatch.setattr(suphx.web.games, "PLAYING", 2)
    hosts = GameStore(Shelf(), "live")
    games = []
    for _ in range(3):
        games.append(start(hosts))
        to_the_end(hosts, games[-1])
    hosts.status(games[0])
    games.append(start(hosts))
    assert len(hosts.all()) == 3
    hosts.status(games[0])
    with pytest.raises(NoGame):
        hosts.status(games[1])
    assert hosts.log(games[0]).names[0] == "You" and hosts.log(games[-1]) is None
    hosts.close()


def test_a_game_is_kept_for_a_day_after_it_was_last_asked_for():
    watch = Watch()
    hosts = GameStore(Shelf(), "live", IDLE_PLAYED, watch)
    asked, idle = start(hosts), start(hosts)
    watch.now += IDLE_PLAYED
    assert hosts.status(asked).state == "playing"
    watch.now += 1
    assert [each.id for each in hosts.all()] == [asked]
    for request in (lambda: hosts.update(idle, -1), lambda: hosts.answer(idle, 1, 0)):
        with pytest.raises(NoGame):
            request()
    hosts.close()


@pytest.mark.faults
def test_a_fault_of_the_program_stops_one_game_and_is_told_without_its_inside(caplog):
    hosts = GameStore(Shelf(), "live")
    broken, good = start(hosts, lambda: 1 // 0), start(hosts)
    status = hosts.status(broken)
    assert status.state == "failed" and "because of a bug" in status.message and "division" not in status.message
    assert "ZeroDivisionError" in caplog.text
    with pytest.raises(HTTPException, match=r"409: .*over"):
        hosts.answer(broken, 1, 0)
    assert hosts.status(good).state == "playing"
    hosts.close()


def test_while_the_agents_play_nothing_can_be_answered():
    hosts, held = GameStore(Shelf(), "live"), threading.Event()
    game = start(hosts)
    question = hosts._find(game).play.question
    hosts.pool.submit(held.wait)
    hosts.answer(game, question.number, 37)
    with pytest.raises(HTTPException, match=r"409: .*agents are playing"):
        hosts.answer(game, question.number, 37)
    hosts.choose_options(game, Options(no_calls=True))  # is heard when they have played
    held.set()
    finish(hosts)
    host = hosts._find(game).play
    assert host.question.number > question.number and host.options.no_calls
    hosts.answer(game, host.question.number, host.default())
    hosts.close()


def test_options_may_be_chosen_while_the_agents_are_still_loaded():
    hosts, held = GameStore(Shelf(), "live"), threading.Event()
    hosts.pool.submit(held.wait)
    game = begin(hosts)
    hosts.choose_options(game, Options(discard_drawn=True))
    held.set()
    finish(hosts)
    assert hosts._find(game).play.options.discard_drawn
    hosts.close()
