"""What notebooks draw of a table."""

from __future__ import annotations

import random
from html.parser import HTMLParser

import pytest

from simulator import Game
from simulator.views.notebook import tile_html
from simulator.views.table import Meld, RiverTile


class _Boxes(HTMLParser):
    """Collects titles in order, and holds every element closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.titles: list[str] = []
        self.words = ""
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            return
        self._open.append(tag)
        self.titles += [value or "" for name, value in attributes if name == "title"]

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def game() -> Game:
    return Game.from_hands(["123m406p77z1s123s9p", "", "19m19p19s1234567z"], indicator="3z")


def test_a_table_draws_itself_with_all_hands_open():
    seen = _Boxes(game()._repr_html_())
    assert seen.titles[:2] == ["3z", "1m"] and len(seen.titles) == 1 + 14 + 3 * 13
    assert "back" not in seen.titles
    assert "East 1, 69 tiles left" in seen.words and "▸ 0 East" in seen.words


def test_a_position_shows_its_own_hand_alone_and_what_may_be_chosen():
    asked = game().observations()[0]
    seen = _Boxes(asked._repr_html_())
    assert seen.titles.count("back") == 39
    assert "5z" not in seen.titles
    assert "seat 0, turn: " in seen.words and asked.actions[0].name in seen.words


def test_rivers_and_melds_are_drawn_as_they_lie():
    rounds = random.Random(5)
    table = Game("tenhou_east", seed=5)
    kinds = set()
    while not table.over:
        view = table.view()
        titles = _Boxes(view._repr_html_()).titles
        for seat in view.seats:
            kinds |= {meld.type for meld in seat.melds}
            for each in seat.melds:
                assert _titles_of(each) in " ".join(titles)
            assert all(_title_of(each) in titles for each in seat.river)
        table.step({seat: rounds.choice(seen.legal_actions()) for seat, seen in table.observations().items()})
    assert kinds >= {"chow", "pong"}
    assert "<pre>game over" in table._repr_html_()


def _title_of(discard: RiverTile) -> str:
    return discard.tile + (", as drawn" if discard.drawn else "") + (", riichi" if discard.riichi else "")


def _titles_of(meld: Meld) -> str:
    if not meld.claimed:
        return " ".join(["back", *meld.own[1:-1], "back"])
    called = [f"{meld.claimed} from seat {meld.source}"] + [f"{meld.added} added"] * bool(meld.added)
    place = len(meld.own) if meld.turned < 0 else meld.turned
    return " ".join([*meld.own[:place], *called, *meld.own[place:]])


@pytest.mark.parametrize("tile, words", [("5m", "5m"), ("0p", "5p"), ("3z", "W"), ("?", "\xa0")])
def test_faces(tile, words):
    assert _Boxes(tile_html(tile)).words == words
