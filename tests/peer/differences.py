"""Where riichienv plays otherwise than Tenhou: each difference by name, with its source, told apart exactly.

There are two. Whatever is not told apart here fails the comparison.
"""

from __future__ import annotations

import numpy as np

from simulator.moves import show_pending_indicators
from simulator.record import PHASE_KONG_CLAIM, RESULT_RON
from simulator.rounds import finish_round
from simulator.scoring.yaku import KOKUSHI, KOKUSHI_13, TENHOU
from simulator.walls import DORA_INDICATORS

#: After an open or added kong a further, added kong of the same turn may be robbed. riichienv shows the first kong's
#: indicator as soon as the second is declared, so that it counts for the robber. At Tenhou it is shown with the
#: discard, or with the replacement tile of a further kong, which does not come to be drawn from a robbed one.
#: Source: Mortal's libriichi, arena/board.rs, which follows Tenhou: `need_new_dora_at_tsumo`, "for Kakan only because
#: chankan is possible until an actual tsumo". Tenhou's logs agree as far as they can: all 49 times that in 39,356 real
#: games an added kong follows an open or added one, the DORA tag stands after the second kong, before its replacement;
#: that second kong was never robbed.
EARLY_INDICATOR = "an added kong that may be robbed shows the indicator of the kong before it"

#: A heavenly hand of thirteen orphans is the thirteen-sided one for riichienv, whichever tile was drawn last; as at
#: Mahjong Soul, where that is a double yakuman. We go by the tile drawn last, as for every other heavenly hand (so does
#: riichienv for four concealed triplets and nine gates). Nothing is paid by it at Tenhou, which has no double yakuman
#: (`GameRule.default_tenhou()` of riichienv: `is_kokushi_musou_13machi_double` false), so the name alone differs.
HEAVENLY_ORPHANS = "a heavenly hand of thirteen orphans is always called thirteen-sided"


def is_heavenly_orphans(win: np.void, ours: set[int], theirs: set[int]) -> bool:
    """Return whether two sets of yaku differ by that name alone."""
    renamed = ours - {KOKUSHI} | {KOKUSHI_13}
    return {TENHOU, KOKUSHI} <= ours and theirs == renamed and bool(win["source"] == win["seat"])


def is_early_indicator(game: np.void, peer_indicators: list[int]) -> bool:
    """Return whether the indicators differ by those alone that riichienv shows before the kong is robbed."""
    early = int(game["indicators"]) + int(game["pending_indicators"])
    shown = game["wall"][DORA_INDICATORS[:early]].tolist()
    return bool(game["phase"] == PHASE_KONG_CLAIM and game["pending_indicators"] and shown == peer_indicators)


def paid_with_early_indicator(game: np.void) -> np.void | None:
    """Return a copy of a round that ended by robbing such a kong, paid as riichienv counts it; None for any other."""
    if not (game["result"]["type"] == RESULT_RON and game["robbing"] and game["pending_indicators"]):
        return None
    copy = np.array([game], game.dtype)[0]
    show_pending_indicators(copy)
    finish_round(copy)
    return copy
