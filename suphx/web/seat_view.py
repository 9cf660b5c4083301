"""The positions, moves and questions that a person at the table is shown, as documents for JSON.

During a round, nothing in them depends on a tile that is hidden from the seat, nor on what other seats may do.
Tiles and kinds are in the notation of `suphx.review.document`.
"""

from typing import Literal

import numpy as np

from simulator import record as r
from simulator.actions import legal_actions
from simulator.asking import MISSED_IN_RIICHI
from simulator.efficiency import discards_batch, kinds_of, waits_batch
from simulator.legal import may_declare_riichi
from simulator.lookup import get_lookup
from simulator.redeal.hidden import mark_hidden
from simulator.tiles import KINDS, TILES, kind_name, tile_name
from simulator.views.table import round_name, waits_now
from suphx.review.document import Document, Result
from suphx.review.frames import Frame, frame_of

#: An additional action number, which is not an action at the table: go on to the next round.
NEXT_ROUND = r.ACTIONS
#: `SeatQuestion.situation` after a round.
ROUND_OVER = "round over"

_CALLS = {r.EVENT_CHOW: "chow", r.EVENT_PONG: "pong", r.EVENT_OPEN_KONG: "open kong"}

#: (seat, or None for an event without a seat; the text, with tiles in notation).
Move = tuple[int | None, str]


class SeatChoice(Document):
    """A possible answer to a question."""

    action: int
    """Action number as at the table, or `NEXT_ROUND`."""
    type: str
    """`discard`, `riichi`, `chow`, `pong`, `open kong`, `closed kong`, `added kong`, `tsumo`, `ron`,
    `nine terminals`, `pass`, `stop` (the dealer ends the game; `pass` continues it) or `next round`."""
    tile: str
    """The tile that is discarded, called, won on or made a kong of; empty if there is none."""
    own: list[str]
    """Own tiles that a call uses."""
    drawn: bool
    """Whether it discards the tile just drawn."""


class DiscardOutlook(Document):
    """The state of the hand after discarding a kind, based on what the seat sees."""

    kind: str
    shanten: int
    accepted: dict[str, int]
    """Kinds that then lower the shanten (the waits if tenpai), with the number of unseen tiles of each."""
    furiten: bool
    """If tenpai: whether one of the waits is among the own discards, including this one."""


class SeatQuestion(Document):
    """A question to the person."""

    number: int
    """Number of the question in this game, which the answer must name."""
    situation: str
    """`turn`, `riichi discard`, `call discard`, `claim`, `kong claim`, `stop` or `round over`."""
    choices: list[SeatChoice]
    riichi: list[str]
    """Kinds that can be discarded to declare riichi."""
    forbidden: list[str]
    """Kinds that may not be discarded after this call (swap-calling)."""
    outlook: list[DiscardOutlook]


class OwnHand(Document):
    """Facts about the person's own hand."""

    waits: dict[str, int]
    """Kinds that complete it, with the number of unseen tiles of each."""
    furiten: Literal["", "discard", "passed", "riichi"]
    """Why it may not win by ron: an own discard; a win passed up, until the next own discard; a win passed up in
    riichi, for the rest of the round. Empty if it is not furiten."""


class TablePosition(Document):
    """The table at one moment, as one seat sees it."""

    number: int
    """Number of the position in this game, from 1."""
    name: str
    """Name of the round, such as `East 1`."""
    last: int | None
    """Seat that made the last discard, if it has not been called."""
    frame: Frame
    """As in `suphx.review.frames`, with others' hands hidden, except those shown at the end of a round."""
    moves: list[Move]
    """The public moves since the previous position."""
    own: OwnHand
    question: SeatQuestion | None
    result: Result | None
    """The result of the round, once it has ended."""


def question_of(game: np.void, seat: int, mask: np.ndarray, number: int) -> SeatQuestion:
    """Return the question to a seat; mask: bool[ACTIONS], the legal actions."""
    choices = []
    for action in legal_actions(game, seat, mask):
        tile = action.claimed or (action.own[0] if action.own else "")
        own = list(action.own) if action.claimed or action.type == "closed kong" else []
        drawn = action.type == "discard" and action.mjai["tsumogiri"]
        choices.append(SeatChoice(action=int(action), type=action.type, tile=tile, own=own, drawn=drawn))
    after_call = game["phase"] == r.PHASE_CALL_DISCARD
    return SeatQuestion(
        number=number,
        situation=r.PHASE_NAMES[game["phase"]],
        choices=choices,
        riichi=kinds_of(may_declare_riichi(get_lookup(), game, seat)) if mask[r.DECLARE_RIICHI] else [],
        forbidden=kinds_of(int(game["forbidden"])) if after_call else [],
        outlook=_outlook(game, seat, {choice.tile.replace("0", "5") for choice in choices if choice.type == "discard"}),
    )


def next_round_question(number: int) -> SeatQuestion:
    """Return the question after a round, whose only answer is to go on."""
    choice = SeatChoice(action=NEXT_ROUND, type="next round", tile="", own=[], drawn=False)
    return SeatQuestion(number=number, situation=ROUND_OVER, choices=[choice], riichi=[], forbidden=[], outlook=[])


def position_of(
    shown: np.void, seat: int, number: int, moves: list[Move], question: SeatQuestion | None, result: Result | None
) -> TablePosition:
    """Return a position; shown: the GAME record to display (`LiveTable.shown`)."""
    return TablePosition(
        number=number,
        name=round_name(int(shown["round"])),
        last=_last_discard(shown),
        frame=frame_of(shown, [], {seat} | (_open_at_the_end(shown, result) if result else set())),
        moves=moves,
        own=own_of(shown, seat),
        question=question,
        result=result,
    )


def own_of(game: np.void, seat: int) -> OwnHand:
    """Return the facts about a seat's own hand."""
    waits = waits_now(game, seat)
    unseen = _unseen(game, seat)
    furiten: Literal["", "discard", "passed", "riichi"] = ""
    if game["missed"][seat] & MISSED_IN_RIICHI:
        furiten = "riichi"
    elif waits & int(game["discarded"][seat]):
        furiten = "discard"
    elif waits and game["missed"][seat]:
        furiten = "passed"
    return OwnHand(waits=_left(waits, unseen), furiten=furiten)


def _outlook(game: np.void, seat: int, discards: set[str]) -> list[DiscardOutlook]:
    if not discards:
        return []
    unseen = _unseen(game, seat)
    hand = game["hand"][seat]
    after = discards_batch(hand[None], unseen[None])
    outlook = []
    for kind in (kind for kind in np.flatnonzero(hand).tolist() if kind_name(kind) in discards):
        shanten = int(after.shanten[0, kind])
        mask = int(after.accepted[0, kind])
        if shanten == 0:  # also kinds of which no unseen tile is left
            mask = int(waits_batch((hand - (np.arange(KINDS) == kind))[None])[0])
        furiten = shanten == 0 and bool(mask & (int(game["discarded"][seat]) | 1 << kind))
        accepted = _left(mask, unseen)
        outlook.append(DiscardOutlook(kind=kind_name(kind), shanten=shanten, accepted=accepted, furiten=furiten))
    return outlook


def _unseen(game: np.void, seat: int) -> np.ndarray:
    """Return u8[34]: how many tiles of each kind a seat has not seen."""
    hidden = np.zeros(TILES, np.bool_)
    mark_hidden(game, seat, hidden)
    return hidden.reshape(KINDS, -1).sum(1).astype(np.uint8)


def _left(mask: int, unseen: np.ndarray) -> dict[str, int]:
    """Return how many tiles of each kind in a mask are unseen."""
    return {kind_name(kind): int(unseen[kind]) for kind in range(KINDS) if mask >> kind & 1}


def _last_discard(game: np.void) -> int | None:
    for event in reversed(game["events"][: game["n_events"]].tolist()):
        if event & 15 == r.EVENT_DISCARD:
            return int(event >> 4 & 3)
        if r.EVENT_CHOW <= event & 15 <= r.EVENT_OPEN_KONG:
            return None
    return None


def _open_at_the_end(shown: np.void, result: Result) -> set[int]:
    """Return the seats whose hands are shown at the end of a round."""
    if result.how == r.RESULT_NAMES[r.RESULT_FOUR_RIICHI]:
        return set(range(r.SEATS))
    declared = {int(shown["turn"])} if result.how == r.RESULT_NAMES[r.RESULT_NINE_TERMINALS] else set()
    return declared | {win.seat for win in result.wins} | set(result.tenpai)


def is_public(game: np.void) -> bool:
    """Return whether everyone sees that a seat has to act now; only the seat itself knows that it may claim a tile."""
    return game["phase"] in (r.PHASE_TURN, r.PHASE_RIICHI_DISCARD, r.PHASE_CALL_DISCARD)


def moves_since(game: np.void, start: int) -> list[Move]:
    """Return the moves in the round from event number `start` on, without draws and paid riichi bets."""
    events = game["events"][start : int(game["n_events"])].tolist()
    return [move for event in events if (move := _move(game, event))[1]]


def _move(game: np.void, event: int) -> Move:
    kind, seat, extra, tile = event & 15, event >> 4 & 3, event >> 6 & 3, event >> 8
    red_fives = bool(game["rules"]["red_fives"])
    if kind == r.EVENT_DISCARD:
        return seat, f"discard {tile_name(tile, red_fives)}"
    if kind == r.EVENT_RIICHI:
        return seat, "riichi"
    if kind in _CALLS:
        used = game["melds"][seat, extra]["tiles"].tolist()[1 : 4 if kind == r.EVENT_OPEN_KONG else 3]
        own = "".join(tile_name(each, red_fives) for each in used if each != r.NO_TILE)
        return seat, f"{_CALLS[kind]} {tile_name(tile, red_fives)} with {own}"
    if kind == r.EVENT_CLOSED_KONG:
        return seat, f"closed kong {kind_name(tile >> 2)}"
    if kind == r.EVENT_ADDED_KONG:
        return seat, f"added kong {tile_name(tile, red_fives)}"
    if kind == r.EVENT_DORA:
        return None, f"dora indicator {tile_name(tile, red_fives)}"
    if kind == r.EVENT_WIN:
        return seat, f"{'tsumo' if extra == seat else 'ron'} {tile_name(tile, red_fives)}"
    return None, r.RESULT_NAMES[tile] if kind == r.EVENT_NO_WINNER else ""
