"""One table played twice, by our engine and by riichienv: same walls, same answers, everything compared on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from riichienv import Action, GameRule, RiichiEnv

from simulator.asking import answer
from simulator.engine import advance
from simulator.lookup import get_lookup
from simulator.record import (
    ACTION_NAMES,
    DECLARE_RIICHI,
    DISCARD_DRAWN,
    DISCARD_RED,
    GAME,
    NO_TILE,
    PASS,
    PHASE_NAMES,
    PHASE_ROUND_OVER,
    RESULT_NAMES,
    RON,
)
from simulator.rounds import deal, finish_round, start_game
from simulator.rules import Rules
from simulator.tiles import tile_name
from simulator.walls import DEAD_WALL, DORA_INDICATORS

from .actions import action_of, hints_of, legal_mask, mask_of, names, options_of
from .differences import EARLY_INDICATOR, is_early_indicator, paid_with_early_indicator
from .endings import compare_ending
from .situations import Watch

#: Per seat that is asked: its legal actions by our number, each with the peer's actions that it stands for.
Options = dict[int, dict[int, list[Action]]]
#: Returns u8[136] in Tenhou's layout for the round that is due.
Walls = Callable[[np.void], np.ndarray]
MODES = {"east": "4p-red-east", "east_south": "4p-red-half"}


class Player(Protocol):
    """Answers for all seats that are asked, with the peer's actions."""

    def __call__(self, game: np.void, options: Options) -> dict[int, Action]: ...


@dataclass
class Tally:
    """What a comparison went through."""

    games: int = 0
    rounds: int = 0
    decisions: int = 0
    wins: int = 0
    chosen: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    situations: Counter[str] = field(default_factory=Counter)
    explained: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        """Add another tally to this one."""
        for name in ("games", "rounds", "decisions", "wins"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("chosen", "endings", "situations", "explained"):
            getattr(self, name).update(getattr(other, name))


def peer_wall(wall: np.ndarray) -> list[int]:
    """Return a wall in the peer's order: dealt from its start; the dead wall's stacks hold the upper tile first."""
    tiles = wall.tolist()
    return [tiles[place ^ 1 if place < DEAD_WALL else place] for place in range(len(tiles) - 1, -1, -1)]


def picture(game: np.void) -> str:
    """Return the table in words, for the message of a failure."""
    left = int(game["next_draw"]) - DEAD_WALL - int(game["kongs"]) + 1
    lines = [f"{PHASE_NAMES[game['phase']]}, turn {game['turn']}, dealer {game['dealer']}, round {game['round']}, "
             f"{left} tiles left, claimed {game['claim_tile']}, drawn {game['drawn']}"]  # fmt: skip
    for seat in range(4):
        hand = [tile_name(k << 2 | c) for k in range(34) for c in range(4) if game["copies"][seat, k] >> c & 1]
        melds = [m["tiles"].tolist() for m in game["melds"][seat][: game["n_melds"][seat]]]
        river = [tile_name(int(entry) & 255) for entry in game["river"][seat][: game["n_river"][seat]]]
        flags = ", ".join(f"{name} {game[name][seat]}" for name in ("scores", "riichi", "missed"))
        lines.append(f"seat {seat}: {' '.join(hand)}; melds {melds}; river {' '.join(river)}; {flags}")
    return "\n".join(lines)


class SideBySide:
    """A table of ours and a table of the peer's, held against each other at every decision and at every round's end."""

    def __init__(self, rules: Rules | None = None, watch: Watch | None = None) -> None:
        rules = rules or Rules.tenhou()
        self.tally = Tally()
        self.lookup = get_lookup()
        self.games = np.zeros(1, GAME)
        self.game = self.games[0]
        self.game["rules"] = rules.to_record()
        self.peer = RiichiEnv(MODES[rules.length], skip_mjai_logging=True, rule=GameRule.default_tenhou())
        self.watch = watch or Watch(self.tally.situations)

    def play_game(self, player: Player, walls: Walls, start: Callable[[np.void], None] | None = None) -> None:
        """Play a game; `start` may set round, dealer, points, bets and repeat counter that it begins with."""
        game = self.game
        start_game(game)
        if start is not None:
            start(game)
        while True:
            wall = np.asarray(walls(game), np.uint8)
            self.play_round(player, wall)
            if game["result"]["game_over"]:
                break
        self.tally.games += 1

    def play_round(self, player: Player, wall: np.ndarray) -> None:
        """Deal and play one round on both tables, and pay it."""
        game = self.game
        dealt = {
            "oya": int(game["dealer"]),
            "wall": peer_wall(wall),
            "round_wind": int(game["round"]) // 4,
            "scores": game["scores"].tolist(),
            "honba": int(game["repeat_counter"]),
            "kyotaku": int(game["bets"]),
        }
        game["wall"] = wall
        game["wall_given"] = 1
        deal(self.lookup, game)
        advance(self.lookup, game, False, NO_TILE, NO_TILE)
        observed = self.peer.reset(**dealt)
        steps: list[dict[int, Action]] = []
        while game["phase"] < PHASE_ROUND_OVER:
            options = self._compare_decisions(observed)
            actions = player(game, options)
            steps.append(actions)
            observed = self._step(actions)
            if game["phase"] < PHASE_ROUND_OVER:
                same = (self.peer.oya, self.peer.honba) == (dealt["oya"], dealt["honba"]) and not self.peer.done()
                assert same, f"the round goes on, and for riichienv it is over\n{picture(game)}"
        self.watch.before_payment(game)
        early = paid_with_early_indicator(game)
        finish_round(game)
        self.tally.rounds += 1
        self.tally.wins += int(game["result"]["n_wins"])
        self.tally.endings[RESULT_NAMES[game["result"]["type"]]] += 1
        self.tally.explained.update(compare_ending(game if early is None else early, self.peer, dealt, steps))
        self.watch.after_payment(game)

    def _compare_decisions(self, observed: dict) -> Options:
        game = self.game
        drawn = None if game["drawn"] == NO_TILE else int(game["drawn"])
        pending = int(game["pending"])
        options: Options = {}
        for seat in range(4):
            ours = legal_mask(game, seat) if pending >> seat & 1 else 0
            theirs = 0
            if seat in observed:
                options[seat] = options_of(observed[seat].legal_actions(), drawn)
                theirs = mask_of(options[seat])
            if ours != theirs:
                raise AssertionError(
                    f"seat {seat}: legal for us alone {names(ours & ~theirs)}, for riichienv alone "
                    f"{names(theirs & ~ours)}\n{picture(game)}"
                )
        self.tally.decisions += len(options)
        shown, theirs_shown = game["wall"][DORA_INDICATORS[: game["indicators"]]].tolist(), self.peer.dora_indicators
        if shown != theirs_shown:
            assert is_early_indicator(game, theirs_shown), f"indicators {shown}, {theirs_shown}\n{picture(game)}"
            self.tally.explained[EARLY_INDICATOR] += 1
        self.watch.decisions(game, list(options))
        return options

    def _step(self, actions: dict[int, Action]) -> dict:
        """Carry out the answers on both tables."""
        game = self.game
        drawn = None if game["drawn"] == NO_TILE else int(game["drawn"])
        hints: tuple[int, ...] = ()
        ours = {seat: action_of(action, drawn) for seat, action in actions.items()}
        # Of several claims the highest number is carried out: a pong or kong comes before a chow, a win before both.
        first = max(ours, key=lambda seat: -1 if ours[seat] == PASS else ours[seat])
        if ours[first] != RON:
            hints = hints_of(actions[first])
        for seat, action in ours.items():
            self.tally.chosen[_family(action)] += 1
            answer(game, seat, action)
        self.watch.chosen(game, ours)
        padded = (*hints, NO_TILE, NO_TILE)
        advance(self.lookup, game, False, padded[0], padded[1])
        self.watch.stepped(game)
        return self.peer.step(actions)


def _family(action: int) -> str:
    """Return the name of an action without its tile."""
    if action < DISCARD_RED:
        return "discard"
    if action < DISCARD_DRAWN:
        return "discard red"
    if DECLARE_RIICHI < action < RON - 1 and "kong " in ACTION_NAMES[action]:
        return ACTION_NAMES[action].rsplit(" ", 1)[0]
    return ACTION_NAMES[action]
