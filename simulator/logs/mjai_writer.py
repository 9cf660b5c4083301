"""Writer of mjai events, with the order and fields that Mortal and RiichiEnv expect, and views of a single player."""

import json
from collections.abc import Iterable, Sequence

import numpy as np

from simulator import record as r
from simulator.logs.mjai_words import EAST_ONLY, REASON_NAMES, TILE_NAMES, Event, move_event, yaku_names
from simulator.logs.model import GameLog
from simulator.logs.round_builder import face_of
from simulator.logs.writing import round_deltas, win_deltas
from simulator.tiles import EAST, NO_TILE

HIDDEN = "?"
#: `uri` of a game whose id is Mahjong Soul's, or Tenhou's.
_ADDRESSES = ("https://game.maj-soul.com/1/?paipu={}", "https://tenhou.net/0/?log={}")


def write_mjai(game: GameLog) -> bytes:
    """Return a game as mjai lines; raise LogError for an inconsistent game."""
    lines = [json.dumps(event, ensure_ascii=False, separators=(",", ":")) for event in mjai_events(game)]
    return ("\n".join(lines) + "\n").encode()


def mjai_events(game: GameLog) -> list[Event]:
    """Return the mjai events of a game: a `hora` for each winner, and a kong's `dora` where the log has it."""
    events = [start_game(game.names, game.rules.length == "east", game.rules.red_fives)]
    if game.ref:
        events[0]["uri"] = _ADDRESSES["gm-" in game.ref].format(game.ref)
    for index in range(len(game.played)):
        events += round_events(game, index)
    if game.cut is not None:
        return events
    end: Event = {"type": "end_game"}
    if game.final_scores is not None:
        end["scores"] = list(game.final_scores)
    return [*events, end]


def start_game(names: Sequence[str], east_only: bool, red_fives: bool) -> Event:
    """Return the `start_game` with what it states of the rules."""
    first = EAST_ONLY if east_only else 0
    return {"type": "start_game", "names": list(names), "kyoku_first": first, "aka_flag": red_fives}


def round_events(game: GameLog, index: int) -> list[Event]:
    """Return the mjai events of one round, from `start_kyoku` to `end_kyoku` (unless it is cut off)."""
    this = game.played[index]
    red_fives = game.rules.red_fives
    events: list[Event] = [
        {
            "type": "start_kyoku",
            "bakaze": TILE_NAMES[EAST + this.round // r.SEATS],
            "dora_marker": tile_name(this.indicator, red_fives),
            "kyoku": this.round % r.SEATS + 1,
            "honba": this.repeat_counter,
            "kyotaku": this.bets,
            "oya": this.dealer,
            "scores": list(this.scores),
            "tehais": [[tile_name(tile, red_fives) for tile in hand] for hand in this.hands],
        }
    ]
    wins = 0
    for place, event in enumerate(this.events):
        kind = int(event["type"])
        if kind == r.EVENT_WIN:
            events.append(_win(game, index, wins))
            wins += 1
        elif kind == r.EVENT_NO_WINNER:
            reason = REASON_NAMES[int(event["tile"])]
            end: Event = {"type": "ryukyoku", "reason": reason, "deltas": round_deltas(game, index)}
            if this.shown is not None:
                end["tenpais"] = [hand is not None for hand in this.shown]
                end["tehais"] = [[tile_name(tile, red_fives) for tile in hand or ()] for hand in this.shown]
            events.append(end)
        else:
            events.append(mjai_move(this.events, place, red_fives))
    return [*events, {"type": "end_kyoku"}] if this.has_result else events


def tile_name(tile: int, red_fives: bool) -> str:
    """Return the mjai name of a physical tile."""
    return TILE_NAMES[face_of(int(tile), red_fives)]


def mjai_move(events: np.ndarray, place: int, red_fives: bool) -> Event:
    """Return the event of a move or an indicator, LOG_EVENT number `place` of a round's; an added kong has its pong."""
    kind, seat, tile, source, consumed, drawn = events[place].tolist()
    own = [each for each in consumed.tolist() if each != NO_TILE]
    if kind == r.EVENT_CLOSED_KONG:
        own = [tile, *own]
    elif kind == r.EVENT_ADDED_KONG:
        pongs = events[:place][(events["type"][:place] == r.EVENT_PONG) & (events["tile"][:place] >> 2 == tile >> 2)]
        own = [tile for pong in pongs for tile in (pong["tile"], *pong["consumed"][:2])]
    names = [tile_name(each, red_fives) for each in own]
    return move_event(kind, seat, "" if tile == NO_TILE else tile_name(tile, red_fives), names, source, bool(drawn))


def _win(game: GameLog, index: int, number: int) -> Event:
    win = game.rounds[index].wins[number]
    ura = [tile_name(tile, game.rules.red_fives) for tile in win.ura_indicators or ()]
    event: Event = {"type": "hora", "actor": win.seat, "target": win.source}
    if win.tile is not None:
        event["pai"] = tile_name(win.tile, game.rules.red_fives)
    if win.hand is not None:
        own = [tile for tile in win.hand if tile != win.tile or win.source == win.seat]
        event["hora_tehais"] = [tile_name(tile, game.rules.red_fives) for tile in own]
    if win.yaku is not None:
        event["yakus"] = [[name, han] for name, han in yaku_names(win.yaku).items()]
        if not win.yakuman:
            event["fan"] = sum(han for _, han in win.yaku)
    for name, value in (("fu", win.fu), ("hora_points", win.points)):
        if value is not None:
            event[name] = value
    return event | {"deltas": win_deltas(game, index)[number], "ura_markers": ura}


def player_view(events: Iterable[Event], seat: int) -> list[Event]:
    """Return events as one seat sees them: other hands and draws are hidden, and its number is the game's `id`."""
    return [_event_view(event, seat) for event in events]


def _event_view(event: Event, seat: int) -> Event:
    kind = event["type"]
    if kind == "start_game":
        return event | {"id": seat}
    if kind == "start_kyoku":
        hands = [hand if owner == seat else [HIDDEN] * len(hand) for owner, hand in enumerate(event["tehais"])]
        return event | {"tehais": hands}
    if kind == "tsumo" and event["actor"] != seat:
        return event | {"pai": HIDDEN}
    return event
