"""Playing in a real browser: a whole game by mouse, a round by keyboard, coming back, two tabs, the clock, a phone."""

from __future__ import annotations

import json
import re

import pytest
import requests
from played_games import ADDED, LET_GO, PLAIN, SWAP, WHOLE, Person
from relay import relayed
from serving_app import serving

from simulator.logs.mjlog import read_mjlog

AT_ONCE = json.dumps({"pace": "instant"})


def show_at_once(page) -> None:
    """Have positions shown without a pause between them, unless the page has other settings."""
    page.add_init_script(f"localStorage.getItem('suphx-page') || localStorage.setItem('suphx-page', '{AT_ONCE}')")


def sit_down(page, served, seed: int = WHOLE, seat: int = 0, agents: list[str] = PLAIN, **form: int | str) -> str:
    """Start a game and open it; return its id."""
    data = {"agent": agents, "seed": seed, "seat": seat, "length": "east", **form}
    game = requests.post(f"{served}/api/play", data=data, timeout=60).json()["id"]
    show_at_once(page)
    page.goto(f"{served}/play/{game}")
    page.wait_for_selector("#hand button")
    return game


def tile(face: str) -> str:
    """Return the selector of a tile of the own hand that may be discarded; of several alike the first is taken."""
    return f"#hand .own-tile[data-face='{face}'][aria-disabled=false]"


def answer(kind: str) -> str:
    return f"#answers [data-type='{kind}']:not(:disabled)"


def discard(page, face: str) -> None:
    page.locator(tile(face)).first.click()


def hand(page) -> list[str]:
    return page.eval_on_selector_all("#hand .own-tile", "all => all.map((each) => each.dataset.face)")


def heard(page) -> str:
    return page.locator("#status").text_content()


def tip(page) -> tuple[str, list[int], str]:
    """Return what is said above the hand: the first word, how many tiles of each kind are left, and furiten."""
    text = page.locator("#tip").inner_text()
    found = re.findall("\u00d7(\\d)", text)
    return text.split()[0], list(map(int, found)), "furiten" if "furiten" in text else ""


def test_a_whole_game_by_mouse_from_the_start_page_to_its_review(page, served, tmp_path):
    show_at_once(page)
    page.goto(served)
    for place in ("right", "across", "left"):
        page.wait_for_selector(f"#play-{place} option[value=tsumogiri]", state="attached")
        page.select_option(f"#play-{place}", "tsumogiri")
    page.select_option("#play-seat", "0")
    page.select_option("#play-length", "east")
    page.fill("#play-seed", str(WHOLE))
    page.click("#play")
    page.wait_for_selector("#hand button")
    assert re.fullmatch(rf"{served}/play/[\w-]+", page.url)

    page.click(answer("closed kong"))
    page.wait_for_selector("#hand .drawn[data-face='2z']")
    discard(page, "1m")
    page.click(answer("pong"))
    page.wait_for_selector(tile("2z"))
    assert page.locator("#hand [data-face='5z']").count() == 0
    melds = page.locator("#hand .own-melds [data-tile='5z'][transform*=rotate]")
    assert melds.count() == 1  # turned, as it was called
    page.reload()  # in the middle of it
    page.wait_for_selector(tile("2z"))
    discard(page, "2z")
    page.click(answer("chow"))
    discard(page, "1s")
    page.wait_for_selector(answer("tsumo"))
    assert tip(page) == ("ready", [4, 3], "furiten")  # of the drawn tile, which has the focus: it is one of the waits
    page.click(answer("tsumo"))
    page.wait_for_selector("#next")
    outcome = page.locator("#outcome").inner_text()
    assert "white dragon" in outcome and "1 han, 50 fu: 2,400 points" in outcome and "+2,400" in outcome

    page.click("#next")
    discard(page, "1z")
    page.wait_for_selector("#next")
    assert "four winds" in page.locator("#outcome .result").inner_text()

    page.click("#next")
    page.click(answer("riichi"))
    assert page.locator("#hand [aria-disabled=false]").count() == 1
    discard(page, "9m")
    page.wait_for_selector(answer("ron"))
    assert page.locator("svg.table [data-tile='9m'][transform*=rotate]").count() == 1
    page.click(answer("ron"))
    page.wait_for_selector("#next")
    assert page.locator("#outcome .won").count() == 2
    assert "ura dora" in page.locator("#outcome .won").nth(1).inner_text()

    page.click("#next")
    discard(page, "5m")
    page.click(answer("ron"))
    page.wait_for_selector("#final")
    assert page.locator("#final tr.me").inner_text().split("\t")[0] == "1. You"
    assert page.locator("#before tbody tr").count() == 4
    page.reload()
    page.wait_for_selector("#final")
    with page.expect_download() as download:
        page.click("#keep")
    download.value.save_as(tmp_path / "kept.mjlog")
    assert len(read_mjlog((tmp_path / "kept.mjlog").read_bytes(), "kept").rounds) == 4
    page.click("#review")
    page.wait_for_selector(".summary", timeout=60_000)
    assert re.search(r"/review/[\w-]+#seat=0$", page.url)
    assert page.locator(".seats [aria-pressed=true]").inner_text() == "You"
    page.go_back()
    played = page.url
    page.click("#again")
    page.wait_for_url(lambda address: "/play/" in address and address != played)
    page.wait_for_selector("#hand button")
    status = requests.get(page.url.replace("/play/", "/api/play/"), timeout=60).json()
    assert (status["agents"], status["seat"], status["length"], status["pace"]) == (PLAIN, 0, "east", None)


def has_focus(page, where: str) -> bool:
    return page.evaluate("(where) => document.activeElement.matches(where)", where)


def test_a_round_by_keyboard_alone_with_the_focus_never_lost(page, served):
    sit_down(page, served)
    page.wait_for_function("() => document.activeElement.matches('#hand .drawn')")
    page.keyboard.press("Home")
    assert has_focus(page, "#hand [data-face='3m']")
    page.keyboard.press("ArrowRight")
    assert has_focus(page, "#hand [data-face='4m']")
    page.keyboard.press("End")
    assert has_focus(page, "#hand .drawn")
    page.keyboard.press("k")
    page.wait_for_function("() => document.activeElement.matches('#hand .drawn[data-face=\"2z\"]')")
    page.keyboard.press("d")  # the replacement
    page.wait_for_selector(answer("pong"))
    assert has_focus(page, "#answers")  # no button, so that nothing is pressed by chance
    assert "South discards white dragon. You may choose: pong." in heard(page)
    page.keyboard.press("p")
    page.wait_for_selector(tile("1m"))
    assert has_focus(page, "#hand *")
    page.keyboard.press("Home")
    page.keyboard.press("Enter")  # the first tile goes
    page.wait_for_function("() => !document.querySelector('#hand [data-face=\"1m\"]')")
    page.wait_for_selector(".asked")
    while page.locator("#next").count() == 0:  # to the end of the round
        before = page.locator("#status").text_content()
        page.keyboard.press("x" if page.locator(answer("pass")).count() else "d")
        page.wait_for_function(
            "(before) => document.querySelector('#next, .asked') && "
            "document.querySelector('#status').textContent !== before",
            arg=before,
        )
        assert not has_focus(page, "body")
    page.wait_for_function("() => document.activeElement.id === 'next'")
    page.keyboard.press("Enter")
    page.wait_for_selector(tile("1z"))
    assert has_focus(page, "#hand *")
    assert "East 1, 1 honba" in page.locator("#place").inner_text() or "East 2" in page.locator("#place").inner_text()


def test_riichi_is_taken_back_before_its_discard(page, served):
    sit_down(page, served, seed=LET_GO)
    page.wait_for_selector(answer("riichi"))
    page.keyboard.press("r")
    assert page.locator(answer("riichi")).get_attribute("aria-pressed") == "true"
    assert page.locator("#hand [aria-disabled=false]").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("#hand [aria-disabled=false]").count() == 14
    page.keyboard.press("r")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.wait_for_selector("svg.table .stick")
    assert page.locator("svg.table [data-tile='9m'][transform*=rotate]").count() == 1


def test_furiten_waits_and_what_a_discard_leads_to_are_told(page, served):
    sit_down(page, served, seed=LET_GO)
    page.hover(tile("9m"))
    assert tip(page) == ("ready", [4, 4], "")
    page.hover(tile("2m"))
    assert "away" not in page.locator("#tip").inner_text()
    page.click("[data-setting=help]")
    page.hover(tile("2p"))
    assert re.match(r"1 away · accepts \d+", page.locator("#tip").inner_text())
    discard(page, "9m")
    page.click(answer("pass"))
    page.wait_for_selector("#furiten[data-why=passed]")
    assert "you let a win pass" in page.locator("#furiten").get_attribute("title")
    discard(page, "9p")
    page.wait_for_function("() => document.querySelector('#furiten').textContent === ''")


def test_the_coach_stands_beside_the_hand_when_it_is_wanted_and_tells_what_cost_most(page, served):
    game = sit_down(page, served, length="east_south")
    assert page.locator("#coach *").count() == 0 and page.locator(".share").count() == 0
    page.keyboard.press("a")
    page.wait_for_selector("#coach .candidate")
    advice = requests.get(f"{served}/api/play/{game}/advice", params={"number": 1}, timeout=60).json()
    assert page.locator("#coach .candidate").count() == len(advice["candidates"])
    best = page.locator(".share.best")
    assert best.count() == 1  # on the tile, or on the button
    assert page.locator("#coach .candidate.preferred .chance").inner_text() == best.inner_text()
    page.click(answer("closed kong"))
    page.wait_for_selector("#hand .drawn[data-face='2z'] .share")
    assert re.search(r", agent [<\d.]+%, deals in [<\d.]+%", page.locator("#hand .drawn").get_attribute("aria-label"))
    assert page.locator("#hand .risk-meter").count() == page.locator("#hand .own-tile").count()
    assert "points, place" in page.locator("#coach .outlook").inner_text()
    assert page.locator("#coach .candidate .at-stake .deals-in").count() == page.locator("#coach .candidate").count()
    while page.locator("#next").count() == 0:
        before = page.locator("#status").text_content()
        page.keyboard.press("x" if page.locator(answer("pass")).count() else "d")
        page.wait_for_function(
            "(before) => document.querySelector('#next, .asked') && "
            "document.querySelector('#status').textContent !== before",
            arg=before,
        )
    page.wait_for_selector("#outcome .costly")
    assert page.locator("#outcome .costly .worst:has-text('points lost')").count() == 2
    page.keyboard.press("a")
    assert page.locator("#outcome .costly").count() == 0
    page.keyboard.press("a")
    sit_down(page, served)  # East alone
    page.wait_for_selector("#coach .candidate")
    assert page.locator("#hand .risk-meter").count() == page.locator("#hand .own-tile").count()


def test_the_coach_says_how_likely_an_added_kong_is(page, served):
    sit_down(page, served, seed=ADDED)
    discard(page, "9m")
    page.click(answer("pong"))
    discard(page, "1m")
    page.wait_for_selector(answer("added kong"))
    page.keyboard.press("a")
    page.wait_for_selector(f"{answer('added kong')} .share")


def test_sounds_are_made_only_if_they_are_wanted(page, served):
    page.add_init_script("""
        window.tones = 0;
        const nothing = new Proxy(() => nothing, {get: (_, name) => name === Symbol.toPrimitive ? () => 0 : nothing});
        window.AudioContext = class {
            createOscillator() { window.tones += 1; return nothing; }
            createGain() { return nothing; }
        };
    """)
    sit_down(page, served)
    discard(page, "1m")
    page.wait_for_selector(answer("pong"))
    assert page.evaluate("() => window.tones") == 0
    page.keyboard.press("s")
    page.wait_for_selector("[data-setting=sound][aria-pressed=true]")
    page.keyboard.press("p")
    page.wait_for_selector(tile("3m"))
    assert page.evaluate("() => window.tones") == 2  # of a call


def test_tiles_that_may_not_be_swapped_cannot_be_chosen(page, served):
    sit_down(page, served, seed=SWAP, seat=1)
    page.click(answer("chow"))
    page.wait_for_selector(tile("1p"))
    forbidden = page.locator("#hand [data-face='7m'], #hand [data-face='4m']")
    assert forbidden.count() == 3
    assert set(forbidden.evaluate_all("all => all.map((each) => each.ariaDisabled)")) == {"true"}
    assert "may not be discarded" in forbidden.first.get_attribute("aria-label")
    before = hand(page)
    forbidden.first.click(force=True)  # it is told to be no button that can be pressed
    discard(page, "1p")
    page.wait_for_function(
        "(n) => document.querySelectorAll('#hand [data-face=\"7m\"]').length === n", arg=before.count("7m")
    )


def test_other_hands_are_face_down(page, served):
    sit_down(page, served, seat=2)
    for seat in (0, 1, 3):
        shown = page.locator(f"svg.table > g[data-seat='{seat}'] [data-tile]")
        faces = shown.evaluate_all("all => all.map((each) => each.dataset.tile)")
        assert faces.count("back") >= 13 and len(faces) - faces.count("back") <= 1  # but for what it has discarded
    assert "back" not in hand(page)


def test_two_tabs_show_one_game(page, served):
    sit_down(page, served)
    second = page.context.new_page()
    second.goto(page.url)
    second.wait_for_selector(tile("1m"))
    discard(second, "1m")
    page.wait_for_selector(answer("pong"))
    second.wait_for_selector(answer("pong"))
    page.click(answer("pass"))
    for tab in (page, second):
        tab.wait_for_selector("#hand .drawn")
    assert hand(page) == hand(second)
    second.close()


def test_the_options_answer_and_are_the_same_in_both_tabs(page, served):
    sit_down(page, served)
    second = page.context.new_page()
    second.goto(page.url)
    second.wait_for_selector(tile("1m"))
    page.click("[data-option=no_calls]")
    second.wait_for_selector("[data-option=no_calls][aria-pressed=true]")
    discard(second, "1m")
    page.wait_for_selector("#hand .drawn")  # the pong was not asked
    second.close()


def test_the_clock_is_shown_and_the_server_discards_when_it_runs_out(page, served):
    sit_down(page, served, decision=1, reserve=1)
    page.wait_for_function("() => /^[12] [+] [01]$/.test(document.querySelector('#clock').textContent)")
    page.wait_for_selector(answer("pong"))
    assert "1m" not in hand(page)


def test_positions_are_shown_one_after_the_other(page, served):
    sit_down(page, served)
    page.select_option("#pace", "normal")
    discard(page, "1m")
    page.wait_for_selector(answer("pass"))
    page.evaluate("""() => {
        window.seen = [];
        new MutationObserver(() => {
            const left = /(\\d\\d) tiles left/.exec(document.querySelector("svg.table").textContent)[1];
            if (window.seen.at(-1) !== left) window.seen.push(left);
        }).observe(document.querySelector(".table-place"), {childList: true});
    }""")
    page.click(answer("pass"))
    page.wait_for_selector("#hand .drawn")
    assert page.evaluate("() => window.seen") == ["68", "67", "66", "65"]


@pytest.mark.faults
def test_an_answer_that_does_not_arrive_can_be_given_again(page, served):
    sit_down(page, served)
    page.route("**/answer", lambda route: route.abort())
    discard(page, "1m")
    page.wait_for_function("() => document.querySelector('#note').textContent.includes('does not answer')")
    page.unroute("**/answer")
    discard(page, "1m")
    page.wait_for_selector(answer("pong"))
    assert page.locator("#note").text_content() == ""
    assert all("ERR_FAILED" in page.problems.pop() for _ in page.problems[:])


@pytest.mark.faults
def test_a_broken_connection_is_told_and_what_came_meanwhile_is_shown(page, served):
    with relayed(served) as relay:
        game = sit_down(page, relay.address)
        relay.cut()
        page.wait_for_function("() => document.querySelector('#note').textContent.includes('Connection lost')")
        elsewhere = Person(served, game=game)
        elsewhere.asked()
        elsewhere.play("discard 1m")
        elsewhere.play("pass")
        elsewhere.hang_up()
        relay.mend()
        page.wait_for_function("() => document.querySelector('svg.table').textContent.includes('65 tiles left')")
        page.wait_for_function("() => document.querySelector('#note').textContent === ''")
        page.goto(served)
    assert page.problems
    assert all("ERR_" in page.problems.pop() for _ in page.problems[:])


@pytest.mark.full
@pytest.mark.faults
def test_two_tabs_on_one_game_are_told_when_the_server_was_started_anew(page, served):
    with relayed(served) as relay, serving() as anew:
        sit_down(page, relay.address)
        second = page.context.new_page()
        second.goto(page.url)
        second.wait_for_selector(tile("1m"))
        relay.cut()
        for tab in (page, second):
            tab.wait_for_function("() => document.querySelector('#note').textContent.includes('Connection lost')")
        relay.mend(anew)
        for tab in (page, second):
            tab.wait_for_function("() => document.querySelector('#note').textContent.includes('no such')")
        second.close()
        page.goto(served)
    assert page.problems
    assert all(re.search("ERR_|404", page.problems.pop()) for _ in page.problems[:])


@pytest.mark.faults
def test_a_game_that_is_gone_is_told_so(page, served):
    game = sit_down(page, served)
    requests.delete(f"{served}/api/play/{game}", timeout=60)
    page.wait_for_function("() => document.querySelector('#note').textContent.includes('no such')")
    page.reload()
    page.wait_for_selector("#note.error")
    assert "no such" in page.locator("#note").inner_text()
    assert all("404" in page.problems.pop() for _ in page.problems[:])


@pytest.mark.parametrize(("wide", "high"), [(360, 740), pytest.param(740, 360, marks=pytest.mark.full)])
def test_on_a_phone_everything_is_within_reach_of_a_thumb(browser, served, wide, high):
    context = browser.new_context(viewport={"width": wide, "height": high}, has_touch=True, is_mobile=True)
    page = context.new_page()
    sit_down(page, served)
    assert not page.evaluate("() => document.documentElement.scrollWidth > document.documentElement.clientWidth")
    boxes = [each.bounding_box() for each in page.locator("#hand .own-tile").all()]
    assert len(boxes) == 14 and min(box["width"] for box in boxes) >= 24
    assert max(box["y"] + box["height"] for box in boxes) <= high
    page.locator(tile("1m")).tap()  # chosen, not yet discarded
    page.wait_for_selector("#hand .chosen[data-face='1m']")
    page.locator(tile("1m")).tap()
    page.locator(answer("pong")).tap()
    page.wait_for_selector(tile("3m"))
    context.close()
