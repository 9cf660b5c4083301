"""A logged game as text."""

from __future__ import annotations

import pytest
from log_games import small_game

from simulator.logs.show import show_game, shown_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("甲\u3000乙 é", "甲\u3000乙 é"),
        ("\x1b[2J", r"\x1b[2J"),
        ("a\r\nb\u2028", r"a\r\nb\u2028"),
        ("\u202eabc", r"\u202eabc"),
        ("\ud800", r"\ud800"),
    ],
)
def test_what_would_move_a_cursor_or_turn_the_writing_is_escaped(text, shown):
    assert shown_text(text) == shown


def test_names_and_the_room_are_shown_so():
    game = small_game()
    game.names[0], game.room, game.source = "\x1b[31mred", "a\x07", "b\x08.json"
    lines = list(show_game(game))
    assert lines[0].startswith(r"b\x08.json: a\x07, East-South")
    assert lines[1].startswith(r"  A: \x1b[31mred, rate")
    assert all(line.isprintable() or "ⓝ" in line for line in lines)
