"""Reader of Mahjong Soul's records: the decoded JSON of `GameDetailRecords`, as the tools of its players save it.

The tools wrap the records differently, and call them `records` or, since July 2021, `actions`, each with its record as
`result`. Every record has a name and its data: `{"name": ".lq.RecordDealTile", "data": {"seat": 1, "tile": "0p"}}`.
The `head` beside them states the rules, the players and the final points. `mahjong_soul_writer` writes it.
"""

from typing import Any

from simulator import record as r
from simulator.logs import mahjong_soul_words as words
from simulator.logs import protobuf_json as fields
from simulator.logs.archives import UTF8_MARK, plain_data
from simulator.logs.model import (
    MOST_HAN,
    MOST_POINTS,
    GameLog,
    LogError,
    RoundLog,
    SkippedLog,
    Standing,
    WinLog,
    check_texts,
)
from simulator.logs.protobuf_json import Message
from simulator.logs.round_builder import RoundBuilder, face_kind, face_of
from simulator.logs.tenhou6_words import YAKUMAN_HAN

_LISTS = ("actions", "records", "data")
_MOST_FU, _MOST_YAKU = 200, 20
_WINDS = 3


def read_mahjong_soul(data: bytes, source: str = "") -> list[GameLog]:
    """Return the game of a file; raises SkippedLog for three players and special modes, LogError with the record."""
    head, records = _contents(fields.load_json(plain_data(data, source).removeprefix(UTF8_MARK), source), source)
    return [_GameReader(head, source).read(records)]


def _contents(document: Any, source: str) -> tuple[Message, list[Any]]:
    """Return the head and the list of records within whatever wraps them."""
    head: Any = {}
    while isinstance(document, dict):
        head = document.get("head") or head
        document = next((document[name] for name in _LISTS if document.get(name)), None)
    if not isinstance(head, dict):
        raise LogError("`head` is not an object", source)
    if isinstance(document, str):
        raise LogError("`data` is not decoded: the records are wanted as JSON", source)
    if not isinstance(document, list):
        raise LogError("no list of records: not a Mahjong Soul record", source)
    return head, document


def _named(element: Any) -> tuple[str, Message] | None:
    """Return a record's name and data; None for the players' inputs, which stand between the records."""
    if not isinstance(element, dict):
        raise LogError("a record is not decoded")
    record = element if "name" in element else element.get("result")
    if not record:
        return None
    if not isinstance(record, dict) or not isinstance(record.get("data", {}), dict):
        raise LogError("a record is not decoded")
    return fields.text(record, "name").rpartition(".")[2], record.get("data", {})


class _GameReader:
    """The state of reading one game."""

    def __init__(self, head: Message, source: str) -> None:
        self.head, self.source = head, source
        self.number = 0
        self.builder: RoundBuilder | None = None
        self.riichi: int | None = None
        self.indicators: list[int] = []
        self.moves = {
            "RecordDealTile": self._draw, "RecordDiscardTile": self._discard, "RecordChiPengGang": self._call,
            "RecordAnGangAddGang": self._kong, "RecordHule": self._wins, "RecordNoTile": self._exhausted,
            "RecordLiuJu": self._abortive,
        }  # fmt: skip

    def read(self, elements: list[Any]) -> GameLog:
        place = "head"
        try:
            rules, room, unsure = words.read_rules(self.head)
            self.game = GameLog(rules, [], unsure, source=self.source, room=room, ref=fields.text(self.head, "uuid"))
            self._read_players()
            for self.number, element in enumerate(elements, 1):
                place = f"record {self.number}"
                named = _named(element)
                if named is not None:
                    self._record(*named)
        except LogError as error:
            raise type(error)(error.message, self.source, error.place or place) from None
        except ValueError as error:
            raise LogError(str(error), self.source, place) from error
        self._end_round()
        self.game.settle_cut()
        if not self.game.played:
            raise LogError("the log has no rounds", self.source)
        return self.game

    def _read_players(self) -> None:
        for account in fields.parts(self.head, "accounts"):
            self.game.names[fields.seat(account)] = fields.text(account, "nickname")
        check_texts([*self.game.names, self.game.ref])
        players = fields.parts(fields.part(self.head, "result"), "players")
        if not players:
            return
        if sorted(fields.seat(player) for player in players) != list(range(r.SEATS)):
            raise LogError("`result` does not state the points of four players")
        players.sort(key=fields.seat)
        most = MOST_POINTS
        self.game.final_scores = [fields.number(player, "part_point_1", most, -most) for player in players]
        if any("total_point" in player for player in players):
            self.game.final_points = [fields.number(player, "total_point", most, -most) / 1000 for player in players]

    def _record(self, name: str, record: Message) -> None:
        if name == "RecordNewRound":
            self._end_round()
            self._start_round(record)
            return
        if name in words.OTHER_MODES:
            raise SkippedLog(f"a game with {name}, which only three-player games and special modes have")
        move = self.moves.get(name)
        if move is None:
            raise LogError(f"unknown record {name[:30]!r}")
        if self.builder is None:
            raise LogError(f"{name} outside of a round")
        if self.builder.round.draw_type is not None or self.builder.wins:
            raise LogError(f"{name} after the result of the round")
        self.builder.number = self.number
        self._settle_riichi(name, record, self.builder)
        move(record, self.builder)

    def _end_round(self) -> None:
        if self.builder is not None:
            self.game.rounds.append(self.builder.finish())
        self.builder = self.riichi = None

    def _start_round(self, record: Message) -> None:
        wind, dealer = fields.number(record, "chang", _WINDS - 1), fields.seat(record, "ju")
        scores = fields.numbers(record, "scores", MOST_POINTS, -MOST_POINTS)
        if len(scores) == r.SEATS - 1:
            raise SkippedLog("a three-player game")
        if len(scores) != r.SEATS:
            raise LogError(f"scores has {len(scores)} numbers, not {r.SEATS}")
        hands = [words.faces(record, f"tiles{seat}") for seat in range(r.SEATS)]
        if len(hands[dealer]) != 14:
            raise LogError(f"the dealer has {len(hands[dealer])} tiles; the deal gives fourteen")
        drawn = hands[dealer].pop()
        indicators = words.faces(record, "doras") or [words.face_of_name(fields.text(record, "dora"))]
        if len(indicators) != 1:
            raise LogError(f"{len(indicators)} dora indicators at the start of a round")
        builder = self.builder = RoundBuilder(self.source, "record", self.game.rules.red_fives)
        builder.number = self.number
        builder.deal(hands)
        self.indicators = [builder.new_tile(indicators[0])]
        builder.round = RoundLog(
            round=r.SEATS * wind + dealer,
            repeat_counter=fields.number(record, "ben", 255),
            bets=fields.number(record, "liqibang", 255),
            dealer=dealer,
            scores=scores,
            hands=[],
            indicator=self.indicators[0],
            events=builder.events(),
        )
        builder.draw(dealer, drawn)

    def _settle_riichi(self, name: str, record: Message, builder: RoundBuilder) -> None:
        """Accept the riichi declared with the last discard, unless this record says that it dealt in."""
        dealt_in = name == "RecordHule" or (name == "RecordLiuJu" and _draw_type(record) == r.RESULT_TRIPLE_RON)
        stated = fields.part(record, "liqi")
        if stated and (self.riichi is None or fields.seat(stated) != self.riichi):
            raise LogError("liqi names a seat that has not just declared riichi")
        if self.riichi is not None and not dealt_in:
            builder.accept_riichi(self.riichi)
        self.riichi = None

    def _show_indicators(self, record: Message, builder: RoundBuilder) -> None:
        """Show the dora indicators that a record, which lists all of them or none, adds."""
        faces = words.faces(record, "doras")
        shown = self._faces(self.indicators)
        if faces[: len(shown)] != shown[: len(faces)]:
            raise LogError("doras differs from the indicators shown before")
        self.indicators += [builder.show_indicator(face) for face in faces[len(shown) :]]

    def _faces(self, tiles: list[int]) -> list[int]:
        return [face_of(tile, self.game.rules.red_fives) for tile in tiles]

    def _draw(self, record: Message, builder: RoundBuilder) -> None:
        self._show_indicators(record, builder)
        builder.draw(fields.seat(record), words.face_of_name(fields.text(record, "tile")))

    def _discard(self, record: Message, builder: RoundBuilder) -> None:
        seat, face = fields.seat(record), words.face_of_name(fields.text(record, "tile"))
        drawn = fields.flag(record, "moqie")
        first = len(builder) == 1
        if fields.flag(record, "is_liqi") or fields.flag(record, "is_wliqi"):
            builder.declare_riichi(seat)
            self.riichi = seat
        self._show_indicators(record, builder)
        if drawn and self._faces(builder.hands[seat][-1:]) != [face]:
            raise LogError("the tile is marked as the one just drawn (moqie), but another was drawn")
        # The dealer's first discard is never marked: its fourteenth tile is part of the deal.
        builder.discard(seat, None if drawn else face, None if first else drawn)

    def _call(self, record: Message, builder: RoundBuilder) -> None:
        seat, kind = fields.seat(record), fields.number(record, "type", max(words.CALLS))
        call, own = words.CALLS[kind]
        faces, sources = words.faces(record, "tiles"), fields.numbers(record, "froms", r.SEATS - 1)
        called = [place for place, source in enumerate(sources) if source != seat]
        if len(faces) != own + 1 or len(sources) != own + 1 or len(called) != 1:
            raise LogError(f"tiles and froms are not those of a call with {own} own tiles")
        face = faces.pop(called[0])
        builder.call(call, seat, sources[called[0]], face, faces)

    def _kong(self, record: Message, builder: RoundBuilder) -> None:
        seat, face = fields.seat(record), words.face_of_name(fields.text(record, "tiles"))
        kind = words.KONGS.get(fields.number(record, "type", max(words.KONGS)))
        if kind == r.EVENT_CLOSED_KONG:
            same = [tile for tile in builder.hands[seat] if tile >> 2 == face_kind(face)]
            if len(same) != 4:
                raise LogError(f"seat {seat} makes a closed kong of {len(same)} tiles")
            builder.closed_kong(seat, self._faces(same))
        elif kind == r.EVENT_ADDED_KONG:
            builder.added_kong(seat, face)
        else:
            raise LogError(f"type {record.get('type', 0)} is no kind of kong")
        self._show_indicators(record, builder)

    def _wins(self, record: Message, builder: RoundBuilder) -> None:
        wins = fields.parts(record, "hules")
        if not wins:
            raise LogError("hules has no winner")
        self._stand(fields.points(record, "old_scores"), builder)
        for win in wins:
            self._show_indicators(win, builder)
        wins.sort(key=lambda win: (fields.seat(win) - builder.last_seat) % r.SEATS)  # by turn: the first has the bets
        for win in wins:
            self._win(win, builder)
        builder.round.deltas = fields.points(record, "delta_scores")
        self._stand(fields.points(record, "scores"), builder)

    def _stand(self, scores: list[int] | None, builder: RoundBuilder) -> None:
        if scores is not None:
            builder.round.standings.append(Standing(len(builder), scores))

    def _win(self, record: Message, builder: RoundBuilder) -> None:
        seat, tsumo = fields.seat(record), fields.flag(record, "zimo")
        if not tsumo and seat == builder.last_seat:
            raise LogError(f"seat {seat} wins by ron, but moved last")
        win = WinLog(seat, seat if tsumo else builder.last_seat)
        builder.win(win)
        face = words.face_of_name(fields.text(record, "hu_tile"))
        if win.tile is not None and self._faces([win.tile]) != [face]:
            (win.tile,) = builder.tiles_like(seat, [face])  # the verifier will say so
        if record.get("hand"):
            win.hand = builder.tiles_like(seat, [*words.faces(record, "hand"), face], win.tile)
        self._worth(record, win, builder)
        win.indicators = self.indicators[: len(words.faces(record, "doras"))] or None
        ura = words.faces(record, "li_doras")
        if ura:
            shown = next((each.ura_indicators for each in builder.wins if each.ura_indicators), None)
            same = shown is not None and self._faces(shown) == ura
            win.ura_indicators = shown if same else [builder.new_tile(each) for each in ura]

    def _worth(self, record: Message, win: WinLog, builder: RoundBuilder) -> None:
        """Read the yaku, fu and points of a win; with liability, which share the points are is not known."""
        this = builder.round
        win.yakuman = fields.flag(record, "yiman")
        winds = (win.seat - this.dealer) % r.SEATS, this.round // r.SEATS
        yaku = [
            (words.yaku_of_fan(fields.number(fan, "id", 10_000), *winds), fields.number(fan, "val", MOST_HAN))
            for fan in fields.parts(record, "fans")
        ]
        win.yaku = [(number, YAKUMAN_HAN if win.yakuman else han) for number, han in yaku] or None
        if not win.yakuman:
            win.han = fields.number(record, "count", _MOST_YAKU * MOST_HAN) or None
            win.fu = fields.number(record, "fu", _MOST_FU) or None
        liable = fields.number(record, "baopai", r.SEATS)
        if liable:
            win.liable = liable - 1
            return
        low, high, ron = (
            fields.number(record, f"point_{name}", MOST_POINTS) for name in ("zimo_xian", "zimo_qin", "rong")
        )
        tsumo = 3 * low if win.seat == this.dealer else 2 * low + high
        win.points = (tsumo if win.seat == win.source else ron) or None

    def _exhausted(self, record: Message, builder: RoundBuilder) -> None:
        nagashi = fields.flag(record, "liujumanguan")
        payments = fields.parts(record, "scores")
        deltas = [fields.points(payment, "delta_scores") or [0] * r.SEATS for payment in payments]
        self._stand(fields.points(payments[0], "old_scores") if payments else None, builder)
        players = fields.parts(record, "players")
        if len(players) == r.SEATS and not nagashi:
            builder.round.tenpai = tenpai = [fields.flag(player, "tingpai") for player in players]
            hands = [words.faces(player, "hand") for player in players]
            if all(hand for hand, shown in zip(hands, tenpai, strict=True) if shown):
                builder.round.shown = [
                    builder.tiles_like(seat, hands[seat]) if tenpai[seat] else None for seat in range(r.SEATS)
                ]
        total = [sum(column) for column in zip(*deltas, strict=True)] or [0] * r.SEATS
        builder.no_winner(r.RESULT_NAGASHI if nagashi else r.RESULT_EXHAUSTIVE, total)

    def _abortive(self, record: Message, builder: RoundBuilder) -> None:
        kind, seat, hand = _draw_type(record), fields.seat(record), words.faces(record, "tiles")
        if kind == r.RESULT_NINE_TERMINALS and hand:
            builder.round.tenpai = [each == seat for each in range(r.SEATS)]
            builder.round.shown = [builder.tiles_like(seat, hand) if each == seat else None for each in range(r.SEATS)]
        builder.no_winner(kind, [0] * r.SEATS)


def _draw_type(record: Message) -> int:
    """Return the kind of a RecordLiuJu, RESULT_*."""
    return words.ABORTIVE_DRAWS[fields.number(record, "type", max(words.ABORTIVE_DRAWS), 1)]
