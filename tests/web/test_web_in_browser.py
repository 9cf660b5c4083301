"""The served page in a real browser: from a log to its review, what is refused, and coming back."""

from __future__ import annotations

import re

import pytest
import requests
from reviewed_game import LOG, everything, reviewed

from simulator.logs.tenhou6_writer import write_tenhou6
from suphx.agent.registry import INCLUDED


def open_log(page, served, path) -> None:
    page.goto(served)
    page.set_input_files("#log", path)


def test_a_log_that_is_opened_is_reviewed_and_shown(page, served):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    open_log(page, served, LOG)
    page.wait_for_selector("svg.table", timeout=60_000)
    assert re.fullmatch(rf"{served}/review/[\w-]+(#.*)?", page.url)
    assert all(url.startswith(served) for url in asked)
    page.click("#tab-game")
    assert f"{len(reviewed().rounds[0].frames)}" in page.locator("#where").inner_text()
    page.keyboard.press("ArrowRight")
    place = page.url
    page.reload()
    page.wait_for_selector("svg.table")
    assert page.url == place
    with page.expect_download() as download:
        page.click("#keep")
    assert download.value.suggested_filename == "everything.html"
    page.click("#another")
    page.wait_for_selector(f".kept a[href='/review/{re.search('/review/([^#]*)', place)[1]}']")


def test_several_logs_are_listed_as_they_are_done_and_what_is_none_is_told(page, served, tmp_path):
    names = ["one.mjlog", "two.mjlog"]
    for name in names:
        (tmp_path / name).write_bytes(LOG.read_bytes())
    (tmp_path / "bad.mjlog").write_bytes(b"hello")
    page.goto(served)
    page.set_input_files("#log", [tmp_path / "bad.mjlog", *(tmp_path / name for name in names)])
    page.wait_for_selector("#status.error", timeout=60_000)
    assert "bad.mjlog" in page.locator("#status").inner_text()
    listed = page.locator("section[aria-label=Reviews] li").all_inner_texts()
    assert [next(line for line in listed if name in line) for name in names]
    assert not any("%" in line for line in listed)
    assert next(line for line in listed if line.startswith("bad.mjlog not a game log"))
    page.fill("#address", "https://example.org/ https://example.net/")
    page.press("#address", "Enter")
    page.locator("#status", has_text="not an address").wait_for(timeout=60_000)
    assert page.locator("#status").inner_text().count("not an address") == 2 and page.url == f"{served}/"


def test_another_reviewer_is_chosen_and_a_third_is_compared_with(page, served):
    page.goto(served)
    page.wait_for_selector("#reviewer option[value=sl-weak]", state="attached")
    assert page.locator("#reviewer").input_value() == "sl"  # the usual one
    page.select_option("#reviewer", "sl-weak")
    page.set_input_files("#log", LOG)
    page.wait_for_selector("svg.table", timeout=60_000)
    review = requests.get(f"{served}/api/reviews/{re.search('/review/([^#]*)', page.url)[1]}", timeout=60).json()
    assert review["agent"] == "sl-weak"
    page.wait_for_selector("#other option[value=sl]", state="attached")
    others = [f"with {name}" for name in dict.fromkeys(["sl", *INCLUDED]) if name != "sl-weak"]
    assert page.locator("#other option").all_inner_texts() == ["Compare with …", *others]
    page.select_option("#other", "sl")
    page.click("#tab-decision")
    page.wait_for_selector("#other-agent", timeout=60_000)
    by_sl = {seat.seat: seat for seat in reviewed().seats}[0].decisions[0][0]
    preferred = by_sl.candidates[by_sl.preferred]
    assert page.locator("#other-agent").inner_text().startswith("sl: ")
    assert f"{100 * preferred.probability:.0f}%" in page.locator("#other-agent").inner_text()
    assert page.locator(".theirs").count() == len(by_sl.candidates)
    page.click("#tab-differences")
    assert page.locator(".differences .theirs").count() == page.locator(".differences li").count() > 0
    assert page.locator(".differences .theirs").first.inner_text().startswith("sl: ")
    page.click("#tab-decision")
    page.select_option("[data-setting=language]", "romaji")  # another language is no reason to ask again
    page.wait_for_selector("#other option[value=sl]", state="attached")
    assert page.locator("#other").input_value() == "sl"
    assert page.locator(".theirs").count() == len(by_sl.candidates)
    page.select_option("#other", "")
    assert page.locator("#other-agent").count() == page.locator(".theirs").count() == 0


@pytest.mark.full
def test_a_log_can_be_dropped_on_the_page(page, served):
    page.goto(served)
    page.evaluate(
        """([text, name]) => {
            const held = new DataTransfer();
            held.items.add(new File([text], name));
            document.querySelector(".drop").dispatchEvent(new DragEvent("drop", {dataTransfer: held, bubbles: true}));
        }""",
        [LOG.read_text(), "dropped.mjlog"],
    )
    page.wait_for_selector("svg.table", timeout=60_000)
    assert page.title() == "Review: dropped.mjlog"


def test_an_address_opens_the_summary_of_the_seat_that_it_shows(page, served):
    page.goto(served)
    page.fill("#address", "tenhou.net/6/#json=" + write_tenhou6(everything()).decode() + "&tw=2")
    page.click(".address button")
    page.wait_for_selector(".summary", timeout=60_000)
    name = page.locator(".seats [aria-pressed=true]").inner_text()
    assert page.locator(".summary h3").first.inner_text() == name == page.locator(".seats button").nth(2).inner_text()
    assert set(page.locator(".summary th[scope=row]").all_inner_texts()) >= {"efficiency", "fold"}
    page.reload()
    page.wait_for_selector(".summary")
    assert page.url.endswith("#seat=2")


@pytest.mark.faults
def test_a_file_that_is_no_log_is_told_so_and_another_can_be_opened(page, served, tmp_path):
    bad = tmp_path / "<img src=x>.mjlog"
    bad.write_text("<b>nothing")
    open_log(page, served, bad)
    page.wait_for_selector(".error", timeout=60_000)
    assert "<img src=x>.mjlog: " in page.locator(".error").inner_text()
    assert page.locator("img").count() == 0
    page.reload()
    page.wait_for_selector(".error")
    page.click("text=Open another log")
    page.wait_for_selector("#play-left option[value=sensible]", state="attached")
    page.locator(".kept li", has_text="<img src=x>.mjlog the root is <b>").wait_for()
    assert page.locator("img").count() == 0
    while page.locator(".kept button").count():
        count = page.locator(".kept button").count()
        page.locator(".kept button").first.click()
        page.wait_for_function("(count) => document.querySelectorAll('.kept button').length < count", arg=count)


@pytest.mark.faults
@pytest.mark.parametrize("path", ["/nothing", "/review", "/review/a/b", "/play/"])
def test_an_unknown_address_gets_a_page_that_leads_to_the_start(page, served, path):
    page.goto(f"{served}{path}")
    page.wait_for_selector("h1:text('There is no such page')")
    page.click("text=Start page")
    page.wait_for_selector(".card")
    assert "404" in page.problems.pop(0)  # the browser notes it


@pytest.mark.faults
def test_a_huge_file_is_not_even_sent(page, served, tmp_path):
    huge = tmp_path / "huge.json"
    huge.write_bytes(bytes((8 << 20) + 1))
    open_log(page, served, huge)
    page.wait_for_selector(".error")
    assert "huge.json is larger than" in page.locator(".error").inner_text()
    assert page.url.rstrip("/") == served


@pytest.mark.faults
def test_a_review_that_is_no_longer_there_is_told_so(page, served):
    page.goto(f"{served}/review/gone")
    page.wait_for_selector(".error")
    assert "no such" in page.locator(".error").inner_text()
    assert page.problems.pop(0) and page.problems.pop(0)  # the browser notes both 404s


@pytest.mark.faults
def test_a_page_of_another_site_can_neither_send_nor_read(browser, served):
    context = browser.new_context()
    page = context.new_page()
    page.route("http://evil.example/", lambda route: route.fulfill(body="<h1>evil</h1>", content_type="text/html"))
    page.goto("http://evil.example/")
    outcome = page.evaluate(
        """async (served) => {
            const form = new FormData();
            form.append("log", new File(["hello"], "evil.mjlog"));
            const tries = [fetch(served + "/api/reviews"), fetch(served + "/api/reviews", {method: "POST", body: form}),
                fetch(served + "/api/reviews", {method: "POST", body: form, mode: "no-cors"})];
            const outcomes = await Promise.allSettled(tries);
            return outcomes.map((each) => each.status === "fulfilled" ? each.value.type : "refused");
        }""",
        served,
    )
    assert outcome[:2] == ["refused", "refused"]
    page.goto(served)
    page.wait_for_selector("#log")
    assert "evil.mjlog" not in page.locator("body").inner_text()
    context.close()


def test_a_review_begins_with_its_summary_and_keeps_notes(page, served):
    open_log(page, served, LOG)
    page.wait_for_selector(".summary", timeout=60_000)
    seat = reviewed().seats[0]
    assert page.locator(".figure b").first.inner_text() == f"{seat.rating:.1f}"
    worst = max((each for round in seat.decisions for each in round), key=lambda each: each.difference)
    page.locator(".worst").first.click()
    assert f"round={worst.round}&frame={worst.frame}" in page.url
    page.fill("#own-note", "too <b>greedy")
    page.locator("#own-note").blur()
    page.wait_for_selector(".note [role=status]:text('kept')")
    page.reload()
    page.wait_for_selector("#own-note")
    assert page.input_value("#own-note") == "too <b>greedy"
    page.keyboard.press(".")
    assert page.input_value("#own-note") == ""
    page.click("#tab-differences")
    page.locator(".notes-list button").click()
    assert page.input_value("#own-note") == "too <b>greedy"
