"""Writer of Tenhou's mjlog XML, which `read_mjlog` reads back as the same game."""

from collections.abc import Sequence
from html import escape
from urllib.parse import quote

import numpy as np

from simulator import record as r
from simulator.logs import writing
from simulator.logs.mjlog_codes import DRAW_TYPES, add_meld, type_of_rules
from simulator.logs.model import GameLog, LogError, RoundLog
from simulator.tiles import NO_TILE

_POINTS = 100
_BET = 10
_DRAW_NAMES = {result: name for name, result in DRAW_TYPES.items()}
_DRAWS, _DISCARDS = "TUVW", "DEFG"


def write_mjlog(game: GameLog) -> bytes:
    """Return a game as an mjlog file.

    Points are in hundreds; unknown dice are written as ones, since the form must name them, and the rules as far as
    Tenhou's table type can express them. Raises LogError for an inconsistent game.
    """
    parts = ['<mjloggm ver="2.3">']
    if game.seed or game.ref:
        parts.append(_tag("SHUFFLE", seed=game.seed or "", ref=game.ref))
    table: dict[str, object] = {"type": type_of_rules(game.rules, game.room)}
    if game.lobby:
        table["lobby"] = game.lobby
    if game.own_rules:
        table["csrule"] = 1
    parts.append(_tag("GO", **table))
    names = {f"n{seat}": quote(game.names[seat], safe="") for seat in range(r.SEATS)}
    if game.dan is not None:
        names["dan"] = _join(game.dan)
    if game.rates is not None:
        names["rate"] = ",".join(f"{rate:.2f}" for rate in game.rates)
    parts.append(_tag("UN", **names))
    parts.append(_tag("TAIKYOKU", oya=game.first_dealer))
    for index in range(len(game.played)):
        try:
            _RoundWriter(game, index, parts).write()
        except ValueError as error:
            if isinstance(error, LogError):
                raise
            raise LogError(str(error), game.source, f"round {index + 1}") from error
    parts.append("</mjloggm>")
    return "".join(parts).encode()


def _tag(name: str, **attributes: object) -> str:
    pairs = [f' {key}="{escape(str(value))}"' for key, value in attributes.items()]
    return f"<{name}{''.join(pairs)}/>"


def _join(numbers: Sequence[object]) -> str:
    return ",".join(map(str, numbers))


def _hundreds(points: int) -> int:
    if points % _POINTS:
        raise ValueError(f"{points} points cannot be written in hundreds")
    return points // _POINTS


class _RoundWriter:
    """The state of writing one round."""

    def __init__(self, game: GameLog, index: int, parts: list[str]) -> None:
        self.game, self.index, self.parts = game, index, parts
        self.round: RoundLog = game.played[index]
        self.hands = writing.final_hands(game, self.round)
        self.scores = [_hundreds(score) for score in self.round.scores]
        self.melds: list[list[int]] = [[] for _ in range(r.SEATS)]
        self.bets = self.round.bets
        self.wins = 0
        self.connections: dict[int, list[str]] = {}
        for each in game.connections:
            if each.round == index:
                name = {f"n{each.seat}": quote(game.names[each.seat], safe="")}
                text = _tag("UN", **name) if each.present else _tag("BYE", who=each.seat)
                self.connections.setdefault(each.event, []).append(text)

    def write(self) -> None:
        this = self.round
        dice = this.dice or (1, 1)
        seed = [this.round, this.repeat_counter, this.bets, dice[0] - 1, dice[1] - 1, this.indicator]
        hands = {f"hai{seat}": _join(this.hands[seat]) for seat in range(r.SEATS)}
        self.parts.append(_tag("INIT", seed=_join(seed), ten=_join(self.scores), oya=this.dealer, **hands))
        for index, event in enumerate(this.events):
            self.parts.extend(self.connections.get(index, ()))
            self.parts.append(self._event(event))
        self.parts.extend(self.connections.get(len(this.events), ()))

    def _event(self, event: np.void) -> str:
        kind, seat, tile = int(event["type"]), int(event["seat"]), int(event["tile"])
        if kind == r.EVENT_DRAW:
            return f"<{_DRAWS[seat]}{tile}/>"
        if kind == r.EVENT_DISCARD:
            return f"<{_DISCARDS[seat]}{tile}/>"
        if kind == r.EVENT_RIICHI:
            return _tag("REACH", who=seat, step=1)
        if kind == r.EVENT_RIICHI_ACCEPTED:
            self.scores[seat] -= _BET
            self.bets += 1
            return _tag("REACH", who=seat, ten=_join(self.scores), step=2)
        if kind == r.EVENT_DORA:
            return _tag("DORA", hai=tile)
        if kind == r.EVENT_WIN:
            return self._win()
        if kind == r.EVENT_NO_WINNER:
            return self._no_winner(tile)
        return _tag("N", who=seat, m=add_meld(self.melds[seat], event))

    def _result(self, deltas: list[int]) -> dict[str, str]:
        """Return the attributes `sc` and, for the last result of the game, `owari`; update the scores."""
        hundreds = [_hundreds(delta) for delta in deltas]
        attributes = {"sc": _join([part for pair in zip(self.scores, hundreds, strict=True) for part in pair])}
        self.scores = [a + b for a, b in zip(self.scores, hundreds, strict=True)]
        last = self.index == len(self.game.rounds) - 1 and self.wins in (0, len(self.round.wins))
        if last and self.game.final_scores is not None and self.game.final_points is not None:
            pairs = zip(self.game.final_scores, self.game.final_points, strict=True)
            attributes["owari"] = ",".join(f"{_hundreds(score)},{point:.1f}" for score, point in pairs)
        return attributes

    def _win(self) -> str:
        number, self.wins = self.wins, self.wins + 1
        win = self.round.wins[number]
        points = writing.win_points(self.game, self.index, number)
        hand = list(self.hands[win.seat])
        if win.tile is not None and win.source != win.seat:
            hand.append(win.tile)
        attributes: dict[str, object] = {"ba": f"{self.round.repeat_counter},{self.bets}", "hai": _join(sorted(hand))}
        if self.melds[win.seat]:
            attributes["m"] = _join(self.melds[win.seat])
        attributes["machi"] = NO_TILE if win.tile is None else win.tile
        limit = writing.limit_of(win, points, self.round.dealer, self.game.rules)
        if win.fu is not None:
            attributes["ten"] = f"{win.fu},{points},{limit}"
        if win.yaku is not None and win.yakuman:
            attributes["yakuman"] = _join([yaku for yaku, _ in win.yaku])
        elif win.yaku is not None:
            attributes["yaku"] = _join([part for pair in win.yaku for part in pair])
        attributes["doraHai"] = _join(win.indicators or writing.indicators_of(self.round))
        if win.ura_indicators:
            attributes["doraHaiUra"] = _join(win.ura_indicators)
        attributes |= {"who": win.seat, "fromWho": win.source}
        if win.liable is not None:
            attributes["paoWho"] = win.liable
        self.bets = 0
        return _tag("AGARI", **attributes, **self._result(writing.win_deltas(self.game, self.index)[number]))

    def _no_winner(self, draw_type: int) -> str:
        name = _DRAW_NAMES[draw_type]
        start = ({"type": name} if name else {}) | {"ba": f"{self.round.repeat_counter},{self.bets}"}
        result = self._result(writing.round_deltas(self.game, self.index))
        shown = writing.shown_hands(self.round, self.hands)
        hands = {f"hai{seat}": _join(self.hands[seat]) for seat in range(r.SEATS) if shown[seat]}
        return _tag("RYUUKYOKU", **start | {"sc": result.pop("sc")} | hands | result)
