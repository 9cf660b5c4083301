"""Reader of mjai logs: one JSON event per line, as written by mjai, Mortal and RiichiEnv.

The dialects differ in what they omit (scores, payments, the kind of an abortive draw) and in when they show a kong's
dora indicator; the reader accepts all of them and keeps the order of events as it is.
"""

import dataclasses
import io
import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Literal

import numpy as np

from simulator import record as r
from simulator.logs import mjai_words as words
from simulator.logs.archives import MAX_GAME_BYTES, MAX_ROUNDS, UTF8_MARK, plain_data
from simulator.logs.mjai_words import Event, read_count, read_points, read_seat, read_tile, read_tiles
from simulator.logs.model import MOST_POINTS, GameLog, LogError, RoundLog, SkippedLog, Standing, WinLog, check_texts
from simulator.logs.round_builder import RoundBuilder, face_of
from simulator.logs.tenhou_rules import GAME_ID_IN_ADDRESS, settle_rules
from simulator.logs.writing import BET
from simulator.rules import Rules
from simulator.tiles import EAST, NORTH
from simulator.walls import LIVE_TILES

_CALLS = {"chi": (r.EVENT_CHOW, 2), "pon": (r.EVENT_PONG, 2), "daiminkan": (r.EVENT_OPEN_KONG, 3)}
_KONGS = (r.EVENT_OPEN_KONG, r.EVENT_CLOSED_KONG, r.EVENT_ADDED_KONG)
_MOVES = {"tsumo", "dahai", *_CALLS, "ankan", "kakan", "dora", "reach", "reach_accepted", "hora", "ryukyoku"}
_SILENT = {"none", "error", "hello", "join"}
#: Names of the ura indicators: Mortal's, mjai's, akochan's.
_URA = ("ura_markers", "uradora_markers", "uradora_marker")
_YAKUMAN_HAN, _YAKUMAN_FAN, _MOST_FAN = 13, 100, 1000  # mjai counts a yakuman as 100 fan
_MOST_FU, _SEVEN_PAIRS_FU = 200, 25
_TENPAI_PAYMENTS = {0, 1000, 1500, 3000}


def read_mjai(data: bytes, source: str = "") -> list[GameLog]:
    """Return the games of a file of mjai events, plain or gzipped: an event or a list of them a line, or one list.

    mjai does not state the rules. Tenhou's are assumed: with red fives, unless the log says otherwise or has a fourth
    plain five in a round; East only if the log says so, or if a finished game ended in an East round with no seat below
    zero. Raises LogError, naming the line, for anything unreadable and for a log of one player's view, whose hidden
    tiles (`?`) make it incomplete.
    """
    games: list[GameLog] = []
    rounds = 0
    for events in _games(plain_data(data, source).removeprefix(UTF8_MARK), source):
        games.append(_GameReader(events, source).read())
        rounds += len(games[-1].rounds)
        if rounds > MAX_ROUNDS:
            raise LogError(f"more than {MAX_ROUNDS:,} rounds in one file", source)
    if not games:
        raise LogError("the file is empty", source)
    return games


def _games(data: bytes, source: str) -> Iterator[list[tuple[int, Event]]]:
    """Yield the events of each game, with their line numbers, but without those that say nothing of it."""
    game: list[tuple[int, Event]] = []
    size = 0
    for number, length, values in _lines(data, source):
        size += length
        for place, event in values:
            if not isinstance(event, dict) or not isinstance(event.get("type"), str):
                raise LogError("an event is a JSON object with a `type`", source, f"line {place}")
            if event["type"] == "start_game" and game:
                yield game
                game, size = [], length
            if event["type"] not in _SILENT:
                game.append((place, words.stated(event)))
        if size > MAX_GAME_BYTES:
            raise LogError(f"more than {MAX_GAME_BYTES:,} bytes for one game", source, f"line {number}")
    if game:
        yield game


def _lines(data: bytes, source: str) -> Iterator[tuple[int, int, list[tuple[int, Any]]]]:
    """Yield each line's number, its size, and the JSON values in it with their own numbers; or the whole file so."""
    if data.lstrip()[:1] == b"[" and len(data) <= MAX_GAME_BYTES:
        with suppress(ValueError, RecursionError):  # not one list: perhaps one a line
            values = list(_flat(1, json.loads(data.decode())))
            yield 1, len(data), values
            return
    # Not splitlines(): a name may contain other characters that it treats as line ends.
    for number, line in enumerate(io.BytesIO(data), 1):
        place = f"line {number}"
        if len(line) > MAX_GAME_BYTES:
            raise LogError(f"more than {MAX_GAME_BYTES:,} bytes in a line", source, place)
        try:
            text = line.decode()
            values = _flat(number, json.loads(text)) if text.strip() else []
        except UnicodeDecodeError as error:
            raise LogError(f"not UTF-8 text: {error}", source, place) from error
        except (ValueError, RecursionError) as error:
            raise LogError(f"not JSON: {error or 'nested too deeply'}", source, place) from error
        if values:
            yield number, len(line), values


def _flat(number: int, value: object) -> list[tuple[int, Any]]:
    """Return the events of a line, or of a file that is one list; they are numbered if there are several."""
    return list(enumerate(value, number)) if isinstance(value, list) else [(number, value)]


class _GameReader:
    """The state of reading one game."""

    def __init__(self, events: list[tuple[int, Event]], source: str) -> None:
        self.events, self.source = events, source
        self.line = 0
        self.ended = False
        self.named_length: int | None = None
        self.red_fives = self._red_fives()
        self.game = GameLog(Rules.tenhou(), [], source=source)
        self.builder: RoundBuilder | None = None
        self.scores: list[int] | None = None

    def _red_fives(self) -> bool:
        """Return whether red fives are in play: as `aka_flag` says, otherwise yes unless four plain fives are seen."""
        for _, event in self.events:
            if isinstance(event.get("aka_flag"), bool):
                return event["aka_flag"]
        seen = dict.fromkeys(("5m", "5p", "5s"), 0)
        for _, event in self.events:
            if event["type"] == "start_kyoku":
                seen = dict.fromkeys(("5m", "5p", "5s"), 0)
            names = [event.get("pai"), event.get("dora_marker")]
            if event["type"] == "start_kyoku" and isinstance(event.get("tehais"), list):
                names += [tile for hand in event["tehais"] if isinstance(hand, list) for tile in hand]
            if event["type"] in ("start_kyoku", "tsumo", "dora"):
                for name in names:
                    if isinstance(name, str) and name.endswith("r"):
                        return True
                    if isinstance(name, str) and name in seen:
                        seen[name] += 1
                        if seen[name] > 3:
                            return False
        return True

    def read(self) -> GameLog:
        for line, event in self.events:
            self.line = line
            try:
                self._read_event(event)
            except KeyError as error:
                raise self._error(f"{event['type']} has no {error}") from error
            except LogError as error:
                raise type(error)(error.message, self.source, error.place or f"line {self.line}") from None
            except (ValueError, TypeError, AttributeError) as error:
                raise self._error(f"{event['type']}: {error}") from error
        if self.builder is not None:
            self._end_round(last=True)
        self.game.settle_cut()
        if not self.game.rounds and self.game.cut is None:
            raise self._error("the log has no rounds")
        self._settle_rules()
        return self.game

    def _error(self, message: str) -> LogError:
        return LogError(message, self.source, f"line {self.line}")

    def _read_event(self, event: Event) -> None:
        kind = event["type"]
        if kind in _MOVES:
            if self.builder is None:
                raise LogError(f"{kind} outside of a round")
            if self.builder.round.draw_type is not None or (self.builder.wins and kind != "hora"):
                raise LogError(f"{kind} after the result of the round")
            self.builder.number = self.line
            self._move(event, self.builder)
        elif kind == "start_kyoku":
            self._start_round(event)
        elif kind == "end_kyoku":
            self._end_round()
        elif kind == "start_game":
            self._start_game(event)
        elif kind == "end_game":
            self.ended = True
            self.game.final_scores = read_points(event, "scores")
        else:
            raise LogError(f"unknown event {kind[:20]!r}")

    def _start_game(self, event: Event) -> None:
        names = event.get("names")
        if isinstance(names, list):
            if len(names) == r.SEATS - 1:
                raise SkippedLog("a three-player game")
            if len(names) not in (0, r.SEATS) or not all(isinstance(name, str) for name in names):
                raise ValueError("names is not four names")
            check_texts(names)
            self.game.names = names or self.game.names
        if "kyoku_first" in event:
            self.named_length = read_count(event, "kyoku_first", 0, 11)
        address = event.get("uri")
        if isinstance(address, str) and (game_id := GAME_ID_IN_ADDRESS.search(address)):
            self.game.ref = game_id[0]

    def _start_round(self, event: Event) -> None:
        if self.builder is not None:
            self._end_round()
        wind = read_tile(event["bakaze"])
        if not EAST <= wind < NORTH:
            raise ValueError(f"bakaze {event['bakaze']!r} is no round wind")
        hands = event["tehais"]
        if not isinstance(hands, list) or len(hands) != r.SEATS:
            raise ValueError("tehais is not four hands")
        if any(isinstance(hand, list) and "?" in hand for hand in hands):
            raise LogError("one player's view, with hidden tiles (`?`): a full log shows all hands")
        scores = read_points(event, "scores") or self.scores
        builder = RoundBuilder(self.source, "line", self.red_fives)
        builder.number = self.line
        number = 4 * (wind - EAST) + read_count(event, "kyoku", 1, r.SEATS) - 1
        builder.deal([[read_tile(tile) for tile in hand] for hand in hands])
        dealer = read_seat(event, "oya") if "oya" in event else number % r.SEATS
        builder.round = RoundLog(
            round=number,
            repeat_counter=read_count(event, "honba", 0, 255),
            bets=read_count(event, "kyotaku", 0, 255) if "kyotaku" in event else 0,
            dealer=dealer,
            scores=list(scores or [self.game.rules.starting_points] * r.SEATS),
            hands=[],
            indicator=builder.new_tile(read_tile(event["dora_marker"])),
            events=builder.events(),
        )
        if not self.game.rounds:
            self.game.first_dealer = (dealer - number) % r.SEATS
        self.builder, self.scores = builder, None

    def _move(self, event: Event, builder: RoundBuilder) -> None:
        kind = event["type"]
        seat = read_seat(event, "actor") if kind not in ("ryukyoku", "dora") else r.NO_SEAT
        match kind:
            case "ryukyoku":
                self._no_winner(event, builder)
            case "dora":
                builder.show_indicator(read_tile(event["dora_marker"]))
            case "tsumo":
                if event["pai"] == "?":
                    raise LogError("one player's view, with hidden tiles (`?`): a full log shows all draws")
                builder.draw(seat, read_tile(event["pai"]))
            case "dahai":
                self._discard(seat, event, builder)
            case "chi" | "pon" | "daiminkan":
                call, count = _CALLS[kind]
                consumed = read_tiles(event, "consumed", count)
                builder.call(call, seat, read_seat(event, "target"), read_tile(event["pai"]), consumed)
            case "ankan":
                builder.closed_kong(seat, read_tiles(event, "consumed", 4))
            case "kakan":
                pong = read_tiles(event, "consumed", 3) if "consumed" in event else []
                builder.added_kong(seat, read_tile(event["pai"]), pong)
            case "reach":
                builder.declare_riichi(seat)
            case "reach_accepted":
                deltas = read_points(event, "deltas")
                if deltas is not None and deltas != [-BET * (each == seat) for each in range(r.SEATS)]:
                    raise ValueError(f"deltas {deltas} are not the {BET} points of seat {seat}'s bet")
                builder.accept_riichi(seat)
                self._stand(event, builder)
            case _:
                self._win(seat, event, builder)

    def _discard(self, seat: int, event: Event, builder: RoundBuilder) -> None:
        face = read_tile(event["pai"])
        stated = event.get("tsumogiri")
        if not isinstance(stated, bool | None):
            raise ValueError(f"tsumogiri is {str(stated)[:20]!r}, neither true nor false")
        drawn = face_of(builder.drawn, self.red_fives) if stated and builder.drawn in builder.hands[seat] else None
        if drawn is not None and drawn != face:
            raise ValueError(f"{event['pai']} is marked as the tile just drawn (tsumogiri), but another was drawn")
        builder.discard(seat, None if drawn is not None else face, stated)

    def _stand(self, event: Event, builder: RoundBuilder) -> None:
        """Note the points after an event, if it states them."""
        self.scores = read_points(event, "scores")
        if self.scores is not None:
            builder.round.standings.append(Standing(len(builder), self.scores))

    def _win(self, seat: int, event: Event, builder: RoundBuilder) -> None:
        win = WinLog(seat, read_seat(event, "target"), deltas=read_points(event, "deltas"))
        ura = next((name for name in _URA if name in event), "")
        if event.get(ura):
            faces = read_tiles(event, ura)
            shown = next((other.ura_indicators for other in builder.wins if other.ura_indicators), None)
            repeated = shown is not None and [face_of(tile, self.red_fives) for tile in shown] == faces
            win.ura_indicators = shown if repeated else [builder.new_tile(face) for face in faces]
        if "hora_points" in event:
            win.points = read_count(event, "hora_points", 0, MOST_POINTS)
        builder.win(win)
        face = read_tile(event["pai"]) if "pai" in event else None
        if face is not None and win.tile is not None and face_of(win.tile, self.red_fives) != face:
            (win.tile,) = builder.tiles_like(win.seat, [face])  # the verifier will say so
        self._worth(event, win, builder)
        self._stand(event, builder)

    def _worth(self, event: Event, win: WinLog, builder: RoundBuilder) -> None:
        """Read what the old dialect states of a winning hand."""
        if "yakus" in event:
            win.mjai_yaku = words.read_yaku(event["yakus"])
            win.yakuman = any(han >= _YAKUMAN_HAN for han in win.mjai_yaku.values())
        if not win.yakuman and "fan" in event:
            win.han = read_count(event, "fan", 1, _MOST_FAN)
            win.yakuman = win.han >= _YAKUMAN_FAN
        if win.yakuman:
            win.han, win.fu = None, None  # dialects differ in both
        elif "fu" in event:
            fu = read_count(event, "fu", 0, _MOST_FU)
            win.fu = fu if fu == _SEVEN_PAIRS_FU else -(-fu // 10) * 10  # akochan does not round them up
        if event.get("hora_tehais"):
            faces = read_tiles(event, "hora_tehais")
            if len(faces) % 3 != 2 and win.tile is not None:  # by ron, some dialects leave the winning tile out
                faces.append(face_of(win.tile, self.red_fives))
            win.hand = builder.tiles_like(win.seat, faces, win.tile)

    def _no_winner(self, event: Event, builder: RoundBuilder) -> None:
        this = builder.round
        deltas = read_points(event, "deltas")
        reason = event.get("reason")
        if reason is not None and reason not in words.DRAW_REASONS:
            raise ValueError(f"unknown reason {str(reason)[:20]!r}")
        draw_type = words.DRAW_REASONS[reason] if reason is not None else self._draw_type(builder, deltas)
        if draw_type == r.RESULT_EXHAUSTIVE and any(abs(delta) not in _TENPAI_PAYMENTS for delta in deltas or ()):
            draw_type = r.RESULT_NAGASHI
        hands = event.get("tehais")
        if isinstance(hands, list) and len(hands) == r.SEATS:
            this.shown = [builder.tiles_like(s, read_tiles({"tehais": h}, "tehais")) if _open(h) else None
                          for s, h in enumerate(hands)]  # fmt: skip
        tenpai = event.get("tenpais")
        if isinstance(tenpai, list) and len(tenpai) == r.SEATS:
            this.tenpai = [bool(each) for each in tenpai]
        builder.no_winner(draw_type, deltas)
        self._stand(event, builder)

    def _draw_type(self, builder: RoundBuilder, deltas: list[int] | None) -> int:
        """Return the kind of a round without a winner (RESULT_*), derived from the round if the event omits it."""
        events = builder.events()
        discards = events["type"] == r.EVENT_DISCARD
        kongs = events["seat"][np.isin(events["type"], _KONGS)]
        if (deltas and any(deltas)) or (events["type"] == r.EVENT_DRAW).sum() == LIVE_TILES:
            return r.RESULT_EXHAUSTIVE
        if len(events) and events["type"][-1] == r.EVENT_DRAW:
            return r.RESULT_NINE_TERMINALS
        if len(builder.in_riichi) == r.SEATS:
            return r.RESULT_FOUR_RIICHI
        if len(kongs) == 4 and len(set(kongs.tolist())) > 1:
            return r.RESULT_FOUR_KONGS
        kinds = set((events["tile"][discards] >> 2).tolist())
        if discards.sum() == r.SEATS and len(kinds) == 1 and EAST <= min(kinds) <= NORTH:
            return r.RESULT_FOUR_WINDS
        return r.RESULT_TRIPLE_RON

    def _end_round(self, last: bool = False) -> None:
        builder = self.builder
        if builder is None:
            raise self._error("end_kyoku outside of a round")
        if not builder.wins and builder.round.draw_type is None and not last:
            raise self._error("the round has no result")
        self.game.rounds.append(builder.finish())
        self.builder = None

    def _settle_rules(self) -> None:
        """Set the length and red fives of the rules as inferred from the log."""
        rounds = self.game.rounds
        east = self.named_length == words.EAST_ONLY
        if self.named_length is None and self.ended and rounds[-1].round < words.EAST_ONLY:
            scores = self.game.final_scores or self.scores
            if scores is None and rounds[-1].deltas is not None:
                scores = [a + b for a, b in zip(rounds[-1].scores, rounds[-1].deltas, strict=True)]
            east = scores is not None and min(scores) >= 0
        length: Literal["east", "east_south"] = "east" if east else "east_south"
        self.game.rules = dataclasses.replace(self.game.rules, length=length, red_fives=self.red_fives)
        settle_rules(self.game)


def _open(hand: object) -> bool:
    return isinstance(hand, list) and bool(hand) and "?" not in hand
