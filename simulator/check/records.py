"""The public property test: `check(games)` raises an error if a game record is not a possible state of a game.

It can be called at any time with any batch: `tables.games`, `Ended.records`, a snapshot or a hand-made record. For
every game it checks that each of the 136 tiles occurs once in the rest of the wall, a hand, a meld or a river; that
points and riichi bets add up; that counters, flags and events are consistent; that the values derived from the hands
(copies, suit keys, waits) are right; that the seats asked fit the phase; and that the legal actions fit the rules as
stated in `legality.py`. `try_actions` goes further: it plays legal and illegal actions.
"""

import numpy as np

from simulator import record as r
from simulator.check.legality import LEGAL_FAULTS, legal_fault
from simulator.jit import jit
from simulator.lookup import get_lookup
from simulator.moves import is_kong
from simulator.rules import LEFTOVER_BETS_FIRST, ROUNDING_NONE
from simulator.shanten import suit_key, waits
from simulator.tables import IllegalAction, Tables
from simulator.tiles import KINDS, TILES
from simulator.walls import DEAD_WALL, FIRST_LIVE, REPLACEMENTS

#: What can be wrong: the field, and how. A fault's number is its index here; 0 means no fault.
FAULTS = (
    ("", ""),
    ("phase", "is none in which a game rests"),
    ("round", "does not fit the dealer"),
    ("wall", "does not hold each tile once, together with hands, melds and rivers"),
    ("scores", "and riichi bets do not add up to the starting points"),
    ("scores", "do not follow from those at the deal, the bets and the payments"),
    ("bets", "do not follow from those at the deal and the seats in riichi"),
    ("hand", "has a wrong number of tiles"),
    ("copies", "do not agree with the counts of the hand"),
    ("suit_keys", "are not those of the hand"),
    ("waits", "are not those of the hand"),
    ("n_open", "does not agree with the melds"),
    ("kongs", "does not agree with the melds"),
    ("indicators", "does not agree with the kongs"),
    ("discarded", "does not agree with the river"),
    ("river", "does not agree with the events or the melds"),
    ("next_draw", "does not agree with the draws"),
    ("riichi", "cannot be, with an open hand or out of turn"),
    ("ippatsu", "cannot be without riichi"),
    ("missed", "cannot be for good without riichi"),
    ("interrupted", "does not agree with the melds"),
    ("n_events", "leaves no room"),
    ("pending", "does not fit the phase"),
    ("result", "has payments that do not add up"),
    ("result", "has ranks or final points that do not add up"),
)
(
    _NONE, _PHASE, _ROUND, _WALL, _POINTS, _SCORES, _BETS, _HAND, _COPIES, _KEYS, _WAITS, _OPEN, _KONGS, _INDICATORS,
    _DISCARDED, _RIVER, _NEXT_DRAW, _RIICHI, _IPPATSU, _MISSED, _INTERRUPTED, _EVENTS, _PENDING, _PAYMENTS, _RANKS,
) = range(len(FAULTS))  # fmt: skip
_BEFORE_LEGAL = len(FAULTS) - 1  # faults of the legal actions are numbered from here on
_BET = 1000
_FIRST_INDICATORS = 1
_MOST_KONGS, _MOST_MELDS = 4, 4


class CheckError(AssertionError):
    """An impossible game record, or an action that was handled wrongly; the message gives the game, field and fault."""

    def __init__(self, game: int, field: str, what: str) -> None:
        self.game, self.field = game, field
        super().__init__(f"game {game}: {field} {what}")


@jit
def _range_fault(game):
    """Return the fault of a number that is too large to be used as an index by the other checks."""
    if game["phase"] > r.PHASE_GAME_OVER or game["phase"] == r.PHASE_ROUND_OVER:
        return _PHASE
    if game["round"] > 11 or game["dealer"] != game["round"] & 3:
        return _ROUND
    if game["turn"] >= r.SEATS or (game["claim_tile"] >= TILES and game["claim_tile"] != r.NO_TILE):
        return _PENDING
    if game["drawn"] >= TILES and game["drawn"] != r.NO_TILE:
        return _HAND
    if game["kongs"] > _MOST_KONGS:
        return _KONGS
    if game["next_draw"] >= FIRST_LIVE or game["next_draw"] < DEAD_WALL - 1 + game["kongs"]:
        return _NEXT_DRAW
    if game["n_events"] >= r.MAX_EVENTS:
        return _EVENTS
    for seat in range(r.SEATS):
        if game["n_melds"][seat] > _MOST_MELDS:
            return _OPEN
        if game["n_river"][seat] > r.MAX_RIVER:
            return _RIVER
    return 0


@jit
def _tile_fault(game):
    """Return the fault if tiles are missing, duplicated or miscounted, or if rivers and melds do not agree."""
    seen = np.zeros(256, np.int16)  # a byte that should be a tile may have any value
    for place in range(np.int64(game["next_draw"]) + 1):
        seen[game["wall"][place]] += 1
    for n in range(np.int64(game["kongs"])):
        seen[game["wall"][REPLACEMENTS[n]]] -= 1
    called = 0
    n_open = 0
    kongs = 0
    for seat in range(r.SEATS):
        own_open = 0
        for kind in range(KINDS):
            copies = np.int64(game["copies"][seat, kind])
            held = 0
            for copy in range(4):
                seen[4 * kind + copy] += copies >> copy & 1
                held += copies >> copy & 1
            if held != game["hand"][seat, kind]:
                return _COPIES
        for n in range(np.int64(game["n_melds"][seat])):
            meld = game["melds"][seat, n]
            four = is_kong(meld["type"])
            kongs += four
            own_open += meld["type"] != r.MELD_CLOSED_KONG
            for place in range(4 if four else 3):
                seen[meld["tiles"][place]] += 1
        if own_open != game["n_open"][seat]:
            return _OPEN
        n_open += own_open
        discarded = np.int64(0)
        for n in range(np.int64(game["n_river"][seat])):
            entry = np.int64(game["river"][seat, n])
            discarded |= np.int64(1) << ((entry & 255) >> 2)
            if entry & r.RIVER_CALLED:
                called += 1
            else:
                seen[entry & 255] += 1
        if discarded != game["discarded"][seat]:
            return _DISCARDED
    for tile in range(256):
        if seen[tile] != (tile < TILES):
            return _WALL
    if called != n_open:
        return _RIVER
    return 0 if kongs == game["kongs"] + game["robbing"] else _KONGS


@jit
def _event_fault(game):
    """Return the fault if the draws and discards among the events do not fit the wall and the rivers."""
    draws = 0
    replacements = 0
    discards = np.zeros(r.SEATS, np.int64)
    for n in range(np.int64(game["n_events"])):
        event = np.int64(game["events"][n])
        if event & 15 == r.EVENT_DRAW:
            replacements += event >> 6 & 1
            draws += 1 - (event >> 6 & 1)
        elif event & 15 == r.EVENT_DISCARD:
            discards[event >> 4 & 3] += 1
    if draws != FIRST_LIVE - game["next_draw"] or replacements != game["kongs"]:
        return _NEXT_DRAW
    for seat in range(r.SEATS):
        if discards[seat] != game["n_river"][seat]:
            return _RIVER
    return 0


@jit
def _seat_fault(lookup, game, seat):
    """Return the fault in a seat's hand, the values derived from it, or its flags."""
    acting = seat == game["turn"]
    after_draw = acting and game["drawn"] != r.NO_TILE
    after_call = acting and game["phase"] == r.PHASE_CALL_DISCARD
    n_melds = np.int64(game["n_melds"][seat])
    tiles = np.int64(0)
    for kind in range(KINDS):
        tiles += game["hand"][seat, kind]
    if tiles != 13 - 3 * n_melds + after_draw + after_call:
        return _HAND
    for suit in range(4):
        if game["suit_keys"][seat, suit] != suit_key(game["hand"][seat], suit):
            return _KEYS
    if not after_call and not (acting and game["robbing"]):  # else updated with the discard or replacement
        hand = game["hand"][seat].copy()
        if after_draw:
            hand[game["drawn"] >> 2] -= 1
        if game["waits"][seat] != waits(lookup, hand, n_melds):
            return _WAITS
    riichi = game["riichi"][seat]
    if game["ippatsu"][seat] and riichi != 2:
        return _IPPATSU
    if not riichi:
        return _RIICHI if game["double_riichi"][seat] else _MISSED if game["missed"][seat] >> 1 else 0
    return _RIICHI if game["n_open"][seat] or (riichi == 1 and not acting) else 0


@jit
def _point_fault(game):
    """Return the fault in points, bets and results; `result` holds those of a round that is over."""
    rules = game["rules"]
    result = game["result"]
    over = game["phase"] == r.PHASE_DEAL or game["phase"] >= r.PHASE_STOP
    won = over and (result["type"] == r.RESULT_TSUMO or result["type"] == r.RESULT_RON)
    in_riichi = 0
    for seat in range(r.SEATS):
        in_riichi += game["riichi"][seat] == 2
    lost = np.int64(0)
    if game["phase"] == r.PHASE_GAME_OVER and not won and rules["leftover_bets"] != LEFTOVER_BETS_FIRST:
        lost = np.int64(result["bets"])
    points = np.int64(game["scores"].sum()) + _BET * (np.int64(game["bets"]) + lost)
    if points != r.SEATS * np.int64(rules["starting_points"]):
        return _POINTS
    bets = np.int64(result["bets"]) if over else np.int64(game["bets"])
    if bets != game["start_bets"] + in_riichi:
        return _BETS
    if over and result["deltas"].sum() != (_BET * bets if won else 0):
        return _PAYMENTS
    leftover = np.int64(0)
    for seat in range(r.SEATS):
        due = game["start_scores"][seat] - (_BET if game["riichi"][seat] == 2 else 0)
        if over:
            due += result["deltas"][seat]
        rest = game["scores"][seat] - due
        if rest and not (game["phase"] == r.PHASE_GAME_OVER and rest == _BET * bets and not won and not leftover):
            return _SCORES
        leftover += rest
    if game["phase"] != r.PHASE_GAME_OVER:
        return 0
    ranks = 0
    for seat in range(r.SEATS):
        ranks |= 1 << result["ranks"][seat]
        for other in range(r.SEATS):
            if game["scores"][seat] > game["scores"][other] and result["ranks"][seat] > result["ranks"][other]:
                return _RANKS
    total = result["final_points"].sum()
    if ranks != 15 or total != (-10 * lost if rules["final_rounding"] == ROUNDING_NONE else 0):
        return _RANKS
    return 0


@jit
def _counter_fault(game):
    """Return the fault in the indicators, the `interrupted` flag or the seats asked."""
    phase = game["phase"]
    shown = game["indicators"] + game["pending_indicators"]
    if shown != _FIRST_INDICATORS + (game["kongs"] if game["rules"]["kong_dora"] else 0):
        return _INDICATORS
    melds = 0
    for seat in range(r.SEATS):
        melds += game["n_melds"][seat]
    if game["interrupted"] != (melds > 0) and not game["robbing"]:
        return _INTERRUPTED
    pending, must_choose = np.int64(game["pending"]), np.int64(game["asked"])
    if pending & ~must_choose:
        return _PENDING
    if phase == r.PHASE_DEAL or phase == r.PHASE_GAME_OVER:
        return _PENDING if pending else 0
    if phase == r.PHASE_CLAIM or phase == r.PHASE_KONG_CLAIM:
        return _PENDING if pending == 0 or must_choose >> game["turn"] & 1 or game["claim_tile"] == r.NO_TILE else 0
    return 0 if pending == 1 << (game["dealer"] if phase == r.PHASE_STOP else game["turn"]) else _PENDING


@jit
def _fault(lookup, game):
    """Return the first fault of a game, or 0."""
    if game["phase"] == r.PHASE_DEAL and (game["wall_given"] or game["deals"] == 0):
        return 0  # between two rounds, when the last round's fields may be gone
    fault = _range_fault(game)
    fault = fault if fault else _counter_fault(game)
    fault = fault if fault else _tile_fault(game)
    fault = fault if fault else _event_fault(game)
    fault = fault if fault else _point_fault(game)
    if fault:
        return fault
    for seat in range(r.SEATS):
        fault = _seat_fault(lookup, game, seat)
        if fault:
            return fault
        if game["pending"] >> seat & 1:
            fault = legal_fault(lookup, game, seat)
            if fault:
                return _BEFORE_LEGAL + fault
    return 0


@jit
def find_fault(lookup, games):
    """Return (index, fault) of the first game with a fault, or (-1, 0); faults index FAULTS + LEGAL_FAULTS."""
    for i in range(len(games)):
        fault = _fault(lookup, games[i])
        if fault:
            return i, fault
    return -1, 0


def check(games: np.ndarray) -> None:
    """Check GAME[n] records as described in the module; raise CheckError for the first impossible one."""
    index, fault = find_fault(get_lookup(), games)
    if index >= 0:
        field, what = (*FAULTS, *LEGAL_FAULTS)[fault]
        raise CheckError(int(index), field, what)


def try_actions(games: np.ndarray, seed: int = 0) -> int:
    """Play every legal action of every pending decision, each in a copy of its game, and check the resulting games.

    For every decision, one illegal action (chosen by `seed`) is tried as well; `Tables.step` must refuse it and leave
    everything unchanged. Other seats asked at the same time pass. Returns the number of actions tried; raises
    CheckError.
    """
    waiting = games[games["pending"] > 0]
    if not len(waiting):
        return 0
    tables = Tables(len(waiting), restart=False)
    tables.restore(waiting)
    decisions = tables.decisions()
    generator = np.random.default_rng(seed)
    refused = decisions.legal.argmax(axis=1)
    for n in range(len(decisions)):
        _must_refuse(tables, refused, n, int(generator.choice(np.flatnonzero(~decisions.legal[n]))))
    tried, actions = np.nonzero(decisions.legal)
    copies = Tables(len(tried), restart=False)
    copies.restore(waiting[decisions.game[tried]])
    due = copies.decisions()
    chosen = np.where(due.seat == decisions.seat[tried][due.game], actions[due.game], r.PASS)
    ended = copies.step(chosen)
    for records, origin in ((ended.records, ended.game), (copies.games, np.arange(len(tried)))):
        try:
            check(records)
        except CheckError as error:
            which = int(origin[error.game])
            place = int(decisions.game[tried[which]])
            did = f"after seat {decisions.seat[tried[which]]} did {r.ACTION_NAMES[actions[which]]!r}"
            raise CheckError(place, error.field, f"{str(error).partition(error.field)[2].strip()} {did}") from error
    return len(tried) + len(decisions)


def _must_refuse(tables: Tables, legal: np.ndarray, n: int, action: int) -> None:
    """Pass legal actions but one to `Tables.step`; raise CheckError unless that one is refused and nothing changes."""
    before = tables.games.tobytes()
    actions = legal.copy()
    actions[n] = action
    decisions = tables.decisions()
    try:
        tables.step(actions)
    except IllegalAction as error:
        reported = (error.game, error.seat, error.action) == (decisions.game[n], decisions.seat[n], action)
        if reported and tables.games.tobytes() == before:
            return
    fault = f"did not keep seat {decisions.seat[n]} from {r.ACTION_NAMES[action]!r}"
    raise CheckError(int(decisions.game[n]), "legal", fault)


assert len(r.ACTION_NAMES) == r.ACTIONS
