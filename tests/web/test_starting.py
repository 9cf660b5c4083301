"""The page while the application behind it is loaded."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from fastapi import FastAPI
from played_games import PLAIN
from serving_app import serving

import suphx.web.game_routes
from suphx.errors import InputError
from suphx.web.app import create_app
from suphx.web.guard import HEADERS
from suphx.web.serving import PageServer, listen


@contextlib.contextmanager
def starting(load: Callable[[], FastAPI], fails: bool = False) -> Iterator[tuple[str, threading.Event]]:
    """Yield the address of a page, and the event upon which its application is loaded."""
    listener, address = listen("127.0.0.1", 0)
    loads = threading.Event()

    def load_late() -> FastAPI:
        loads.wait()
        return load()

    server = PageServer(load_late)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(server.run, [listener])
        try:
            yield address, loads
        finally:
            server.should_exit |= not fails
            with pytest.raises(InputError, match="no such agent") if fails else contextlib.nullcontext():
                running.result(60)
            loads.set()


def load_cold() -> FastAPI:
    app = create_app()
    app.state.warm_up = int
    return app


def load_nothing() -> FastAPI:
    raise InputError("no such agent")


def test_the_page_needs_nothing_that_takes_long_to_import():
    program = "import sys; from suphx.web import assets, serving; assets.start_page(); print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not {"torch", "numba", "numpy"} & set(modules)


@pytest.mark.full
def test_warming_up_plays_and_reviews():
    app = create_app()
    app.state.warm_up()
    app.state.end_streams()
    app.state.close()


def test_the_page_is_served_at_once_and_other_requests_wait():
    with starting(load_cold) as (address, loads):
        page = requests.get(address, timeout=60)
        assert page.ok and "/page/app.js" in page.text
        assert HEADERS.items() <= page.headers.items()
        assert "script-src 'self'" in page.headers["Content-Security-Policy"]
        assert requests.get(address + "review/some#seat=0", timeout=60).text == page.text
        for name in ("app.js", "texts.js", "style.css"):
            assert requests.get(f"{address}page/{name}", timeout=60).ok
        with pytest.raises(requests.ReadTimeout):
            requests.get(address + "api/play", timeout=0.2)
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(requests.get, address + "api/play", timeout=60)
            loads.set()
            assert waiting.result().json()["games"] == []


@pytest.mark.faults
def test_what_cannot_be_loaded_ends_the_server_and_is_the_answer_to_those_who_wait():
    with starting(load_nothing, fails=True) as (address, loads), ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(requests.get, address + "api/play", timeout=60)
        requests.get(address, timeout=60)
        loads.set()
        assert waiting.result().status_code == 503 and waiting.result().json() == {"detail": "no such agent"}


@pytest.mark.faults
def test_a_server_that_ends_while_it_starts_lets_nobody_wait():
    with ThreadPoolExecutor(1) as pool:
        with starting(load_cold) as (address, _):
            waiting = pool.submit(requests.get, address + "api/play", timeout=60)
            requests.get(address, timeout=60)
        assert waiting.result().status_code == 503


def test_the_page_says_that_it_starts_and_goes_on_by_itself(page):
    requested = []
    page.on("request", lambda request: requested.append(request.url))
    with starting(load_cold) as (address, loads):
        page.goto(address)
        page.wait_for_function("() => document.querySelector('#status').textContent.includes('is starting')")
        assert page.locator(".card").count() == 3
        loads.set()
        page.wait_for_selector("#play-left option[value=sensible]", state="attached")
        assert page.locator("#status").inner_text() == ""
        assert [url.removeprefix(address) for url in requested if "/api/" in url] == [
            "api/play",
            "api/reviews",
            "api/games",
        ]
        page.goto("about:blank")


def test_a_game_says_that_networks_load_and_nothing_is_requested_until_they_have(page, monkeypatch):
    loads, host_of = threading.Event(), suphx.web.game_routes.host_of
    monkeypatch.setattr(suphx.web.game_routes, "host_of", lambda *args: loads.wait() and host_of(*args))
    requested = []
    page.on("request", lambda request: requested.append(request.url))
    with serving() as address:
        game = requests.post(f"{address}/api/play", data={"agent": PLAIN}, timeout=60).json()["id"]
        page.goto(f"{address}/play/{game}")
        page.wait_for_function("() => document.querySelector('#note').textContent.includes('networks to load')")
        page.wait_for_timeout(1000)
        api = [url.partition("/api/")[2] for url in requested if "/api/" in url]
        assert api == [f"play/{game}", f"play/{game}/events?after=-1"]
        loads.set()
        page.wait_for_selector("#hand button")
        assert page.locator("#note").text_content() == ""
        page.goto("about:blank")


def test_the_coach_is_asked_once_and_the_page_says_that_it_waits(page, monkeypatch):
    loads, advice = threading.Event(), suphx.web.game_routes.advice
    monkeypatch.setattr(suphx.web.game_routes, "advice", lambda *args: loads.wait() and advice(*args))
    requested = []
    page.on("request", lambda request: requested.append(request.url))
    with serving() as address:
        game = requests.post(f"{address}/api/play", data={"agent": PLAIN}, timeout=60).json()["id"]
        page.goto(f"{address}/play/{game}")
        page.wait_for_selector("#hand .own-tile[aria-disabled=false]")
        for key in "ahhs":
            page.keyboard.press(key)
        assert "Waiting ..." in page.locator("#coach").inner_text()
        loads.set()
        page.wait_for_selector("#coach .candidate")
        assert sum("/advice" in url for url in requested) == 1
        page.goto("about:blank")
