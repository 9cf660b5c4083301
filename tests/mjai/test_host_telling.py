"""What bots are told: all that their seat sees, in each of the three styles, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hosted import bot, play

from simulator.logs.from_record import game_log
from simulator.logs.mjai_writer import mjai_events, player_view
from simulator.record import ACTIONS, DISCARD_DRAWN, PASS, RON
from simulator.rules import Rules
from suphx.mjai.host.agent import stand_in
from suphx.mjai.host.seat import STYLES, lines

LOGS_ALONE = {"hora": ("hora_tehais", "yakus", "fan", "fu", "hora_points"), "ryukyoku": ("tenpais", "tehais")}
EVENTS = [{"type": "a"}, {"type": "b"}, {"type": "c"}]


def heard(path: Path) -> list[dict]:
    """The events of a bot's lines, one after the other, without the mark of a style."""
    events = []
    for line in path.read_text().splitlines():
        given = json.loads(line)
        events += given if isinstance(given, list) else [given]
    return [{name: value for name, value in event.items() if name != "can_act"} for event in events]


def in_original_order(events: list[dict]) -> list[dict]:
    """The events of a log with the indicators that a discard shows before it."""
    events = list(events)
    for n in range(1, len(events)):
        if events[n]["type"] == "dora" and events[n - 1]["type"] == "dahai":
            events[n - 1], events[n] = events[n], events[n - 1]
    return events


@pytest.mark.parametrize("style", STYLES)
def test_a_seat_hears_its_game_and_nothing_else(style, tmp_path):
    """Held against the log of the game: hands and draws of others are `?` there."""
    agent = bot("listener.py", style, str(tmp_path), "{seat}", style=style)
    games = play(agent, 2)
    assert agent.verdict.faults == {}
    for seat, game in enumerate(games):
        assert game.bots[seat] == 0, "it moves up one seat a game"
        log = game_log(game.rounds, Rules.tenhou_east(), game.names)
        told = heard(tmp_path / f"{seat}.jsonl")
        seen = player_view(in_original_order(mjai_events(log)), seat)
        assert _with_sorted_hands(told) == _with_sorted_hands([_as_played(event) for event in seen])


def _as_played(event: dict) -> dict:
    """An event of a log without what only a log says of a round's end: how its hands are scored, and who shows one."""
    only = LOGS_ALONE.get(event["type"], ())
    return {name: value for name, value in event.items() if name not in only}


def _with_sorted_hands(events: list[dict]) -> list[dict]:
    for event in events:
        if event["type"] == "start_kyoku":
            event["tehais"] = [sorted(hand) for hand in event["tehais"]]
    return events


def test_arrays_are_one_line_with_one_reply():
    assert lines("array", EVENTS, may_act=True) == [(b'[{"type":"a"},{"type":"b"},{"type":"c"}]\n', 2)]


def test_every_line_has_a_reply():
    told = [(b'{"type":"a"}\n', 0), (b'{"type":"b"}\n', 1), (b'{"type":"c"}\n', 2)]
    assert lines("every", EVENTS, may_act=False) == told


@pytest.mark.parametrize("asked", [True, False])
def test_only_who_may_act_replies(asked):
    told = lines("acting", EVENTS, asked)
    assert [json.loads(line)["can_act"] for line, _ in told] == [False, False, asked]
    assert [reply for _, reply in told] == [None, None, 2 if asked else None]


@pytest.mark.parametrize("style", STYLES)
def test_nothing_new_is_no_line(style):
    assert lines(style, [], may_act=False) == []


@pytest.mark.parametrize(
    ("legal", "played"),
    [((RON, PASS), PASS), ((3, 7, DISCARD_DRAWN), DISCARD_DRAWN), ((3, 7), 3)],
)
def test_the_rule_for_faults(legal, played):
    mask = np.zeros(ACTIONS, np.bool_)
    mask[list(legal)] = True
    assert stand_in(mask) == played
