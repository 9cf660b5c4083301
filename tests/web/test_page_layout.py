"""On screens from a phone to a desktop the table fills its room, the hand is one row, nothing is cut or overlaps."""

from __future__ import annotations

import json
from itertools import combinations

import pytest
import requests
from played_games import PLAIN, WHOLE
from reviewed_game import LOG
from serving_app import ended, send
from watched_games import begin

SIZES = [(390, 844), (844, 390), (1280, 720), (1366, 650), (1920, 1080)]
LANGUAGES = ["en", *(pytest.param(each, marks=pytest.mark.full) for each in ("romaji", "ja", "zh"))]
#: What shares the window of a played game.
PARTS = [".top", ".table-place", "#hand", ".tips", "#answers", ".options", ".right"]
#: Pixels: a tile that leaps up under the pointer or the focus.
LIFT = 8


def open_at(page, address: str, language: str, ready: str, **settings) -> None:
    values = json.dumps({"pace": "instant", "language": language, **settings})
    page.add_init_script(f"localStorage.setItem('suphx-page', '{values}')")
    page.goto(address)
    page.wait_for_selector(ready)


def resized(page):
    """Yield each size once the page has it; the table is drawn anew a moment later."""
    for size in SIZES:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        yield size


def boxes(page, where: str) -> list[dict]:
    """Return the boxes of elements on the screen, all at one moment: a running game may be drawn anew at the next."""
    script = """(where) => [...document.querySelectorAll(where)].map((each) => {
        const {left, right, top, bottom, width, height} = each.getBoundingClientRect();
        return {left, right, top, bottom, width, height};
    })"""
    return page.evaluate(script, where)


def overlap(one: dict, other: dict, by: float = 1) -> bool:
    across = min(one["right"], other["right"]) - max(one["left"], other["left"])
    down = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
    return across > by and down > by


def is_inside(box: dict, size: tuple[int, int]) -> bool:
    return box["left"] >= 0 and box["top"] >= -1 and box["right"] <= size[0] + 1 and box["bottom"] <= size[1] + 1


def cut_selects(page) -> list[str]:
    """Return the selects whose chosen words do not fit."""
    if page.locator("#settings-button").is_visible():
        page.evaluate("() => document.querySelector('#settings').showPopover()")
    cut = page.evaluate("""() => [...document.querySelectorAll("select")].filter((each) => {
        const free = each.cloneNode(true);
        const { font } = getComputedStyle(each);
        Object.assign(free.style, {width: "max-content", flex: "none", position: "absolute", font});
        free.replaceChildren(new Option(each.selectedOptions[0].text));
        each.after(free);
        const wanted = free.offsetWidth;
        free.remove();
        return each.offsetWidth < wanted;
    }).map((each) => each.id || each.dataset.setting)""")
    page.evaluate("() => document.querySelector('#settings:popover-open')?.hidePopover()")
    return cut


def choose_discards(page, number: int) -> None:
    """Have drawn tiles discarded until there are as many in the own river."""
    page.click("[data-option=no_calls]")
    page.click("[data-option=discard_drawn]")
    script = "(n) => document.querySelectorAll(\"svg.table > g[data-seat='0'] .river [data-tile]\").length >= n"
    page.wait_for_function(script, arg=number)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_fills_the_window_beside_a_hand_in_one_row(page, served, language):
    form = {"agent": PLAIN, "seed": WHOLE + 100, "seat": 0, "length": "east"}
    game = requests.post(f"{served}/api/play", data=form, timeout=60).json()["id"]
    open_at(page, f"{served}/play/{game}", language, "#hand .own-tile[aria-disabled=false]")
    choose_discards(page, 8)
    page.click("[data-option=discard_drawn]")
    for size in resized(page):
        wide, high = size
        (table,) = boxes(page, "svg.table")
        assert table["width"] >= (0.6 if wide > high else 0.95) * wide, size
        if wide > high:
            assert table["height"] >= 0.75 * high, size
        rivers = [min(box["width"], box["height"]) for box in boxes(page, "svg.table .river [data-tile] > use")]
        assert min(rivers) >= (22 if min(size) < 500 else 32), size
        # 11 but for rounding, with the room above and below its letters
        assert boxes(page, "svg.table .tiles-left")[0]["height"] >= 10.9, size
        hand = boxes(page, "#hand .own-tile")
        assert all(is_inside(box, size) for box in hand) and min(box["width"] for box in hand) >= 24, size
        assert max(box["top"] for box in hand) - min(box["top"] for box in hand) <= LIFT, size
        assert not any(overlap(*pair) for pair in combinations(hand, 2)), size
        parts = {where: boxes(page, where)[0] for where in PARTS}
        assert all(is_inside(box, size) for box in parts.values()), (size, parts)
        overlapping = [pair for pair in combinations(PARTS, 2) if overlap(parts[pair[0]], parts[pair[1]], LIFT)]
        assert overlapping == [], size
        assert cut_selects(page) == [], size


@pytest.mark.parametrize("view", ["review", "watch"])
@pytest.mark.parametrize("language", [pytest.param(each, marks=pytest.mark.full) for each in ("romaji", "ja")])
def test_the_table_fills_the_window_of_a_game_that_is_looked_at(page, served, view, language):
    if view == "review":
        place = f"review/{(review := send(served, LOG.read_bytes()))}#seat=0&round=0&frame=60"
        assert ended(served, review)[-1]["state"] == "done"
    else:
        place = f"watch/{begin(served)}#seat=0&round=0&frame=40"
    open_at(page, f"{served}/{place}", language, "svg.table .river [data-tile]")
    for size in resized(page):
        wide, high = size
        (table,) = boxes(page, "svg.table")
        assert is_inside(table, size), size
        assert table["width"] >= (0.6 if wide > high else 0.95) * wide, size
        least = min(min(box["width"], box["height"]) for box in boxes(page, "svg.table .river [data-tile] > use"))
        assert least >= (15 if high < 500 else 20), (size, least)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= wide, size
        assert not overlap(table, boxes(page, ".top")[0]) and not overlap(table, boxes(page, ".right")[0]), size
        assert cut_selects(page) == [], size


def play_to_a_double_ron(page, served) -> None:
    """Play `WHOLE` from its start page to the end of the third round."""
    for do in ("closed kong", "1m", "pong", "2z", "chow", "1s", "tsumo", "#next", "1z", "#next", "riichi", "9m", "ron"):
        tile = f"#hand [data-face='{do}'][aria-disabled=false]"
        what = do if do[0] == "#" else tile if len(do) == 2 else f"#answers [data-type='{do}']:not(:disabled)"
        page.locator(what).first.click()
    page.wait_for_selector("#outcome .won + .won")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_result_of_a_round_and_of_a_game_is_shown_whole(page, served, language):
    form = {"agent": PLAIN, "seed": WHOLE, "seat": 0, "length": "east"}
    game = requests.post(f"{served}/api/play", data=form, timeout=60).json()["id"]
    open_at(page, f"{served}/play/{game}", language, "#hand .own-tile[aria-disabled=false]")
    play_to_a_double_ron(page, served)
    for shown in ("#outcome .won", "#final"):
        if shown == "#final":
            page.locator("#next").click()
            page.locator("#hand [data-face='5m'][aria-disabled=false]").first.click()
            page.locator("#answers [data-type='ron']:not(:disabled)").click()
        page.wait_for_selector(shown)
        for size in resized(page):
            seen = boxes(page, f"{shown}, #outcome .payments td, #outcome .won-hand svg, #outcome button")
            assert all(is_inside(box, size) for box in seen), (shown, size)
            (text,) = boxes(page, "#outcome .outcome-text")
            payments = boxes(page, "#outcome .payments")[0]
            assert payments["bottom"] <= text["bottom"] + 1 and payments["right"] <= text["right"] + 1, (shown, size)
            scrolls = "each => each.scrollHeight > each.clientHeight + 1 || each.scrollWidth > each.clientWidth"
            assert not page.locator("#outcome .outcome-text").evaluate(scrolls), (shown, size)
