"""The three styles of the protocol in use: how events are put into lines for a bot, and which lines it replies to."""

import json
from collections.abc import Sequence
from typing import Literal, get_args

from simulator.views.mjai_events import Event

#: `array`: a line is a JSON array of all events since the last one, and each line gets a reply (mjai.app).
#: `every`: a line is one event, and each line gets a reply, `none` where there is nothing to do (the original).
#: `acting`: a line is one event, and only an event on which the bot may act gets a reply (Mortal); `can_act` marks it.
Style = Literal["array", "every", "acting"]
STYLES: tuple[Style, ...] = get_args(Style)


def lines(style: Style, events: Sequence[Event], may_act: bool) -> list[tuple[bytes, int | None]]:
    """Return the lines for some events, each with the index of the event that a reply to it answers (None: no reply).

    may_act: whether the bot may act on the last of the events.
    """
    if not events:
        return []
    last = len(events) - 1
    if style == "array":
        return [(_line(list(events)), last)]
    if style == "every":
        return [(_line(event), index) for index, event in enumerate(events)]
    answered = [may_act and index == last for index in range(len(events))]
    parts = (_line(event | {"can_act": may}) for event, may in zip(events, answered, strict=True))
    return [(line, last if may else None) for line, may in zip(parts, answered, strict=True)]


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
