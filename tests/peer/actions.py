"""The peer's actions as ours: one small integer each, and sets of them as one Python integer, a bit for each."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from riichienv import Action, ActionType

from simulator.record import (
    ACTION_NAMES,
    ADDED_KONG,
    CHOW_LOW,
    CLOSED_KONG,
    DECLARE_RIICHI,
    DISCARD,
    DISCARD_DRAWN,
    DISCARD_RED,
    NINE_TERMINALS,
    OPEN_KONG,
    PASS,
    PONG,
    RON,
    TSUMO,
    WORD_BITS,
)

RED_FIVES = (16, 52, 88)
_DISCARD, _CHOW, _PONG, _OPEN, _CLOSED, _ADDED = (
    int(kind)
    for kind in (
        ActionType.DISCARD, ActionType.CHI, ActionType.PON, ActionType.DAIMINKAN, ActionType.ANKAN, ActionType.KAKAN,
    )
)  # fmt: skip
_PLAIN = {
    int(ActionType.RON): RON,
    int(ActionType.TSUMO): TSUMO,
    int(ActionType.RIICHI): DECLARE_RIICHI,
    int(ActionType.PASS): PASS,
    int(ActionType.KYUSHU_KYUHAI): NINE_TERMINALS,
    _OPEN: OPEN_KONG,
}


def action_of(peer: Action, drawn: int | None) -> int:
    """Return our action for one of the peer's; `drawn` is the tile that the seat has just drawn, if any."""
    kind = int(peer.action_type)
    if kind == _DISCARD:
        tile = peer.tile
        if tile == drawn:
            return DISCARD_DRAWN
        return DISCARD_RED + tile // 36 if tile in RED_FIVES else DISCARD + tile // 4
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind == _CLOSED:
        return CLOSED_KONG + peer.consume_tiles[0] // 4
    if kind == _ADDED:
        return ADDED_KONG + peer.tile // 4
    red = any(tile in RED_FIVES for tile in peer.consume_tiles)
    if kind == _PONG:
        return PONG + red
    assert kind == _CHOW, peer
    called = peer.tile // 4
    place = sum(tile // 4 < called for tile in peer.consume_tiles)  # how many of the three are lower
    return CHOW_LOW + 2 * place + red


def hints_of(peer: Action) -> tuple[int, ...]:
    """Return the physical tiles that an action of the peer names, as our engine takes them for a replay."""
    kind = int(peer.action_type)
    if kind in (_DISCARD, _ADDED):
        return (peer.tile,)
    if kind in (_CHOW, _PONG):
        return tuple(sorted(peer.consume_tiles))
    return ()


def options_of(peer: list[Action], drawn: int | None) -> dict[int, list[Action]]:
    """Return the peer's legal actions by our number: several where they differ in nothing but the copy of a tile."""
    options: dict[int, list[Action]] = {}
    for action in peer:
        options.setdefault(action_of(action, drawn), []).append(action)
    return options


def mask_of(actions: Iterable[int]) -> int:
    """Return a set of actions as an integer with bit a for action a."""
    mask = 0
    for action in actions:
        mask |= 1 << action
    return mask


def legal_mask(game: np.void, seat: int) -> int:
    """Return what our engine lets an asked seat do, as an integer with bit a for action a."""
    low, high = game["legal"][seat].tolist()
    return low | high << WORD_BITS


def names(mask: int) -> list[str]:
    """Return the words for a set of actions."""
    return [name for action, name in enumerate(ACTION_NAMES) if mask >> action & 1]
