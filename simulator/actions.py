"""`Action`: an action number with a description of what the action does; and the parsing of mjai replies."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from simulator import record as r
from simulator.logs.mjai_words import TILE_NAMES, Event, move_event
from simulator.logs.round_builder import face_name, face_of
from simulator.tables import IllegalAction
from simulator.tiles import KINDS, RED_FIVE_KINDS

#: The type of each action: its name without its tile and the place of that.
_TYPES = [re.sub(r"( \d[mpsz]| drawn| low| middle| high| red)+$", "", name) for name in r.ACTION_NAMES]
_PLAIN_MJAI = {
    r.DECLARE_RIICHI: "reach",
    r.TSUMO: "hora",
    r.RON: "hora",
    r.NINE_TERMINALS: "ryukyoku",
    r.PASS: "none",
    r.STOP: "end_game",
}


class Action(int):
    """An action at the table: its number (see `simulator.record`), and what it means for the seat that is asked.

    It is an `int` equal to that number, so lists of actions can be used as indices into masks and as array values.
    """

    seat: int
    own: tuple[str, ...]
    """Tiles of the seat's own hand that it discards, uses for a call or shows: `("5m",)`, `("4m", "0m")`."""
    claimed: str
    """The tile taken from another seat, or `""`."""
    mjai: Event
    """The action as an mjai event, of type `none` for a pass."""

    def __new__(
        cls, number: int, seat: int, own: tuple[str, ...] = (), claimed: str = "", mjai: Event | None = None
    ) -> Action:
        """Create the action with this number; `legal_actions` fills in the rest from a game."""
        action = super().__new__(cls, number)
        action.seat, action.own, action.claimed = seat, own, claimed
        action.mjai = mjai if mjai is not None else {"type": "none"}
        return action

    def __getnewargs__(self) -> tuple[Any, ...]:
        return int(self), self.seat, self.own, self.claimed, self.mjai

    @property
    def type(self) -> str:
        """The kind of action: `"discard"`, `"riichi"`, `"chow"`, `"pong"`, `"open kong"`, ... `"pass"`."""
        return _TYPES[self]

    @property
    def name(self) -> str:
        """The action in words: `"discard 5m"`, `"chow 3m with 4m0m"`, `"pass"`."""
        if self == r.DISCARD_DRAWN:
            return f"discard {self.own[0]} just drawn"
        if self.claimed:
            return f"{self.type} {self.claimed}" + (f" with {''.join(self.own)}" if self.own else "")
        return f"{self.type} {self.own[0]}" if self.own else self.type

    def to_mjai(self) -> str:
        """Return the action as mjai JSON."""
        return json.dumps(self.mjai)

    def __repr__(self) -> str:
        return f"<Action {int(self)}: {self.name}>"

    def __str__(self) -> str:
        return self.name


class IllegalReply(IllegalAction):
    """A reply that does not identify a legal action; the message gives the seat, its reply and the legal actions."""

    def __init__(self, seat: int, reply: object, legal: Sequence[Action], why: str = "") -> None:
        self.game, self.seat, self.action, self.legal = 0, seat, r.NO_ACTION, np.array(legal, np.int64)
        allowed = ", ".join(f"{action!r} {action.to_mjai()}" for action in legal)
        why = f" ({why})" if why else ""
        ValueError.__init__(self, f"seat {seat}: {reply!r} is no legal action{why}; legal: {allowed or 'nothing'}")


def legal_mask(game: np.void, seat: int) -> np.ndarray:
    """Return bool[ACTIONS]: the actions that a seat may choose now; all False if it is not asked."""
    mask = np.zeros(r.ACTIONS, np.bool_)
    if game["pending"] >> seat & 1:
        low, high = game["legal"][seat].tolist()
        mask[:] = [low >> a & 1 if a < r.WORD_BITS else high >> (a - r.WORD_BITS) & 1 for a in range(r.ACTIONS)]
    return mask


def legal_actions(game: np.void, seat: int, mask: np.ndarray) -> list[Action]:
    """Return the actions of a mask, described for a seat of a game (GAME record) and sorted by number."""
    return [_describe(game, seat, action) for action in np.flatnonzero(mask).tolist()]


def _describe(game: np.void, seat: int, action: int) -> Action:
    red_fives = bool(game["rules"]["red_fives"])
    open_tile, drawn, source = int(game["claim_tile"]), int(game["drawn"]), int(game["turn"])
    if action in (r.PASS, r.STOP):
        return Action(action, seat, mjai={"type": _PLAIN_MJAI[action]})
    if action in _PLAIN_MJAI:
        event: Event = {"type": _PLAIN_MJAI[action], "actor": seat}
        if action == r.RON:
            face = face_of(open_tile, red_fives)
            return Action(action, seat, (), face_name(face), event | {"target": source, "pai": TILE_NAMES[face]})
        if action == r.TSUMO:
            face = face_of(drawn, red_fives)
            return Action(action, seat, (face_name(face),), "", event | {"target": seat, "pai": TILE_NAMES[face]})
        return Action(action, seat, mjai=event)
    claimed = ""
    if action < r.DECLARE_RIICHI:
        face = action if action < r.DISCARD_RED else KINDS + action - r.DISCARD_RED
        if action == r.DISCARD_DRAWN:
            face = face_of(drawn, red_fives)
        kind, own, consumed = r.EVENT_DISCARD, [face], []
    elif action >= r.CLOSED_KONG:
        first = 4 * ((action - r.CLOSED_KONG) % KINDS)
        own = consumed = [face_of(tile, red_fives) for tile in range(first, first + 4)]
        kind, face = r.EVENT_CLOSED_KONG, own[0]
        if action >= r.ADDED_KONG:
            held = next(copy for copy in range(4) if game["copies"][seat, first >> 2] >> copy & 1)
            kind, face = r.EVENT_ADDED_KONG, own[held]
            own, consumed = [face], [*own[:held], *own[held + 1 :]]
    else:
        kind = r.EVENT_OPEN_KONG if action == r.OPEN_KONG else r.EVENT_PONG if action >= r.PONG else r.EVENT_CHOW
        face = face_of(open_tile, red_fives)
        own = consumed = _consumed(action, open_tile, red_fives)
        claimed = face_name(face)
    names = [TILE_NAMES[each] for each in consumed]
    event = move_event(kind, seat, TILE_NAMES[face], names, source, action == r.DISCARD_DRAWN)
    return Action(action, seat, tuple(map(face_name, own)), claimed, event)


def _consumed(action: int, open_tile: int, red_fives: bool) -> list[int]:
    """Return the faces of the tiles that a chow, pong or open kong takes from the caller's hand."""
    kind = open_tile >> 2
    if action == r.OPEN_KONG:
        return [face_of(tile, red_fives) for tile in range(4 * kind, 4 * kind + 4) if tile != open_tile]
    if action >= r.PONG:
        return [KINDS + kind // 9, kind] if action > r.PONG else [kind, kind]
    place, red = divmod(action - r.CHOW_LOW, 2)
    own = [each for each in range(kind - place, kind - place + 3) if each != kind]
    return [KINDS + each // 9 if red and each in RED_FIVE_KINDS else each for each in own]


def read_reply(reply: object, seat: int, legal: Sequence[Action]) -> Action:
    """Return the legal action that a reply means; raise IllegalReply if there is none, or more than one.

    reply: an action or its number, an mjai event, mjai JSON, or None for a pass. The `tsumogiri` of a discard matters
    only if both the tile just drawn and a tile of the hand fit; without it, the tile just drawn is discarded. Calls
    are distinguished by the tiles that they use (`consumed`), which may be left out if only one such call is legal.
    """
    event = reply
    if isinstance(reply, (int, np.integer)) and not isinstance(reply, bool):
        matches = [action for action in legal if action == reply]
    else:
        if isinstance(reply, (str, bytes)):
            try:
                event = json.loads(reply)
            except (ValueError, RecursionError):
                raise IllegalReply(seat, reply, legal) from None
        if event is None:
            event = {"type": "none"}
        if not isinstance(event, dict) or event.get("actor", seat) != seat:
            raise IllegalReply(seat, reply, legal)
        if event.get("type") == "dahai" and "pai" not in event:
            raise IllegalReply(seat, reply, legal, "it has no 'pai'")
        matches = [action for action in legal if _fits(action, event)]
    if len(matches) > 1 and matches[0].type == "discard":
        from_draw = event.get("tsumogiri", True) if isinstance(event, dict) else True
        matches = [action for action in matches if (action == r.DISCARD_DRAWN) == bool(from_draw)]
    if len(matches) != 1:
        raise IllegalReply(seat, reply, legal)
    return matches[0]


def _fits(action: Action, event: Event) -> bool:
    """Return whether an mjai event matches a legal action; fields that the event lacks are not compared."""
    ours = action.mjai
    if event.get("type") != ours["type"]:
        return False
    consumed = event.get("consumed")
    if consumed is not None and not (isinstance(consumed, list) and all(isinstance(name, str) for name in consumed)):
        return False
    if ours["type"] == "ankan" or ours["type"] == "kakan":
        named = event.get("pai") or (consumed[0] if consumed else None)
        plain = ours["consumed"][0].removesuffix("r")
        return named is None or (isinstance(named, str) and named.removesuffix("r") == plain)
    if "pai" in event and "pai" in ours and event["pai"] != ours["pai"]:
        return False
    if "consumed" in event and "consumed" in ours and ours["type"] != "daiminkan":
        return sorted(consumed or []) == sorted(ours["consumed"])
    return True
