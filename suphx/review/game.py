"""Replay of a logged game for a review: every moment, the actions taken, and how each round ended."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator.logs.model import GameLog, LogError, RoundLog
from simulator.logs.verify import Mismatch, verify_game
from simulator.record import GAME, SEATS
from suphx.features.positions import steps_of_round


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
    place = ", ".join(part for part in (last.round, last.event) if part)
    raise LogError(f"{last.what}: expected {last.expected}, found {last.actual}", log.source, place)


def played(log: GameLog, ends: np.ndarray, mismatches: Sequence[Mismatch] = ()) -> Replayed:
    """Replay a game, or some rounds of one, that is known to fit the rules.

    ends: as in `Replayed`, of the finished rounds. Raises LogError if a move does not fit the rules after all.
    """
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
        ends = np.append(ends, _left_off(records[-1]))
    # np.concatenate would compare all fields of all records
    return Replayed(log, np.array(records, GAME), rounds, ends, list(mismatches))


def _left_off(game: np.void) -> np.ndarray:
    """Return GAME[1], a table as it is when the log ends within the round."""
    end = np.array([game], GAME)
    end["result"] = np.zeros((), GAME["result"])
    for name in ("round", "repeat_counter", "bets", "scores"):
        end["result"][name] = end[name]
    return end


def _absent(log: GameLog, number: int, round_log: RoundLog, event: int) -> frozenset[int]:
    """Return the seats that are away at an event of a round."""
    present = [True] * SEATS
    for each in log.connections:
        if (each.round, each.event) <= (number, event):
            present[each.seat] = each.present
    return frozenset(seat for seat in range(SEATS) if not present[seat])
