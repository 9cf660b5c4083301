"""Fields of protobuf messages that are saved as JSON, in which a field that has its default may be missing.

The defaults are 0, false, the empty text and no elements. The functions raise ValueError for an impossible value.
"""

import json
from typing import Any

from simulator import record as r
from simulator.logs.archives import MAX_GAME_BYTES
from simulator.logs.model import MOST_POINTS, LogError

Message = dict[str, Any]


def load_json(data: bytes, source: str, place: str = "") -> Any:
    """Return the JSON value of one game or of one line; raise LogError if it is none, or too large."""
    if len(data) > MAX_GAME_BYTES:
        raise LogError(f"more than {MAX_GAME_BYTES:,} bytes for one game", source, place)
    try:
        return json.loads(data.decode())
    except UnicodeDecodeError as error:
        raise LogError(f"not UTF-8 text: {error}", source, place) from error
    except (ValueError, RecursionError) as error:
        raise LogError(f"not JSON: {error or 'nested too deeply'}", source, place) from error


def number(message: Message, name: str, most: int, least: int = 0) -> int:
    """Return an integer from `least` to `most`."""
    value = message.get(name)
    value = 0 if value is None else value
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{name} is {str(value)[:20]!r}, not {least} to {most}")
    return value


def numbers(message: Message, name: str, most: int, least: int = 0) -> list[int]:
    """Return a list of integers from `least` to `most`."""
    return [number({name: value}, name, most, least) for value in _elements(message, name)]


def seat(message: Message, name: str = "seat") -> int:
    """Return a seat, 0 to 3."""
    return number(message, name, r.SEATS - 1)


def points(message: Message, name: str) -> list[int] | None:
    """Return the points of the four seats; None if they are not stated."""
    values = numbers(message, name, MOST_POINTS, -MOST_POINTS)
    if len(values) not in (0, r.SEATS):
        raise ValueError(f"{name} has {len(values)} numbers, not {r.SEATS}")
    return values or None


def flag(message: Message, name: str) -> bool:
    """Return a truth value."""
    value = message.get(name)
    if value is not None and not isinstance(value, bool):
        raise ValueError(f"{name} is {str(value)[:20]!r}, neither true nor false")
    return bool(value)


def text(message: Message, name: str) -> str:
    """Return a text."""
    value = message.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{name} is {str(value)[:20]!r}, not a text")
    return value or ""


def part(message: Message, name: str) -> Message:
    """Return a message within a message."""
    return _message(message.get(name, {}), name)


def parts(message: Message, name: str) -> list[Message]:
    """Return a list of messages."""
    return [_message(value, name) for value in _elements(message, name)]


def texts(message: Message, name: str) -> list[str]:
    """Return a list of texts."""
    return [text({name: value}, name) for value in _elements(message, name)]


def _message(value: Any, name: str) -> Message:
    if value is not None and not isinstance(value, dict):
        raise ValueError(f"{name} is {str(value)[:20]!r}, not an object")
    return value or {}


def _elements(message: Message, name: str) -> list[Any]:
    value = message.get(name)
    if value is not None and not isinstance(value, list):
        raise ValueError(f"{name} is {str(value)[:20]!r}, not a list")
    return value or []
