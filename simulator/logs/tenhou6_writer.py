"""Writer of Tenhou's JSON log (the `tenhou.net/6` viewer's format)."""

import json
from typing import Any

import numpy as np

from simulator import record as r
from simulator.logs import tenhou6_words as words
from simulator.logs import writing
from simulator.logs.model import GameLog, LogError, RoundLog
from simulator.logs.round_builder import face_of
from simulator.logs.tenhou6 import NO_DISCARD, TSUMOGIRI
from simulator.tiles import NO_TILE

_COUNTED_YAKUMAN = "数え役満"


def write_tenhou6(game: GameLog) -> bytes:
    """Return a game as one JSON object; raise LogError for an inconsistent game.

    The format omits who is tenpai where the payments show it, accepted riichi, when indicators were shown, and seeds.
    """
    log: dict[str, Any] = {
        "title": ["", game.date],
        "name": list(game.names),
        "rule": words.write_rules(game.rules, game.room),
    }
    if game.ref:
        log["ref"] = game.ref
    if game.lobby:
        log["lobby"] = int(game.lobby)
    if game.own_rules:
        log["csrule"] = 1
    if game.dan is not None and all(0 <= dan < len(words.DAN_NAMES) for dan in game.dan):
        log["dan"] = [words.DAN_NAMES[dan] for dan in game.dan]
    if game.rates is not None:
        log["rate"] = game.rates
    if game.final_scores is not None and game.final_points is not None:
        log["sc"] = [part for pair in zip(game.final_scores, game.final_points, strict=True) for part in pair]
    log["log"] = [_write_round(game, index) for index in range(len(game.played))]
    return json.dumps(log, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _write_round(game: GameLog, index: int) -> list[Any]:
    this = game.played[index]
    if this.dealer != this.round % r.SEATS:
        message = f"seat {this.dealer} deals, which this form cannot say: the dealer of round {this.round} is seat "
        raise LogError(f"{message}{this.round % r.SEATS}", game.source, writing.place_of(this, 0))
    red_fives = game.rules.red_fives

    def number(tile: int) -> int:
        return words.TILE_OF_FACE[face_of(int(tile), red_fives)]

    draws: list[list[Any]] = [[] for _ in range(r.SEATS)]
    discards: list[list[Any]] = [[] for _ in range(r.SEATS)]
    pongs: dict[tuple[int, int], str] = {}
    riichi = False
    for event in this.events:
        kind, seat, tile = int(event["type"]), int(event["seat"]), int(event["tile"])
        if kind == r.EVENT_DRAW:
            draws[seat].append(number(tile))
        elif kind == r.EVENT_RIICHI:
            riichi = True
        elif kind == r.EVENT_DISCARD:
            entry = TSUMOGIRI if event["drawn"] else number(tile)
            discards[seat].append(f"r{entry}" if riichi else entry)
            riichi = False
        elif kind in (r.EVENT_CHOW, r.EVENT_PONG, r.EVENT_OPEN_KONG):
            text = _call(event, number)
            draws[seat].append(text)
            if kind == r.EVENT_OPEN_KONG:
                discards[seat].append(NO_DISCARD)
            elif kind == r.EVENT_PONG:
                pongs[seat, tile >> 2] = text
        elif kind == r.EVENT_CLOSED_KONG:
            own = "".join(str(number(each)) for each in (tile, *event["consumed"][:2]))
            discards[seat].append(f"{own}a{number(event['consumed'][2])}")
        elif kind == r.EVENT_ADDED_KONG:
            discards[seat].append(pongs[seat, tile >> 2].replace("p", f"k{number(tile)}"))
    ura = max((win.ura_indicators or [] for win in this.wins), key=len, default=[])
    data: list[Any] = [[this.round, this.repeat_counter, this.bets], list(this.scores)]
    data += [[number(tile) for tile in writing.indicators_of(this)], [number(tile) for tile in ura]]
    for seat in range(r.SEATS):
        data += [sorted(map(number, this.hands[seat]), key=words.sort_key), draws[seat], discards[seat]]
    if not this.has_result:
        return [*data, [words.UNKNOWN]]
    return [*data, _wins(game, index) if this.wins else _no_winner(game, index)]


def _call(event: np.void, number: Any) -> str:
    """Return the entry of a chow, pong or open kong; the called tile's position shows the seat it came from."""
    consumed = sorted((number(tile) for tile in event["consumed"] if tile != NO_TILE), key=words.sort_key)
    texts = [str(tile) for tile in consumed]
    relative = (int(event["source"]) - int(event["seat"])) % r.SEATS
    at = {3: 0, 2: 1, 1: len(texts)}[relative]
    letter = {r.EVENT_CHOW: "c", r.EVENT_PONG: "p", r.EVENT_OPEN_KONG: "m"}[int(event["type"])]
    texts.insert(at, f"{letter}{number(event['tile'])}")
    return "".join(texts)


def _wins(game: GameLog, index: int) -> list[Any]:
    this = game.rounds[index]
    result: list[Any] = [words.WIN_WORDS[0]]
    for number, (win, deltas) in enumerate(zip(this.wins, writing.win_deltas(game, index), strict=True)):
        liable = win.seat if win.liable is None else win.liable
        score = _score(game, this, number, writing.win_points(game, index, number))
        worth = ((yaku, words.YAKUMAN if win.yakuman else f"{han}飜") for yaku, han in win.yaku or () if han)
        yaku = [f"{words.YAKU_NAMES[number]}({han})" for number, han in worth]
        result += [deltas, [win.seat, win.source, liable, score, *yaku]]
    return result


def _score(game: GameLog, this: RoundLog, number: int, points: int) -> str:
    """Return the score of a win, e.g. `30符2飜2000点`, `満貫4000点∀`, `40符1飜400-700点`."""
    win = this.wins[number]
    limit, han = writing.limit_of(win, points, this.dealer, game.rules), writing.han_of(win)
    if limit != writing.NO_LIMIT:
        name = _COUNTED_YAKUMAN if limit == writing.YAKUMAN and not win.yakuman else words.LIMIT_NAMES[limit]
    else:
        name = f"{win.fu}符{han}飜" if win.fu is not None and han is not None else ""
    if win.seat != win.source:
        return f"{name}{points}点"
    if win.seat == this.dealer:
        return f"{name}{points // 3}点∀"
    low = writing.tsumo_share(points)
    return f"{name}{low}-{points - 2 * low}点"


def _no_winner(game: GameLog, index: int) -> list[Any]:
    this = game.rounds[index]
    assert this.draw_type is not None
    deltas = writing.round_deltas(game, index)
    word = words.DRAW_NAMES[this.draw_type]
    if this.draw_type == r.RESULT_EXHAUSTIVE and this.tenpai is not None and len(set(this.tenpai)) == 1:
        return [words.ALL_TENPAI if this.tenpai[0] else words.NONE_TENPAI]
    return [word, deltas] if this.draw_type in (r.RESULT_EXHAUSTIVE, r.RESULT_NAGASHI) else [word]
