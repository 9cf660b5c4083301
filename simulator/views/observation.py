"""`Observation`: what one seat sees when it is asked, with its legal actions, as text, arrays and mjai events.

The methods have the same names as RiichiEnv's, so that agents written for it or for Mortal can be used here:

```
for event in observation.new_events():
    reply = bot.react(event)
action = observation.select_action_from_mjai(reply)
```
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from simulator.actions import Action, Event, legal_actions, legal_mask, read_reply
from simulator.efficiency import kinds_of
from simulator.legal import is_furiten
from simulator.record import PHASE_NAMES
from simulator.views.planes import encode_one
from simulator.views.table import SeatView, TableView, table_view, waits_now


@dataclass(frozen=True, repr=False)
class Observation:
    """What a seat sees; nothing in it depends on a tile that is hidden from it."""

    seat: int
    table: TableView
    """Scores, rivers, melds and indicators; the seat's own hand is visible, the others are hidden."""
    situation: str
    """The kind of decision: `"turn"`, `"riichi discard"`, `"call discard"`, `"claim"`, `"kong claim"` or `"stop"`; `""`
    if the seat is not asked."""
    waits: tuple[str, ...]
    """Kinds that complete the seat's hand of 3n + 1 tiles (without the tile just drawn)."""
    furiten: bool
    array: np.ndarray = field(compare=False)
    """u8[ROWS, 34], see `simulator.views.planes`."""
    legal: np.ndarray = field(compare=False)
    """bool[ACTIONS]: the actions that the seat may choose; all False if it is not asked."""
    actions: tuple[Action, ...]
    events: tuple[Event, ...]
    """All mjai events of the game so far as this seat sees them."""
    n_seen: int
    """How many of the events the seat had seen when it last chose."""

    @property
    def own(self) -> SeatView:
        """The view of the seat itself."""
        return self.table.seats[self.seat]

    @property
    def hand(self) -> str:
        """The seat's concealed tiles in notation, without the one just drawn."""
        return self.own.hand or ""

    @property
    def drawn(self) -> str:
        """The tile just drawn, or `""`."""
        return self.own.drawn

    @property
    def player_id(self) -> int:
        """The seat, under the name that RiichiEnv uses."""
        return self.seat

    def legal_actions(self) -> list[Action]:
        """Return the actions that the seat may choose, sorted by number."""
        return list(self.actions)

    def mask(self) -> np.ndarray:
        """Return bool[ACTIONS]: the actions that the seat may choose."""
        return self.legal.copy()

    def new_events(self) -> list[str]:
        """Return the mjai events since the seat last chose, as JSON; hidden tiles of other seats are `?`."""
        return [json.dumps(event, separators=(",", ":")) for event in self.events[self.n_seen :]]

    def select_action_from_mjai(self, reply: str | bytes | Event | None) -> Action:
        """Return the legal action that an mjai reply means, or raise IllegalReply (see `actions.read_reply`)."""
        return read_reply(reply, self.seat, self.actions)

    def __repr__(self) -> str:
        situation = self.situation or "not asked"
        return f"<Observation of seat {self.seat}, {self.table.name}: {situation}, {len(self.actions)} legal actions>"

    def __str__(self) -> str:
        """Return a picture of the table as the seat sees it, and the actions it may choose."""
        return "\n".join([str(self.table), *self._notes()])

    def _repr_html_(self) -> str:
        """Return the picture that notebooks show."""
        return self.table.html(self._notes())

    def _notes(self) -> list[str]:
        lines = []
        if self.waits:
            lines.append(f"seat {self.seat} waits for {' '.join(self.waits)}" + (" (furiten)" if self.furiten else ""))
        if self.actions:
            lines.append(f"seat {self.seat}, {self.situation}: {', '.join(action.name for action in self.actions)}")
        return lines


def observe(game: np.void, seat: int, events: Sequence[Event] = (), n_seen: int = 0) -> Observation:
    """Return what a seat sees of a GAME record; events: as it sees them, `n_seen` of them when it last chose."""
    mask = legal_mask(game, seat)
    return Observation(
        seat=seat,
        table=table_view(game, (seat,)),
        situation=PHASE_NAMES[game["phase"]] if mask.any() else "",
        waits=tuple(kinds_of(waits_now(game, seat))),
        furiten=bool(is_furiten(game, seat)),
        array=encode_one(game, seat),
        legal=mask,
        actions=tuple(legal_actions(game, seat, mask)),
        events=tuple(events),
        n_seen=n_seen,
    )
