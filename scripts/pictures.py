"""Take the pictures of the page that the documents show, in Chromium, from the page as it is: docs/images.

usage: python scripts/pictures.py      in the tests' environment, which has playwright
"""

import re
import shutil
import sys
import threading
from io import BytesIO
from pathlib import Path

import requests
from PIL import Image
from playwright.sync_api import Page, ViewportSize, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the code of this checkout

from suphx.agent import DEFAULT_AGENT
from suphx.web.app import create_app
from suphx.web.serving import PageServer, listen

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
SIZE: ViewportSize = {"width": 1366, "height": 800}
#: Who plays the game that is reviewed, by seat: the third follows simple rules, so that there is something to say.
SEATS, REVIEWED, GAME_SEED = ("tuned", "sl", "sensible", "sl-weak"), 2, 7
#: The least turn of what is shown of it: by then there are discards to be seen.
LATE = 9
#: Discards of the person's game before its picture is taken, and its walls.
TURNS, PLAY_SEED = 9, 3


def post(address: str, path: str, **form: object) -> str:
    """Send a form; return the id of what it started."""
    answer = requests.post(f"{address}/api/{path}", data=form, timeout=60)
    answer.raise_for_status()
    return answer.json()["id"]


def picture_of_a_review(page: Page, address: str) -> None:
    """Review a game of agents, and show the largest difference of one in a late turn."""
    game = post(address, "games/live", agent=SEATS, seed=GAME_SEED)
    requests.get(f"{address}/api/games/{game}/events?after=30", timeout=600).raise_for_status()  # ends when it is over
    review = post(address, f"games/{game}/review")
    page.goto(f"{address}/review/{review}#seat={REVIEWED}")
    page.wait_for_selector("#tab-differences")
    turn = 0
    while turn < LATE:
        page.keyboard.press("d")
        page.wait_for_selector(".verdict")
        turn = int(re.findall(r"turn (\d+)", page.locator(".decision h3").first.inner_text())[0])
    keep(page, "review")


def picture_of_a_game(page: Page, address: str) -> None:
    """Play some turns with the coach: calls are passed, the tile just drawn is discarded."""
    game = post(address, "play", agent=["sl"] * 3, seed=PLAY_SEED, seat=0)
    page.goto(f"{address}/play/{game}")
    page.select_option("#pace", "instant", force=True)
    page.click("[data-setting=coach]")
    for _ in range(TURNS):
        page.wait_for_selector(".candidate.preferred")
        page.keyboard.press("x")
        page.keyboard.press("d")
        page.wait_for_timeout(3000)
    page.wait_for_selector(".candidate.preferred")
    keep(page, "play")


def keep(page: Page, name: str) -> None:
    """Write a picture of the page, in 256 colors: a third of its size."""
    with Image.open(BytesIO(page.screenshot())) as picture:
        picture.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(IMAGES / f"{name}.png", optimize=True)


def main() -> None:
    """Serve the page, and take its pictures."""
    listener, address = listen("127.0.0.1", 0)
    server = PageServer(lambda: create_app(DEFAULT_AGENT))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        with sync_playwright() as playwright:
            chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page(viewport=SIZE)
            page.set_default_timeout(300_000)
            for take in (picture_of_a_review, picture_of_a_game):
                take(page, address.rstrip("/"))
                print(take.__name__.replace("_", " "))
            browser.close()
    finally:
        server.should_exit = True
        thread.join()


if __name__ == "__main__":
    main()
