"""mjx's states: rounds by line, with physical tiles and Tenhou's meld codes, and without rules or final points."""

from __future__ import annotations

import json
from typing import Any

import pytest
from log_games import assert_same_game, small_game

from simulator.logs.formats import detect, format_named, read_log
from simulator.logs.generate import generate_games
from simulator.logs.model import GameLog, LogError
from simulator.logs.verify import verify_game
from simulator.record import EVENT_ADDED_KONG, EVENT_CLOSED_KONG, EVENT_OPEN_KONG, RESULT_NINE_TERMINALS
from simulator.rules import Rules

MJX = format_named("mjx")


def states(game: GameLog) -> list[dict[str, Any]]:
    return [json.loads(line) for line in MJX.write(game).splitlines()]


def read_all(rows: list[Any]) -> list[GameLog]:
    return read_log("\n".join(map(json.dumps, rows)).encode(), "file")


def read(rows: list[Any]) -> GameLog:
    (game,) = read_all(rows)
    return game


def played(players: str = "never_folds", number: int = 0) -> GameLog:
    (game,) = generate_games(1, [players], seed=9, first=number)
    return game


@pytest.mark.parametrize(
    ("players", "number"), [("never_folds", 0), ("never_folds", 96), ("sensible", 33), ("random", 1)]
)
def test_games_of_the_simulator_are_read_back_to_the_tile(players, number):
    game = played(players, number)
    again = read(states(game))
    verified = verify_game(again)
    assert verified.mismatches == [] and not verified.unfinished
    for this in game.rounds:
        for win in this.wins:
            win.fu = None if win.yakuman else win.fu
        if this.draw_type is not None and not any(this.tenpai or ()):
            this.tenpai = this.shown = None if this.draw_type > RESULT_NINE_TERMINALS else this.shown
    assert_same_game(again, game, ignore=("tenpai", "shown", "dice", "says_liable"))
    assert again.rules == Rules.tenhou() and again.names == game.names


def test_every_kind_of_kong_and_two_winners():
    game = small_game()
    kinds = set(game.rounds[0].events["type"].tolist())
    assert kinds >= {EVENT_OPEN_KONG, EVENT_CLOSED_KONG, EVENT_ADDED_KONG} and len(game.rounds[0].wins) == 2
    again = read(states(game))
    lost = ("dice", "room", "connections", "tenpai", "shown", "fu", "says_liable")
    assert_same_game(again, game, ignore=lost)


def test_fields_that_have_their_default_are_missing():
    """Seat 0, tile 0 and the first kind of event, a discard."""

    def sparse(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: sparse(part) for name, part in value.items()
                    if part not in (0, False, "", [], "EVENT_TYPE_DISCARD")}  # fmt: skip
        return [sparse(part) for part in value] if isinstance(value, list) else value

    game = played()
    rows = sparse(states(game))
    assert any("type" not in event for event in rows[0]["publicObservation"]["events"])
    assert verify_game(read(rows)).mismatches == []
    assert read(rows).final_scores == game.final_scores


def test_earlier_names_of_fields():
    """`drawHistory`, and the wall's ura indicators rather than each winner's."""
    game = played("sensible", 33)
    rows = states(game)
    for row in rows:
        for seat in row["privateObservations"]:
            seat["drawHistory"] = seat.pop("draws")
        for win in row["roundTerminal"].get("wins", ()):
            row["hiddenState"] = {"uraDoraIndicators": win.pop("uraDoraIndicators", [])}
    assert any(row.get("hiddenState", {}).get("uraDoraIndicators") for row in rows)
    assert verify_game(read(rows)).mismatches == []


def test_games_of_one_file_are_told_apart():
    first, second = played(number=0), played(number=2)
    for row in (rows := states(first)):
        row["roundTerminal"].pop("isGameOver")
    games = read_all([*rows, *states(second), *states(first)])
    assert [len(game.rounds) for game in games] == [len(first.rounds), len(second.rounds), len(first.rounds)]
    assert [game.final_scores is None for game in games] == [True, False, False]


def test_a_state_without_a_result_ends_the_log():
    rows = states(played())
    rows[1].pop("roundTerminal")
    rows[1]["publicObservation"]["events"] = rows[1]["publicObservation"]["events"][:20]
    game = read(rows[:2])
    assert len(game.rounds) == 1 and game.cut is not None and verify_game(game).mismatches == []


def test_it_is_told_from_mjai_by_how_it_begins():
    assert (
        detect(json.dumps({"hiddenState": {}, "publicObservation": {"events": [{"type": "x"}]}}).encode()).name == "mjx"
    )
    assert detect(b'{"type":"start_game"}').name == "mjai"


def public(rows: list[Any]) -> dict[str, Any]:
    return rows[0]["publicObservation"]


def event(rows: list[Any], kind: str) -> dict[str, Any]:
    return next(each for row in rows for each in row["publicObservation"]["events"] if each["type"].endswith(kind))


def win(rows: list[Any]) -> dict[str, Any]:
    return next(row["roundTerminal"]["wins"][0] for row in rows if "wins" in row["roundTerminal"])


@pytest.mark.faults
@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda rows: rows[0]["privateObservations"].pop(), "line 1: not the hands of four seats; one player's view"),
        (lambda rows: rows[0]["privateObservations"][1]["initHand"]["closedTiles"].pop(), "line 1: initHand is not"),
        (lambda rows: rows[0]["privateObservations"][1]["draws"].clear(), "line 1: seat 1 draws more tiles than"),
        (lambda rows: public(rows)["doraIndicators"].clear(), "line 1: no doraIndicators"),
        (lambda rows: public(rows)["initScore"].update(tens=[1]), "line 1: tens has 1 numbers, not 4"),
        (lambda rows: public(rows)["initScore"].update(round=12), "line 1: round is '12', not 0 to 11"),
        (lambda rows: public(rows)["playerIds"].pop(), "line 1: 3 playerIds; there are four"),
        (lambda rows: public(rows).update(events={}), "line 1: events is .*, not a list"),
        (lambda rows: event(rows, "DRAW").update(who=4), "line 1: who is '4', not 0 to 3"),
        (lambda rows: event(rows, "DISCARD").update(tile=136), "line 1: tile is '136', not 0 to 135"),
        (lambda rows: event(rows, "DISCARD").update(type="EVENT_TYPE_RAIN"), "line 1: unknown event 'RAIN'"),
        (lambda rows: event(rows, "PON").update(open=1 << 16), "open is '65536'"),
        (lambda rows: event(rows, "PON").update(type="EVENT_TYPE_CHI"), "open is not the code of a CHI"),
        (lambda rows: event(rows, "PON").update(type="EVENT_TYPE_ADDED_KAN", open=event(rows, "PON")["open"] ^ 24),
         r"seat \d adds a tile to a pong that it has not made"),
        (lambda rows: win(rows).update(who=win(rows)["who"] ^ 1), "the result names another winner"),
        (lambda rows: win(rows)["fans"].pop(), r"\d yakus with \d fans"),
        (lambda rows: win(rows).update(yakus=[99], fans=[1]), "yakus is '99', not 0 to 54"),
        (lambda rows: win(rows).update(tenChanges=[0] * 3), "tenChanges has 3 numbers, not 4"),
        (lambda rows: rows.__setitem__(1, 5), "line 2: a state is a JSON object"),
    ],
)  # fmt: skip
def test_a_broken_state_is_refused_with_its_line(change, match):
    rows = states(played())
    change(rows)
    with pytest.raises(LogError, match=match) as caught:
        read_all(rows)
    assert caught.value.source == "file" and caught.value.place.startswith("line ")


@pytest.mark.faults
def test_a_line_that_is_no_json_is_named():
    with pytest.raises(LogError, match="line 2: not JSON"):
        read_log(MJX.write(played()).split(b"\n")[0] + b"\n{,}", "file")
    with pytest.raises(LogError, match="line 1: not UTF-8"):
        read_log('{"publicObservation":{"playerIds":["雀"]}}'.encode("shift_jis"), "file")
