"""Microseconds a look-ahead, one core, over the discards of real games and of games by `sensible`."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from simulator.engine import advance, answer
from simulator.jit import jit
from simulator.logs.archives import open_logs
from simulator.logs.formats import read_log
from simulator.logs.model import LogError, RoundLog
from simulator.logs.replay import next_answer, wall_of_log
from simulator.lookup import get_lookup
from simulator.players.sensible import choose_sensible
from simulator.record import (
    EVENT_DORA,
    EVENT_RIICHI_ACCEPTED,
    GAME,
    NO_ACTION,
    NO_TILE,
    PASS,
    PHASE_CALL_DISCARD,
    PHASE_ROUND_OVER,
    PHASE_TURN,
    SEATS,
)
from simulator.rounds import deal, start_game
from simulator.rules import Rules
from simulator.shanten import shanten
from simulator.tables import Tables
from suphx.features.lookahead import PLANES
from suphx.features.lookahead_view import VIEW, look_ahead, see

_MOST_IN_ROUND = 128
_PASSES = 3


@jit
def _skip_shown(events, at):
    """Return the next event that is not an indicator or an accepted riichi."""
    while at < len(events) and (events[at]["type"] == EVENT_DORA or events[at]["type"] == EVENT_RIICHI_ACCEPTED):
        at += 1
    return at


@jit
def _views_of_round(lookup, game, events, views):
    """Play a round that verifies, and write what each seat sees where it chooses a discard; return how many."""
    deal(lookup, game)
    advance(lookup, game, False, NO_TILE, NO_TILE)
    hints = np.empty(2, np.uint8)
    at, n = 0, 0
    while game["phase"] < PHASE_ROUND_OVER:
        at = _skip_shown(events, at)
        if game["phase"] == PHASE_TURN:
            at = _skip_shown(events, at + 1)
        after, hint_1, hint_2 = at, NO_TILE, NO_TILE
        for seat in range(SEATS):
            if not game["pending"] >> seat & 1:
                continue
            discards = game["phase"] == PHASE_TURN or game["phase"] == PHASE_CALL_DISCARD
            if discards and game["riichi"][seat] == 0 and n < len(views):
                see(game, seat, views[n])
                n += 1
            action = next_answer(game, events, at, seat, hints)
            if action == NO_ACTION:
                return n
            hint_1 = np.int64(hints[0]) if hints[0] != NO_TILE else hint_1
            hint_2 = np.int64(hints[1]) if hints[1] != NO_TILE else hint_2
            after = at + 1 if action != PASS else after
            answer(game, seat, action)
        advance(lookup, game, False, hint_1, hint_2)
        at = after
    return n


def _views_of_log(rules: Rules, round_log: RoundLog) -> np.ndarray:
    game = np.zeros(1, GAME)[0]
    game["rules"] = rules.to_record()
    start_game(game)
    for name in ("scores", "round", "repeat_counter", "bets", "dealer"):
        game[name] = getattr(round_log, name)
    hands, nothing = np.array(round_log.hands, np.uint8), np.zeros(0, np.uint8)
    wall_of_log(hands, round_log.dealer, round_log.events, round_log.indicator, nothing, game["wall"])
    game["wall_given"] = 1
    views = np.zeros(_MOST_IN_ROUND, VIEW)
    return views[: _views_of_round(get_lookup(), game, round_log.events, views)]


def views_from_logs(paths: Iterable[str | Path], n: int) -> np.ndarray:
    """Return VIEW[n]: what the seats see at their discards, riichi left out, in the first games of some logs.

    Raises LogError for what cannot be read.
    """
    found: list[np.ndarray] = []
    for name, data in open_logs(paths):
        if isinstance(data, LogError):
            raise data
        for log in read_log(data, name):
            found += [_views_of_log(log.rules, round_log) for round_log in log.rounds]
        if sum(map(len, found)) >= n:
            break
    return np.concatenate(found)[:n]


@jit
def _see_turns(games, index, seats, situations, views):
    n = 0
    for i in range(len(index)):
        game, seat = games[index[i]], np.int64(seats[i])
        discards = situations[i] == PHASE_TURN or situations[i] == PHASE_CALL_DISCARD
        if discards and game["riichi"][seat] == 0:
            see(game, seat, views[n])
            n += 1
    return n


def views_from_play(n: int, seed: int = 1, rules: Rules | None = None) -> np.ndarray:
    """Return VIEW[n]: what the seats see at their discards, riichi left out, in games by `sensible`."""
    tables = Tables(16, rules, seed)
    found: list[np.ndarray] = []
    while sum(map(len, found)) < n:
        asked = tables.decisions()
        views = np.zeros(len(asked), VIEW)
        found.append(views[: _see_turns(tables.games, asked.game, asked.seat, asked.situation, views)])
        actions = np.empty(len(asked), np.int64)
        choose_sensible(get_lookup(), tables.games, asked.game, asked.seat, asked.legal, seed, actions)
        tables.step(actions)
    return np.concatenate(found)[:n]


@jit
def look_ahead_all(lookup, views, rules, out):
    """Write the planes of many views into the rows of `out` u64[n, PLANES]."""
    for n in range(len(views)):
        look_ahead(lookup, views[n], rules, out[n])


def _microseconds(views: np.ndarray, rules: np.ndarray) -> np.ndarray:
    """Return the time of each view alone, the call from Python taken off: the least of several passes over all."""
    lookup, out = get_lookup(), np.zeros((1, PLANES), np.uint64)
    times = np.empty((_PASSES, len(views) + 1))
    empty = []
    for row in times:
        for n in range(len(views) + 1):
            start = time.perf_counter()
            look_ahead_all(lookup, views[n : n + 1], rules, out)
            row[n] = time.perf_counter() - start
        for _ in range(1000):
            start = time.perf_counter()
            look_ahead_all(lookup, views[:0], rules, out)
            empty.append(time.perf_counter() - start)
    return (times.min(axis=0)[:-1] - np.median(empty)) * 1e6


def bench_lookahead(views: np.ndarray, rules: Rules | None = None) -> dict[str, float]:
    """Return microseconds a look-ahead over VIEW[n]: mean of a whole pass, 99th percentile, and means by shanten."""
    rules_record = (rules or Rules.tenhou()).to_record()[()]
    lookup, out = get_lookup(), np.zeros((len(views), PLANES), np.uint64)
    look_ahead_all(lookup, views, rules_record, out)
    passes = []
    for _ in range(_PASSES):
        start = time.perf_counter()
        look_ahead_all(lookup, views, rules_record, out)
        passes.append((time.perf_counter() - start) / len(views) * 1e6)
    each = _microseconds(views, rules_record)
    found = {"mean": min(passes), "p99": float(np.percentile(each, 99)), "most": float(each.max())}
    away = np.array([shanten(lookup, view["hand"], np.int64(view["n_melds"])) for view in views])
    for n in range(-1, 4):
        which = away >= n if n == 3 else away == n
        if which.any():
            found[f"shanten {n}{' or more' * (n == 3)}"] = float(each[which].mean())
            found[f"shanten {n}{' or more' * (n == 3)}, share"] = float(which.mean())
    return found
