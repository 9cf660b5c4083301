"""The order of play within a round: from an answered decision to the next one, or to the end of the round.

`asking.py` asks seats and stores their answers; `advance` runs the game until a seat must choose or the round is over
(`rounds.py` then makes the payments and deals the next round). A game is always in one of the PHASE_* of `record.py`.
Compile time grows with every call site of a large function, so each has only one, in `advance`.
"""

import numpy as np

from simulator import asking, moves
from simulator import record as r
from simulator.calls import call, declare_kong, replace_after_kong
from simulator.jit import jit
from simulator.legal import call_discard_actions, discards_within, may_declare_riichi, swap_forbidden
from simulator.rules import MULTIPLE_RON_ALL
from simulator.shanten import waits
from simulator.tiles import WINDS


@jit
def discard(lookup, game, action, hint):
    """Discard a tile of the seat whose turn it is, and reveal the indicators that were waiting for the discard.

    `hint` is the physical tile in a replayed game, or NO_TILE for the lowest plain copy.
    """
    seat = np.int64(game["turn"])
    drawn = np.int64(game["drawn"])
    if action == r.DISCARD_DRAWN:
        tile = drawn
    elif action >= r.DISCARD_RED:
        tile = (9 * (action - r.DISCARD_RED) + 4) << 2
    elif hint != r.NO_TILE:
        tile = np.int64(hint)
    else:
        tile = action << 2 | moves.lowest_copy(moves.plain_copies(game, seat, action))
    moves.take_tile(game, seat, tile)
    declared = game["riichi"][seat] == 1
    moves.push_river(game, seat, tile, tile == drawn, declared)
    moves.push_event(game, r.EVENT_DISCARD, seat, 1 if tile == drawn else 0, tile)
    game["drawn"] = r.NO_TILE
    game["forbidden"] = 0
    if tile != drawn or declared:
        game["waits"][seat] = waits(lookup, game["hand"][seat], np.int64(game["n_melds"][seat]))
    game["missed"][seat] &= asking.MISSED_IN_RIICHI
    game["ippatsu"][seat] = 0
    moves.show_pending_indicators(game)
    game["claim_tile"] = tile
    game["phase"] = r.PHASE_CLAIM


@jit
def _end_round(game, result_type):
    game["result"]["type"] = result_type
    game["result"]["n_wins"] = 0
    game["phase"] = r.PHASE_ROUND_OVER
    game["pending"] = 0
    game["asked"] = 0


@jit
def _add_win(game, seat, source, tile):
    n = np.int64(game["result"]["n_wins"])
    win = game["result"]["wins"][n]
    win["seat"] = seat
    win["source"] = source
    win["tile"] = tile
    game["result"]["n_wins"] = n + 1


@jit
def _act(lookup, game, hint_1):
    """Carry out the choice of the seat whose turn it is (after a draw, a riichi declaration or a call)."""
    seat = np.int64(game["turn"])
    action = np.int64(game["answers"][seat])
    if action < r.DECLARE_RIICHI:
        discard(lookup, game, action, hint_1)
    elif action == r.DECLARE_RIICHI:
        kinds = may_declare_riichi(lookup, game, seat)
        game["riichi"][seat] = 1
        game["double_riichi"][seat] = not game["interrupted"] and game["n_river"][seat] == 0
        moves.push_event(game, r.EVENT_RIICHI, seat, 0, 0)
        game["phase"] = r.PHASE_RIICHI_DISCARD
        game["asked"] = 0
        asking.ask(game, seat, discards_within(game, seat, kinds), np.int64(0))
    elif action == r.TSUMO:
        drawn = np.int64(game["drawn"])
        _end_round(game, r.RESULT_TSUMO)
        _add_win(game, seat, seat, drawn)
    elif action == r.NINE_TERMINALS:
        _end_round(game, r.RESULT_NINE_TERMINALS)
    else:
        declare_kong(game, action, hint_1)


@jit
def _count_wins(game, source, tile):
    """End the round with the wins on the open tile, in turn order: by the rules all, only the first, or an abort."""
    _end_round(game, r.RESULT_RON)
    for step in range(1, 4):
        seat = (source + step) & 3
        if game["answers"][seat] == r.RON:
            _add_win(game, seat, source, tile)
    if game["rules"]["multiple_ron"] != MULTIPLE_RON_ALL:
        game["result"]["n_wins"] = 1
    elif game["result"]["n_wins"] == 3 and game["rules"]["abort_triple_ron"]:
        _end_round(game, r.RESULT_TRIPLE_RON)


@jit
def _note_missed_wins(game, source, kind):
    """Set furiten for seats that wait for the tile and did not win: until their next discard, in riichi permanently."""
    for step in range(1, 4):
        seat = (source + step) & 3
        if game["waits"][seat] >> kind & 1 and asking.may_rob(game, seat, source, kind):
            game["missed"][seat] |= asking.MISSED_NOW
            if game["riichi"][seat]:
                game["missed"][seat] |= asking.MISSED_IN_RIICHI


@jit
def _abort_after_discard(game, seat):
    """Return the abortive draw (RESULT_*) that a seat's discard causes once nobody has won on it, or 0."""
    rules = game["rules"]
    if rules["abort_four_riichi"]:
        accepted = 0
        for s in range(4):
            accepted += game["riichi"][s] == 2
        if accepted == 4:
            return r.RESULT_FOUR_RIICHI
    if asking.four_kongs_abort(game):
        return r.RESULT_FOUR_KONGS
    if rules["abort_four_winds"] and not game["interrupted"] and seat == (game["dealer"] + 3) & 3:
        first = game["discarded"][seat]
        same = first & WINDS != 0
        for s in range(4):
            same = same and game["n_river"][s] == 1 and game["discarded"][s] == first
        if same:
            return r.RESULT_FOUR_WINDS
    return 0


@jit
def _resolve_claims(lookup, game, hint_1, hint_2):
    """Resolve the claims on a discard: wins, then pong or open kong, then chow; without any, the next seat draws."""
    source = np.int64(game["turn"])
    tile = np.int64(game["claim_tile"])
    wins = 0
    caller = -1
    for step in range(1, 4):
        seat = (source + step) & 3
        if not game["asked"] >> seat & 1:
            continue
        action = np.int64(game["answers"][seat])
        if action == r.RON:
            wins += 1
        elif action != r.PASS and (caller < 0 or action >= r.PONG):
            caller = seat
    if wins:
        for seat in range(4):
            if not game["asked"] >> seat & 1:
                game["answers"][seat] = r.NO_ACTION
        _count_wins(game, source, tile)
        return
    _note_missed_wins(game, source, tile >> 2)
    if game["riichi"][source] == 1:  # the bet is paid once nobody has won on the declaring discard
        game["riichi"][source] = 2
        game["ippatsu"][source] = 1
        game["scores"][source] -= 1000
        game["bets"] += 1
        moves.push_event(game, r.EVENT_RIICHI_ACCEPTED, source, 0, 0)
    abort = _abort_after_discard(game, source)
    if abort:
        _end_round(game, abort)
    elif caller >= 0:
        action = np.int64(game["answers"][caller])
        kind, place = call(game, caller, action, hint_1, hint_2)
        if action == r.OPEN_KONG:
            replace_after_kong(lookup, game, False)
        else:
            game["forbidden"] = swap_forbidden(game, kind, place)
            game["phase"] = r.PHASE_CALL_DISCARD
            game["asked"] = 0
            asking.ask(game, caller, call_discard_actions(game, caller), np.int64(0))
    elif moves.tiles_left(game) == 0:
        _end_round(game, r.RESULT_EXHAUSTIVE)
    else:
        game["claim_tile"] = r.NO_TILE
        moves.draw_live(game, (source + 1) & 3)
        game["phase"] = r.PHASE_TURN
        game["asked"] = 0


@jit
def _resolve_kong_claims(lookup, game):
    """Resolve the claims on a kong: end the round if it is robbed, otherwise draw its replacement."""
    source = np.int64(game["turn"])
    tile = np.int64(game["claim_tile"])
    closed = game["events"][game["n_events"] - 1] & 15 == r.EVENT_CLOSED_KONG
    robbed = False
    for seat in range(4):
        if not game["asked"] >> seat & 1:
            game["answers"][seat] = r.NO_ACTION
        robbed = robbed or game["answers"][seat] == r.RON
    if robbed:
        _count_wins(game, source, tile)
        return
    _note_missed_wins(game, source, tile >> 2)
    replace_after_kong(lookup, game, closed)


@jit
def advance(lookup, game, play_forced, hint_1, hint_2):
    """Run a game whose round is dealt until a seat must choose, or the round or game is over.

    `hint_1`, `hint_2` are the physical tiles of a replayed action, or NO_TILE; with `play_forced`, decisions with only
    one legal action are made automatically.
    """
    while True:
        phase = np.int64(game["phase"])
        if phase >= r.PHASE_ROUND_OVER or phase == r.PHASE_STOP:
            return
        if phase == r.PHASE_TURN and not game["asked"]:
            asking.ask_turn(lookup, game)
        if game["pending"]:
            action = asking.is_forced(game) if play_forced else r.NO_ACTION
            if action == r.NO_ACTION:
                return
            asking.answer(game, moves.lowest_copy(np.int64(game["asked"])), action)
        if phase == r.PHASE_CLAIM:
            _resolve_claims(lookup, game, hint_1, hint_2)
        elif phase == r.PHASE_KONG_CLAIM:
            _resolve_kong_claims(lookup, game)
        else:
            _act(lookup, game, hint_1)
            if game["phase"] == r.PHASE_CLAIM or game["phase"] == r.PHASE_KONG_CLAIM:
                asking.ask_claims(lookup, game)
        hint_1 = r.NO_TILE
        hint_2 = r.NO_TILE


assert r.PHASE_GAME_OVER > r.PHASE_ROUND_OVER > r.PHASE_STOP
assert r.CHOW_HIGH_RED < r.PONG and r.STOP > r.PASS
