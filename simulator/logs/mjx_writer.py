"""Writer of mjx's states, as JSON of its protobuf message `State`, one round a line."""

import json

import numpy as np

from simulator import record as r
from simulator.logs import mjx, writing
from simulator.logs.mjlog_codes import add_meld
from simulator.logs.model import GameLog, LogError, WinLog
from simulator.logs.protobuf_json import Message

_NAMES = {number: name for names in (mjx.RIICHI_EVENTS, mjx.MELDS) for name, number in names.items()}
_DRAW_NAMES = {result: name for name, result in mjx.DRAW_TYPES.items()}
_MELDS = set(mjx.MELDS.values())


def write_mjx(game: GameLog) -> bytes:
    """Return a game as lines of JSON; raise LogError for an inconsistent game.

    The format states neither rules, nor final points, nor who is liable; its wall is left out.
    """
    rounds = range(len(game.played))
    lines = [json.dumps(_state(game, index), ensure_ascii=False, separators=(",", ":")) for index in rounds]
    return ("\n".join(lines) + "\n").encode()


def _state(game: GameLog, index: int) -> Message:
    this = game.played[index]
    if this.dealer != this.round % r.SEATS:
        message = f"seat {this.dealer} deals, which this form cannot say: the dealer of round {this.round} is seat "
        raise LogError(f"{message}{this.round % r.SEATS}", game.source, writing.place_of(this, 0))
    opens: list[list[int]] = [[] for _ in range(r.SEATS)]
    score = {"round": this.round, "honba": this.repeat_counter}
    public = {
        "gameId": game.ref,
        "playerIds": list(game.names),
        "initScore": score | {"riichi": this.bets, "tens": list(this.scores)},
        "doraIndicators": writing.indicators_of(this),
        "events": [_event(event, opens) for event in this.events],
    }
    drawn = this.events[this.events["type"] == r.EVENT_DRAW]
    private = [
        {"who": seat, "initHand": {"closedTiles": hand}, "draws": drawn["tile"][drawn["seat"] == seat].tolist()}
        for seat, hand in enumerate(this.hands)
    ]
    state = {"publicObservation": public, "privateObservations": private}
    return state | {"roundTerminal": _terminal(game, index, opens, score)} if this.has_result else state


def _event(event: np.void, opens: list[list[int]]) -> Message:
    kind, seat, tile = int(event["type"]), int(event["seat"]), int(event["tile"])
    name = _NAMES.get(kind, mjx.DRAW)
    data: Message = {"who": seat}
    if kind == r.EVENT_DISCARD:
        name, data["tile"] = (mjx.TSUMOGIRI if event["drawn"] else mjx.DISCARD), tile
    elif kind in _MELDS:
        data["open"] = add_meld(opens[seat], event)
    elif kind == r.EVENT_DORA:
        name, data = mjx.NEW_DORA, {"tile": tile}
    elif kind == r.EVENT_WIN:
        name, data["tile"] = (mjx.TSUMO if event["source"] == seat else mjx.RON), tile
    elif kind == r.EVENT_NO_WINNER:
        name, data = _DRAW_NAMES[tile], {}
    return {"type": mjx.PREFIX + name, **data}


def _terminal(game: GameLog, index: int, opens: list[list[int]], score: Message) -> Message:
    this = game.rounds[index]
    over = index == len(game.played) - 1 and game.final_scores is not None
    deltas = writing.round_deltas(game, index)
    accepted = this.events["seat"][this.events["type"] == r.EVENT_RIICHI_ACCEPTED]
    tens = np.array(this.scores) + deltas - writing.BET * np.bincount(accepted, minlength=r.SEATS)
    bets = 0 if this.wins or over else this.bets + len(accepted)
    final = score | {"riichi": bets, "tens": list(game.final_scores or ()) if over else tens.tolist()}
    terminal: Message = {"finalScore": final, "isGameOver": over}
    hands = writing.final_hands(game, this)
    if this.wins:
        paid = writing.win_deltas(game, index)
        wins = (_win(win, hands[win.seat], opens[win.seat]) for win in this.wins)
        points = (writing.win_points(game, index, number) for number in range(len(this.wins)))
        rows = zip(wins, points, paid, strict=True)
        return terminal | {"wins": [win | {"ten": ten, "tenChanges": changes} for win, ten, changes in rows]}
    shown = writing.shown_hands(this, hands)
    tenpai = [
        {"who": seat, "hand": {"closedTiles": hands[seat], "opens": opens[seat][::-1]}}
        for seat in range(r.SEATS)
        if shown[seat]
    ]
    return terminal | {"noWinner": {"tenpais": tenpai, "tenChanges": deltas}}


def _win(win: WinLog, hand: list[int], opens: list[int]) -> Message:
    tile = [] if win.tile is None or win.tile in hand else [win.tile]
    data: Message = {
        "who": win.seat,
        "fromWho": win.source,
        "hand": {"closedTiles": win.hand or sorted([*hand, *tile]), "opens": opens[::-1]},
        "winTile": win.tile,
        "fu": win.fu or 0,
    }
    if win.yakuman:
        data["yakumans"] = [number for number, _ in win.yaku or ()]
    else:
        data |= {"yakus": [number for number, _ in win.yaku or ()], "fans": [han for _, han in win.yaku or ()]}
    return data | {"uraDoraIndicators": win.ura_indicators} if win.ura_indicators else data
