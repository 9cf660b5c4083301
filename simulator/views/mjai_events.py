"""The mjai events of a game, read directly from its record while it is being played.

The dialect is that of Mortal and RiichiEnv, as `logs.mjai_writer` writes it. The engine decides when a kong's dora
indicator is revealed: a closed kong's at once, that of an open or added kong with the next discard or before the
replacement of a further kong.
"""

import numpy as np

from simulator import record as r
from simulator.logs.from_record import log_events, ura_shown
from simulator.logs.mjai_words import REASON_NAMES, TILE_NAMES, Event
from simulator.logs.mjai_writer import mjai_move, tile_name
from simulator.tiles import EAST
from simulator.walls import DORA_INDICATORS, dealt_places


class EventFeed:
    """Reads the events of one game from its records, from `start_kyoku` on, as they come."""

    def __init__(self) -> None:
        self._in_round = False
        self._n_seen = 0

    def new(self, game: np.void) -> list[Event]:
        """Return the events in a game (GAME record) since the last call."""
        events = [] if self._in_round else [_start_round(game)]
        log, red_fives = log_events(game), bool(game["rules"]["red_fives"])
        wins = int((log["type"][: self._n_seen] == r.EVENT_WIN).sum())
        for place in range(self._n_seen, len(log)):
            kind = log["type"][place]
            if kind == r.EVENT_WIN:
                events.append(_win(game, wins))
                wins += 1
            elif kind == r.EVENT_NO_WINNER:
                reason = REASON_NAMES[int(log["tile"][place])]
                events.append({"type": "ryukyoku", "reason": reason, "deltas": game["result"]["deltas"].tolist()})
            else:
                events.append(mjai_move(log, place, red_fives))
        self._in_round, self._n_seen = True, len(log)
        return events

    def end_round(self, record: np.void) -> list[Event]:
        """Return the last events of a round, and the end of the game if it is that; record: as in `Ended.records`."""
        events = [*self.new(record), {"type": "end_kyoku"}]
        self._in_round, self._n_seen = False, 0
        if record["result"]["game_over"]:
            events.append({"type": "end_game", "scores": record["scores"].tolist()})
        return events


def _start_round(game: np.void) -> Event:
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
