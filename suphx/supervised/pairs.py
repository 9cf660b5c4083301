"""Training pairs: the questions that the decision flow would have asked at a logged decision, and the seat's answers.

The flow (`suphx.agent.flow`) asks no network where its rules decide: a win that the win rule takes, an abortive draw by
nine terminals, the dealer's choice to end the game. Every other decision gives pairs, with these exceptions:

- a forced discard (only one kind to discard) gives no pair;
- a kong declared before riichi or the discard hides the answer to those questions, and a riichi is not a discard;
- a win by anyone hides what the others would have claimed; another seat's pong or kong hides a chow.
  (Another seat's chow does not hide a pong: the pong would have taken precedence.)

The functions are compiled; `walk.py` calls `asked_pairs` for every decision of a round.
"""

from __future__ import annotations

import numpy as np

from simulator.jit import jit
from simulator.legal import is_legal
from simulator.record import (
    ADDED_KONG,
    CHOW_LOW,
    CLOSED_KONG,
    DECLARE_RIICHI,
    DISCARD_DRAWN,
    DISCARD_RED,
    EVENT_OPEN_KONG,
    EVENT_PONG,
    EVENT_WIN,
    NINE_TERMINALS,
    NO_ACTION,
    OPEN_KONG,
    PHASE_CALL_DISCARD,
    PHASE_CLAIM,
    PHASE_RIICHI_DISCARD,
    PHASE_TURN,
    PONG,
    WIN_BY_CLAIM,
    WIN_BY_DRAW,
)
from simulator.shanten import shanten
from simulator.tiles import KINDS
from suphx.agent.rules import PLAYABLE_SHANTEN, ends_fourth
from suphx.networks.sizes import MODELS, NO, YES

#: Indices of the models in pairs and counts.
DISCARD_MODEL, RIICHI_MODEL, CHOW_MODEL, PONG_MODEL, KONG_MODEL = range(len(MODELS))
#: Index of the column after the models: forced discards, which give no pairs.
FORCED = len(MODELS)
COUNTS = FORCED + 1

#: One question and its answer.
PAIR = np.dtype([
    ("position", "u4"),  # index of the kept record in which it was asked
    ("option", "i2"),  # the action in question, or NO_ACTION for a discard
    ("seat", "u1"),
    ("answer", "u1"),  # the kind discarded, or NO and YES
    ("model", "u1"),
], align=True)  # fmt: skip


@jit
def _rules_decide(lookup, games, seat, trials):
    """Return whether the flow decides by its rules for the seat asked in games[0]; overwrites `trials`, GAME[1]."""
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
    """Return the kind of tile that an action discards, or -1 for an action that is not a discard."""
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
    """Add the pairs of a seat that chose `action` on its own turn; return the new number of pairs."""
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
    """Add the pairs of a seat asked whether to claim, as settled by event `at`; return the new number of pairs."""
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
def asked_pairs(lookup, games, seat, action, events, at, wanted, trials, pairs, n, counts):
    """Add the pairs of one seat that is asked in games[0]; return the new number of pairs."""
    game = games[0]
    phase = game["phase"]
    if action in (WIN_BY_DRAW, WIN_BY_CLAIM, NINE_TERMINALS) or _rules_decide(lookup, games, seat, trials):
        return n
    if phase == PHASE_CLAIM:
        return _claims(game, seat, action, events, at, wanted, pairs, n, counts)
    if phase == PHASE_TURN or phase == PHASE_RIICHI_DISCARD or phase == PHASE_CALL_DISCARD:
        return _own_turn(game, seat, action, wanted, pairs, n, counts)
    return n
