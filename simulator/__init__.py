"""The table: a Riichi Mahjong simulator. The names below are what most users need.

Each is loaded when it is first used, so that `import simulator` itself costs nothing.
"""

from typing import TYPE_CHECKING

from .exports import lazy

# Relative imports: the cache key of compiled code includes every module that is imported as `simulator.x` (see `jit`).
if TYPE_CHECKING:
    from .actions import Action
    from .efficiency import (
        accepted_batch,
        accepted_of,
        discards_batch,
        discards_of,
        shanten_batch,
        shanten_of,
        waits_batch,
        waits_of,
    )
    from .game import Game
    from .logs.archives import open_logs
    from .logs.formats import read_log
    from .logs.model import GameLog, LogError
    from .logs.verify import verify_game
    from .players import player
    from .players.play import play_games
    from .record import ACTION_NAMES, ACTIONS, GAME, RESULT, WIN
    from .redeal.hidden import redeal_hidden
    from .rules import PRESETS, Rules, RulesError
    from .scoring.hands import HandError, Score, score, score_batch
    from .tables import Decisions, Ended, IllegalAction, Tables
    from .tiles import NotationError, format_tiles, parse_counts, parse_tiles
    from .views.observation import Observation
    from .views.results import RoundResult, WinResult
    from .walls import build_wall

__all__ = [
    "ACTIONS", "ACTION_NAMES", "GAME", "PRESETS", "RESULT", "WIN",
    "Action", "Decisions", "Ended", "Game", "GameLog", "HandError", "IllegalAction", "LogError", "NotationError",
    "Observation", "RoundResult", "Rules", "RulesError", "Score", "Tables", "WinResult",
    "accepted_batch", "accepted_of", "build_wall", "discards_batch", "discards_of", "format_tiles", "open_logs",
    "parse_counts", "parse_tiles", "play_games", "player", "read_log", "redeal_hidden", "score", "score_batch",
    "shanten_batch", "shanten_of", "verify_game", "waits_batch", "waits_of",
]  # fmt: skip

__getattr__, __dir__ = lazy(
    __name__,
    {
        "actions": "Action",
        "efficiency": (
            "accepted_batch accepted_of discards_batch discards_of shanten_batch shanten_of waits_batch waits_of"
        ),
        "game": "Game",
        "logs.archives": "open_logs",
        "logs.formats": "read_log",
        "logs.model": "GameLog LogError",
        "logs.verify": "verify_game",
        "players": "player",
        "players.play": "play_games",
        "scoring.hands": "HandError Score score score_batch",
        "views.observation": "Observation",
        "record": "ACTIONS ACTION_NAMES GAME RESULT WIN",
        "redeal.hidden": "redeal_hidden",
        "views.results": "RoundResult WinResult",
        "rules": "PRESETS Rules RulesError",
        "tables": "Decisions Ended IllegalAction Tables",
        "tiles": "NotationError format_tiles parse_counts parse_tiles",
        "walls": "build_wall",
    },
)
