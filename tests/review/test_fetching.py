"""Logs fetched by their address, from a server on this machine that stands for Tenhou."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from reviewed_game import LOG

import suphx.review.logs
from suphx.errors import InputError
from suphx.review.logs import find_games, game_of_address

ID = "2019010100gm-00a9-0000-0123abcd"


@pytest.fixture
def tenhou(monkeypatch):
    """The addresses asked for; answered with a log, with too much, or with a redirection."""
    asked = []

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            body = {ID: LOG.read_bytes(), "large": bytes(3000)}.get(self.path.partition("?")[2])
            self.send_response(302 if self.path.endswith("moved") else 200 if body else 404)
            self.send_header("Location", f"/0/log/?{ID}")
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setattr(suphx.review.logs, "TENHOU", f"http://127.0.0.1:{server.server_port}")
    yield asked
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    "viewer",
    [
        "https://tenhou.net/0/?log={}&tw=2", "https://tenhou.net/3/?log={}&tw=2", "http://tenhou.net/5/?tw=2&log={}",
        " tenhou.net/0/?log={}&tw=2\n", "https://tenhou.net/4/?log={}&tw=2&ts=3", "http://tenhou.net/0/log/?{}&tw=2",
        "https://ron2.jp/3/?log={}&tw=2", "https://www.tenhou.net/6/?log={}&tw=2",
    ],
)  # fmt: skip
def test_a_log_is_fetched_by_the_address_of_each_viewer(tenhou, viewer, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ((found, seat),) = find_games([viewer.format(ID)])
    assert (found.source, seat, tenhou) == (ID, 2, [f"/0/log/?{ID}"])
    assert found.rounds


@pytest.mark.faults
@pytest.mark.parametrize(
    ("log", "said"), [("missing", "answered 404"), ("moved", "answered 302"), ("large", "larger than")]
)
def test_what_is_not_to_be_had_is_told(tenhou, log, said, monkeypatch):
    monkeypatch.setattr(suphx.review.logs, "MOST", 1000)
    with pytest.raises(InputError, match=said):
        game_of_address(f"https://tenhou.net/0/?log={log}")
    assert tenhou == [f"/0/log/?{log}"]


@pytest.mark.faults
def test_a_server_that_cannot_be_reached_and_one_that_is_slow_are_told(tenhou, monkeypatch):
    monkeypatch.setattr(suphx.review.logs, "WITHIN", 1e-9)
    with pytest.raises(InputError):
        game_of_address(f"https://tenhou.net/0/?log={ID}")
    monkeypatch.setattr(suphx.review.logs, "WITHIN", 5.0)
    monkeypatch.setattr(suphx.review.logs, "TENHOU", "http://127.0.0.1:1")
    with pytest.raises(InputError, match="cannot be fetched"):
        game_of_address(f"https://tenhou.net/0/?log={ID}")


@pytest.mark.faults
@pytest.mark.parametrize("address", ["https://example.org/0/?log=x", "https://tenhou.net.example.org/0/?log=x", "https://tenhou.net@example.org/0/?log=x",
                                     "https://tenhou.net/0/?log=../x", "https://tenhou.net/0/?log=a/../b"])  # fmt: skip
def test_no_other_address_is_asked_for(tenhou, address):
    assert game_of_address(address) is None and tenhou == []


@pytest.mark.parametrize("words", ["https://", "", "a game: https://"])
def test_an_address_of_mahjong_soul_is_answered_with_what_to_do(tenhou, words):
    with pytest.raises(InputError, match="save the game's record as JSON"):
        game_of_address(words + "game.mahjongsoul.com/?paipu=210101-0123abcd")
    assert tenhou == []
