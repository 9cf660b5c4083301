"""The mjai events of a table as its game progresses, and each seat's view of them."""

from collections.abc import Sequence

import numpy as np

from simulator.logs.mjai_writer import start_game
from simulator.rules import EAST_ONLY
from simulator.views.mjai_events import Event, round_events, start_round


class TableFeed:
    """The events at a table since the last call of `take`.

    The order is that of the original mjai: the indicator of an open or added kong comes before the discard that
    reveals it. (In the record it comes after.)
    """

    def __init__(self, game: np.void, names: Sequence[str]) -> None:
        self._in_round = False
        self._n_seen = 0
        rules = game["rules"]
        self._new: list[Event] = [start_game(names, rules["length"] == EAST_ONLY, bool(rules["red_fives"]))]

    def take(self) -> list[Event]:
        """Return the events since the last call, with all tiles visible."""
        new, self._new = self._new, []
        return new

    def look(self, game: np.void) -> None:
        """Add the new events in the record of a game."""
        if not self._in_round:
            self._new.append(start_round(game))
            self._in_round, self._n_seen = True, 0
        self._new += _in_order(round_events(game, self._n_seen))
        self._n_seen = int(game["n_events"])

    def end_round(self, record: np.void) -> None:
        """Add the end of a round; record: GAME as in `Ended.records`."""
        self.look(record)
        self._new.append({"type": "end_kyoku"})
        self._in_round = False
        if record["result"]["game_over"]:
            self._new.append({"type": "end_game", "scores": record["scores"].tolist()})


def _in_order(events: list[Event]) -> list[Event]:
    """Move the indicators that a discard reveals before that discard; the engine records both in one step."""
    ordered: list[Event] = []
    for event in events:
        shown = event["type"] == "dora" and ordered and ordered[-1]["type"] == "dahai"
        ordered.insert(len(ordered) - 1 if shown else len(ordered), event)
    return ordered
