"""The page of a review, as one file, in a real browser: what is seen, by mouse, by keyboard, on a phone, read aloud."""

from __future__ import annotations

import json
import re

import pytest
from reviewed_game import reviewed

from suphx.review.yardstick import included_yardstick
from suphx.web.assets import review_page

ROUND_OF_DOUBLE_RON, ROUND_OF_NINE_TERMINALS = 0, 4


def open_at(page, path, place: str = "") -> None:
    page.goto("about:blank")
    page.goto(path.as_uri() + place)
    page.wait_for_selector("svg.table")


def last_frame(number: int) -> int:
    return len(reviewed().rounds[number].frames) - 1


def test_the_file_opens_and_asks_the_network_for_nothing(page, review_file):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(review_file.as_uri())
    page.wait_for_selector("svg.table")
    assert asked == [review_file.as_uri()]
    assert "sensible" in page.title()


def test_it_begins_with_the_first_decision_and_full_stop_and_comma_go_through_them(page, review_file):
    open_at(page, review_file)
    assert page.locator(".summary").count() == 1
    assert page.url.endswith("#seat=0")
    page.keyboard.press(".")
    decisions = [each for of_round in reviewed().seats[0].decisions for each in of_round]
    for each in decisions[1:5]:
        shown = page.evaluate("() => Object.fromEntries(new URLSearchParams(location.hash.slice(1)))")
        assert (int(shown["round"]), int(shown["frame"])) == (each.round, each.frame)
        assert page.locator(".candidate").count() == len(each.candidates)
        page.keyboard.press(".")
    page.keyboard.press(",")
    assert f"frame={decisions[4].frame}" in page.url


@pytest.mark.full
def test_every_moment_of_the_game_can_be_drawn_from_each_seat_in_turn(page, review_file):
    open_at(page, review_file, "#seat=0&round=0&frame=0")
    drawn = page.evaluate("""() => {
        const press = (key) => document.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
        const counts = [];
        const place = () => location.hash.replace(/seat=./, "");
        for (let before = null; before !== place();) {
            before = place();
            press("2341"[counts.length % 4]);
            counts.push(document.querySelectorAll("svg.table .own [data-tile]").length);
            press("ArrowRight");
        }
        return counts;
    }""")
    assert len(drawn) == sum(len(each.frames) for each in reviewed().rounds)
    assert set(drawn) <= {13, 14, 15, 16, 17}  # with kongs more than 14


def test_the_bars_and_the_frames_stand_on_the_right_tiles(page, review_file):
    for each in (each for of_round in reviewed().seats[2].decisions for each in of_round):
        if each.situation == "discard" and not each.agrees:
            break
    open_at(page, review_file, f"#seat=2&round={each.round}&frame={each.frame}")
    taken, preferred = each.candidates[each.taken], each.candidates[each.preferred]
    own = page.locator("svg.table .own")
    assert own.locator("g:has(> .mark-taken)").get_attribute("data-tile") == taken.tile
    assert own.locator("g:has(> .mark-preferred)").get_attribute("data-tile") == preferred.tile
    assert own.locator(".bar").count() == len(each.candidates)
    verdict = page.locator(".verdict").inner_text()
    assert f"Difference {each.difference:.2f}" in verdict


def test_calls_and_passes_stand_on_the_table_with_their_probabilities(page, review_file):
    each = next(
        each for of_round in reviewed().seats[0].decisions for each in of_round
        if each.situation == "call" and not each.agrees
    )  # fmt: skip
    open_at(page, review_file, f"#seat=0&round={each.round}&frame={each.frame}")
    words = page.locator("svg.table .choice-word").all_text_contents()
    for number, candidate in enumerate(each.candidates):
        if candidate.probability >= 0.005 or number == each.taken:
            assert any(candidate.type in word for word in words)
    assert page.locator("svg.table .choice.preferred").count() == 1
    assert page.locator("svg.table .choice.taken").count() == 1
    assert page.locator("svg.table .bar").count() == 0


def test_a_tile_that_may_be_won_on_by_riichi_is_marked_on_table_and_list(page, review_file):
    each = next(
        each for seat in reviewed().seats[:1] for of_round in seat.decisions for each in of_round
        if any(candidate.danger for candidate in each.candidates)
    )  # fmt: skip
    open_at(page, review_file, f"#seat=0&round={each.round}&frame={each.frame}")
    dangerous = sum(bool(candidate.danger) for candidate in each.candidates)
    assert page.locator("svg.table .danger").count() == dangerous
    assert page.locator(".risk").count() == dangerous
    assert page.locator(".risk").first.get_attribute("aria-label").startswith("danger: ")


def test_the_risk_of_every_discard_stands_under_its_tile_and_in_the_list(page, review_file):
    """Against a riichi, where risks are seen; with what the position and each candidate are worth, and the legend."""
    each = next(
        each for of_round in reviewed().seats[0].decisions for each in of_round
        if each.against_riichi and each.situation == "discard"
        and any(sum(candidate.deals_in) > 0.02 for candidate in each.candidates)
    )  # fmt: skip
    open_at(page, review_file, f"#seat=0&round={each.round}&frame={each.frame}")
    bars = page.locator("svg.table .risk-bar")
    assert bars.count() == len(each.candidates)
    assert all(words.startswith("deals in ") for words in bars.evaluate_all("all => all.map((bar) => bar.ariaLabel)"))
    widths = page.locator("svg.table .own").evaluate("""own => Object.fromEntries(
        [...own.querySelectorAll(".risk-bar")].map((bar) => [
            bar.previousElementSibling.dataset.tile, Number(bar.lastElementChild.getAttribute("width"))]))""")
    riskiest = max(each.candidates, key=lambda candidate: sum(candidate.deals_in))
    safest = min(each.candidates, key=lambda candidate: sum(candidate.deals_in))
    assert widths[riskiest.tile] > widths[safest.tile]
    assert page.locator(".candidate .at-stake").count() == len(each.candidates)
    assert "deals in" in page.locator(".candidate.taken .at-stake").inner_text()
    assert "wins" in page.locator(".outlook").first.inner_text()
    assert "Bar under a tile" in page.locator(".legend").inner_text()


def test_a_claim_shows_what_its_choices_are_worth_and_a_marked_pass_what_such_ones_cost(page, review_file):
    decisions = [(seat.seat, each) for seat in reviewed().seats for of in seat.decisions for each in of]
    seat, each = next(
        (seat, each) for seat, each in decisions if each.mistake and each.candidates[each.taken].type == "pass"
    )
    open_at(page, review_file, f"#seat={seat}&round={each.round}&frame={each.frame}")
    assert page.locator(".candidate .at-stake").count() == len(each.candidates) > 1
    assert f"{abs(each.candidates[each.taken].points):,.0f} points" in page.locator(".taken .at-stake").inner_text()
    marked = page.locator(".outlook").inner_text()
    assert "mistake" in marked and f"{each.lost:,.0f} points lost" in marked
    assert f"lost {each.held_out.points:,.0f} in held-out games" in marked
    assert not page.locator(".legend").count()  # no bars without a discard


def test_the_summary_counts_mistakes_and_says_what_was_lost(page, review_file):
    open_at(page, review_file)
    lost = reviewed().seats[0].lost
    figures = page.locator(".figures").inner_text()
    assert "points lost by discards a round" in figures and f"{round(lost.points):,}" in figures
    assert " · ".join(str(count) for count in lost.mistakes.values()) in figures


def meld_on_page(page, meld: list) -> list[dict]:
    """Return how a meld of an own hand is drawn: each tile's face and whether it lies on its side."""
    frame = reviewed().rounds[0].frames[0]
    script = """async ([frame, meld]) => {
        const { tableOf } = await import("suphx/table.js");
        const seats = frame.seats.map((seat, n) => n ? seat : {...seat, hand: [], drawn: "", melds: [meld]});
        const how = {seat: 0, open: true, names: ["a", "b", "c", "d"]};
        const table = tableOf({...frame, seats, name: "East 1", last: null}, how);
        return [...table.querySelectorAll(".own [data-tile]")].map((tile) => {
            const [, x, y] = /translate\\(([-0-9.]+) ([-0-9.]+)\\)/.exec(tile.getAttribute("transform")).map(Number);
            return {face: tile.dataset.tile, turned: tile.getAttribute("transform").includes("rotate"), x, y};
        });
    }"""
    return page.evaluate(script, [frame, meld])


@pytest.mark.parametrize(
    ("meld", "faces", "turned"),
    [
        (["chow", ["3m", "4m", "0m"], 0, ""], ["3m", "4m", "0m"], [0]),
        (["pong", ["7z", "7z", "7z"], 1, ""], ["7z", "7z", "7z"], [1]),
        (["open kong", ["1p", "1p", "1p", "1p"], 3, ""], ["1p"] * 4, [3]),
        (["closed kong", ["0s", "5s", "5s", "5s"], -1, ""], ["back", "5s", "5s", "back"], []),
        (["added kong", ["5s", "5s", "5s"], 2, "0s"], ["5s", "5s", "0s", "5s"], [2, 3]),
    ],
)
def test_melds_lie_as_they_were_called(page, served, meld, faces, turned):
    page.goto(served)
    drawn = meld_on_page(page, meld)
    assert [tile["face"] for tile in drawn] == faces
    assert [n for n, tile in enumerate(drawn) if tile["turned"]] == turned
    if meld[0] == "added kong":
        assert drawn[2]["x"] == drawn[3]["x"] and drawn[2]["y"] < drawn[3]["y"]  # the added one lies behind it


def test_a_riichi_tile_lies_on_its_side_and_a_called_one_is_faint(page, review_file):
    frames = reviewed().rounds[ROUND_OF_DOUBLE_RON].frames
    river = next(
        seat["river"] for frame in reversed(frames) for seat in frame.get("seats", {}).values()
        if any("r" in marks for _, marks in seat.get("river", []))
    )  # fmt: skip
    assert any("r" in marks for _, marks in river)
    open_at(page, review_file, f"#seat=1&round={ROUND_OF_DOUBLE_RON}&frame={last_frame(ROUND_OF_DOUBLE_RON)}")
    group = page.locator('svg.table > g[data-seat="1"]:not(.own) > .river > [data-tile][transform*=rotate]')
    assert group.count() == sum("r" in marks for _, marks in river) == 1
    assert page.locator("svg.table .faint").count() >= 4
    assert page.locator("svg.table .dimmed").count() >= 4


@pytest.mark.parametrize("furiten", [False, True])
def test_waits_and_furiten_are_shown_of_an_open_hand_only(page, served, furiten):
    page.goto(served)
    frame = reviewed().rounds[0].frames[0]
    script = """async ([frame, furiten]) => {
        const { tableOf } = await import("suphx/table.js");
        const seats = frame.seats.map((seat, n) => n === 1 ? {...seat, waits: ["3p", "6p"], furiten} : seat);
        const table = (open) => tableOf({...frame, seats, name: "East 1", last: null}, {seat: 0, open, names: "abcd"});
        const shown = (open) => [...table(open).querySelectorAll(".waits")].map((each) =>
            [each.textContent, ...[...each.querySelectorAll("[data-tile]")].map((tile) => tile.dataset.tile)]);
        return [shown(true), shown(false)];
    }"""
    is_open, is_closed = page.evaluate(script, [frame, furiten])
    assert is_open == [["waits, furiten" if furiten else "waits", "3p", "6p"]]
    assert is_closed == []


def test_a_double_ron_and_an_abortive_draw_are_told(page, review_file):
    open_at(page, review_file, f"#seat=0&round={ROUND_OF_DOUBLE_RON}&frame={last_frame(ROUND_OF_DOUBLE_RON)}")
    assert page.locator(".panel .won").count() == 2
    open_at(page, review_file, f"#seat=0&round={ROUND_OF_NINE_TERMINALS}&frame={last_frame(ROUND_OF_NINE_TERMINALS)}")
    assert "nine terminals" in page.locator(".panel").inner_text()


def test_the_largest_differences_come_first_and_lead_to_their_decisions(page, review_file):
    open_at(page, review_file)
    page.click("#tab-differences")
    sizes = [float(text) for text in page.locator(".differences .size").all_inner_texts()]
    every = sorted((d.difference for of_round in reviewed().seats[0].decisions for d in of_round), reverse=True)
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == pytest.approx(every[0], abs=0.006)
    page.click(".differences li:nth-child(2) button")
    assert f"Difference {sizes[1]:.2f}" in page.locator(".verdict").inner_text()
    page.keyboard.press("d")
    assert f"Difference {sizes[2]:.2f}" in page.locator(".verdict").inner_text()


def test_differences_are_filtered_by_kind_and_round(page, review_file):
    """Worst first all the same; the key for the next one goes through what is left."""
    differing = [
        each
        for of_round in reviewed().seats[0].decisions
        for each in of_round
        if not each.agrees and each.difference > 0
    ]
    open_at(page, review_file)
    page.locator("#tab-differences").click()
    places = page.locator(".differences .place")
    assert places.count() == len(differing)
    number = differing[0].round
    page.locator("#filter-round").select_option(str(number))
    of_round = sorted((each for each in differing if each.round == number), key=lambda each: -each.difference)
    assert page.locator(".differences .size").all_inner_texts() == [f"{each.difference:.2f}" for each in of_round]
    assert page.evaluate("document.activeElement.id") == "filter-round"
    page.locator(".differences button").first.click()
    seen = []
    for _ in of_round:
        seen.append(int(re.search(r"round=(\d+)", page.url)[1]))
        page.keyboard.press("d")
    assert set(seen) == {number}
    page.locator("#tab-differences").click()
    page.locator("#filter-round").select_option("")
    situation = next(each.situation for each in differing if each.situation != "discard")
    page.locator("#filter-kind").select_option(situation)
    assert places.count() == sum(each.situation == situation for each in differing)


def test_a_quiz_hides_what_the_agent_thinks_until_one_has_chosen(page, review_file):
    decision = next(each for of_round in reviewed().seats[2].decisions for each in of_round if not each.agrees)
    open_at(page, review_file, f"#seat=2&round={decision.round}&frame={decision.frame}")
    assert page.locator(".candidate").count()
    page.keyboard.press("q")
    choices = page.locator(".quiz button")
    assert choices.count() == len(decision.candidates)
    for hidden in (".candidate", ".verdict", "svg.table .bar", "svg.table .mark-taken", "svg.table .mark-preferred"):
        assert page.locator(hidden).count() == 0, hidden
    page.keyboard.press(",")
    page.keyboard.press(".")
    assert "Difference" not in page.locator("#status").inner_text()  # nor is it read aloud
    choices.nth(0).click()
    assert page.locator(".candidate").count()
    words = page.locator(".verdict").first.inner_text()
    assert "Your choice: " in words and "of 1 choice was the agent's." in words
    page.keyboard.press("q")
    assert page.locator(".verdict").count() == 1  # the answer is the quiz's alone


def test_a_quiz_says_whether_a_choice_is_the_agents(page, review_file):
    first, second = [
        each
        for of_round in reviewed().seats[0].decisions
        for each in of_round
        if each.situation == "discard" and not each.agrees
    ][:2]
    open_at(page, review_file, f"#seat=0&round={first.round}&frame={first.frame}")
    page.keyboard.press("q")
    tile = first.candidates[first.preferred].tile
    page.locator(f"svg.table .own [data-tile='{tile}']").first.click()
    assert "It is the agent's too. 1 of 1 choice was" in page.locator(".verdict").first.inner_text()
    assert page.locator(".verdict").first.get_attribute("class") == "verdict agrees"
    page.evaluate("(place) => { location.hash = place; }", f"#seat=0&round={second.round}&frame={second.frame}")
    page.wait_for_selector(".quiz")
    tile = second.candidates[second.taken].tile
    page.locator(f"svg.table .own [data-tile='{tile}']").first.click()
    assert "1 of 2 choices were the agent's." in page.locator(".verdict").first.inner_text()
    page.select_option("[data-setting=language]", "romaji")
    assert "1 of 2 choices were the agent's." in page.locator(".verdict").first.inner_text()


def test_the_game_has_its_curve_results_and_rates(page, review_file):
    open_at(page, review_file)
    page.click("#tab-game")
    assert page.locator(".chart .line").count() == 4
    results = page.locator("table", has_text="Results")
    assert results.locator("tbody tr").count() == len(reviewed().rounds)
    rates = page.locator("table", has_text="Agreement and rating").inner_text()
    for seat in reviewed().seats:
        assert f"{seat.rating:.1f}" in rates
        assert f"{seat.agreed}/{seat.count}" in rates
    page.locator(".chart .band").nth(3).click()
    assert "round=3" in page.url


def test_a_round_is_chosen_from_the_list_and_by_its_buttons(page, review_file):
    open_at(page, review_file)
    page.select_option("#round", "3")
    assert "round=3" in page.url
    page.click("#round-before")
    assert "round=2" in page.url
    page.click("#round-after")
    page.click("#step-after")
    place = page.url
    page.click("#decision-after")
    assert page.url != place


def test_another_seat_sits_at_the_bottom_and_hands_can_be_closed(page, review_file):
    open_at(page, review_file, "#seat=0&round=1&frame=0")
    page.click(".seats button:nth-child(3)")
    assert page.locator("svg.table .own").get_attribute("data-seat") == "2"
    assert page.locator('svg.table > g[data-seat]:not(.own) > [data-tile="back"]').count() == 0
    page.keyboard.press("h")
    assert page.locator('svg.table > g[data-seat]:not(.own) > [data-tile="back"]').count() == 3 * 13 + 1
    assert page.locator('svg.table .own [data-tile="back"]').count() == 0


def test_a_rating_stands_beside_those_of_players_of_each_dan(page, review_file, tmp_path):
    open_at(page, review_file)
    assert page.locator(".of-dan").count() == 0  # of another agent than the one that was measured
    path, dans = tmp_path / "dans.html", included_yardstick().dans
    path.write_bytes(review_page(reviewed().model_copy(update={"dans": dans})))
    open_at(page, path)
    assert page.locator(".of-dan text").all_text_contents() == [f"{each.dan} dan" for each in dans]
    shown = {each.dan: page.locator(".of-dan circle").nth(n).bounding_box()["y"] for n, each in enumerate(dans)}
    by_rating = sorted(dans, key=lambda each: -each.mean)
    assert sorted(shown, key=lambda dan: shown[dan]) == [each.dan for each in by_rating]
    assert f"{dans[0].dan} dan {dans[0].mean:.1f}" in page.locator(".summary svg.chart").get_attribute("aria-label")


def test_a_seat_that_was_not_reviewed_is_shown_without_opinions(page, tmp_path):
    alone = reviewed().model_copy(update={"seats": [reviewed().seats[1]]})
    path = tmp_path / "alone.html"
    path.write_bytes(review_page(alone))
    open_at(page, path)
    assert page.locator("svg.table .own").get_attribute("data-seat") == "1"
    page.keyboard.press("1")
    assert "not reviewed" in page.locator(".panel").inner_text()
    assert page.locator(".candidate").count() == 0


@pytest.mark.parametrize(("language", "said"), [("romaji", "kyuushu kyuuhai"), ("ja", "九種九牌"), ("zh", "九种九牌")])
def test_another_language_comes_on_demand_at_the_same_place_and_stays(page, review_file, language, said):
    open_at(page, review_file, f"#seat=0&round={ROUND_OF_NINE_TERMINALS}&frame={last_frame(ROUND_OF_NINE_TERMINALS)}")
    assert "nine terminals" in page.locator(".panel").inner_text()
    place = page.url
    page.select_option("[data-setting=language]", language)
    assert said in page.locator(".panel").inner_text() and page.url == place
    page.keyboard.press("2")  # one page hears the keys, not also the one before
    assert "seat=1" in page.url and page.locator("svg.table").count() == 1
    for _ in range(20):  # a process of its own keeps it for the next one, which may be quicker
        page.reload()
        page.wait_for_selector("svg.table")
        if said in page.locator(".panel").inner_text():
            break
    else:
        raise AssertionError("the choice was not kept")


def test_the_theme_is_the_systems_until_one_is_chosen(page, review_file):
    def ground() -> str:
        return page.evaluate("() => getComputedStyle(document.body).backgroundColor")

    page.emulate_media(color_scheme="light")
    open_at(page, review_file)
    light = ground()
    page.emulate_media(color_scheme="dark")
    dark = ground()
    assert light != dark
    page.click("[data-setting=theme]")  # dark
    page.click("[data-setting=theme]")  # light
    assert ground() == light


def test_the_place_in_the_game_survives_a_reload(page, review_file):
    open_at(page, review_file)
    for key in (".", "]", "3", "ArrowRight"):
        page.keyboard.press(key)
    place, seen = page.evaluate("() => location.href"), page.locator("#where").inner_text()
    page.reload()
    page.wait_for_selector("svg.table")
    assert (page.evaluate("() => location.href"), page.locator("#where").inner_text()) == (place, seen)


@pytest.mark.parametrize(
    "place", ["#seat=9&round=0&frame=0", "#seat=0&round=99&frame=1", "#<img>", "#seat=0&round=0&frame=-1"]
)
def test_an_address_that_names_no_place_shows_the_first_decision(page, review_file, place):
    open_at(page, review_file, place)
    page.click("#tab-decision")
    assert page.locator(".candidate").count() > 1


def test_a_screen_reader_hears_each_move_and_can_read_the_table(page, review_file):
    open_at(page, review_file)
    page.keyboard.press(".")
    said = page.locator("[aria-live]").inner_text()
    assert re.search(r"East 1, turn \d+", said) and "agent" in said
    words = page.locator(".table-place .unseen").inner_text()
    assert words.count("river") == 4 and "hand: " in words
    nameless = page.evaluate("""() => [...document.querySelectorAll("button, select, [role]")]
        .filter((each) => !(each.getAttribute("aria-label") || each.textContent.trim()))
        .map((each) => each.outerHTML)""")
    assert nameless == []


def test_everything_is_reached_by_the_keyboard_in_the_order_that_it_is_seen(page, review_file):
    open_at(page, review_file)
    order = []
    for _ in range(19):
        page.keyboard.press("Tab")
        order.append(page.evaluate("() => document.activeElement.id || document.activeElement.textContent"))
    wanted = ["1 sensible", "random", "round", "round-before", "decision-after", "tab-summary", "panel"]
    places = [order.index(each) for each in wanted]
    assert places == sorted(places)
    page.focus("#tab-summary")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("() => document.activeElement.id") == "tab-differences"
    assert page.locator(".differences").count() == 1


def test_arrows_step_after_a_click_on_a_tab(page, review_file):
    open_at(page, review_file, "#seat=0&round=1&frame=3")
    page.click("#tab-game")
    page.keyboard.press("ArrowRight")
    assert page.url.endswith("#seat=0&round=1&frame=4")
    assert page.locator("#tab-game").get_attribute("aria-selected") == "true"
    page.keyboard.press("ArrowLeft")
    assert page.url.endswith("#seat=0&round=1&frame=3")


def test_the_wheel_over_the_table_steps_once_a_notch(page, review_file):
    open_at(page, review_file, "#seat=0&round=1&frame=3")
    page.hover("svg.table")
    for by, frame in ((100, 4), (20, 4), (20, 4), (20, 5), (-120, 4)):
        page.mouse.wheel(0, by)
        page.wait_for_function("(frame) => location.hash.endsWith(`frame=${frame}`)", arg=frame)


def test_the_question_mark_lists_the_keys_which_then_do_nothing_else(page, review_file):
    open_at(page, review_file, "#seat=0&round=1&frame=3")
    page.keyboard.press("?")
    assert "next largest difference" in page.locator("#keys").inner_text()
    page.keyboard.press("d")
    assert page.url.endswith("#seat=0&round=1&frame=3")
    page.keyboard.press("Escape")
    assert not page.locator("#keys").is_visible()


def test_a_game_of_ones_own_opens_at_ones_own_seat(page, tmp_path):
    path = tmp_path / "own.html"
    path.write_bytes(review_page(reviewed().model_copy(update={"names": ["a", "b", "You", "c"]})))
    open_at(page, path)
    assert page.locator("svg.table .own").get_attribute("data-seat") == "2"


@pytest.mark.parametrize(
    ("probability", "shown"),
    [(0, "0%"), (0.0004, "<0.1%"), (0.004, "0.4%"), (0.25, "25%"), (0.996, "99.6%"), (0.9996, ">99.9%"), (1, "100%")],
)
def test_a_probability_and_the_rest_add_up(page, served, probability, shown):
    page.goto(served)
    words = "async (value) => (await import('suphx/words.js')).percent(value)"
    assert page.evaluate(words, probability).replace("0.0%", "0%") == shown


@pytest.mark.parametrize("tab", ["summary", "decision", "differences", "game", "about"])
def test_nothing_is_wider_than_a_phone(page, review_file, tab):
    open_at(page, review_file)
    page.set_viewport_size({"width": 360, "height": 740})
    page.click(f"#tab-{tab}")
    assert page.evaluate("() => document.documentElement.scrollWidth") == 360
    own = page.locator("svg.table .own [data-tile] use").first
    if tab == "summary":
        assert not own.is_visible()
    else:
        assert own.bounding_box()["width"] >= 20  # points


@pytest.mark.faults
def test_what_a_log_says_stays_text(page, tmp_path):
    evil = '</script><script>window.evil=1</script><img src=x onerror="window.evil=1">'
    changed = reviewed().model_copy(
        update={"names": [evil, "'\"&<b>", "\u2028", "{{review}}"], "source": evil, "remarks": [evil]}
    )
    path = tmp_path / "evil.html"
    path.write_bytes(review_page(changed))
    open_at(page, path)
    for tab in ("differences", "game", "about", "decision"):
        page.click(f"#tab-{tab}")
    assert page.evaluate("() => window.evil") is None
    assert page.locator(".seats button").first.inner_text() == evil
    assert page.locator("img").count() == 0
    assert json.loads(page.locator("#review").text_content())["names"] == changed.names
