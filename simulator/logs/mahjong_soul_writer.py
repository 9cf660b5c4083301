"""Writer of Mahjong Soul's records as JSON, wrapped as the game's players save them.

Of what a client shows, only what a reader needs is written: neither the operations offered nor the players' inputs.
"""

import json
from typing import Any

import numpy as np

from simulator import record as r
from simulator.logs import mahjong_soul_words as words
from simulator.logs import writing
from simulator.logs.model import GameLog, LogError, RoundLog
from simulator.logs.protobuf_json import Message
from simulator.logs.round_builder import face_of
from simulator.scoring.yaku import DOUBLE_YAKUMAN
from simulator.tiles import NO_TILE
from simulator.walls import LIVE_TILES

_TYPE_OF_CALL = {call: kind for kind, (call, _) in words.CALLS.items()}
_TYPE_OF_KONG = {kong: kind for kind, kong in words.KONGS.items()}
_TYPE_OF_DRAW = {result: kind for kind, result in words.ABORTIVE_DRAWS.items()}
#: The moves that state that the riichi before them was accepted.
_WITH_RIICHI = {"RecordDealTile", "RecordChiPengGang", "RecordLiuJu"}
_RECORD = 1  # `type` of an action that is a record


def write_mahjong_soul(game: GameLog) -> bytes:
    """Return a game as one JSON object; raise LogError for an inconsistent game.

    The format has no physical tiles and no seeds, and states of several wins on one tile only what they pay together.
    """
    accounts = [{"seat": seat, "nickname": name} for seat, name in enumerate(game.names)]
    head: Message = {"uuid": game.ref, "accounts": accounts, "config": words.write_rules(game.rules, game.room)}
    if game.final_scores is not None:
        players: list[Message] = [
            {"seat": seat, "part_point_1": points} for seat, points in enumerate(game.final_scores)
        ]
        for player, points in zip(players, game.final_points or (), strict=False):
            player["total_point"] = round(1000 * points)
        head["result"] = {"players": players}
    records = [record for index in range(len(game.played)) for record in _RoundWriter(game, index).write()]
    actions = [{"type": _RECORD, "result": {"name": f".lq.{name}", "data": data}} for name, data in records]
    details = {"name": ".lq.GameDetailRecords", "data": {"version": 210715, "actions": actions}}
    document = {"head": head, "data": details}
    return json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


class _RoundWriter:
    """The state of writing one round: its records, the indicators and the riichi that the next one states."""

    def __init__(self, game: GameLog, index: int) -> None:
        self.game, self.index = game, index
        self.this: RoundLog = game.played[index]
        self.records: list[tuple[str, Message]] = []
        self.indicators = [self.this.indicator]
        self.new_indicator = self.riichi = False
        self.accepted: Message = {}
        self.scores = np.array(self.this.scores)
        self.bets = self.this.bets
        self.left = LIVE_TILES - 1

    def write(self) -> list[tuple[str, Message]]:
        this = self.this
        if this.dealer != this.round % r.SEATS:
            message = f"seat {this.dealer} deals, which this form cannot say: the dealer of round {this.round} is seat "
            raise LogError(f"{message}{this.round % r.SEATS}", self.game.source, writing.place_of(this, 0))
        if not len(this.events) or this.events["type"][0] != r.EVENT_DRAW or this.events["seat"][0] != this.dealer:
            message = "the dealer does not draw first, which this form cannot say"
            raise LogError(message, self.game.source, writing.place_of(this, 0))
        hands = [self._names(hand) for hand in this.hands]
        hands[this.dealer].append(self._name(this.events["tile"][0]))
        self._add(
            "RecordNewRound",
            chang=this.round // r.SEATS,
            ju=this.dealer,
            ben=this.repeat_counter,
            liqibang=this.bets,
            scores=list(this.scores),
            doras=self._names(self.indicators),
            left_tile_count=self.left,
            **{f"tiles{seat}": hand for seat, hand in enumerate(hands)},
        )
        for event in this.events[1:]:
            self._event(event)
        if this.wins:
            self._wins()
        elif this.draw_type is not None:
            self._no_winner()
        return self.records

    def _name(self, tile: int) -> str:
        return words.TILE_NAMES[face_of(int(tile), self.game.rules.red_fives)]

    def _names(self, tiles: Any) -> list[str]:
        return [self._name(tile) for tile in tiles]

    def _add(self, name: str, **data: Any) -> None:
        if self.accepted and name in _WITH_RIICHI:
            data["liqi"] = self.accepted
        self.accepted = {}
        self.records.append((name, data))

    def _doras(self) -> list[str]:
        """Return all indicators if there is one that no record has stated yet."""
        doras = self._names(self.indicators) if self.new_indicator else []
        self.new_indicator = False
        return doras

    def _event(self, event: np.void) -> None:
        kind, seat, tile = int(event["type"]), int(event["seat"]), int(event["tile"])
        if kind == r.EVENT_DORA:
            self.indicators.append(tile)
            self.new_indicator = True
            name, record = self.records[-1]
            if name == "RecordDiscardTile":  # an open or added kong reveals it with the discard
                record["doras"] = self._doras()
        elif kind == r.EVENT_RIICHI:
            self.riichi = True
        elif kind == r.EVENT_RIICHI_ACCEPTED:
            self.scores[seat] -= writing.BET
            self.bets += 1
            self.accepted = {"seat": seat, "score": int(self.scores[seat]), "liqibang": self.bets}
        elif kind == r.EVENT_DRAW:
            self.left -= 1
            drawn = {"seat": seat, "tile": self._name(tile), "left_tile_count": self.left}
            self._add("RecordDealTile", **drawn, doras=self._doras())
        elif kind == r.EVENT_DISCARD:
            riichi, self.riichi = self.riichi, False
            discard = {"seat": seat, "tile": self._name(tile), "is_liqi": riichi, "moqie": bool(event["drawn"])}
            self._add("RecordDiscardTile", **discard, doras=self._doras())
        elif kind in _TYPE_OF_CALL:
            own = [each for each in event["consumed"] if each != NO_TILE]
            tiles, sources = [*own, tile], [*(seat for _ in own), int(event["source"])]
            self._add("RecordChiPengGang", seat=seat, type=_TYPE_OF_CALL[kind], tiles=self._names(tiles), froms=sources)
        elif kind in _TYPE_OF_KONG:
            self._add("RecordAnGangAddGang", seat=seat, type=_TYPE_OF_KONG[kind], tiles=self._name(tile))

    def _wins(self) -> None:
        deltas = np.array(writing.round_deltas(self.game, self.index))
        hands = writing.final_hands(self.game, self.this)
        self._add(
            "RecordHule",
            hules=[self._win(number, hands) for number in range(len(self.this.wins))],
            old_scores=self.scores.tolist(),
            delta_scores=deltas.tolist(),
            scores=(self.scores + deltas).tolist(),
        )

    def _win(self, number: int, hands: list[list[int]]) -> Message:
        win, dealer = self.this.wins[number], self.this.dealer
        tsumo = win.seat == win.source
        hand = [tile for tile in win.hand or hands[win.seat] if tile != win.tile]
        fans = [
            {"val": self._value(yaku, han, win.yakuman), "id": words.FAN_OF_YAKU[yaku]} for yaku, han in win.yaku or ()
        ]
        data = {
            "seat": win.seat,
            "hand": self._names(hand),
            "hu_tile": self._name(self.this.events["tile"][self.this.events["type"] == r.EVENT_WIN][number]),
            "zimo": tsumo,
            "qinjia": win.seat == dealer,
            "doras": self._names(self.indicators),
            "li_doras": self._names(win.ura_indicators or ()),
            "yiman": win.yakuman,
            "fans": fans,
            "count": sum(fan["val"] for fan in fans),
            "fu": win.fu or 0,
            **self._points(number),
        }
        return data if win.liable is None else data | {"baopai": win.liable + 1}

    def _points(self, number: int) -> dict[str, int]:
        win, points = self.this.wins[number], writing.win_points(self.game, self.index, number)
        if win.seat != win.source:
            return {"point_rong": points}
        if win.seat == self.this.dealer:
            return {"point_zimo_xian": points // 3}
        low = writing.tsumo_share(points)
        return {"point_zimo_xian": low, "point_zimo_qin": points - 2 * low}

    def _value(self, yaku: int, han: int, yakuman: bool) -> int:
        """Return a yaku's han, or how many times a yakuman counts."""
        if not yakuman:
            return han
        return 2 if self.game.rules.double_yakuman and DOUBLE_YAKUMAN >> yaku & 1 else 1

    def _no_winner(self) -> None:
        this = self.this
        hands = writing.final_hands(self.game, this)
        shown = writing.shown_hands(this, hands)
        if this.draw_type in (r.RESULT_EXHAUSTIVE, r.RESULT_NAGASHI):
            players = [
                {"tingpai": True, "hand": self._names(hand)} if tenpai else {"tingpai": False}
                for hand, tenpai in zip(hands, shown, strict=True)
            ]
            deltas = writing.round_deltas(self.game, self.index)
            payments = [{"old_scores": self.scores.tolist(), "delta_scores": deltas}]
            nagashi = this.draw_type == r.RESULT_NAGASHI
            self._add("RecordNoTile", liujumanguan=nagashi, players=players, scores=payments)
            return
        draw: Message = {"type": _TYPE_OF_DRAW[this.draw_type or 0]}
        if this.draw_type == r.RESULT_NINE_TERMINALS and any(shown):
            draw |= {"seat": shown.index(True), "tiles": self._names(hands[shown.index(True)])}
        self._add("RecordLiuJu", **draw)
