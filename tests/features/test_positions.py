"""The positions of a logged round; rounds that no table can have played are refused where they go wrong."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from simulator.logs.generate import generate_games
from simulator.logs.model import LogError, RoundLog
from simulator.record import (
    EVENT_DISCARD,
    EVENT_DORA,
    EVENT_DRAW,
    EVENT_PONG,
    EVENT_RIICHI_ACCEPTED,
    EVENT_WIN,
    NO_TILE,
    PHASE_TURN,
)
from simulator.rules import Rules
from suphx.features.positions import RoundStep, positions_of_round, start_round, steps_of_round

RULES = Rules.tenhou()


@cache
def rounds() -> list[RoundLog]:
    return [round_log for game in generate_games(4, rules=RULES, seed=3) for round_log in game.rounds]


def moments(event_type: int) -> Iterator[tuple[RoundLog, int, RoundStep]]:
    """Yield (copy of a round, index of an event of that type, the moment before it)."""
    for round_log in rounds():
        for step in steps_of_round(RULES, round_log):
            if step.event < len(round_log.events) and round_log.events["type"][step.event] == event_type:
                yield copy.deepcopy(round_log), step.event, step


def refused(round_log: RoundLog, event: int) -> None:
    with pytest.raises(LogError, match=f"^event {event} cannot be replayed; `suphx logs verify` tells more"):
        list(positions_of_round(RULES, round_log))


def test_a_round_that_fits_is_replayed_to_its_end() -> None:
    for round_log in rounds():
        *steps, end = steps_of_round(RULES, round_log)
        assert all(step.answers for step in steps) and not end.answers
        assert len(list(positions_of_round(RULES, round_log))) > 10


def cut_after(round_log: RoundLog, n_events: int) -> RoundLog:
    """Return a round as a log states it that ends after its first events."""
    events = round_log.events[:n_events]
    return dataclasses.replace(round_log, events=events, wins=[], draw_type=None, tenpai=None, shown=None, deltas=None)


def test_a_log_that_ends_within_a_round_shows_what_it_states_and_no_more() -> None:
    for round_log in rounds()[:3]:
        whole = [(each.answers, each.event) for each in steps_of_round(RULES, round_log)]
        kinds = round_log.events["type"]
        for n in range(np.flatnonzero(kinds >= EVENT_WIN)[0] + 1):
            *steps, end = steps_of_round(RULES, cut_after(round_log, n))
            assert [(each.answers, each.event) for each in steps] == whole[: len(steps)] and not end.answers
            game = end.games[0]
            told = game["events"][: game["n_events"]] & 15
            beside = [EVENT_DORA, EVENT_RIICHI_ACCEPTED]  # the table knows of them before the log says so
            assert told[~np.isin(told, beside)].tolist() == kinds[:n][~np.isin(kinds[:n], beside)].tolist()
            assert game["indicators"] == 1 + (kinds[:n] == EVENT_DORA).sum()
            drawn = round_log.events["tile"][:n][kinds[:n] == EVENT_DRAW]
            assert game["drawn"] in [NO_TILE, *drawn[-1:]] and (game["phase"] != PHASE_TURN or game["drawn"] != NO_TILE)
            assert game["hand"].sum() + 3 * game["n_melds"].sum() in (52, 53)


@pytest.mark.faults
def test_tiles_that_make_no_wall() -> None:
    round_log = copy.deepcopy(rounds()[0])
    draws = np.flatnonzero(round_log.events["type"] == EVENT_DRAW)
    round_log.events["tile"][draws[5]] = round_log.events["tile"][draws[2]]
    with pytest.raises(LogError, match=f"event {draws[5]} cannot be replayed"):
        start_round(RULES, round_log)
    round_log.hands[1][0] = round_log.hands[2][0]
    with pytest.raises(LogError, match="the deal cannot be replayed"):
        start_round(RULES, round_log)


@pytest.mark.faults
def test_a_draw_of_another_seat() -> None:
    round_log = copy.deepcopy(rounds()[0])
    draws = np.flatnonzero(round_log.events["type"] == EVENT_DRAW)
    round_log.events["seat"][draws[1]] ^= 2
    refused(round_log, draws[1])


@pytest.mark.faults
def test_a_round_that_is_cut_off() -> None:
    round_log = copy.deepcopy(rounds()[0])
    draws = np.flatnonzero(round_log.events["type"] == EVENT_DRAW)
    round_log.events = round_log.events[: draws[3]]
    refused(round_log, draws[3])


@pytest.mark.faults
def test_a_discard_of_a_copy_that_is_not_held() -> None:
    for round_log, event, step in moments(EVENT_DISCARD):
        seat, tile = int(round_log.events["seat"][event]), int(round_log.events["tile"][event])
        if tile >> 2 in (4, 13, 22) or tile == step.games["drawn"][0]:
            continue
        copies = int(step.games["copies"][0, seat, tile >> 2])
        round_log.events["tile"][event] = tile & ~3 | next(each for each in range(4) if not copies >> each & 1)
        refused(round_log, event)
        return
    raise AssertionError("no discard from a hand; take another seed")


@pytest.mark.faults
def test_a_pong_with_a_copy_that_is_not_held() -> None:
    for round_log, event, step in moments(EVENT_PONG):
        row = round_log.events[event]
        seat, kind = int(row["seat"]), int(row["tile"]) >> 2
        left = 15 ^ int(step.games["copies"][0, seat, kind]) ^ 1 << (int(row["tile"]) & 3)
        if kind in (4, 13, 22) or not left:
            continue
        round_log.events["consumed"][event][0] = 4 * kind + left.bit_length() - 1
        refused(round_log, event)
        return
    raise AssertionError("no pong; take another seed")
