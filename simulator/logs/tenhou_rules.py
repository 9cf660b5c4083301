"""Which rules a game at Tenhou was played by, as far as its date, its lobby and its points tell.

The dates are those of `docs/rules.md`. What they leave open is said in `GameLog.unsure`.
"""

import re
from contextlib import suppress
from dataclasses import replace

from simulator.logs.mahjong_soul_words import GAME_ID as MAHJONG_SOUL_ID
from simulator.logs.mjlog_codes import rules_of_type
from simulator.logs.model import GameLog
from simulator.rules import Rules, RulesError

#: A game's id at Tenhou: date and hour, type of the table, lobby, a number.
_GAME_ID = re.compile(r"(\d{10})gm-([0-9a-f]{4})-(\d{4,5})-[0-9a-z]*")
GAME_ID_IN_ADDRESS = re.compile(f"{_GAME_ID.pattern}|{MAHJONG_SOUL_ID.pattern}")
_LOBBY = re.compile(r"[0-9]{1,5}")
#: Since this hour a dealer in tenpai stops too.
_TENPAI_STOPS = "2010060107"
#: East-only games had the small uma until the first of these days or later, and no longer on the second.
_SMALL_UMA_SEEN, _SMALL_UMA_GONE = "2009061807", "2010010100"


def rules_of_id(game_id: str) -> Rules:
    """Return the rules that a game's id at Tenhou states, for logs that state none; Tenhou's usual ones by default."""
    match = _GAME_ID.fullmatch(game_id)
    return rules_of_type(int(match[2], 16)) if match else Rules.tenhou()


def settle_rules(log: GameLog) -> None:
    """Replace the rules of a game that Tenhou's present ones do not fit, and note what is not known about them.

    The game's id may be that of Mahjong Soul, whose rules then hold; where the log does not state it, it is looked for
    in the name of the file.
    """
    if MAHJONG_SOUL_ID.fullmatch(log.ref) and not log.unsure:
        log.rules = replace(
            Rules.preset("mahjong_soul"),
            **{name: getattr(log.rules, name) for name in ("length", "red_fives", "open_tanyao")},
        )
    match = _GAME_ID.search(log.ref) or _GAME_ID.search(log.source)
    if match:
        log.ref = match[0]
        _settle_date(log, match[1])
    if not _LOBBY.fullmatch(log.lobby):
        log.lobby = match[3] if match else ""
    if log.own_rules:
        log.unsure = "the lobby has rules of its own (csrule)"
    elif log.lobby.strip("0"):
        log.unsure = f"lobby {log.lobby[:9]} may have rules of its own"
    first = log.played[0]
    at_start = not (first.round or first.repeat_counter or first.bets) and len(set(first.scores)) == 1
    if at_start and first.scores[0] != log.rules.starting_points:
        log.unsure = f"a game from {first.scores[0]:,} points"
        with suppress(RulesError):  # points that no rules start with
            log.rules = replace(log.rules, starting_points=first.scores[0])


def _settle_date(log: GameLog, date: str) -> None:
    """Set the rules of a date, `YYYYMMDDHH`."""
    if date >= _TENPAI_STOPS:
        return
    old = Rules.tenhou_east_2009() if log.rules.length == "east" else Rules.tenhou_2009()
    uma = old.uma if date < _SMALL_UMA_GONE else log.rules.uma
    log.rules = replace(log.rules, dealer_stop=old.dealer_stop, east_into_west=old.east_into_west, uma=uma)
    if log.rules.length == "east" and _SMALL_UMA_SEEN < date < _SMALL_UMA_GONE:
        log.unsure = "on which day of 2009 the uma of East-only games changed is not known"
