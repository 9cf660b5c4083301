"""The views by axe-core: contrast, headings, names, headers of tables; and the hand on short screens."""

from __future__ import annotations

import pytest
import requests
from axe_playwright_python.base import AXE_SCRIPT
from reviewed_game import LOG
from serving_app import ended, send

REVIEW_TABS = ("summary", "decision", "differences", "game", "about")


def opened(browser, served, view: str, **how):
    """Return a page with a view of the server, once it is drawn."""
    if view == "review":
        review = send(served, LOG.read_bytes())
        assert ended(served, review)[-1]["state"] == "done"
        path = f"review/{review}"
    elif view == "watch":
        agents = {"agent": ["sensible"] * 4}
        path = f"watch/{requests.post(f'{served}/api/games/live', data=agents, timeout=60).json()['id']}"
    elif view == "play":
        agents = {"agent": ["sensible"] * 3}
        path = f"play/{requests.post(f'{served}/api/play', data=agents, timeout=60).json()['id']}"
    else:
        path = "duel#first=cfr&second=normal&seed=3" if view == "duel" else ""
    page = browser.new_context(bypass_csp=True, **how).new_page()  # axe is a script of its own
    page.goto(f"{served}/{path}")
    page.wait_for_selector({"start": ".card", "duel": ".node"}.get(view, "svg.table"), timeout=60_000)
    return page


def violations(page, **rules) -> list[str]:
    """Return what axe-core finds, by all of its rules or by some (`runOnly`, `rules`)."""
    return [
        f"{each['id']}: {node['html'][:200]}"
        for each in page.evaluate("rules => axe.run(rules)", rules)["violations"]
        for node in each["nodes"]
    ]


#: A phone on its side, and half a window's size, which is a window at twice the size of letters.
SHORT = [pytest.param((844, 390), id="phone"), pytest.param((700, 475), id="twice the size", marks=pytest.mark.full)]


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.full)])
@pytest.mark.parametrize("view", ["start", "review", "watch", "play", "duel"])
def test_axe_finds_nothing(view, scheme, browser, served):
    page = opened(browser, served, view, color_scheme=scheme, viewport={"width": 1400, "height": 950})
    page.evaluate(AXE_SCRIPT)
    rules = {"runOnly": ["color-contrast"]} if scheme == "dark" else {}  # all else is as in the light
    assert violations(page, **rules) == []
    for tab in REVIEW_TABS if view == "review" else ():
        page.click(f"#tab-{tab}")
        assert violations(page, **rules) == [], tab
    page.context.close()


@pytest.mark.parametrize("size", SHORT)
def test_a_short_screen_shows_the_hand_of_a_review_without_scrolling(size, browser, served):
    page = opened(browser, served, "review", viewport={"width": size[0], "height": size[1]})
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    table, panel = page.locator("svg.table").bounding_box(), page.locator("#panel").bounding_box()
    assert table["y"] >= 0 and table["y"] + table["height"] <= size[1] and table["x"] + table["width"] <= panel["x"]
    page.context.close()


@pytest.mark.parametrize("size", SHORT)
def test_a_short_screen_shows_table_and_hand_of_a_played_game_without_scrolling(size, browser, served):
    page = opened(browser, served, "play", viewport={"width": size[0], "height": size[1]})
    page.wait_for_selector("#hand .own-tile")
    for place in ("svg.table", "#hand"):
        box = page.locator(place).bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= size[1] and box["x"] + box["width"] <= size[0]
    page.context.close()


@pytest.mark.full
def test_the_play_table_uses_a_large_window(browser, served):
    widths = []
    for size in ((1400, 950), (2560, 1440)):
        page = opened(browser, served, "play", viewport={"width": size[0], "height": size[1]})
        page.wait_for_selector("#hand .own-tile")
        boxes = [page.locator(place).first.bounding_box() for place in ("svg.table", "#hand .own-tile")]
        widths.append([box["width"] for box in boxes])
        assert page.locator(".right").bounding_box()["x"] + 2 * widths[-1][1] > size[0] * 0.7
        page.context.close()
    assert all(large > 1.4 * small for small, large in zip(*widths, strict=True))


@pytest.mark.full
@pytest.mark.parametrize("language", ["ja-JP", "zh-CN"])
@pytest.mark.parametrize("view", ["start", "review", "play"])
def test_axe_finds_nothing_in_other_languages(view, language, browser, served):
    page = opened(browser, served, view, locale=language, viewport={"width": 1400, "height": 950})
    page.evaluate(AXE_SCRIPT)
    assert violations(page, rules={"color-contrast": {"enabled": False}}) == []
    page.context.close()
