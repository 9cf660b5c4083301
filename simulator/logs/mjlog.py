"""Reader of Tenhou's mjlog XML; `mjlog_writer` writes it.

A round consists of `INIT`, one tag per move (`T12` draws, `D12` discards, `N` calls, `REACH`, `DORA`), and `AGARI`
(one for each winner) or `RYUUKYOKU`. Points are in hundreds. Messages number the tags from 0 rather than the lines,
since most logs are a single line.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeVar
from urllib.parse import unquote
from xml.parsers import expat

import numpy as np

from simulator import record as r
from simulator.logs import mjlog_codes as codes
from simulator.logs.archives import plain_data
from simulator.logs.model import (
    MOST_HAN,
    MOST_POINTS,
    Connection,
    GameLog,
    LogError,
    Places,
    RoundLog,
    SkippedLog,
    Standing,
    WinLog,
    checked_rates,
)
from simulator.logs.tenhou_rules import settle_rules
from simulator.rules import Rules
from simulator.tiles import TILES

MAX_BYTES = 4 << 20
_POINTS = 100
_HAND = 13
_YAKUMAN_HAN = 13
#: The packed value of a tag that is no event.
_NOTHING = 0
_LAST_ROUND = 11
_LAST_YAKU = 54

Attributes = dict[str, str]
Handler = Callable[[Attributes], int | None]
N = TypeVar("N", int, float)


def read_mjlog(data: bytes, source: str = "") -> GameLog:
    """Return the game in an mjlog file, plain or gzipped.

    A round without a result may only be the last one. Raises SkippedLog for a three-player game, and LogError, naming
    the tag, for anything that cannot be read: XML that is not well-formed, a document type or entities, unknown tags,
    tiles outside 0..135 or occurring twice, wrong counts. Whether the moves are legal is left to the verifier.
    """
    return _Reader(source).read(plain_data(data, source, MAX_BYTES))


def _numbers(attributes: Attributes, name: str, count: int | None = None) -> list[int]:
    numbers = [int(part) for part in attributes[name].split(",")]
    if count is not None and len(numbers) != count:
        raise ValueError(f"{name} has {len(numbers)} numbers, not {count}")
    return numbers


def _without_chips(numbers: list[N], count: int, name: str) -> list[N]:
    """Return the first `count` numbers; where tables have chips (shuugi), as many follow."""
    if len(numbers) not in (count, 2 * count):
        raise ValueError(f"{name} has {len(numbers)} numbers, not {count}")
    return numbers[:count]


def _tiles(attributes: Attributes, name: str, count: int | None = None) -> list[int]:
    tiles = _numbers(attributes, name, count)
    if min(tiles) < 0 or max(tiles) >= TILES:
        raise ValueError(f"{name} names tile {min(tiles) if min(tiles) < 0 else max(tiles)}; tiles are 0 to 135")
    return tiles


def _seat(attributes: Attributes, name: str = "who") -> int:
    seat = int(attributes[name])
    if not 0 <= seat < 4:
        raise ValueError(f"{name} is {seat}; seats are 0 to 3")
    return seat


def _table(attributes: Attributes) -> tuple[int, int] | None:
    if "ba" not in attributes:
        return None
    repeat_counter, bets = _numbers(attributes, "ba", 2)
    return repeat_counter, bets


class _Reader:
    """The state of reading one file. Every tag appends one packed event to `packed`, 0 if it is no event."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.packed: list[int] = []
        self.rounds: list[RoundLog] = []
        self.starts: list[int] = []
        self.connections: list[tuple[int, int, int, bool]] = []
        self.standings: list[tuple[int, int, list[int]]] = []
        self.pongs: set[tuple[int, int]] = set()
        self.game = GameLog(Rules.tenhou(), self.rounds, source=source)
        self.has_rules = self.named = False
        self.handlers: dict[str, Handler] = {
            "N": self._call,
            "REACH": self._riichi,
            "DORA": self._dora,
            "INIT": self._init,
            "AGARI": self._win,
            "RYUUKYOKU": self._no_winner,
            "UN": self._players,
            "BYE": self._bye,
            "GO": self._go,
            "TAIKYOKU": self._start,
            "SHUFFLE": self._shuffle,
        }

    def read(self, data: bytes) -> GameLog:
        if not data.strip():
            raise LogError("the file is empty", self.source)
        # Logs are UTF-8; a declared encoding is ignored, since expat might not support it.
        parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler = partial(self._root, parser)
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._doctype
        try:
            parser.Parse(data, True)
        except expat.ExpatError as error:
            text = f"not well-formed XML: {expat.ErrorString(error.code)} (line {error.lineno}, column {error.offset})"
            raise LogError(text, self.source, self._place()) from error
        return self._finish()

    def _place(self) -> str:
        return f"tag {len(self.packed)}"

    def _doctype(self, *_: object) -> None:
        raise LogError("the file declares a document type or entities; game logs have none", self.source)

    def _text(self, text: str) -> None:
        if not text.isspace():
            raise LogError(f"text {text[:20]!r} between the tags", self.source, self._place())

    def _root(self, parser: expat.XMLParserType, name: str, _: Attributes) -> None:
        if name != "mjloggm":
            raise LogError(f"the root is <{name[:20]}>, not <mjloggm>: not an mjlog file", self.source)
        append, tile_tag, handlers = self.packed.append, codes.TILE_TAGS.get, self.handlers

        def start(name: str, attributes: Attributes) -> None:
            event = tile_tag(name)
            append(event if event is not None else self._other(handlers, name, attributes))

        append(_NOTHING)
        parser.StartElementHandler = start

    def _other(self, handlers: dict[str, Handler], name: str, attributes: Attributes) -> int:
        handler = handlers.get(name)
        if handler is None:
            raise LogError(f"unknown tag <{name[:20]}>", self.source, self._place())
        try:
            return handler(attributes) or _NOTHING
        except KeyError as error:
            text = f"<{name}> has no attribute {error}"
        except LogError as error:
            raise type(error)(error.message, self.source, f"{self._place()} <{name}>") from None
        except (ValueError, OverflowError) as error:
            text = f"<{name}>: {error}"
        raise LogError(text, self.source, self._place())

    def _go(self, attributes: Attributes) -> None:
        table_type = int(attributes["type"])
        if table_type & codes.TYPE_THREE_PLAYERS:
            raise SkippedLog("a three-player game")
        if not 0 <= table_type < 1 << 16:
            raise ValueError(f"type {table_type} is out of range")
        self.game.lobby, self.game.own_rules = attributes.get("lobby", ""), bool(attributes.get("csrule"))
        self.game.rules, self.game.room = codes.rules_of_type(table_type), codes.ROOMS[table_type & codes.ROOM_MASK]
        self.has_rules = True

    def _shuffle(self, attributes: Attributes) -> None:
        self.game.seed, self.game.ref = attributes.get("seed") or None, attributes.get("ref", "")

    def _start(self, attributes: Attributes) -> None:
        self.game.first_dealer = _seat(attributes, "oya")

    def _players(self, attributes: Attributes) -> None:
        present = [seat for seat in range(4) if f"n{seat}" in attributes]
        if self.named:
            self.connections.extend((len(self.rounds) - 1, len(self.packed), seat, True) for seat in present)
            return
        self.named = True
        self.game.names = [unquote(attributes.get(f"n{seat}", "")) for seat in range(4)]
        if attributes.get("dan"):
            self.game.dan = _numbers(attributes, "dan", 4)
        if attributes.get("rate"):
            rates = self.game.rates = checked_rates([float(part) for part in attributes["rate"].split(",")])
            if len(rates) != 4:
                raise ValueError(f"rate has {len(rates)} numbers, not 4")

    def _bye(self, attributes: Attributes) -> None:
        self.connections.append((len(self.rounds) - 1, len(self.packed), _seat(attributes), False))

    def _init(self, attributes: Attributes) -> None:
        if not self.has_rules:
            raise LogError("a round before <GO>, which states the rules")
        number, repeat_counter, bets, dice, dice2, indicator = _numbers(attributes, "seed", 6)
        for name, value, most in (
            ("round", number, _LAST_ROUND),
            ("repeat counter", repeat_counter, 255),
            ("bets", bets, 255),
            ("first die", dice, 5),
            ("second die", dice2, 5),
            ("indicator", indicator, TILES - 1),
        ):
            if not 0 <= value <= most:
                raise ValueError(f"seed: the {name} is {value}, not 0 to {most}")
        self.rounds.append(
            RoundLog(
                round=number,
                repeat_counter=repeat_counter,
                bets=bets,
                dealer=_seat(attributes, "oya"),
                scores=self._scores(attributes, "ten", 4),
                hands=[_tiles(attributes, f"hai{seat}", _HAND) for seat in range(4)],
                indicator=indicator,
                events=np.empty(0),
                dice=(dice + 1, dice2 + 1),
            )
        )
        self.starts.append(len(self.packed))
        self.pongs.clear()

    def _scores(self, attributes: Attributes, name: str, count: int) -> list[int]:
        scores = [_POINTS * number for number in _without_chips(_numbers(attributes, name), count, name)]
        if any(abs(score) > MOST_POINTS for score in scores):
            raise ValueError(f"{name}: a score out of range")
        return scores

    def _call(self, attributes: Attributes) -> int:
        code, seat = int(attributes["m"]), int(attributes["who"])
        event = codes.decode_meld(code, seat)
        if event & 0xFF == r.EVENT_PONG:
            self.pongs.add((seat, code))
        elif event & 0xFF == r.EVENT_ADDED_KONG and (seat, code ^ codes.PONG_OR_ADDED_KONG) not in self.pongs:
            raise ValueError(f"meld code {code} adds a tile to a pong that seat {seat} has not made")
        return event

    def _riichi(self, attributes: Attributes) -> int:
        step = attributes["step"]
        if step not in ("1", "2"):
            raise ValueError(f"step is {step!r}, not 1 or 2")
        if step == "2" and "ten" in attributes:
            self._round()
            self.standings.append((len(self.rounds) - 1, len(self.packed) + 1, self._scores(attributes, "ten", 4)))
        return codes.pack_event(r.EVENT_RIICHI if step == "1" else r.EVENT_RIICHI_ACCEPTED, _seat(attributes))

    def _dora(self, attributes: Attributes) -> int:
        return codes.pack_event(r.EVENT_DORA, 0, _tiles(attributes, "hai", 1)[0])

    def _round(self) -> RoundLog:
        if not self.rounds:
            raise LogError("the end of a round before any <INIT>")
        return self.rounds[-1]

    def _result(self, attributes: Attributes) -> list[int]:
        """Add a result tag's payments to the round's, store the final points if it states them; return the payments."""
        round_log = self._round()
        scores = self._scores(attributes, "sc", 8)
        self.standings.append((len(self.rounds) - 1, len(self.packed), scores[0::2]))
        deltas = scores[1::2]
        before = round_log.deltas or [0, 0, 0, 0]
        round_log.deltas = [a + b for a, b in zip(before, deltas, strict=True)]
        if "owari" in attributes:
            values = [float(part) for part in attributes["owari"].split(",")]
            values = _without_chips(values, 8, "owari")
            if not all(abs(value) < 1e6 for value in values):
                raise ValueError(f"owari {attributes['owari'][:60]!r} is not 8 numbers")
            self.game.final_scores = [round(value * _POINTS) for value in values[0::2]]
            self.game.final_points = values[1::2]
        return deltas

    def _win(self, attributes: Attributes) -> int:
        seat, source = _seat(attributes), _seat(attributes, "fromWho")
        tile = _tiles(attributes, "machi", 1)[0]
        fu, points, limit = _numbers(attributes, "ten", 3) if "ten" in attributes else (None, None, None)
        yaku: list[tuple[int, int]] | None = None
        if "yakuman" in attributes:
            yaku = [(number, _YAKUMAN_HAN) for number in _numbers(attributes, "yakuman")]
        elif "yaku" in attributes:
            flat = _numbers(attributes, "yaku")
            yaku = list(zip(flat[0::2], flat[1::2], strict=True))
        if any(not 0 <= number <= _LAST_YAKU for number, _ in yaku or ()):
            raise ValueError(f"a yaku number outside 0 to {_LAST_YAKU}")
        if any(not 0 <= han <= MOST_HAN for _, han in yaku or ()):
            raise ValueError(f"a yaku of less than 0 or more than {MOST_HAN} han")
        melds = _numbers(attributes, "m") if attributes.get("m") else []
        win = WinLog(
            seat=seat,
            source=source,
            tile=tile,
            fu=fu,
            points=points,
            limit=limit,
            hand=sorted(_tiles(attributes, "hai")) if "hai" in attributes else None,
            meld_codes=[codes.without_copy(code) for code in melds] if "hai" in attributes else None,
            table=_table(attributes),
            yaku=yaku,
            yakuman="yakuman" in attributes,
            indicators=_tiles(attributes, "doraHai") if "doraHai" in attributes else None,
            ura_indicators=_tiles(attributes, "doraHaiUra") if "doraHaiUra" in attributes else None,
            liable=_seat(attributes, "paoWho") if "paoWho" in attributes else None,
            deltas=self._result(attributes),
        )
        if len(self.rounds[-1].wins) == 3:
            raise ValueError("a fourth winner")
        self.rounds[-1].wins.append(win)
        return codes.pack_event(r.EVENT_WIN, seat, tile, source)

    def _no_winner(self, attributes: Attributes) -> int:
        name = attributes.get("type", "")
        if name not in codes.DRAW_TYPES:
            raise ValueError(f"unknown type {name[:20]!r}")
        self._result(attributes)
        self.rounds[-1].draw_type = codes.DRAW_TYPES[name]
        shown = [sorted(_tiles(attributes, f"hai{seat}")) if f"hai{seat}" in attributes else None for seat in range(4)]
        self.rounds[-1].tenpai, self.rounds[-1].shown = [hand is not None for hand in shown], shown
        self.rounds[-1].table = _table(attributes)
        return codes.pack_event(r.EVENT_NO_WINNER, 0, codes.DRAW_TYPES[name])

    def _finish(self) -> GameLog:
        """Return the game: make the event array, split it into rounds, and check what can be checked without replay."""
        if not self.rounds:
            raise LogError("the log has no rounds", self.source)
        packed = np.array(self.packed, np.uint64)
        tags = np.flatnonzero(packed)
        events = codes.unpack_events(packed[tags])
        cuts = np.searchsorted(tags, [*self.starts, len(packed)])
        if cuts[0]:
            raise LogError("a move before the first round", self.source, f"tag {tags[0]}")
        _mark_drawn(events)
        self._check_tiles(events, cuts, tags)
        for index, tag, scores in self.standings:
            event = int(np.searchsorted(tags, tag) - cuts[index])
            self.rounds[index].standings.append(Standing(event, scores))
        for index, round_log in enumerate(self.rounds):
            part = slice(cuts[index], cuts[index + 1])
            round_log.events, round_log.places = events[part], Places("tag", tags[part])
            ends = np.flatnonzero(round_log.events["type"] >= r.EVENT_WIN)
            if len(ends) and (ends[0] != len(round_log.events) - len(ends) or len(ends) != (len(round_log.wins) or 1)):
                raise LogError("the round goes on after its result", self.source, round_log.places[int(ends[0])])
        self.game.settle_cut()
        settle_rules(self.game)
        for number, tag, seat, present in self.connections:
            number = max(number, 0)
            event = int(np.searchsorted(tags, tag) - cuts[number])
            self.game.connections.append(Connection(number, max(event, 0), seat, present))
        return self.game

    def _check_tiles(self, events: np.ndarray, cuts: np.ndarray, tags: np.ndarray) -> None:
        """Raise LogError if a tile is dealt, drawn or shown as an indicator twice in one round."""
        new = np.flatnonzero((events["type"] == r.EVENT_DRAW) | (events["type"] == r.EVENT_DORA))
        number = np.searchsorted(cuts, new, side="right") - 1
        deal = [tile for each in self.rounds for hand in (*each.hands, (each.indicator,)) for tile in hand]
        dealt = np.array(deal).reshape(len(self.rounds), -1) + TILES * np.arange(len(self.rounds))[:, None]
        drawn = events["tile"][new] + TILES * number
        counts = np.bincount(np.concatenate([dealt.ravel(), drawn]))
        if counts.max() > 1:
            twice = int(counts.argmax())
            later = new[drawn == twice]
            place = f"tag {tags[later[-1]] if len(later) else self.starts[twice // TILES]}"
            raise LogError(f"tile {twice % TILES} comes twice in one round", self.source, place)


def _mark_drawn(events: np.ndarray) -> None:
    """Set `drawn` of the events that discard the tile just drawn."""
    turn = np.flatnonzero(np.isin(events["type"], (r.EVENT_DRAW, r.EVENT_DISCARD, r.EVENT_CHOW, r.EVENT_PONG)))
    kind, tile, seat = (events[name][turn] for name in ("type", "tile", "seat"))
    same = (kind[:-1] == r.EVENT_DRAW) & (kind[1:] == r.EVENT_DISCARD)
    same &= (tile[:-1] == tile[1:]) & (seat[:-1] == seat[1:])
    events["drawn"][turn[1:]] |= same
