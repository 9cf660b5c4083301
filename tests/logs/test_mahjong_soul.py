"""Mahjong Soul's records: what the simulator plays by its rules is written and read back to the point."""

from __future__ import annotations

import copy
import dataclasses
import gzip
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from log_games import looks, small_game
from table import Scene

from simulator.logs.convert import write_as
from simulator.logs.formats import detect, format_named, read_log
from simulator.logs.from_record import game_log
from simulator.logs.generate import generate_games
from simulator.logs.mahjong_soul_words import FAN_OF_YAKU, ROOMS, YAKU_OF_FAN
from simulator.logs.model import GameLog, LogError, SkippedLog
from simulator.logs.verify import verify_game
from simulator.record import (
    EVENT_ADDED_KONG,
    EVENT_CLOSED_KONG,
    EVENT_DORA,
    EVENT_OPEN_KONG,
    EVENT_RIICHI_ACCEPTED,
    RESULT_EXHAUSTIVE,
    RESULT_FOUR_RIICHI,
    RESULT_FOUR_WINDS,
    RESULT_NINE_TERMINALS,
    RESULT_TRIPLE_RON,
)
from simulator.rules import Rules
from simulator.scoring.yaku import CHANKAN, KOKUSHI, YAKU

SOUL = format_named("mahjong_soul")
RULES = Rules.mahjong_soul()
HANDS = ["147m258p369s12345z", "123456789m1234p", "23m46p11222s5556z", "123m456p789s1122z"]


def written(game: GameLog) -> dict[str, Any]:
    return json.loads(SOUL.write(game))


def actions(document: dict[str, Any]) -> list[dict[str, Any]]:
    return document["data"]["data"]["actions"]


def read(document: Any) -> GameLog:
    (game,) = read_log(json.dumps(document, ensure_ascii=False).encode(), "file")
    return game


def moves(game: GameLog) -> list[list[tuple]]:
    """The events as they look, but the indicators, which are shown with the discard rather than after it."""
    return [[event for event in this if event[0] != EVENT_DORA] for this in looks(game)]


def small_round(*records: tuple[str, dict[str, Any]], head: dict[str, Any] | None = None) -> dict[str, Any]:
    """A hand-made record: the first dealer has drawn the 5z, and then what is given happens."""
    hands = {f"tiles{seat}": SPLIT[seat] for seat in range(4)}
    start = {"scores": [25000] * 4, "doras": ["9p"], "left_tile_count": 69, **hands}
    data = [{"name": f".lq.{name}", "data": data} for name, data in (("RecordNewRound", start), *records)]
    mode = {"category": 2, "mode": {"mode": 2}, "meta": {"mode_id": 12}}
    return {"head": {"config": mode} if head is None else head, "data": data}


def split(text: str) -> list[str]:
    tiles, suit = [], ""
    for char in reversed(text):
        suit = char if char.isalpha() else suit
        tiles += [char + suit] if char.isdigit() else []
    return tiles[::-1]


SPLIT = [split(HANDS[0]), *(split(hand) for hand in HANDS[1:])]
#: A discard, a pong of it, two turns, and no end.
CALLS = (
    ("RecordDiscardTile", {"tile": "5z"}),
    ("RecordChiPengGang", {"seat": 2, "type": 1, "tiles": ["5z", "5z", "5z"], "froms": [2, 2, 0]}),
    ("RecordDiscardTile", {"seat": 2, "tile": "6z"}),
    ("RecordDealTile", {"seat": 3, "tile": "7z"}),
    ("RecordDiscardTile", {"seat": 3, "tile": "7z", "moqie": True}),
)


@pytest.mark.parametrize(
    ("players", "number"),
    [("sensible", 33), ("sensible", 56), ("sensible", 124), ("never_folds", 0), ("never_folds", 96), ("random", 1),
     ("random,sensible,random,never_folds", 115)],
)  # fmt: skip
def test_games_of_the_simulator_are_read_back_to_the_point(players, number):
    (game,) = generate_games(1, players.split(","), RULES, seed=9, first=number)
    again = read(written(game))
    verified = verify_game(again)
    assert verified.mismatches == [] and not verified.unfinished and not again.unsure
    assert moves(again) == moves(game)
    for field in ("rules", "names", "final_scores", "final_points"):
        assert getattr(again, field) == getattr(game, field), field
    for one, other in zip(game.rounds, again.rounds, strict=True):
        for field in ("round", "repeat_counter", "bets", "dealer", "scores", "deltas", "draw_type"):
            assert getattr(one, field) == getattr(other, field), field
        if one.draw_type in (RESULT_EXHAUSTIVE, RESULT_NINE_TERMINALS):  # others state no hands
            assert other.tenpai == one.tenpai and other.shown is not None
        for win, stated in zip(one.wins, other.wins, strict=True):
            assert (stated.points, stated.han, stated.yakuman) == (win.points, win.han, win.yakuman)
            assert stated.yakuman or stated.fu == win.fu
            assert [each for each in stated.yaku or () if each[1]] == [each for each in win.yaku or () if each[1]]
            assert len(stated.ura_indicators or ()) == len(win.ura_indicators or ())


def test_those_games_have_what_a_game_can_have():
    kinds, draws, yaku, winners = set(), set(), set(), set()
    for players, number in (
        ("sensible", 33),
        ("sensible", 124),
        ("never_folds", 96),
        ("random", 1),
        ("never_folds", 0),
    ):
        (game,) = generate_games(1, [players], RULES, seed=9, first=number)
        for this in game.rounds:
            kinds |= set(this.events["type"].tolist())
            draws.add(this.draw_type)
            winners.add(len(this.wins))
            yaku |= {number for win in this.wins for number, _ in win.yaku or ()}
    assert kinds >= {EVENT_OPEN_KONG, EVENT_CLOSED_KONG, EVENT_ADDED_KONG, EVENT_RIICHI_ACCEPTED}
    assert draws >= {RESULT_EXHAUSTIVE, RESULT_NINE_TERMINALS, RESULT_FOUR_WINDS} and {CHANKAN, KOKUSHI} <= yaku
    assert winners >= {0, 1, 2}


def scene_log(scene: Scene) -> GameLog:
    """The log of a scripted round; the scene's rules are Mahjong Soul's."""
    assert scene.ended is not None
    return game_log(np.array([scene.ended]), RULES)


def test_a_robbed_closed_kong():
    scene = Scene({0: "1111m258p147s567z", 1: "99m19p19s1234567z"}, rules=RULES).play("0 closed kong 1m", "1 ron")
    again = read(written(scene_log(scene)))
    assert verify_game(again).mismatches == []
    assert (again.rounds[0].wins[0].source, again.rounds[0].wins[0].yaku) == (0, [(KOKUSHI, 13)])


def test_a_win_on_a_replacement_is_no_ron():
    """Where the winner has moved last, there is nobody to win off."""
    hand = {0: "1111m23p456789s5z"}
    scene = Scene(hand, draws={0: "5z"}, replacements="1p", rules=RULES).play("0 closed kong 1m", "0 tsumo")
    document = written(scene_log(scene))
    assert verify_game(read(document)).mismatches == []
    result(document)["hules"][0]["zimo"] = False
    with pytest.raises(LogError, match="seat 0 wins by ron, but moved last"):
        read(document)


def test_liability_names_the_seat_that_pays():
    draws = {0: "5z", 1: " 9m", 2: "6z -", 3: "7z"}
    scene = Scene({1: "123m9m147p556677z"}, draws=draws, rules=RULES).play(
        "0 discard 5z", "1 pong", "1 discard 1p", "2 discard 6z", "1 pong", "1 discard 4p", "3 discard 7z", "1 pong",
        "1 discard 7p", "1 tsumo",
    )  # fmt: skip
    document = written(scene_log(scene))
    assert actions(document)[-1]["result"]["data"]["hules"][0]["baopai"] == 4
    again = read(document)
    assert verify_game(again).mismatches == [] and again.rounds[0].wins[0].liable == 3


def test_every_wrapping_holds_the_same_game():
    (game,) = generate_games(1, ["never_folds"], RULES, seed=9, first=4)
    document = written(game)
    records = [action["result"] for action in actions(document)]
    inputs = [part for record in records for part in ({"passed": 9, "type": 2, "user_input": {"seat": 1}},
                                                      {"passed": 9, "type": 1, "result": record})]  # fmt: skip
    bare = [{"name": each["name"].removeprefix(".lq."), "data": each["data"]} for each in records]
    wrappings = [
        {"head": document["head"], "data": records},
        {"head": document["head"], "data": {"name": ".lq.GameDetailRecords", "data": {"records": records}}},
        {
            "error": None,
            "head": document["head"],
            "data": {"data": {"version": 210715, "actions": inputs}},
            "data_url": "",
        },
        {"head": document["head"], "data": bare},
        {"head": document["head"], "records": records},
    ]
    for wrapping in wrappings:
        data = json.dumps(wrapping, indent=2).encode()
        for content in (data, gzip.compress(data)):
            assert detect(content).name == "mahjong_soul"
        assert moves(read(wrapping)) == moves(game)
    assert moves(read(records)) == moves(game)
    assert read(records).unsure == "the record does not state its rules"


def test_players_of_other_formats_may_be_called_like_a_record():
    game = small_game()
    game.names = ["RecordBreaker", ".lq.", "head", '"head":{']
    assert {name: detect(format_named(name).write(game)).name for name in ("mjai", "tenhou6", "mjx")} == {
        "mjai": "mjai", "tenhou6": "tenhou6", "mjx": "mjx"
    }  # fmt: skip


def test_fields_that_have_their_default_may_be_missing():
    def sparse(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: sparse(part) for name, part in value.items() if part not in (0, False, "", None, [])}
        return [sparse(part) for part in value] if isinstance(value, list) else value

    (game,) = generate_games(1, ["sensible"], RULES, seed=9, first=124)
    again = read(sparse(written(game)))
    assert moves(again) == moves(game) and again.final_points == game.final_points
    assert verify_game(again).mismatches == []


def test_the_yaku_have_mahjong_souls_numbers():
    """By the game's own list, in which they have the names that Tenhou's JSON gives them as well."""
    assert [YAKU[number].japanese for number in (YAKU_OF_FAN[1], YAKU_OF_FAN[14], YAKU_OF_FAN[50])] == [
        "menzen tsumo", "pinfu", "daisuushii"
    ]  # fmt: skip
    assert (FAN_OF_YAKU[12], FAN_OF_YAKU[15], FAN_OF_YAKU[18]) == (10, 11, 7)
    assert {yaku.number for yaku in YAKU} - set(FAN_OF_YAKU) == {36}  # the blessing of man is not played


def test_the_dealers_fourteenth_tile_is_drawn_and_its_discard_never_marked():
    hands = {"tiles0": [*SPLIT[0][:-1], "1z"]}
    document = small_round(("RecordDiscardTile", {"tile": "1z"}))
    document["data"][0]["data"] |= hands
    events = read(document).played[0].events
    assert events["drawn"].tolist() == [0, 0]  # the other 1z
    document["data"][1]["data"]["moqie"] = True
    assert read(document).played[0].events["drawn"].tolist() == [0, 1]
    assert read(small_round(CALLS[0])).played[0].events["drawn"].tolist() == [0, 1]


def test_the_called_tile_is_the_one_from_another_seat():
    pong = dict(CALLS[1][1], tiles=["5z", "5z", "5z"], froms=[0, 2, 2])
    game = read(small_round(CALLS[0], ("RecordChiPengGang", pong)))
    assert game.played[0].events["source"].tolist()[-1] == 0


def test_riichi_is_accepted_unless_its_discard_is_won_on():
    discard = ("RecordDiscardTile", {"tile": "5z", "is_liqi": True})
    draw = ("RecordDealTile", {"seat": 1, "tile": "7z", "liqi": {"score": 24000, "liqibang": 1}})
    assert EVENT_RIICHI_ACCEPTED in read(small_round(discard, draw)).played[0].events["type"]
    for kind, accepted in ((4, True), (5, False)):
        game = read(small_round(discard, ("RecordLiuJu", {"type": kind})))
        assert (EVENT_RIICHI_ACCEPTED in game.rounds[0].events["type"]) == accepted
        assert game.rounds[0].draw_type == (RESULT_FOUR_RIICHI if accepted else RESULT_TRIPLE_RON)


@pytest.mark.parametrize(("number", "room"), [(8, "金の間東喰赤"), (12, "玉の間南喰赤"), (16, "王座の間南喰赤")])
def test_ranked_rooms(number, room):
    config = {"category": 2, "mode": {"mode": ROOMS[number][1]}, "meta": {"mode_id": number}}
    game = read(small_round(CALLS[0], head={"config": config}))
    assert (game.room, game.unsure) == (room, "")
    assert game.rules == dataclasses.replace(RULES, length="east" if "東" in room else "east_south")
    assert written(game)["head"]["config"] == config
    assert read(written(game)).room == room


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"red_fives": False, "open_tanyao": False, "starting_points": 30000},
        {"uma": (20, 10, -10, -20), "return_points": 30000, "abort_triple_ron": True},
        {"multiple_ron": "head_bump", "kiriage_mangan": True, "double_wind_fu": 2, "open_kong_dora": "immediate"},
        {"double_yakuman": False, "thirteen_orphans_rob_closed_kong": False, "swap_calling": "allowed"},
    ],
)
def test_rooms_state_the_rules_that_differ_from_ranked_games(changes):
    rules = dataclasses.replace(RULES, **changes)
    (game,) = generate_games(1, ["tsumogiri"], rules, seed=1)
    document = written(game)
    document["head"]["config"]["category"] = 1 if changes else 2
    again = read(document)
    assert again.rules == rules and bool(again.unsure) == bool(changes)
    assert verify_game(again).mismatches == []


def test_a_room_without_red_fives_need_not_say_so():
    """Protobuf leaves a zero out."""
    head = {"config": {"category": 1, "mode": {"mode": 1, "detail_rule": {"shiduan": 1, "init_point": 25000}}}}
    rules = read(small_round(CALLS[0], head=head)).rules
    assert (rules.red_fives, rules.open_tanyao, rules.length) == (False, True, "east")


@pytest.mark.parametrize(
    "mode", [{"mode": 11}, {"mode": 12}, {"mode": 4}, {"mode": 2, "detail_rule": {"guyi_mode": 1}},
             {"mode": 1, "detail_rule": {"chuanma": 1}}],
)  # fmt: skip
def test_three_players_and_special_modes_are_skipped(mode):
    with pytest.raises(SkippedLog, match="file: head: "):
        read(small_round(CALLS[0], head={"config": {"category": 2, "mode": mode}}))
    with pytest.raises(SkippedLog, match="RecordBaBei"):
        read(small_round(CALLS[0], ("RecordBaBei", {"seat": 1})))


def test_an_unfinished_record_is_read_as_far_as_it_goes():
    game = read(small_round(*CALLS))
    assert game.rounds == [] and game.cut is not None and len(game.cut.events) == 6
    verified = verify_game(game)
    assert verified.mismatches == [] and verified.unfinished


def test_what_two_winners_are_paid_each_is_computed_for_other_formats():
    (game,) = generate_games(1, ["never_folds"], RULES, seed=9, first=0)
    (again,) = read_log(write_as(read(written(game)), format_named("mjai")))
    assert [[win.deltas for win in this.wins] for this in again.rounds] == [
        [win.deltas for win in this.wins] for this in game.rounds
    ]


def test_two_winners_may_be_stated_in_any_order():
    (game,) = generate_games(1, ["never_folds"], RULES, seed=9, first=0)
    document = written(game)
    for action in actions(document):
        action["result"]["data"].get("hules", []).reverse()
    again = read(document)
    assert max(len(this.wins) for this in again.rounds) == 2 and verify_game(again).mismatches == []


def test_all_winners_state_the_same_indicators():
    (game,) = generate_games(1, ["never_folds"], RULES, seed=9, first=0)
    document = written(game)
    (two,) = (hules for each in actions(document) if len(hules := each["result"]["data"].get("hules", [])) == 2)
    two[1]["doras"][0] = "1z" if two[1]["doras"][0] != "1z" else "2z"
    with pytest.raises(LogError, match="doras differs from the indicators shown before"):
        read(document)


def test_tenhous_json_of_such_a_game_is_by_the_same_rules():
    (game,) = generate_games(1, ["sensible"], RULES, seed=9, first=2)
    (again,) = read_log(write_as(read(written(game)), format_named("tenhou6")))
    assert again.rules == RULES and again.final_points == game.final_points
    assert verify_game(again).mismatches == []


def result(document: dict[str, Any]) -> dict[str, Any]:
    return next(each["result"]["data"] for each in actions(document) if "Hule" in each["result"]["name"])


def first(document: dict[str, Any], name: str) -> dict[str, Any]:
    return next(each["result"]["data"] for each in actions(document) if each["result"]["name"] == f".lq.Record{name}")


CHANGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "points of the hand": lambda win: win.update({name: win[name] + 100 for name in win if "point" in name}),
    "fu": lambda win: win.update(fu=win["fu"] + 10),
    "han": lambda win: win.update(count=win["count"] + 1),
    "yaku": lambda win: win["fans"][0].update(id=23),
    "hand": lambda win: win["hand"].__setitem__(0, "1z" if win["hand"][0] != "1z" else "2z"),
    "liable seat": lambda win: win.update(baopai=1),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_result_is_noticed(what):
    (game,) = generate_games(1, ["sensible"], RULES, seed=9, first=2)
    document = written(game)
    CHANGES[what](result(document)["hules"][0])
    assert what in {mismatch.what for mismatch in verify_game(read(document)).mismatches}


@pytest.mark.parametrize("field", ["old_scores", "scores", "delta_scores"])
def test_changed_points_are_noticed(field):
    (game,) = generate_games(1, ["sensible"], RULES, seed=9, first=2)
    document = written(game)
    result(document)[field][0] += 100
    assert verify_game(read(document)).mismatches


@pytest.mark.faults
@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda d: actions(d)[0]["result"].update(name=".lq.RecordDealTile"), "record 1: .* outside of a round"),
        (lambda d: actions(d)[1]["result"].update(name="RecordRain"), "record 2: unknown record 'RecordRain'"),
        (lambda d: actions(d)[1]["result"].update(name=5), "record 2: name is '5', not a text"),
        (lambda d: actions(d)[1].update(result="CAES"), "record 2: a record is not decoded"),
        (lambda d: actions(d)[1]["result"].update(data="CAES"), "record 2: a record is not decoded"),
        (lambda d: first(d, "NewRound")["tiles1"].pop(), "record 1: a deal is thirteen tiles"),
        (lambda d: first(d, "NewRound")["tiles0"].pop(), "record 1: the dealer has 13 tiles"),
        (lambda d: first(d, "NewRound")["tiles1"].__setitem__(0, "8z"), "record 1: '8z' is not a tile"),
        (lambda d: first(d, "NewRound").update(scores=[1, 2]), "record 1: scores has 2 numbers, not 4"),
        (lambda d: first(d, "NewRound").update(chang=3), "record 1: chang is '3', not 0 to 2"),
        (lambda d: first(d, "NewRound").update(ben=-1), "record 1: ben is '-1'"),
        (lambda d: first(d, "DealTile").update(seat=4), "seat is '4', not 0 to 3"),
        (lambda d: first(d, "DealTile").update(doras=["1z", "2z"]), "doras differs|more 1z|more 2z|indicators"),
        (lambda d: first(d, "DiscardTile").update(moqie=1), "record 2: moqie is '1', neither true nor false"),
        (lambda d: first(d, "DiscardTile").update(tile="9z"), "record 2: '9z' is not a tile"),
        (lambda d: first(d, "ChiPengGang").update(type=7), "type is '7', not 0 to 2"),
        (lambda d: first(d, "ChiPengGang").update(froms=[0, 0, 0]), "tiles and froms are not those of a call"),
        (lambda d: first(d, "ChiPengGang").update(tiles="1m"), "tiles is '1m', not a list"),
        (lambda d: result(d).update(hules=[]), "hules has no winner"),
        (lambda d: result(d).update(hules=[1]), "hules is '1', not an object"),
        (lambda d: result(d)["hules"][0]["fans"][0].update(id=46), "unknown yaku 46"),
        (lambda d: result(d)["hules"][0]["fans"][0].update(val=99), "val is '99', not 0 to 20"),
        (lambda d: result(d).update(delta_scores=[0, 0]), "delta_scores has 2 numbers, not 4"),
        (lambda d: result(d).update(delta_scores=[10**9] * 4), "delta_scores is '1000000000'"),
        (lambda d: d["head"]["result"]["players"].pop(), "head: `result` does not state the points of four players"),
        (lambda d: d["head"]["accounts"][0].update(nickname="\ud800"), "head: .*half a surrogate pair"),
        (lambda d: d["head"].update(config=1), "head: config is '1', not an object"),
        (lambda d: d.update(data="CgAS"), "not decoded"),
        (lambda d: d.update(data={}), "no list of records"),
        (lambda d: actions(d).clear(), "no list of records"),
    ],
)  # fmt: skip
def test_a_broken_record_is_refused_with_its_place(change, match):
    (game,) = generate_games(1, ["sensible"], RULES, seed=9, first=2)
    document = written(game)
    change(document)
    with pytest.raises(LogError, match=match) as caught:
        read_log(json.dumps(document).encode(), "file")
    assert caught.value.source == "file"


@pytest.mark.faults
@pytest.mark.parametrize(
    ("records", "match"),
    [
        ([("RecordDiscardTile", {"tile": "7z"})], "record 2: seat 0 has no 7z"),
        ([CALLS[0], ("RecordChiPengGang", dict(CALLS[1][1], froms=[2, 2, 3]))], "record 3: seat 2 calls 5z"),
        ([("RecordAnGangAddGang", {"type": 3, "tiles": "1m"})], "record 2: seat 0 makes a closed kong of 1 tiles"),
        ([("RecordAnGangAddGang", {"type": 2, "tiles": "1m"})], "record 2: seat 0 adds 1m to a pong"),
        ([("RecordAnGangAddGang", {"type": 1, "tiles": "1m"})], "record 2: type 1 is no kind of kong"),
        ([("RecordDiscardTile", {"tile": "1m", "moqie": True})], "record 2: the tile is marked as the one just drawn"),
        ([("RecordHule", {"hules": [{"seat": 1}]})], "record 2: seat 1 wins off seat 255"),
        ([("RecordLiuJu", {"type": 6})], "record 2: type is '6', not 1 to 5"),
        ([("RecordLiuJu", {"type": 1}), CALLS[0]], "record 3: RecordDiscardTile after the result of the round"),
        ([CALLS[0], ("RecordDealTile", {"seat": 1, "tile": "1m", "liqi": {"seat": 0}})], "record 3: liqi names a seat"),
        ([CALLS[0], ("RecordDealTile", {"seat": 1, "tile": "0s", "doras": ["8p"]})], "record 3: doras differs"),
    ],
)  # fmt: skip
def test_what_the_hands_do_not_allow_is_refused(records, match):
    with pytest.raises(LogError, match=match):
        read(small_round(*records))


@pytest.mark.faults
def test_a_seat_that_cannot_deal_is_not_written():
    game = copy.deepcopy(small_game())
    game.rounds[1].dealer = 3
    with pytest.raises(LogError, match="seat 3 deals, which this form cannot say"):
        SOUL.write(game)
