"""The mjai events of a game's current round, read directly from its record while it is being played.

The dialect is that of Mortal and RiichiEnv, as `logs.mjai_writer` writes it. The engine decides when a kong's dora
indicator is revealed: a closed kong's at once, that of an open or added kong with the next discard or before the
replacement of a further kong.
"""

import numpy as np

from simulator import record as r
from simulator.logs.from_record import ura_shown
from simulator.logs.mjai_words import REASON_NAMES, TILE_NAMES, Event, move_event
from simulator.logs.mjai_writer import tile_name
from simulator.tiles import EAST
from simulator.walls import DORA_INDICATORS, dealt_places

#: Which tiles of its meld an event lists as consumed; a pong may since have become an added kong.
_CONSUMED = {
    r.EVENT_CHOW: slice(1, 3),
    r.EVENT_PONG: slice(1, 3),
    r.EVENT_OPEN_KONG: slice(1, 4),
    r.EVENT_CLOSED_KONG: slice(0, 4),
    r.EVENT_ADDED_KONG: slice(0, 3),
}


def start_round(game: np.void) -> Event:
    """Return the `start_kyoku` of the round that a game (GAME record) is in."""
    red_fives = bool(game["rules"]["red_fives"])
    wall, dealer = game["wall"].tolist(), int(game["dealer"])
    hands = [sorted(wall[place] for place in dealt_places(dealer, seat)) for seat in range(r.SEATS)]
    return {
        "type": "start_kyoku",
        "bakaze": TILE_NAMES[EAST + int(game["round"]) // r.SEATS],
        "dora_marker": tile_name(wall[DORA_INDICATORS[0]], red_fives),
        "kyoku": int(game["round"]) % r.SEATS + 1,
        "honba": int(game["repeat_counter"]),
        "kyotaku": int(game["start_bets"]),
        "oya": dealer,
        "scores": game["start_scores"].tolist(),
        "tehais": [[tile_name(tile, red_fives) for tile in hand] for hand in hands],
    }


def round_events(game: np.void, start: int = 0) -> list[Event]:
    """Return the events of a game's round from number `start` on, including its results but not `end_kyoku`."""
    codes = game["events"][: game["n_events"]].tolist()
    wins = sum(code & 15 == r.EVENT_WIN for code in codes[:start])
    events = []
    for code in codes[start:]:
        if code & 15 == r.EVENT_WIN:
            events.append(_win(game, wins))
            wins += 1
        else:
            events.append(_move(game, code))
    return events


def _move(game: np.void, code: int) -> Event:
    kind, seat, extra, tile = code & 15, code >> 4 & 3, code >> 6 & 3, code >> 8
    if kind == r.EVENT_NO_WINNER:
        return {"type": "ryukyoku", "reason": REASON_NAMES[tile], "deltas": game["result"]["deltas"].tolist()}
    red_fives = bool(game["rules"]["red_fives"])
    own: list[str] = []
    source = r.NO_SEAT
    if kind in _CONSUMED:
        meld = game["melds"][seat, extra]
        own = [tile_name(each, red_fives) for each in meld["tiles"].tolist()[_CONSUMED[kind]]]
        source = int(meld["source"])
    return move_event(kind, seat, tile_name(tile, red_fives), own, source, bool(extra))


def _win(game: np.void, number: int) -> Event:
    win = game["result"]["wins"][number]
    red_fives = bool(game["rules"]["red_fives"])
    return {
        "type": "hora",
        "actor": int(win["seat"]),
        "target": int(win["source"]),
        "pai": tile_name(int(win["tile"]), red_fives),
        "deltas": win["deltas"].tolist(),
        "ura_markers": [tile_name(tile, red_fives) for tile in ura_shown(game, int(win["seat"]))],
    }
