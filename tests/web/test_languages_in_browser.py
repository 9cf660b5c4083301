"""The page in other languages: by the browser's, by a switch that is remembered, and with no word left in another."""

from __future__ import annotations

import json
import re

import pytest
import requests
from played_games import PLAIN, WHOLE
from reviewed_game import LOG
from serving_app import ended, send
from watched_games import begin

from suphx.web.assets import languages

#: What is no text of the page: names of agents and files, numbers' names in addresses.
NAMES = r"Suphx|sl|tuned|sl-weak|\w+-large|sensible|tsumogiri|random|never_folds|never_calls|[\w-]+\.mjlog|https\S*"


def fullwidth(text: str) -> str:
    """Return a text with its letters widened, but for the names of its values."""
    wide = {n: n - 0x21 + 0xFF01 for n in (*range(0x41, 0x5B), *range(0x61, 0x7B))}
    return "".join(part if part.startswith("{") else part.translate(wide) for part in re.split(r"(\{\w+\})", text))


def strange() -> str:
    """Return the module of texts with Japanese replaced by English in wide letters."""

    def changed(text):
        return fullwidth(text) if isinstance(text, str) else {name: changed(each) for name, each in text.items()}

    found = changed(languages()["en"])
    found["page"] |= {"tag": "ja", "language": "strange"}
    return f"export const TEXTS = {json.dumps(languages() | {'ja': found})};"


#: Narrow words in what is seen or read aloud.
_LEFT = """(names) => {
    const known = new RegExp(`(?<![\\\\w.-])(${names})(?![\\\\w-])`, "g");
    const found = new Set();
    const look = (text, node) => {
        const left = (text || "").replace(known, "").match(/[A-Za-z]{2,}/);
        if (left) found.add(`${left[0]} in <${node.tagName} ${node.getAttribute("class")}>: ${text.slice(0, 80)}`);
    };
    for (const node of document.body.querySelectorAll("*")) {
        if (node.closest("script, style, noscript, kbd, textarea, [data-setting=language]")) continue;
        for (const child of node.childNodes) if (child.nodeType === Node.TEXT_NODE) look(child.data, node);
        for (const name of ["aria-label", "title", "placeholder"]) look(node.getAttribute(name), node);
    }
    look(document.title, document.documentElement);
    return [...found];
}"""


def left(page) -> list[str]:
    return page.evaluate(_LEFT, NAMES)


@pytest.fixture
def strange_page(page):
    """A page whose language is English in wide letters, so that every narrow letter is a word outside of the texts."""
    page.route("**/page/texts.js", lambda route: route.fulfill(body=strange(), content_type="text/javascript"))
    page.add_init_script(
        'localStorage.setItem(\'suphx-page\', \'{"language": "ja", "pace": "instant", "help": true}\')'
    )
    return page


def test_every_word_of_a_review_comes_from_the_texts(strange_page, served):
    page = strange_page
    review = send(served, LOG.read_bytes(), "everything.mjlog")
    assert ended(served, review)[-1]["state"] == "done"
    page.goto(f"{served}/review/{review}")
    page.wait_for_selector("svg.table")
    for tab in ("summary", "differences", "game", "about", "decision"):
        page.click(f"#tab-{tab}")
        assert left(page) == []
    for _ in range(3):  # rounds, with their ends
        for key in ("ArrowRight", ".", "ArrowRight", ".", ".", "d"):
            page.keyboard.press(key)
            assert left(page) == []
        page.keyboard.press("]")
        page.keyboard.press(",")
        for _ in range(4):
            page.keyboard.press("ArrowRight")
            assert left(page) == []


def test_every_word_of_the_start_page_and_of_a_watched_game_comes_from_the_texts(strange_page, served):
    page = strange_page
    game = begin(served, seed=3)
    page.goto(served)
    page.wait_for_selector(f".games a[href='/watch/{game}']")
    page.wait_for_selector(".samples button")
    assert left(page) == []
    page.goto(f"{served}/watch/{game}")
    page.wait_for_selector("svg.table")
    page.keyboard.press("]")
    page.wait_for_function("() => document.querySelector('#round').value === '1'")
    for _ in range(30):
        page.keyboard.press("ArrowLeft")
        assert left(page) == []
    page.goto(f"{served}/watch/gone")
    page.wait_for_selector("#note.error")
    assert left(page) == []
    assert "404" in page.problems.pop(0)


@pytest.mark.full
def test_every_word_of_a_played_game_and_of_the_other_game_comes_from_the_texts(strange_page, served):
    page = strange_page
    data = {"agent": PLAIN, "seed": WHOLE, "seat": 0, "length": "east"}
    game = requests.post(f"{served}/api/play", data=data, timeout=60).json()["id"]
    page.goto(f"{served}/play/{game}")
    for do in ("closed kong", "1m", "pong", "2z", "chow", "1s", "tsumo"):
        what = (
            f"#answers [data-type='{do}']:not(:disabled)"
            if len(do) > 2
            else f"#hand [data-face='{do}'][aria-disabled=false]"
        )
        page.wait_for_selector(what)
        assert left(page) == []
        page.locator(what).first.click()
    page.wait_for_selector("#next")
    page.wait_for_selector("#before tbody tr")
    assert left(page) == []
    page.goto(f"{served}/duel#first=cfr&second=normal&seed=5")
    page.wait_for_selector("svg.table", timeout=120_000)
    for _ in range(12):
        page.keyboard.press("ArrowRight")
        assert left(page) == []
    page.keyboard.press("End")
    assert left(page) == []


def test_japanese_terms_in_english_keep_the_letters_of_the_winds_and_the_honba_of_players(page, served):
    page.goto(served)
    words = """async () => {
        const words = await import("suphx/words.js");
        words.useLanguage("romaji");
        return [words.roundName("South 2", 1), words.t("table.repeat", {count: 1}),
            ...["East", "South", "West", "North"].map(words.windLetter)];
    }"""
    assert page.evaluate(words) == ["South 2, 1 honba", "1 honba", *"ESWN"]


@pytest.mark.parametrize(
    ("browsers", "shown", "said"),
    [
        ("ja-JP", "ja", "牌譜検討"),
        ("zh-CN", "zh-Hans", "牌谱检讨"),
        ("en-GB", "en", "Review a game"),
        ("fr-FR", "en", "Review a game"),
    ],
)
def test_the_language_is_the_browsers(browser, served, browsers, shown, said):
    context = browser.new_context(locale=browsers)
    page = context.new_page()
    page.goto(served)
    page.wait_for_selector(".card")
    assert page.evaluate("() => document.documentElement.lang") == shown
    assert said in page.locator("main").inner_text()
    context.close()


def test_another_language_is_chosen_and_remembered(page, served):
    page.goto(served)
    page.wait_for_selector(".card")
    page.select_option("[data-setting=language]", "zh")
    page.wait_for_function("() => document.documentElement.lang === 'zh-Hans'")
    assert "与AI对局" in page.locator("main").inner_text()
    page.goto(f"{served}/duel#first=normal&second=normal")
    page.wait_for_function("() => document.title === '双人麻将'")


def test_the_file_of_a_review_speaks_the_browsers_language_without_a_network(browser, review_file):
    context = browser.new_context(locale="ja-JP", offline=True)
    page = context.new_page()
    page.goto(review_file.as_uri())
    page.wait_for_selector("svg.table")
    assert page.title().startswith("牌譜検討: ")
    assert "差の大きい判断" in page.locator(".panel").inner_text()
    assert "東1局" in page.locator("#round option").first.inner_text()
    context.close()
