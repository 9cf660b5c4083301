"""Watching games in a real browser: agents from the start to the end of a game, recorded games, coming back."""

from __future__ import annotations

import re

import pytest
from reviewed_game import LOG

from simulator.logs.generate import generate_games
from simulator.logs.mjlog import read_mjlog

SEED = 3


def watch_sensible(page, served) -> None:
    """Start a game of four rule-based agents, as a reader does."""
    if not page.url.startswith(served):
        page.goto(served)
    page.wait_for_selector("#agent-east option[value=sensible]", state="attached")
    for wind in ("east", "south", "west", "north"):
        page.select_option(f"#agent-{wind}", "sensible")
    page.fill("#seed", str(SEED))
    page.click("#watch")
    page.wait_for_selector("svg.table")


def place(page) -> tuple[int, int]:
    """Return which round and frame are shown."""
    return int(page.locator("#round").input_value()), int(page.locator("#where").inner_text().split(" / ")[0]) - 1


def pause(page) -> None:
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("ArrowLeft")  # a step by hand stops it
    page.wait_for_selector("#play[aria-label^=Play]")


def faces(page, where: str) -> list[str]:
    return page.eval_on_selector_all(f"svg.table {where} [data-tile]", "all => all.map((each) => each.dataset.tile)")


def test_a_game_of_agents_is_watched_from_its_start_to_its_end(page, served, tmp_path):
    watch_sensible(page, served)
    assert re.match(rf"{served}/watch/[\w-]+", page.url)
    page.select_option("#speed", "20")
    page.wait_for_function("() => parseInt(document.querySelector('#where').textContent) > 3")  # it plays by itself
    pause(page)
    shown = place(page)
    page.keyboard.press("ArrowRight")
    assert place(page) == (shown[0], shown[1] + 1)
    page.keyboard.press("ArrowLeft")
    assert place(page) == shown
    page.keyboard.press("Space")
    page.wait_for_function("(n) => parseInt(document.querySelector('#where').textContent) > n", arg=shown[1] + 1)
    page.keyboard.press("Space")
    page.wait_for_selector("#play[aria-label^=Play]")
    rounds = [(each.round, each.repeat_counter) for each in next(generate_games(1, seed=SEED)).rounds]
    for number in range(1, len(rounds)):
        page.keyboard.press("]")
        page.wait_for_function("(n) => document.querySelector('#round').value === String(n)", arg=number)
    page.wait_for_function("(n) => document.querySelectorAll('#round option').length === n", arg=len(rounds))
    page.evaluate("""() => {
        const step = () => document.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
        for (let steps = 0; steps < 500 && !document.querySelector("#end"); steps += 1) step();
    }""")
    assert "The game is over." in page.locator("#end").inner_text()
    assert page.locator("#before tbody tr").count() == len(rounds)
    assert sorted(re.findall(r"(\d)\.\s*\n", page.locator("#before tfoot").inner_text())) == ["1", "2", "3", "4"]
    with page.expect_download() as download:
        page.click("#keep")
    download.value.save_as(tmp_path / "kept.mjlog")
    kept = read_mjlog((tmp_path / "kept.mjlog").read_bytes(), "kept")
    assert [(each.round, each.repeat_counter) for each in kept.rounds] == rounds
    page.click("[data-review='2']")
    page.wait_for_selector(".summary", timeout=60_000)
    assert re.search(r"/review/[\w-]+#seat=2$", page.url)
    assert page.locator(".seats [aria-pressed=true]").inner_text() == "3 sensible"


def test_a_page_that_is_loaded_again_and_a_second_one_show_the_same_place(page, served):
    watch_sensible(page, served)
    pause(page)
    for number in (1, 2, 3, 4):
        page.keyboard.press("]")
        page.wait_for_function("(n) => document.querySelector('#round').value === String(n)", arg=number)
    page.keyboard.press("ArrowRight")
    assert place(page) == (4, 1)
    text = page.locator("#now").inner_text()
    page.reload()
    page.wait_for_function("() => document.querySelector('#round')?.value === '4'")
    assert place(page) == (4, 1) and page.locator("#now").inner_text() == text
    second = page.context.new_page()
    second.goto(page.url)
    second.wait_for_function("() => document.querySelector('#round')?.value === '4'")
    assert place(second) == (4, 1) and second.locator("#now").inner_text() == text
    second.close()
    page.keyboard.press("ArrowRight")
    assert place(page) == (4, 2)


def test_all_hands_one_hand_or_none_are_open(page, served):
    watch_sensible(page, served)
    pause(page)
    page.keyboard.press("[")  # to the beginning of the first round
    assert place(page) == (0, 0)
    page.select_option("#hands", "all")
    assert "back" not in faces(page, "[data-seat]")
    page.select_option("#hands", "seat")
    assert "back" not in faces(page, ".own")
    assert set(faces(page, "[data-seat='1']")) == {"back"}
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("2")
    assert "back" not in faces(page, ".own[data-seat='1']") and set(faces(page, "[data-seat='0']")) == {"back"}
    page.keyboard.press("h")
    assert set(faces(page, ".own")) == {"back"}
    assert "hand: hidden" in page.locator(".table-place .unseen").text_content()


def test_a_sample_game_and_a_file_are_watched(page, served, tmp_path):
    page.goto(served)
    page.click("text=00000100-00000001.mjlog")
    page.wait_for_selector("svg.table")
    page.wait_for_function("(n) => document.querySelectorAll('#round option').length >= n", arg=2)
    page.keyboard.press("]")
    assert place(page)[0] == 1  # the frames go on by themselves
    page.click("#another")
    page.wait_for_selector(".games a")
    page.set_input_files("#recorded", LOG)
    page.wait_for_selector("svg.table")
    assert page.title() == f"Watch: {LOG.name}"


@pytest.mark.faults
def test_a_bad_file_and_a_game_that_is_gone_are_told_in_words(page, served, tmp_path):
    bad = tmp_path / "<b>bad.mjlog"
    bad.write_text("nothing")
    page.goto(served)
    page.set_input_files("#recorded", bad)
    page.wait_for_selector("#note.error")
    assert "<b>bad.mjlog: not a game log" in page.locator("#note").inner_text()
    page.goto(f"{served}/watch/gone")
    page.wait_for_selector("#note.error")
    assert "no such" in page.locator("#note").inner_text()
    assert page.problems.pop(0)  # the browser notes the 404


@pytest.mark.faults
def test_what_is_there_of_a_game_stays_when_the_server_has_forgotten_it(page, served):
    watch_sensible(page, served)
    pause(page)
    page.evaluate("() => fetch(location.pathname.replace('watch', 'api/games'), {method: 'DELETE'})")
    while page.locator("#note.error").count() == 0:
        page.keyboard.press("]")
    assert "no such" in page.locator("#note").inner_text()
    page.keyboard.press("[")
    assert page.locator("svg.table").count() == 1
    told = len(page.problems)
    page.keyboard.press("]")
    page.keyboard.press("ArrowRight")
    assert "no such" in page.locator("#note").inner_text() and len(page.problems) == told
    assert all("404" in page.problems.pop() for _ in range(told))  # the browser notes each


def test_on_a_phone_nothing_is_wider_than_the_screen(page, served):
    page.set_viewport_size({"width": 360, "height": 740})
    wide = "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"
    page.goto(served)
    page.wait_for_selector(".samples button")
    assert not page.evaluate(wide)
    watch_sensible(page, served)
    assert not page.evaluate(wide)
    assert page.locator("#play").bounding_box()["y"] < 740
