"""A browser for the tests of the page: Debian's Chromium, without the network."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from played_games import walls
from reviewed_game import LOG, reviewed
from serving_app import serving

from suphx.web.assets import review_page

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
_ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-quic",
]  # fmt: skip


@pytest.fixture(scope="session")
def browser() -> Iterator:
    """A running Chromium; skips where there is none."""
    if CHROMIUM is None:
        pytest.skip("no `chromium` on this machine; on Debian and Ubuntu `apt-get install chromium`")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=_ARGUMENTS)
        yield found
        found.close()


@pytest.fixture
def page(browser) -> Iterator:
    """A fresh page on a desktop; the test fails if anything in it went wrong."""
    context = browser.new_context(viewport={"width": 1400, "height": 950})
    found = context.new_page()
    problems: list[str] = []
    found.on("pageerror", lambda error: problems.append(str(error)))
    found.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    found.problems = problems
    found.set_default_timeout(60_000)
    yield found
    context.close()
    assert problems == []


@pytest.fixture(scope="session")
def _server(browser, tmp_path_factory) -> Iterator[str]:
    games = tmp_path_factory.mktemp("games")
    (games / "00000100-00000001.mjlog").write_bytes(LOG.read_bytes())
    with serving(games=games, walls=walls) as address:
        yield address


@pytest.fixture
def served(_server) -> str:
    """The address of the page, one server for all tests in the browser; games of one are not in the way of the next."""
    for kind in ("games", "play"):
        for each in requests.get(f"{_server}/api/{kind}", timeout=60).json()["games"]:
            requests.delete(f"{_server}/api/{kind}/{each['id']}", timeout=60)
    return _server


@pytest.fixture(scope="session")
def review_file(tmp_path_factory) -> Path:
    """The file that `suphx review` writes about the game of these tests."""
    path = tmp_path_factory.mktemp("page") / "review.html"
    path.write_bytes(review_page(reviewed()))
    return path
