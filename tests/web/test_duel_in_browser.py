"""The page of two-player mahjong in a real browser: a deal, forth and back, nodes, logs."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from suphx import cli
from suphx.equilibrium.duel.log import replay
from suphx.equilibrium.duel.players import play_game, player_named


def faces(page, seat: int, where: str = "") -> list[str]:
    return page.eval_on_selector_all(
        f"svg.table [data-seat='{seat}'] {where} [data-tile]", "all => all.map((each) => each.dataset.tile)"
    )


def deal(page, served, first="normal", second="pairs", seed=3) -> None:
    page.goto(f"{served}/duel#first={first}&second={second}&seed={seed}")
    page.wait_for_selector("svg.table", timeout=120_000)


def test_a_game_is_stepped_through_with_all_hands_open(page, served):
    page.goto(served)
    page.click("#duel")
    page.wait_for_selector("svg.table", timeout=120_000)
    deal(page, served)
    page.reload()
    page.wait_for_selector("svg.table")
    frames = replay(play_game([player_named("normal"), player_named("pairs")], 3, 0), "")["frames"]
    assert page.locator("#where").inner_text() == f"1 / {len(frames)}"
    for at in range(len(frames)):
        for seat, view in enumerate(frames[at]["seats"]):
            assert faces(page, seat, ".own") == view["hand"] + [view["drawn"]] * bool(view["drawn"])
            assert "back" not in faces(page, seat, ".own")
        page.keyboard.press("ArrowRight")
    assert page.locator("#where").inner_text() == f"{len(frames)} / {len(frames)}"
    assert page.locator("#end").inner_text()
    page.keyboard.press("ArrowLeft")
    place = page.url
    assert f"frame={len(frames) - 2}" in place
    page.reload()
    page.wait_for_selector("svg.table")
    assert page.url == place and page.locator("#where").inner_text().startswith(f"{len(frames) - 1} /")
    page.click("#round-before")
    assert page.locator("#where").inner_text().startswith("1 /")


def test_the_node_and_its_policy_are_shown_where_a_plan_is_chosen(page, served):
    deal(page, served, "cfr", "normal", 5)
    own, other = page.locator(".node").nth(0), "section.node.now"
    assert own.get_attribute("data-node").isdigit() and page.locator(other).count() == 1
    shares = own.locator(".chance").all_inner_texts()
    assert len(shares) == 3 and sum(float(each.rstrip("%").replace("<", "")) for each in shares) == pytest.approx(
        100, abs=1.5
    )
    assert "regret" in own.inner_text() and "turn 1" in own.inner_text()
    page.keyboard.press("]")
    assert "A fixed plan" in page.locator(other).inner_text()
    page.keyboard.press("[")
    assert page.locator("#where").inner_text().startswith("1 /")


def test_a_log_is_opened_and_a_bad_one_is_told_in_words(page, served, tmp_path):
    log = tmp_path / "games.jsonl"
    done = CliRunner().invoke(cli.app, ["duel", "play", "pongs", "random", "--deals", "2", "--log", str(log)])
    assert done.exit_code == 0, done.output
    deal(page, served)
    page.set_input_files("#log", log)
    page.wait_for_selector("#games:not([hidden])")
    assert page.locator("#games option").count() == 4
    page.select_option("#games", "3")
    page.wait_for_function("() => document.querySelector('#games').value === '3'")
    frames = replay(json.loads(log.read_text().splitlines()[3]), "")["frames"]
    page.wait_for_function("(n) => document.querySelector('#where').textContent === `1 / ${n}`", arg=len(frames))
    bad = tmp_path / "<b>bad.jsonl"
    bad.write_text(log.read_text().replace('"discard', '"discord', 1))
    page.set_input_files("#log", bad)
    page.wait_for_selector("#status.error")
    assert "<b>bad.jsonl, line 1, move" in page.locator("#status").inner_text()
    assert page.problems.pop(0)  # the browser notes the 422


def test_on_a_phone_nothing_is_wider_than_the_screen(page, served):
    page.set_viewport_size({"width": 360, "height": 740})
    deal(page, served, "cfr", "pongs")
    page.keyboard.press("End")
    assert not page.evaluate("() => document.documentElement.scrollWidth > document.documentElement.clientWidth")
    assert page.locator("#step-after").bounding_box()["y"] < 740
