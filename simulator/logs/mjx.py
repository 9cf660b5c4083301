"""Reader of mjx's states: the JSON of its protobuf message `State`, one round a line.

Tiles are physical ids and melds Tenhou's codes, as in mjlog. What all see is in `publicObservation`, the hands and
draws in `privateObservations` by seat, the result in `roundTerminal`. mjx plays Tenhou's rules and states none.
`mjx_writer` writes it.
"""

import io

import numpy as np

from simulator import record as r
from simulator.logs import protobuf_json as fields
from simulator.logs.archives import MAX_ROUNDS, UTF8_MARK, plain_data
from simulator.logs.mjlog_codes import (
    MELD_CODES,
    PONG_OR_ADDED_KONG,
    decode_meld,
    pack_event,
    unpack_events,
    without_copy,
)
from simulator.logs.model import (
    MOST_HAN,
    MOST_POINTS,
    GameLog,
    LogError,
    Places,
    RoundLog,
    Standing,
    WinLog,
    check_texts,
)
from simulator.logs.protobuf_json import Message
from simulator.logs.tenhou6_words import YAKUMAN_HAN
from simulator.logs.tenhou_rules import rules_of_id, settle_rules
from simulator.scoring.yaku import DOUBLE_RIICHI, RED_FIVE, RIICHI
from simulator.tiles import TILES

PREFIX = "EVENT_TYPE_"
DISCARD, TSUMOGIRI, DRAW, TSUMO, RON, NEW_DORA = "DISCARD", "TSUMOGIRI", "DRAW", "TSUMO", "RON", "NEW_DORA"
RIICHI_EVENTS = {"RIICHI": r.EVENT_RIICHI, "RIICHI_SCORE_CHANGE": r.EVENT_RIICHI_ACCEPTED}
MELDS = {
    "CHI": r.EVENT_CHOW, "PON": r.EVENT_PONG, "OPEN_KAN": r.EVENT_OPEN_KONG, "CLOSED_KAN": r.EVENT_CLOSED_KONG,
    "ADDED_KAN": r.EVENT_ADDED_KONG,
}  # fmt: skip
DRAW_TYPES = {
    "ABORTIVE_DRAW_NINE_TERMINALS": r.RESULT_NINE_TERMINALS, "ABORTIVE_DRAW_FOUR_RIICHIS": r.RESULT_FOUR_RIICHI,
    "ABORTIVE_DRAW_THREE_RONS": r.RESULT_TRIPLE_RON, "ABORTIVE_DRAW_FOUR_KANS": r.RESULT_FOUR_KONGS,
    "ABORTIVE_DRAW_FOUR_WINDS": r.RESULT_FOUR_WINDS, "EXHAUSTIVE_DRAW_NORMAL": r.RESULT_EXHAUSTIVE,
    "EXHAUSTIVE_DRAW_NAGASHI_MANGAN": r.RESULT_NAGASHI,
}  # fmt: skip
_LAST_ROUND, _MOST_FU = 11, 200


def read_mjx(data: bytes, source: str = "") -> list[GameLog]:
    """Return the games of a file of states, one round a line; raise LogError, naming the line, for anything else."""
    games: list[GameLog] = []
    ended = True
    for line, content in enumerate(io.BytesIO(plain_data(data, source).removeprefix(UTF8_MARK)), 1):
        if not content.strip():
            continue
        if line > MAX_ROUNDS:
            raise LogError(f"more than {MAX_ROUNDS:,} rounds in one file", source)
        place = f"line {line}"
        state = fields.load_json(content, source, place)
        try:
            if not isinstance(state, dict):
                raise LogError("a state is a JSON object")
            names, this = _names(state), _RoundReader(state).read()
            last = games[-1].rounds[-1] if games else None
            if ended or last is None or names != games[-1].names or not _follows(this, last):
                game_id = _game_id(state)
                games.append(GameLog(rules_of_id(game_id), [], names=names, source=source, ref=game_id))
            games[-1].rounds.append(this)
            terminal = fields.part(state, "roundTerminal")
            ended = fields.flag(terminal, "isGameOver")
            if ended:
                games[-1].final_scores = fields.points(fields.part(terminal, "finalScore"), "tens")
        except (LogError, ValueError) as error:
            message = error.message if isinstance(error, LogError) else str(error)
            raise LogError(message, source, place) from error
    for game in games:
        game.settle_cut()
        settle_rules(game)
    if not games:
        raise LogError("the file is empty", source)
    return games


def _follows(this: RoundLog, last: RoundLog) -> bool:
    """Return whether a round can come after another one of the same game."""
    return last.has_result and (this.round, this.repeat_counter) > (last.round, last.repeat_counter) and (
        this.round in (last.round, last.round + 1)
    )  # fmt: skip


def _game_id(state: Message) -> str:
    return fields.text(fields.part(state, "publicObservation"), "gameId")


def _names(state: Message) -> list[str]:
    names = fields.texts(fields.part(state, "publicObservation"), "playerIds")
    check_texts([*names, _game_id(state)])
    if len(names) not in (0, r.SEATS):
        raise LogError(f"{len(names)} playerIds; there are four")
    return names or [""] * r.SEATS


def _tiles(message: Message, *names: str) -> list[int]:
    """Return the tiles of the first of the fields that there is; their names have changed."""
    return fields.numbers(message, next((name for name in names if name in message), names[0]), TILES - 1)


class _RoundReader:
    """The state of reading one round."""

    def __init__(self, state: Message) -> None:
        self.public, self.terminal = fields.part(state, "publicObservation"), fields.part(state, "roundTerminal")
        self.hidden = fields.part(state, "hiddenState")
        seats = {fields.seat(seat, "who"): seat for seat in fields.parts(state, "privateObservations")}
        if sorted(seats) != list(range(r.SEATS)):
            raise LogError("not the hands of four seats; one player's view shows no others, a full log (State) does")
        self.hands = [_tiles(fields.part(seats[seat], "initHand"), "closedTiles") for seat in range(r.SEATS)]
        if any(len(hand) != 13 for hand in self.hands):
            raise LogError("initHand is not thirteen tiles")
        self.draws = [_tiles(seats[seat], "draws", "drawHistory")[::-1] for seat in range(r.SEATS)]
        self.wins = fields.parts(self.terminal, "wins")
        self.won = 0
        self.pongs: set[tuple[int, int]] = set()

    def read(self) -> RoundLog:
        score = fields.part(self.public, "initScore")
        number = fields.number(score, "round", _LAST_ROUND)
        indicators = _tiles(self.public, "doraIndicators", "doras")
        events = fields.parts(self.public, "events")
        if not indicators or len(events) > r.MAX_EVENTS:
            raise LogError("no doraIndicators" if not indicators else "more events than a round can have")
        self.this = RoundLog(
            round=number,
            repeat_counter=fields.number(score, "honba", 255),
            bets=fields.number(score, "riichi", 255),
            dealer=number % r.SEATS,
            scores=fields.points(score, "tens") or [],
            hands=self.hands,
            indicator=indicators[0],
            events=np.empty(0),
        )
        if not self.this.scores:
            raise LogError("initScore has no tens")
        self.this.events = unpack_events([self._event(event) for event in events])
        if self.won != len(self.wins):
            raise LogError(f"{len(self.wins)} wins in the result, and {self.won} among the events")
        if self.this.has_result:
            self._final_score()
        self.this.places = Places("event", range(len(events)))
        return self.this

    def _final_score(self) -> None:
        """Read the points and bets after the round, unless the game is over: the first place then has the bets."""
        this, final = self.this, fields.part(self.terminal, "finalScore")
        tens, bets = fields.points(final, "tens"), fields.number(final, "riichi", 255)
        left = this.bets + int((this.events["type"] == r.EVENT_RIICHI_ACCEPTED).sum())
        if fields.flag(self.terminal, "isGameOver") or (not this.wins and left and not bets):
            return
        if tens is not None:
            this.standings.append(Standing(len(this.events), tens))
        this.table = None if this.wins else (fields.number(final, "honba", 255), bets)

    def _event(self, event: Message) -> int:
        """Return the packed form of an event."""
        name = (fields.text(event, "type") or PREFIX + DISCARD).removeprefix(PREFIX)
        seat, tile = fields.seat(event, "who"), fields.number(event, "tile", TILES - 1)
        if self.this.draw_type is not None or (self.this.wins and name != RON):
            raise LogError(f"{name[:40]} after the result of the round")
        if name in (DISCARD, TSUMOGIRI):
            return pack_event(r.EVENT_DISCARD, seat, tile, drawn=int(name == TSUMOGIRI))
        if name == DRAW:
            if not self.draws[seat]:
                raise LogError(f"seat {seat} draws more tiles than its draws name")
            return pack_event(r.EVENT_DRAW, seat, self.draws[seat].pop())
        if name in MELDS:
            return self._meld(name, seat, fields.number(event, "open", MELD_CODES - 1))
        if name in RIICHI_EVENTS:
            return pack_event(RIICHI_EVENTS[name], seat)
        if name == NEW_DORA:
            return pack_event(r.EVENT_DORA, 0, tile)
        if name in (TSUMO, RON):
            return self._win(seat, tile, name == TSUMO)
        if name in DRAW_TYPES:
            return self._no_winner(DRAW_TYPES[name])
        raise LogError(f"unknown event {name[:40]!r}")

    def _meld(self, name: str, seat: int, code: int) -> int:
        packed = decode_meld(code, seat)
        if packed & 0xFF != MELDS[name]:
            raise LogError(f"open is not the code of a {name}")
        if MELDS[name] == r.EVENT_PONG:
            self.pongs.add((seat, code))
        elif MELDS[name] == r.EVENT_ADDED_KONG and (seat, code ^ PONG_OR_ADDED_KONG) not in self.pongs:
            raise LogError(f"seat {seat} adds a tile to a pong that it has not made")
        return packed

    def _win(self, seat: int, tile: int, tsumo: bool) -> int:
        if self.won >= len(self.wins):
            raise LogError("more wins among the events than in the result")
        win = self.wins[self.won]
        self.won += 1
        source = fields.seat(win, "fromWho")
        if fields.seat(win, "who") != seat or (source == seat) != tsumo:
            raise LogError(f"the result names another winner than seat {seat}")
        yakuman = fields.numbers(win, "yakumans", RED_FIVE)
        numbers, han = fields.numbers(win, "yakus", RED_FIVE), fields.numbers(win, "fans", MOST_HAN)
        if len(numbers) != len(han):
            raise LogError(f"{len(numbers)} yakus with {len(han)} fans")
        yaku = [(number, YAKUMAN_HAN) for number in yakuman] or list(zip(numbers, han, strict=True))
        in_riichi = any(number in (RIICHI, DOUBLE_RIICHI) for number in numbers)
        hand = fields.part(win, "hand")
        ura = _tiles(win, "uraDoraIndicators") or _tiles(self.hidden, "uraDoraIndicators", "uraDoras")
        self.this.wins.append(
            WinLog(
                seat=seat,
                source=source,
                tile=fields.number(win, "winTile", TILES - 1),
                fu=None if yakuman else fields.number(win, "fu", _MOST_FU),
                points=fields.number(win, "ten", MOST_POINTS),
                yaku=yaku,
                yakuman=bool(yakuman),
                says_liable=False,
                hand=sorted(_tiles(hand, "closedTiles")) or None,
                meld_codes=[without_copy(code) for code in fields.numbers(hand, "opens", MELD_CODES - 1)][::-1],
                ura_indicators=ura if in_riichi and ura else None,
                deltas=fields.points(win, "tenChanges"),
            )
        )
        paid = [each.deltas or [0] * r.SEATS for each in self.this.wins]
        self.this.deltas = [sum(column) for column in zip(*paid, strict=True)]
        return pack_event(r.EVENT_WIN, seat, tile, source)

    def _no_winner(self, draw_type: int) -> int:
        result = fields.part(self.terminal, "noWinner")
        tenpai = {fields.seat(each, "who"): each for each in fields.parts(result, "tenpais")}
        self.this.draw_type = draw_type
        self.this.deltas = fields.points(result, "tenChanges") or [0] * r.SEATS
        if tenpai or draw_type == r.RESULT_EXHAUSTIVE:
            self.this.tenpai = [seat in tenpai for seat in range(r.SEATS)]
            self.this.shown = [
                sorted(_tiles(fields.part(tenpai[seat], "hand"), "closedTiles")) if seat in tenpai else None
                for seat in range(r.SEATS)
            ]
        return pack_event(r.EVENT_NO_WINNER, 0, draw_type)
