"""The page before the program behind it is loaded."""

from __future__ import annotations

import threading

import pytest
import requests

from suphx.web.app import create_app
from suphx.web.early import STARTING, listen, page_alone
from suphx.web.pages import HEADERS
from suphx.web.serving import PageServer


def test_only_the_page_is_there_and_everything_else_is_too_early():
    listening, address = listen("127.0.0.1", 0)
    with listening, page_alone(listening):
        shown = requests.get(address, timeout=60)
        assert shown.ok and "/page/app.js" in shown.text
        assert HEADERS.items() <= shown.headers.items()
        assert "script-src 'self'" in shown.headers["Content-Security-Policy"]
        assert requests.get(address + "review/some#seat=0", timeout=60).text == shown.text
        for name in ("app.js", "texts.js", "style.css"):
            assert requests.get(f"{address}page/{name}", timeout=60).ok
        for early in (requests.get(address + "api/play", timeout=60), requests.post(address + "api/play", timeout=60)):
            assert (early.status_code, early.json()) == (503, {"detail": STARTING})


@pytest.mark.faults
@pytest.mark.parametrize("path", ["page/../app.py", "page/en.json", "page/%2e%2e/app.py", "../pyproject.toml", "page/"])
def test_no_other_file_is_given(path):
    listening, address = listen("127.0.0.1", 0)
    with listening, page_alone(listening):
        request = requests.Request("GET", address).prepare()
        request.url = address + path  # as it is written
        assert requests.Session().send(request, timeout=60).status_code == 503


def test_the_page_says_that_it_starts_and_goes_on_when_the_program_is_there(page):
    listening, address = listen("127.0.0.1", 0)
    with page_alone(listening):
        page.goto(address)
        page.wait_for_function("() => document.querySelector('#said').textContent.includes('is starting')")
        assert page.locator(".card").count() == 3
    server = PageServer(create_app())
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        page.wait_for_selector("#play-left option[value=sensible]", state="attached")
        assert page.locator("#said").inner_text() == ""
    finally:
        page.goto("about:blank")
        server.should_exit = True
        thread.join()
    assert all("503" in page.problems.pop() for _ in page.problems[:])  # the browser notes each
