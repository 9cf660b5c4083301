"""Verify everything that a log states against the engine: moves, draws, indicators, wins, points, order of rounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simulator import record as r
from simulator.jit import announce_compiling
from simulator.logs.model import GameLog, LogError, RoundLog, WinLog
from simulator.logs.replay import PROBLEMS, REPLAYED, replay_round, wall_of_log
from simulator.lookup import get_lookup
from simulator.rounds import finish_round, start_game
from simulator.scoring.yaku import YAKU
from simulator.tiles import tile_name
from simulator.walls import DEALT_PLACES, DORA_INDICATORS, SHUFFLE_PREFIX, URA_INDICATORS, TenhouWalls

_DORA, _URA, _RED = 52, 53, 54
_YAKUMAN_HAN = 13
_WIND_LETTERS = "ESWN"


@dataclass(frozen=True)
class Mismatch:
    """One difference between what a log states and what the engine finds."""

    source: str
    round: str
    event: str
    what: str
    expected: str
    """What the engine says."""
    found: str
    """What the log says."""

    def __str__(self) -> str:
        place = ", ".join(part for part in (self.source, self.round, self.event) if part)
        return f"{place}: {self.what}: expected {self.expected}, found {self.found}"


@dataclass
class Verified:
    """The result of verifying one game."""

    rounds: int = 0
    decisions: int = 0
    mismatches: list[Mismatch] | None = None
    final_scores: list[int] | None = None
    """The scores at the end of the game according to the engine; None if the game was not replayed to its end."""


def round_name(number: int, repeat_counter: int) -> str:
    """Return e.g. `S2.1`: South 2, repeat counter 1."""
    return f"{_WIND_LETTERS[number // 4]}{number % 4 + 1}.{repeat_counter}"


class _GameCheck:
    """One game being verified; collects mismatches and stops at the first round that cannot be replayed."""

    def __init__(self, log: GameLog, lookup: np.void, ended: Callable[[np.void], None] | None) -> None:
        self.log = log
        self.ended = ended
        self.lookup = lookup
        self.found: list[Mismatch] = []
        self.verified = Verified(mismatches=self.found)
        self.games = np.zeros(1, r.GAME)
        self.game = self.games[0]
        rules = log.rules
        if log.final_points is not None and all(points == int(points) for points in log.final_points):
            # Tenhou's logs up to 2019 round final points to whole numbers, without stating it as a rule.
            rules = replace(rules, final_rounding="thousands")
        self.game["rules"] = rules.to_record()
        self.walls = self._walls()

    def _walls(self) -> TenhouWalls | None:
        """Return the walls given by the log's seed; None without a seed or with one of an older kind."""
        if not self.log.seed or not self.log.seed.startswith(SHUFFLE_PREFIX):
            return None
        try:
            return TenhouWalls(self.log.seed)
        except ValueError as error:
            raise LogError(str(error), self.log.source) from error

    def _report(self, place: str, event: str, what: str, expected: Any, found: Any) -> None:
        self.found.append(Mismatch(self.log.source, place, event, what, str(expected), str(found)))

    def _compare(self, place: str, what: str, expected: Any, found: Any) -> None:
        if found is not None and expected != found:
            self._report(place, "", what, expected, found)

    def run(self) -> Verified:
        start_game(self.game)
        rounds = self.log.rounds
        if rounds:
            self.game["scores"] = rounds[0].scores
        for number, round_log in enumerate(rounds):
            self.verified.rounds += 1
            if not self._round(round_log):
                return self.verified
            over = self.game["phase"] == r.PHASE_GAME_OVER
            if over != (number == len(rounds) - 1):
                place = round_name(round_log.round, round_log.repeat_counter)
                words = {True: "the game is over", False: "the game goes on"}
                self._report(place, "", "end of game", words[over], words[not over])
                return self.verified
        if rounds:
            self._end()
        return self.verified

    def _round(self, round_log: RoundLog) -> bool:
        """Verify one round; return whether the following rounds can be verified."""
        game = self.game
        place = round_name(round_log.round, round_log.repeat_counter)
        before = len(self.found)
        for what, expected, found in (
            ("round", int(game["round"]), round_log.round),
            ("repeat counter", int(game["repeat_counter"]), round_log.repeat_counter),
            ("riichi bets", int(game["bets"]), round_log.bets),
            ("dealer", int(game["dealer"]), round_log.dealer),
            ("points at the start", game["scores"].tolist(), round_log.scores),
        ):
            self._compare(place, what, expected, found)
        if len(self.found) > before or not self._set_wall(round_log, place):
            return False
        report = np.zeros(4, np.int64)
        problem = replay_round(self.lookup, game, round_log.events, report)
        self.verified.decisions += int(report[3])
        if problem != REPLAYED:
            self._report_problem(round_log, place, problem, report)
            return False
        self._indicators(round_log, place)
        finish_round(game)
        if self.ended:
            self.ended(game)
        self._result(round_log, place)
        return True

    def _set_wall(self, round_log: RoundLog, place: str) -> bool:
        game = self.game
        hands = np.array(round_log.hands, np.uint8)
        uras = [win.ura_indicators for win in round_log.wins if win.ura_indicators]
        ura = np.array(max(uras, key=len, default=[]), np.uint8)
        shown = np.empty(136, np.uint8)
        problem = wall_of_log(hands, round_log.dealer, round_log.events, round_log.indicator, ura, shown)
        if problem != -1:
            event = self._place(round_log, problem) if problem >= 0 else "the deal"
            self._report(place, event, "tiles", "each tile once", "a tile twice, or more draws than tiles")
            return False
        if self.walls is None:
            game["wall"] = shown
        else:
            wall, dice = self.walls.next_round()
            game["wall"] = wall
            self._compare(place, "dice from the seed", dice, round_log.dice)
            self._compare(place, "first indicator from the seed", int(wall[DORA_INDICATORS[0]]), round_log.indicator)
            if not self._same_deal(wall, shown):
                self._report(place, "the deal", "hands from the seed", "those of the wall", "others")
                return False
            if len(ura):
                below = wall[URA_INDICATORS[: len(ura)]]
                self._compare(place, "ura indicators from the seed", below.tolist(), ura.tolist())
        game["wall_given"] = 1
        return True

    @staticmethod
    def _same_deal(wall: np.ndarray, shown: np.ndarray) -> bool:
        """Return whether both walls deal each seat the same thirteen tiles, in any order."""
        return np.array_equal(np.sort(wall[DEALT_PLACES]), np.sort(shown[DEALT_PLACES]))

    def _place(self, round_log: RoundLog, event: int) -> str:
        where = f"event {event}"
        return f"{where} ({round_log.places[event]})" if 0 <= event < len(round_log.places) else where

    def _report_problem(self, round_log: RoundLog, place: str, problem: int, report: np.ndarray) -> None:
        event, seat, action = (int(number) for number in report[:3])
        game = self.game
        found = "nothing"
        if event < len(round_log.events):
            row = round_log.events[event]
            tile = tile_name(int(row["tile"])) if row["tile"] < 136 else "-"
            found = f"event type {row['type']} of seat {row['seat']}, tile {tile}"
        words = [f"seat {seat} in {r.PHASE_NAMES[game['phase']]}"]
        legal = [a for a in range(r.ACTIONS) if game["legal"][seat, a // 61] >> (a % 61) & 1]
        words.append("legal: " + ", ".join(r.ACTION_NAMES[a] for a in legal))
        if 0 <= action < r.ACTIONS:
            words.append(f"asked for {r.ACTION_NAMES[action]}")
        self._report(place, self._place(round_log, event), PROBLEMS[problem], "; ".join(words), found)

    def _indicators(self, round_log: RoundLog, place: str) -> None:
        """Compare the indicators shown after kongs."""
        game = self.game
        events = game["events"][: game["n_events"]]
        ours = (events[(events & 15) == r.EVENT_DORA] >> 8).tolist()
        stated = round_log.events["tile"][round_log.events["type"] == r.EVENT_DORA].tolist()
        self._compare(place, "indicators shown", ours, stated)

    def _result(self, round_log: RoundLog, place: str) -> None:
        result = self.game["result"]
        n_wins = int(result["n_wins"])
        self._compare(place, "winners", n_wins, len(round_log.wins))
        if not n_wins:
            kind = None if round_log.draw_type is None else r.RESULT_NAMES[round_log.draw_type]
            self._compare(place, "end of the round", r.RESULT_NAMES[result["type"]], kind)
            if round_log.tenpai is not None and result["type"] in (3, 4):
                tenpai = [bool(result["tenpai"] >> seat & 1) for seat in range(r.SEATS)]
                self._compare(place, "tenpai seats", tenpai, round_log.tenpai)
        for win, stated in zip(result["wins"][:n_wins], round_log.wins, strict=False):
            self._win(place, win, stated)
        self._compare(place, "points gained", result["deltas"].tolist(), round_log.deltas)

    def _win(self, place: str, win: np.void, stated: WinLog) -> None:
        game = self.game
        shown = int(game["indicators"])
        liable = None if win["liable"] == r.NO_SEAT else int(win["liable"])
        where = f"{place}, win of seat {stated.seat}"
        for what, expected, found in (
            ("winner", int(win["seat"]), stated.seat),
            ("from", int(win["source"]), stated.source),
            ("winning tile", int(win["tile"]), stated.tile),
            ("fu", int(win["fu"]), stated.fu),
            ("points of the hand", int(win["points"]), stated.points),
            ("yaku", _worth(yaku_with_han(win)), None if stated.yaku is None else _worth(stated.yaku)),
            ("indicators", game["wall"][DORA_INDICATORS[:shown]].tolist(), stated.indicators),
            ("points gained by the win", win["deltas"].tolist(), stated.deltas),
        ):
            self._compare(where, what, expected, found)
        if stated.yaku is not None:
            self._compare(where, "liable seat", liable, stated.liable)
        if stated.ura_indicators:
            self._compare(where, "ura indicators", game["wall"][URA_INDICATORS[:shown]].tolist(), stated.ura_indicators)

    def _end(self) -> None:
        result = self.game["result"]
        self.verified.final_scores = result["scores"].tolist()
        self._compare("end", "final points of the table", result["scores"].tolist(), self.log.final_scores)
        if self.log.final_points is not None:
            ours = [int(points) / 10 for points in result["final_points"]]
            self._compare("end", "final points", ours, self.log.final_points)


def _worth(yaku: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return yaku sorted and without those of 0 han: with riichi, an mjlog lists ura dora even if there is none."""
    return sorted(each for each in yaku if each[1])


def yaku_with_han(win: np.void) -> list[tuple[int, int]]:
    """Return (Tenhou's yaku number, han) for a WIN record as Tenhou lists them, in order of number.

    Each yakuman has 13 han. Other hands also list dora, ura dora (with riichi even if there is none) and red fives.
    """
    mask = int(win["yaku"])
    numbers = [number for number in range(_DORA) if mask >> number & 1]
    if win["yakuman"]:
        return [(number, _YAKUMAN_HAN) for number in numbers]
    listed = [(number, YAKU[number].han if win["closed"] else YAKU[number].open_han) for number in numbers]
    riichi = mask & (1 << 1 | 1 << 21)
    extra = ((_DORA, win["dora"], False), (_URA, win["ura"], riichi), (_RED, win["red"], False))
    return listed + [(number, int(count)) for number, count, always in extra if count or always]


def verify_game(
    log: GameLog, lookup: np.void | None = None, ended: Callable[[np.void], None] | None = None
) -> Verified:
    """Replay a logged game through the engine and compare everything that the log states.

    ended: called with the engine's game record at the end of each round, after the payments, as in `Ended.records`.
    Raises LogError for a wall seed that cannot be read.
    """
    announce_compiling(replay_round.__module__)
    return _GameCheck(log, lookup or get_lookup(), ended).run()
