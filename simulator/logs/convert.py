"""Convert logs from any format to any other.

What the target format cannot express is lost: mjai has no yaku and states few rules, mjx no rules, Tenhou's JSON and
Mahjong Soul's records have no physical tiles. What it needs and the log does not state (mjai has no fu, yaku and final
points, Mahjong Soul's records state of two winners only what they are paid together) is computed by the rules.
"""

from typing import Any

import numpy as np

from simulator.logs.formats import Format
from simulator.logs.from_record import game_log
from simulator.logs.model import GameLog
from simulator.logs.verify import verify_game


def write_as(game: GameLog, target: Format) -> bytes:
    """Return a game in a format, completed by the rules; raise LogError for a game that it cannot express."""
    of_wins = [(win.fu, win.yaku, win.points) for each in game.rounds for win in each.wins]
    paid = [win.deltas for each in game.rounds if len(each.wins) > 1 for win in each.wins]
    incomplete = game.final_points is None or any(None in each for each in of_wins)
    if None in paid or (target.name != "mjai" and incomplete):
        complete(game)
    return target.write(game)


def complete(game: GameLog) -> None:
    """Set what a log leaves out of its results to what the engine finds, as far as the log can be replayed."""
    verified = verify_game(game)
    if not verified.ends:
        return
    ours = game_log(np.array(verified.ends), game.rules)
    for stated, scored_round in zip(game.rounds, ours.rounds, strict=False):
        _fill(stated, scored_round)
        for win, scored in zip(stated.wins, scored_round.wins, strict=False):
            if win.yaku is None or not win.says_liable:
                win.liable, win.says_liable = scored.liable, True
            _fill(win, scored)
            win.yakuman = scored.yakuman
    if not verified.mismatches:
        _fill(game, ours)


def _fill(stated: Any, scored: Any) -> None:
    """Set the fields of a dataclass that are None to those of another."""
    for name, value in vars(stated).items():
        if value is None:
            setattr(stated, name, getattr(scored, name))
