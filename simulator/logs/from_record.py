"""Logs of games played by this simulator, made from the records at the end of each round."""

from collections.abc import Sequence

import numpy as np

from simulator import record as r
from simulator.logs.mjlog_codes import meld_codes
from simulator.logs.model import LOG_EVENT, GameLog, RoundLog, WinLog
from simulator.logs.writing import limit_of
from simulator.rules import Rules
from simulator.scoring.yaku import yaku_with_han
from simulator.walls import DORA_INDICATORS, URA_INDICATORS, dealt_places

_ACCEPTED = 2  # GAME.riichi


def game_log(rounds: np.ndarray, rules: Rules, names: Sequence[str] = ("", "", "", ""), source: str = "") -> GameLog:
    """Return the log of one game; rounds: GAME[n], in order, as in `Ended.records`. The last may end the game."""
    log = GameLog(rules, [round_log(record, rules) for record in rounds], names=list(names), source=source)
    result = rounds[-1]["result"]
    if result["game_over"]:
        log.final_scores = result["scores"].tolist()
        log.final_points = [points / 10 for points in result["final_points"].tolist()]
    return log


def round_log(record: np.void, rules: Rules) -> RoundLog:
    """Return the log of one round from the GAME record at its end, after the payments and before the next deal."""
    result = record["result"]
    dealer = int(result["round"]) % r.SEATS
    wall = record["wall"]
    n_wins = int(result["n_wins"])
    events = log_events(record)
    shown = None if n_wins else _shown(record)
    table = int(result["repeat_counter"]), int(result["bets"])
    return RoundLog(
        round=int(result["round"]),
        repeat_counter=int(result["repeat_counter"]),
        bets=int(record["start_bets"]),
        dealer=dealer,
        scores=record["start_scores"].tolist(),
        hands=[wall[dealt_places(dealer, seat)].tolist() for seat in range(r.SEATS)],
        indicator=int(wall[DORA_INDICATORS[0]]),
        events=events,
        wins=[
            _win_log(record, win, rules, events, table if number == 0 else (table[0], 0))
            for number, win in enumerate(result["wins"][:n_wins])
        ],
        draw_type=None if n_wins else int(result["type"]),
        tenpai=shown,
        shown=None if shown is None else [concealed(record, seat) if shown[seat] else None for seat in range(r.SEATS)],
        table=None if n_wins else table,
        deltas=result["deltas"].tolist(),
    )


def log_events(record: np.void) -> np.ndarray:
    """Return LOG_EVENT[n] of the events in a GAME record; the tiles of a call are taken from the seat's melds."""
    packed = record["events"][: int(record["n_events"])]
    events = np.empty(len(packed), LOG_EVENT)
    extra = packed >> 6 & 3
    events["type"], events["seat"], events["tile"] = packed & 15, packed >> 4 & 3, packed >> 8
    kind = events["type"]
    events["tile"][(kind == r.EVENT_RIICHI) | (kind == r.EVENT_RIICHI_ACCEPTED)] = r.NO_TILE
    events["source"] = np.where(kind == r.EVENT_WIN, extra, r.NO_SEAT)
    events["consumed"] = r.NO_TILE
    events["drawn"] = (kind == r.EVENT_DISCARD) & (extra & 1)
    for n in np.flatnonzero((kind >= r.EVENT_CHOW) & (kind <= r.EVENT_OPEN_KONG)).tolist():
        meld = record["melds"][events["seat"][n], extra[n]]
        own = 3 if kind[n] == r.EVENT_OPEN_KONG else 2  # the fourth tile of a pong was added later
        events["source"][n] = meld["source"]
        events["consumed"][n, :own] = meld["tiles"][1 : own + 1]
    closed = kind == r.EVENT_CLOSED_KONG
    events["consumed"][closed] = events["tile"][closed, None] + np.arange(1, 4, dtype=np.uint8)
    return events


def concealed(record: np.void, seat: int) -> list[int]:
    """Return the physical tiles of a seat's hand, ascending, the one just drawn included."""
    return np.flatnonzero(record["copies"][seat][:, None] >> np.arange(4) & 1).tolist()


def ura_shown(record: np.void, seat: int) -> list[int]:
    """Return the ura indicators that a winner sees: none without riichi."""
    if record["riichi"][seat] != _ACCEPTED or not record["rules"]["ura_dora"]:
        return []
    return record["wall"][URA_INDICATORS[: record["indicators"] if record["rules"]["kong_ura"] else 1]].tolist()


def _win_log(record: np.void, win: np.void, rules: Rules, events: np.ndarray, table: tuple[int, int]) -> WinLog:
    shown = int(record["indicators"])
    seat, source, tile = int(win["seat"]), int(win["source"]), int(win["tile"])
    log = WinLog(
        seat=seat,
        source=source,
        tile=tile,
        fu=int(win["fu"]),
        points=int(win["points"]),
        yaku=yaku_with_han(win),
        yakuman=bool(win["yakuman"]),
        han=None if win["yakuman"] else int(win["han"]),
        hand=sorted({*concealed(record, seat), tile}),
        meld_codes=meld_codes(events, seat),
        table=table,
        indicators=record["wall"][DORA_INDICATORS[:shown]].tolist(),
        ura_indicators=ura_shown(record, seat) or None,
        liable=None if win["liable"] == r.NO_SEAT else int(win["liable"]),
        deltas=win["deltas"].tolist(),
    )
    log.limit = limit_of(log, int(win["points"]), int(record["result"]["round"]) % r.SEATS, rules)
    return log


def _shown(record: np.void) -> list[bool]:
    """Return which seats show their hands at the end of a round without a winner."""
    result = record["result"]
    if result["type"] in (r.RESULT_EXHAUSTIVE, r.RESULT_NAGASHI):
        return [bool(result["tenpai"] >> seat & 1) for seat in range(r.SEATS)]
    if result["type"] == r.RESULT_NINE_TERMINALS:
        return [seat == record["turn"] for seat in range(r.SEATS)]
    if result["type"] == r.RESULT_TRIPLE_RON:
        return [bool(answer == r.RON) for answer in record["answers"]]
    return [bool(result["type"] == r.RESULT_FOUR_RIICHI)] * r.SEATS


assert r.EVENT_CHOW < r.EVENT_PONG < r.EVENT_OPEN_KONG
