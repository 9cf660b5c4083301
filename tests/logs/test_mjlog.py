from __future__ import annotations

import dataclasses
import gzip

import pytest
from log_games import SEED, assert_same_game, small_game

from simulator.logs.mjlog import read_mjlog
from simulator.logs.mjlog_codes import MELD_CODES, decode_meld, encode_meld, unpack_events
from simulator.logs.mjlog_writer import write_mjlog
from simulator.logs.model import LogError, SkippedLog
from simulator.record import (
    EVENT_ADDED_KONG,
    EVENT_CHOW,
    EVENT_CLOSED_KONG,
    EVENT_DISCARD,
    EVENT_DRAW,
    EVENT_NO_WINNER,
    EVENT_OPEN_KONG,
    EVENT_PONG,
    EVENT_WIN,
    RESULT_EXHAUSTIVE,
    RESULT_FOUR_KONGS,
    RESULT_FOUR_RIICHI,
    RESULT_FOUR_WINDS,
    RESULT_NAGASHI,
    RESULT_NINE_TERMINALS,
    RESULT_TRIPLE_RON,
)
from simulator.rules import Rules

PLAYERS = '<UN n0="A" n1="B" n2="C" n3="D" dan="1,2,3,4" rate="1500.00,1600.00,1700.00,1800.00" sx="M,F,M,C"/>'
HANDS = " ".join(f'hai{seat}="{",".join(str(13 * seat + i) for i in range(13))}"' for seat in range(4))
INIT = f'<INIT seed="0,0,0,3,4,130" ten="250,250,250,250" oya="0" {HANDS}/>'
DRAWN = '<RYUUKYOKU ba="0,0" sc="250,15,250,15,250,-15,250,-15" hai0="0" hai1="13"/>'


def log(body: str, head: str = f'<GO type="169" lobby="0"/>{PLAYERS}<TAIKYOKU oya="0"/>') -> bytes:
    return f'<mjloggm ver="2.3">{head}{body}</mjloggm>'.encode()


def test_a_round_of_draws_and_discards():
    game = read_mjlog(log(f"{INIT}<T60/><D60/><U61/><E13/>{DRAWN}"), "file")
    this = game.rounds[0]
    assert (game.source, game.room, game.names) == ("file", "phoenix", ["A", "B", "C", "D"])
    assert (game.dan, game.rates) == ([1, 2, 3, 4], [1500, 1600, 1700, 1800])
    assert (this.round, this.repeat_counter, this.bets, this.dice, this.indicator) == (0, 0, 0, (4, 5), 130)
    assert this.events["type"].tolist() == [EVENT_DRAW, EVENT_DISCARD, EVENT_DRAW, EVENT_DISCARD, EVENT_NO_WINNER]
    assert this.events["tile"].tolist()[:4] == [60, 60, 61, 13]
    assert this.events["drawn"].tolist() == [0, 1, 0, 0, 0]
    assert this.tenpai == [True, True, False, False]
    assert this.deltas == [1500, 1500, -1500, -1500]
    assert this.places[0] == "tag 5"


def test_a_tile_drawn_turns_ago_is_not_the_one_just_drawn():
    body = f'{INIT}<T60/><D0/><U61/><E61/><N who="0" m="{encode_pong(61)}"/><D60/>{DRAWN}'
    assert read_mjlog(log(body)).rounds[0].events["drawn"].tolist() == [0, 0, 0, 1, 0, 0, 0]


def encode_pong(tile: int) -> int:
    """A pong of `tile` from the right by copies that need not be in the hand: reading does not play."""
    copies = [copy for copy in range(4) if copy != 3]
    return ((tile >> 2) * 3 + copies.index(tile & 3)) << 9 | 3 << 5 | 8 | 1


@pytest.mark.parametrize(
    ("bits", "rules"),
    [
        (0x09, Rules.tenhou()),
        (0x01, Rules.tenhou_east()),
        (0x0B, dataclasses.replace(Rules.tenhou(), red_fives=False)),
        (0x0D, dataclasses.replace(Rules.tenhou(), open_tanyao=False)),
        (0x41, Rules.tenhou_east()),
    ],
)
def test_the_table_type_says_the_rules(bits, rules):
    assert read_mjlog(log(INIT + DRAWN, f'<GO type="{bits}"/>')).rules == rules


@pytest.mark.parametrize(("bits", "room"), [(9, "normal"), (137, "advanced"), (41, "expert"), (169, "phoenix")])
def test_the_table_type_says_the_room(bits, room):
    assert read_mjlog(log(INIT + DRAWN, f'<GO type="{bits}"/>')).room == room


def test_a_three_player_game_is_skipped():
    with pytest.raises(SkippedLog, match="three-player"):
        read_mjlog(log(INIT + DRAWN, '<GO type="185"/>'))


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("", RESULT_EXHAUSTIVE),
        ('type="nm"', RESULT_NAGASHI),
        ('type="yao9"', RESULT_NINE_TERMINALS),
        ('type="kaze4"', RESULT_FOUR_WINDS),
        ('type="reach4"', RESULT_FOUR_RIICHI),
        ('type="kan4"', RESULT_FOUR_KONGS),
        ('type="ron3"', RESULT_TRIPLE_RON),
    ],
)
def test_kinds_of_draw(name, result):
    game = read_mjlog(log(f'{INIT}<T60/><RYUUKYOKU {name} ba="0,0" sc="250,0,250,0,250,0,250,0"/>'))
    assert game.rounds[0].draw_type == game.rounds[0].events["tile"][-1] == result


def test_a_log_without_seed_rate_dan_and_version():
    data = f'<mjloggm><SHUFFLE seed="" ref=""/><GO type="9"/><UN n0="A"/>{INIT}{DRAWN}</mjloggm>'.encode()
    game = read_mjlog(data)
    assert (game.seed, game.dan, game.rates, game.names[0]) == (None, None, None, "A")


def test_leaving_and_coming_back():
    body = f'{INIT}<T60/><BYE who="2"/><D60/><UN n2="C"/>{DRAWN}'
    found = [(each.event, each.seat, each.present) for each in read_mjlog(log(body)).connections]
    assert found == [(1, 2, False), (2, 2, True)]


def test_gzipped_content():
    data = write_mjlog(small_game())
    assert_same_game(read_mjlog(gzip.compress(data)), read_mjlog(data))


def test_every_meld_code_is_refused_or_comes_back():
    kinds = set()
    for code in range(0, MELD_CODES):
        for seat in (0, 3):
            try:
                packed = decode_meld(code, seat)
            except ValueError:
                continue
            event = unpack_events([packed])[0]
            kinds.add(int(event["type"]))
            again = encode_meld(event, code & ~24 | 8)
            assert decode_meld(again, seat) == packed
    assert kinds == {EVENT_CHOW, EVENT_PONG, EVENT_OPEN_KONG, EVENT_CLOSED_KONG, EVENT_ADDED_KONG}


def test_calls_name_the_tiles_of_the_hand():
    events = small_game().rounds[0].events
    chow = events[events["type"] == EVENT_CHOW][0]
    again = unpack_events([decode_meld(encode_meld(chow), int(chow["seat"]))])[0]
    assert again == chow
    assert again["tile"] == 53


def test_what_is_written_is_read_back():
    game = small_game()
    assert_same_game(read_mjlog(write_mjlog(game)), game)


def test_points_are_in_hundreds():
    game = small_game()
    text = write_mjlog(game).decode()
    assert 'ten="250,260,240,250"' in text
    game.rounds[0].scores[0] = 25050
    with pytest.raises(LogError, match="hundreds"):
        write_mjlog(game)


def test_liability_and_final_points():
    game = read_mjlog(write_mjlog(small_game()))
    assert game.rounds[-1].wins[0].liable == 1
    assert game.final_scores == [10500, -24100, 31500, 83100]
    assert game.final_points == [-29.5, -64.1, 11.5, 82.1]
    assert game.seed == SEED


def test_two_winners_are_two_wins_and_two_events():
    this = read_mjlog(write_mjlog(small_game())).rounds[0]
    assert [win.seat for win in this.wins] == [2, 3]
    assert (this.events["type"] == EVENT_WIN).sum() == 2
    assert this.deltas == [-16000, 0, 9000, 8000]


def test_a_sample_of_real_logs_is_read_and_written(real_logs):
    from simulator.logs.archives import open_logs

    for count, (source, data) in enumerate(open_logs([real_logs])):
        if count % 200 == 0:
            assert isinstance(data, bytes)
            game = read_mjlog(data, source)
            assert_same_game(read_mjlog(write_mjlog(game), source), game)


@pytest.mark.full
def test_all_real_logs_are_read(real_logs):
    from simulator.logs.archives import open_logs

    assert sum(bool(read_mjlog(data, source).final_scores) for source, data in open_logs([real_logs])) > 39_000


def test_an_empty_list_of_melds_is_as_good_as_none():
    game = small_game()
    text = write_mjlog(game)
    start = text.rindex(b"<AGARI ")
    assert b' m="' not in text[start:]
    assert_same_game(read_mjlog(text[:start] + text[start:].replace(b"<AGARI ", b'<AGARI m="" ', 1)), game)
