"""What outlives `suphx web`: reviews with notes, and games that are over."""

from __future__ import annotations

import re
import sqlite3
import threading
import time

import pytest
import requests
from played_games import WHOLE, Person
from reviewed_game import LOG, reviewed
from serving_app import ended, send, serving

import suphx.web.shelf
from simulator.logs.formats import read_log
from suphx.errors import InputError
from suphx.review.document import Note
from suphx.web.jobs import ReviewJobs
from suphx.web.shelf import Shelf

NOTE = {"seat": 0, "number": 3, "words": "  too greedy\n<b>  "}


def get(address: str, path: str) -> requests.Response:
    return requests.get(f"{address}/api/{path}", timeout=60)


def play_to_the_end(address: str, kind: str) -> str:
    if kind == "games":
        game = requests.post(f"{address}/api/games/live", data={"agent": ["tsumogiri"] * 4}, timeout=60).json()["id"]
        with requests.get(f"{address}/api/games/{game}/events?after=30", stream=True, timeout=60) as told:
            assert b"event: over" in told.content
        return game
    person = Person(address, seed=WHOLE, length="east", agents=["tsumogiri"] * 3)
    while True:
        told = person.hear(lambda name, data: name == "over" or (name == "position" and data["question"] is not None))
        if "question" not in told:
            return person.game
        assert person.post(told["question"]["number"], next(iter(person.choices().values()))).ok


@pytest.mark.full
def test_a_review_with_its_notes_outlives_the_command(tmp_path):
    path = tmp_path / "page.sqlite"
    with serving(shelf=path) as address:
        review = send(address, LOG.read_bytes(), "mine.mjlog")
        assert ended(address, review)[-1]["state"] == "done"
        before = get(address, f"reviews/{review}").json()
        assert before["notes"] == []
        assert requests.post(f"{address}/api/reviews/{review}/note", data=NOTE, timeout=60).status_code == 204
    with serving(shelf=path) as address:
        (status,) = get(address, "reviews").json()["reviews"]
        assert (status["id"], status["source"], status["state"]) == (review, "mine.mjlog", "done")
        assert ended(address, review)[-1]["state"] == "done"
        noted = [NOTE | {"words": "too greedy\n<b>"}]
        assert get(address, f"reviews/{review}").json() == before | {"notes": noted}
        kept = get(address, f"reviews/{review}/file").text
        assert "too greedy" in kept and "<b>" not in kept.partition("too greedy")[2][:10]
        assert requests.post(f"{address}/api/reviews/{review}/note", data=NOTE | {"words": ""}, timeout=60).ok
        assert get(address, f"reviews/{review}").json()["notes"] == []
        assert requests.delete(f"{address}/api/reviews/{review}", timeout=60).status_code == 204
        assert get(address, "reviews").json()["reviews"] == []


def test_another_agent_reviews_the_same_game(tmp_path):
    with serving(shelf=tmp_path / "page.sqlite") as address:
        assert get(address, "reviews").json()["agents"] == ["sl", "tuned-large", "tuned", "sl-large", "sl-weak"]
        refused = requests.post(
            f"{address}/api/reviews", files={"log": LOG.read_bytes()}, data={"agent": "sensible"}, timeout=60
        )
        assert refused.status_code == 422 and "sensible does not review; there are sl, tuned-large" in refused.text
        review = send(address, LOG.read_bytes())
        ended(address, review)
        own, other = get(address, f"reviews/{review}").json(), get(address, f"reviews/{review}/by/sl-weak").json()
        assert (own["agent"], other["agent"]) == ("sl", "sl-weak") and own["rounds"] == other["rounds"]
        places = [[[each["frame"] for each in found] for found in seat["decisions"]] for seat in own["seats"]]
        assert places == [[[each["frame"] for each in found] for found in seat["decisions"]] for seat in other["seats"]]
        assert own["seats"] != other["seats"] and len(get(address, "reviews").json()["reviews"]) == 1
        assert get(address, f"reviews/{review}/by/never-heard-of").status_code == 422
        assert get(address, "reviews/none/by/sl").status_code == 404
        assert requests.delete(f"{address}/api/reviews/{review}", timeout=60).status_code == 204
    shelf = Shelf(tmp_path / "page.sqlite")
    assert shelf.all("log") == []
    shelf.add("review", "old", "old", reviewed().model_dump_json().encode())
    jobs = ReviewJobs(shelf)
    with pytest.raises(InputError, match="was not kept"):
        jobs.log("old")
    jobs.close()


def test_a_review_saved_by_an_earlier_version_has_the_names_of_today():
    shelf, data = Shelf(), reviewed().model_dump_json()
    assert '"tsumo' in data and '"ron' in data and '"mistake":"mistake"' in data
    for new, old in (
        ('"tsumo', '"win by draw'),
        ('"ron', '"win by claim'),
        ('"mistake":"mistake"', '"mistake":"medium"'),
        ('"mistakes":{"mistake":', '"mistakes":{"medium":'),
    ):
        data = data.replace(new, old)
        assert old in data
    shelf.add("review", "old", "old", data.encode())
    jobs = ReviewJobs(shelf)
    assert jobs.result("old") == reviewed()
    older = re.sub(r',"held_out":(null|\{[^}]*\})', "", reviewed().model_dump_json())
    shelf.add("review", "older", "older", older.encode())
    decisions = [each for seat in jobs.result("older").seats for of in seat.decisions for each in of]
    assert any(each.mistake for each in decisions) and all(each.held_out is None for each in decisions)
    jobs.close()


@pytest.mark.faults
def test_a_note_is_on_a_decision_that_is_there():
    with serving() as address:
        review = send(address, LOG.read_bytes())
        ended(address, review)
        for change in ({"seat": 9}, {"number": -1}, {"number": 10**6}, {"words": "x" * 2001}):
            answer = requests.post(f"{address}/api/reviews/{review}/note", data=NOTE | change, timeout=60)
            assert answer.status_code == 422, change
        assert get(address, f"reviews/{review}").json()["notes"] == []


@pytest.mark.parametrize("kind", [pytest.param("games", marks=pytest.mark.full), "play"])
def test_a_game_that_is_over_outlives_the_command(kind, tmp_path):
    path = tmp_path / "page.sqlite"
    with serving(shelf=path) as address:
        game = play_to_the_end(address, kind)
        log = get(address, f"{kind}/{game}/log").content
    with serving(shelf=path) as address:
        (status,) = get(address, kind).json()["games"]
        assert (status["id"], status["state"]) == (game, "over")
        assert get(address, f"{kind}/{game}").json()["kind"] == "recorded"
        with requests.get(f"{address}/api/games/{game}/events", stream=True, timeout=60) as told:
            assert b"event: round" in told.content
        while get(address, f"games/{game}").json()["state"] == "playing":
            time.sleep(0.05)
        again = get(address, f"games/{game}/log").content
        rounds = [read_log(data, "log")[0].rounds for data in (log, again)]
        assert [len(each.events) for each in rounds[0]] == [len(each.events) for each in rounds[1]]
        requests.delete(f"{address}/api/{kind}/{game}", timeout=60)
        assert get(address, kind).json()["games"] == []


def test_the_latest_of_each_kind_are_kept_and_notes_go_with_their_review(monkeypatch, tmp_path):
    monkeypatch.setattr(suphx.web.shelf, "KEPT", 2)
    shelf = Shelf(tmp_path / "page.sqlite")
    for n in range(4):
        shelf.add("review", str(n), f"review {n}", bytes(n))
        shelf.write(str(n), Note(seat=0, number=0, words="words"))
    shelf.add("live", "0", "a game", b"log")
    assert [each.source for each in shelf.all("review")] == ["review 3", "review 2"]
    assert [each.source for each in shelf.all("live")] == ["a game"]
    assert shelf.data("review", "1") is None and shelf.notes("1") == [] and shelf.data("review", "3") == bytes(3)
    assert len(shelf.notes("3")) == 1


def test_two_commands_write_to_one_file(tmp_path):
    one, other = Shelf(tmp_path / "page.sqlite"), Shelf(tmp_path / "page.sqlite")
    threads = [
        threading.Thread(target=lambda shelf=shelf, k=k: [shelf.add("live", f"{k}{n}", "", b"") for n in range(20)])
        for k, shelf in enumerate((one, other))
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(one.all("live")) == len(other.all("live")) == 40


@pytest.mark.faults
def test_a_file_that_is_no_shelf_or_of_another_version_is_named_and_left_alone(tmp_path):
    path = tmp_path / "page.sqlite"
    path.write_bytes(b"not a database, but long enough to be taken for one" * 40)
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"page\.sqlite: file is not a database"):
        Shelf(path)
    assert path.read_bytes() == before
    with sqlite3.connect(tmp_path / "later.sqlite") as later:
        later.execute("PRAGMA user_version = 99")
    with pytest.raises(InputError, match=r"later.sqlite: written by another version"):
        Shelf(tmp_path / "later.sqlite")


@pytest.mark.faults
def test_a_review_of_another_version_says_what_to_do(tmp_path):
    shelf = Shelf(tmp_path / "page.sqlite")
    shelf.add("review", "old", "old.mjlog", b'{"format_version": 0}')
    shelf.close()
    with serving(shelf=tmp_path / "page.sqlite") as address:
        answer = get(address, "reviews/old")
        assert answer.status_code == 409 and "open the log again" in answer.json()["detail"]
