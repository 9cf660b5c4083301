"""A logged round as training pairs: every question that the decision flow would have asked, with the seat's answer.

The flow (`suphx.agent.flow`) asks no network where its rules decide: a win that the win rule takes, nine terminals that
it aborts for, the dealer's stop. What is left gives pairs, with these exceptions:

- a forced move asks nothing (one kind to discard);
- a kong declared before riichi or the discard hides the answer to those, and a riichi is no discard;
- a win by anybody hides what the others would have claimed, a pong or kong of another seat hides a chow.
  (A pong is not hidden by another's chow: it would have come first.)
- a seat that had left the table answered nothing: the server moved for it.

Compiled: a round is replayed once, and only positions with a wanted pair are kept.
"""

from __future__ import annotations

import numpy as np

from simulator.engine import advance, answer
from simulator.jit import jit
from simulator.legal import is_legal
from simulator.logs.replay import next_answer, wall_of_log
from simulator.record import (
    ADDED_KONG,
    CHOW_LOW,
    CLOSED_KONG,
    DECLARE_RIICHI,
    DISCARD_DRAWN,
    DISCARD_RED,
    EVENT_DORA,
    EVENT_NO_WINNER,
    EVENT_OPEN_KONG,
    EVENT_PONG,
    EVENT_RIICHI,
    EVENT_RIICHI_ACCEPTED,
    EVENT_WIN,
    NINE_TERMINALS,
    NO_ACTION,
    NO_TILE,
    OPEN_KONG,
    PASS,
    PHASE_CALL_DISCARD,
    PHASE_CLAIM,
    PHASE_RIICHI_DISCARD,
    PHASE_ROUND_OVER,
    PHASE_TURN,
    PONG,
    SEATS,
    WIN_BY_CLAIM,
    WIN_BY_DRAW,
)
from simulator.rounds import deal, start_game
from simulator.shanten import shanten
from simulator.tiles import KINDS, TILES
from suphx.agent.rules import PLAYABLE_SHANTEN, ends_fourth
from suphx.networks.sizes import MODELS, NO, YES

#: Numbers of the models in pairs and counts.
DISCARD_MODEL, RIICHI_MODEL, CHOW_MODEL, PONG_MODEL, KONG_MODEL = range(len(MODELS))
#: A column beside the models: discards without a choice, which are no pairs.
FORCED = len(MODELS)
COUNTS = FORCED + 1

#: One question and its answer.
PAIR = np.dtype([
    ("position", "u4"),  # which of the kept records it was asked in
    ("option", "i2"),  # the action in question, or NO_ACTION for a discard
    ("seat", "u1"),
    ("answer", "u1"),  # the kind discarded, or NO and YES
    ("model", "u1"),
], align=True)  # fmt: skip


@jit
def _tiles_exist(events):
    """Return whether the tiles of events are tiles: arrays are indexed by them."""
    for e in range(len(events)):
        kind = events[e]["type"]
        without = kind == EVENT_RIICHI or kind == EVENT_RIICHI_ACCEPTED or kind == EVENT_NO_WINNER
        if not without and events[e]["tile"] >= TILES:
            return False
    return True


@jit
def open_round(lookup, rules, row, events, game):
    """Deal a round of prepared logs into `game`, a GAME record of zeros, and run it to its first decision.

    rules: its RULES record; row: its ROUND; what the log does not show of the wall is filled up. Returns whether the
    log's tiles make a wall.
    """
    game["rules"] = rules
    start_game(game)
    for seat in range(SEATS):
        game["scores"][seat] = row["scores"][seat]
    game["round"] = row["round"]
    game["repeat_counter"] = row["repeat_counter"]
    game["bets"] = row["bets"]
    game["dealer"] = row["dealer"]
    if not _tiles_exist(events):
        return False
    no_ura = np.zeros(0, np.uint8)
    problem = wall_of_log(row["hands"], np.int64(row["dealer"]), events, row["indicator"], no_ura, game["wall"])
    if problem != -1:
        return False
    game["wall_given"] = 1
    deal(lookup, game)
    advance(lookup, game, False, NO_TILE, NO_TILE)
    return True


@jit
def _rules_decide(lookup, games, seat, trials):
    """Return whether the flow decides by its rules, for the seat asked in games[0]; `trials` GAME[1] is used up."""
    game = games[0]
    if is_legal(game, seat, WIN_BY_DRAW) or is_legal(game, seat, WIN_BY_CLAIM):
        trials[0] = games[0]
        if not ends_fourth(game, seat, trials[0]):
            return True
    if is_legal(game, seat, NINE_TERMINALS):
        return shanten(lookup, game["hand"][seat], np.int64(game["n_melds"][seat])) > PLAYABLE_SHANTEN
    return False


@jit
def _discarded_kind(game, action):
    """Return the kind that a discard discards, or -1 for another action."""
    if 0 <= action < KINDS:
        return action
    if action == DISCARD_DRAWN:
        return np.int64(game["drawn"]) >> 2
    if DISCARD_RED <= action < DISCARD_DRAWN:
        return 9 * (action - DISCARD_RED) + 4
    return -1


@jit
def _kinds_to_discard(game, seat):
    """Return how many kinds a seat may discard."""
    kinds = 0
    for kind in range(KINDS):
        kinds += (
            is_legal(game, seat, kind)
            or (kind < 27 and kind % 9 == 4 and is_legal(game, seat, DISCARD_RED + kind // 9))
            or (np.int64(game["drawn"]) >> 2 == kind and is_legal(game, seat, DISCARD_DRAWN))
        )
    return kinds


@jit
def _add(pairs, n, model, seat, option, given):
    if n < len(pairs):
        pair = pairs[n]
        pair["model"] = model
        pair["seat"] = seat
        pair["option"] = option
        pair["answer"] = given
    return n + 1


@jit
def _own_turn(game, seat, action, wanted, pairs, n, counts):
    """Add the pairs of a seat that chose `action` in its turn; return how many there are then."""
    if game["phase"] == PHASE_TURN:
        made_kong = CLOSED_KONG <= action < WIN_BY_DRAW
        for option in range(CLOSED_KONG, ADDED_KONG + KINDS):
            if is_legal(game, seat, option):
                counts[seat, KONG_MODEL] += 1
                if wanted >> KONG_MODEL & 1:
                    n = _add(pairs, n, KONG_MODEL, seat, option, YES if option == action else NO)
        if made_kong:
            return n
        if is_legal(game, seat, DECLARE_RIICHI):
            counts[seat, RIICHI_MODEL] += 1
            if wanted >> RIICHI_MODEL & 1:
                given = YES if action == DECLARE_RIICHI else NO
                n = _add(pairs, n, RIICHI_MODEL, seat, DECLARE_RIICHI, given)
    kind = _discarded_kind(game, action)
    if kind >= 0:
        if _kinds_to_discard(game, seat) > 1:
            counts[seat, DISCARD_MODEL] += 1
            if wanted >> DISCARD_MODEL & 1:
                n = _add(pairs, n, DISCARD_MODEL, seat, NO_ACTION, kind)
        else:
            counts[seat, FORCED] += 1
    return n


@jit
def _claims(game, seat, action, events, at, wanted, pairs, n, counts):
    """Add the pairs of a seat that was asked for a claim, which event `at` settles; return how many there are then."""
    made, by = events[at]["type"], np.int64(events[at]["seat"])
    if made == EVENT_WIN:
        return n
    hides_chow = by != seat and (made == EVENT_PONG or made == EVENT_OPEN_KONG)
    for option in range(CHOW_LOW, CLOSED_KONG):
        if not is_legal(game, seat, option):
            continue
        if option < PONG:
            if hides_chow:
                continue
            model = CHOW_MODEL
        elif option < OPEN_KONG:
            model = PONG_MODEL
        else:
            model = KONG_MODEL
        counts[seat, model] += 1
        if wanted >> model & 1:
            n = _add(pairs, n, model, seat, option, YES if option == action else NO)
    return n


@jit
def _asked_pairs(lookup, games, seat, action, events, at, wanted, trials, pairs, n, counts):
    """Add the pairs of one asked seat in games[0]; return how many there are then."""
    game = games[0]
    phase = game["phase"]
    if action in (WIN_BY_DRAW, WIN_BY_CLAIM, NINE_TERMINALS) or _rules_decide(lookup, games, seat, trials):
        return n
    if phase == PHASE_CLAIM:
        return _claims(game, seat, action, events, at, wanted, pairs, n, counts)
    if phase == PHASE_TURN or phase == PHASE_RIICHI_DISCARD or phase == PHASE_CALL_DISCARD:
        return _own_turn(game, seat, action, wanted, pairs, n, counts)
    return n


@jit
def _skip_shown(events, at):
    while at < len(events) and (events[at]["type"] == EVENT_DORA or events[at]["type"] == EVENT_RIICHI_ACCEPTED):
        at += 1
    return at


@jit
def walk_round(lookup, games, trials, events, absent, seats, wanted, positions, first, pairs, n, counts):
    """Replay a round that `open_round` has dealt in games[0], and write its pairs.

    events LOG_EVENT[m]; absent u8[m]: bit s: seat s had left before that event; seats, wanted: bits of the seats and
    models to keep pairs of. positions GAME[...]: where the records go that pairs were asked in, from `first` on;
    pairs PAIR[...], from n on. counts i64[4, COUNTS]: pairs by seat and model, and forced discards, kept or not.
    Returns (positions, pairs) in use then, what does not fit counted too; (-1, -1) for a log that cannot be replayed.
    """
    game = games[0]
    hints = np.empty(2, np.uint8)
    chosen = np.empty(SEATS, np.int64)
    at = 0
    while game["phase"] < PHASE_ROUND_OVER:
        at = _skip_shown(events, at)
        if game["phase"] == PHASE_TURN:
            at = _skip_shown(events, at + 1)  # the draw
        if at >= len(events):
            return -1, -1
        before = n
        hint_1, hint_2 = NO_TILE, NO_TILE
        after = at
        asked = np.int64(game["pending"])
        for seat in range(SEATS):
            if not asked >> seat & 1:
                continue
            action = np.int64(next_answer(game, events, at, seat, hints))
            if action == NO_ACTION or not is_legal(game, seat, action):
                return -1, -1
            chosen[seat] = action
            if action != PASS:
                after = at + 1
                hint_1, hint_2 = np.int64(hints[0]), np.int64(hints[1])
            if seats >> seat & 1 and not absent[at] >> seat & 1:
                n = _asked_pairs(lookup, games, seat, action, events, at, wanted, trials, pairs, n, counts)
        if n > before:
            if first < len(positions):
                positions[first] = games[0]
            for k in range(before, min(n, len(pairs))):
                pairs[k]["position"] = first
            first += 1
        for seat in range(SEATS):
            if asked >> seat & 1:
                answer(game, seat, chosen[seat])
        advance(lookup, game, False, hint_1, hint_2)
        at = after
    return first, n


@jit
def collect_pairs(lookup, tables, rules, rounds, events, absent, which, seats, wanted, positions, pairs, counts):
    """Write the pairs of many rounds: those that `which` i64[k] names, of the seats in the bits of seats i64[k].

    tables GAME[3]: zeros, used up but for the last. rules RULES[...], rounds ROUND[...], events, absent: as in
    `Prepared`. counts i64[k, 4, COUNTS] receives the numbers of pairs. Otherwise as `walk_round`; returns (positions,
    pairs) written, or (-1 - i, -1) where round which[i] cannot be replayed.
    """
    games, trials, blank = tables[0:1], tables[1:2], tables[2:3]
    first, n = 0, 0
    for i in range(len(which)):
        row = rounds[which[i]]
        start, stop = row["first_event"], row["first_event"] + row["n_events"]
        own = events[start:stop]
        games[0] = blank[0]
        if not open_round(lookup, rules[row["rules"]], row, own, games[0]):
            return -1 - i, -1
        first, n = walk_round(
            lookup, games, trials, own, absent[start:stop], seats[i], wanted, positions, first, pairs, n, counts[i]
        )
        if n < 0:
            return -1 - i, -1
    return first, n
