"""Reader of Tenhou's JSON log (the `tenhou.net/6` viewer's format), including what Mahjong Soul converters write.

A round is `[[round, repeat counter, bets], scores, indicators, ura, hand, draws, discards (four times), result]`.
Draws and discards are listed separately for each seat, so the order of the moves has to be reconstructed; see `_order`.
"""

import io
import json
import re
from typing import Any
from urllib.parse import unquote

from simulator.logs import tenhou6_words as words
from simulator.logs.archives import MAX_GAME_BYTES, MAX_ROUNDS, UTF8_MARK, plain_data
from simulator.logs.model import (
    MOST_POINTS,
    GameLog,
    LogError,
    RoundLog,
    SkippedLog,
    WinLog,
    check_texts,
    checked_rates,
)
from simulator.logs.round_builder import RoundBuilder
from simulator.logs.tenhou_rules import settle_rules
from simulator.record import EVENT_CHOW, EVENT_OPEN_KONG, EVENT_PONG, RESULT_TRIPLE_RON, SEATS
from simulator.rules import Rules

TSUMOGIRI = 60
NO_DISCARD = 0
_CALLS = {"c": EVENT_CHOW, "p": EVENT_PONG, "m": EVENT_OPEN_KONG}
_TABLES = 4 + 3 * SEATS
_MAX_STEPS = 20_000

#: How JSON begins that nothing has escaped.
_PLAIN = re.compile(r'\{\s*"')
#: The entries of the draws, or of the discards, of each seat in order.
Entries = list[list[Any]]
#: One move: the seat, whether it is in the list of draws (otherwise of discards), and the index of its entry.
Move = tuple[int, bool, int]


def read_tenhou6(data: bytes, source: str = "") -> list[GameLog]:
    """Return a file's games, one or one a line; raises SkippedLog for three players, LogError with the place."""
    data = plain_data(data, source).removeprefix(UTF8_MARK).strip()
    if not data:
        raise LogError("the file is empty", source)
    # Not splitlines(): a name may contain other characters that it treats as line ends.
    whole = data[:1] in b"{[" and not all(line.lstrip()[:1] == b"{" for line in io.BytesIO(data) if line.strip())
    games: list[GameLog] = []
    rounds = 0
    for number, line in enumerate([data] if whole else io.BytesIO(data), 1):
        if line.strip():
            place = f"line {number}" if not whole and b"\n" in data else ""
            games.append(_read_game(_load(line.strip(), source, place), source, place))
            rounds += len(games[-1].rounds)
            if rounds > MAX_ROUNDS:
                raise LogError(f"more than {MAX_ROUNDS:,} rounds in one file", source, place)
    return games


def _load(data: bytes, source: str, place: str) -> dict[str, Any]:
    if len(data) > MAX_GAME_BYTES:
        raise LogError(f"more than {MAX_GAME_BYTES:,} bytes for one game", source, place)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise LogError(f"not UTF-8 text: {error}", source, place) from error
    if text.startswith("http"):
        text = text.partition("#json=")[2]
        text = text if _PLAIN.match(text) else unquote(text)  # browsers escape only the quotes: `{%22title%22:...`
        end = text.rfind("}") + 1
        text = text[:end] if text[end:].startswith("&") else text  # `&ts=3`, the round to show
    try:
        log = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LogError(f"not JSON: {error or 'nested too deeply'}", source, place) from error
    if not isinstance(log, dict) or not isinstance(log.get("log"), list):
        raise LogError("no `log` with rounds: not a Tenhou JSON log", source, place)
    return log


def _integers(value: Any, count: int, what: str) -> list[int]:
    if not isinstance(value, list) or len(value) != count:
        raise LogError(f"{what} is not a list of {count} numbers")
    if any(type(part) not in (int, float) or abs(part) > MOST_POINTS or part != int(part) for part in value):
        raise LogError(f"{what} {value} is not {count} whole numbers")
    return [int(part) for part in value]


def _read_game(log: dict[str, Any], source: str, place: str) -> GameLog:
    try:
        rules, room = words.read_rules(log)
        names = log.get("name", [])
        if not isinstance(names, list) or len(names) > SEATS or not all(isinstance(name, str) for name in names):
            raise LogError("`name` is not a list of four names")
        game = GameLog(rules, [], names=(names + [""] * SEATS)[:SEATS], source=source, room=room)
        game.ref, game.lobby, game.own_rules = _text(log, "ref"), _text(log, "lobby"), bool(log.get("csrule"))
        title = log.get("title")
        game.date = title[1] if isinstance(title, list) and len(title) == 2 and isinstance(title[1], str) else ""
        check_texts([*names, room, game.ref, game.lobby, game.date])
        _read_players(log, game)
    except LogError as error:
        raise type(error)(error.message, source, place) from None
    for index, round_data in enumerate(log["log"][: MAX_ROUNDS + 1]):
        where = ", ".join(part for part in (place, f"round {index + 1}") if part)
        try:
            game.rounds.append(_read_round(round_data, rules, source, where))
        except LogError as error:
            raise type(error)(error.message, source, error.place or where) from None
        except (ValueError, TypeError, KeyError, IndexError, OverflowError) as error:
            raise LogError(str(error), source, where) from error
    game.settle_cut()
    if not game.rounds and game.cut is None:
        raise LogError("the log has no rounds", source, place)
    settle_rules(game)
    return game


def _text(log: dict[str, Any], name: str) -> str:
    value = log.get(name)
    return "" if value is None else str(value)


def _read_players(log: dict[str, Any], game: GameLog) -> None:
    dan, rate, scores = log.get("dan"), log.get("rate"), log.get("sc")
    if isinstance(dan, list) and len(dan) == SEATS and all(name in words.DAN_NAMES for name in dan):
        game.dan = [words.DAN_NAMES.index(name) for name in dan]
    if isinstance(rate, list) and len(rate) == SEATS and all(type(part) in (int, float) for part in rate):
        game.rates = checked_rates(rate)
    if isinstance(scores, list) and len(scores) == 2 * SEATS:
        if not all(type(part) in (int, float) and abs(part) < MOST_POINTS for part in scores):
            raise LogError("`sc` is not eight numbers")
        game.final_scores = [round(part) for part in scores[0::2]]
        game.final_points = [float(part) for part in scores[1::2]]


def _read_round(data: Any, rules: Rules, source: str, where: str) -> RoundLog:
    if not isinstance(data, list) or len(data) != _TABLES + 1 or not all(isinstance(part, list) for part in data):
        raise LogError(f"a round is a list of {_TABLES + 1} lists")
    number, repeat_counter, bets = _integers(data[0], 3, "the round's number")
    if not (0 <= number <= 11 and 0 <= repeat_counter <= 255 and 0 <= bets <= 255):
        raise LogError(f"the round {data[0]} is out of range")
    hands, draws, discards = data[4:16:3], data[5:16:3], data[6:16:3]
    if not any((hands[3], draws[3], discards[3])):
        raise SkippedLog("a three-player game")
    indicators = [words.read_tile(tile) for tile in data[2]]
    if not 1 <= len(indicators) <= 5:
        raise LogError(f"{len(indicators)} dora indicators; there are 1 to 5")
    builder = RoundBuilder(source, "move", rules.red_fives)
    builder.context = where
    builder.deal([[words.read_tile(tile) for tile in hand] for hand in hands])
    this = builder.round = RoundLog(
        round=number,
        repeat_counter=repeat_counter,
        bets=bets,
        dealer=number % SEATS,
        scores=_integers(data[1], SEATS, "the scores"),
        hands=[],
        indicator=builder.new_tile(indicators[0]),
        events=builder.events(),
    )
    result = data[16] if data[16] != [words.UNKNOWN] else []
    word = result[0] if result else ""
    robbed = word in words.WIN_WORDS or words.DRAW_WORDS.get(word) == RESULT_TRIPLE_RON
    _play(builder, _order(draws, discards, this.dealer, builder), draws, discards, indicators[1:], robbed)
    ura = [builder.new_tile(words.read_tile(tile)) for tile in data[3]]
    if word in words.WIN_WORDS:
        _read_wins(result[1:], builder, ura)
    elif result:  # else the round is cut off
        _read_draw(result, builder)
    return builder.finish()


def _call_of(entry: Any) -> tuple[str, int, list[int], int] | None:
    """Return (letter, called or added face, other faces, place of the letter) of a call: `"39m393939"`; or None."""
    if not isinstance(entry, str) or not entry or entry[0] == "r":
        return None
    at = next((place for place, char in enumerate(entry) if not char.isdigit()), -1)
    letter = entry[at] if at >= 0 else ""
    if letter == "f":
        raise SkippedLog("a North is set aside, which only three-player games do")
    digits = entry[:at] + entry[at + 1 :]
    wanted = {"c": 6, "p": 6, "m": 8, "a": 8, "k": 8}.get(letter)
    if wanted is None or at % 2 or not digits.isascii() or not digits.isdigit() or len(digits) != wanted:
        raise LogError(f"cannot read the call {entry[:20]!r}")
    faces = [words.read_tile(int(digits[i : i + 2])) for i in range(0, wanted, 2)]
    return letter, faces.pop(at // 2), faces, at


def _source_of(seat: int, letter: str, at: int) -> int:
    """Return the seat called from: left if the letter comes first, right if before the last tile, else across."""
    last = 6 if letter == "m" else 4
    return (seat + (3 if at == 0 else 1 if at == last else 2)) % SEATS


def _discard_face(entry: Any, last_draw: int | None) -> int | None:
    """Return the face that a discard entry discards: for 60 (the tile just drawn) `last_draw`."""
    number = int(entry[1:]) if isinstance(entry, str) and entry[1:].isascii() and entry[1:].isdigit() else entry
    return last_draw if number == TSUMOGIRI else words.read_tile(number)


def _order(draws: Entries, discards: Entries, dealer: int, builder: RoundBuilder) -> list[Move]:
    """Return the moves in an order that uses up all draws and discards.

    After a discard, either some seat's next draw entry is a call of that tile from that seat, or the next seat draws.
    If a seat discards the same tile twice before the caller's next draw entry, both may fit: the call is first tried
    on the first discard, with backtracking if the rest does not fit.
    """
    taken, thrown = [0] * SEATS, [0] * SEATS
    moves: list[Move] = []
    choices: list[tuple[int, list[int], list[int], list[int]]] = []
    actor = dealer
    for _ in range(_MAX_STEPS):
        following = _turn(draws, discards, actor, taken, thrown, moves)
        if following == []:
            return moves
        if following is None:
            if not choices:
                raise builder.error("the draws, discards and calls do not fit together in any order")
            length, taken, thrown, following = choices.pop()
            del moves[length:]
        if len(following) > 1:
            choices.append((len(moves), list(taken), list(thrown), following[1:]))
        actor = following[0]
    raise builder.error("the order of the moves is too ambiguous")


def _turn(
    draws: Entries, discards: Entries, actor: int, taken: list[int], thrown: list[int], moves: list[Move]
) -> list[int] | None:
    """Play a seat's turn, to its discard or kong; return who may be next: [] at the end, None if it does not fit."""
    if taken[actor] >= len(draws[actor]):
        return None
    entry = draws[actor][taken[actor]]
    moves.append((actor, True, taken[actor]))
    taken[actor] += 1
    last_draw = None
    call = _call_of(entry)
    if call is None:
        last_draw = words.read_tile(entry)
    elif call[0] == "m":
        if thrown[actor] < len(discards[actor]) and discards[actor][thrown[actor]] == NO_DISCARD:
            thrown[actor] += 1
        return [actor]

    def done() -> bool:
        return all(taken[seat] == len(draws[seat]) and thrown[seat] == len(discards[seat]) for seat in range(SEATS))

    if thrown[actor] >= len(discards[actor]):
        return [] if done() else None
    thing = discards[actor][thrown[actor]]
    moves.append((actor, False, thrown[actor]))
    thrown[actor] += 1
    if done():
        return []
    if _call_of(thing) is not None:
        return [actor]
    face = _discard_face(thing, last_draw)
    callers = []
    for seat in range(SEATS):
        waiting = _call_of(draws[seat][taken[seat]]) if seat != actor and taken[seat] < len(draws[seat]) else None
        if waiting and waiting[1] == face and _source_of(seat, waiting[0], waiting[3]) == actor:
            callers.append((waiting[0] == "c", seat))
    following = [seat for _, seat in sorted(callers)]
    right = (actor + 1) % SEATS
    if taken[right] < len(draws[right]) and not isinstance(draws[right][taken[right]], str):
        following.append(right)
    return following or None


def _play(
    builder: RoundBuilder, moves: list[Move], draws: Entries, discards: Entries, indicators: list[int], robbed: bool
) -> None:
    """Play the moves on the builder, with accepted riichi and dora indicators, whose timing the format omits.

    They come where Tenhou has them: the indicator of an open or added kong before the next discard, or after another
    kong. `robbed`: the last discard was won on, so a riichi declared with it is not accepted.
    """
    waiting = 0
    hidden = list(reversed(indicators))

    def show(count: int) -> None:
        for _ in range(min(count, len(hidden))):
            builder.show_indicator(hidden.pop())

    for index, (seat, is_draw, at) in enumerate(moves):
        builder.number = index + 1
        entry = (draws if is_draw else discards)[seat][at]
        call = _call_of(entry)
        if call is not None:
            letter, face, own, place = call
            if (letter in _CALLS) != is_draw:
                here, there = ("draws", "discards") if is_draw else ("discards", "draws")
                raise builder.error(f"{entry[:20]!r} is among the {here} but belongs among the {there}")
            if is_draw:
                builder.call(_CALLS[letter], seat, _source_of(seat, letter, place), face, own)
                waiting += letter == "m"
            elif letter == "a":
                builder.closed_kong(seat, [*own, face])
                show(waiting + 1)
                waiting = 0
            else:
                builder.added_kong(seat, face, own, _source_of(seat, "p", place))
                show(waiting)
                waiting = 1
        elif is_draw:
            builder.draw(seat, words.read_tile(entry))
        else:
            riichi = isinstance(entry, str)
            if riichi:
                builder.declare_riichi(seat)
            show(waiting)
            waiting = 0
            builder.discard(seat, _discard_face(entry, None))
            if riichi and not (robbed and index == len(moves) - 1):
                builder.accept_riichi(seat)
    if hidden:
        raise builder.error(f"{len(indicators) + 1} dora indicators are more than the kongs reveal")


def _read_wins(result: list[Any], builder: RoundBuilder, ura: list[int]) -> None:
    if not result or len(result) % 2:
        raise LogError("the result does not give payments and details of each win")
    for deltas_data, detail in zip(result[0::2], result[1::2], strict=True):
        deltas = _integers(deltas_data, SEATS, "the payments")
        if not isinstance(detail, list) or len(detail) < 3:
            raise LogError("the details of a win are not a list of winner, source, liable seat, score and yaku")
        seat, source, liable = detail[:3]
        if any(type(part) is not int or not 0 <= part < SEATS for part in (seat, source, liable)):
            raise LogError(f"seats {detail[:3]} of a win; seats are 0 to 3")
        texts = detail[3:]
        if not all(isinstance(text, str) for text in texts):
            raise LogError("the score and yaku of a win are not texts")
        score = words.read_score(texts[0]) if texts else words.StatedScore()
        seat_wind, round_wind = (seat - builder.round.dealer) % SEATS, builder.round.round // SEATS
        yaku = [words.read_yaku(text, seat_wind, round_wind) for text in texts[1:]]
        win = WinLog(seat, source, fu=score.fu, points=score.points, yaku=yaku or None, deltas=deltas)
        win.yakuman = any(words.YAKUMAN in text or "yakuman" in text.casefold() for text in texts[1:])
        win.han, win.limit = score.han, score.limit
        win.liable = liable if liable != seat else None
        win.ura_indicators = ura if ura and seat in builder.in_riichi else None
        builder.win(win)
    if ura and not any(win.ura_indicators for win in builder.wins):
        builder.wins[0].ura_indicators = ura


def _read_draw(result: list[Any], builder: RoundBuilder) -> None:
    word = result[0]
    if not isinstance(word, str) or word not in words.DRAW_WORDS:
        raise LogError(f"unknown result {str(word)[:20]!r}")
    if word in (words.ALL_TENPAI, words.NONE_TENPAI):
        builder.round.tenpai = [word == words.ALL_TENPAI] * SEATS
    deltas = _integers(result[1], SEATS, "the payments") if len(result) > 1 else [0] * SEATS
    builder.no_winner(words.DRAW_WORDS[word], deltas)
