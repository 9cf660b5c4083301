"""The positions of a logged round in which a seat made a decision, with the legal actions and the action taken."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from simulator import record as r
from simulator.asking import answer
from simulator.engine import advance
from simulator.legal import is_legal
from simulator.logs.model import LogError, RoundLog
from simulator.logs.replay import holds, next_answer, skip_shown, wall_of_log
from simulator.lookup import get_lookup
from simulator.moves import take_tile
from simulator.rounds import deal, start_game
from simulator.rules import Rules


@dataclass(frozen=True)
class Position:
    """One decision of a logged round."""

    games: np.ndarray
    """GAME[1]: the table at the decision."""
    seat: int
    action: int
    event: int
    """Index of the log's event that comes next."""


@dataclass(frozen=True)
class RoundStep:
    """A moment of a logged round at which seats act, even if they must; the last step is the round's end."""

    games: np.ndarray
    """GAME[1]: the table at that moment."""
    answers: tuple[tuple[int, int], ...]
    """(seat, action) of all seats that act, ordered by seat; empty at the end of the round, or of the log."""
    event: int
    """Index of the log's event that comes next."""


def start_round(rules: Rules, round_log: RoundLog) -> np.ndarray:
    """Return GAME[1], a logged round before its deal; raises LogError if its tiles form no valid wall."""
    games = np.zeros(1, r.GAME)
    game = games[0]
    game["rules"] = rules.to_record()
    start_game(game)
    for name in ("scores", "round", "repeat_counter", "bets", "dealer"):
        game[name] = getattr(round_log, name)
    hands, no_ura = np.array(round_log.hands, np.uint8), np.zeros(0, np.uint8)
    problem = wall_of_log(hands, round_log.dealer, round_log.events, round_log.indicator, no_ura, game["wall"])
    if problem != -1:
        raise _unplayable("the deal" if problem < 0 else f"event {problem}")
    game["wall_given"] = 1
    return games


def _unplayable(what: str) -> LogError:
    return LogError(f"{what} cannot be replayed; `suphx logs verify` tells more")


def steps_of_round(rules: Rules, round_log: RoundLog) -> Iterator[RoundStep]:
    """Yield every moment of a round at which a seat acts, in order, and then its end (before payments).

    A log may end within the round: the last step is then what it has shown of the table by its end. Raises LogError if
    the log does not follow the rules (`suphx logs verify` gives details).
    """
    lookup, games, events = get_lookup(), start_round(rules, round_log), round_log.events
    game, hints = games[0], np.empty(2, np.uint8)
    deal(lookup, game)
    advance(lookup, game, False, r.NO_TILE, r.NO_TILE)
    at, cut = 0, not round_log.has_result
    while game["phase"] < r.PHASE_ROUND_OVER:
        at = skip_shown(events, at)
        if game["phase"] == r.PHASE_TURN:
            if cut and at == len(events):
                _put_back_draw(game)
                break
            drawn = r.EVENT_DRAW, game["turn"], game["drawn"]
            if at >= len(events) or events[["type", "seat", "tile"]][at].tolist() != drawn:
                raise _unplayable(f"event {at}")
            at = skip_shown(events, at + 1)
        if cut and at == len(events):
            break
        before, after, used = games.copy(), at, [r.NO_TILE, r.NO_TILE]
        answers = []
        for seat in (seat for seat in range(r.SEATS) if before["pending"][0] >> seat & 1):
            action = int(next_answer(game, events, at, seat, hints))
            held = all(hint == r.NO_TILE or holds(game, seat, hint) for hint in hints.tolist())
            if action == r.NO_ACTION or not is_legal(game, seat, action) or not held:
                raise _unplayable(f"event {at}")
            answers.append((seat, action))
            if action != r.PASS:
                after, used = at + 1, hints.tolist()
            answer(game, seat, action)
        yield RoundStep(before, tuple(answers), at)
        advance(lookup, game, False, *used)
        at = after
    if cut:
        game["indicators"] = min(game["indicators"], 1 + (events["type"] == r.EVENT_DORA).sum())
    yield RoundStep(games, (), at)


def _put_back_draw(game: np.void) -> None:
    """Undo a draw that a log does not show: its tile is not known."""
    take_tile(game, int(game["turn"]), int(game["drawn"]))
    game["drawn"] = r.NO_TILE
    game["next_draw"] += not game["replacement"]
    game["n_events"] -= 1
    game["phase"], game["pending"] = r.PHASE_CLAIM, 0


def positions_of_round(rules: Rules, round_log: RoundLog) -> Iterator[Position]:
    """Yield every decision with several legal actions, in order; raises LogError if the log breaks the rules."""
    for step in steps_of_round(rules, round_log):
        for seat, action in step.answers:
            legal = step.games["legal"][0, seat]
            if int(legal[0]).bit_count() + int(legal[1]).bit_count() > 1:
                yield Position(step.games, seat, action, step.event)
