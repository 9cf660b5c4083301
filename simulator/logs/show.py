"""Format a logged game as readable text, with one line per turn."""

from collections.abc import Iterator

from simulator import record as r
from simulator.logs.model import GameLog, RoundLog, WinLog, shown_text
from simulator.scoring.yaku import YAKU
from simulator.tiles import WIND_NAMES, format_tiles, tile_name
from simulator.views.table import round_name

_CALLS = {r.EVENT_CHOW: "chow", r.EVENT_PONG: "pong", r.EVENT_OPEN_KONG: "open kong"}
_SEAT_LETTERS = "ABCD"


def show_game(log: GameLog) -> Iterator[str]:
    """Yield the lines of a game: its rules and players, each round, and the final points."""
    rules = log.rules
    table = [log.room, "East-South" if rules.length == "east_south" else "East only"]
    table.append("red fives" if rules.red_fives else "no red fives")
    table.append("open tanyao" if rules.open_tanyao else "no open tanyao")
    yield shown_text(f"{log.source or 'game'}: {', '.join(filter(None, table))}")
    for seat in range(r.SEATS):
        rate = f", rate {log.rates[seat]:g}" if log.rates else ""
        yield f"  {_SEAT_LETTERS[seat]}: {shown_text(log.names[seat]) or 'unnamed'}{rate}"
    for round_log in log.played:
        yield ""
        yield from show_round(round_log, rules.red_fives)
        if not round_log.has_result:
            yield "  the log ends here"
    if log.missing or log.remark:
        yield ""
        yield from filter(None, (log.missing, log.remark))
    if log.final_scores is not None:
        yield ""
        scores = log.final_scores
        for seat in sorted(range(r.SEATS), key=lambda s: (-scores[s], s)):
            final = f"  {log.final_points[seat]:+.1f}" if log.final_points is not None else ""
            yield f"{_SEAT_LETTERS[seat]}: {scores[seat]:,}{final}"


def show_round(log: RoundLog, red_fives: bool = True) -> Iterator[str]:
    """Yield the lines of a round: the hands, one line per turn, and the result."""
    dealer = _SEAT_LETTERS[log.dealer]
    bets = f", {log.bets} riichi bet{'s' if log.bets > 1 else ''}" if log.bets else ""
    indicator = tile_name(log.indicator, red_fives)
    yield f"{round_name(log.round, log.repeat_counter)}: dealer {dealer}{bets}, indicator {indicator}"
    for seat in range(r.SEATS):
        wind = WIND_NAMES[(seat - log.dealer) % r.SEATS]
        hand = format_tiles(log.hands[seat], red_fives)
        yield f"  {_SEAT_LETTERS[seat]} {wind:5} {log.scores[seat]:>7,}  {hand}"
    yield from _turns(log, red_fives)
    for win in log.wins:
        yield "  " + _win_line(win, red_fives)
    if not log.wins and log.draw_type is not None:
        tenpai = [_SEAT_LETTERS[seat] for seat in range(r.SEATS) if log.tenpai and log.tenpai[seat]]
        yield f"  {r.RESULT_NAMES[log.draw_type]}" + (f"; hands shown by {', '.join(tenpai)}" if tenpai else "")
    if log.deltas is not None:
        yield "  points: " + ", ".join(f"{_SEAT_LETTERS[s]} {log.deltas[s]:+,}" for s in range(r.SEATS))


def _turns(log: RoundLog, red_fives: bool) -> Iterator[str]:
    line: list[str] = []
    for event in log.events:
        kind, seat, tile = int(event["type"]), int(event["seat"]), int(event["tile"])
        if kind == r.EVENT_DORA:
            line.append(f"[indicator {tile_name(tile, red_fives)}]")
            continue
        if kind == r.EVENT_RIICHI_ACCEPTED:
            line.append("[bet paid]")
            continue
        if kind in (r.EVENT_DRAW, *_CALLS) and line:
            yield "    " + " ".join(line)
            line = []
        if kind == r.EVENT_DRAW:
            line += [_SEAT_LETTERS[seat], f"+{tile_name(tile, red_fives)}"]
        elif kind == r.EVENT_DISCARD:
            line.append(f"-{tile_name(tile, red_fives)}{'*' if event['drawn'] else ''}")
        elif kind == r.EVENT_RIICHI:
            line.append("riichi")
        elif kind in _CALLS:
            own = [int(t) for t in event["consumed"] if t != r.NO_TILE]
            called = tile_name(tile, red_fives)
            source = _SEAT_LETTERS[int(event["source"])]
            line += [_SEAT_LETTERS[seat], f"{_CALLS[kind]} {format_tiles(own, red_fives)} with {called} of {source}"]
        elif kind == r.EVENT_CLOSED_KONG:
            line.append(f"closed kong {tile_name(tile | 1, red_fives)}")
        elif kind == r.EVENT_ADDED_KONG:
            line.append(f"added kong {tile_name(tile, red_fives)}")
    if line:
        yield "    " + " ".join(line)


def _win_line(win: WinLog, red_fives: bool) -> str:
    how = "by tsumo" if win.seat == win.source else f"from {_SEAT_LETTERS[win.source]}"
    parts = [f"{_SEAT_LETTERS[win.seat]} wins {how}"]
    if win.tile is not None:
        parts.append(f"on {tile_name(win.tile, red_fives)}")
    text = " ".join(parts)
    if win.yaku is not None:
        names = (YAKU[number].name + ("" if win.yakuman else f" {han}") for number, han in win.yaku if han)
        text += ": " + ", ".join(names)
        if not win.yakuman:
            text += f"; {sum(han for _, han in win.yaku)} han"
    if win.fu is not None and not win.yakuman:
        text += f" {win.fu} fu"
    if win.points is not None:
        text += f", {win.points:,} points"
    if win.liable is not None:
        text += f", {_SEAT_LETTERS[win.liable]} liable"
    return text
