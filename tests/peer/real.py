"""Real games as a player: the answers that a log shows, on the walls that it was played with."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from riichienv import Action

from simulator.logs.mjlog import read_mjlog
from simulator.logs.model import GameLog, RoundLog
from simulator.logs.replay import next_answer, wall_of_log
from simulator.record import (
    EVENT_DORA,
    EVENT_DRAW,
    EVENT_RIICHI_ACCEPTED,
    NO_TILE,
    PASS,
    PHASE_TURN,
)
from simulator.rounds import start_game
from simulator.walls import TenhouWalls

from .actions import hints_of
from .side_by_side import Options, SideBySide


def sample(archive: Path, games: int) -> Iterator[GameLog]:
    """Read games evenly spread over an archive."""
    with zipfile.ZipFile(archive) as opened:
        names = sorted(name for name in opened.namelist() if not name.endswith("/"))
        for n in range(min(games, len(names))):
            name = names[n * len(names) // games]
            yield read_mjlog(opened.read(name), f"{archive.name}/{name}")


class LogPlayer:
    """Answers as one round of a log shows."""

    def __init__(self, events: np.ndarray) -> None:
        self.events = events
        self.at = 0
        self.hints = np.empty(2, np.uint8)

    def _skip(self, *types: int) -> None:
        while self.at < len(self.events) and self.events["type"][self.at] in types:
            self.at += 1

    def __call__(self, game: np.void, options: Options) -> dict[int, Action]:
        self._skip(EVENT_DORA, EVENT_RIICHI_ACCEPTED)
        if game["phase"] == PHASE_TURN:
            assert self.events["type"][self.at] == EVENT_DRAW
            self.at += 1
            self._skip(EVENT_DORA, EVENT_RIICHI_ACCEPTED)
        at = self.at
        actions = {}
        for seat, own in options.items():
            action = next_answer(game, self.events, at, seat, self.hints)
            wanted = tuple(int(tile) for tile in self.hints if tile != NO_TILE)
            fitting = [peer for peer in own[action] if not wanted or hints_of(peer) == wanted]
            actions[seat] = fitting[0]
            if action != PASS:
                self.at = at + 1
        return actions


def play_log(tables: SideBySide, log: GameLog) -> None:
    """Play a real game on both tables."""
    game = tables.game
    game["rules"] = log.rules.to_record()
    start_game(game)
    game["scores"] = log.rounds[0].scores
    walls = TenhouWalls(log.seed) if log.seed else None
    for round_log in log.rounds:
        wall = walls.next_round()[0] if walls else _shown_wall(round_log)
        tables.play_round(LogPlayer(round_log.events), wall)
        assert round_log.deltas is None or game["result"]["deltas"].tolist() == round_log.deltas, log.source
    tables.tally.games += 1


def _shown_wall(round_log: RoundLog) -> np.ndarray:
    ura = max((win.ura_indicators or [] for win in round_log.wins), key=len, default=[])
    wall = np.empty(136, np.uint8)
    hands = np.array(round_log.hands, np.uint8)
    problem = wall_of_log(hands, round_log.dealer, round_log.events, round_log.indicator, np.array(ura, np.uint8), wall)
    assert problem == -1
    return wall
