"""What each choice of a decision is worth by the outlook: discards, riichi, chows, pongs, kongs and passes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulator import record as r
from simulator.tables import Decisions
from simulator.tiles import KINDS, RED_FIVE_KINDS
from suphx.agent.flow import Flow
from suphx.agent.model_decisions import DISCARD
from suphx.agent.opinions import Opinions
from suphx.dataset.loader import legal_discards
from suphx.features.encode import encode_batch
from suphx.features.layout import start
from suphx.networks.models import MODELS
from suphx.outlook.predictor import DiscardValues, Outlook
from suphx.outlook.transitions import after_calls, after_kongs, after_passes

#: What a player did where the agent would have done something else: the kinds of choices, and then the rest.
CHOICES = ("chow", "pong", "kong", "riichi", "no kong", "pass", "no riichi")
DISCARDED = "discard"


@dataclass(frozen=True)
class ChoiceValues:
    """The values of the choices of n decisions, by choice: a kind for its discards, else the action.

    NaN where there is none: for wins, nine terminals, and claims that could be a win.
    """

    points: np.ndarray
    """f64[n, ACTIONS]: the points that the seat gains from the decision to the end of the round, on average."""
    placement: np.ndarray
    """f64[n, ACTIONS]: the expected placement at the end of the game, 1 to 4; if a discard passes."""
    rows: np.ndarray
    """i64[m]: the decisions with a discard."""
    discards: DiscardValues
    """Their discards."""


def by_choice(probability: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Return f64[n, ACTIONS]: probabilities of actions as those of choices, 0 for the discards that are not kinds.

    drawn u8[n]: the tile that each seat has just drawn.
    """
    rows, choices = np.arange(len(drawn)), probability.copy()
    choices[:, list(RED_FIVE_KINDS)] += probability[:, r.DISCARD_RED : r.DISCARD_DRAWN]
    choices[rows, np.where(drawn == r.NO_TILE, 0, drawn >> 2)] += probability[:, r.DISCARD_DRAWN]
    choices[:, r.DISCARD_RED : r.DISCARD_DRAWN + 1] = 0
    return choices


def choices_of(actions: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Return i64[n]: the choices that actions i64[n] are: for discards their kinds; drawn u8[n]: the tiles drawn."""
    red = np.array(RED_FIVE_KINDS)[np.clip(actions - r.DISCARD_RED, 0, len(RED_FIVE_KINDS) - 1)]
    kinds = np.where(actions == r.DISCARD_DRAWN, drawn >> 2, red)
    return np.where((actions >= r.DISCARD_RED) & (actions <= r.DISCARD_DRAWN), kinds, actions).astype(np.int64)


def kinds_of_choices(preferred: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """Return str[n]: what was done instead of the agent's choice, one of CHOICES, or DISCARDED for another discard.

    preferred, taken: choices i64[n]; they may be the same.
    """

    def is_kong(choices: np.ndarray) -> np.ndarray:
        return (choices >= r.OPEN_KONG) & (choices < r.TSUMO)

    conditions = [
        (taken >= r.CHOW_LOW) & (taken < r.PONG),
        (taken >= r.PONG) & (taken < r.OPEN_KONG),
        is_kong(taken),
        taken == r.DECLARE_RIICHI,
        is_kong(preferred),
        taken == r.PASS,
        preferred == r.DECLARE_RIICHI,
    ]
    return np.select(conditions, CHOICES, DISCARDED)


def choice_values(
    outlook: Outlook, agent: Flow, records: np.ndarray, batch: Decisions, planes: np.ndarray, opinions: Opinions
) -> ChoiceValues:
    """Return the values of all choices of decisions; records GAME[...], planes u64[n, planes]: what the seats see.

    Riichi is worth what the discard is worth that the agent prefers with it, a chow or pong what the agent's discard
    after it is worth, a pass and a kong what the position after it is worth.
    """
    points, placement = (np.full((len(batch), r.ACTIONS), np.nan) for _ in range(2))
    games, seats = records[batch.game], batch.seat
    legal = legal_discards(planes)
    rows = np.flatnonzero(legal.any(axis=1))
    values = outlook.discards(games[rows], seats[rows], legal[rows], planes[rows])
    points[rows, :KINDS], placement[rows, :KINDS] = values.points, values.placement

    may = np.flatnonzero(batch.legal[:, r.DECLARE_RIICHI])
    declared, at, who = games[may], np.arange(len(may)), seats[may]
    declared["riichi"][at, who] = 1
    declared["double_riichi"][at, who] = (declared["interrupted"] == 0) & (declared["n_river"][at, who] == 0)
    liked = _riichi_discards(planes[may], by_choice(opinions.probability[may], declared["drawn"]))
    after = outlook.discards(declared, who, np.arange(KINDS) == liked[:, None], planes[may])
    points[may, r.DECLARE_RIICHI], placement[may, r.DECLARE_RIICHI] = (
        after.points[at, liked],
        after.placement[at, liked],
    )

    claims = (batch.situation == r.PHASE_CLAIM) & ~batch.legal[:, r.RON]
    passing = np.flatnonzero(claims & batch.legal[:, r.PASS])
    _fill(outlook, after_passes(games[passing], seats[passing]), seats, passing, r.PASS, points, placement)

    calling, call = _options(batch.legal, claims, slice(r.CHOW_LOW, r.OPEN_KONG))
    table, who, at = after_calls(games[calling], seats[calling], call), seats[calling], np.arange(len(calling))
    views = encode_batch(table, at, who)
    logits = np.where(legal_discards(views), agent.networks[MODELS[DISCARD]](views), -np.inf) if len(at) else views
    liked = logits.argmax(axis=1)
    after = outlook.discards(table, who, np.arange(KINDS) == liked[:, None], views)
    points[calling, call], placement[calling, call] = after.points[at, liked], after.placement[at, liked]

    turns = claims | (batch.situation == r.PHASE_TURN)
    adding, kong = _options(batch.legal, turns, slice(r.OPEN_KONG, r.TSUMO))
    _fill(outlook, after_kongs(games[adding], seats[adding], kong), seats, adding, kong, points, placement)
    return ChoiceValues(points, placement, rows, values)


def _options(legal: np.ndarray, decisions: np.ndarray, actions: slice) -> tuple[np.ndarray, np.ndarray]:
    """Return (i64[m], i64[m]): the legal ones of a range of actions in decisions bool[n], with their decisions."""
    rows, option = np.nonzero(legal[:, actions] & decisions[:, None])
    return rows, option + actions.start


def _fill(
    outlook: Outlook, after: np.ndarray, seats: np.ndarray, rows: np.ndarray, choices: np.ndarray | int,
    points: np.ndarray, placement: np.ndarray,
) -> None:  # fmt: skip
    """Write the values of positions GAME[m] after choices of the decisions `rows`."""
    later = outlook.of(encode_batch(after, np.arange(len(rows)), seats[rows]))
    points[rows, choices], placement[rows, choices] = later.points, later.placement


def _riichi_discards(planes: np.ndarray, probability: np.ndarray) -> np.ndarray:
    """Return i64[n]: of the kinds that may be discarded with riichi, the one that the agent prefers.

    probability f64[n, ACTIONS]: by choice.
    """
    may = (planes[:, start("legal.riichi"), None] >> np.arange(KINDS, dtype=np.uint64) & np.uint64(1)).astype(np.bool_)
    return np.where(may, probability[:, :KINDS], -1).argmax(axis=1)
