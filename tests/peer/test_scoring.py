"""Agreement with the `mahjong` package on made-up wins of every kind."""

import pytest
from wins import as_arrays, make_wins, score_made

from simulator.scoring.winning import FIRST_TURN
from simulator.scoring.yaku import DORA, RED_FIVE, URA_DORA, yaku_of

from .scoring import mahjong_scorer

#: The package's numbers of yaku (`yaku_id`) beside Tenhou's.
NUMBERS = {
    0: 0, 1: 1, 3: 2, 4: 3, 5: 4, 6: 5, 7: 6, 8: 21, 12: 7, 13: 8, 14: 9, 15: 18, 16: 19, 17: 20, 18: 10, 19: 11,
    20: 12, 21: 13, 22: 14, 23: 15, 24: 16, 25: 17, 26: 25, 27: 24, 28: 23, 29: 31, 30: 28, 31: 29, 32: 27, 33: 26,
    34: 22, 35: 30, 36: 34, 37: 33, 38: 32, 39: 35, 100: 47, 101: 45, 102: 40, 103: 39, 104: 50, 105: 43, 106: 51,
    107: 42, 108: 44, 111: 49, 112: 48, 113: 41, 114: 46, 115: 37, 116: 38, 120: DORA, 121: RED_FIVE, 122: URA_DORA,
}  # fmt: skip


def _compare(count, seed):
    made = list(make_wins(count, seed))
    arrays = as_arrays(made)
    scored = score_made(arrays)
    for win, ours, is_win in zip(made, arrays["wins"], scored, strict=True):
        theirs = mahjong_scorer(win)()
        if not is_win:
            assert theirs.error == "no_yaku", win
            continue
        assert theirs.error is None, win
        fu = theirs.fu
        if win.situation & FIRST_TURN and ours["fu"] == 20:
            # All readings make the same first-turn yakuman, and nothing is paid by its fu. We read an ordinary hand,
            # and find pinfu by draw; theirs may take a narrow wait, or seven pairs for double twin runs.
            assert fu in (20, 25, 30), win
            fu = 20
        numbers = {NUMBERS[yaku.yaku_id] for yaku in theirs.yaku}
        expected = {yaku.number for yaku in yaku_of(int(ours["yaku"]))}
        dora = ((DORA, "dora"), (URA_DORA, "ura"), (RED_FIVE, "red"))
        expected |= {number for number, field in dora if ours[field]}
        assert numbers == expected, win
        assert (theirs.cost["total"], fu) == (ours["points"], ours["fu"]), win
        assert theirs.han == (13 * ours["yakuman"] if ours["yakuman"] else ours["han"]), win


def test_agrees_with_mahjong_on_10_000_wins():
    _compare(10_000, seed=11)


@pytest.mark.full
def test_agrees_with_mahjong_on_100_000_wins():
    _compare(100_000, seed=12)
