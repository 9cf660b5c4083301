"""Replay a logged round through the engine, which checks that every move is legal.

The engine draws from the wall given by the log's seed, or from one rebuilt from what the log shows. Compiled;
`verify.py` turns the result into messages.
"""

import numpy as np

from simulator import record as r
from simulator.asking import answer
from simulator.engine import advance
from simulator.jit import jit
from simulator.legal import is_legal
from simulator.moves import is_red_tile
from simulator.rounds import deal
from simulator.scoring.blocks import bit_count
from simulator.tiles import TILES
from simulator.walls import DEALT_PLACES, DORA_INDICATORS, FIRST_LIVE, HAND_TILES, REPLACEMENTS, URA_INDICATORS

# The outcomes of a replay, with a description of each.
REPLAYED, WRONG_DRAW, ILLEGAL, NOT_HELD, OUT_OF_PLACE, TOO_MANY, TOO_FEW = range(7)
PROBLEMS = (
    "replayed",
    "the draw differs from the wall",
    "the action is not legal",
    "the tile is not in the hand",
    "the event cannot come here",
    "events follow the end of the round",
    "the log ends before the round does",
)


@jit
def _lay(wall, used, filled, place, tile):
    """Put a tile into a place of a wall; return False if it is used already, or the place is filled."""
    if used[tile] or filled[place]:
        return False
    wall[place] = tile
    used[tile] = True
    filled[place] = True
    return True


@jit
def wall_of_log(hands, dealer, events, indicator, ura, wall):
    """Rebuild a wall u8[136] from what a log shows of a round; unknown places get the remaining tiles in order.

    hands: u8[4, 13]; events: LOG_EVENT[n]; indicator: the first one; ura: u8[n], ura indicators. Returns -1 if all
    fits, -2 if the hands and the first indicator repeat a tile, len(events) if the ura indicators do, otherwise the
    index of the event that repeats a tile, or draws or shows more tiles than there are.
    """
    used = np.zeros(TILES, np.bool_)
    filled = np.zeros(TILES, np.bool_)
    for seat in range(r.SEATS):
        for n in range(HAND_TILES):
            if not _lay(wall, used, filled, DEALT_PLACES[(seat - dealer) & 3, n], np.int64(hands[seat, n])):
                return -2
    if not _lay(wall, used, filled, np.int64(DORA_INDICATORS[0]), indicator):
        return -2
    live = FIRST_LIVE
    kongs = 0
    shown = 1
    after_kong = False
    for e in range(len(events)):
        event = events[e]
        kind = event["type"]
        tile = np.int64(event["tile"])
        if kind == r.EVENT_DRAW or kind == r.EVENT_DORA:
            if kind == r.EVENT_DORA:
                if shown > 4:
                    return e
                place = np.int64(DORA_INDICATORS[shown])
                shown += 1
            elif after_kong:
                if kongs > 4:
                    return e
                place = np.int64(REPLACEMENTS[kongs - 1])
                after_kong = False
            else:
                if live < 14:
                    return e
                place = live
                live -= 1
            if not _lay(wall, used, filled, place, tile):
                return e
        elif kind == r.EVENT_OPEN_KONG or kind == r.EVENT_CLOSED_KONG or kind == r.EVENT_ADDED_KONG:
            kongs += 1
            after_kong = True
    for n in range(min(len(ura), 5)):
        if not _lay(wall, used, filled, np.int64(URA_INDICATORS[n]), np.int64(ura[n])):
            return len(events)
    tile = 0
    for place in range(TILES):
        if not filled[place]:
            while used[tile]:
                tile += 1
            wall[place] = tile
            used[tile] = True
    return -1


@jit
def holds(game, seat, tile):
    """Return whether a seat holds a physical tile."""
    return tile < TILES and game["copies"][seat, tile >> 2] >> (tile & 3) & 1 == 1


@jit
def _turn_action(game, event):
    """Return the action that corresponds to an event of the seat at turn, or NO_ACTION."""
    kind = event["type"]
    tile = np.int64(event["tile"])
    if kind == r.EVENT_DISCARD:
        if tile == game["drawn"]:
            return r.DISCARD_DRAWN
        if is_red_tile(game, tile):
            return r.DISCARD_RED + tile // 36
        return tile >> 2
    if kind == r.EVENT_RIICHI:
        return r.DECLARE_RIICHI
    if kind == r.EVENT_CLOSED_KONG:
        return r.CLOSED_KONG + (tile >> 2)
    if kind == r.EVENT_ADDED_KONG:
        return r.ADDED_KONG + (tile >> 2)
    if kind == r.EVENT_WIN:
        return r.TSUMO
    if kind == r.EVENT_NO_WINNER and tile == r.RESULT_NINE_TERMINALS:
        return r.NINE_TERMINALS
    return r.NO_ACTION


@jit
def _claim_action(game, event):
    """Return the action that corresponds to a chow, pong or open kong in a log, or NO_ACTION if it is malformed."""
    kind = np.int64(event["tile"]) >> 2
    one = np.int64(event["consumed"][0])
    two = np.int64(event["consumed"][1])
    red = is_red_tile(game, one) or is_red_tile(game, two)
    if event["type"] == r.EVENT_OPEN_KONG:
        return r.OPEN_KONG
    if event["type"] == r.EVENT_PONG:
        if one >> 2 != kind or two >> 2 != kind:
            return r.NO_ACTION
        return r.PONG_RED if red else r.PONG
    low = min(one >> 2, two >> 2)
    high = max(one >> 2, two >> 2)
    place = 0 if kind < low else (2 if kind > high else 1)
    first = min(kind, low)
    if kind + low + high != 3 * first + 3 or max(kind, high) != first + 2:
        return r.NO_ACTION
    return r.CHOW_LOW + 2 * place + (1 if red else 0)


@jit
def next_answer(game, events, at, seat, hints):
    """Return the action of an asked seat that leads to the log's events from `at` on, NO_ACTION if none does.

    `hints` u8[2] receives the physical tiles of that action.
    """
    hints[0] = r.NO_TILE
    hints[1] = r.NO_TILE
    phase = game["phase"]
    if phase != r.PHASE_CLAIM and phase != r.PHASE_KONG_CLAIM:
        if at >= len(events):
            return r.NO_ACTION
        event = events[at]
        if event["type"] != r.EVENT_NO_WINNER and event["seat"] != seat:
            return r.NO_ACTION
        if event["type"] == r.EVENT_WIN and event["source"] != seat:
            return r.NO_ACTION
        if event["type"] == r.EVENT_DISCARD or event["type"] == r.EVENT_ADDED_KONG:
            hints[0] = event["tile"]
        return _turn_action(game, event)
    while at < len(events):
        event = events[at]
        kind = event["type"]
        if kind == r.EVENT_WIN:
            if event["seat"] == seat and event["source"] != seat:
                return r.RON
        elif kind == r.EVENT_NO_WINNER:
            return r.RON if event["tile"] == r.RESULT_TRIPLE_RON else r.PASS
        elif kind == r.EVENT_CHOW or kind == r.EVENT_PONG or kind == r.EVENT_OPEN_KONG:
            if event["seat"] != seat:
                return r.PASS
            if event["tile"] != game["claim_tile"]:
                return r.NO_ACTION
            if kind != r.EVENT_OPEN_KONG:
                hints[0] = event["consumed"][0]
                hints[1] = event["consumed"][1]
            return _claim_action(game, event)
        elif kind != r.EVENT_RIICHI_ACCEPTED and kind != r.EVENT_DORA:
            return r.PASS
        at += 1
    return r.PASS


@jit
def skip_shown(events, at):
    """Return the index of the next event, from `at` on, that is neither an indicator nor an accepted riichi."""
    while at < len(events) and (events[at]["type"] == r.EVENT_DORA or events[at]["type"] == r.EVENT_RIICHI_ACCEPTED):
        at += 1
    return at


@jit
def replay_round(lookup, game, events, report):
    """Deal and play a round according to a log's events, up to the end of the round before payments.

    `report` i8[4] receives the index of the offending event, the seat, the action, and the number of decisions with
    more than one legal action. Returns REPLAYED, or the problem found (an index of PROBLEMS).
    """
    deal(lookup, game)
    advance(lookup, game, False, r.NO_TILE, r.NO_TILE)
    hints = np.empty(2, np.uint8)
    at = 0
    decisions = 0
    while game["phase"] < r.PHASE_ROUND_OVER:
        at = skip_shown(events, at)
        report[0] = at
        phase = game["phase"]
        if phase == r.PHASE_TURN:
            if at >= len(events):
                return TOO_FEW
            event = events[at]
            report[1] = game["turn"]
            if event["type"] != r.EVENT_DRAW:
                return OUT_OF_PLACE
            if event["seat"] != game["turn"] or event["tile"] != game["drawn"]:
                return WRONG_DRAW
            at = skip_shown(events, at + 1)
        report[0] = at
        if at >= len(events):
            return TOO_FEW
        before = at
        hint_1 = r.NO_TILE
        hint_2 = r.NO_TILE
        for seat in range(r.SEATS):
            if not game["pending"] >> seat & 1:
                continue
            action = next_answer(game, events, at, seat, hints)
            report[1] = seat
            report[2] = action
            if action == r.NO_ACTION:
                return OUT_OF_PLACE
            if not is_legal(game, seat, action):
                return ILLEGAL
            if bit_count(game["legal"][seat, 0]) + bit_count(game["legal"][seat, 1]) > 1:
                decisions += 1
            if hints[0] != r.NO_TILE:
                if not holds(game, seat, np.int64(hints[0])):
                    return NOT_HELD
                hint_1 = np.int64(hints[0])
            if hints[1] != r.NO_TILE:
                if not holds(game, seat, np.int64(hints[1])):
                    return NOT_HELD
                hint_2 = np.int64(hints[1])
            if action != r.PASS:
                before = at + 1
            answer(game, seat, action)
        report[3] = decisions
        # A claim in the log that no asked seat has made is impossible here.
        event = events[at]
        kind = event["type"]
        claim = kind == r.EVENT_CHOW or kind == r.EVENT_PONG or kind == r.EVENT_OPEN_KONG
        advance(lookup, game, False, hint_1, hint_2)
        if claim and before == at:
            return OUT_OF_PLACE
        at = before
    at = skip_shown(events, at)
    while at < len(events) and (events[at]["type"] == r.EVENT_WIN or events[at]["type"] == r.EVENT_NO_WINNER):
        at = skip_shown(events, at + 1)
    report[0] = at
    return REPLAYED if at == len(events) else TOO_MANY
