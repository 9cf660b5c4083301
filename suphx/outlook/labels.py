"""Labels of a discard decision: which tiles would deal in, for how much, and how the round ended. Compiled.

A tile deals in if another seat would be allowed to win on it now: by the simulator's own rules of waits, yaku and
furiten, applied to the hidden hands of a replayed game.
"""

from dataclasses import dataclass

import numpy as np

from simulator import record as r
from simulator.engine import discard
from simulator.jit import jit
from simulator.legal import has_yaku, is_furiten
from simulator.lookup import get_lookup
from simulator.moves import lowest_copy, show_pending_indicators
from simulator.rounds import pay_win
from simulator.tiles import KINDS, TILES
from simulator.walls import DORA_INDICATORS, REPLACEMENTS, URA_INDICATORS
from suphx.agent.model_decisions import discard_actions
from suphx.dataset.prepared import Prepared
from suphx.reward.target import ranks

RIVALS = r.SEATS - 1
#: How a round ends for a seat, in the order of the network's outputs.
RESULTS = ("win", "deal in", "another draws", "others", "no winner")
WON, DEALT_IN, ANOTHER_DREW, OTHERS, NO_WINNER = range(len(RESULTS))
#: Most ura indicators, and so the random numbers that a position needs.
MOST_INDICATORS = len(URA_INDICATORS)


@jit
def _discarded_tile(game, seat, kind):
    """Return the physical tile that a discard of a kind would be: a plain one if the seat has one."""
    copies = np.int64(game["copies"][seat, kind])
    if not copies:
        return kind << 2 | 1
    plain = copies & ~1
    return kind << 2 | lowest_copy(plain if plain else copies)


@jit
def _draw_ura(game, luck):
    """Put tiles that nobody has seen or holds, chosen by luck f64[5] in [0, 1), where the ura indicators lie.

    A log shows ura indicators only after a win. Given all hands, each remaining tile is equally likely to be one.
    """
    tiles = np.empty(TILES, np.uint8)
    n = 0
    for place in range(np.int64(game["next_draw"]) + 1):
        known = False
        for shown in range(np.int64(game["indicators"])):
            known = known or place == DORA_INDICATORS[shown]
        for drawn in range(np.int64(game["kongs"])):
            known = known or place == REPLACEMENTS[drawn]
        if not known:
            tiles[n] = game["wall"][place]
            n += 1
    for which in range(np.int64(game["indicators"])):
        chosen = np.int64(luck[which] * n)
        game["wall"][URA_INDICATORS[which]] = tiles[chosen]
        n -= 1
        tiles[chosen] = tiles[n]


@jit
def _fill_dangers(games, trials, index, seats, luck, kinds, losses):
    trial = trials[0]
    for n in range(len(index)):
        game = games[index[n]]
        seat = np.int64(seats[n])
        copied = False
        for rival in range(RIVALS):
            kinds[n, rival] = 0
            other = (seat + 1 + rival) & 3
            waits = game["waits"][other]
            if waits == 0 or is_furiten(game, other):
                continue
            if not copied:
                trials[0] = games[index[n]]
                show_pending_indicators(trial)
                _draw_ura(trial, luck[n])
                trial["result"]["n_wins"] = 1
                copied = True
            for kind in range(KINDS):
                if waits >> kind & 1 == 0 or not has_yaku(trial, other, kind, False):
                    continue
                kinds[n, rival] |= np.int64(1) << kind
                win = trial["result"]["wins"][0]
                win["seat"], win["source"], win["tile"] = other, seat, _discarded_tile(game, seat, kind)
                trial["n_events"] = 0
                pay_win(trial, 0, np.int64(game["repeat_counter"]), 0)
                losses[n, rival, kind] = -win["deltas"][seat]


def dangers(games: np.ndarray, index: np.ndarray, seats: np.ndarray, luck: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return which kinds would deal in at each position, and what that would cost.

    games GAME[m], with the true hands; index i[n], seats u8[n]: the positions of seats that are to discard; luck
    f64[n, 5] in [0, 1): draws the ura indicators. Returns i64[n, 3], for each other seat (the next one first) the set
    of kinds on which it may win, and f32[n, 3, 34], the points that the discarder then pays, repeat counters included.
    """
    kinds = np.zeros((len(index), RIVALS), np.int64)
    losses = np.zeros((len(index), RIVALS, KINDS), np.float32)
    if len(index):
        trials = np.zeros(1, r.GAME)
        _fill_dangers(games, trials, index.astype(np.int64), seats.astype(np.int64), luck, kinds, losses)
    return kinds, losses


@jit
def _let_pass(lookup, games, index, seats, actions):
    for n in range(len(index)):
        game = games[index[n]]
        seat = np.int64(seats[n])
        discard(lookup, game, np.int64(actions[n]), r.NO_TILE)
        if game["riichi"][seat] == 1:  # the bet is paid once nobody has won on the declaring discard
            game["riichi"][seat] = 2
            game["ippatsu"][seat] = 1
            game["scores"][seat] -= 1000
            game["bets"] += 1
        game["claim_tile"] = r.NO_TILE
        game["pending"] = 0
        game["asked"] = 0


def after_discards(games: np.ndarray, seats: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """Return GAME[n]: copies of positions in which each seat has discarded a kind and nobody has claimed it.

    games GAME[n], at a discard decision of seats u8[n]; kinds i64[n]: legal discards.
    """
    index = np.arange(len(games))
    actions = discard_actions(games, index, seats, kinds)
    after = games.copy()
    if len(games):
        _let_pass(get_lookup(), after, index, seats.astype(np.int64), actions)
    return after


@dataclass(frozen=True)
class Outcomes:
    """The results of rounds and games of prepared logs, by row of `Prepared.rounds`."""

    results: np.ndarray
    """i64[r, 4]: index in RESULTS of each seat's result of the round."""
    scores: np.ndarray
    """i64[r, 4]: points of each seat when the round was over."""
    ranks: np.ndarray
    """i64[r, 4]: rank of each seat at the end of the game, 0 for the first."""


def outcomes(prepared: Prepared) -> Outcomes:
    """Return how the rounds of prepared logs ended for each seat."""
    rounds, games, events = prepared.rounds, prepared.games, prepared.events
    n = len(rounds)
    last = games["first_round"].astype(np.int64) + games["n_rounds"] - 1
    scores = np.empty((n, r.SEATS), np.int64)
    scores[:-1] = rounds["scores"][1:]
    scores[last] = games["final_scores"]
    won = np.flatnonzero(events["type"] == r.EVENT_WIN)
    order = np.argsort(rounds["first_event"], kind="stable")
    of = order[np.searchsorted(rounds["first_event"][order], won, side="right") - 1]
    results = np.full((n, r.SEATS), NO_WINNER)
    seat, source = events["seat"][won].astype(np.int64), events["source"][won].astype(np.int64)
    results[of] = np.where(seat == source, ANOTHER_DREW, OTHERS)[:, None]
    results[of, source] = DEALT_IN  # of a tsumo the winner, who comes next
    results[of, seat] = WON
    return Outcomes(results, scores, ranks(games["final_scores"])[rounds["game"]])
