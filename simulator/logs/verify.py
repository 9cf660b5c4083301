"""Verify everything that a log states against the engine: moves, draws, indicators, wins, points, order of rounds."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from simulator import record as r
from simulator.jit import announce_compiling
from simulator.logs import from_record
from simulator.logs.mjai_words import yaku_names
from simulator.logs.model import GameLog, LogError, RoundLog
from simulator.logs.replay import PROBLEMS, REPLAYED, TOO_FEW, replay_round, wall_of_log
from simulator.logs.writing import BET
from simulator.lookup import get_lookup
from simulator.rounds import finish_round, start_game
from simulator.tiles import tile_name
from simulator.views.table import round_name
from simulator.walls import DEALT_PLACES, DORA_INDICATORS, SHUFFLE_PREFIX, URA_INDICATORS, TenhouWalls

#: Walls of a seed that are tried for a log that begins later than East 1: no game has more rounds.
_MOST_ROUNDS = 100


@dataclass(frozen=True)
class Mismatch:
    """One difference between what a log states and what the engine finds."""

    source: str
    round: str
    event: str
    what: str
    expected: str
    """What the engine says."""
    actual: str
    """What the log says."""

    @property
    def place(self) -> str:
        """Where it is in its file."""
        return ", ".join(filter(None, (self.round, self.event)))

    def __str__(self) -> str:
        place = ", ".join(filter(None, (self.source, self.place)))
        return f"{place}: {self.what}: expected {self.expected}, found {self.actual}"


@dataclass
class Verified:
    """The result of verifying one game."""

    rounds: int = 0
    decisions: int = 0
    mismatches: list[Mismatch] = field(default_factory=list)
    ends: list[np.void] = field(default_factory=list)
    """The engine's GAME record at the end of each round, after the payments, as in `Ended.records`."""
    final_scores: list[int] | None = None
    """The scores at the end of the game according to the engine; None if the game was not replayed to its end."""
    unsure: str = ""
    """Why the mismatches may be those of rules that are not known, and not of the log."""
    unfinished: bool = False
    """The log ends before the game does, and does not say otherwise."""


class _GameCheck:
    """One game being verified; collects mismatches and stops at the first round that cannot be replayed."""

    def __init__(self, log: GameLog) -> None:
        self.log = log
        self.lookup = get_lookup()
        self.verified = Verified(unsure=log.unsure)
        self.game = np.zeros(1, r.GAME)[0]
        rules = log.rules
        if log.final_points is not None and all(points == int(points) for points in log.final_points):
            # Tenhou's logs up to 2019 round final points to whole numbers, without stating it as a rule.
            rules = replace(rules, final_rounding="thousands")
        self.game["rules"] = rules.to_record()
        self.walls: TenhouWalls | None = None  # also with a seed of an older kind
        if log.seed and log.seed.startswith(SHUFFLE_PREFIX):
            try:
                self.walls = TenhouWalls(log.seed)
            except ValueError as error:
                raise LogError(str(error), log.source) from error

    def _report(self, place: str, event: str, what: str, expected: Any, actual: Any) -> None:
        self.verified.mismatches.append(Mismatch(self.log.source, place, event, what, str(expected), str(actual)))

    def _compare(self, place: str, what: str, expected: Any, actual: Any) -> None:
        if actual is not None and expected != actual:
            self._report(place, "", what, expected, actual)

    def run(self) -> Verified:
        rounds = self.log.rounds
        start_game(self.game)
        if not self.log.played:
            return self.verified
        first = self.log.played[0]  # a log may begin anywhere
        self._begin(first)
        self._compare("start", "first dealer", (first.dealer - first.round) % r.SEATS, self.log.first_dealer)
        for number, round_log in enumerate(rounds):
            self.verified.rounds += 1
            if not self._round(round_log):
                return self.verified
            over = self.game["phase"] == r.PHASE_GAME_OVER
            last = number == len(rounds) - 1 and self.log.cut is None
            stated = last and self.log.final_scores is not None and not self.log.missing
            if (over and not last) or (stated and not over):
                place = round_name(round_log.round, round_log.repeat_counter)
                words = {True: "the game is over", False: "the game goes on"}
                self._report(place, "", "end of game", words[over], words[not over])
                if not self.log.unsure or last:
                    return self.verified
                self._begin(self.log.played[number + 1])
        if self.log.cut is not None:
            self._round(self.log.cut, cut=True)
        self.verified.unfinished = bool(self.game["phase"] != r.PHASE_GAME_OVER)
        if not self.verified.unfinished:
            self._end()
        return self.verified

    def _begin(self, round_log: RoundLog) -> None:
        """Set the table to the start of a round as the log states it."""
        self.game["phase"] = r.PHASE_DEAL
        for name in _STATED_OF_A_START:
            self.game[name] = getattr(round_log, name)

    def _round(self, round_log: RoundLog, cut: bool = False) -> bool:
        """Verify one round, or the beginning of one; return whether the following rounds can be verified."""
        game = self.game
        place = round_name(round_log.round, round_log.repeat_counter)
        before = len(self.verified.mismatches)
        for name, what in _STATED_OF_A_START.items():
            self._compare(place, what, game[name].tolist(), getattr(round_log, name))
        if len(self.verified.mismatches) > before or not self._set_wall(round_log, place):
            return False
        report = np.zeros(4, np.int64)
        problem = replay_round(self.lookup, game, round_log.events, report)
        self.verified.decisions += int(report[3])
        if problem not in ((TOO_FEW, REPLAYED) if cut else (REPLAYED,)):
            self._report_problem(round_log, place, problem, report)
            return False
        if not cut:
            finish_round(game)
            self.verified.ends.append(game.copy())
        ours = from_record.round_log(game, self.log.rules)
        self._events(ours, round_log, place)
        if not cut:
            for where, what, expected, actual in _differences(ours, round_log):
                self._report(", ".join(part for part in (place, where) if part), "", what, expected, actual)
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
            later = round_log is self.log.played[0] and (round_log.round or round_log.repeat_counter)
            for _ in range(_MOST_ROUNDS if later else 1):
                wall, dice = self.walls.next_round()
                if self._same_deal(wall, shown):
                    break
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
        actual = "nothing"
        if event < len(round_log.events):
            row = round_log.events[event]
            tile = tile_name(int(row["tile"])) if row["tile"] < 136 else "-"
            actual = f"event type {row['type']} of seat {row['seat']}, tile {tile}"
        words = [f"seat {seat} in {r.PHASE_NAMES[game['phase']]}"]
        legal = [a for a in range(r.ACTIONS) if game["legal"][seat, a // 61] >> (a % 61) & 1]
        words.append("legal: " + ", ".join(r.ACTION_NAMES[a] for a in legal))
        if 0 <= action < r.ACTIONS:
            words.append(f"asked for {r.ACTION_NAMES[action]}")
        self._report(place, self._place(round_log, event), PROBLEMS[problem], "; ".join(words), actual)

    def _events(self, ours: RoundLog, stated: RoundLog, place: str) -> None:
        """Compare the moves, and the order of the indicators, which formats show at different times."""
        expected, actual = (each.events[each.events["type"] != r.EVENT_DORA] for each in (ours, stated))
        at = np.flatnonzero(stated.events["type"] != r.EVENT_DORA)
        ended = stated.has_result
        if not ended and len(actual) > len(expected) and actual["type"][-1] == r.EVENT_RIICHI_ACCEPTED:
            actual = actual[:-1]  # the engine takes the bet with the next move
        whole = max(len(expected), len(actual)) if ended else len(actual)
        for n in range(0 if np.array_equal(expected, actual) else whole):
            one, other = (str(each[n]) if n < len(each) else "nothing" for each in (expected, actual))
            if one != other:
                event = self._place(stated, int(at[n]) if n < len(at) else len(stated.events))
                names = f"({', '.join(stated.events.dtype.names or ())})"
                self._report(place, event, f"move {names}", one, other)
                break
        shown = [each.events["tile"][each.events["type"] == r.EVENT_DORA].tolist() for each in (ours, stated)]
        self._compare(place, "indicators shown", shown[0] if ended else shown[0][: len(shown[1])], shown[1])

    def _end(self) -> None:
        result = self.game["result"]
        self.verified.final_scores = result["scores"].tolist()
        self._compare("end", "final points of the table", result["scores"].tolist(), self.log.final_scores)
        if self.log.final_points is not None:
            ours = [int(points) / 10 for points in result["final_points"]]
            self._compare("end", "final points", ours, self.log.final_points)


def _differences(ours: RoundLog, stated: RoundLog) -> Iterator[tuple[str, str, object, object]]:
    """Yield (where, what, engine's, log's) of everything that a log states otherwise about a round's end."""
    kinds = [None if each.draw_type is None else r.RESULT_NAMES[each.draw_type] for each in (ours, stated)]
    statements: list[tuple[str, str, object, object]] = [
        ("", "winners", len(ours.wins), len(stated.wins)),
        ("", "end of the round", kinds[0], kinds[1]),
        ("", "tenpai seats", ours.tenpai, stated.tenpai),
        ("", "hands shown", ours.shown, stated.shown),
        ("", "repeat counter and bets at the end", ours.table, stated.table),
        ("", "points gained", ours.deltas, stated.deltas),
    ]
    for win, stated_win in zip(ours.wins, stated.wins, strict=False):
        where = f"win of seat {stated_win.seat}"
        statements += [(where, what, getattr(win, name), getattr(stated_win, name)) for what, name in _STATED_OF_A_WIN]
        statements.append((where, "yaku", _worth(win.yaku), _worth(stated_win.yaku)))
        statements.append((where, "yaku by mjai's names", yaku_names(win.yaku or ()), stated_win.mjai_yaku))
        # Tenhou does not name the liable seat where it is the discarder, who pays all anyway.
        unknown = None if win.liable == win.source else win.liable
        if stated_win.yaku is not None and stated_win.says_liable and stated_win.liable not in (win.liable, unknown):
            statements.append((where, "liable seat", str(win.liable), str(stated_win.liable)))
    for each in stated.standings:
        where = f"after {each.event} events"
        statements.append((where, "points of the table", _points_after(ours, stated.events[: each.event]), each.scores))
    for where, what, expected, stated_value in statements:
        if stated_value is not None and expected != stated_value:
            yield where, what, expected, stated_value


def _points_after(ours: RoundLog, events: np.ndarray) -> list[int]:
    """Return the points of all seats after the first events of a round, with the engine's payments."""
    points = np.array(ours.scores)
    np.subtract.at(points, events["seat"][events["type"] == r.EVENT_RIICHI_ACCEPTED], BET)
    paid = [win.deltas for win in ours.wins] or [ours.deltas]
    for gained in paid[: int((events["type"] >= r.EVENT_WIN).sum())]:
        points += gained or 0
    return points.tolist()


_STATED_OF_A_START = {
    "round": "round", "repeat_counter": "repeat counter", "bets": "riichi bets", "dealer": "dealer",
    "scores": "points at the start",
}  # fmt: skip
_STATED_OF_A_WIN = (
    ("winner", "seat"), ("from", "source"), ("winning tile", "tile"), ("fu", "fu"), ("han", "han"),
    ("limit", "limit"), ("points of the hand", "points"), ("hand", "hand"),
    ("melds", "meld_codes"), ("repeat counter and bets", "table"), ("indicators", "indicators"),
    ("ura indicators", "ura_indicators"), ("points gained by the win", "deltas"),
)  # fmt: skip


def _worth(yaku: list[tuple[int, int]] | None) -> list[tuple[int, int]] | None:
    """Return yaku sorted and without those of 0 han: with riichi, an mjlog lists ura dora even if there is none."""
    return None if yaku is None else sorted(each for each in yaku if each[1])


def verify_game(log: GameLog) -> Verified:
    """Replay a logged game and compare all that it states; raises LogError for a wall seed that cannot be read."""
    announce_compiling(replay_round.__module__)
    return _GameCheck(log).run()
