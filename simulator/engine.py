"""The order of play inside a round: from an answered decision to the next one, or to the end of the round.

`answer` notes what a seat chooses; `advance` runs the game on until somebody must choose or the round is over
(`rounds.py` then pays, and deals the next). A game is always in one of the PHASE_* of `record.py`. Compile time
grows with every place that a large function is called from, so there is one such place for each, in `advance`.
"""

from __future__ import annotations

import numpy as np

from simulator.jit import jit
from simulator.legal import (
    HIGH_PASS,
    call_discard_actions,
    claim_actions,
    discards_within,
    may_claim_win,
    may_declare_riichi,
    popcount,
    swap_forbidden,
    turn_actions,
)
from simulator.moves import (
    add_meld,
    draw_live,
    draw_replacement,
    has_red_five,
    is_kong,
    lowest_copy,
    plain_copies,
    pong_of,
    push_event,
    push_river,
    show_pending_indicators,
    take_tile,
    tiles_left,
)
from simulator.record import (
    ADDED_KONG,
    CHOW_HIGH_RED,
    CHOW_LOW,
    CLOSED_KONG,
    DECLARE_RIICHI,
    DISCARD_DRAWN,
    DISCARD_RED,
    EVENT_ADDED_KONG,
    EVENT_CHOW,
    EVENT_CLOSED_KONG,
    EVENT_DISCARD,
    EVENT_OPEN_KONG,
    EVENT_PONG,
    EVENT_RIICHI,
    EVENT_RIICHI_ACCEPTED,
    MELD_ADDED_KONG,
    MELD_CHOW,
    MELD_CLOSED_KONG,
    MELD_OPEN_KONG,
    MELD_PONG,
    NINE_TERMINALS,
    NO_ACTION,
    NO_TILE,
    OPEN_KONG,
    PASS,
    PHASE_CALL_DISCARD,
    PHASE_CLAIM,
    PHASE_GAME_OVER,
    PHASE_KONG_CLAIM,
    PHASE_RIICHI_DISCARD,
    PHASE_ROUND_OVER,
    PHASE_STOP,
    PHASE_TURN,
    PONG,
    PONG_RED,
    RESULT_CLAIM_WIN,
    RESULT_DRAW_WIN,
    RESULT_EXHAUSTIVE,
    RESULT_FOUR_KONGS,
    RESULT_FOUR_RIICHI,
    RESULT_FOUR_WINDS,
    RESULT_NINE_TERMINALS,
    RESULT_TRIPLE_RON,
    RIVER_CALLED,
    RIVER_CALLER_SHIFT,
    STOP,
    WIN_BY_CLAIM,
    WIN_BY_DRAW,
    WORD_BITS,
)
from simulator.rules import MULTIPLE_RON_ALL, OPEN_KONG_DORA_DISCARD
from simulator.shanten import waits
from simulator.tiles import DRAGONS, EAST, NORTH, RED, WHITE, WINDS

#: Bits of `missed`: a win let go, until the own next discard, and for good once in riichi.
MISSED_NOW, MISSED_IN_RIICHI = 1, 2

_CLAIM_WIN_HIGH = np.int64(1) << (WIN_BY_CLAIM - WORD_BITS)


@jit
def ask(game, seat, low, high):
    """Ask a seat to choose among the actions of two legal words."""
    game["legal"][seat, 0] = low
    game["legal"][seat, 1] = high
    game["answers"][seat] = NO_ACTION
    game["asked"] |= 1 << seat
    game["pending"] |= 1 << seat
    game["decisions"][seat] += 1


@jit
def ask_turn(lookup, game):
    """Ask the seat that has drawn."""
    seat = np.int64(game["turn"])
    low, high = turn_actions(lookup, game, seat)
    ask(game, seat, low, high)


@jit
def _four_kongs_abort(game):
    """Return whether the next discard ends the round unless it is won on: four kongs, not all of one seat."""
    if game["kongs"] != 4 or not game["rules"]["abort_four_kongs"]:
        return False
    for seat in range(4):
        own = 0
        for n in range(np.int64(game["n_melds"][seat])):
            own += is_kong(game["melds"][seat, n]["type"])
        if 0 < own < 4:
            return True
    return False


@jit
def ask_claims(lookup, game):
    """Ask every seat that may claim the discard or the kong that lies open, all at once; maybe nobody.

    A discard that ends the round by four kongs can only be won on. (Those of four riichi and four winds cannot be
    called either: three are in riichi; nobody has two of the wind left.)
    """
    source = np.int64(game["turn"])
    tile = np.int64(game["claim_tile"])
    only_wins = _four_kongs_abort(game)
    game["asked"] = 0
    game["pending"] = 0
    for step in range(1, 4):
        seat = (source + step) & 3
        low = np.int64(0)
        high = np.int64(0)
        if game["phase"] == PHASE_CLAIM:
            low, high = claim_actions(lookup, game, seat, source, tile)
            if only_wins:
                low = np.int64(0)
                high = high if high & _CLAIM_WIN_HIGH else np.int64(0)
        elif may_claim_win(game, seat, tile >> 2) and may_rob(game, seat, source, tile >> 2):
            high = HIGH_PASS | _CLAIM_WIN_HIGH
        if low | high:
            ask(game, seat, low, high)


@jit
def may_rob(game, seat, source, kind):
    """Return whether a tile may be won on: a discard or added kong by any hand, a closed kong by thirteen orphans."""
    for n in range(np.int64(game["n_melds"][source])):
        meld = game["melds"][source, n]
        if meld["type"] == MELD_CLOSED_KONG and meld["kind"] == kind:
            # Nothing else than thirteen orphans waits on a kind with twelve other terminals and honours in hand.
            return game["rules"]["thirteen_orphans_rob_closed_kong"] != 0 and _holds_orphans(game, seat)
    return True


@jit
def _holds_orphans(game, seat):
    kinds = 0
    for suit in range(3):
        kinds += game["hand"][seat, 9 * suit] > 0
        kinds += game["hand"][seat, 9 * suit + 8] > 0
    for kind in range(EAST, RED + 1):
        kinds += game["hand"][seat, kind] > 0
    return kinds >= 12


@jit
def discard(lookup, game, action, hint):
    """Discard a tile of the seat at turn, and show indicators that wait for it.

    `hint` is the physical tile of a replayed game, or NO_TILE for the lowest plain copy.
    """
    seat = np.int64(game["turn"])
    drawn = np.int64(game["drawn"])
    if action == DISCARD_DRAWN:
        tile = drawn
    elif action >= DISCARD_RED:
        tile = (9 * (action - DISCARD_RED) + 4) << 2
    elif hint != NO_TILE:
        tile = np.int64(hint)
    else:
        tile = action << 2 | lowest_copy(plain_copies(game, seat, action))
    take_tile(game, seat, tile)
    declared = game["riichi"][seat] == 1
    push_river(game, seat, tile, tile == drawn, declared)
    push_event(game, EVENT_DISCARD, seat, 1 if tile == drawn else 0, tile)
    game["drawn"] = NO_TILE
    game["forbidden"] = 0
    if tile != drawn or declared:
        game["waits"][seat] = waits(lookup, game["hand"][seat], np.int64(game["n_melds"][seat]))
    game["missed"][seat] &= MISSED_IN_RIICHI
    game["ippatsu"][seat] = 0
    show_pending_indicators(game)
    game["claim_tile"] = tile
    game["phase"] = PHASE_CLAIM


@jit
def _end_round(game, result_type):
    game["result"]["type"] = result_type
    game["result"]["n_wins"] = 0
    game["phase"] = PHASE_ROUND_OVER
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
def _break_first_turns(game):
    """A call or a kong ends every ippatsu, and the uninterrupted first turn."""
    game["interrupted"] = 1
    for seat in range(4):
        game["ippatsu"][seat] = 0


@jit
def _note_liability(game, seat, kind, source):
    """Note who is liable (pao): who gave the set that makes big dragons, big winds or four kongs certain."""
    dragons = 0
    winds = 0
    kongs = 0
    for n in range(np.int64(game["n_melds"][seat])):
        meld = game["melds"][seat, n]
        if meld["type"] != MELD_CHOW:
            dragons += np.int64(DRAGONS) >> meld["kind"] & 1
            winds += np.int64(WINDS) >> meld["kind"] & 1
        kongs += is_kong(meld["type"])
    rules = game["rules"]
    if rules["liability_dragons"] and dragons == 3 and WHITE <= kind <= RED:
        game["liable_dragons"][seat] = source
    if rules["liability_winds"] and winds == 4 and EAST <= kind <= NORTH:
        game["liable_winds"][seat] = source
    if rules["liability_kongs"] and kongs == 4 and is_kong(game["melds"][seat, game["n_melds"][seat] - 1]["type"]):
        game["liable_kongs"][seat] = source


@jit
def _mark_called(game, source, seat):
    last = np.int64(game["n_river"][source]) - 1
    game["river"][source, last] |= RIVER_CALLED | seat << RIVER_CALLER_SHIFT


@jit
def _own_copy(game, seat, kind, red, hint):
    """Return the physical tile of a kind that a call takes from the hand."""
    if hint != NO_TILE:
        return np.int64(hint)
    if red and has_red_five(game, seat, kind):
        return kind << 2
    return kind << 2 | lowest_copy(plain_copies(game, seat, kind))


@jit
def _call(game, seat, action, hint_1, hint_2):
    """Make a chow, pong or open kong of the tile that lies open."""
    source = np.int64(game["turn"])
    tile = np.int64(game["claim_tile"])
    kind = tile >> 2
    place = -1
    own_3 = NO_TILE
    if action == OPEN_KONG:
        low = np.int64(15) & ~(1 << (tile & 3))
        first = lowest_copy(low)
        low &= low - 1
        second = lowest_copy(low)
        low &= low - 1
        own_1, own_2, own_3 = kind << 2 | first, kind << 2 | second, kind << 2 | lowest_copy(low)
        meld_type, event = MELD_OPEN_KONG, EVENT_OPEN_KONG
    elif action == PONG or action == PONG_RED:
        own_1 = _own_copy(game, seat, kind, action == PONG_RED, hint_1)
        if hint_2 != NO_TILE:
            own_2 = np.int64(hint_2)
        else:
            own_2 = kind << 2 | lowest_copy(plain_copies(game, seat, kind) & ~(1 << (own_1 & 3)))
        meld_type, event = MELD_PONG, EVENT_PONG
    else:
        place = (action - CHOW_LOW) >> 1
        red = (action - CHOW_LOW) & 1 == 1
        first = kind - place
        own_1 = _own_copy(game, seat, first if place else first + 1, red, hint_1)
        own_2 = _own_copy(game, seat, first + 1 if place == 2 else first + 2, red, hint_2)
        meld_type, event = MELD_CHOW, EVENT_CHOW
    take_tile(game, seat, own_1)
    take_tile(game, seat, own_2)
    if own_3 != NO_TILE:
        take_tile(game, seat, own_3)
    n = add_meld(game, seat, meld_type, tile, own_1, own_2, own_3, source)
    push_event(game, event, seat, n, tile)
    _mark_called(game, source, seat)
    _break_first_turns(game)
    game["turn"] = seat
    game["claim_tile"] = NO_TILE
    if meld_type != MELD_CHOW:
        _note_liability(game, seat, kind, source)
    return kind, place


@jit
def _replace_after_kong(lookup, game, closed):
    """Count the kong that nobody has robbed, show indicators and draw the replacement.

    A closed kong's indicator is shown at once. That of an open or added kong waits for the discard that follows,
    or for the replacement of a further kong (unless the rules show it at once too).
    """
    seat = np.int64(game["turn"])
    game["claim_tile"] = NO_TILE
    game["robbing"] = 0
    _break_first_turns(game)
    game["kongs"] += 1
    show_pending_indicators(game)
    if game["rules"]["kong_dora"]:
        game["pending_indicators"] += 1
        if closed or game["rules"]["open_kong_dora"] != OPEN_KONG_DORA_DISCARD:
            show_pending_indicators(game)
    if not game["riichi"][seat]:
        # The waits now are those of the hand without its fourth or called tiles; a win on the replacement needs them.
        game["waits"][seat] = waits(lookup, game["hand"][seat], np.int64(game["n_melds"][seat]))
    draw_replacement(game, seat)
    game["phase"] = PHASE_TURN
    game["asked"] = 0


@jit
def _declare_kong(game, action, hint):
    """Make a closed or added kong of the seat at turn."""
    seat = np.int64(game["turn"])
    if action >= ADDED_KONG:
        kind = action - ADDED_KONG
        tile = np.int64(hint)
        if hint == NO_TILE:
            tile = kind << 2 | lowest_copy(np.int64(game["copies"][seat, kind]))
        take_tile(game, seat, tile)
        n = pong_of(game, seat, kind)
        game["melds"][seat, n]["type"] = MELD_ADDED_KONG
        game["melds"][seat, n]["tiles"][3] = tile
        push_event(game, EVENT_ADDED_KONG, seat, n, tile)
    else:
        kind = action - CLOSED_KONG
        tile = kind << 2
        for copy in range(4):
            take_tile(game, seat, tile | copy)
        n = add_meld(game, seat, MELD_CLOSED_KONG, tile, tile + 1, tile + 2, tile + 3, seat)
        push_event(game, EVENT_CLOSED_KONG, seat, n, tile)
    game["drawn"] = NO_TILE
    game["claim_tile"] = tile
    game["robbing"] = 1
    game["phase"] = PHASE_KONG_CLAIM


@jit
def _act(lookup, game, hint_1):
    """Carry out what the seat at turn has chosen (turn, riichi discard, discard after a call)."""
    seat = np.int64(game["turn"])
    action = np.int64(game["answers"][seat])
    if action < DECLARE_RIICHI:
        discard(lookup, game, action, hint_1)
    elif action == DECLARE_RIICHI:
        kinds = may_declare_riichi(lookup, game, seat)
        game["riichi"][seat] = 1
        game["double_riichi"][seat] = not game["interrupted"] and game["n_river"][seat] == 0
        push_event(game, EVENT_RIICHI, seat, 0, 0)
        game["phase"] = PHASE_RIICHI_DISCARD
        game["asked"] = 0
        ask(game, seat, discards_within(game, seat, kinds), np.int64(0))
    elif action == WIN_BY_DRAW:
        drawn = np.int64(game["drawn"])
        _end_round(game, RESULT_DRAW_WIN)
        _add_win(game, seat, seat, drawn)
    elif action == NINE_TERMINALS:
        _end_round(game, RESULT_NINE_TERMINALS)
    else:
        _declare_kong(game, action, hint_1)


@jit
def _count_wins(game, source, tile):
    """Note every seat that wins on the open tile, in turn order; return how many do after the rules' choice."""
    _end_round(game, RESULT_CLAIM_WIN)
    for step in range(1, 4):
        seat = (source + step) & 3
        if game["answers"][seat] == WIN_BY_CLAIM:
            _add_win(game, seat, source, tile)
    if game["rules"]["multiple_ron"] != MULTIPLE_RON_ALL:
        game["result"]["n_wins"] = 1
    elif game["result"]["n_wins"] == 3 and game["rules"]["abort_triple_ron"]:
        _end_round(game, RESULT_TRIPLE_RON)


@jit
def _note_missed_wins(game, source, kind):
    """A seat that waits for the tile and did not win on it is furiten: until its next discard, in riichi for good."""
    for step in range(1, 4):
        seat = (source + step) & 3
        if game["waits"][seat] >> kind & 1 and may_rob(game, seat, source, kind):
            game["missed"][seat] |= MISSED_NOW
            if game["riichi"][seat]:
                game["missed"][seat] |= MISSED_IN_RIICHI


@jit
def _abort_after_discard(game, seat):
    """Return the kind of abortive draw that the discard of a seat brings once nobody has won on it, or 0."""
    rules = game["rules"]
    if rules["abort_four_riichi"]:
        accepted = 0
        for s in range(4):
            accepted += game["riichi"][s] == 2
        if accepted == 4:
            return RESULT_FOUR_RIICHI
    if _four_kongs_abort(game):
        return RESULT_FOUR_KONGS
    if rules["abort_four_winds"] and not game["interrupted"] and seat == (game["dealer"] + 3) & 3:
        first = game["discarded"][seat]
        same = first & WINDS != 0
        for s in range(4):
            same = same and game["n_river"][s] == 1 and game["discarded"][s] == first
        if same:
            return RESULT_FOUR_WINDS
    return 0


@jit
def _resolve_claims(lookup, game, hint_1, hint_2):
    """Carry out the claims on a discard: wins, then pong or open kong, then chow; otherwise the next seat draws."""
    source = np.int64(game["turn"])
    tile = np.int64(game["claim_tile"])
    wins = 0
    caller = -1
    for step in range(1, 4):
        seat = (source + step) & 3
        if not game["asked"] >> seat & 1:
            continue
        action = np.int64(game["answers"][seat])
        if action == WIN_BY_CLAIM:
            wins += 1
        elif action != PASS and (caller < 0 or action >= PONG):
            caller = seat
    if wins:
        for seat in range(4):
            if not game["asked"] >> seat & 1:
                game["answers"][seat] = NO_ACTION
        _count_wins(game, source, tile)
        return
    _note_missed_wins(game, source, tile >> 2)
    if game["riichi"][source] == 1:  # the bet is paid once nobody has won on the declaring discard
        game["riichi"][source] = 2
        game["ippatsu"][source] = 1
        game["scores"][source] -= 1000
        game["bets"] += 1
        push_event(game, EVENT_RIICHI_ACCEPTED, source, 0, 0)
    abort = _abort_after_discard(game, source)
    if abort:
        _end_round(game, abort)
    elif caller >= 0:
        action = np.int64(game["answers"][caller])
        kind, place = _call(game, caller, action, hint_1, hint_2)
        if action == OPEN_KONG:
            _replace_after_kong(lookup, game, False)
        else:
            game["forbidden"] = swap_forbidden(game, kind, place)
            game["phase"] = PHASE_CALL_DISCARD
            game["asked"] = 0
            ask(game, caller, call_discard_actions(game, caller), np.int64(0))
    elif tiles_left(game) == 0:
        _end_round(game, RESULT_EXHAUSTIVE)
    else:
        game["claim_tile"] = NO_TILE
        draw_live(game, (source + 1) & 3)
        game["phase"] = PHASE_TURN
        game["asked"] = 0


@jit
def _resolve_kong_claims(lookup, game):
    """Carry out the robbing of a kong, or draw its replacement."""
    source = np.int64(game["turn"])
    tile = np.int64(game["claim_tile"])
    closed = game["events"][game["n_events"] - 1] & 15 == EVENT_CLOSED_KONG
    robbed = False
    for seat in range(4):
        if not game["asked"] >> seat & 1:
            game["answers"][seat] = NO_ACTION
        robbed = robbed or game["answers"][seat] == WIN_BY_CLAIM
    if robbed:
        _count_wins(game, source, tile)
        return
    _note_missed_wins(game, source, tile >> 2)
    _replace_after_kong(lookup, game, closed)


@jit
def answer(game, seat, action):
    """Note the choice of an asked seat; the caller has made sure that it is legal."""
    game["answers"][seat] = action
    game["pending"] &= 15 ^ (1 << seat)


@jit
def is_forced(game):
    """Return the only action of the only asked seat, or NO_ACTION where there is a choice."""
    if popcount(np.int64(game["asked"])) != 1:
        return NO_ACTION
    seat = lowest_copy(np.int64(game["asked"]))
    low = game["legal"][seat, 0]
    high = game["legal"][seat, 1]
    if low & (low - 1) or high & (high - 1) or (low != 0) == (high != 0):
        return NO_ACTION
    word = low if low else high
    return popcount(word - 1) + (0 if low else WORD_BITS)


@jit
def advance(lookup, game, play_forced, hint_1, hint_2):
    """Run a game that is dealt on until a seat must choose, or the round or game is over.

    `hint_1`, `hint_2` are the physical tiles of a replayed action, or NO_TILE; with `play_forced` a decision with
    one legal action plays itself.
    """
    while True:
        phase = np.int64(game["phase"])
        if phase >= PHASE_ROUND_OVER or phase == PHASE_STOP:
            return
        if phase == PHASE_TURN and not game["asked"]:
            ask_turn(lookup, game)
        if game["pending"]:
            action = is_forced(game) if play_forced else NO_ACTION
            if action == NO_ACTION:
                return
            answer(game, lowest_copy(np.int64(game["asked"])), action)
        if phase == PHASE_CLAIM:
            _resolve_claims(lookup, game, hint_1, hint_2)
        elif phase == PHASE_KONG_CLAIM:
            _resolve_kong_claims(lookup, game)
        else:
            _act(lookup, game, hint_1)
            if game["phase"] == PHASE_CLAIM or game["phase"] == PHASE_KONG_CLAIM:
                ask_claims(lookup, game)
        hint_1 = NO_TILE
        hint_2 = NO_TILE


assert PHASE_GAME_OVER > PHASE_ROUND_OVER > PHASE_STOP
assert CHOW_HIGH_RED < PONG and STOP > PASS
