from __future__ import annotations

import gzip
import json

import pytest
from log_games import looks, small_game

from simulator.logs.formats import read_log
from simulator.logs.generate import generate_games
from simulator.logs.mjai import read_mjai
from simulator.logs.mjai_writer import mjai_events, player_view, write_mjai
from simulator.logs.model import LogError
from simulator.logs.verify import verify_game
from simulator.record import (
    EVENT_DISCARD,
    EVENT_WIN,
    RESULT_EXHAUSTIVE,
    RESULT_FOUR_WINDS,
    RESULT_NAGASHI,
    RESULT_NINE_TERMINALS,
)
from simulator.rules import Rules

HANDS = [
    ["1m", "2m", "3m", "4m", "5mr", "6m", "7m", "8m", "9m", "1p", "2p", "3p", "E"],
    ["1s", "2s", "3s", "4s", "5sr", "6s", "7s", "8s", "9s", "E", "S", "W", "N"],
    ["5p", "6p", "7p", "8p", "9p", "1s", "1s", "1s", "2s", "2s", "P", "P", "E"],
    ["1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "W", "N", "F", "E"],
]
START = {
    "type": "start_kyoku", "bakaze": "E", "dora_marker": "9p", "kyoku": 1, "honba": 0, "kyotaku": 0, "oya": 0,
    "scores": [25000] * 4, "tehais": HANDS,
}  # fmt: skip
DRAWN = [{"type": "tsumo", "actor": 0, "pai": "C"}, {"type": "dahai", "actor": 0, "pai": "C", "tsumogiri": True}]


def lines(*events: dict) -> bytes:
    return "\n".join(json.dumps(event) for event in events).encode()


def read(*events: dict):
    (game,) = read_mjai(lines(*events), "file")
    return game


def test_a_bare_log_without_start_and_end():
    game = read(START, *DRAWN, {"type": "ryukyoku", "deltas": [1500, 1500, -1500, -1500]})
    this = game.rounds[0]
    assert (this.draw_type, this.tenpai) == (RESULT_EXHAUSTIVE, [True, True, False, False])
    assert this.events["drawn"].tolist() == [0, 1, 0]
    assert this.places[0] == "line 2"


def test_the_kind_of_a_draw_is_told_by_the_round_if_the_event_does_not_say():
    def kind(*moves: dict, **fields) -> int | None:
        return read(START, *moves, {"type": "ryukyoku"} | fields).rounds[0].draw_type

    assert kind(DRAWN[0]) == RESULT_NINE_TERMINALS
    assert kind(*DRAWN, deltas=[-4000, -2000, 8000, -2000]) == RESULT_NAGASHI
    assert kind(*DRAWN, reason="exhaustive_draw", deltas=[-4000, -2000, 8000, -2000]) == RESULT_NAGASHI
    winds = []
    for seat in range(4):
        winds += [{"type": "tsumo", "actor": seat, "pai": "4s" if seat < 3 else "9p"}]
        winds += [{"type": "dahai", "actor": seat, "pai": "E", "tsumogiri": False}]
    assert kind(*winds, deltas=[0, 0, 0, 0]) == RESULT_FOUR_WINDS


def test_a_thrown_tile_of_the_kind_just_drawn_but_from_the_hand():
    draw = {"type": "tsumo", "actor": 0, "pai": "E"}
    hands = [*HANDS[:3], [*HANDS[3][:12], "F"]]
    event = {"type": "dahai", "actor": 0, "pai": "E", "tsumogiri": False}
    events = read(START | {"tehais": hands}, draw, event, {"type": "ryukyoku"}).rounds[0].events
    assert events["drawn"][1] == 0
    assert events["tile"][1] != events["tile"][0]


def test_two_winners_are_two_events_in_a_row():
    hora = [{"type": "hora", "actor": seat, "target": 0, "deltas": [-1000, 0, 0, 0]} for seat in (2, 3)]
    hora[0]["deltas"][2] = hora[1]["deltas"][3] = 1000
    this = read(START, *DRAWN, *hora, {"type": "end_kyoku"}).rounds[0]
    assert this.events["type"][-2:].tolist() == [EVENT_WIN] * 2
    assert this.deltas == [-2000, 0, 1000, 1000]


def test_rules_are_seen():
    end = {"type": "ryukyoku", "deltas": [0, 0, 0, 0]}
    assert read(START, *DRAWN, end).rules == Rules.tenhou()
    east = read({"type": "start_game", "kyoku_first": 4}, START, *DRAWN, end, {"type": "end_game"})
    assert east.rules == Rules.tenhou_east()
    plain = [[tile.replace("r", "") for tile in hand] for hand in HANDS]
    plain[2][:3] = ["5m", "5m", "5p"]
    assert not read(START | {"tehais": plain}, *DRAWN, end).rules.red_fives


def test_what_is_written_is_read_back():
    game = small_game()
    for data in (write_mjai(game), gzip.compress(write_mjai(game))):
        (again,) = read_mjai(data, "made")
        assert looks(again) == looks(game)
        for one, other in zip(game.rounds, again.rounds, strict=True):
            for field in ("round", "repeat_counter", "bets", "dealer", "scores", "deltas", "draw_type"):
                assert getattr(one, field) == getattr(other, field)
        assert (again.rules, again.names, again.final_scores) == (game.rules, game.names, game.final_scores)


def test_several_games_in_one_file():
    assert len(read_mjai(write_mjai(small_game()) * 3)) == 3


def test_events_as_one_list():
    assert looks(read_mjai(json.dumps(mjai_events(small_game())).encode())[0]) == looks(small_game())


def test_indicators_stand_where_tenhou_shows_them():
    events = [event["type"] for event in mjai_events(small_game())]
    for kong in ("ankan", "daiminkan", "kakan"):
        at = events.index(kong)
        shown = ["dora", "tsumo"] if kong == "ankan" else ["tsumo", "dora"]
        assert events[at + 1 : at + 3] == shown


def test_one_players_view_hides_the_others():
    events = player_view(mjai_events(small_game()), 2)
    start = next(event for event in events if event["type"] == "start_kyoku")
    assert [set(hand) == {"?"} for hand in start["tehais"]] == [True, True, False, True]
    assert events[0]["id"] == 2
    assert all((event["pai"] == "?") == (event["actor"] != 2) for event in events if event["type"] == "tsumo")
    with pytest.raises(LogError, match="one player's view"):
        read_mjai(lines(*events), "view")


def test_riichienv_plays_what_is_written(tmp_path, real_logs):
    riichienv = pytest.importorskip("riichienv")
    from simulator.logs.archives import open_logs
    from simulator.logs.mjlog import read_mjlog

    path = tmp_path / "game.jsonl"
    for count, (source, data) in enumerate(open_logs([real_logs])):
        if count % 1000 == 0:
            game = read_mjlog(data, source)
            path.write_bytes(write_mjai(game))
            replay = riichienv.MjaiReplay.from_jsonl(str(path), rule="tenhou")
            steps = [sum(1 for _ in part.steps()) for part in replay.take_kyokus()]
            assert len(steps) == len(game.rounds)
            discards = [int((this.events["type"] == EVENT_DISCARD).sum()) for this in game.rounds]
            assert [count > 0 for count in steps] == [count > 0 for count in discards]


def test_a_dialect_is_known_by_its_content():
    events = [json.loads(line) for line in write_mjai(small_game()).splitlines()]
    events[0] = {"names": [], **{name: value for name, value in reversed(events[0].items()) if name != "names"}}
    events[1] = dict(reversed(events[1].items()))
    text = "\n\n".join([json.dumps(events[:3]), *map(json.dumps, events[3:])])
    (game,) = read_log(text.encode(), "made")
    assert looks(game) == looks(small_game()) and game.names == [""] * 4


def test_akochan_names_the_ura_indicators_otherwise_and_does_not_round_fu():
    events = [json.loads(line) for line in write_mjai(next(generate_games(1, seed=3))).splitlines()]
    for event in events:
        if event["type"] == "hora":
            event["uradora_marker"] = event.pop("ura_markers")
            if event["fu"] == 40:
                event["fu"] = 32
    (game,) = read_log("\n".join(map(json.dumps, events)).encode())
    assert any(win.ura_indicators for this in game.rounds for win in this.wins)
    assert verify_game(game).mismatches == []


def test_optional_fields_may_be_null_and_required_ones_may_not():
    game = small_game()
    events = [json.loads(line) for line in write_mjai(game).splitlines()]
    optional = {"kyoku_first", "aka_flag", "oya", "deltas", "ura_markers", "hora_points", "yakus", "fan", "fu",
                "hora_tehais", "tenpais", "tehais", "uri", "id"}  # fmt: skip
    nulls = [
        event | {name: None for name in optional if not (event["type"] == "start_kyoku" and name == "tehais")}
        for event in events
    ]
    (again,) = read_log("\n".join(map(json.dumps, nulls)).encode())
    assert looks(again) == looks(game)
    for number, event in enumerate(events):
        if event["type"] == "tsumo":
            broken = [*events[:number], event | {"pai": None}, *events[number + 1 :]]
            with pytest.raises(LogError, match=f"line {number + 1}: tsumo has no 'pai'"):
                read_log("\n".join(map(json.dumps, broken)).encode())
            break
