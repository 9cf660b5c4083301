"""The lines to a bot, in the three styles of the protocol in use, and its replies, which may be anything."""

import json
from collections.abc import Sequence
from typing import Any, Literal, get_args

from simulator.views.mjai_events import Event

#: `array`: a line is a JSON array of all events since the last one, and each line gets a reply (mjai.app).
#: `every`: a line is one event, and each line gets a reply, `none` where there is nothing to do (the original).
#: `acting`: a line is one event, and only an event on which the bot may act gets a reply (Mortal); `can_act` marks it.
Style = Literal["array", "every", "acting"]
STYLES: tuple[Style, ...] = get_args(Style)
_SHOWN = 200
_NONE: Event = {"type": "none"}
#: The fields that are read, with their types.
_FIELDS: dict[str, type] = {"type": str, "actor": int, "target": int, "pai": str, "tsumogiri": bool, "consumed": list}


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


class BadReply(ValueError):
    """A line that is not an mjai action."""


def shown(line: bytes | str) -> str:
    """Return a line for display in a message: shortened, and with control characters escaped."""
    text = line.decode(errors="replace") if isinstance(line, bytes) else line
    text = text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
    return text.encode("unicode_escape").decode()


def read_action(line: bytes) -> Event:
    """Return the action in a line, with only the fields that matter; raises BadReply."""
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        raise BadReply(f"not JSON: {shown(line)}") from None
    if reply is None:
        return _NONE
    if not isinstance(reply, dict) or not isinstance(reply.get("type"), str):
        raise BadReply(f"not an mjai action: {shown(line)}")
    action = {name: reply[name] for name in _FIELDS if reply.get(name) is not None}
    for name, value in action.items():
        if not isinstance(value, _FIELDS[name]) or (name == "consumed" and not _are_names(value)):
            raise BadReply(f"{name!r} of this action cannot be read: {shown(line)}")
    return action


def _are_names(value: Any) -> bool:
    return bool(value) and all(isinstance(each, str) for each in value)
