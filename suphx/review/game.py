"""Replay of a logged game for a review: every moment, and its rounds as the page shows them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from simulator.actions import legal_actions
from simulator.logs.from_record import ura_shown
from simulator.logs.model import GameLog, LogError, RoundLog
from simulator.logs.verify import Mismatch, verify_game
from simulator.record import ACTIONS, GAME, RESULT_NONE, SEATS
from simulator.rules import Rules
from simulator.tiles import tile_name
from simulator.views.results import round_result
from simulator.views.table import round_name
from suphx.features.positions import steps_of_round
from suphx.review.document import Result, Round, Win
from suphx.review.frames import change, frame_of


@dataclass(frozen=True)
class ReplayMoment:
    """A moment of a round at which seats are asked, or its end."""

    record: int
    """Index in `Replayed.records`."""
    answers: tuple[tuple[int, int], ...]
    """(seat, action) for all seats that are asked."""
    absent: frozenset[int]
    """Seats that had left the table, for which the server answered."""


@dataclass(frozen=True)
class Replayed:
    """A replayed game."""

    log: GameLog
    records: np.ndarray
    """GAME[n]: the table at every moment, all rounds one after the other."""
    rounds: list[list[ReplayMoment]]
    """Moments by round, an unfinished one included, with the end of the round (or of the log) last."""
    ends: np.ndarray
    """GAME[rounds]: each round after its payments, with the outcome in `result`. Of a last round that the log does not
    finish, the table as the log leaves it; `result` then has no type, and the scores as they are."""
    mismatches: list[Mismatch]
    """Statements of the log that contradict the rules; none of them affects a move."""


def replay(log: GameLog) -> Replayed:
    """Play a game through the engine; raises LogError, naming file and place, if a move does not fit the rules."""
    if not log.played:
        raise LogError("the log has no rounds", log.source)
    verified = verify_game(log)
    mismatches = verified.mismatches
    if len(verified.ends) == len(log.rounds):
        try:
            return played(log, np.array(verified.ends, GAME), mismatches)
        except LogError:
            if not mismatches:
                raise
    last = mismatches[-1]  # where the replay stopped
    raise LogError(f"{last.what}: expected {last.expected}, found {last.actual}", log.source, last.place)


def played(log: GameLog, ends: np.ndarray, mismatches: Sequence[Mismatch] = ()) -> Replayed:
    """Replay rounds that fit the rules; ends: of the finished ones. Raises LogError if a move does not after all."""
    records: list[np.void] = []
    rounds = []
    for number, round_log in enumerate(log.played):
        moments = []
        for step in steps_of_round(log.rules, round_log):
            absent = _absent(log, number, round_log, step.event)
            moments.append(ReplayMoment(len(records), step.answers, absent))
            records.append(step.games[0])
        rounds.append(moments)
    if log.cut:
        end = np.array([records[-1]], GAME)
        end["result"] = np.zeros((), GAME["result"])
        for name in ("round", "repeat_counter", "bets", "scores"):
            end["result"][name] = end[name]
        ends = np.append(ends, end)
    # np.concatenate would compare all fields of all records
    return Replayed(log, np.array(records, GAME), rounds, ends, list(mismatches))


def _absent(log: GameLog, number: int, round_log: RoundLog, event: int) -> frozenset[int]:
    """Return the seats that are away at an event of a round."""
    present = [True] * SEATS
    for each in log.connections:
        if (each.round, each.event) <= (number, event):
            present[each.seat] = each.present
    return frozenset(seat for seat in range(SEATS) if not present[seat])


#: How a round ended that the log does not finish.
UNFINISHED = "unfinished"


def standing_of(end: np.void) -> dict[str, Any]:
    """Return the standing after a round, `scores`, `ranks` and `points` as in `Review`; end: as in `Replayed.ends`."""
    result = end["result"]
    over = bool(result["game_over"])
    return {
        "scores": result["scores"].tolist(),
        "ranks": result["ranks"].tolist() if over else None,
        "points": [points / 10 for points in result["final_points"].tolist()] if over else None,
    }


def round_of(game: Replayed, number: int) -> Round:
    """Return the round of a game with this index: its frames and its result."""
    moments, end, round_log = game.rounds[number], game.ends[number], game.log.played[number]
    frames: list[dict[str, Any]] = []
    before: dict[str, Any] = {}
    for moment in moments:
        record = game.records[moment.record]
        whole = frame_of(record, [[seat, _name_of(record, seat, action)] for seat, action in moment.answers])
        frames.append(change(before, whole) if before else whole)
        before = whole
    return Round(
        round=round_log.round,
        name=round_name(round_log.round),
        repeat_counter=round_log.repeat_counter,
        bets=round_log.bets,
        dealer=round_log.dealer,
        scores=list(round_log.scores),
        frames=frames,
        result=result_of(end, game.log.rules),
    )


def _name_of(game: np.void, seat: int, action: int) -> str:
    """Return the name of an action."""
    mask = np.zeros(ACTIONS, np.bool_)
    mask[action] = True
    return legal_actions(game, seat, mask)[0].name


def result_of(game: np.void, rules: Rules) -> Result:
    """Return how a round ended; game: GAME as in `Replayed.ends`."""
    outcome = round_result(game, rules)
    how = UNFINISHED if game["result"]["type"] == RESULT_NONE else outcome.how
    wins = []
    for each in outcome.wins:
        score = asdict(each.score)
        ura = [tile_name(tile, rules.red_fives) for tile in ura_shown(game, each.seat)]
        chosen = {name: score[name] for name in ("yaku", "han", "fu", "limit", "points")}
        wins.append(
            Win(seat=each.seat, source=each.source, tile=each.tile, deltas=list(each.deltas), ura=ura, **chosen)
        )
    return Result(
        how=how, wins=wins, tenpai=list(outcome.tenpai), deltas=list(outcome.deltas), scores=list(outcome.scores)
    )
