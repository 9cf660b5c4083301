"""Games that are watched, as the server plays and tells them."""

from __future__ import annotations

import json
import os
import threading

import pytest
import requests
from fastapi import HTTPException
from reviewed_game import LOG, reviewed
from serving_app import ended, serving
from watched_games import SENSIBLE, begin, to_the_end, told

from simulator.logs.generate import generate_games
from simulator.logs.mjlog import read_mjlog
from simulator.logs.mjlog_writer import write_mjlog
from simulator.logs.tenhou6_writer import write_tenhou6
from simulator.logs.verify import verify_game
from suphx.errors import InputError
from suphx.web.game_routes import AHEAD
from suphx.web.game_status import GameStatus, RoundEnd
from suphx.web.games import ALL_ROUNDS, IDLE, KEPT, PLAYING, GameStore, NoGame, new_id
from suphx.web.host import GameSession
from suphx.web.samples import SHOWN, SampleFolder
from suphx.web.seat_view import next_round_question
from suphx.web.shelf import Shelf


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of games as a training leaves it, and things beside it and in it that are no games."""
    root = tmp_path_factory.mktemp("run")
    games = root / "games"
    (games / "0001").mkdir(parents=True)
    for age, name in enumerate(["newest.mjlog", "0001/second.mjlog", "oldest.mjlog"]):
        (games / name).write_bytes(LOG.read_bytes())
        os.utime(games / name, (1e9 - age, 1e9 - age))
    (games / "notes.txt").write_text("no game")
    (root / "secret.mjlog").write_bytes(LOG.read_bytes())
    (games / "link.mjlog").symlink_to(root / "secret.mjlog")
    (games / "up").symlink_to(root)
    return games


@pytest.fixture(scope="module")
def served(folder):
    with serving(games=folder) as address:
        yield address


# Live games.


def test_a_game_is_told_round_by_round_to_its_end_and_can_be_kept_and_reviewed(served):
    rounds, status = to_the_end(served, game := begin(served, seed=3))
    expected = next(generate_games(1, seed=3))
    assert [each["round"] for each in rounds] == [each.round for each in expected.rounds]
    assert (status["state"], status["scores"]) == ("over", expected.final_scores)
    assert sorted(status["ranks"]) == [0, 1, 2, 3] and status["points"] == expected.final_points
    answer = requests.get(f"{served}/api/games/{game}/log", timeout=60)
    assert answer.headers["content-disposition"] == 'attachment; filename="watched-3.mjlog"'
    kept = read_mjlog(answer.content, "kept")
    assert kept.names == SENSIBLE and kept.final_scores == expected.final_scores
    assert not verify_game(kept).mismatches
    review = requests.post(f"{served}/api/games/{game}/review", timeout=60)
    assert review.status_code == 202
    assert ended(served, review.json()["id"])[-1]["state"] == "done"
    found = requests.get(f"{served}/api/reviews/{review.json()['id']}", timeout=60).json()
    assert found["rounds"] == rounds and [each["seat"] for each in found["seats"]] == [0, 1, 2, 3]


def test_agents_sit_where_they_are_named(served):
    agents = ["sensible", "tsumogiri", "never_calls", "random"]
    game = begin(served, agents, seed=5)
    rounds = [data for name, _, data in told(served, game) if name == "round"]
    assert requests.get(f"{served}/api/games/{game}", timeout=60).json()["names"] == agents
    views = [frame["seats"]["1"] for each in rounds for frame in each["frames"][1:] if "1" in frame.get("seats", {})]
    marks = {mark.rstrip("0123") for view in views for _, mark in view.get("river", [])}
    assert marks == {"d"}  # tsumogiri discards what it has drawn


def test_a_game_goes_only_a_little_further_than_was_asked_for(served):
    game = begin(served)
    events = told(served, game)
    assert [(name, number) for name, number, _ in events] == [*(("round", n) for n in range(AHEAD + 1)), ("more", None)]
    assert len(requests.get(f"{served}/api/games/{game}", timeout=60).json()["rounds"]) == AHEAD + 1


def test_who_comes_back_goes_on_where_it_was_and_a_second_reader_gets_the_same(served):
    game = begin(served)
    first = told(served, game)
    assert told(served, game) == first
    again = told(served, game, after=-1, **{"Last-Event-ID": "1"})
    assert again[0] == first[2] and again[0][1] == 2
    assert told(served, game, after=1) == again


def test_a_game_goes_on_when_its_reader_goes_away(served):
    game = begin(served, seed=8)
    with requests.get(f"{served}/api/games/{game}/events", stream=True, timeout=60) as answer:
        next(answer.iter_lines())
    assert told(served, game)[-1][0] == "more"


def test_the_same_seed_gives_the_same_game(served):
    assert told(served, begin(served, seed=11))[:-1] == told(served, begin(served, seed=11))[:-1]


def test_a_game_that_is_forgotten_is_gone(served):
    game = begin(served)
    assert requests.delete(f"{served}/api/games/{game}", timeout=60).status_code == 204
    assert game not in {each["id"] for each in requests.get(f"{served}/api/games", timeout=60).json()["games"]}
    assert requests.get(f"{served}/api/games/{game}/events", timeout=60).status_code == 404


@pytest.fixture(autouse=True)
def nothing_left(served):
    """Games of one test are not in the way of the next."""
    yield
    for each in requests.get(f"{served}/api/games", timeout=60).json()["games"]:
        requests.delete(f"{served}/api/games/{each['id']}", timeout=60)


@pytest.mark.faults
@pytest.mark.parametrize("path", ["", "/events", "/log"])
def test_a_game_that_is_not_there_is_404_in_words(served, path):
    answer = requests.get(f"{served}/api/games/none{path}", timeout=60)
    assert answer.status_code == 404 and "no such game" in answer.json()["detail"]


@pytest.mark.faults
@pytest.mark.parametrize(
    ("agents", "said"),
    [
        (
            ["sensible", "sensible", "sensible", "nobody"],
            "no agent 'nobody'; there are tuned-large, tuned, sl-large, sl, sl-weak, random",
        ),
        (["bot:touch pwned"] * 4, "no agent 'bot:touch pwned'"),
        (["/etc"] * 4, "no agent '/etc'"),
        (["sensible"] * 3, "name 4 agents"),
    ],
)
def test_only_agents_of_the_list_play_and_no_command_or_file_is_named(served, agents, said):
    answer = requests.post(f"{served}/api/games/live", data={"agent": agents}, timeout=60)
    assert answer.status_code == 422 and said in answer.json()["detail"]


@pytest.mark.faults
@pytest.mark.parametrize("seed", ["-1", str(1 << 53), "x"])
def test_a_seed_out_of_range_is_refused(served, seed):
    data = {"agent": SENSIBLE, "seed": seed}
    assert requests.post(f"{served}/api/games/live", data=data, timeout=60).status_code == 422


@pytest.mark.faults
def test_a_game_that_is_not_over_can_neither_be_kept_nor_reviewed(served):
    game = begin(served)
    for answer in (
        requests.get(f"{served}/api/games/{game}/log", timeout=60),
        requests.post(f"{served}/api/games/{game}/review", timeout=60),
    ):
        assert answer.status_code == 409 and "not over yet" in answer.json()["detail"]


@pytest.mark.faults
def test_one_game_too_many_is_refused_in_words(served):
    for seed in range(PLAYING):
        begin(served, seed=seed)
    answer = requests.post(f"{served}/api/games/live", data={"agent": SENSIBLE}, timeout=60)
    assert answer.status_code == 503 and "forget one" in answer.json()["detail"]


# Recorded games.


@pytest.mark.parametrize("write", [bytes, None], ids=["mjlog", "tenhou6"])
def test_a_log_that_is_sent_is_shown_as_its_review_shows_it(served, write):
    data = LOG.read_bytes() if write else write_tenhou6(read_mjlog(LOG.read_bytes(), ""))
    answer = requests.post(f"{served}/api/games/recorded", files={"log": ("my game", data)}, timeout=60)
    assert answer.status_code == 201
    rounds, status = to_the_end(served, answer.json()["id"])
    assert (status["state"], status["kind"], status["source"]) == ("over", "recorded", "my game")
    assert rounds == [json.loads(each.model_dump_json()) for each in reviewed().rounds]


@pytest.mark.faults
def test_names_out_of_a_log_are_cut_to_what_can_be_shown(served):
    log = next(generate_games(1))
    log.names = ["long " * 100, "line\nbreak", "", "plain"]
    files = {"log": ("names.mjlog", write_mjlog(log))}
    game = requests.post(f"{served}/api/games/recorded", files=files, timeout=60).json()["id"]
    long, *others = told(served, game)[-1][2]["names"]
    assert len(long) == 200 and others == ["linebreak", "", "plain"]


def test_the_samples_of_a_folder_are_listed_newest_first_and_shown(served):
    samples = [each["name"] for each in requests.get(f"{served}/api/games", timeout=60).json()["samples"]]
    assert samples == ["newest.mjlog", "0001/second.mjlog", "oldest.mjlog"]
    game = requests.post(f"{served}/api/games/sample", data={"name": samples[1]}, timeout=60).json()
    assert len(to_the_end(served, game["id"])[0]) == len(reviewed().rounds)


@pytest.mark.faults
@pytest.mark.parametrize(
    "name",
    ["../secret.mjlog", "link.mjlog", "up/secret.mjlog", "0001/../../secret.mjlog", "notes.txt", "none.mjlog",
     "/etc/passwd", "", "\0.mjlog", "0001"],
)  # fmt: skip
def test_no_name_leaves_the_folder_of_games(served, name):
    answer = requests.post(f"{served}/api/games/sample", data={"name": name}, timeout=60)
    assert answer.status_code in (404, 422)
    assert requests.get(f"{served}/api/games", timeout=60).json()["games"] == []


@pytest.mark.faults
def test_an_absolute_path_into_the_folder_is_no_way_out(served, folder):
    answer = requests.post(f"{served}/api/games/sample", data={"name": str(folder.parent / "secret.mjlog")}, timeout=60)
    assert answer.status_code == 404


def test_only_the_newest_of_very_many_samples_are_listed(tmp_path):
    for number in range(SHOWN + 5):
        path = tmp_path / f"{number:03d}.mjlog"
        path.touch()
        os.utime(path, (number, number))
    assert [each.name for each in SampleFolder(tmp_path).listing()][:: SHOWN - 1] == ["104.mjlog", "005.mjlog"]


@pytest.mark.faults
def test_a_folder_of_games_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="nowhere: no such folder"):
        SampleFolder(tmp_path / "nowhere")


@pytest.mark.faults
@pytest.mark.parametrize(
    ("data", "said"),
    [(b"hello", "bad.mjlog: not a game log"), (LOG.read_bytes().replace(b"<D33/>", b"<D34/>", 1), "bad.mjlog: East 1")],
)
def test_a_file_that_is_no_good_log_fails_with_its_place(served, data, said):
    game = requests.post(f"{served}/api/games/recorded", files={"log": ("bad.mjlog", data)}, timeout=60).json()["id"]
    ((name, _, status),) = told(served, game)
    assert name == "failed" and said in status["message"]


@pytest.mark.faults
def test_another_site_can_start_no_game(served):
    headers = {"Origin": "http://example.org"}
    answer = requests.post(f"{served}/api/games/live", data={"agent": SENSIBLE}, headers=headers, timeout=60)
    assert answer.status_code == 403


# What is kept.


class Rounds(GameSession):
    """A game of `n` rounds that are played at once, or that fails."""

    def __init__(self, tell, n: int, held: threading.Event | None = None) -> None:
        super().__init__(tell, [""] * 4)
        self._n, self._held = n, held

    def begin(self):
        if self._held:
            self._held.wait()
        self._carry_out(0)

    def _carry_out(self, action):
        found = reviewed().rounds[0]
        self.rounds.append(RoundEnd(name=found.name, repeat_counter=0, result=found.result))
        over = len(self.rounds) == self._n
        ends = {"ranks": [0, 1, 2, 3], "points": [0.0] * 4} if over else {"ranks": None, "points": None}
        self.standing = {"scores": [25000] * 4, **ends}
        self._tell(len(self.rounds) - 1, found)
        self._ask(None if over else next_round_question(self._questions + 1))

    def log(self):
        return next(generate_games(1))


def start(games: GameStore, source: str, n: int, held: threading.Event | None = None, wanted: int = 1) -> GameStatus:
    status = GameStatus(id=new_id(), kind="live", source=source)
    return games.start(status, lambda tell: Rounds(tell, n, held), wanted)


def finish(games: GameStore) -> None:
    """Wait until everything that is wanted is played: there is one thread, and a round more is queued behind."""
    for _ in range(5):
        games.pool.submit(int).result()


def test_games_that_are_over_make_room_the_one_asked_for_longest_ago_first():
    games = GameStore(Shelf(), "played")
    ids = []
    for number in range(KEPT):
        ids.append(start(games, str(number), 1, wanted=ALL_ROUNDS).id)
        finish(games)
    games.status(ids[0])
    start(games, "new", 1)
    assert len(games.all()) == KEPT
    games.status(ids[0])
    with pytest.raises(NoGame):
        games.status(ids[1])
    games.close()


def test_a_game_that_nobody_asks_for_is_dropped_after_the_stated_time():
    now = [0.0]
    games = GameStore(Shelf(), "played", now=lambda: now[0])
    asked, idle = (start(games, name, 9).id for name in ("asked", "idle"))
    finish(games)
    now[0] = IDLE
    assert len(games.status(asked).rounds) == 1
    now[0] = IDLE + 1
    assert [each.source for each in games.all()] == ["asked"]
    with pytest.raises(NoGame):
        games.status(idle)
    with pytest.raises(NoGame):
        games.update(idle, -1)
    games.close()


def test_games_in_progress_are_bounded_and_a_forgotten_one_makes_room():
    games, held = GameStore(Shelf(), "played"), threading.Event()
    first, *_ = [start(games, "held", 2, held) for _ in range(PLAYING)]
    with pytest.raises(HTTPException, match=r"503: .*forget one"):
        start(games, "too many", 2)
    assert games.forget(first.id) and not games.forget(first.id)
    start(games, "again", 2)
    held.set()
    games.close()


@pytest.mark.faults
def test_a_fault_of_the_program_stops_one_game_and_is_told_without_its_inside(caplog):
    games = GameStore(Shelf(), "played")
    broken = games.start(GameStatus(id=new_id(), kind="live", source="broken"), lambda tell: 1 // 0)
    good = start(games, "good", 1)
    finish(games)
    status = games.status(broken.id)
    assert status.state == "failed" and "because of a bug" in status.message and "division" not in status.message
    assert "ZeroDivisionError" in caplog.text
    assert games.status(good.id).state == "over"
    games.close()
