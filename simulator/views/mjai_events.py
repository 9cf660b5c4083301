"""The mjai events of a game's current round, read directly from its record while it is being played.

The dialect is that of Mortal and RiichiEnv, as `logs.mjai_writer` writes it. The engine decides when a kong's dora
indicator is revealed: a closed kong's at once, that of an open or added kong with the next discard or before the
replacement of a further kong.
"""

from typing import Any

import numpy as np

from simulator import record as r
from simulator.logs.mjai_words import REASON_NAMES, TILE_NAMES
from simulator.logs.mjai_writer import tile_name
from simulator.tiles import EAST
from simulator.walls import DORA_INDICATORS, URA_INDICATORS, dealt_places

Event = dict[str, Any]
_CALLS = {r.EVENT_CHOW: "chi", r.EVENT_PONG: "pon", r.EVENT_OPEN_KONG: "daiminkan"}
_WORDS = {r.EVENT_RIICHI: "reach", r.EVENT_RIICHI_ACCEPTED: "reach_accepted"}


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
    if kind in _WORDS:
        return {"type": _WORDS[kind], "actor": seat}
    red_fives = bool(game["rules"]["red_fives"])
    name = tile_name(tile, red_fives)
    if kind == r.EVENT_DRAW:
        return {"type": "tsumo", "actor": seat, "pai": name}
    if kind == r.EVENT_DISCARD:
        return {"type": "dahai", "actor": seat, "pai": name, "tsumogiri": bool(extra)}
    if kind == r.EVENT_DORA:
        return {"type": "dora", "dora_marker": name}
    if kind == r.EVENT_CLOSED_KONG:
        return {"type": "ankan", "actor": seat, "consumed": [tile_name(tile + copy, red_fives) for copy in range(4)]}
    meld = game["melds"][seat, extra]
    tiles = [tile_name(each, red_fives) for each in meld["tiles"].tolist() if each != r.NO_TILE]
    if kind == r.EVENT_ADDED_KONG:
        return {"type": "kakan", "actor": seat, "pai": name, "consumed": tiles[:3]}
    own = tiles[1:] if kind == r.EVENT_OPEN_KONG else tiles[1:3]  # a pong may since have become an added kong
    return {"type": _CALLS[kind], "actor": seat, "target": int(meld["source"]), "pai": name, "consumed": own}


def _win(game: np.void, number: int) -> Event:
    win = game["result"]["wins"][number]
    seat = int(win["seat"])
    red_fives = bool(game["rules"]["red_fives"])
    ura = []
    if game["rules"]["ura_dora"] and game["riichi"][seat] == 2:
        shown = int(game["indicators"]) if game["rules"]["kong_ura"] else 1
        ura = [tile_name(int(game["wall"][place]), red_fives) for place in URA_INDICATORS[:shown]]
    return {
        "type": "hora",
        "actor": seat,
        "target": int(win["source"]),
        "pai": tile_name(int(win["tile"]), red_fives),
        "deltas": win["deltas"].tolist(),
        "ura_markers": ura,
    }
