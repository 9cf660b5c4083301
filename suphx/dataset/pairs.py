"""Training pairs: the model decisions of logs (`agent/model_decisions.py`) with the actions of the seats. Compiled.

Logged rounds are replayed, and only positions with a wanted pair are kept. Every model decision gives a pair, except:

- a decision that the rules make, or that the seat made by a win or by nine terminals, gives none;
- a kong declared before riichi or the discard hides what the seat decided there, and a riichi is not a discard;
- a win by anyone hides what the others would have claimed; another seat's pong or kong hides a chow.
  (Another seat's chow does not hide a pong: the pong would have taken precedence.)
- a seat that had left the table gives no pairs, because the server moved for it.
"""

import numpy as np

from simulator import record as r
from simulator.asking import answer
from simulator.engine import advance
from simulator.jit import jit
from simulator.legal import is_legal
from simulator.logs.replay import next_answer, skip_shown, wall_of_log
from simulator.rounds import deal, start_game
from simulator.tiles import KINDS, TILES
from suphx.agent.model_decisions import (
    CHOW,
    DISCARD,
    MAX_MODEL_DECISIONS,
    MODEL_DECISION,
    RIICHI,
    discarded_kind,
    enumerate_model_decisions,
)
from suphx.networks.models import MODELS, NO, YES

#: Index of the column after the models: forced discards, which give no pairs.
FORCED = len(MODELS)
COUNTS = FORCED + 1


@jit
def _add_pairs(decisions, of, game, seat, action, event, wanted, pairs, n, counts):
    """Add the first `of` model decisions, where the log shows the action; return the new number of pairs.

    event: the result of the actions of all seats.
    """
    kind = discarded_kind(game, action)
    declared_kong = r.CLOSED_KONG <= action < r.TSUMO
    claim = game["phase"] == r.PHASE_CLAIM
    hides_all = claim and event["type"] == r.EVENT_WIN
    by_another = claim and np.int64(event["seat"]) != seat
    hides_chow = by_another and (event["type"] == r.EVENT_PONG or event["type"] == r.EVENT_OPEN_KONG)
    for q in range(of):
        model, option = np.int64(decisions[q]["model"]), np.int64(decisions[q]["option"])
        if model == DISCARD:
            hidden = kind < 0
        else:
            hidden = hides_all or (model == RIICHI and declared_kong) or (model == CHOW and hides_chow)
        if hidden:
            continue
        counts[seat, model] += 1
        if wanted >> model & 1:
            if n < len(pairs):
                pair = pairs[n]
                pair["model"], pair["seat"], pair["option"] = model, seat, option
                pair["action"] = kind if model == DISCARD else (YES if option == action else NO)
            n += 1
    return n


@jit
def _tiles_exist(events):
    """Return whether the tiles of events are valid: arrays are indexed by them."""
    for e in range(len(events)):
        kind = events[e]["type"]
        without = kind == r.EVENT_RIICHI or kind == r.EVENT_RIICHI_ACCEPTED or kind == r.EVENT_NO_WINNER
        if not without and events[e]["tile"] >= TILES:
            return False
    return True


@jit
def _open_round(lookup, rules, row, events, game):
    """Deal a round of prepared logs into `game`, a zeroed GAME record, and advance it to its first decision.

    rules: its RULES record; row: its ROUND. The tiles of the wall that the log does not show are filled in. Returns
    whether the log's tiles form a valid wall.
    """
    game["rules"] = rules
    start_game(game)
    for seat in range(r.SEATS):
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
    advance(lookup, game, False, r.NO_TILE, r.NO_TILE)
    return True


@jit
def _walk_round(lookup, games, trials, events, absent, seats, wanted, positions, first, pairs, n, counts):
    """Replay a round that `_open_round` has dealt in games[0], and write its pairs.

    events LOG_EVENT[m]; absent u8[m]: bit s is set if seat s had left before that event; seats, wanted: bit masks of
    the seats and models to keep pairs of. positions GAME[...] receives, from index `first` on, the positions
    of the pairs; pairs MODEL_DECISION[...] receives the pairs from index n on. counts i64[4, COUNTS]:
    pairs by seat and model, and forced discards, kept or not. Returns the new numbers of (positions, pairs), counting
    those that did not fit; (-1, -1) for a log that cannot be replayed.
    """
    game = games[0]
    hints = np.empty(2, np.uint8)
    chosen = np.empty(r.SEATS, np.int64)
    kinds, decisions = np.empty(KINDS, np.bool_), np.empty(MAX_MODEL_DECISIONS, MODEL_DECISION)
    at = 0
    while game["phase"] < r.PHASE_ROUND_OVER:
        at = skip_shown(events, at)
        if game["phase"] == r.PHASE_TURN:
            at = skip_shown(events, at + 1)  # the draw
        if at >= len(events):
            return -1, -1
        before = n
        hint_1, hint_2 = r.NO_TILE, r.NO_TILE
        after = at
        pending = np.int64(game["pending"])
        for seat in range(r.SEATS):
            if not pending >> seat & 1:
                continue
            action = np.int64(next_answer(game, events, at, seat, hints))
            if action == r.NO_ACTION or not is_legal(game, seat, action):
                return -1, -1
            chosen[seat] = action
            if action != r.PASS:
                after = at + 1
                hint_1, hint_2 = np.int64(hints[0]), np.int64(hints[1])
            if not seats >> seat & 1 or absent[at] >> seat & 1:
                continue
            if r.TSUMO <= action <= r.NINE_TERMINALS:
                continue
            by_rules, of = enumerate_model_decisions(lookup, games, 0, seat, trials, kinds, decisions, 0)
            if by_rules != r.NO_ACTION:
                continue
            n = _add_pairs(decisions, of, game, seat, action, events[at], wanted, pairs, n, counts)
            if discarded_kind(game, action) >= 0 and kinds.sum() == 1:
                counts[seat, FORCED] += 1
        if n > before:
            if first < len(positions):
                positions[first] = games[0]
            for k in range(before, min(n, len(pairs))):
                pairs[k]["position"] = first
            first += 1
        for seat in range(r.SEATS):
            if pending >> seat & 1:
                answer(game, seat, chosen[seat])
        advance(lookup, game, False, hint_1, hint_2)
        at = after
    return first, n


@jit
def collect_pairs(lookup, tables, rules, rounds, events, absent, which, seats, wanted, positions, pairs, counts):
    """Write the pairs of the rounds with indices `which` i64[k], for the seats in the bit masks `seats` i64[k].

    tables GAME[3]: zeros, of which all but the last are overwritten. rules RULES[...], rounds ROUND[...], events,
    absent: as in `Prepared`. counts i64[k, 4, COUNTS] receives the numbers of pairs. Otherwise as `_walk_round`;
    returns the numbers of (positions, pairs) written, or (-1 - i, -1) if round which[i] cannot be replayed.
    """
    games, trials, blank = tables[0:1], tables[1:2], tables[2:3]
    first, n = 0, 0
    for i in range(len(which)):
        row = rounds[which[i]]
        start, stop = row["first_event"], row["first_event"] + row["n_events"]
        own = events[start:stop]
        games[0] = blank[0]
        if not _open_round(lookup, rules[row["rules"]], row, own, games[0]):
            return -1 - i, -1
        first, n = _walk_round(
            lookup, games, trials, own, absent[start:stop], seats[i], wanted, positions, first, pairs, n, counts[i]
        )
        if n < 0:
            return -1 - i, -1
    return first, n
