"""The model decisions within a decision, and what the rules decide: one enumeration for play, reviews and training.

A model decision is one call on one network. The order is that of the paper's flow (section 2.1, Figure 1): the rules
first; then a model decision for every legal chow, pong and kong; then riichi; then the discard, if more than one kind
may be discarded.

Rules decide wins (taken, unless that ends the game with this seat in fourth place), the dealer's choice to end the game
(taken: it is legal only in first place with the target score), nine terminals, and which tile of a kind is discarded.
"""

from dataclasses import dataclass

import numpy as np

from simulator import record as r
from simulator.jit import jit
from simulator.legal import is_legal
from simulator.lookup import get_lookup
from simulator.rounds import finish_round
from simulator.shanten import shanten
from simulator.tables import Decisions
from simulator.tiles import KINDS, RED_FIVES
from suphx.networks.models import CALL_MODELS, MODELS

#: A hand with nine terminals and honors is played on, not aborted, up to this shanten number.
_PLAYABLE_SHANTEN = 2
#: Most model decisions of a decision: six chows, two pongs and a kong; a turn has fewer.
MAX_MODEL_DECISIONS = 12

DISCARD, RIICHI, CHOW, PONG, KONG = map(MODELS.index, ("discard", "riichi", "chow", "pong", "kong"))
#: bool[models]: whether a model is shown a proposed call.
SEES_CALL = np.isin(MODELS, CALL_MODELS)

#: One decision of one network, and the action it takes.
MODEL_DECISION = np.dtype([
    ("position", "u4"),  # index of the decision in its batch, or of the record in which it was made
    ("option", "i2"),  # the action in question, or NO_ACTION for a discard
    ("seat", "u1"),
    ("action", "u1"),  # the kind discarded, or NO and YES
    ("model", "u1"),  # index in MODELS
], align=True)  # fmt: skip


@jit
def _ends_fourth(game, seat, trial):
    """Return whether a win now ends the game with the seat in fourth place; `trial`: a scratch copy, overwritten.

    The round is paid and the game settled on the copy, with bets, repeat counters and liability. Only what the seat can
    see is counted: no ura dora, and no other seat winning on the same tile. Either may happen, but neither is likely
    enough to change the decision.
    """
    result = trial["result"]
    win = result["wins"][0]
    tsumo = trial["phase"] == r.PHASE_TURN
    result["type"] = r.RESULT_TSUMO if tsumo else r.RESULT_RON
    result["n_wins"] = 1
    win["seat"] = seat
    win["source"] = trial["turn"]
    win["tile"] = trial["drawn"] if tsumo else trial["claim_tile"]
    trial["rules"]["ura_dora"] = 0
    trial["phase"] = r.PHASE_ROUND_OVER
    finish_round(trial)
    return trial["phase"] == r.PHASE_GAME_OVER and result["ranks"][seat] == r.SEATS - 1


@jit
def _by_rules(lookup, games, i, seat, trials):
    """Return the action that the rules choose for a seat that is to act in games[i], or NO_ACTION."""
    game = games[i]
    for win in (r.TSUMO, r.RON):
        if is_legal(game, seat, win):
            trials[0] = games[i]
            if not _ends_fourth(game, seat, trials[0]):
                return win
    if is_legal(game, seat, r.STOP):
        return r.STOP
    if is_legal(game, seat, r.NINE_TERMINALS):
        if shanten(lookup, game["hand"][seat], np.int64(game["n_melds"][seat])) > _PLAYABLE_SHANTEN:
            return r.NINE_TERMINALS
    return r.NO_ACTION


@jit
def _write(rows, n, position, seat, model, option):
    """Write row n, if there is room; return n + 1."""
    if n < len(rows):
        row = rows[n]
        row["position"] = position
        row["option"] = option
        row["seat"] = seat
        row["action"] = 0
        row["model"] = model
    return n + 1


@jit
def enumerate_model_decisions(lookup, games, i, seat, trials, kinds, rows, n):
    """Enumerate the model decisions of a seat that is to act in games[i]; return (the rules' action or NO_ACTION, n).

    trials GAME[1] is overwritten. kinds bool[34] receives the kinds that may be discarded, none for a claim. rows
    MODEL_DECISION[...] receives the model decisions from index n on, with i as position, none if the rules decide; the
    n returned is the index after the last one.
    """
    game = games[i]
    kinds[:] = False
    by_rules = _by_rules(lookup, games, i, seat, trials)
    if by_rules != r.NO_ACTION:
        return by_rules, n
    for option in range(r.CHOW_LOW, r.TSUMO):
        if is_legal(game, seat, option):
            model = CHOW if option < r.PONG else (PONG if option < r.OPEN_KONG else KONG)
            n = _write(rows, n, i, seat, model, option)
    for kind in range(KINDS):
        kinds[kind] = is_legal(game, seat, kind)
    for suit in range(3):
        kinds[9 * suit + 4] |= is_legal(game, seat, r.DISCARD_RED + suit)
    if is_legal(game, seat, r.DISCARD_DRAWN):
        kinds[np.int64(game["drawn"]) >> 2] = True
    if is_legal(game, seat, r.DECLARE_RIICHI):
        n = _write(rows, n, i, seat, RIICHI, r.DECLARE_RIICHI)
    if kinds.sum() > 1:
        n = _write(rows, n, i, seat, DISCARD, r.NO_ACTION)
    return r.NO_ACTION, n


@jit
def discarded_kind(game, action):
    """Return the kind of tile that an action discards, or -1 for an action that is not a discard."""
    if 0 <= action < KINDS:
        return action
    if action == r.DISCARD_DRAWN:
        return np.int64(game["drawn"]) >> 2
    if r.DISCARD_RED <= action < r.DISCARD_DRAWN:
        return 9 * (action - r.DISCARD_RED) + 4
    return -1


@jit
def _fill_discards(games, index, seats, kinds, actions):
    for n in range(len(index)):
        game, seat, kind = games[index[n]], seats[n], kinds[n]
        drawn, plain = np.int64(game["drawn"]), is_legal(game, seat, kind)
        is_drawn = is_legal(game, seat, r.DISCARD_DRAWN) and drawn >> 2 == kind
        is_red = game["rules"]["red_fives"] != 0 and drawn in RED_FIVES
        if is_drawn and not (is_red and plain):
            actions[n] = r.DISCARD_DRAWN
        else:
            actions[n] = kind if plain else r.DISCARD_RED + kind // 9


def discard_actions(games: np.ndarray, index: np.ndarray, seats: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """Return i64[n]: the action by which each seat discards a tile of a kind that it may discard, kinds i64[n].

    A red five is kept if a plain one can be discarded instead. Of equal tiles the one just drawn is discarded, which
    shows that the hand has not changed, as most players at Tenhou do. games: GAME[...], index i[n], seats u8[n].
    """
    actions = np.empty(len(index), np.int64)
    if len(index):
        which, whose, what = (np.asarray(each, np.int64, order="C") for each in (index, seats, kinds))  # of one type
        _fill_discards(games, which, whose, what, actions)
    return actions


@dataclass(frozen=True)
class ModelDecisions:
    """The model decisions of a batch of decisions."""

    by_rules: np.ndarray
    """i64[n]: the action of each decision that needs no network, NO_ACTION for the others."""
    kinds: np.ndarray
    """bool[n, 34]: the kinds that may be discarded; none for claims, and where the rules decide."""
    rows: np.ndarray
    """MODEL_DECISION[m] in the order of decisions and of the flow, with the decision's index as position."""


@jit
def _fill(lookup, games, index, seats, trials, by_rules, kinds, rows):
    n = 0
    for d in range(len(index)):
        first = n
        by_rules[d], n = enumerate_model_decisions(
            lookup, games, np.int64(index[d]), np.int64(seats[d]), trials, kinds[d], rows, n
        )
        for q in range(first, n):
            rows[q]["position"] = d
    return n


def model_decisions(games: np.ndarray, decisions: Decisions) -> ModelDecisions:
    """Return the model decisions of a batch; games GAME[...], whose own legal actions count."""
    n = len(decisions)
    by_rules, kinds = np.full(n, r.NO_ACTION, np.int64), np.zeros((n, KINDS), np.bool_)
    rows = np.empty(n * MAX_MODEL_DECISIONS, MODEL_DECISION)
    m = 0
    if n:
        m = _fill(get_lookup(), games, decisions.game, decisions.seat, np.zeros(1, r.GAME), by_rules, kinds, rows)
    return ModelDecisions(by_rules, kinds, rows[:m])


def compile_model_decisions() -> None:
    """Compile what `model_decisions` calls."""
    games, index, seats = np.zeros(1, r.GAME), np.zeros(0, np.int32), np.zeros(0, np.uint8)
    by_rules, kinds, rows = np.zeros(0, np.int64), np.zeros((0, KINDS), np.bool_), np.zeros(0, MODEL_DECISION)
    _fill(get_lookup(), games, index, seats, games.copy(), by_rules, kinds, rows)
