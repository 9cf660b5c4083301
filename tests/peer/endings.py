"""How a round ended, for both: the kind of end, each win's yaku, han and fu, the points, and what comes next."""

from __future__ import annotations

from typing import Any

import numpy as np
from riichienv import Action, GameRule, RiichiEnv

from simulator.record import (
    NO_SEAT,
    RESULT_EXHAUSTIVE,
    RESULT_FOUR_KONGS,
    RESULT_FOUR_RIICHI,
    RESULT_FOUR_WINDS,
    RESULT_NAGASHI,
    RESULT_NINE_TERMINALS,
    RESULT_TRIPLE_RON,
)
from simulator.scoring.yaku import DORA, RED_FIVE, URA_DORA

from .differences import HEAVENLY_ORPHANS, is_heavenly_orphans

_WIND_OF = {11: 10, 12: 10, 13: 10, 15: 14, 16: 14, 17: 14}
_REASONS = {
    RESULT_EXHAUSTIVE: "exhaustive_draw",
    RESULT_NAGASHI: "nagashimangan",
    RESULT_NINE_TERMINALS: "kyushu_kyuhai",
    RESULT_FOUR_WINDS: "sufuurenta",
    RESULT_FOUR_RIICHI: "suucha_riichi",
    RESULT_FOUR_KONGS: "suukansansen",
    RESULT_TRIPLE_RON: "sanchaho",
}


def compare_ending(game: np.void, peer: RiichiEnv, dealt: dict[str, Any], steps: list[dict[int, Action]]) -> list[str]:
    """Compare a round that our engine has just paid; return the names of the known differences it shows.

    `dealt` and `steps` play it once more on another table of the peer's, one of a single round: the others forget a
    round's end when they deal the next. An exhaustive draw after which points or the dealer change needs no such proof.
    """
    result = game["result"]
    over = bool(result["game_over"])
    assert over == peer.done(), f"game over: ours {over}, riichienv's {peer.done()}; points {result['scores']}"
    assert result["scores"].tolist() == list(peer.scores()), (result["scores"], result["deltas"], peer.scores())
    if over:
        assert (result["ranks"] + 1).tolist() == list(peer.ranks())
    else:
        ours = tuple(int(game[name]) for name in ("dealer", "round", "repeat_counter", "bets"))
        assert ours == (peer.oya, 4 * peer.round_wind + peer.oya, peer.honba, peer.riichi_sticks)
    if result["type"] == RESULT_EXHAUSTIVE and (result["deltas"].any() or game["dealer"] != dealt["oya"]):
        return []
    return _compare_kind(result, dealt, steps)


def _compare_kind(result: np.void, dealt: dict[str, Any], steps: list[dict[int, Action]]) -> list[str]:
    again = RiichiEnv("4p-red-single", rule=GameRule.default_tenhou())
    again.reset(**dealt)
    for actions in steps:
        again.step(actions)
    assert again.done()
    events = again.mjai_log
    if result["type"] in _REASONS:
        reasons = [event["reason"] for event in events if event["type"] == "ryukyoku"]
        assert reasons == [_REASONS[int(result["type"])]]
        return []
    explained = []
    wins = result["wins"][: result["n_wins"]]
    stated = [event for event in events if event["type"] == "hora"]
    assert [(win["seat"], win["source"]) for win in wins] == [(win["actor"], win["target"]) for win in stated]
    for win, event in zip(wins, stated, strict=True):
        theirs = again.win_results[int(win["seat"])]
        assert win["deltas"].tolist() == event["deltas"], (win, event)
        ours, named = yaku_of_win(win), {yaku.tenhou_id for yaku in theirs.yaku_list()}
        if ours != named:
            assert is_heavenly_orphans(win, ours, named), (win, theirs.yaku_list())
            explained.append(HEAVENLY_ORPHANS)
        assert (None if win["liable"] == NO_SEAT else int(win["liable"])) == theirs.pao_payer, win
        if win["yakuman"]:
            assert (theirs.yakuman, theirs.han) == (True, 13 * win["yakuman"]), win
        else:
            assert (theirs.yakuman, theirs.han, theirs.fu) == (False, win["han"], win["fu"]), win
    return explained


def yaku_of_win(win: np.void) -> set[int]:
    """Return Tenhou's numbers of a win's yaku; for an ordinary hand with dora, ura and red fives.

    Tenhou has a number for each wind, riichienv one for the seat's and one for the round's.
    """
    mask = int(win["yaku"])
    numbers = {_WIND_OF.get(number, number) for number in range(DORA) if mask >> number & 1}
    if not win["yakuman"]:
        extra = ((DORA, "dora"), (URA_DORA, "ura"), (RED_FIVE, "red"))
        numbers |= {number for number, name in extra if win[name]}
    return numbers
