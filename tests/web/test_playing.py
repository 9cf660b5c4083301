"""Games that persons play, as the server asks, tells and bounds them."""

from __future__ import annotations

import json
import re

import pytest
import requests
from played_games import (
    ADDED,
    CHOWS,
    LET_GO,
    NINE_TERMINALS,
    OWN_WAIT,
    PLAIN,
    PONGS,
    ROBBERY,
    SWAP,
    WHOLE,
    Eager,
    Person,
    walls,
)
from serving_app import ended, serving

import suphx.web.agents
from simulator.logs.mjlog import read_mjlog
from simulator.logs.verify import verify_game
from suphx.agent.registry import load_agent
from suphx.web.games import PLAYING


@pytest.fixture(scope="module")
def served():
    """A server at which the agent `random` is an eager one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            suphx.web.agents, "load_agent", lambda name, *more: Eager() if name == "random" else load_agent(name, *more)
        )
        with serving(walls=walls) as address:
            yield address


@pytest.fixture(autouse=True)
def nothing_left(served):
    """Games of one test are not in the way of the next."""
    yield
    for each in requests.get(f"{served}/api/play", timeout=60).json()["games"]:
        requests.delete(f"{served}/api/play/{each['id']}", timeout=60)


# What is asked.


def test_a_whole_game_with_kong_calls_double_ron_and_an_abortive_draw(served):
    person = Person(served, seed=WHOLE, length="east")
    person.asked()
    assert {"closed kong 7s with 7s7s7s7s", "discard 1m"} <= set(person.choices())
    person.play("closed kong 7s with 7s7s7s7s")
    assert person.told[-1]["frame"]["seats"][0]["drawn"] == "2z"
    person.play("discard 1m")
    assert set(person.choices()) == {"pong 5z with 5z5z", "pass"}
    person.play("pong 5z with 5z5z")
    assert person.told[-1]["question"]["forbidden"] == ["5z"]
    person.play("discard 2z")
    assert set(person.choices()) == {"chow 5m with 3m4m", "pass"}
    person.play("chow 5m with 3m4m")
    person.play("discard 1s")
    assert person.own() == {"waits": {"5p": 4, "8p": 3}, "furiten": ""}
    end = person.play("tsumo 8p")
    assert end["result"]["how"] == "tsumo" and end["question"]["situation"] == "round over"
    assert end["moves"][-1] == [0, "tsumo 8p"]

    person.play("next round")
    end = person.play("discard 1z")
    assert end["result"]["how"] == "four winds" and end["moves"][-1] == [None, "four winds"]

    assert person.play("next round")["frame"]["repeat"] == 2
    assert person.told[-1]["question"]["riichi"] == ["9m"]
    person.play("riichi")
    assert set(person.choices()) == {"ron 5s", "pass"}  # the only discard has played itself
    end = person.play("ron 5s")
    assert [win["seat"] for win in end["result"]["wins"]] == [2, 0]
    assert end["result"]["wins"][1]["ura"] == ["2p"]

    person.play("next round")
    person.play("discard 5m")
    person.do("ron 1z")
    status = person.over()
    assert person.told[-1]["question"] is None
    assert status["ranks"][0] == 0 and min(status["scores"]) < 0
    assert [each["result"]["how"] for each in status["rounds"]] == [
        "tsumo", "four winds", "ron", "ron"
    ]  # fmt: skip
    assert_kept_and_reviewed(person, status)


def assert_kept_and_reviewed(person: Person, status: dict) -> None:
    kept = read_mjlog(requests.get(f"{person.url}/log", timeout=60).content, "kept")
    assert kept.names == ["You", *PLAIN] and kept.final_scores == status["scores"]
    assert not verify_game(kept).mismatches
    review = requests.post(f"{person.url}/review", timeout=60)
    assert review.status_code == 202
    assert ended(person.address, review.json()["id"])[-1]["state"] == "done"


@pytest.mark.parametrize(
    ("seed", "seat", "taken", "asked"),
    [
        (CHOWS, 1, "chow 4m with 3m0m", {"chow 4m with 5m6m", "chow 4m with 0m6m", "chow 4m with 3m5m",
                                         "chow 4m with 3m0m", "chow 4m with 2m3m", "pass"}),
        (PONGS, 2, "pong 5p with 0p5p", {"pong 5p with 5p5p", "pong 5p with 0p5p", "open kong 5p with 0p5p5p", "pass"}),
    ],
)  # fmt: skip
def test_every_form_of_a_call_is_offered_with_and_without_the_red_five(served, seed, seat, taken, asked):
    person = Person(served, seed=seed, seat=seat)
    person.asked()
    assert set(person.choices()) == asked
    ((_, tiles, _, _),) = person.play(taken)["frame"]["seats"][seat]["melds"]
    assert "".join(sorted(tiles)) == "".join(sorted(re.findall(r"\d[mpsz]", taken)))


def test_an_open_kong_draws_its_replacement_and_shows_its_indicator_with_the_discard(served):
    person = Person(served, seed=PONGS, seat=2)
    person.asked()
    position = person.play("open kong 5p with 0p5p5p")
    assert position["frame"]["seats"][2]["drawn"] and len(position["frame"]["indicators"]) == 1
    person.play(next(each for each in person.choices() if each.startswith("discard")))
    assert len(person.told[-1]["frame"]["indicators"]) == 2


def test_nine_terminals_may_end_the_round(served):
    person = Person(served, seed=NINE_TERMINALS)
    person.asked()
    end = person.play("nine terminals")
    assert end["result"]["how"] == "nine terminals"
    assert [("?" in seat["hand"]) for seat in end["frame"]["seats"]] == [False, True, True, True]


def test_a_kong_is_added_to_a_pong(served):
    person = Person(served, seed=ADDED)
    person.asked()
    person.play("discard 9m")
    person.play("pong 5z with 5z5z")
    person.play("discard 1m")
    person.play("added kong 5z")
    assert person.told[-1]["frame"]["seats"][0]["melds"] == [["added kong", ["5z", "5z", "5z"], 2, "5z"]]


def test_a_kong_is_robbed(served):
    person = Person(served, ["random"] * 3, seed=ROBBERY, seat=2)
    person.asked()
    person.play("discard 9p")
    position = person.told[-1]
    assert position["question"]["situation"] == "kong claim" and position["frame"]["open"] == "0s"
    end = person.play("ron 0s")
    assert "robbing a kong (chankan)" in end["result"]["wins"][0]["yaku"]


def test_tiles_that_may_not_be_swapped_are_named_and_not_offered(served):
    person = Person(served, seed=SWAP, seat=1)
    person.asked()
    position = person.play("chow 4m with 5m6m")
    assert position["question"]["forbidden"] == ["4m", "7m"]
    assert not {"discard 4m", "discard 7m"} & set(person.choices())
    assert person.post(position["question"]["number"], 6).status_code == 422  # 7m


def test_a_red_five_is_discarded_apart_from_the_others(served):
    person = Person(served, seed=CHOWS, seat=1)
    person.asked()
    person.play("pass")
    assert {"discard 5m", "discard 0m"} <= set(person.choices())
    person.play("discard 0m")
    assert "0m" in [tile for tile, _ in person.told[-1]["frame"]["seats"][1]["river"]]


def test_furiten_by_a_win_let_go_lasts_until_the_next_discard(served):
    person = Person(served, seed=LET_GO)
    person.asked()
    assert [each for each in person.told[-1]["question"]["outlook"] if each["kind"] == "9m"] == [
        {"kind": "9m", "shanten": 0, "accepted": {"2s": 4, "5s": 4}, "furiten": False}
    ]
    person.play("discard 9m")
    person.play("pass")
    assert person.own() == {"waits": {"2s": 4, "5s": 3}, "furiten": "passed"}
    person.play("discard 9p")
    assert person.own()["furiten"] == ""


def test_furiten_in_riichi_is_for_good(served):
    person = Person(served, seed=LET_GO)
    person.asked()
    person.play("riichi")
    person.do("pass")
    person.hear(lambda name, data: name == "position" and len(data["frame"]["seats"][0]["river"]) == 3)
    assert {each["own"]["furiten"] for each in person.told[-6:]} == {"riichi"}


def test_furiten_by_an_own_discard(served):
    person = Person(served, seed=OWN_WAIT)
    person.asked()
    assert "tsumo 5s" in person.choices()
    drawn = next(each for each in person.told[-1]["question"]["outlook"] if each["kind"] == "5s")
    assert drawn["furiten"]
    person.play("discard 5s")
    assert person.own()["furiten"] == "discard"


# What is hidden.


def test_no_hidden_tile_is_sent_while_a_round_is_on(served):
    person = Person(served, ["sensible"] * 3, seed=2, seat=3, length="east")
    status = None
    while status is None:
        asked = person.hear(lambda name, data: name == "over" or (name == "position" and data["question"] is not None))
        if "question" in asked:
            words = list(person.choices())
            person.do("pass" if "pass" in words else words[-1])
        else:
            status = asked
    assert len(person.told) > 100
    for position in person.told:
        text = json.dumps(position)
        assert "wall" not in text and "seed" not in text
        for seat, view in enumerate(position["frame"]["seats"]):
            if seat != 3 and position["result"] is None:
                assert set(view["hand"]) == {"?"} and view["drawn"] in ("", "?")
                assert view["waits"] == [] and view["furiten"] is False
        shown = {win["seat"] for win in (position["result"] or {"wins": []})["wins"]}
        assert all(not win["ura"] or win["seat"] in shown for win in (position["result"] or {"wins": []})["wins"])


# Coming back, two pages, late answers.


def test_a_page_that_comes_back_and_a_second_one_get_the_same_question(served):
    person = Person(served, seed=WHOLE)
    first = person.asked()
    assert Person(served, game=person.game).asked() == first
    person.come_back()
    second = Person(served, game=person.game)
    second.asked()
    second.play("closed kong 7s with 7s7s7s7s")
    assert person.asked()["number"] > first["number"]
    assert person.told[-1] == second.told[-1]


def test_who_was_away_for_a_moment_misses_no_position(served):
    person = Person(served, seed=WHOLE)
    person.asked()
    other = Person(served, game=person.game)
    other.asked()
    person.hang_up()
    other.play("discard 1m")
    other.play("pass")
    person.come_back()
    person.hear(lambda name, data: name == "position" and data["number"] == other.told[-1]["number"])
    assert [each["number"] for each in person.told] == list(range(person.told[0]["number"], person.last_number() + 1))


def test_a_late_or_doubled_answer_is_refused_and_changes_nothing(served):
    person = Person(served, seed=WHOLE)
    number = person.asked()["question"]["number"]
    action = person.choices()["discard 1m"]
    person.play("discard 1m")
    before = Person(served, game=person.game).asked()
    for late in (number, number + 2):
        answer = person.post(late, action)
        assert answer.status_code == 409 and "is not pending" in answer.json()["detail"]
    assert Person(served, game=person.game).asked() == before


@pytest.mark.faults
@pytest.mark.parametrize("action", [117, 119, 121, 999])
def test_an_answer_that_is_not_offered_is_refused_and_the_question_stays(served, action):
    person = Person(served, seed=WHOLE)
    number = person.asked()["question"]["number"]
    assert person.post(number, action).status_code == 422
    person.play("discard 1m")


@pytest.mark.faults
@pytest.mark.parametrize(
    "data", [{}, {"question": 1}, {"question": "x", "action": 0}, {"question": 1 << 40, "action": 0}]
)
def test_an_answer_that_is_none_is_refused(served, data):
    person = Person(served, seed=WHOLE)
    assert requests.post(f"{person.url}/answer", data=data, timeout=60).status_code == 422


def test_two_answers_at_once_count_once(served):
    person = Person(served, seed=WHOLE)
    number = person.asked()["question"]["number"]
    action = person.choices()["discard 1m"]
    codes = [person.post(number, action).status_code for _ in range(5)]
    assert codes == [204, 409, 409, 409, 409]


# Answered for the person.


def test_calls_are_passed_and_wins_taken_where_that_is_chosen(served):
    person = Person(served, seed=WHOLE)
    person.asked()
    choose(person, no_calls=True, win_at_once=True)
    person.play("discard 1m")
    assert person.told[-1]["question"]["situation"] == "turn"  # the pong was passed
    winner = Person(served, seed=LET_GO)
    winner.asked()
    choose(winner, win_at_once=True)
    assert winner.play("discard 9m")["result"]["how"] == "ron"


def test_drawn_tiles_are_discarded_where_that_is_chosen_but_a_win_is_asked(served):
    person = Person(served, seed=OWN_WAIT)
    person.asked()
    question = person.told[-1]["question"]["number"]
    choose(person, discard_drawn=True)
    assert person.post(question, person.choices()["tsumo 5s"]).status_code == 204
    other = Person(served, seed=LET_GO)
    other.asked()
    choose(other, discard_drawn=True)
    if other.told[-1]["question"] is None or other.told[-1]["question"]["situation"] != "claim":
        other.asked()
    assert set(other.choices()) == {"ron 5s", "pass"}


def choose(person: Person, **options: bool) -> None:
    assert requests.post(f"{person.url}/options", data=options, timeout=60).status_code == 204
    told = person.hear(lambda name, _: name == "options")
    while told != {"no_calls": False, "win_at_once": False, "discard_drawn": False} | options:
        told = person.hear(lambda name, _: name == "options")


# The clock.


def test_time_that_runs_out_discards_the_drawn_tile_and_claims_nothing(served):
    person = Person(served, seed=WHOLE, decision=1)
    person.asked()
    position = person.asked()
    assert position["frame"]["seats"][0]["river"][-1] == ["1m", "d"]
    assert position["question"]["situation"] == "claim"
    assert (
        person.hear(lambda name, data: name == "position" and data["number"] > position["number"])["frame"]["turn"] == 2
    )
    assert all(each["running"] and each["decision"] <= 1.5 for each in person.clocks)


def test_the_clock_stands_still_while_no_page_is_connected(served):
    person = Person(served, seed=WHOLE, decision=1)
    question = person.asked()["question"]
    person.hang_up()
    waiting = Person(served, seed=WHOLE, decision=1)  # as long as another clock runs out
    waiting.asked()
    waiting.asked()
    person.come_back()
    left = person.hear(lambda name, _: name == "clock")
    assert left["question"] == question["number"] and left["decision"] > 0


# What is refused.


@pytest.mark.faults
@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"agent": ["sensible"] * 4}, "name 3 agents"),
        ({"agent": ["sensible", "sensible", "bot:touch pwned"]}, "no agent 'bot:touch pwned'"),
        ({"agent": ["/etc"] * 3}, "no agent '/etc'"),
        ({"agent": PLAIN, "seat": 4}, "less than 4"),
        ({"agent": PLAIN, "seed": 1 << 53}, "less than or equal"),
        ({"agent": PLAIN, "length": "west"}, "east"),
        ({"agent": PLAIN, "decision": -1}, "greater than"),
        ({}, "required"),
    ],
)
def test_a_game_that_cannot_be_is_refused_in_words(served, form, said):
    answer = requests.post(f"{served}/api/play", data=form, timeout=60)
    assert answer.status_code == 422 and said in answer.text
    assert requests.get(f"{served}/api/play", timeout=60).json()["games"] == []


@pytest.mark.faults
@pytest.mark.parametrize(("method", "path"), [
    ("GET", ""), ("GET", "/events"), ("GET", "/log"), ("POST", "/review"), ("POST", "/options"), ("DELETE", ""),
])  # fmt: skip
def test_a_game_that_is_not_there_is_404_in_words(served, method, path):
    answer = requests.request(method, f"{served}/api/play/none{path}", timeout=60)
    assert answer.status_code == 404 and "no such game" in answer.json()["detail"]


@pytest.mark.faults
def test_a_game_that_is_forgotten_is_gone_for_the_page_that_looks_at_it(served):
    person = Person(served, seed=WHOLE)
    number = person.asked()["question"]["number"]
    assert requests.delete(person.url, timeout=60).status_code == 204
    person.hear(lambda name, _: name == "gone")
    assert person.post(number, 0).status_code == 404


@pytest.mark.faults
def test_a_game_that_is_not_over_can_neither_be_kept_nor_reviewed(served):
    person = Person(served, seed=WHOLE)
    for answer in (requests.get(f"{person.url}/log", timeout=60), requests.post(f"{person.url}/review", timeout=60)):
        assert answer.status_code == 409 and "not over yet" in answer.json()["detail"]


@pytest.mark.faults
def test_one_game_too_many_is_refused_in_words(served):
    for seed in range(PLAYING):
        Person(served, seed=seed)
    answer = requests.post(f"{served}/api/play", data={"agent": PLAIN}, timeout=60)
    assert answer.status_code == 503 and "forget one" in answer.json()["detail"]


@pytest.mark.faults
def test_another_site_can_neither_start_nor_answer(served):
    person = Person(served, seed=WHOLE)
    number = person.asked()["question"]["number"]
    headers = {"Origin": "http://example.org"}
    for url, data in (
        (f"{served}/api/play", {"agent": PLAIN}),
        (f"{person.url}/answer", {"question": number, "action": 0}),
    ):
        assert requests.post(url, data=data, headers=headers, timeout=60).status_code == 403
    person.play("discard 1m")
