"""Parsing of a bot's replies, which may be anything."""

import json
from typing import Any

Event = dict[str, Any]
_SHOWN = 200
_NONE: Event = {"type": "none"}
#: The fields that are read, with their types.
_FIELDS: dict[str, type] = {"type": str, "actor": int, "target": int, "pai": str, "tsumogiri": bool, "consumed": list}


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
